//! An allocator that counts, for tests that assert what an operation allocates.
//!
//! The counts are those of the thread that asks, so that tests running side by side do not see each
//! other. Memory that one thread allocates and another frees is counted where each happens.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with counts. To be declared in the test's main file:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: curt_testkit::alloc::Counting = curt_testkit::alloc::Counting;
/// ```
#[derive(Debug)]
pub struct Counting;

/// What a thread has allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes allocated and not freed.
    pub live: isize,
    /// The most that `live` has been.
    pub peak: isize,
    /// How often memory was allocated or made larger or smaller.
    pub count: u64,
}

/// Where each thread's counts are, in a place that is had without allocating.
#[cfg(not(windows))]
mod own {
    use super::{Cell, Usage};

    thread_local! {
        static USAGE: Cell<Usage> = const { Cell::new(Usage { live: 0, peak: 0, count: 0 }) };
    }

    /// Uses the counts of this thread. A thread that is ending has none any more.
    pub(super) fn with<T>(with: impl FnOnce(&Cell<Usage>) -> T) -> Option<T> {
        USAGE.try_with(with).ok()
    }
}

/// The same on Windows, where `thread_local` allocates on some targets.
#[cfg(windows)]
mod own {
    use super::{Cell, GlobalAlloc, Layout, System, Usage};
    use std::sync::OnceLock;
    use windows_sys::Win32::System::Threading::{TlsAlloc, TlsGetValue, TlsSetValue};

    /// Uses the counts of this thread, which are made when first asked for and never freed: a few
    /// words for each thread of a test.
    pub(super) fn with<T>(with: impl FnOnce(&Cell<Usage>) -> T) -> Option<T> {
        static SLOT: OnceLock<u32> = OnceLock::new();
        // SAFETY: no condition.
        let slot = *SLOT.get_or_init(|| unsafe { TlsAlloc() });
        // SAFETY: a slot that could not be had is a number that the system refuses with null.
        let mut counts = unsafe { TlsGetValue(slot) };
        if counts.is_null() {
            // SAFETY: the layout is not empty. Zeroed counts are valid.
            counts = unsafe { System.alloc_zeroed(Layout::new::<Cell<Usage>>()) }.cast();
            // SAFETY: as above; the value is only a number to the system.
            unsafe { TlsSetValue(slot, counts) };
        }
        // SAFETY: null, or what was allocated above with this layout, never freed, and seen by this
        // thread only.
        unsafe { counts.cast::<Cell<Usage>>().as_ref() }.map(with)
    }
}

/// Runs something, and returns with its result what it allocated on this thread: how much more was
/// live at the end and at the highest point than at the beginning, and how often.
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

/// Changes the counts of this thread, and returns what they were.
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

// SAFETY: every method hands its arguments to the system's allocator unchanged and returns what
// that returned. Counting allocates nothing: the counts of a thread are a constant at first and
// need no destructor.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: what the caller promises is what the system's allocator asks for.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(0, layout.size());
        // SAFETY: the caller's promise for this method is the same.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: what the caller promises is what the system's allocator asks for.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(0, layout.size());
        // SAFETY: the caller's promise for this method is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    // SAFETY: what the caller promises is what the system's allocator asks for.
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(layout.size(), size);
        // SAFETY: the caller's promise for this method is the same; `at` came from `System`.
        unsafe { System.realloc(at, layout, size) }
    }

    // SAFETY: what the caller promises is what the system's allocator asks for.
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        add(layout.size(), 0);
        // SAFETY: the caller's promise for this method is the same; `at` came from `System`.
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
