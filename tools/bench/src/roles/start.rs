//! Programs started one after the other, each waited for.
//!
//! A contender is a program that makes the starts; its own start is part of the time for all of
//! them. It is given a shape, a number and a folder, and writes how many starts went as they
//! should. The folder's directories, in order, are the entries of `PATH`; the 197th holds the
//! program.
//!
//! | shape | what is started |
//! |---|---|
//! | `path` | `hello`, which ends at once and is linked with nothing, by its path |
//! | `large` | the same by a process that has 1 GiB of memory in use |
//! | `far` | by its name, found in entry 197 of 211 |
//! | `near` | by its name, `PATH` being that one entry |
//! | `nowhere` | a name that is not found |
//! | `session` | far; curt keeps the directories open |
//! | `linked` | `/bin/true`, with its libraries |

use crate::tree::PROGRAM;
use curt::{Command, Search};
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The entry of `PATH` that holds what is found, counted from 0.
pub(crate) const PLACE: usize = 196;
/// The number of entries of `PATH`.
pub(crate) const ENTRIES: u32 = 211;
/// The memory that a large process has in use.
const LARGE: usize = 1 << 30;

/// Makes the starts, by curt or by the standard library, and writes how many went as they should.
pub(super) fn play(by_std: bool, shape: &str, count: u64, folder: &Path) -> io::Result<()> {
    let directories = directories(folder)?;
    let Some(place) = directories.get(PLACE) else {
        // An empty folder has nothing to be started.
        return writeln!(io::stdout().lock(), "0");
    };
    let _resident = (shape == "large").then(|| vec![1_u8; LARGE]);
    let entries = if shape == "near" { std::slice::from_ref(place) } else { &directories[..] };
    let path = std::env::join_paths(entries).map_err(io::Error::other)?;
    let hello = place.join(PROGRAM);
    let name = match shape {
        "path" | "large" => hello.as_os_str(),
        "linked" => OsStr::new("/bin/true"),
        "nowhere" => OsStr::new("curt-no-such-program"),
        _ => OsStr::new(PROGRAM),
    };
    let is_searched = !Path::new(name).is_absolute();
    let mut went_well = 0;
    let mut ask = |start: &mut dyn FnMut() -> bool| {
        for _ in 0..count {
            went_well += u64::from(start() == (shape != "nowhere"));
        }
    };
    let searched = is_searched.then_some(("PATH", &path));
    if by_std {
        let mut command = std::process::Command::new(name);
        command.envs(searched);
        ask(&mut || command.status().is_ok_and(|status| status.success()));
    } else if shape == "session" {
        let command = Command::new(name);
        let session = Search::new().path(&path).session();
        ask(&mut || command.status_by(&session).is_ok_and(|status| status.success()));
    } else {
        let mut command = Command::new(name);
        command.envs(searched);
        ask(&mut || command.status().is_ok_and(|status| status.success()));
    }
    writeln!(io::stdout().lock(), "{went_well}")
}

/// The directories in the folder, in the order of their names.
pub(crate) fn directories(folder: &Path) -> io::Result<Vec<PathBuf>> {
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
