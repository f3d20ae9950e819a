//! Options for canonical names.

/// Which names of a path may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// No name; the path must lead to something. `realpath -e`, Python's `realpath(strict=True)`.
    #[default]
    Nothing,
    /// The last name, also that in the target of a last symlink. `realpath` without an option.
    LastName,
    /// Any name, and names before others need not be directories. `realpath -m`, Python's
    /// `realpath`.
    Anything,
}

/// How symlinks are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Links {
    /// Follows symlinks in place, as the system does. `realpath -P`.
    #[default]
    Follow,
    /// Like [`Links::Follow`], but on Unix at most 40. `realpath(3)`.
    FollowFew,
    /// Removes each `..` with the name before it, then follows symlinks. `realpath -L`.
    FollowLast,
    /// Removes each `..` with the name before it, and leaves symlinks alone. `realpath -s`.
    Keep,
}
