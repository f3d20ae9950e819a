//! What of a system curt can do without.

/// A feature of a system that curt can do without, and is made to in tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// `openat2`, Linux 5.6.
    Openat2,
    /// `statx`, Linux 4.11, and its mount numbers, Linux 5.8.
    Statx,
    /// Skipping the listing call that would only say that a listing has ended.
    ShortListing,
    /// Removing large listings in the order of their file numbers.
    InodeOrder,
    /// `clone3` with handlers cleared, Linux 5.5: starting programs without copying anything.
    Clone3,
    /// `posix_spawn`, where that is the next best way to start a program.
    PosixSpawn,
    /// `getdents64` into our own buffer, in place of `readdir`.
    RawListing,
    /// Unlinking without asking for the kind first: Linux never unlinks a directory.
    BlindUnlink,
    /// Descriptors of child processes, Linux 5.3.
    Pidfd,
    /// The calls of a child straight to the kernel, in place of the C library's.
    RawChild,
}

impl Feature {
    /// All of them, by the name that the command's `--without` takes.
    pub const ALL: [(&'static str, Feature); 10] = [
        ("openat2", Feature::Openat2),
        ("statx", Feature::Statx),
        ("short-listing", Feature::ShortListing),
        ("inode-order", Feature::InodeOrder),
        ("clone3", Feature::Clone3),
        ("posix-spawn", Feature::PosixSpawn),
        ("raw-listing", Feature::RawListing),
        ("blind-unlink", Feature::BlindUnlink),
        ("pidfd", Feature::Pidfd),
        ("raw-child", Feature::RawChild),
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

    /// What Linux alone has: a setup without these is the portable platform.
    #[cfg(unix)]
    pub(crate) fn of_linux() -> Self {
        let portable = [Feature::ShortListing, Feature::PosixSpawn];
        let all = Feature::ALL.into_iter().map(|(_, feature)| feature);
        all.filter(|feature| !portable.contains(feature)).fold(Features::NONE, Features::with)
    }

    #[cfg(unix)]
    pub(crate) fn all() -> Self {
        Feature::ALL.into_iter().fold(Features::NONE, |all, (_, feature)| all.with(feature))
    }
}
