//! The same counts for other people's code.
//!
//! The programs under `tools/bench/rivals/` that can be built for Windows here, and Wine's own
//! `rmdir`. One that cannot be built, or does not do its work, is named with the reason.

use super::{Contender, Measured, TREE, lookups, measure};
use crate::host::{self, Outcome};
use crate::rivals;
use crate::say;
use crate::windows::{TARGET, Windows};
use std::fs;
use std::path::PathBuf;

/// How a rival is built.
enum Way {
    /// With Cargo, where Windows programs are built.
    Cargo,
    /// With its `build.sh`, on the host; the environment says what for.
    Script(&'static [(&'static str, &'static str)]),
}

/// What Go and Zig are told.
const GO: Way = Way::Script(&[("GOOS", "windows"), ("GOARCH", "amd64")]);
const ZIG: Way = Way::Script(&[("ZIG_TARGET", "x86_64-windows-gnu")]);

/// A rival.
pub(super) struct Rival {
    /// What it is in the table.
    pub(super) name: &'static str,
    pub(super) folder: &'static str,
    program: &'static str,
    way: Way,
}

const fn rival(name: &'static str, folder: &'static str, program: &'static str, way: Way) -> Rival {
    Rival { name, folder, program, way }
}

/// Those that remove trees.
const REMOVERS: &[Rival] = &[
    rival("Rust std", "rust-std", "rm-rust-std", Way::Cargo),
    rival("`remove_dir_all` 1.0.0", "remove-dir-all", "rm-remove-dir-all", Way::Cargo),
    rival("Go", "go", "rm-go", GO),
    rival("Zig 0.9.1", "zig-0.9", "rm-zig-0.9", ZIG),
    rival("Zig 0.11.0", "zig-0.11", "rm-zig-0.11", ZIG),
    rival("Zig 0.17.0", "zig-new", "rm-zig-new", ZIG),
];

/// Those that start programs by their names.
pub(super) const STARTERS: &[Rival] = &[
    rival("Rust std", "look-rust-std", "look-rust-std", Way::Cargo),
    rival("Go", "look-go", "look-go", GO),
    rival("Zig 0.9.1", "look-zig-0.9", "look-zig-0.9", ZIG),
    rival("Zig 0.11.0", "look-zig-0.11", "look-zig-0.11", ZIG),
    rival("Zig 0.17.0", "look-zig-new", "look-zig-new", ZIG),
];

/// Prints the tables, in Markdown.
pub(super) fn tables(windows: &Windows) -> Outcome {
    removals(windows)?;
    say::out("");
    lookups::table(windows)
}

fn removals(windows: &Windows) -> Outcome {
    let mut contenders = vec![Contender::new(windows.curt()?, &["rm", "-r", "-j1", TREE])];
    let mut names = vec!["curt, `-j1`"];
    let mut absent = Vec::new();
    for rival in REMOVERS {
        say::err(format_args!("native-calls: building {}", rival.folder));
        match build(windows, rival) {
            Ok(path) => {
                names.push(rival.name);
                contenders.push(Contender::new(path, &[TREE]));
            }
            Err(reason) => absent.push(format!("not built: {}: {reason}", rival.name)),
        }
    }
    names.push("Wine's `rmdir /s /q`");
    contenders.push(Contender::new("cmd".into(), &["/c", "rmdir", "/s", "/q", TREE]));
    say::out("| | per file | | per directory | |\n|---|---|---|---|---|");
    for (name, measured) in names.iter().zip(measure(windows, &contenders)?) {
        match measured {
            Ok(measured) => say::out(row(name, &measured)),
            Err(reason) => absent.push(format!("not counted: {name}: {reason}")),
        }
    }
    absent.iter().for_each(say::out);
    Ok(())
}

/// A line of the table.
fn row(name: &str, measured: &Measured) -> String {
    let (file, directory) = (measured.per_file(), measured.per_directory());
    format!("| {name} | {} | {} |", cells(&file), cells(&directory))
}

/// Two cells: how many calls, and which.
pub(super) fn cells(calls: &[(String, f64)]) -> String {
    // Of what is shown: noise does not add up.
    let total = number(calls.iter().map(|(_, count)| (count * 10.0).round() / 10.0).sum());
    let words = calls.iter().filter_map(|(name, count)| match number(*count).as_str() {
        "0" => None,
        "1" => Some(name.clone()),
        count => Some(format!("{count} {name}")),
    });
    format!("{total} | {}", words.collect::<Vec<String>>().join(", "))
}

/// A number with one decimal, if it needs it: a longer listing takes a call more now and then, and
/// so do the threads of a runtime.
fn number(number: f64) -> String {
    let text = format!("{number:.1}");
    // Of less than nothing, too: two counts of the same.
    let text = if text == "-0.0" { "0" } else { &text };
    text.strip_suffix(".0").unwrap_or(text).to_owned()
}

/// Builds a rival; where its program is, as Wine finds it.
pub(super) fn build(windows: &Windows, rival: &Rival) -> Result<PathBuf, String> {
    let Rival { folder, program, way, .. } = rival;
    let out = format!("rivals/{folder}");
    let exe = format!("{out}/{program}.exe");
    match way {
        Way::Cargo => {
            let manifest = format!("{}/{folder}/Cargo.toml", rivals::FOLDER);
            let arguments =
                windows.cargo(&["build", "--quiet", "--release", "--manifest-path", &manifest]);
            // One folder for all of them: the standard library is built once.
            let built = windows.command(&arguments).and_then(|mut command| {
                host::check(command.env("CARGO_TARGET_DIR", windows.inside("rivals/cargo")))
            });
            built.map_err(|failure| failure.text)?;
            Ok(windows.inside(&format!("rivals/cargo/{TARGET}/release/{program}.exe")))
        }
        Way::Script(environment) => {
            rivals::build(folder, &windows.outside(&out), environment)?;
            // Go's script names the program as on Unix.
            let plain = windows.outside(&format!("{out}/{program}"));
            if plain.exists() {
                fs::rename(plain, windows.outside(&exe)).map_err(|error| error.to_string())?;
            }
            Ok(windows.inside(&exe))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::windows::calls::relay::Counts;

    #[test]
    fn a_row_has_totals_and_names() {
        let counts = |close, open| {
            Counts::from([("NtClose".to_owned(), close), ("NtOpenFile".to_owned(), open)])
        };
        let (directories, files) = (counts(128 + 65, 128 + 96), counts(128, 128));
        let measured = Measured { directories, files, counted: None };
        let wanted = "| x | 2 | NtClose, NtOpenFile | 2.5 | NtClose, 1.5 NtOpenFile |";
        assert_eq!(row("x", &measured), wanted);
    }

    #[test]
    fn every_rival_has_its_folder() {
        for rival in REMOVERS.iter().chain(STARTERS) {
            let folder = host::checkout().join(rivals::FOLDER).join(rival.folder);
            assert!(folder.is_dir(), "{}", rival.folder);
        }
    }
}
