//! Compares operations beneath a root with the kernel. With and without `openat2`, curt must agree
//! with the test's own calls of `openat2`.
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

pub(crate) const WAYS: [(&str, &[Feature]); 2] =
    [("openat2", &[]), ("single steps", &[Feature::Openat2])];

pub(crate) const SCOPES: [(Scope, rustix::fs::ResolveFlags); 2] = [
    (Scope::Beneath, rustix::fs::ResolveFlags::BENEATH),
    (Scope::InRoot, rustix::fs::ResolveFlags::IN_ROOT),
];

pub(crate) fn root(path: &std::path::Path, without: &[Feature]) -> Root {
    Root::open_without(path, without).unwrap()
}

pub(crate) fn has_openat2() -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    openat2(CWD, ".", OFlags::PATH, Mode::empty(), ResolveFlags::BENEATH).is_ok()
}
