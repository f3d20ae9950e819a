//! The features of a system that curt can do without.

/// A feature of the system that can be switched off, for tests and for finding faults.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// `openat2`, Linux 5.6.
    Openat2,
    /// `statx`, Linux 4.11, and its mount numbers, Linux 5.8.
    Statx,
    /// Removing the entries of a large listing in the order of their file numbers.
    InodeOrder,
    /// `clone3` with signal handlers cleared, Linux 5.5: starts programs without copying memory.
    Clone3,
    /// `posix_spawn`, where `clone3` cannot be used.
    PosixSpawn,
    /// `getdents64` into our own buffer instead of `readdir`.
    RawListing,
    /// Unlinking without asking for the kind first, as Linux never unlinks a directory.
    BlindUnlink,
    /// Descriptors of child processes, Linux 5.3.
    Pidfd,
    /// System calls of a child made directly instead of through the C library.
    RawChild,
    /// The name of an open file, from `/proc`, as the canonical name of what a path leads to.
    OpenName,
}

impl Feature {
    /// All features, by the names that the option `--without` takes.
    pub const ALL: [(&'static str, Feature); 10] = [
        ("openat2", Feature::Openat2),
        ("statx", Feature::Statx),
        ("inode-order", Feature::InodeOrder),
        ("clone3", Feature::Clone3),
        ("posix-spawn", Feature::PosixSpawn),
        ("raw-listing", Feature::RawListing),
        ("blind-unlink", Feature::BlindUnlink),
        ("pidfd", Feature::Pidfd),
        ("raw-child", Feature::RawChild),
        ("open-name", Feature::OpenName),
    ];
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Features(u32);

impl Features {
    pub(crate) fn with(self, feature: Feature) -> Self {
        Features(self.0 | (1 << feature as u32))
    }

    pub(crate) fn and(self, others: Self) -> Self {
        Features(self.0 | others.0)
    }

    pub(crate) fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }
}

#[cfg(test)]
impl Features {
    pub(crate) const NONE: Features = Features(0);

    /// The features that only Linux has: without them, the platform is the portable one.
    #[cfg(unix)]
    pub(crate) fn of_linux() -> Self {
        let portable = [Feature::PosixSpawn];
        let all = Feature::ALL.into_iter().map(|(_, feature)| feature);
        all.filter(|feature| !portable.contains(feature)).fold(Features::NONE, Features::with)
    }

    #[cfg(unix)]
    pub(crate) fn all() -> Self {
        Feature::ALL.into_iter().fold(Features::NONE, |all, (_, feature)| all.with(feature))
    }
}
