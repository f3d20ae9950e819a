//! The standard library and nothing else, for systems that curt has no platform of its own for.
//!
//! **Weaker promises.** The standard library has no operations relative to an open directory, so
//! every step here is a path from the operand down:
//!
//! - Whoever can rename a directory above can lead a removal **out of its tree**: each step looks
//!   whether it is about to follow a link, but between the look and the step there is time. Do not
//!   run it on trees that somebody hostile can write to.
//! - A tree deeper than the longest path of the system is reported, not removed.
//! - Mounts are recognised by their device, and only on Unix; elsewhere they are crossed.
//! - Outside Unix, identity is that of the true path, not a file number.
//!
//! What holds: links are removed and not followed, unless swapped in at the wrong moment; nothing
//! replaces anything; failures are reported.

mod beneath;
mod call;
pub(crate) mod dir;
mod facts;
mod long_name;
mod lookup;
mod loops;
mod many;
mod process;
mod surroundings;
mod text;

use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use self::call::Door;
use self::dir::Stream;
pub(crate) use self::dir::{Dir, DirBuf};
use super::{
    Ask, Batch, Finished, Identity, Mounts, Opened, Operand, Owners, Removed, Setup, Sources, Stat,
    Sys, Usage,
};
use crate::calls::Calls;
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;

/// The standard library, as one worker sees it.
pub(crate) struct Other {
    door: Door,
}

impl Other {
    /// Opens a listing of what must be a directory and no link.
    fn open(&self, parent: &Dir, path: PathBuf, mounts: Mounts) -> io::Result<Opened<Dir>> {
        let found = self.door.symlink_metadata(&path)?;
        if !is_directory(&found) {
            return Ok(Opened::NotDirectory);
        }
        let device = device(&found);
        if mounts == Mounts::Refuse && device != self.device_of(parent)? {
            return Ok(Opened::Mount);
        }
        let stream = Stream::new(self.door.read_dir(&path)?);
        let dir = Dir::new(path, Some(stream));
        let _ = dir.device.set(device);
        Ok(Opened::Dir(dir))
    }

    fn device_of(&self, dir: &Dir) -> io::Result<Option<u64>> {
        if let Some(&device) = dir.device.get() {
            return Ok(device);
        }
        let device = device(&self.door.metadata(dir.path())?);
        Ok(*dir.device.get_or_init(|| device))
    }

    /// Begins a listing anew, of a directory that may have been swapped since.
    fn reopen(&self, dir: &Dir) -> io::Result<Stream> {
        if !is_directory(&self.door.symlink_metadata(dir.path())?) {
            return Err(ErrorKind::NotADirectory.into());
        }
        Ok(Stream::new(self.door.read_dir(dir.path())?))
    }

    fn remove(&self, path: &Path, kind: Kind) -> io::Result<Removed> {
        if matches!(kind, Kind::Unknown | Kind::Directory)
            && is_directory(&self.door.symlink_metadata(path)?)
        {
            return Ok(Removed::IsDirectory);
        }
        let Err(error) = self.door.remove_file(path) else {
            return Ok(Removed::Done);
        };
        if !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::IsADirectory) {
            return Err(error);
        }
        // It may have become a directory, or be something that wants another call.
        let Ok(found) = self.door.symlink_metadata(path) else {
            return Err(error);
        };
        if is_directory(&found) {
            return Ok(Removed::IsDirectory);
        }
        Err(error)
    }

    fn stat(&self, path: &Path, found: &Metadata) -> io::Result<Stat> {
        Ok(Stat {
            kind: dir::kind(found.file_type()),
            identity: self.identity(path, found)?,
            links: links(found),
            size: found.len(),
            allocated: allocated(found),
            // The time of the last change of any kind is not in the standard library.
            changed: found.modified().map_or(Duration::ZERO, since_epoch),
        })
    }

    #[cfg(unix)]
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "elsewhere it asks")]
    fn identity(&self, _path: &Path, found: &Metadata) -> io::Result<Identity> {
        use std::os::unix::fs::MetadataExt;
        Ok(Identity { device: found.dev(), file: u128::from(found.ino()) })
    }

    /// The true path stands for what the library does not tell: its root for the device, all of it
    /// for the file. The last name of a link stays as it is, since the link is what is meant.
    #[cfg(not(unix))]
    fn identity(&self, path: &Path, found: &Metadata) -> io::Result<Identity> {
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if found.file_type().is_symlink() => {
                self.door.canonicalize(parent)?.join(name)
            }
            _ => self.door.canonicalize(path)?,
        };
        let root: PathBuf = real.components().take(1).collect();
        let wide = u128::from(hash(0, &real)) << 64 | u128::from(hash(1, &real));
        Ok(Identity { device: hash(0, &root), file: wide })
    }
}

