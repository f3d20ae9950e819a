//! Program searches under Windows rules. Entries may have short names, and directories may be
//! case-sensitive and list in any order.

use std::io;

use super::dir::{Dir, DirBuf};
use super::syscalls::Call;
use super::system::{Effect, Errno, parts};
use super::tree::World;
use super::{Memory, Sys};
use crate::fields::Kind;
use crate::name::{Name, Unit};
use crate::sys::{Completeness, Match, Unsearched, Verdict, Which};

const SEARCH: usize = 4 << 10;
const HEAD: usize = 94;
const LONGEST: usize = HEAD + 2 * 255;

impl World {
    /// Finds a child by its name, ignoring case, or by its short name. Also returns the stored
    /// name.
    fn child_in_any_case(&self, parent: usize, name: &[u8]) -> Effect<(usize, &[u8])> {
        if !self.is_directory(parent) {
            return Err(Errno::NOTDIR);
        }
        let node = &self.nodes[parent];
        let exact = node.children.by_name.get_key_value(name);
        if let Some((name, key)) = exact {
            return Ok((node.children.in_order[key].1, name));
        }
        let same = |called: &[u8]| !node.case_counts && u8::same_in_any_case(called, name);
        let mut all = node.children.in_order.values();
        let found = all.find(|(called, child)| {
            same(called) || u8::same_in_any_case(&self.nodes[*child].short, name)
        });
        found.map(|(called, child)| (*child, called.as_slice())).ok_or(Errno::NOENT)
    }

    fn directory_in_any_case(&self, from: usize, path: &[u8]) -> Effect<usize> {
        let mut at = if path.first() == Some(&b'/') { super::tree::ROOT } else { from };
        for part in parts(path).iter().rev() {
            if part == b".." {
                if !self.is_directory(at) {
                    return Err(Errno::NOTDIR);
                }
                at = self.nodes[at].parent;
                continue;
            }
            let (_, name) = self.child_in_any_case(at, part)?;
            at = self.resolve(at, name, true)?;
        }
        if self.is_directory(at) { Ok(at) } else { Err(Errno::NOTDIR) }
    }

    /// Returns the kind in a Windows listing, where a symlink has its target's kind.
    fn kind_in_listing(&self, parent: usize, name: &[u8], kind: Kind) -> Kind {
        if kind != Kind::Symlink {
            return kind;
        }
        let leads = self.resolve(parent, name, true);
        let is_directory = leads.is_ok_and(|node| self.is_directory(node));
        if is_directory { Kind::Directory } else { Kind::File }
    }

    /// Continues after the last listed name.
    fn matches(
        &mut self,
        number: u64,
        stem: &[u8],
        each: &mut dyn FnMut(Match<'_, u8>),
    ) -> Effect<Completeness> {
        let handle = self.handles.get(&number).ok_or(Errno::BADF)?;
        let after = match &handle.cursor.last {
            Some(last) => std::ops::Bound::Excluded(last.clone()),
            None => std::ops::Bound::Unbounded,
        };
        let node = &self.nodes[handle.node];
        let begins = |name: &[u8]| {
            let beginning = name.get(..stem.len());
            beginning.is_some_and(|beginning| {
                beginning == stem || (!node.case_counts && u8::same_in_any_case(beginning, stem))
            })
        };
        let (mut filled, mut last, mut given) = (0, None, 0);
        let mut is_full = false;
        for (key, (name, child)) in
            node.children.in_order.range((after, std::ops::Bound::Unbounded))
        {
            let child = &self.nodes[*child];
            if !begins(name) && (child.short.is_empty() || !begins(&child.short)) {
                continue;
            }
            let record = HEAD + 2 * name.len();
            if filled + record > SEARCH || given == self.rules.given {
                is_full = true;
                break;
            }
            filled = (filled + record).next_multiple_of(8);
            given += 1;
            last = Some(key.clone());
            let kind = self.kind_in_listing(handle.node, name, child.kind);
            each(Match { name, short: &child.short, kind });
        }
        let Some(last) = last else { return Ok(Completeness::All) };
        if let Some(handle) = self.handles.get_mut(&number) {
            handle.cursor.last = Some(last);
        }
        let shows_more = is_full && filled + LONGEST > SEARCH;
        Ok(if shows_more { Completeness::Part } else { Completeness::ProbablyAll })
    }
}

impl Which for Memory {
    const DEFAULT_PATH: &'static str = "/bin:/usr/bin";

