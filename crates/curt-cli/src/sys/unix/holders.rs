//! What holds a file that the system calls busy, from `/proc`, where there is one.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::mounts::is_swap;
use super::read_file;

/// How many processes are named.
const MOST_NAMED: usize = 3;
/// The longest text of a process that is read.
const LONGEST_NAME: usize = 4096;

/// Returns what holds a file that could not be removed, if the error may mean that it is held.
/// Reads the links of all open files that this user may see: for a failure only.
pub(crate) fn holders(path: &Path, error: &io::Error) -> Option<String> {
    match Errno::from_io_error(error)? {
        Errno::BUSY | Errno::TXTBSY => processes(&full_path(path)?, std::process::id()),
        // What the system answers for a file that it swaps to.
        Errno::PERM => is_swap(&full_path(path)?).then(|| "in use as swap space".to_owned()),
        _ => None,
    }
}

/// Returns the path as the kernel names it. The file itself may be a link.
fn full_path(path: &Path) -> Option<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = curt::fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
    Some(parent.join(path.file_name()?))
}

/// Names the processes that have a file open or are run from it, without one: this process may have
/// it open itself, to remove it.
fn processes(path: &Path, except: u32) -> Option<String> {
    let except = except.to_string();
    let is_other = |name: &[u8]| name.iter().all(u8::is_ascii_digit) && name != except.as_bytes();
    let all = curt::fs::read_dir("/proc").ok()?.flatten();
    let holding =
        all.filter(|entry| is_other(entry.file_name().as_bytes()) && has_open(&entry.path(), path));
    let named = holding.take(MOST_NAMED + 1).map(|process| name_of(&process.path()));
    let mut names: Vec<String> = named.collect();
    if names.len() > MOST_NAMED {
        names.truncate(MOST_NAMED);
        names.push("others".to_owned());
    }
    (!names.is_empty()).then(|| format!("in use by {}", names.join(", ")))
}

/// Whether a process, by its directory in `/proc`, has a file open or is run from it. The text of
/// the links is compared: following one could wait for a server that does not answer.
fn has_open(process: &Path, path: &Path) -> bool {
    let leads_there = |link: &Path| {
        let target = rustix::fs::readlink(link, Vec::new());
        target.is_ok_and(|target| target.as_bytes() == path.as_os_str().as_bytes())
    };
    let mut open = curt::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    leads_there(&process.join("exe")) || open.any(|link| leads_there(&link.path()))
}

/// Returns the name and the number of a process, by its directory in `/proc`.
fn name_of(process: &Path) -> String {
    let name = read_file(&process.join("comm"), LONGEST_NAME).unwrap_or_default();
    let name = String::from_utf8_lossy(&name).trim_end().to_owned();
    let number = process.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{name} (process {number})")
}

#[cfg(test)]
mod tests {
    use super::{full_path, holders, processes};
    use curt_testkit::Scratch;
    use std::io;
    use std::path::Path;

    #[test]
    fn a_process_that_has_the_file_open_is_named() {
        if !Path::new("/proc/self/fd").is_dir() {
            return curt_testkit::skip("there is no /proc");
        }
        let scratch = Scratch::new();
        let held = scratch.file("held");
        let busy = io::Error::from_raw_os_error(libc::EBUSY);
        assert_eq!(holders(&held, &busy), None);
        let open = std::fs::File::open(&held).expect("it was made");
        assert_eq!(holders(&held, &busy), None, "this process does not matter");
        let mut sleep = std::process::Command::new("sleep");
        let mut child = sleep.arg("60").stdin(open).spawn().expect("sleep can be started");
        let words = holders(&held, &busy);
        let named = format!("in use by sleep (process {})", child.id());
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        assert_eq!(words, Some(named));
        assert_eq!(holders(&held, &io::Error::from_raw_os_error(libc::EACCES)), None);
        assert_eq!(holders(&held, &busy), None);
    }

    #[test]
    fn the_program_that_runs_is_named() {
        let program = std::env::current_exe().expect("a test has a program");
        let Some(program) = full_path(&program).filter(|_| Path::new("/proc/self/exe").exists())
        else {
            return curt_testkit::skip("there is no /proc");
        };
        let words = processes(&program, 0).expect("this program runs");
        assert!(words.starts_with("in use by "), "{words}");
    }
}
