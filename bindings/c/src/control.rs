//! Threads, callbacks and cancellation of long work.
//!
//!     static volatile int cancel;
//!     curt_control control = CURT_CONTROL_INIT;
//!     control.threads = CURT_THREADS_AUTOMATIC;
//!     control.cancel = &cancel;
//!     if (curt_remove(CURT_CWD, curt_z("tree"), NULL, &control, NULL, NULL) != CURT_E_STOPPED)
//!         puts("not cancelled");

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};

use curt::{Error, Kind, Next, Threads};

use crate::error::{curt_error, units_with_nul};
use crate::guard::Failure;
use crate::metadata::number_of;
use crate::structs::{self, Versioned};
use crate::text::curt_str;

/// The maximum for `threads`.
pub const CURT_THREADS_MOST: u32 = 1024;
const _: () = assert!(CURT_THREADS_MOST as usize == Threads::MOST);
/// As many threads as make the work faster.
pub const CURT_THREADS_AUTOMATIC: u32 = u32::MAX;

/// How to run long work. The default is one thread without callbacks. A callback stops the work by
/// returning anything but 0. The function then joins its threads, and returns `CURT_E_STOPPED` or
/// the result of an earlier failure.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_control {
    /// Size of this struct.
    pub size: usize,
    /// The maximum number of threads, including the caller's; at most `CURT_THREADS_MOST`.
    pub threads: u32,
    /// Must be 0.
    pub reserved: u32,
    /// NULL, or an `int` that a signal handler or another thread can set. Any value but 0 stops the
    /// work within milliseconds, but does not interrupt a blocking system call. Stopping can take
    /// half a second with an array of a million paths, or while `curt_usage` with
    /// `CURT_TREE_FOLLOW` sorts a directory of a million entries.
    pub cancel: *const c_int,
    /// NULL, or a callback that runs at the start and then every few milliseconds.
    pub poll: Option<unsafe extern "C" fn(context: *mut c_void) -> c_int>,
    /// NULL, or a callback for each failure. The error lives until the callback returns.
    pub on_error:
        Option<unsafe extern "C" fn(context: *mut c_void, error: *const curt_error) -> c_int>,
    /// Passed to the callbacks.
    pub context: *mut c_void,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_control {}

#[derive(Clone, Copy)]
pub(crate) struct Control(Option<curt_control>);

// SAFETY: `poll` and `report` run only on the caller's thread, and the `int` is read atomically.
unsafe impl Send for Control {}
// SAFETY: as above.
unsafe impl Sync for Control {}

impl Control {
    /// # Safety
    ///
    /// `control` is NULL, or readable with pointers that are valid until the C function returns.
    pub(crate) unsafe fn new(control: *const curt_control) -> Result<Control, Failure> {
        // SAFETY: upheld by the caller.
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

    pub(crate) fn polls(&self) -> bool {
        self.0.is_some_and(|control| control.poll.is_some() || !control.cancel.is_null())
    }

    pub(crate) fn reports(&self) -> bool {
        self.0.is_some_and(|control| control.on_error.is_some())
    }

    /// Returns whether `cancel` is set. Any thread may call this.
    pub(crate) fn is_cancelled(&self) -> bool {
        let Some(control) = self.0.filter(|control| !control.cancel.is_null()) else {
            return false;
        };
        // SAFETY: `cancel` is aligned and valid during the call, and other threads store the `int`
        // in one piece.
        let flag = unsafe { AtomicI32::from_ptr(control.cancel.cast_mut()) };
        flag.load(Ordering::Relaxed) != 0
    }

    /// Must be called on the caller's thread.
    pub(crate) fn poll(&self) -> Next {
        if self.is_cancelled() {
            return Next::Stop;
        }
        let Some(control) = self.0 else { return Next::Continue };
        let Some(poll) = control.poll else { return Next::Continue };
        // SAFETY: `poll` accepts the caller's `context`.
        next(unsafe { poll(control.context) })
    }

    /// Must be called on the caller's thread.
    pub(crate) fn report(&self, error: &Error) -> Next {
        let Some(control) = self.0 else { return Next::Continue };
        let Some(on_error) = control.on_error else { return Next::Continue };
        let object = curt_error::of(error);
        // SAFETY: `on_error` accepts the caller's `context`, and `object` outlives the call.
        next(unsafe { on_error(control.context, &raw const object) })
    }
}

pub(crate) fn next(answer: c_int) -> Next {
    if answer == 0 { Next::Continue } else { Next::Stop }
}

/// Asks the caller whether to leave out an entry.
///
/// # Safety
///
/// `exclude` accepts `context`.
pub(crate) unsafe fn excludes(
    exclude: Option<unsafe extern "C" fn(*mut c_void, curt_str, u32) -> c_int>,
    context: *mut c_void,
    path: &Path,
    kind: Kind,
) -> bool {
    let Some(exclude) = exclude else { return false };
    let path = units_with_nul(path);
    let text = curt_str::of(&path[..path.len() - 1]);
    // SAFETY: upheld by the caller, and `path` outlives the call.
    unsafe { exclude(context, text, number_of(kind)) != 0 }
}

/// Returns the result of work that continues after failures.
pub(crate) fn outcome(first: Option<Error>, stopped: bool) -> Result<i32, Failure> {
    match first {
        Some(error) => Err(error.into()),
        None if stopped => Err(Failure::Stopped),
        None => Ok(0),
    }
}
