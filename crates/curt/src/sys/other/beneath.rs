//! Staying beneath a directory by looking at each name before it is used. **Weaker**: between the look
//! and the step somebody who can write to the tree may put a link in its place, which is then followed.
//! On trees that nobody else writes to nothing outside is reached.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};

use super::text::Unit;
use super::{Dir, Other, Stream, Sys, is_directory};
use crate::flavor::Flavor;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::sys::beneath::{Beneath, Create, Fault, File, How, Link, Purpose, Rules, Step, Whole};
use crate::untrusted::PathCheck;

impl Other {
    fn enter_one(
        &self,
        at: &Dir,
        name: Name<'_, Unit>,
        purpose: Purpose,
    ) -> io::Result<Option<Dir>> {
        let path = at.child(name);
        if !is_directory(&self.door.symlink_metadata(&path)?) {
            return Ok(None);
        }
        let stream = match purpose {
            Purpose::Place => None,
            Purpose::Listing => Some(Stream::new(self.door.read_dir(&path)?)),
        };
        Ok(Some(Dir::new(path, stream)))
    }

    fn open_one(&self, at: &Dir, name: Name<'_, Unit>, how: &How) -> io::Result<Option<File>> {
        let path = at.child(name);
        match self.door.symlink_metadata(&path) {
            Ok(found) if found.file_type().is_symlink() && how.create != Create::New => {
                return Ok(None);
            }
            Err(error) if error.kind() != ErrorKind::NotFound || how.create == Create::Never => {
                return Err(error);
            }
            Ok(_) | Err(_) => {}
        }
        let mut options = OpenOptions::new();
        options.read(how.read).write(how.write).append(how.append).truncate(how.truncate);
        options.create(how.create == Create::Missing).create_new(how.create == Create::New);
        self.door.open(&path, &options).map(Some)
    }
}

fn stepped<T>(answer: io::Result<Option<T>>) -> Step<T> {
    match answer {
        Ok(Some(done)) => Step::Done(done),
        Ok(None) => Step::Otherwise,
        Err(error) => Step::Failed(error),
    }
}

impl Beneath for Other {
    type Handle = File;

    const FLAVOR: Flavor = Flavor::Posix;
    const ITSELF: &'static [Unit] = b".\0";
    const SPELLING_IS_NAME: bool = true;
    const LONGEST: usize = 4096;

    fn checked(check: PathCheck, text: &[Unit]) -> Result<Cow<'_, [Unit]>, Refusal> {
        check.check(text).map(|()| Cow::Borrowed(text))
    }

    fn open_whole(&self, _: &Dir, _: Name<'_, Unit>, _: &How, _: Rules) -> Whole<File> {
        Whole::Unanswered
    }

    fn enter_whole(&self, _: &Dir, _: Name<'_, Unit>, _: Purpose, _: Rules) -> Whole<Dir> {
        Whole::Unanswered
    }

    fn find_whole(&self, _: &Dir, _: Name<'_, Unit>, _: Rules) -> Whole<File> {
        Whole::Unanswered
    }

    fn enter(&self, at: &Dir, name: Name<'_, Unit>, purpose: Purpose) -> Step<Dir> {
        stepped(self.enter_one(at, name, purpose))
    }

    fn open(&self, at: &Dir, name: Name<'_, Unit>, how: &How) -> Step<File> {
        stepped(self.open_one(at, name, how))
    }

    fn link(&self, at: &Dir, name: Name<'_, Unit>) -> io::Result<Link<Unit>> {
        if !self.door.symlink_metadata(&at.child(name))?.file_type().is_symlink() {
            return Ok(Link::No);
        }
        let mut target = Vec::new();
        self.read_link(at, name, &mut target)?;
        Ok(Link::To(target))
    }

    fn create_dir(&self, at: &Dir, name: Name<'_, Unit>, _mode: u32) -> io::Result<()> {
        self.door.create_dir(&at.child(name))
    }

    fn rename(
        &self,
        from: &Dir,
        name: Name<'_, Unit>,
        to: &Dir,
        fresh: Name<'_, Unit>,
    ) -> io::Result<()> {
        self.door.rename(&from.child(name), &to.child(fresh))
    }

    /// The library does not say.
    fn path_of(&self, _handle: &File) -> io::Result<Vec<Unit>> {
        Err(ErrorKind::Unsupported.into())
    }

    fn path_of_dir(&self, _dir: &Dir) -> io::Result<Vec<Unit>> {
        Err(ErrorKind::Unsupported.into())
    }

    fn let_go(&self, handle: File) {
        drop(handle);
    }

    /// The kind is all that the library has; a loop of links is one that it has no name for yet.
    fn error(fault: Fault) -> io::Error {
        match fault {
            Fault::NotFound => ErrorKind::NotFound.into(),
            Fault::NotDirectory => ErrorKind::NotADirectory.into(),
            Fault::IsDirectory => ErrorKind::IsADirectory.into(),
            Fault::Exists => ErrorKind::AlreadyExists.into(),
            Fault::Busy => ErrorKind::ResourceBusy.into(),
            Fault::TooManyLinks => io::Error::other("too many levels of symbolic links"),
            Fault::TooLong => ErrorKind::InvalidInput.into(),
            Fault::Again => ErrorKind::WouldBlock.into(),
        }
    }
}
