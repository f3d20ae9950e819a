//! Counts the ntdll calls of `curt.exe` per file, directory, name or path.
//!
//! Each row is a slope: the difference between a small and a larger input, which cancels the
//! startup of the program and of Wine. Only calls to ntdll's file functions from other modules
//! count. A kernel32 function counts as Wine implements it, which may differ from Windows.

mod commands;
mod relay;

use super::Windows;
use crate::host::{self, Failure, Outcome};
use crate::say;
use relay::Counts;
use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

const FOLDER: &str = "crates/curt-cli/tests/calls/windows";

const PLACE: &str = "calls";

const TREE: (&str, &str) = ("{}", "tree");

type Tree = (usize, usize);

struct Run {
    arguments: Vec<String>,
    tree: Option<Tree>,
    status: &'static str,
}

struct Row {
    what: String,
    more: usize,
    runs: [Run; 2],
    counts_itself: bool,
}

struct Snapshot {
    name: &'static str,
    title: String,
    rows: Vec<Row>,
}

/// `--check` compares the snapshots with new counts. Otherwise counts and prints the calls of a
/// command; `{}` in it is a tree to remove.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (snapshots, is_check) = match arguments {
        [check, names @ ..] if check == "--check" => {
            let mut all = commands::snapshots();
            if let Some(name) = names.iter().find(|name| !all.iter().any(|one| one.name == **name))
            {
                return Err(Failure::usage(format!("no snapshot is called '{name}'")));
            }
            all.retain(|snapshot| {
                names.is_empty() || names.iter().any(|name| name == snapshot.name)
            });
            (all, true)
        }
        _ => {
            let command = host::after_dashes(arguments);
            if !command.iter().any(|word| word.contains(TREE.0)) {
                let text =
                    "native-calls -- ARGUMENTS…, with {} for the tree to be removed; or --check";
                return Err(Failure::usage(text));
            }
            (vec![commands::removal("", command)], false)
        }
    };
    let windows = Windows::ready()?;
    let mut wrong = Vec::new();
    for (snapshot, text) in snapshots.iter().zip(count(&windows, &snapshots)?) {
        let verdict = match text {
            Ok(text) if is_check => compare(snapshot.name, &text),
            Ok(text) => {
                say::out(text);
                continue;
            }
            Err(reason) => Err(reason),
        };
        match verdict {
            Ok(()) => say::out(format_args!("native-calls: {} ok", snapshot.name)),
            Err(reason) => wrong.push(format!("{}: {reason}", snapshot.name)),
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("native calls:\n{}", wrong.join("\n"))))
}

/// Returns the path of the counting script inside the root, and the script that must run before it.
pub(super) fn counter(windows: &Windows) -> Result<(PathBuf, String), Failure> {
    fs::write(windows.outside("native-calls"), relay::COUNT)?;
    Ok((windows.inside("native-calls"), relay::set_up(&windows.inside("runner"))))
}

fn count(
    windows: &Windows,
    snapshots: &[Snapshot],
) -> Result<Vec<Result<String, String>>, Failure> {
    let curt = windows.curt()?;
    let (texts, fell_over) = count_once(windows, &curt, snapshots)?;
    if !fell_over {
        return Ok(texts);
    }
    say::err("native-calls: Wine itself fell over; all of it once again");
    Ok(count_once(windows, &curt, snapshots)?.0)
}

#[allow(clippy::type_complexity, reason = "a pair that is taken apart at once")]
fn count_once(
    windows: &Windows,
    curt: &Path,
    snapshots: &[Snapshot],
) -> Result<(Vec<Result<String, String>>, bool), Failure> {
    // Start Wine first: it creates drive C:, where the directory is made.
    host::check(&mut windows.session(&["true"]))?;
    let place = Windows::on_drive_c(PLACE);
    let outside = windows.outside(&place);
    if outside.exists() {
        fs::remove_dir_all(&outside)?;
    }
    fs::create_dir_all(&outside)?;
    commands::plant(&outside)?;
    fs::create_dir_all(outside.join("last/000"))?;
    let below = curt.strip_prefix(windows.inside("")).unwrap_or(curt);
    fs::copy(windows.outside(&below.to_string_lossy()), outside.join("last/000/program.exe"))?;
    let runs: Vec<&Run> =
        snapshots.iter().flat_map(|one| &one.rows).flat_map(|row| &row.runs).collect();
    let mut script = relay::set_up(&windows.inside("runner")) + relay::RUN;
    for (number, run) in runs.iter().enumerate() {
        let folder = outside.join(number.to_string());
        fs::create_dir_all(&folder)?;
        if let Some(tree) = run.tree {
            plant(&folder.join(TREE.1), tree)?;
        }
        let folder = windows.inside(&format!("{place}/{number}"));
        let words = [folder.to_string_lossy(), curt.to_string_lossy()].map(Cow::into_owned);
        let words = words.iter().chain(&run.arguments).map(|word| quoted(word));
        let _ = writeln!(script, "run {}", words.collect::<Vec<_>>().join(" "));
    }
    host::check(&mut windows.session(&["sh", "-euc", &script]))?;
    let folder = |number: usize| outside.join(number.to_string());
    let fell_over =
        (0..runs.len()).any(|number| relay::fell_over(&relay::left_by(&folder(number))[1]));
    let mut numbers = 0..runs.len();
    let texts = snapshots.iter().map(|snapshot| {
        let seen = snapshot.rows.iter().flat_map(|row| &row.runs).zip(numbers.by_ref());
        let seen: Vec<_> = seen.map(|(run, number)| read(run, &folder(number))).collect();
        text(snapshot, &seen)
    });
    let texts = texts.collect();
    Ok((texts, fell_over))
}

