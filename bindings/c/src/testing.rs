//! What the tests have in common.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::thread::{self, ThreadId};

use crate::control::curt_control;
use crate::error::curt_error;

/// A control without choices.
pub(crate) const CONTROL: curt_control = curt_control {
    size: size_of::<curt_control>(),
    threads: 0,
    reserved: 0,
    cancel: ptr::null(),
    poll: None,
    on_error: None,
    context: ptr::null_mut(),
};

/// On which threads callbacks were called, and after how many calls they stop the work.
pub(crate) struct Calls {
    threads: RefCell<Vec<ThreadId>>,
    stop_after: usize,
}

impl Calls {
    pub(crate) fn new(stop_after: usize) -> Calls {
        Calls { threads: RefCell::default(), stop_after }
    }

    unsafe fn of<'a>(context: *mut c_void) -> &'a Calls {
        // SAFETY: all callbacks here get calls as their context.
        unsafe { &*context.cast() }
    }

    /// Returns how often a callback was called, each time on this thread.
    pub(crate) fn count_here(&self) -> usize {
        let threads = self.threads.borrow();
        assert!(threads.iter().all(|&id| id == thread::current().id()));
        threads.len()
    }

    fn called(&self) -> c_int {
        let mut threads = self.threads.borrow_mut();
        threads.push(thread::current().id());
        (threads.len() > self.stop_after).into()
    }

    pub(crate) fn context(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }
}

pub(crate) unsafe extern "C" fn poll(context: *mut c_void) -> c_int {
    // SAFETY: as passed to the removal.
    unsafe { Calls::of(context) }.called()
}

pub(crate) unsafe extern "C" fn on_error(context: *mut c_void, error: *const curt_error) -> c_int {
    assert!(!error.is_null());
    // SAFETY: as above.
    unsafe { Calls::of(context) }.called()
}

pub(crate) unsafe extern "C" fn on_progress(context: *mut c_void, files: u64, _: u64) -> c_int {
    // SAFETY: as above.
    let calls = unsafe { Calls::of(context) };
    calls.called() & c_int::from(files > 0)
}
