//! What a caller can choose.

use crate::sys::beneath::{Create, How};

/// What happens to a path that would leave the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// It is refused: an absolute path, an absolute link (also one that leads back in) and `..` at
    /// the root are errors.
    #[default]
    Beneath,
    /// It is kept in, as in a changed root directory: absolute paths and links begin at the root,
    /// and `..` stays there.
    InRoot,
}

/// How a file is opened beneath a [`Root`](crate::Root). As in the standard library, nothing is
/// chosen at first, and at least one of [`read`](OpenOptions::read), [`write`](OpenOptions::write)
/// and [`append`](OpenOptions::append) must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "options do nothing until something is opened with them"]
pub struct OpenOptions {
    how: How,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl OpenOptions {
    /// Nothing chosen; links at the end are followed, and what is made has the permissions 0666
    /// less those that the process masks.
    pub fn new() -> OpenOptions {
        OpenOptions { how: How { follow: true, mode: 0o666, ..How::default() } }
    }

    /// Whether it can be read.
    pub fn read(mut self, yes: bool) -> Self {
        self.how.read = yes;
        self
    }

    /// Whether it can be written.
    pub fn write(mut self, yes: bool) -> Self {
        self.how.write = yes;
        self
    }

    /// Whether each write goes to the end.
    pub fn append(mut self, yes: bool) -> Self {
        self.how.append = yes;
        self
    }

    /// Whether what is there is emptied.
    pub fn truncate(mut self, yes: bool) -> Self {
        self.how.truncate = yes;
        self
    }

    /// Whether it is made where it is missing. A link that leads to a missing file makes that file,
    /// beneath the root.
    pub fn create(mut self, yes: bool) -> Self {
        self.how.create = if yes { Create::Missing } else { Create::Never };
        self
    }

    /// Whether it is made, and must be missing; a link counts as there. The last one called of this
    /// and [`OpenOptions::create`] counts.
    pub fn create_new(mut self, yes: bool) -> Self {
        self.how.create = if yes { Create::New } else { Create::Never };
        self
    }

    /// Whether a link at the end is followed, within the root; on by default. Without it, such a
    /// link is an error.
    pub fn follow(mut self, yes: bool) -> Self {
        self.how.follow = yes;
        self
    }

    /// Whether opening, and reading where nothing is there yet, waits for nobody. In a directory
    /// that others write to, a pipe may lie where a file is expected, and opening it waits for a
    /// writer. (Windows has no such files in directories.)
    pub fn nonblocking(mut self, yes: bool) -> Self {
        self.how.nonblocking = yes;
        self
    }

    /// The permissions of what is made, less those that the process masks. Systems without such
    /// bits ignore them.
    pub fn mode(mut self, mode: u32) -> Self {
        self.how.mode = mode & 0o7777;
        self
    }

    /// What is asked of the system; `None` where the choices contradict each other.
    pub(super) fn how(&self) -> Option<&How> {
        let How { read, write, append, truncate, create, .. } = self.how;
        let is_allowed = match (write, append) {
            (true, false) => true,
            (false, false) => read && !truncate && create == Create::Never,
            // What is new is empty, so truncating it contradicts nothing.
            (_, true) => !truncate || create == Create::New,
        };
        is_allowed.then_some(&self.how)
    }
}

#[cfg(test)]
mod tests {
    use super::OpenOptions;

    #[test]
    fn contradictions_are_no_way_to_open() {
        let new = OpenOptions::new;
        for options in [
            new(),
            new().read(true).create(true),
            new().read(true).truncate(true),
            new().append(true).truncate(true),
            new().write(true).append(true).truncate(true),
            new().truncate(true),
            new().create_new(true),
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
        ] {
            assert!(options.how().is_some(), "{options:?}");
        }
    }
}
