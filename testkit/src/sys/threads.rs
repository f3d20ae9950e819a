//! Threads that share less with the rest of the process than others do: the system allows it for each thread.

use std::io;

use rustix::thread::{UnshareFlags, set_thread_res_uid, unshare_unsafe};

/// Gives this thread mounts that nobody else sees.
pub fn separate_mounts() -> io::Result<()> {
    // SAFETY: descriptors stay shared.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
    let propagation = ["--make-rprivate", "/"];
    let made = std::process::Command::new("mount").args(propagation).status()?;
    if made.success() { Ok(()) } else { Err(io::Error::other("mounts cannot be made private")) }
}

/// Gives this thread a table of descriptors that is a copy of the process's.
///
/// # Safety
///
/// From now on this thread uses no descriptor that another one opens, and no other thread one that this
/// one opens.
pub unsafe fn separate_descriptors() -> io::Result<()> {
    // SAFETY: the caller's promise.
    Ok(unsafe { unshare_unsafe(UnshareFlags::FILES) }?)
}

/// Makes this thread another user's. It does not get back.
pub fn become_user(number: u32) -> io::Result<()> {
    let user = rustix::process::Uid::from_raw(number);
    Ok(set_thread_res_uid(user, user, user)?)
}
