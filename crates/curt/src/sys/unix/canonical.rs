//! Canonical names: from the kernel if it has an answer, otherwise one component at a time, as in
//! the GNU tools.

use std::collections::HashSet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD};
use rustix::io::Errno;

use super::Unix;
use super::dir::text;
use crate::name::NameBuf;
use crate::sys::canonical::{Links, Missing};
use crate::sys::{Sys, SystemUnit};

/// Loops are detected only after this many symlinks.
const UNSUSPICIOUS_LINKS: usize = 20;
/// A path that needs more symlinks counts as a loop, because each one could lengthen the path.
const MAX_LINKS: usize = 1024;
/// The limit of the kernel and of `realpath(3)`.
const FEW_LINKS: usize = 40;

impl Unix {
    pub(super) fn find_name(
        &self,
        path: &Path,
        missing: Missing,
        links: Links,
    ) -> io::Result<PathBuf> {
        let path = u8::units(path);
        let name = match links {
            Links::Follow => self.followed(path, missing, MAX_LINKS),
            Links::FollowFew => self.followed(path, missing, FEW_LINKS),
            Links::FollowLast => {
                let folded = self.step_by_step(&path, missing, 0)?;
                self.followed(folded, missing, MAX_LINKS)
            }
            Links::Keep => self.step_by_step(&path, missing, 0),
        };
        name.map(u8::path)
    }

    fn followed(&self, path: Vec<u8>, missing: Missing, most: usize) -> io::Result<Vec<u8>> {
        let path = NameBuf::new(path)?;
        match self.canonical_at_once(path.as_name()) {
            Ok(Some(name)) => return Ok(name),
            Ok(None) => {}
            Err(error) => match (error.kind(), missing) {
                (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, Missing::Nothing) => {
                    return Err(error);
                }
                (io::ErrorKind::NotFound, Missing::LastName) => {
                    if let Some(name) = self.parent_at_once(path.as_name().units()) {
                        return Ok(name);
                    }
                }
                // Try single steps: the kernel follows fewer symlinks, and may refuse those of
                // other users.
                _ => {}
            },
        }
        self.step_by_step(path.as_name().units(), missing, most)
    }

    /// Returns the path of a file that may be missing, from the kernel's path of its parent.
    /// Returns `None` if the last component is a broken symlink, or the kernel has no answer.
    fn parent_at_once(&self, path: &[u8]) -> Option<Vec<u8>> {
        let end = path.iter().rposition(|&byte| byte != b'/')? + 1;
        let begin = path[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        let last = &path[begin..end];
        if last == b"." || last == b".." {
            return None;
        }
        let parent = if begin == 0 { &b"."[..] } else { &path[..begin] };
        let last_name = NameBuf::new(last.to_vec()).ok()?;
        let dir = self.open_for_lookup(&u8::path(parent.to_vec())).ok()?;
        let found =
            self.syscalls.readlinkat(dir.as_fd(), text(last_name.as_name()), &mut Vec::new());
        let parent =
            if found == Err(Errno::NOENT) { self.verified_name(dir.as_fd()).ok() } else { None };
        self.close(dir);
        let mut name = parent?;
        if name.last() != Some(&b'/') {
            name.push(b'/');
        }
        name.extend_from_slice(last);
        Some(name)
    }

    /// Returns a path that leads to the open file. The kernel's own path need not: the file may be
    /// mounted elsewhere, detached, or covered by a later mount.
    pub(super) fn verified_name(&self, fd: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
        let name = self.name_of(fd)?;
        if self.resolves_to(CWD, &name, fd)? { Ok(name) } else { Err(Errno::NOENT.into()) }
    }

    pub(super) fn resolves_to(
        &self,
        from: BorrowedFd<'_>,
        path: &[u8],
        fd: BorrowedFd<'_>,
    ) -> Result<bool, Errno> {
        let path = NameBuf::new(path.to_vec()).map_err(|_| Errno::INVAL)?;
        let found =
            match self.syscalls.fstatat(from, text(path.as_name()), AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT | Errno::NOTDIR) => return Ok(false),
                found => found?,
            };
        let open = self.syscalls.fstat(fd)?;
        Ok((found.st_dev, found.st_ino) == (open.st_dev, open.st_ino))
    }

    /// Follows symlinks unless `most` is 0.
    fn step_by_step(&self, path: &[u8], missing: Missing, most: usize) -> io::Result<Vec<u8>> {
        let follow = most > 0;
        if path.is_empty() {
            return Err(Errno::NOENT.into());
        }
        // Omit a trailing slash, so that the root is empty.
        let mut name =
            if path[0] == b'/' { Vec::new() } else { u8::units(&self.syscalls.getcwd()?) };
        if name == b"/" {
            name.clear();
        }
        let mut path = path.to_vec();
        let mut at = 0;
        let mut loops = Loops { most, ..Loops::default() };
        while let Some(skipped) = path[at..].iter().position(|&byte| byte != b'/') {
            let begin = at + skipped;
            let length = path[begin..].iter().position(|&byte| byte == b'/');
            let end = length.map_or(path.len(), |length| begin + length);
            at = end;
            match &path[begin..end] {
                b"." => continue,
                b".." => {
                    go_back(&mut name);
                    continue;
                }
                component => push(&mut name, component),
            }
            let target = if follow { self.target_of(&name) } else { Ok(None) };
            if let Ok(Some(target)) = target {
                go_back(&mut name);
                if loops.contain(self, &name, &path[begin..])? {
                    if missing != Missing::Anything {
                        return Err(Errno::LOOP.into());
                    }
                    // Keep the symlink, as GNU `realpath -m` does.
                    push(&mut name, &path[begin..end]);
                    continue;
                }
                if target[0] == b'/' {
                    name.clear();
                }
                path.splice(..end, target);
                at = 0;
            } else if missing != Missing::Anything {
                let rest = &path[end..];
                let is_at_end = rest.iter().all(|&byte| byte == b'/');
                match self.check(&name, rest, target.map(drop), follow) {
                    Err(Errno::NOENT) if missing == Missing::LastName && is_at_end => {}
                    checked => checked?,
                }
            }
        }
        if name.is_empty() {
            name.push(b'/');
        }
        Ok(name)
    }