fn plant(tree: &Path, (directories, files): Tree) -> Outcome {
    for directory in 0..directories {
        let folder = tree.join(format!("d{directory:03}"));
        fs::create_dir_all(&folder)?;
        for file in 0..files {
            fs::write(folder.join(format!("f{file}")), "")?;
        }
    }
    Ok(())
}

struct Seen {
    calls: Counts,
    counted: Option<Counts>,
}

fn read(run: &Run, folder: &Path) -> Result<Seen, String> {
    let [status, log] = relay::left_by(folder);
    if status.trim() != run.status {
        return Err(format!("ended with status {}: {}", status.trim(), relay::complaint(&log)));
    }
    if folder.join(TREE.1).exists() {
        return Err("the tree is still there".to_owned());
    }
    Ok(Seen { calls: relay::count(&log), counted: relay::counted_itself(&log) })
}

fn text(snapshot: &Snapshot, seen: &[Result<Seen, String>]) -> Result<String, String> {
    let mut text = format!("{}\n\n", snapshot.title);
    for (row, pair) in snapshot.rows.iter().zip(seen.chunks(2)) {
        let [Ok(less), Ok(more)] = pair else {
            let reasons = pair.iter().filter_map(|seen| seen.as_ref().err());
            return Err(format!(
                "{}: {}",
                row.what,
                reasons.cloned().collect::<Vec<_>>().join("; ")
            ));
        };
        let _ = writeln!(text, "{} {}", row.more, row.what);
        let calls = relay::difference(&more.calls, &less.calls);
        for (call, count) in &calls {
            let _ = writeln!(text, "    {call:<28} {count:>5} for {}", row.more);
        }
        if row.counts_itself {
            let counted = less.counted.as_ref().zip(more.counted.as_ref());
            let (less, more) = counted.ok_or("curt did not print its own counts")?;
            let beside = relay::difference(&calls, &relay::difference(more, less));
            if !beside.is_empty() {
                return Err(format!("{}: not counted by curt itself: {beside:?}", row.what));
            }
        }
    }
    if snapshot.rows.iter().all(|row| row.counts_itself) {
        text.push_str("curt itself counts the same\n");
    }
    Ok(text)
}

fn compare(name: &str, text: &str) -> Result<(), String> {
    let path = host::checkout().join(FOLDER).join(name).with_extension("snap");
    if env::var_os("CURT_UPDATE_SNAPSHOTS").is_some() {
        return fs::write(&path, text).map_err(|error| error.to_string());
    }
    if fs::read_to_string(&path).unwrap_or_default() == text {
        return Ok(());
    }
    Err(format!("{} is not what was measured:\n{text}", path.display()))
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(open: i64) -> Seen {
        let counts: Counts = [("NtOpenFile".to_owned(), open)].into();
        Seen { calls: counts.clone(), counted: Some(counts) }
    }

    #[test]
    fn a_snapshot_tells_each_row() {
        let snapshot = commands::removal("x", &["rm".to_owned(), TREE.0.to_owned()]);
        let told = text(&snapshot, &[10, 106, 1, 1].map(|open| Ok(seen(open)))).unwrap();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "curt rm tree");
        assert_eq!(lines[3], format!("    {:<28} {:>5} for 64", "NtOpenFile", 96));
        assert_eq!(lines.last(), Some(&"curt itself counts the same"));
        let failed = text(&snapshot, &[Ok(seen(10)), Err("why".to_owned())]);
        assert!(failed.unwrap_err().ends_with(": why"));
    }

    #[test]
    fn words_are_quoted() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
