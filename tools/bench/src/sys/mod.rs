//! What the bench needs of the system beyond what safe libraries offer.
#![allow(unsafe_code, reason = "closing a range of descriptors has no safe form")]

use std::os::fd::{FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};

/// Closes descriptors, neighbours with one call.
pub(crate) fn close_many(descriptors: &mut Vec<OwnedFd>) {
    let mut numbers: Vec<RawFd> = descriptors.drain(..).map(OwnedFd::into_raw_fd).collect();
    numbers.sort_unstable();
    for run in numbers.chunk_by(|low, high| low + 1 == *high) {
        let (first, last) = (run[0].unsigned_abs(), run[run.len() - 1].unsigned_abs());
        // The C library musl has no function for this call.
        let closed = run.len() > 1
            // SAFETY: no memory is involved, and the numbers are those of descriptors that were
            // given away.
            && unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == 0;
        if !closed {
            for &number in run {
                // SAFETY: the number is that of a descriptor that was given away, and nothing has closed it.
                drop(unsafe { OwnedFd::from_raw_fd(number) });
            }
        }
    }
}
