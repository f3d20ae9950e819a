//! An allocator that aborts when memory runs out. The standard library's handler would first read
//! `RUST_BACKTRACE` and print a message.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::abort;

struct Aborting;

#[global_allocator]
static ALLOCATOR: Aborting = Aborting;

#[inline]
fn or_abort(memory: *mut u8) -> *mut u8 {
    if memory.is_null() { abort() } else { memory }
}

// SAFETY: every method forwards to the system's allocator, and aborts instead of unwinding.
unsafe impl GlobalAlloc for Aborting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: upheld by the caller.
        or_abort(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: upheld by the caller.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: upheld by the caller.
        or_abort(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: upheld by the caller.
        or_abort(unsafe { System.realloc(memory, layout, size) })
    }
}
