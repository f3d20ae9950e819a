//! How work that can take long is controlled: threads, cancellation, and the caller's callbacks.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

use curt::{Error, Next, Threads};

use crate::error::curt_error;
use crate::guard::Failure;
use crate::structs::{self, Versioned};

/// The most threads that may be asked for.
pub const CURT_THREADS_MOST: u32 = 1024;
const _: () = assert!(CURT_THREADS_MOST as usize == Threads::MOST);
/// As many threads as pay: see `curt_control`.
pub const CURT_THREADS_AUTOMATIC: u32 = u32::MAX;

/// How work that can take long is controlled. All zero but `size`, and NULL in the place of the
/// struct: one thread, no callback.
///
/// Callbacks are called on the caller's thread, with `context`. They must return: nothing here can
/// catch a `longjmp`, an exception or a panic that leaves one. A result other than 0 stops the
/// work, which then returns `CURT_E_STOPPED`, or the result of what failed before; what is under
/// way on other threads ends first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_control {
    /// `sizeof(curt_control)`, set by the caller.
    pub size: usize,
    /// Number of threads, the caller's included, up to `CURT_THREADS_MOST`. 0 and 1 start none,
    /// `CURT_THREADS_AUTOMATIC` starts as many as pay. All have ended when the function returns.
    pub threads: u32,
    /// Must be 0.
    pub reserved: u32,
    /// NULL, or an `int` that a signal handler or another thread may set: other than 0 stops the
    /// work within a few milliseconds. A call of the system that blocks is not interrupted. A
    /// million paths in an array, or entries of a directory that is sorted (by `curt_usage` with
    /// `CURT_TREE_FOLLOW`), take up to half a second that is not interrupted either.
    pub cancel: *const c_int,
    /// NULL, or a callback for the beginning and then every few milliseconds.
    pub poll: Option<unsafe extern "C" fn(context: *mut c_void) -> c_int>,
    /// NULL, or a callback for each failure. The error is the library's, and lives until the
    /// callback returns.
    pub on_error:
        Option<unsafe extern "C" fn(context: *mut c_void, error: *const curt_error) -> c_int>,
    /// Passed to the callbacks.
    pub context: *mut c_void,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_control {}

/// The control of one call.
#[derive(Clone, Copy)]
pub(crate) struct Control(Option<curt_control>);

// SAFETY: callbacks are called on the caller's thread only, which every user of this sees to; the
// `int` is read atomically.
unsafe impl Send for Control {}
// SAFETY: as above.
unsafe impl Sync for Control {}

impl Control {
    /// Reads the control that the caller passed, or NULL.
    ///
    /// # Safety
    ///
    /// The struct can be read, and its pointers are used, until the function that was called
    /// returns.
    pub(crate) unsafe fn new(control: *const curt_control) -> Result<Control, Failure> {
        // SAFETY: as required of the caller.
        let control = unsafe { structs::read(control) }?;
        if control.is_some_and(|control| control.reserved != 0 || !control.cancel.is_aligned()) {
            return Err(Failure::Argument(
                "`reserved` of the control is not 0, or `cancel` is odd",
            ));
        }
        let threads = control.map_or(0, |control| control.threads);
        let is_number = threads != 0 && threads != CURT_THREADS_AUTOMATIC;
        if is_number && Threads::try_from(threads as usize).is_err() {
            return Err(Failure::Argument("`threads` of the control is more than MOST"));
        }
        Ok(Control(control))
    }

    pub(crate) fn threads(&self) -> Threads {
        match self.0.map_or(1, |control| control.threads) {
            CURT_THREADS_AUTOMATIC => Threads::Automatic,
            most => Threads::AtMost(most as usize),
        }
    }

    /// Whether anything is to be polled.
    pub(crate) fn polls(&self) -> bool {
        self.0.is_some_and(|control| control.poll.is_some() || !control.cancel.is_null())
    }

    /// Whether the caller has a callback for failures.
    pub(crate) fn reports(&self) -> bool {
        self.0.is_some_and(|control| control.on_error.is_some())
    }

    /// Whether the caller has set the `int`. On any thread.
    pub(crate) fn is_cancelled(&self) -> bool {
        let Some(control) = self.0.filter(|control| !control.cancel.is_null()) else {
            return false;
        };
        // SAFETY: it is aligned and lives as long as the call; a signal handler writes it at once,
        // as a whole.
        let flag = unsafe { AtomicI32::from_ptr(control.cancel.cast_mut()) };
        flag.load(Ordering::Relaxed) != 0
    }

    /// Asks the caller whether to go on. On the caller's thread only.
    pub(crate) fn poll(&self) -> Next {
        if self.is_cancelled() {
            return Next::Stop;
        }
        let Some(control) = self.0 else { return Next::Continue };
        let Some(poll) = control.poll else { return Next::Continue };
        // SAFETY: the caller's function, with the caller's context.
        next(unsafe { poll(control.context) })
    }

    /// Tells the caller of a failure. On the caller's thread only.
    pub(crate) fn report(&self, error: &Error) -> Next {
        let Some(control) = self.0 else { return Next::Continue };
        let Some(on_error) = control.on_error else { return Next::Continue };
        let object = curt_error::of(error);
        // SAFETY: the caller's function, with the caller's context; the object lives until it
        // returns.
        next(unsafe { on_error(control.context, &raw const object) })
    }
}

/// Returns the answer of a callback.
pub(crate) fn next(answer: c_int) -> Next {
    if answer == 0 { Next::Continue } else { Next::Stop }
}

/// Returns the result of work that goes on after failures: the first of them, or that it was
/// stopped before there was one.
pub(crate) fn outcome(first: Option<Error>, stopped: bool) -> Result<i32, Failure> {
    match first {
        Some(error) => Err(error.into()),
        None if stopped => Err(Failure::Stopped),
        None => Ok(0),
    }
}
