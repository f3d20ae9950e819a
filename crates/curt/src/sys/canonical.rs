//! Which canonical name is asked for.

/// Which names of a path may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// None: what the path leads to exists. `realpath -e`, Python's `realpath(strict=True)`.
    #[default]
    Nothing,
    /// The last name, or the one that a link at the end leads to. `realpath` without an option.
    LastName,
    /// Any name, and one that is followed by others may be no directory. `realpath -m`, Python's
    /// `realpath`.
    Anything,
}

/// What happens to symbolic links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Links {
    /// They are followed where they stand, as the system does. `realpath -P`.
    #[default]
    Follow,
    /// They are followed as by [`Links::Follow`], but on Unix at most 40. `realpath(3)`.
    FollowFew,
    /// They are followed after `..` was removed together with the name before it. `realpath -L`.
    FollowLast,
    /// They stay as they are, and `..` is removed together with the name before it. `realpath -s`.
    Keep,
}
