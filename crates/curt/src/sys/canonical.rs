//! Options for canonical names.

/// Which components of a path may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// The whole path must exist, as with `realpath -e` and Python's `realpath(strict=True)`.
    #[default]
    Nothing,
    /// The last component may be missing, even in the target of a final symlink. Like `realpath`
    /// without an option.
    LastName,
    /// Any component may be missing, and components may follow even a file. Like `realpath -m` and
    /// Python's `realpath`.
    Anything,
}

/// How symlinks are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Links {
    /// Follows each symlink where it occurs, as the system does. Like `realpath -P`.
    #[default]
    Follow,
    /// Like [`Links::Follow`], but on Unix follows at most 40 symlinks, as `realpath(3)` does.
    FollowFew,
    /// Removes each `..` with the component before it, then follows symlinks. Like `realpath -L`.
    FollowLast,
    /// Removes each `..` with the component before it, and does not follow symlinks. Like `realpath
    /// -s`.
    Keep,
}
