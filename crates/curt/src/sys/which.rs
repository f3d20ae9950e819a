//! The contract for program searches.
//!
//! Under POSIX rules, one query decides whether a path can be executed. Under Windows rules, a
//! directory is listed for names that begin with the searched one, or a single name is probed. The
//! default methods list whole directories and ignore case; Windows itself uses a few native calls.

use std::io;

use super::{Batch, Listing, Opened, Request, Sys};
use crate::fields::{Fields, Kind};
use crate::name::{Name, NameBuf, Unit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Program,
    Absent,
    Directory,
    /// The path is executable, but a FIFO or a device.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no such right to ask for"))]
    NoFile,
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no such right to ask for"))]
    NotExecutable,
}

#[derive(Debug)]
pub(crate) enum Unsearched {
    /// The path does not lead to a directory.
    Absent,
    Denied,
    /// The directory cannot be listed, but may still be searchable.
    Unlistable,
    Failed(io::Error),
}

impl From<io::Error> for Unsearched {
    fn from(error: io::Error) -> Self {
        Unsearched::Failed(error)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Match<'a, U> {
    pub(crate) name: &'a [U],
    /// The 8.3 name on Windows, or empty.
    pub(crate) short: &'a [U],
    /// If this is `Symlink`, the target's kind is not known.
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(unix, allow(dead_code, reason = "a listing is read to its end there"))]
pub(crate) enum Completeness {
    Part,
    /// The buffer had space left, but only another call can prove the end.
    ProbablyAll,
    All,
}

pub(crate) trait Which: Sys<Unit: Unit> {
    /// The search path if `PATH` is not set (`_CS_PATH`).
    const DEFAULT_PATH: &'static str;

    /// Checks for the effective user. Makes 2 system calls, or 1 if the path is missing.
    fn executable(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
    ) -> Result<Verdict, Unsearched>;

    /// Follows symlinks. An empty path opens `from` again.
    fn open_search(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
    ) -> Result<Self::Dir, Unsearched> {
        let here = NameBuf::new(vec![Self::Unit::ascii(b'.')])?;
        let path = if path.units().is_empty() { here.as_name() } else { path };
        match self.open_below(from, path, true) {
            Opened::Dir(dir) => Ok(dir),
            Opened::NotDirectory | Opened::Gone | Opened::Pending | Opened::Mount => {
                Err(Unsearched::Absent)
            }
            Opened::Failed(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(Unsearched::Unlistable)
            }
            Opened::Failed(error) => Err(Unsearched::Failed(error)),
        }
    }

    /// Yields the next names whose long or short form begins with `stem`, ignoring case. May yield
    /// other names too.
    fn matching(
        &self,
        dir: &Self::Dir,
        stem: &[Self::Unit],
        buf: &mut Self::DirBuf,
        each: &mut dyn FnMut(Match<'_, Self::Unit>),
    ) -> io::Result<Completeness> {
        let _ = stem;
        loop {
            let batch = self.read_entries(dir, buf)?;
            let mut position = 0;
            while let Some((entry, next)) = buf.entry(position) {
                each(Match { name: entry.name.units(), short: &[], kind: entry.kind });
                position = next;
            }
            if batch == Batch::End {
                return Ok(Completeness::All);
            }
        }
    }

    /// Looks up a path under Windows rules: case is ignored, and everything but a directory is a
    /// program, even a broken symlink. Sets `spelled` to the stored name.
    fn probe(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        buf: &mut Self::DirBuf,
        spelled: &mut Vec<Self::Unit>,
    ) -> Result<Verdict, Unsearched> {
        let units = path.units();
        let begin = units.iter().rposition(|unit| unit.is_separator()).map_or(0, |at| at + 1);
        let (parent, name) = units.split_at(begin);
        spelled.clear();
        spelled.extend_from_slice(name);
        let verdict = probe_exact(self, from, path)?;
        if verdict != Verdict::Absent {
            return Ok(verdict);
        }
        // The name may be stored in a different case.
        let parent = NameBuf::new(parent.to_vec())?;
        let dir = match self.open_search(from, parent.as_name()) {
            // The directory is unlistable but searchable, because the query above was not denied.
            Err(Unsearched::Unlistable) => return Ok(Verdict::Absent),
            opened => opened?,
        };
        let mut is_found = false;
        let listed = self.matching(&dir, name, buf, &mut |entry| {
            let is_better = !is_found || entry.name < &spelled[..];
            if is_better && Unit::same_in_any_case(entry.name, name) {
                is_found = true;
                spelled.clear();
                spelled.extend_from_slice(entry.name);
            }
        });
        let verdict = match listed {
            Err(error) => Err(error.into()),
            Ok(_) if !is_found => Ok(Verdict::Absent),
            Ok(_) => match NameBuf::new(spelled.clone()) {
                Ok(name) => probe_exact(self, &dir, name.as_name()),
                Err(error) => Err(error.into()),
            },
        };
        self.close(dir);
        verdict
    }

    fn head(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        buffer: &mut [u8],
    ) -> io::Result<usize>;
}

/// Makes 1 system call, or 2 if following symlinks finds nothing.
fn probe_exact<S: Which>(
    sys: &S,
    from: &S::Dir,
    path: Name<'_, S::Unit>,
) -> Result<Verdict, Unsearched> {
    for follow in [true, false] {
        let request = Request { fields: Fields::KIND, follow };
        match sys.query(from, path, request) {
            Ok(facts) if facts.kind == Kind::Directory => return Ok(Verdict::Directory),
            Ok(_) => return Ok(Verdict::Program),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => {}
                io::ErrorKind::NotADirectory => break,
                io::ErrorKind::PermissionDenied => return Err(Unsearched::Denied),
                _ => return Err(Unsearched::Failed(error)),
            },
        }
    }
    Ok(Verdict::Absent)
}

/// Returns the interpreter and its single argument, as the kernel splits the `#!` line.
pub(crate) fn script_interpreter(head: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let line = head.strip_prefix(b"#!")?;
    let end = line.iter().position(|&byte| byte == b'\n' || byte == 0).unwrap_or(line.len());
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let begin = line[..end].iter().position(|byte| !is_blank(byte))?;
    let last = line[..end].iter().rposition(|byte| !is_blank(byte))?;
    let words = &line[begin..=last];
    let Some(blank) = words.iter().position(is_blank) else { return Some((words, None)) };
    let (interpreter, rest) = words.split_at(blank);
    let argument = rest.iter().position(|byte| !is_blank(byte)).map(|begin| &rest[begin..]);
    Some((interpreter, argument))
}

#[cfg(test)]
mod tests {
    use super::script_interpreter;

    #[test]
    fn interpreter_lines_are_read_as_by_the_kernel() {
        let none: Option<&[u8]> = None;
        for (head, expected) in [
            (&b"#!/bin/sh\nexit"[..], Some((&b"/bin/sh"[..], none))),
            (b"#! \t/bin/sh", Some((b"/bin/sh", none))),
            (b"#!/usr/bin/env -S a b  \n", Some((b"/usr/bin/env", Some(&b"-S a b"[..])))),
            (b"#!/bin/sh\r\n", Some((b"/bin/sh\r", none))),
            (b"#!/bin/a\0b\n", Some((b"/bin/a", none))),
            (b"#!\n", None),
            (b"#!   ", None),
            (b"#", None),
            (b"", None),
            (b"exit 0\n", None),
        ] {
            assert_eq!(script_interpreter(head), expected, "{}", head.escape_ascii());
        }
    }
}
