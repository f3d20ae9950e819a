//! The operation `run`: programs started one after the other, each waited for.
//!
//! A contender is a program that makes the starts; what it takes to start itself is shared by all
//! of them. It is told a shape, a number and a folder, and writes how many starts went as they
//! should. The folder's directories, in order, are the entries of `PATH`; the 197th holds the
//! program.

use super::answer::Question;
use super::contender::{Contender, Found, built_rivals};
use super::operation::{Operation, Scenario};
use super::programs::Programs;
use super::tree::{Content, Tree};
use crate::exit::Exit;
use curt::{Command, Search};
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The table of starts.
pub(crate) static OPERATION: Operation = Operation {
    name: "run",
    title: "curt::Command: starting programs and waiting for them",
    reference: "posix_spawn",
    scenarios: &[
        scenario("start-path-100", 100, (1, 0)),
        scenario("start-path-1000", 1000, (0, 0)),
        scenario("start-large-100", 100, (1, 0)),
        scenario("start-large-1000", 1000, (0, 0)),
        scenario("start-far-100", 100, (1, 0)),
        scenario("start-far-1000", 1000, (0, 0)),
        scenario("start-near-100", 100, (1, 0)),
        scenario("start-near-1000", 1000, (0, 0)),
        scenario("start-nowhere-100", 100, (1, 0)),
        scenario("start-nowhere-1000", 1000, (0, 0)),
        scenario("start-session-100", 100, (1, 0)),
        scenario("start-session-1000", 1000, (0, 0)),
        scenario("start-linked-100", 100, (1, 0)),
        scenario("start-linked-1000", 1000, (0, 0)),
    ],
    contenders,
    describe: |tree| format!("{} directories in PATH", tree.directories().saturating_sub(1)),
    notes: &[
        "path: 'hello', which ends at once and is linked with nothing, by its path. large: the same with 1 GiB of",
        "memory in use, filling it included: what starts take is the difference between 1,000 and 100 of them.",
        "far: found in entry 197 of 211 of PATH. near: PATH is that one entry. nowhere: a name that is in none.",
        "session: far, and curt keeps the directories open. linked: /bin/true, with its libraries.",
        "vfork is the bare call with nothing around it: the floor of one start. It and fork search by execvp.",
        "Each process sets PATH for itself before the first start; std and curt give it to each program.",
        "Where the folder is mounted noexec, 'hello' is a link to /bin/true.",
        "Calls are divided by the entries of the folder, and so tell nothing here: see crates/curt-cli/tests/calls/run.snap.",
    ],
};

/// The entry of `PATH` that holds what is found, counted from 0.
const PLACE: usize = 196;
const ENTRIES: u32 = 211;
const LARGE: usize = 1 << 30;

const fn scenario(name: &'static str, starts: u64, quick: (u32, u32)) -> Scenario {
    Scenario {
        name,
        make: |_| Tree::small_directories(ENTRIES, Content::Empty).with_program(PLACE),
        shape: "path-211",
        question: Question::Starts(starts),
        quick,
        counted: u64::MAX,
    }
}

/// Rivals that are built: by name, and how to get them.
const RIVALS: [(&str, &str); 10] = [
    ("posix_spawn", "cargo xtask rivals start-c"),
    ("vfork", "cargo xtask rivals start-c"),
    ("fork", "cargo xtask rivals start-c"),
    ("libuv", "needs libuv's header (libuv1-dev), then cargo xtask rivals start-c"),
    ("go", "cargo xtask rivals start-go"),
    ("python", "cargo xtask rivals start-python"),
    ("node", "cargo xtask rivals start-node"),
    ("zig-0.9", "cargo xtask rivals start-zig-0.9"),
    ("zig-0.11", "cargo xtask rivals start-zig-0.11"),
    ("zig", "cargo xtask rivals start-zig"),
];

/// Those that a short run has no time for.
const SLOW: [&str; 4] = ["fork", "node", "zig-0.9", "zig-0.11"];

fn contenders(scenario: &Scenario, programs: &Programs) -> Found {
    let mut found = Found::default();
    let (shape, count) = parts(scenario.name);
    let starts = format!("{shape}:{count}");
    for (name, role) in [("curt", "list"), ("std", "std")] {
        let words = ["--role", role, "--starts", &starts, "--"];
        found.add(Contender::new(name, &programs.own, &words));
    }
    let built = built_rivals("start");
    for (name, how) in RIVALS {
        let Some((_, program)) = built.iter().find(|(known, _)| known == name) else {
            found.miss(name, how);
            continue;
        };
        let contender = Contender::new(name, program, &[shape, count]);
        found.add(if SLOW.contains(&name) { contender.only_full() } else { contender });
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
    let directories = directories(folder)?;
    let Some(place) = directories.get(PLACE) else {
        // An empty folder has nothing to be started.
        writeln!(io::stdout().lock(), "0")?;
        return Ok(Exit::Success);
    };
    let _resident = (shape == "large").then(|| vec![1_u8; LARGE]);
    let entries = if shape == "near" { std::slice::from_ref(place) } else { &directories[..] };
    let path = std::env::join_paths(entries).map_err(io::Error::other)?;
    let hello = place.join(super::hello::NAME);
    let name = match shape {
        "path" | "large" => hello.as_os_str(),
        "linked" => OsStr::new("/bin/true"),
        "nowhere" => OsStr::new("curt-no-such-program"),
        _ => OsStr::new(super::hello::NAME),
    };
    let is_searched = !Path::new(name).is_absolute();
    let mut went_well = 0;
    let mut ask = |start: &mut dyn FnMut() -> bool| {
        for _ in 0..count {
            went_well += u64::from(start() == (shape != "nowhere"));
        }
    };
    if by_std {
        let mut command = std::process::Command::new(name);
        if is_searched {
            command.env("PATH", &path);
        }
        ask(&mut || command.status().is_ok_and(|status| status.success()));
    } else if shape == "session" {
        let command = Command::new(name);
        let session = Search::new().path(&path).session();
        ask(&mut || command.status_by(&session).is_ok_and(|status| status.success()));
    } else {
        let mut command = Command::new(name);
        if is_searched {
            command.env("PATH", &path);
        }
        ask(&mut || command.status().is_ok_and(|status| status.success()));
    }
    writeln!(io::stdout().lock(), "{went_well}")?;
    Ok(Exit::Success)
}

/// The directories in the folder, in the order of their names.
fn directories(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut directories: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            directories.push(entry.path());
        }
    }
    directories.sort();
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
            let found = contenders(scenario, &crate::programs::tests::some());
            assert!(found.knows("curt") && found.knows("std") && found.knows(OPERATION.reference));
            assert_eq!(found.contenders.len() + found.missing.len(), 12);
        }
    }
}