    fn executable(&self, from: &Dir, path: Name<'_, u8>) -> Result<Verdict, Unsearched> {
        let units = path.units();
        let begin = units.iter().rposition(|&unit| unit == b'/').map_or(0, |at| at + 1);
        let found = self.on(Call::Faccessat2, from, |world, from| {
            let parent = world.resolve(from, &units[..begin], true)?;
            if world.nodes[parent].no_execution {
                return Err(Errno::ACCES);
            }
            let node = world.resolve(parent, &units[begin..], true)?;
            Ok((world.nodes[node].kind, world.nodes[node].no_execution))
        });
        if matches!(found, Ok(_) | Err(Errno::ACCES)) {
            if let Err(error) = self.syscalls.pass(Call::Statx) {
                return Err(failed(error));
            }
        }
        match found {
            Ok((Kind::Directory, _)) => Ok(Verdict::Directory),
            Ok((Kind::File, false)) => Ok(Verdict::Program),
            Ok((_, false)) => Ok(Verdict::NoFile),
            Ok(_) => Ok(Verdict::NotExecutable),
            Err(Errno::ACCES) => Err(Unsearched::Denied),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(Verdict::Absent),
            Err(error) => Err(failed(error)),
        }
    }

    fn head(&self, from: &Dir, path: Name<'_, u8>, _room: &mut [u8]) -> io::Result<usize> {
        self.read_file(from, path, false, 0).map(|bytes| bytes.len())
    }

    fn open_search(&self, from: &Dir, path: Name<'_, u8>) -> Result<Dir, Unsearched> {
        let opened = self.on(Call::NtOpenFile, from, |world, from| {
            let node = world.directory_in_any_case(from, path.units())?;
            world.may_list(node, false)?;
            world.open(node)
        });
        match opened {
            Ok(number) => Ok(self.new_dir(number)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Err(Unsearched::Absent),
            Err(Errno::ACCES) => Err(Unsearched::Unlistable),
            Err(number) => Err(failed(number)),
        }
    }

    fn matching(
        &self,
        dir: &Dir,
        stem: &[u8],
        _buf: &mut DirBuf,
        each: &mut dyn FnMut(Match<'_, u8>),
    ) -> io::Result<Completeness> {
        Ok(self.syscalls.pass(Call::NtQueryDirectoryFile)?.matches(dir.number, stem, each)?)
    }

    fn probe(
        &self,
        from: &Dir,
        path: Name<'_, u8>,
        _buf: &mut DirBuf,
        spelled: &mut Vec<u8>,
    ) -> Result<Verdict, Unsearched> {
        let units = path.units();
        let begin = units.iter().rposition(|&unit| unit == b'/').map_or(0, |at| at + 1);
        let found = self.on(Call::NtOpenFile, from, |world, from| {
            let Ok(parent) = world.directory_in_any_case(from, &units[..begin]) else {
                return Ok(None);
            };
            if world.nodes[parent].no_execution {
                return Err(Errno::ACCES);
            }
            let (node, called) = world.child_in_any_case(parent, &units[begin..])?;
            spelled.clear();
            spelled.extend_from_slice(called);
            Ok(Some(world.kind_in_listing(parent, called, world.nodes[node].kind)))
        });
        let answer = match found {
            Ok(None) => Err(Unsearched::Absent),
            Ok(Some(Kind::Directory)) => Ok(Verdict::Directory),
            Ok(Some(_)) => Ok(Verdict::Program),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(Verdict::Absent),
            Err(Errno::ACCES) => Err(Unsearched::Denied),
            Err(error) => Err(failed(error)),
        };
        if matches!(answer, Ok(Verdict::Program)) {
            drop(self.syscalls.pass(Call::NtQueryInformationFile));
            drop(self.syscalls.pass(Call::Close));
        }
        answer
    }
}

fn failed(error: Errno) -> Unsearched {
    io::Error::from(error).into()
}
