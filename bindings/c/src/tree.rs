//! What the functions for trees have in common.

/// Links are followed, also below a path. A link that leads back to a directory above it is a
/// failure, `CURT_E_LOOP`; `curt_usage`, which has counted that directory, leaves it out, and a
/// link that leads nowhere is a failure there.
pub const CURT_TREE_FOLLOW: u32 = 1;
/// Directories on another file system than that of the path are not entered.
pub const CURT_TREE_SAME_FILE_SYSTEM: u32 = 2;
/// A file with several names counts for each of them. For `curt_usage` only.
pub const CURT_TREE_COUNT_LINKS: u32 = 4;
