//! The contract for finding programs, beside [`Sys`].
//!
//! The two sets of rules ask differently. By those of POSIX one question about a path says whether
//! it can be executed. By those of Windows a directory is asked for the names that begin alike, and
//! single names are probed. The second set is implemented here for every platform, by listing a
//! directory to its end and comparing names without regard to case, so that it works everywhere; on
//! Windows it is a few native calls.

use std::io;

use super::{Ask, Batch, Listing, Opened, Sys};
use crate::fields::{Fields, Kind};
use crate::name::{Name, NameBuf, Unit};

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A file that can be executed, as far as the system says without doing so.
    Program,
    Absent,
    Directory,
    /// What can be executed as far as its permissions say, and is no file: a FIFO, a device.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no such right to ask for"))]
    NoFile,
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no such right to ask for"))]
    NotExecutable,
}

/// Why a directory was not searched, or not all of it.
#[derive(Debug)]
pub(crate) enum Unsearched {
    /// It does not exist, or is not a directory.
    Absent,
    /// It may not be searched.
    Denied,
    /// It may not be listed; perhaps it may be searched.
    Unlistable,
    Failed(io::Error),
}

impl From<io::Error> for Unsearched {
    fn from(error: io::Error) -> Self {
        Unsearched::Failed(error)
    }
}

/// One entry of a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match<'a, U> {
    pub(crate) name: &'a [U],
    /// The short name of Windows, of eight and three characters; empty if there is none.
    pub(crate) short: &'a [U],
    /// The kind; that of the target of a symbolic link is unknown.
    pub(crate) kind: Kind,
}

/// How much of what matches the calls of a listing have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(unix, allow(dead_code, reason = "a listing is read to its end there"))]
pub(crate) enum Shown {
    /// The buffer was full.
    Part,
    /// There was room for more, but only another call proves that there is none.
    ProbablyAll,
    All,
}

/// A platform on which programs are found.
pub(crate) trait Which: Sys<Unit: Unit> {
    /// Where programs are if `PATH` is not set: the system's `_CS_PATH`.
    const DEFAULT_PATH: &'static str;

    /// Says whether a path can be executed by the effective user, as POSIX asks. 1 call if it is
    /// absent, else 2.
    fn executable(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
    ) -> Result<Verdict, Unsearched>;

    /// Opens a directory to list names in it, following links. An empty path opens `from` again,
    /// for a listing from the beginning.
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

    /// Yields the next names in an open directory that begin with `stem`. Neither the case of
    /// letters matters nor whether the long or the short name matches. It may yield others too.
    fn matching(
        &self,
        dir: &Self::Dir,
        stem: &[Self::Unit],
        buf: &mut Self::DirBuf,
        each: &mut dyn FnMut(Match<'_, Self::Unit>),
    ) -> io::Result<Shown> {
        let _ = stem;
        loop {
            let batch = self.read_entries(dir, buf)?;
            let mut position = 0;
            while let Some((entry, next)) = buf.entry(position) {
                each(Match { name: entry.name.units(), short: &[], kind: entry.kind });
                position = next;
            }
            if batch == Batch::End {
                return Ok(Shown::All);
            }
        }
    }

    /// Says what a path is, as Windows asks: the case of letters does not matter, everything that
    /// is not a directory is a program, and a link is not followed. Replaces `spelled` by the name
    /// as the disk has it.
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
        // It may exist in another case of letters.
        let parent = NameBuf::new(parent.to_vec())?;
        let dir = match self.open_search(from, parent.as_name()) {
            // It may be searched, as the first question was answered.
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

    /// Reads the first bytes of a file, as many as there is room for. Opens, reads and closes it.
    fn head(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        room: &mut [u8],
    ) -> io::Result<usize>;
}

/// Probes for an entry of exactly this name: 1 call, and a second one for a broken link.
fn probe_exact<S: Which>(
    sys: &S,
    from: &S::Dir,
    path: Name<'_, S::Unit>,
) -> Result<Verdict, Unsearched> {
    for follow in [true, false] {
        let ask = Ask { fields: Fields::KIND, follow };
        match sys.query(from, path, ask) {
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

/// Returns the interpreter in the first line of a script, and its one argument, as the kernel reads
/// them.
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
