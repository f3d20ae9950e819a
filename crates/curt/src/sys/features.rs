/// A system feature that can be switched off, for tests and debugging.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// `openat2` (Linux 5.6).
    Openat2,
    /// `statx` (Linux 4.11) and its mount IDs (Linux 5.8).
    Statx,
    /// Removing the entries of a large listing in inode order.
    InodeOrder,
    /// `getdents64` into our own buffer instead of `readdir`.
    RawListing,
    /// Unlinking without querying the kind first. Safe on Linux, which never unlinks a directory.
    BlindUnlink,
    /// Waiting for a child with a time limit, by a process descriptor (Linux 5.3).
    Pidfd,
    /// Canonical names read from the `/proc` symlink of an open file.
    OpenName,
}

impl Feature {
    /// All features, by their names in the option `--without`.
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

    #[cfg(unix)]
    pub(crate) fn all() -> Self {
        Feature::ALL.into_iter().fold(Features::NONE, |all, (_, feature)| all.with(feature))
    }
}
