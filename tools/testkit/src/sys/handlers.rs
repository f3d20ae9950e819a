//! A handler of a signal that says in which process it runs.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

/// The process that may run the handler, and where others that run it say so.
static OWNER: AtomicI32 = AtomicI32::new(0);
static NOTE: AtomicI32 = AtomicI32::new(-1);

extern "C" fn note(_signal: libc::c_int) {
    // SAFETY: it asks for a number.
    if unsafe { libc::getpid() } != OWNER.load(Ordering::Relaxed) {
        // SAFETY: one byte is read from a constant; where the descriptor is closed nothing happens.
        unsafe { libc::write(NOTE.load(Ordering::Relaxed), ptr::from_ref(&b'!').cast(), 1) };
    }
}

/// Handles a signal from now on. What is read from the descriptor was written by other processes
/// that ran the handler of this one; it never waits. Calls that the signal interrupts are not made
/// again.
pub fn note_strangers(signal: i32) -> io::Result<OwnedFd> {
    let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&reader, true)?;
    OWNER.store(i32::try_from(std::process::id()).unwrap_or(0), Ordering::Relaxed);
    NOTE.store(writer.as_raw_fd(), Ordering::Relaxed);
    // It stays open as long as the handler is there.
    std::mem::forget(writer);
    // SAFETY: all zeros is an action with an empty mask and no flags.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = note as *const () as usize;
    // SAFETY: the action is one, whose handler makes two calls that a handler may make.
    let failed = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(reader) }
}
