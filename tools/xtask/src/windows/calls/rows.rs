//! Rows of calls that a command makes more where it is given more of something: names, directories,
//! paths.
//!
//! Only the calls of the command's own process count, not those of what it starts.

use super::relay::{self, Counts};
use super::snapshots::{compare, own_counts};
use super::{quoted, repeated};
use crate::host::{self, Failure};
use crate::say;
use crate::windows::Windows;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// How many of it the two commands of a row are given.
pub(super) const SIZES: [usize; 2] = [32, 64];
/// What the second has more.
const MORE: i64 = 32;

/// One run of a command.
pub(super) struct Run {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    /// What its `PATH` begins with.
    pub(super) path: Vec<String>,
    /// How it ends.
    pub(super) status: &'static str,
}

/// What was seen of a run, and what the command counted itself.
pub(super) struct Seen {
    pub(super) calls: Counts,
    pub(super) counted: Option<Counts>,
}

/// A row of a snapshot: what there are 32 more of, and the two commands.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) runs: [Run; 2],
    pub(super) counts_itself: bool,
}

/// Compares rows with the snapshot of a command; what is wrong. The runs take place in a folder on
/// drive C:.
pub(super) fn check(
    windows: &Windows,
    place: &str,
    name: &str,
    rows: Vec<Row>,
) -> Result<Option<String>, Failure> {
    let (heads, runs): (Vec<_>, Vec<_>) =
        rows.into_iter().map(|row| ((row.what, row.counts_itself), row.runs)).unzip();
    let runs: Vec<Run> = runs.into_iter().flatten().collect();
    let seen = run_all(windows, place, &runs)?;
    match snapshot(name, &heads, &seen).and_then(|text| compare(name, &text)) {
        Ok(()) => {
            say::out(format_args!("native-calls: {name} ok"));
            Ok(None)
        }
        Err(reason) => Ok(Some(format!("{name}: {reason}"))),
    }
}

/// The text of a snapshot; the error is what went wrong in a run.
fn snapshot(
    name: &str,
    heads: &[(String, bool)],
    seen: &[Result<Seen, String>],
) -> Result<String, String> {
    let mut text = format!("curt {name}\n\n");
    for ((what, counts_itself), pair) in heads.iter().zip(seen.chunks(2)) {
        let [Ok(less), Ok(more)] = pair else {
            let reasons = pair.iter().filter_map(|seen| seen.as_ref().err());
            return Err(format!("{what}: {}", reasons.cloned().collect::<Vec<_>>().join("; ")));
        };
        // Writing into memory cannot fail.
        let _ = writeln!(text, "{MORE} {what}");
        let calls = relay::difference(&more.calls, &less.calls);
        for (call, count) in &calls {
            let _ = writeln!(text, "    {call:<28} {count:>5} for {MORE}");
        }
        if *counts_itself {
            let counted = less.counted.as_ref().zip(more.counted.as_ref());
            let counted = counted.map(|(less, more)| relay::difference(more, less));
            own_counts(&calls, counted.as_ref()).map_err(|reason| format!("{what}: {reason}"))?;
        }
    }
    if heads.iter().all(|(_, counts_itself)| *counts_itself) {
        text.push_str("curt itself counts the same\n");
    }
    Ok(text)
}

/// Makes an empty folder on drive C:, for what the runs need.
pub(super) fn clear(windows: &Windows, place: &str) -> Result<PathBuf, Failure> {
    host::check(&mut windows.session(&["true"])?)?;
    let place = windows.outside(&Windows::on_drive_c(place));
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    Ok(place)
}

/// Runs all of them, with one Wine server.
pub(super) fn run_all(
    windows: &Windows,
    place: &str,
    runs: &[Run],
) -> Result<Vec<Result<Seen, String>>, Failure> {
    repeated(|| run_once(windows, place, runs))
}

/// The same; and whether Wine itself fell over.
#[allow(clippy::type_complexity, reason = "the pair that `repeated` takes")]
fn run_once(
    windows: &Windows,
    place: &str,
    runs: &[Run],
) -> Result<(Vec<Result<Seen, String>>, bool), Failure> {
    let place = Windows::on_drive_c(&format!("{place}/runs"));
    let mut script = relay::script(&windows.inside("runner"));
    for (number, run) in runs.iter().enumerate() {
        let folder = format!("{place}/{number}");
        fs::create_dir_all(windows.outside(&folder))?;
        let mut words = vec![run.program.to_string_lossy().into_owned()];
        words.extend(run.arguments.iter().cloned());
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let path = quoted(&run.path.join(";"));
        let folder = quoted(&windows.inside(&folder).to_string_lossy());
        let _ = writeln!(script, "export WINEPATH={path}\nrun {folder} {}", words.join(" "));
    }
    host::check(&mut windows.session(&["sh", "-euc", &script])?)?;
    let mut fell_over = false;
    let seen = runs.iter().enumerate().map(|(number, run)| {
        let folder = windows.outside(&format!("{place}/{number}"));
        let [status, log, out] = relay::left_by(&folder);
        fell_over |= relay::fell_over(&log);
        if status.trim() != run.status {
            let said = relay::complaint(&log);
            return Err(format!("ended with status {}: {said}", status.trim()));
        }
        Ok(Seen { calls: relay::count_first(&log), counted: relay::counted_itself(&out) })
    });
    let seen = seen.collect();
    Ok((seen, fell_over))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn counts(open: i64, other: i64) -> Counts {
        let pairs = [("NtOpenFile", open), ("NtCreateUserProcess", other)];
        pairs.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    }

    #[test]
    fn a_snapshot_tells_each_row() {
        let seen = |open| Seen { calls: counts(open, 1), counted: Some(counts(open, 1)) };
        let heads = [("directories more".to_owned(), true)];
        let text = snapshot("which", &heads, &[Ok(seen(10)), Ok(seen(106))]).unwrap();
        let line = format!("    {:<28} {:>5} for 32", "NtOpenFile", 96);
        assert_eq!(text.lines().nth(3), Some(line.as_str()));
        let failed = snapshot("which", &heads, &[Ok(seen(10)), Err("why".to_owned())]);
        assert_eq!(failed, Err("directories more: why".to_owned()));
    }
}
