//! What looking for a program asks of a system, beside [`Sys`].
//!
//! Two sets of rules ask differently. By those of POSIX a candidate is asked about by its path: may it
//! be executed? By those of Windows a directory is opened and asked for the names that begin so, and
//! single names are probed. The second set has an implementation here for every platform, by listing
//! a directory to its end and comparing names in any case of letters, so that it runs everywhere; on
//! Windows it is a few native calls.

use std::ffi::OsStr;
use std::io;

use super::{Ask, Batch, Listing, Opened, Sys};
use crate::fields::{Fields, Kind};
use crate::name::{Name, Unit};

/// What is known of a candidate.
#[derive(Debug)]
pub(crate) enum Candidate {
    /// A file that may be executed, as far as can be known without doing it.
    Program,
    /// Nothing is there.
    Absent,
    /// The directory is not there, where the system tells that apart.
    NoDirectory,
    Directory,
    /// It is there and may not be executed.
    #[cfg_attr(
        windows,
        allow(dead_code, reason = "there is no such right that could be asked for")
    )]
    NotExecutable,
    /// What holds it may not be searched.
    Unsearchable,
    Failed(io::Error),
}

/// One name of a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match<'a, U> {
    pub(crate) name: &'a [U],
    /// The second name, of eight letters and three; empty where there is none.
    pub(crate) short: &'a [U],
    /// The kind; what a link leads to is not known.
    pub(crate) kind: Kind,
}

/// A platform on which programs are looked for.
pub(crate) trait Lookup: Sys<Unit: Unit> {
    /// Where programs are, where nobody says: the system's `_CS_PATH`.
    const DEFAULT_PATH: &'static str;

    /// A variable of this process's environment. No call.
    fn variable(name: &str) -> Option<Vec<Self::Unit>>;
    /// Appends the units of a text.
    fn put(text: &OsStr, into: &mut Vec<Self::Unit>);

    /// An absolute path as the system takes it, without a terminator, where that is something else.
    fn native(path: &[Self::Unit]) -> io::Result<Option<Vec<Self::Unit>>> {
        match Self::Unit::position(path, [0]) {
            Some(_) => Err(io::ErrorKind::InvalidInput.into()),
            None => Ok(None),
        }
    }
    /// The place that absolute paths begin from. No call.
    fn root(&self) -> Self::Dir;

    /// Whether an error says that a path is longer than the system takes. No call.
    fn is_too_long(error: &io::Error) -> bool;

    /// What POSIX asks: whether a path may be executed, by the effective user. 1 call where it is
    /// absent, 2 else.
    fn executable(&self, from: &Self::Dir, path: Name<'_, Self::Unit>) -> Candidate;

    /// What a file begins with, as much as there is room for: opens, reads and closes.
    fn head(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        room: &mut [u8],
    ) -> io::Result<usize>;

    /// Opens a directory to search it, following links.
    fn open_search(&self, from: &Self::Dir, path: Name<'_, Self::Unit>) -> Opened<Self::Dir> {
        self.open_below(from, path, true)
    }

    /// Opens a directory that is open once more, for a search of its own.
    fn open_again(&self, dir: &Self::Dir) -> Opened<Self::Dir> {
        let here = [Self::Unit::ascii(b'.'), Self::Unit::NUL];
        self.open_below(dir, Name::of_terminated(&here), true)
    }

    /// Tells of the next names in an open directory that begin with `stem` in any case of letters, or
    /// of all; a short name may be what begins so. It may tell of others, too. [`Batch::More`] says
    /// that the buffer was full.
    fn matching(
        &self,
        dir: &Self::Dir,
        stem: Option<&[Self::Unit]>,
        buf: &mut Self::DirBuf,
        each: &mut dyn FnMut(Match<'_, Self::Unit>),
    ) -> io::Result<Batch> {
        let _ = stem;
        loop {
            let batch = self.read(dir, buf)?;
            let mut position = 0;
            while let Some((entry, next)) = buf.entry(position) {
                each(Match { name: entry.name.units(), short: &[], kind: entry.kind });
                position = next;
            }
            if batch == Batch::End {
                return Ok(batch);
            }
        }
    }

    /// What Windows asks: whether a path, in any case of letters, is there and no directory. Nothing at
    /// its end is followed. What it is called on the disk replaces `spelled`.
    fn probe(
        &self,
        from: &Self::Dir,
        path: Name<'_, Self::Unit>,
        buf: &mut Self::DirBuf,
        spelled: &mut Vec<Self::Unit>,
    ) -> Candidate {
        let units = path.units();
        let begin = units.iter().rposition(|unit| unit.is_separator()).map_or(0, |at| at + 1);
        let (parent, name) = units.split_at(begin);
        spelled.clear();
        spelled.extend_from_slice(name);
        match self.what_is_there(from, path) {
            Candidate::Absent => {}
            answer => return answer,
        }
        // It may be there in another case of letters.
        let mut parent = if parent.is_empty() { vec![Unit::ascii(b'.')] } else { parent.to_vec() };
        parent.push(Unit::NUL);
        let dir = match self.open_below(from, Name::of_terminated(&parent), true) {
            Opened::Dir(dir) => dir,
            // It may be searched, as the first question was answered, and not listed.
            Opened::Failed(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Candidate::Absent;
            }
            Opened::Failed(error) | Opened::Shortage(error) => return Candidate::Failed(error),
            Opened::NotDirectory | Opened::Gone | Opened::Pending | Opened::Mount => {
                return Candidate::NoDirectory;
            }
        };
        let mut found = false;
        let listed = self.matching(&dir, Some(name), buf, &mut |entry| {
            if Unit::same_in_any_case(entry.name, name) && (!found || entry.name < &spelled[..]) {
                found = true;
                spelled.clear();
                spelled.extend_from_slice(entry.name);
            }
        });
        let answer = match listed {
            Err(error) => Candidate::Failed(error),
            Ok(_) if !found => Candidate::Absent,
            Ok(_) => {
                spelled.push(Unit::NUL);
                let answer = self.what_is_there(&dir, Name::of_terminated(spelled));
                spelled.pop();
                answer
            }
        };
        self.close(dir);
        answer
    }

    /// What is called exactly so: 1 call, and another one where a link leads nowhere.
    fn what_is_there(&self, from: &Self::Dir, path: Name<'_, Self::Unit>) -> Candidate {
        for follow in [true, false] {
            let ask = Ask { fields: Fields::KIND, follow, cached: false };
            match self.query(from, path, ask) {
                Ok(facts) if facts.kind == Kind::Directory => return Candidate::Directory,
                Ok(_) => return Candidate::Program,
                Err(error) => match error.kind() {
                    io::ErrorKind::NotFound => {}
                    io::ErrorKind::NotADirectory => return Candidate::Absent,
                    io::ErrorKind::PermissionDenied => return Candidate::Unsearchable,
                    _ => return Candidate::Failed(error),
                },
            }
        }
        Candidate::Absent
    }
}
