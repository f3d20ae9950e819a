//! A counting allocator with counts per thread, so parallel tests do not affect each other. Memory
//! freed on another thread changes the counts of both.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator with counts. Declare it in the test's main file:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: curt_testkit::alloc::Counting = curt_testkit::alloc::Counting;
/// ```
#[derive(Debug)]
pub struct Counting;

/// The allocations of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes allocated and not yet freed.
    pub live: isize,
    /// The maximum of `live`.
    pub peak: isize,
    /// The number of allocations and reallocations.
    pub count: u64,
}

#[cfg(not(windows))]
mod own {
    use super::{Cell, Usage};

    thread_local! {
        static USAGE: Cell<Usage> = const { Cell::new(Usage { live: 0, peak: 0, count: 0 }) };
    }

    pub(super) fn with<T>(with: impl FnOnce(&Cell<Usage>) -> T) -> Option<T> {
        USAGE.try_with(with).ok()
    }
}

/// Avoids `thread_local`, which allocates on some Windows targets.
#[cfg(windows)]
mod own {
    use super::{Cell, GlobalAlloc, Layout, System, Usage};
    use std::sync::OnceLock;
    use windows_sys::Win32::System::Threading::{TlsAlloc, TlsGetValue, TlsSetValue};

    /// Calls `with` with the counts, allocated on first use and never freed: a few words per
    /// thread.
    pub(super) fn with<T>(with: impl FnOnce(&Cell<Usage>) -> T) -> Option<T> {
        static SLOT: OnceLock<u32> = OnceLock::new();
        // SAFETY: `TlsAlloc` has no preconditions.
        let slot = *SLOT.get_or_init(|| unsafe { TlsAlloc() });
        // SAFETY: if `TlsAlloc` failed, the index is invalid, and `TlsGetValue` returns null.
        let mut counts = unsafe { TlsGetValue(slot) };
        if counts.is_null() {
            // SAFETY: the layout is not empty, and zeroed counts are valid.
            counts = unsafe { System.alloc_zeroed(Layout::new::<Cell<Usage>>()) }.cast();
            // SAFETY: the system stores the pointer, but does not dereference it.
            unsafe { TlsSetValue(slot, counts) };
        }
        // SAFETY: null, or allocated above, never freed, and used only by this thread.
        unsafe { counts.cast::<Cell<Usage>>().as_ref() }.map(with)
    }
}

/// Returns the allocations of `run` on this thread; bytes are relative to the start.
pub fn measure<T>(run: impl FnOnce() -> T) -> (T, Usage) {
    let before = swap(|now| Usage { peak: now.live, ..now });
    let result = run();
    let after = swap(|now| Usage { peak: now.peak.max(before.peak), ..now });
    let used = Usage {
        live: after.live - before.live,
        peak: after.peak - before.live,
        count: after.count - before.count,
    };
    (result, used)
}

fn swap(change: impl FnOnce(Usage) -> Usage) -> Usage {
    own::with(|usage| usage.replace(change(usage.get()))).unwrap_or_default()
}

#[allow(clippy::cast_possible_wrap, reason = "no layout is so large")]
fn add(freed: usize, allocated: usize) {
    let _ = own::with(|usage| {
        let mut now = usage.get();
        now.live += allocated as isize - freed as isize;
        now.peak = now.peak.max(now.live);
        now.count += u64::from(allocated > 0);
        usage.set(now);
    });
}

// SAFETY: every method forwards to the system allocator. Counting does not allocate: the counts are
// initialized by a constant and need no destructor.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller upholds the contract of `GlobalAlloc`.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(0, layout.size());
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: as in `alloc`.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(0, layout.size());
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    // SAFETY: as in `alloc`.
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(layout.size(), size);
        // SAFETY: the caller upholds the contract; `at` came from `System`.
        unsafe { System.realloc(at, layout, size) }
    }

    // SAFETY: as in `alloc`.
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        add(layout.size(), 0);
        // SAFETY: the caller upholds the contract; `at` came from `System`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counting, measure};

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    #[test]
    fn allocations_of_this_thread_are_counted() {
        let ((), none) = measure(|| {});
        assert_eq!((none.live, none.peak, none.count), (0, 0, 0));
        let (kept, used) = measure(|| {
            drop(vec![1_u8; 1000]);
            vec![1_u8; 100]
        });
        assert_eq!((used.live, used.peak, used.count), (100, 1000, 2));
        let (thread, used) = measure(|| std::thread::spawn(move || drop(vec![0_u8; 1 << 20])));
        thread.join().unwrap();
        assert!(used.peak < 1 << 19, "{used:?}");
        drop(kept);
    }
}
