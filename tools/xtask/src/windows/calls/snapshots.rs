//! The budgets of `curt.exe`, kept as snapshots beside those by strace.
//!
//! A change that alters one runs with `CURT_UPDATE_SNAPSHOTS=1` and gives its reason.

use super::relay::Counts;
use super::{Contender, Measured, lookups, measure, paths, relay};
use crate::host::{self, Failure, Outcome};
use crate::say;
use crate::windows::Windows;
use std::{env, fs};

/// Where the snapshots are.
const FOLDER: &str = "crates/curt-cli/tests/calls/windows";

/// Each command with the name of its snapshot.
const COMMANDS: &[(&str, &[&str])] = &[
    ("rm-one-thread", &["rm", "-r", "-j1", "{}"]),
    ("rm-whole-listing", &["rm", "-r", "-j1", "--without", "short-listing", "{}"]),
];

/// Compares what is measured with the snapshots, and with what curt counts itself.
pub(super) fn check(windows: &Windows) -> Outcome {
    let curt = windows.curt()?;
    let contenders = COMMANDS.iter().map(|(_, arguments)| {
        Contender::new(curt.clone(), &[*arguments, &["--stats", "--json"]].concat())
    });
    let contenders: Vec<Contender> = contenders.collect();
    let mut wrong = Vec::new();
    for ((name, arguments), measured) in COMMANDS.iter().zip(measure(windows, &contenders)?) {
        let verdict = measured.and_then(|measured| {
            let head = format!("curt {}", arguments.join(" ").replace(super::TREE, super::NAME));
            compare(name, &format!("{head}\n\n{}{}\n", measured.text(), own(&measured)?))
        });
        match verdict {
            Ok(()) => say::out(format_args!("native-calls: {name} ok")),
            Err(reason) => wrong.push(format!("{name}: {reason}")),
        }
    }
    wrong.extend(lookups::check(windows, &curt)?);
    wrong.extend(paths::check(windows, &curt)?);
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("native calls:\n{}", wrong.join("\n"))))
}

/// How what curt counts itself compares with what Wine saw.
fn own(measured: &Measured) -> Result<&'static str, String> {
    let Some([directories, files]) = &measured.counted else {
        return Err("curt did not print its own counts".to_owned());
    };
    if directories.is_empty() && files.is_empty() {
        return Ok("of these, curt itself counts none");
    }
    for (seen, counted) in [(&measured.directories, directories), (&measured.files, files)] {
        own_counts(seen, Some(counted))?;
    }
    Ok("curt itself counts the same")
}

/// Whether curt counted itself what was seen.
pub(super) fn own_counts(seen: &Counts, counted: Option<&Counts>) -> Result<(), String> {
    let counted = counted.ok_or("curt did not print its own counts")?;
    let beside = relay::difference(seen, counted);
    if beside.is_empty() {
        return Ok(());
    }
    Err(format!("seen but not counted by curt itself: {beside:?}"))
}

/// Compares a text with its snapshot, or writes it where that is asked for.
pub(super) fn compare(name: &str, text: &str) -> Result<(), String> {
    let path = host::checkout().join(FOLDER).join(name).with_extension("snap");
    if env::var_os("CURT_UPDATE_SNAPSHOTS").is_some() {
        let written = fs::create_dir_all(host::checkout().join(FOLDER));
        return written.and_then(|()| fs::write(&path, text)).map_err(|error| error.to_string());
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    if known == text {
        return Ok(());
    }
    Err(format!("{} is not what was measured:\n{text}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(close: i64) -> Counts {
        Counts::from([("NtClose".to_owned(), close)])
    }

    fn judged(counted: Option<[Counts; 2]>) -> Result<&'static str, String> {
        own(&Measured { directories: counts(5), files: counts(2), counted })
    }

    #[test]
    fn own_counts_must_be_the_same_once_there_are_any() {
        assert_eq!(judged(Some([counts(5), counts(2)])), Ok("curt itself counts the same"));
        let none = [Counts::new(), Counts::new()];
        assert_eq!(judged(Some(none)), Ok("of these, curt itself counts none"));
        assert!(judged(Some([counts(5), counts(1)])).is_err());
        assert!(judged(None).is_err());
    }
}
