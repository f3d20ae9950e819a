//! The choices of callers: the scope of a root, and how files are opened.

use std::io;

use crate::fields::Follow;
use crate::sys::beneath::{Create, How};
use crate::sys::how_of;

/// How a path that would leave the root is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// It is refused: an absolute path, an absolute symbolic link (even one back into the root) and
    /// `..` at the root are errors.
    #[default]
    Beneath,
    /// It is kept inside, as after `chroot`: absolute paths and links start at the root, and `..`
    /// stays there.
    InRoot,
}

/// How a file is opened beneath a [`Root`](crate::Root).
///
/// As in the standard library nothing is chosen at first, and at least one of
/// [`read`](OpenOptions::read), [`write`](OpenOptions::write) and [`append`](OpenOptions::append)
/// must be. [`Root::open_file`](crate::Root::open_file) has an example.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// All but how a file is created.
    how: How,
    create: bool,
    create_new: bool,
    /// Whether they were flags whose combinations are for the system to judge.
    is_of_system: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl OpenOptions {
    /// Creates options with nothing chosen: a link as last name is followed, and new files have the
    /// permissions 0666, less what the process masks.
    #[must_use = "options do nothing until something is opened with them"]
    pub fn new() -> OpenOptions {
        let how = How { follow: true, mode: 0o666, ..How::default() };
        OpenOptions { how, create: false, create_new: false, is_of_system: false }
    }

    /// Makes options of the system's flags, for callers that have them: those of `open(2)`, where
    /// the system judges any combination of them as it does there, or those of the C library's
    /// `_open` on Windows, where a combination has to make sense as these options do.
    ///
    /// `O_CLOEXEC` and `O_NOCTTY` are always set. Flags with which something other than a file is
    /// opened (`O_PATH`, `O_DIRECTORY`, `O_TMPFILE`) and unknown ones are
    /// [`InvalidInput`](io::ErrorKind::InvalidInput), and the message has them.
    ///
    /// ```
    /// # #[cfg(unix)]
    /// # {
    /// # let scratch = std::env::temp_dir().join(format!("curt-flags-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// use curt::beneath::OpenOptions;
    ///
    /// let mut options = OpenOptions::from_flags(libc::O_RDONLY | libc::O_CREAT)?;
    /// let file = curt::Root::open(&scratch)?.open_file("new", options.mode(0o600))?;
    /// assert_eq!(file.metadata()?.len(), 0);
    /// assert!(OpenOptions::from_flags(libc::O_DIRECTORY).is_err());
    /// # std::fs::remove_dir_all(scratch)?;
    /// # }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn from_flags(flags: i32) -> io::Result<OpenOptions> {
        let (how, is_of_system) = how_of(flags).map_err(|unsupported| {
            let message = format!("unsupported flags: {unsupported:#o}");
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })?;
        let (create, create_new) = (how.create == Create::Missing, how.create == Create::New);
        Ok(OpenOptions { how, create, create_new, is_of_system })
    }

    /// Sets whether the file is opened for reading.
    pub fn read(&mut self, yes: bool) -> &mut Self {
        self.how.read = yes;
        self
    }

    /// Sets whether the file is opened for writing.
    pub fn write(&mut self, yes: bool) -> &mut Self {
        self.how.write = yes;
        self
    }

    /// Sets whether every write appends.
    pub fn append(&mut self, yes: bool) -> &mut Self {
        self.how.append = yes;
        self
    }

    /// Sets whether an existing file is truncated.
    pub fn truncate(&mut self, yes: bool) -> &mut Self {
        self.how.truncate = yes;
        self
    }

    /// Sets whether a missing file is created. A broken link creates its target, beneath the root.
    pub fn create(&mut self, yes: bool) -> &mut Self {
        self.create = yes;
        self
    }

    /// Sets whether the file is created and must be missing; a link counts as existing. Then
    /// [`create`](OpenOptions::create) and [`truncate`](OpenOptions::truncate) change nothing.
    pub fn create_new(&mut self, yes: bool) -> &mut Self {
        self.create_new = yes;
        self
    }

    /// Sets whether a link as last name is followed, within the root; [`Follow::Links`] by default.
    /// With [`Follow::Never`] such a link is an error.
    pub fn follow(&mut self, follow: Follow) -> &mut Self {
        self.how.follow = follow != Follow::Never;
        self
    }

    /// Sets whether opening, and reading without data, return at once instead of waiting
    /// (`O_NONBLOCK`). In a directory that others write to, a FIFO can be where a file is expected,
    /// and opening it waits for a writer. Changes nothing for regular files. (On Windows
    /// directories contain no FIFOs.)
    pub fn nonblocking(&mut self, yes: bool) -> &mut Self {
        self.how.nonblocking = yes;
        self
    }

    /// Sets whether only opening returns at once. Afterwards reading and writing wait for data as
    /// usual, unless [`nonblocking`](OpenOptions::nonblocking) is set as well. Costs 1 more call on
    /// Unix, and changes nothing on Windows.
    pub fn nonblocking_open(&mut self, yes: bool) -> &mut Self {
        self.how.nonblocking_open = yes;
        self
    }

    /// Sets the permissions of a new file, less what the process masks. Systems without such bits
    /// ignore them.
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.how.mode = mode & 0o7777;
        self
    }

    /// Returns the request to the system; `None` if the choices contradict each other.
    pub(super) fn how(&self) -> Option<How> {
        let create = match (self.create, self.create_new) {
            (_, true) => Create::New,
            (true, false) => Create::Missing,
            (false, false) => Create::Never,
        };
        let How { read, write, append, truncate, .. } = self.how;
        if self.is_of_system {
            return Some(How { create, ..self.how });
        }
        let is_allowed = match (write, append) {
            (true, false) => true,
            (false, false) => read && !truncate && create == Create::Never,
            // A new file is empty, so truncating it is allowed.
            (_, true) => !truncate || create == Create::New,
        };
        is_allowed.then_some(How { write: write || append, create, ..self.how })
    }
}

#[cfg(test)]
mod tests {
    use super::OpenOptions;

    #[test]
    fn contradictory_options_are_refused() {
        let new = OpenOptions::new;
        for options in [
            &mut new(),
            new().read(true).create(true),
            new().read(true).truncate(true),
            new().append(true).truncate(true),
            new().write(true).append(true).truncate(true),
            new().truncate(true),
            new().create_new(true),
            new().read(true).create_new(true).create(false),
        ] {
            assert!(options.how().is_none(), "{options:?}");
        }
        for options in [
            new().read(true),
            new().write(true).create(true).truncate(true),
            new().append(true).create(true),
            new().append(true).create_new(true).truncate(true),
            new().write(true).create_new(true),
            new().read(true).create(true).create(false),
            new().write(true).create_new(true).create(false).truncate(true),
        ] {
            assert!(options.how().is_some(), "{options:?}");
        }
    }
}
