//! Memory. When an allocation fails, std prints a message, for which it reads `RUST_BACKTRACE`, and
//! aborts. This allocator aborts first.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::abort;

/// The system's allocator, which aborts the process when memory runs out.
struct Aborting;

#[global_allocator]
static ALLOCATOR: Aborting = Aborting;

#[inline]
fn or_abort(memory: *mut u8) -> *mut u8 {
    if memory.is_null() { abort() } else { memory }
}

// SAFETY: the system's allocator is one; this adds no unwinding.
unsafe impl GlobalAlloc for Aborting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as required of the caller.
        or_abort(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as required of the caller.
        or_abort(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as required of the caller.
        or_abort(unsafe { System.realloc(memory, layout, size) })
    }
}
