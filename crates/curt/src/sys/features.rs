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
    /// `getdents64` into our own buffer instead of `readdir`.
    RawListing,
    /// Unlinking without asking for the kind first, as Linux never unlinks a directory.
    BlindUnlink,
    /// Descriptors of child processes, Linux 5.3: waits for their end with a limit.
    Pidfd,
    /// The name of an open file, from `/proc`, as the canonical name of what a path leads to.
    OpenName,
}

impl Feature {
    /// All features, by the names that the option `--without` takes.
    pub const ALL: [(&'static str, Feature); 7] = [
        ("openat2", Feature::Openat2),
        ("statx", Feature::Statx),
        ("inode-order", Feature::InodeOrder),
        ("raw-listing", Feature::RawListing),
        ("blind-unlink", Feature::BlindUnlink),
        ("pidfd", Feature::Pidfd),
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

    #[cfg_attr(windows, allow(dead_code, reason = "nothing there can be switched off"))]
    pub(crate) fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }
}

#[cfg(test)]
impl Features {
    pub(crate) const NONE: Features = Features(0);

    /// Without them the platform is the portable one.
    #[cfg(unix)]
    pub(crate) fn all() -> Self {
        Feature::ALL.into_iter().fold(Features::NONE, |all, (_, feature)| all.with(feature))
    }
}