    /// Checks that a name exists, unless a later lookup will. `found` is the result of reading it
    /// as a symlink.
    fn check(
        &self,
        name: &[u8],
        rest: &[u8],
        found: Result<(), Errno>,
        follow: bool,
    ) -> Result<(), Errno> {
        let exists = |end: &[u8]| {
            let path = NameBuf::new([name, end].concat()).map_err(|_| Errno::INVAL)?;
            self.syscalls.may(CWD, text(path.as_name()), Access::EXISTS)
        };
        if needs_directory(rest) {
            exists(b"/")
        } else if follow || !rest.is_empty() {
            found
        } else {
            exists(b"")
        }
    }

    fn target_of(&self, path: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
        let path = NameBuf::new(path.to_vec()).map_err(|_| Errno::INVAL)?;
        let mut target = Vec::new();
        match self.syscalls.readlinkat(CWD, text(path.as_name()), &mut target) {
            Ok(()) if target.is_empty() => Err(Errno::NOENT),
            Ok(()) => Ok(Some(target)),
            Err(Errno::INVAL) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Detects loops: in a loop, the same symlink occurs again, followed by the same rest of the path.
#[derive(Default)]
struct Loops {
    links: usize,
    most: usize,
    /// The device and inode of each symlink's directory, and the path from the symlink on.
    seen: HashSet<(u64, u64, Vec<u8>)>,
}

impl Loops {
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "not u64 everywhere")]
    fn contain(&mut self, sys: &Unix, parent: &[u8], path: &[u8]) -> Result<bool, Errno> {
        self.links += 1;
        if self.links <= UNSUSPICIOUS_LINKS {
            return Ok(false);
        }
        if self.links > self.most {
            return Err(Errno::LOOP);
        }
        let parent = NameBuf::new([parent, b"/"].concat()).map_err(|_| Errno::INVAL)?;
        let found = sys.syscalls.fstatat(CWD, text(parent.as_name()), AtFlags::empty())?;
        Ok(!self.seen.insert((found.st_dev as u64, found.st_ino as u64, path.to_vec())))
    }
}

fn push(name: &mut Vec<u8>, component: &[u8]) {
    name.push(b'/');
    name.extend_from_slice(component);
}

fn go_back(name: &mut Vec<u8>) {
    let end = name.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    name.truncate(end);
}

/// Whether this component must be a directory, and no later lookup would check it.
fn needs_directory(rest: &[u8]) -> bool {
    let mut names = rest.split(|&byte| byte == b'/').filter(|name| !matches!(*name, b"" | b"."));
    !rest.is_empty() && names.next().is_none_or(|name| name == b"..")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sys::Setup;
    use crate::sys::fault::Faults;
    use curt_testkit::Scratch;

    fn sys() -> Unix {
        Unix::start(&Setup::default())
    }

    #[test]
    fn steps_and_the_kernel_agree() {
        let scratch = Scratch::new();
        scratch.tree("", "a/b/file link->a/b a/broken->../a/missing loop->loop");
        let paths = "/ // link link/.. link/file link/file/ link/./file/.. a/new a/new/ a/new/x \
                     a/broken a/broken/ loop loop/x link/x a/b/file/x ./a//b/ nowhere/.. a/b/../..";
        for path in paths.split(' ') {
            let path = scratch.typed().join(path);
            for missing in [Missing::Nothing, Missing::LastName, Missing::Anything] {
                let units = u8::units(&path);
                let steps = sys().step_by_step(&units, missing, MAX_LINKS);
                let answer = sys().followed(units, missing, MAX_LINKS);
                let errno = |error: io::Error| error.raw_os_error();
                assert_eq!(answer.map_err(errno), steps.map_err(errno), "{path:?} {missing:?}");
            }
        }
    }

    #[test]
    fn a_call_that_fails_gives_no_wrong_name() {
        let scratch = Scratch::new();
        scratch.file("a/file");
        scratch.link("link", "a/new");
        let path = scratch.at("link");
        let right = sys().canonical_name(&path, Missing::LastName, Links::Follow).unwrap();
        let mut hits = 0;
        for kind in ["openat", "readlinkat", "close", "faccessat2"] {
            for nth in 0..9 {
                let faults = Faults::default().fail(kind, nth, Errno::IO.raw_os_error());
                let faults = Arc::new(faults);
                let setup = Setup { faults: Some(faults.clone()), ..Setup::default() };
                let answer =
                    Unix::start(&setup).canonical_name(&path, Missing::LastName, Links::Follow);
                match answer {
                    Ok(name) => assert_eq!(name, right, "{kind} {nth}"),
                    Err(error) => assert!(error.raw_os_error().is_some(), "{kind} {nth}: {error}"),
                }
                hits += faults.hits();
            }
        }
        assert!(hits > 3);
    }
}
