//! Threads that share less with the rest of the process than others do: the system allows it for
//! each thread.

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

/// Makes this thread another user's. It does not get back.
pub fn become_user(number: u32) -> io::Result<()> {
    let user = rustix::process::Uid::from_raw(number);
    Ok(set_thread_res_uid(user, user, user)?)
}
