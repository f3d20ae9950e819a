//! The counterpart of `clone` on processors for which it has no machine code: there no child shares
//! the memory of this process.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use crate::sys::unix::child_steps::Steps;

#[allow(dead_code, reason = "there is none")]
pub(super) struct Born {
    pub(super) pid: i32,
    pub(super) handle: Option<OwnedFd>,
    pub(super) failure: Option<(usize, Errno)>,
}

#[allow(clippy::unnecessary_wraps, reason = "elsewhere it may work")]
pub(super) fn start(_: &mut Steps<'_>, _: bool, _: Option<u64>) -> Result<Born, Errno> {
    Err(Errno::NOSYS)
}
