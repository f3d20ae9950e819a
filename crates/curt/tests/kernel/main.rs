//! Operations beneath a root, compared with the kernel: the test calls `openat2` itself, and both
//! implementations must answer as it does.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod changes;
mod links;
mod names;
mod processes;
mod races;
mod table;

use curt::beneath::Scope;
use curt::{Feature, Root};

/// The implementations: the kernel's one call, and the single steps.
pub(crate) const WAYS: [(&str, &[Feature]); 2] =
    [("openat2", &[]), ("single steps", &[Feature::Openat2])];

/// The scopes, with the kernel's flag for each.
pub(crate) const SCOPES: [(Scope, rustix::fs::ResolveFlags); 2] = [
    (Scope::Beneath, rustix::fs::ResolveFlags::BENEATH),
    (Scope::InRoot, rustix::fs::ResolveFlags::IN_ROOT),
];

/// Opens a root for one of the implementations.
pub(crate) fn root(path: &std::path::Path, without: &[Feature]) -> Root {
    Root::open_without(path, without).unwrap()
}

/// Returns whether the kernel has `openat2`.
pub(crate) fn has_openat2() -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    openat2(CWD, ".", OFlags::PATH, Mode::empty(), ResolveFlags::BENEATH).is_ok()
}
