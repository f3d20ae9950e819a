//! The same counts for other people's removal code.
//!
//! The programs under `rivals/` that can be built for Windows here, and Wine's own `rmdir`. One
//! that cannot be built, or does not do its work, is named with the reason.

use super::{Contender, Measured, TREE, measure};
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

/// Each rival: what it is in the table, its folder, its program, and how it is built.
const RIVALS: &[(&str, &str, &str, Way)] = &[
    ("Rust std", "rust-std", "rm-rust-std", Way::Cargo),
    ("`remove_dir_all` 1.0.0", "remove-dir-all", "rm-remove-dir-all", Way::Cargo),
    ("Go", "go", "rm-go", GO),
    ("Zig 0.9.1", "zig-0.9", "rm-zig-0.9", ZIG),
    ("Zig 0.11.0", "zig-0.11", "rm-zig-0.11", ZIG),
    ("Zig 0.17.0", "zig-new", "rm-zig-new", ZIG),
];

/// Prints the table, in Markdown.
pub(super) fn table(windows: &Windows) -> Outcome {
    let mut contenders = vec![Contender::new(windows.curt()?, &["rm", "-r", "-j1", TREE])];
    let mut names = vec!["curt, `-j1`"];
    let mut absent = Vec::new();
    for (name, folder, program, way) in RIVALS {
        say::err(format_args!("native-calls: building {folder}"));
        match build(windows, folder, program, way) {
            Ok(path) => {
                names.push(name);
                contenders.push(Contender::new(path, &[TREE]));
            }
            Err(reason) => absent.push(format!("not built: {name}: {reason}")),
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
    let total = |calls: &[(String, f64)]| {
        // Of what is shown: noise does not add up.
        number(calls.iter().map(|(_, count)| (count * 10.0).round() / 10.0).sum())
    };
    let listed = |calls: &[(String, f64)]| {
        let words = calls.iter().filter_map(|(name, count)| match number(*count).as_str() {
            "0" | "-0" => None,
            "1" => Some(name.clone()),
            count => Some(format!("{count} {name}")),
        });
        words.collect::<Vec<String>>().join(", ")
    };
    format!(
        "| {name} | {} | {} | {} | {} |",
        total(&file),
        listed(&file),
        total(&directory),
        listed(&directory)
    )
}

/// A number with one decimal, if it needs it: a longer listing takes a call more now and then, and
/// so do the threads of a runtime.
fn number(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Builds a rival; where its program is, as Wine finds it.
fn build(windows: &Windows, folder: &str, program: &str, way: &Way) -> Result<PathBuf, String> {
    let out = format!("rivals/{folder}");
    let exe = format!("{out}/{program}.exe");
    match way {
        Way::Cargo => {
            let manifest = format!("rivals/{folder}/Cargo.toml");
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
        for (_, folder, _, _) in RIVALS {
            assert!(host::checkout().join("rivals").join(folder).is_dir(), "{folder}");
        }
    }
}
