//! Attributes that a Linux thread can change for itself alone.

use std::io;

use rustix::thread::{UnshareFlags, set_thread_res_uid, unshare_unsafe};

/// Gives this thread a private mount namespace.
pub fn separate_mounts() -> io::Result<()> {
    // SAFETY: the thread still shares its descriptors.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
    let propagation = ["--make-rprivate", "/"];
    let made = std::process::Command::new("mount").args(propagation).status()?;
    if made.success() { Ok(()) } else { Err(io::Error::other("mounts cannot be made private")) }
}

/// Changes the user ID of this thread permanently.
pub fn become_user(number: u32) -> io::Result<()> {
    let user = rustix::process::Uid::from_raw(number);
    Ok(set_thread_res_uid(user, user, user)?)
}