impl Sys for Other {
    type Unit = text::Unit;
    type Dir = Dir;
    type DirBuf = DirBuf;
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        Other { door: Door::new(setup) }
    }

    fn calls(&self) -> Calls {
        self.door.calls()
    }

    fn operand(path: &Path) -> Operand<text::Unit> {
        text::operand(path)
    }

    fn append_units(path: &Path, to: &mut Vec<text::Unit>) {
        to.extend(text::units(path).unwrap_or_default());
    }

    fn path(units: Vec<text::Unit>) -> PathBuf {
        text::path(units)
    }

    fn open_parent(&self, path: &Path) -> io::Result<Dir> {
        if !path.as_os_str().is_empty() && !self.door.metadata(path)?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        Ok(Dir::new(path.to_owned(), None))
    }

    fn open_child(&self, parent: &Dir, name: Name<'_, text::Unit>, mounts: Mounts) -> Opened<Dir> {
        match self.open(parent, parent.child(name), mounts) {
            Ok(opened) => opened,
            Err(error) if is_shortage(&error) => Opened::Shortage(error),
            Err(error) => match error.kind() {
                ErrorKind::NotFound => Opened::Gone,
                ErrorKind::NotADirectory => Opened::NotDirectory,
                _ => Opened::Failed(error),
            },
        }
    }

    fn close(&self, dir: Dir) {
        if let Some(stream) = dir.with_stream(Option::take) {
            self.door.close(stream);
        }
    }

    fn read(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        buf.clear();
        dir.with_stream(|stream| {
            let stream = match stream {
                Some(stream) => stream,
                none => none.insert(self.reopen(dir)?),
            };
            self.door.next_entries(stream, buf)
        })
    }

    fn rewind(&self, dir: &Dir) -> io::Result<()> {
        let stream = self.reopen(dir)?;
        if let Some(old) = dir.with_stream(|place| place.replace(stream)) {
            self.door.close(old);
        }
        Ok(())
    }

    fn remove_child(&self, parent: &Dir, name: Name<'_, text::Unit>, kind: Kind) -> Removed {
        match self.remove(&parent.child(name), kind) {
            Ok(removed) => removed,
            Err(error) if error.kind() == ErrorKind::NotFound => Removed::Gone,
            Err(error) => Removed::Failed(error),
        }
    }

    /// Closes, then removes: some systems keep a directory that somebody has open.
    fn finish_dir(&self, parent: &Dir, name: Name<'_, text::Unit>, dir: Dir) -> Finished<Dir> {
        if let Some(stream) = dir.with_stream(Option::take) {
            self.door.close(stream);
        }
        let Err(error) = self.door.remove_dir(&parent.child(name)) else {
            return Finished::Done;
        };
        match error.kind() {
            ErrorKind::NotFound => Finished::Gone,
            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => Finished::NotEmpty(dir),
            _ => Finished::Failed(dir, error),
        }
    }

    fn remove_empty_dir(&self, parent: &Dir, name: Name<'_, text::Unit>) -> io::Result<()> {
        self.door.remove_dir(&parent.child(name))
    }

    /// Looks first, because the library's rename replaces. What slips in between is an empty
    /// directory at most, in the tree that is being removed, under a name that was made up.
    fn move_dir(
        &self,
        from: &Dir,
        name: Name<'_, text::Unit>,
        to: &Dir,
        fresh: Name<'_, text::Unit>,
    ) -> io::Result<()> {
        let target = to.child(fresh);
        match self.door.symlink_metadata(&target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
        }
        self.door.rename(&from.child(name), &target)
    }

    const SOURCES: Sources = Sources {
        listing: Fields::KIND.union(if cfg!(unix) { Fields::ID } else { Fields::NONE }),
        query: facts::KNOWN,
        query_calls: 1,
        directory_calls: 2,
        target_calls: 1,
        extended: Fields::NONE,
        extended_calls: 0,
        secured: Fields::NONE,
        secured_calls: 0,
    };

    fn locate(&self, path: &Path) -> io::Result<(Dir, Vec<text::Unit>)> {
        let mut units = text::units(path)?;
        if units.contains(&0) {
            return Err(ErrorKind::InvalidInput.into());
        }
        units.push(0);
        Ok((Dir::new(PathBuf::new(), None), units))
    }

    fn open_below(&self, from: &Dir, path: Name<'_, text::Unit>, follow: bool) -> Opened<Dir> {
        if !follow {
            return super::open_step_by_step(self, from, path);
        }
        let path = from.child(path);
        match self.door.read_dir(&path) {
            Ok(entries) => Opened::Dir(Dir::new(path, Some(Stream::new(entries)))),
            Err(error) if is_shortage(&error) => Opened::Shortage(error),
            Err(error) => match error.kind() {
                ErrorKind::NotFound => Opened::Gone,
                ErrorKind::NotADirectory => Opened::NotDirectory,
                _ => Opened::Failed(error),
            },
        }
    }

    fn query(&self, parent: &Dir, name: Name<'_, text::Unit>, ask: Ask) -> io::Result<Facts> {
        let path = parent.child(name);
        let found =
            if ask.follow { self.door.metadata(&path) } else { self.door.symlink_metadata(&path) };
        Ok(facts::of(&found?))
    }

    fn query_dir(&self, dir: &Dir, _ask: Ask) -> io::Result<Facts> {
        Ok(facts::of(&self.door.metadata(dir.path())?))
    }

    fn read_link(
        &self,
        parent: &Dir,
        name: Name<'_, text::Unit>,
        target: &mut Vec<text::Unit>,
    ) -> io::Result<()> {
        *target = text::units(&self.door.read_link(&parent.child(name))?)?;
        Ok(())
    }

    fn absolute(&self, path: &Path) -> io::Result<PathBuf> {
        self.door.absolute(path)
    }

    /// What stands there is looked at first: the library cannot open without waiting.
    fn read_file(
        &self,
        parent: &Dir,
        name: Name<'_, text::Unit>,
        most: usize,
    ) -> io::Result<Vec<u8>> {
        let path = parent.child(name);
        let found = self.door.symlink_metadata(&path)?;
        if !found.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        if found.len() > most as u64 {
            return Err(ErrorKind::FileTooLarge.into());
        }
        self.door.read(&path)
    }

    /// The library tells only whether nobody may write.
    fn may(&self, parent: &Dir, name: Name<'_, text::Unit>, asked: Fields) -> io::Result<Fields> {
        let found = self.door.metadata(&parent.child(name))?;
        let is_writable = !found.permissions().readonly();
        Ok(if is_writable { asked } else { asked.without(Fields::WRITABLE) })
    }

    /// The library knows no names of owners.
    fn owners(
        &self,
        _parent: &Dir,
        _name: Name<'_, text::Unit>,
        _asked: Fields,
        _facts: &Facts,
    ) -> io::Result<Owners> {
        Ok(Owners::default())
    }

    fn stat_child(&self, parent: &Dir, name: Name<'_, text::Unit>) -> io::Result<Stat> {
        let path = parent.child(name);
        let found = self.door.symlink_metadata(&path)?;
        self.stat(&path, &found)
    }

    fn stat_dir(&self, dir: &Dir) -> io::Result<Stat> {
        let found = self.door.metadata(dir.path())?;
        self.stat(dir.path(), &found)
    }

    fn root_identity(&self) -> io::Result<Identity> {
        let root = Path::new(std::path::MAIN_SEPARATOR_STR);
        self.identity(root, &self.door.metadata(root)?)
    }

    fn may_write(&self, parent: &Dir, name: Name<'_, text::Unit>, kind: Kind) -> bool {
        let readonly = |found: Metadata| found.permissions().readonly();
        kind == Kind::Symlink
            || self.door.symlink_metadata(&parent.child(name)).is_ok_and(|found| !readonly(found))
    }

    fn inode_order_pays(&self, _dir: &Dir) -> bool {
        false
    }

    /// The library does not say; this is the least that a system in use today begins with.
    fn descriptor_limit(&self) -> usize {
        256
    }

    fn processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn now(&self) -> Duration {
        self.door.now()
    }

    fn sleep(&self, time: Duration) {
        self.door.sleep(time);
    }

    fn wall_clock(&self) -> Duration {
        since_epoch(SystemTime::now())
    }

    fn thread_usage(&self) -> Usage {
        Usage::default()
    }
}

/// A directory itself: a link to one, or a junction, is not.
fn is_directory(found: &Metadata) -> bool {
    dir::kind(found.file_type()) == Kind::Directory
}

/// The numbers of `EMFILE`, `ENFILE` and `ENOMEM`, the same on every Unix.
fn is_shortage(error: &io::Error) -> bool {
    const NUMBERS: [i32; 3] = [24, 23, 12];
    error.raw_os_error().is_some_and(|number| NUMBERS.contains(&number))
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it is not known")]
fn device(found: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::dev(found))
}

#[cfg(not(unix))]
fn device(_found: &Metadata) -> Option<u64> {
    None
}

#[cfg(unix)]
fn links(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

/// The library does not tell; at least the name that led here.
#[cfg(not(unix))]
fn links(_found: &Metadata) -> u64 {
    1
}

#[cfg(unix)]
fn allocated(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(found) * 512
}

/// The library does not tell; the length is the nearest.
#[cfg(not(unix))]
fn allocated(found: &Metadata) -> u64 {
    found.len()
}

#[cfg(not(unix))]
fn hash(seed: u8, path: &Path) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (seed, path).hash(&mut hasher);
    hasher.finish()
}

fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
