//! Options for canonical names.

/// Which components of a path may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// None; the whole path must exist. Like `realpath -e`, Python's `realpath(strict=True)`.
    #[default]
    Nothing,
    /// The last component, even in the target of a symlink in the last component. Like `realpath`
    /// without an option.
    LastName,
    /// Any component, and components before others need not be directories. Like `realpath -m`,
    /// Python's `realpath`.
    Anything,
}

/// How symlinks are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Links {
    /// Follows symlinks in place, as the system does. Like `realpath -P`.
    #[default]
    Follow,
    /// Like [`Links::Follow`], but follows at most 40 symlinks on Unix. Like `realpath(3)`.
    FollowFew,
    /// Removes each `..` with the component before it, then follows symlinks. Like `realpath -L`.
    FollowLast,
    /// Removes each `..` with the component before it, and does not follow symlinks. Like
    /// `realpath -s`.
    Keep,
}
