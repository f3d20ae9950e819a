//! The operation `run`: programs started one after the other, each waited for.
//!
//! A contender is a program that makes the starts; what it takes to start itself is shared by all of them. It is
//! told a shape, a number and a folder, and writes how many starts went as they should. The folder's
//! directories are the entries of `PATH`; what is found lies in `/bin`, among them.

use super::answer::Question;
use super::contender::{Contender, Found, built_rivals};
use super::operation::{Operation, Scenario};
use super::tree::{Content, Tree};
use crate::exit::Exit;
use curt::{Command, Search};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The table of starts.
pub(crate) static OPERATION: Operation = Operation {
    name: "run",
    title: "curt::Command: starting programs and waiting for them",
    reference: "posix_spawn",
    scenarios: &[
        scenario("start-path-100", 100, (1, 0)),
        scenario("start-path-1000", 1000, (1, 0)),
        scenario("start-large-100", 100, (1, 0)),
        scenario("start-far-100", 100, (1, 0)),
        scenario("start-far-1000", 1000, (0, 0)),
        scenario("start-near-100", 100, (0, 0)),
        scenario("start-near-1000", 1000, (0, 0)),
        scenario("start-nowhere-100", 100, (0, 0)),
        scenario("start-nowhere-1000", 1000, (0, 0)),
        scenario("start-session-100", 100, (0, 0)),
        scenario("start-session-1000", 1000, (0, 0)),
    ],
    contenders,
    describe: |tree| format!("{} directories in PATH", tree.directories().saturating_sub(1)),
    notes: &[
        "path: /bin/true by its path. large: the same with 1 GiB of memory in use. far: 'true' found in entry",
        "197 of 211 of PATH. near: PATH is that one entry. nowhere: a name that is in none. session: far, and curt",
        "keeps the directories open. vfork is the bare call with nothing around it: the floor.",
        "Calls are divided by the entries of the folder, and so tell nothing here: see crates/curt-cli/tests/calls/run.snap.",
    ],
};

/// The entry of `PATH` that holds what is found, counted from 0.
const PLACE: usize = 196;
const ENTRIES: u32 = 210;
const LARGE: usize = 1 << 30;

const fn scenario(name: &'static str, starts: u64, quick: (u32, u32)) -> Scenario {
    Scenario {
        name,
        make: |_| Tree::small_directories(ENTRIES, Content::Empty),
        shape: "path-211",
        question: Question::Starts(starts),
        quick,
        counts_whole: true,
    }
}

/// Rivals that are built: by name, and how to get them.
const RIVALS: [(&str, &str); 5] = [
    ("posix_spawn", "cargo xtask rivals start-c"),
    ("vfork", "cargo xtask rivals start-c"),
    ("libuv", "cargo xtask rivals start-c, with libuv's header"),
    ("python", "cargo xtask rivals start-python"),
    ("go", "cargo xtask rivals start-go"),
];
const MORE_RIVALS: [(&str, &str); 1] = [("node", "cargo xtask rivals start-node")];

fn contenders(scenario: &Scenario, program: &Path) -> Found {
    let mut found = Found::default();
    let (shape, count) = parts(scenario.name);
    let starts = format!("{shape}:{count}");
    for (name, role) in [("curt", "list"), ("std", "std")] {
        let words = ["bench", "--role", role, "--starts", &starts, "--"];
        found.add(Contender::new(name, program, &words));
    }
    let built = built_rivals("start");
    for (name, how) in RIVALS.iter().chain(&MORE_RIVALS) {
        match built.iter().find(|(known, _)| known == name) {
            Some((_, program)) => found.add(Contender::new(name, program, &[shape, count])),
            None => found.miss(name, *how),
        }
    }
    found
}

/// The shape and the number in a scenario's name.
fn parts(name: &str) -> (&str, &str) {
    let rest = name.strip_prefix("start-").unwrap_or(name);
    rest.split_once('-').unwrap_or((rest, "1"))
}

/// Makes the starts, by curt or by the standard library, and writes how many went as they should.
pub(super) fn play(starts: &str, by_std: bool, folder: &Path) -> io::Result<Exit> {
    let (shape, count) = starts.split_once(':').unwrap_or((starts, "1"));
    let count: u64 = count.parse().map_err(io::Error::other)?;
    let _resident = (shape == "large").then(|| vec![1_u8; LARGE]);
    let path = std::env::join_paths(path(shape, folder)?).map_err(io::Error::other)?;
    let name = match shape {
        "path" | "large" => "/bin/true",
        "nowhere" => "curt-no-such-program",
        _ => "true",
    };
    let mut went_well = 0;
    let mut ask = |start: &mut dyn FnMut() -> bool| {
        for _ in 0..count {
            went_well += u64::from(start() == (shape != "nowhere"));
        }
    };
    if by_std {
        let mut command = std::process::Command::new(name);
        command.env("PATH", &path);
        ask(&mut || command.status().is_ok_and(|status| status.success()));
    } else if shape == "session" {
        let command = Command::new(name);
        let mut session = Search::new().path(&path).session();
        ask(&mut || command.status_by(&mut session).is_ok_and(|status| status.success()));
    } else {
        let mut command = Command::new(name);
        command.env("PATH", &path);
        ask(&mut || command.status().is_ok_and(|status| status.success()));
    }
    writeln!(io::stdout().lock(), "{went_well}")?;
    Ok(Exit::SUCCESS)
}

/// The directories of `PATH`.
fn path(shape: &str, folder: &Path) -> io::Result<Vec<PathBuf>> {
    if shape == "near" {
        return Ok(vec!["/bin".into()]);
    }
    let mut directories: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            directories.push(entry.path());
        }
    }
    directories.sort();
    if shape != "nowhere" {
        directories.insert(PLACE.min(directories.len()), "/bin".into());
    }
    Ok(directories)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_shape_and_the_number() {
        assert_eq!(parts("start-far-1000"), ("far", "1000"));
        for scenario in OPERATION.scenarios {
            let (_, count) = parts(scenario.name);
            assert_eq!(scenario.question, Question::Starts(count.parse().unwrap()));
        }
    }

    #[test]
    fn everybody_takes_part_or_is_named() {
        for scenario in OPERATION.scenarios {
            let found = contenders(scenario, Path::new("/bin/curt"));
            assert!(found.knows("curt") && found.knows("std") && found.knows(OPERATION.reference));
            assert_eq!(found.contenders.len() + found.missing.len(), 8);
        }
    }
}
