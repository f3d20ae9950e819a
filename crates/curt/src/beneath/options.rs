use std::io;

use crate::fields::Follow;
use crate::sys::beneath::{Create, How};
use crate::sys::how_of;

/// How to treat a path that would leave the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// Refuses the path. Absolute paths, absolute symlinks (even back into the root) and `..` at
    /// the root are errors.
    #[default]
    Beneath,
    /// Confines the path, as `chroot` does: absolute paths and symlinks start at the root, and `..`
    /// at the root remains there.
    InRoot,
}

/// How to open a file beneath a [`Root`](crate::Root).
///
/// As in the standard library, set at least one of [`read`](OpenOptions::read),
/// [`write`](OpenOptions::write) and [`append`](OpenOptions::append).
#[derive(Clone, Debug)]
pub struct OpenOptions {
    how: How,
    create: bool,
    create_new: bool,
    /// Whether these are the system's own flags, whose combination only the system checks.
    is_of_system: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl OpenOptions {
    /// Creates options without any access, with mode 0666 minus the umask. Symlinks are followed.
    #[must_use = "options do nothing until something is opened with them"]
    pub fn new() -> OpenOptions {
        let how = How { follow: true, mode: 0o666, ..How::default() };
        OpenOptions { how, create: false, create_new: false, is_of_system: false }
    }

    /// Creates options from the system's `open` flags.
    ///
    /// On Unix these are flags of `open(2)`, and the system checks their combination. On Windows
    /// these are flags of the C library's `_open`, in combinations that the methods of this type
    /// permit.
    ///
    /// `O_CLOEXEC` and `O_NOCTTY` are always set. Flags for objects other than files (`O_PATH`,
    /// `O_DIRECTORY`, `O_TMPFILE`) and unknown flags fail with
    /// [`InvalidInput`](io::ErrorKind::InvalidInput).
    ///
    /// ```
    /// # #[cfg(unix)]
    /// # {
    /// # let scratch = std::env::temp_dir().join(format!("curt-flags-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// use curt::beneath::OpenOptions;
    ///
    /// // `scratch` is an empty directory.
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

    /// Opens the file for reading.
    pub fn read(&mut self, yes: bool) -> &mut Self {
        self.how.read = yes;
        self
    }

    /// Opens the file for writing.
    pub fn write(&mut self, yes: bool) -> &mut Self {
        self.how.write = yes;
        self
    }

    /// Makes every write append to the end of the file.
    pub fn append(&mut self, yes: bool) -> &mut Self {
        self.how.append = yes;
        self
    }

    /// Truncates an existing file.
    pub fn truncate(&mut self, yes: bool) -> &mut Self {
        self.how.truncate = yes;
        self
    }

    /// Creates a missing file. If the name is a broken symlink, creates the symlink's target, but
    /// only beneath the root.
    pub fn create(&mut self, yes: bool) -> &mut Self {
        self.create = yes;
        self
    }

    /// Creates the file. Fails if the name exists, even as a symlink.
    ///
    /// [`create`](OpenOptions::create) and [`truncate`](OpenOptions::truncate) are then ignored.
    pub fn create_new(&mut self, yes: bool) -> &mut Self {
        self.create_new = yes;
        self
    }

    /// Sets whether to follow a symlink in the last component, within the root; [`Follow::Links`]
    /// by default.
    ///
    /// With [`Follow::Never`], opening such a symlink fails.
    pub fn follow(&mut self, follow: Follow) -> &mut Self {
        self.how.follow = follow != Follow::Never;
        self
    }

    /// Makes opening and reading return at once instead of waiting for data (`O_NONBLOCK`).
    ///
    /// In a directory that other users can write to, a file can be replaced with a FIFO, and
    /// opening a FIFO otherwise waits for a writer. Regular files are not affected.
    pub fn nonblocking(&mut self, yes: bool) -> &mut Self {
        self.how.nonblocking = yes;
        self
    }

    /// Makes opening return at once, but lets reads and writes wait as usual.
    ///
    /// [`nonblocking`](OpenOptions::nonblocking) takes precedence. Costs 1 more call on Unix;
    /// ignored on Windows.
    pub fn nonblocking_open(&mut self, yes: bool) -> &mut Self {
        self.how.nonblocking_open = yes;
        self
    }

    /// Sets the permissions of a new file, minus the umask. Ignored on systems without mode bits.
    pub fn mode(&mut self, mode: u32) -> &mut Self {
        self.how.mode = mode & 0o7777;
        self
    }

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
            // Appending with truncation is allowed only for a new file, which is empty anyway.
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
