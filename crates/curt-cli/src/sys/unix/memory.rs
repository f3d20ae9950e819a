//! A cache of freed blocks in front of musl's allocator.
//!
//! musl takes a lock for every block, and returns pages to the kernel as soon as they are free,
//! which interrupts all other threads. So each thread keeps up to 1.6 MiB of freed blocks for its
//! next allocations. All blocks come from musl, so any thread may free any block.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: Memory = Memory;

/// musl's alignment of all blocks, in bytes.
const ALIGNMENT: usize = 16;

/// Size classes: eight in steps of 16 bytes, then four for each doubling.
const SMALL: usize = 8 * ALIGNMENT;
const GREATEST: usize = 32 << 10;
const SIZES: usize = 8 + 4 * (GREATEST / SMALL).ilog2() as usize;

/// The most that a thread keeps of each size class.
const MOST_BYTES: usize = 64 << 10;
const MOST_BLOCKS: usize = 64;

struct Memory;

struct Kept {
    /// The first free block. Each begins with the address of the next.
    first: Cell<*mut u8>,
    count: Cell<usize>,
}

thread_local! {
    // No destructor, because Rust would allocate to register it.
    static KEPT: [Kept; SIZES] = const {
        [const { Kept { first: Cell::new(ptr::null_mut()), count: Cell::new(0) } }; SIZES]
    };
    static IS_FREED_AT_END: Cell<bool> = const { Cell::new(false) };
}

/// Returns the number and size of a class, or `None` if it is not cached.
fn kept_size(layout: Layout) -> Option<(usize, Layout)> {
    if layout.size() > GREATEST || layout.align() > ALIGNMENT {
        return None;
    }
    // A size that exactly fills a class belongs to it.
    let wanted = layout.size().saturating_sub(1);
    let number = match wanted.checked_ilog2().unwrap_or(0) {
        _ if wanted < SMALL => wanted / ALIGNMENT,
        power => 8 + 4 * (power - SMALL.ilog2()) as usize + (wanted >> (power - 2)) - 4,
    };
    Some((number, size(number)?))
}

fn size(number: usize) -> Option<Layout> {
    let size = match number.checked_sub(8) {
        None => (number + 1) * ALIGNMENT,
        Some(number) => (SMALL + SMALL / 4 * (number % 4 + 1)) << (number / 4),
    };
    Layout::from_size_align(size, ALIGNMENT).ok()
}

fn free_at_end() {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    let key = *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the call writes the key.
        let result = unsafe { libc::pthread_key_create(&raw mut key, Some(free_all)) };
        (result == 0).then_some(key)
    });
    // If this fails, the blocks leak.
    if let Some(key) = key {
        // SAFETY: the value is not null, and `free_all` ignores it.
        let _ = unsafe { libc::pthread_setspecific(key, ptr::without_provenance(1)) };
    }
}

extern "C" fn free_all(_: *mut c_void) {
    // Later destructors may free more blocks and register again.
    IS_FREED_AT_END.set(false);
    KEPT.with(|kept| {
        for (number, kept) in kept.iter().enumerate() {
            while let Some((block, size)) = kept.take().zip(size(number)) {
                // SAFETY: a cached block was allocated with the size of its class.
                unsafe { System.dealloc(block.as_ptr(), size) };
            }
        }
    });
}

#[allow(clippy::cast_ptr_alignment, reason = "blocks are aligned for addresses")]
impl Kept {
    fn take(&self) -> Option<NonNull<u8>> {
        let block = NonNull::new(self.first.get())?;
        // SAFETY: each cached block begins with an address.
        self.first.set(unsafe { block.cast::<*mut u8>().read() });
        self.count.set(self.count.get() - 1);
        Some(block)
    }

    fn keep(&self, block: *mut u8, size: usize) -> bool {
        if self.count.get() >= MOST_BLOCKS.min(MOST_BYTES / size) {
            return false;
        }
        // SAFETY: the block is free, and an address fits in it.
        unsafe { block.cast::<*mut u8>().write(self.first.get()) };
        self.first.set(block);
        self.count.set(self.count.get() + 1);
        if !IS_FREED_AT_END.replace(true) {
            free_at_end();
        }
        true
    }
}

// SAFETY: musl's blocks have at least the requested size and alignment. Between `dealloc` and
// `alloc`, only the thread's cache refers to the block.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((number, size)) = kept_size(layout) else {
            // SAFETY: the caller upholds the contract.
            return unsafe { System.alloc(layout) };
        };
        match KEPT.with(|kept| kept[number].take()) {
            Some(block) => block.as_ptr(),
            // SAFETY: the size is not zero.
            None => unsafe { System.alloc(size) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match kept_size(layout) {
            Some((number, size)) if KEPT.with(|kept| kept[number].keep(block, size.size())) => {}
            // SAFETY: the block was allocated with this size.
            Some((_, size)) => unsafe { System.dealloc(block, size) },
            // SAFETY: the caller upholds the contract.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if kept_size(layout).is_none() {
            // SAFETY: the caller upholds the contract.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the caller upholds the contract.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block has this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, wanted: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is not too large.
        let after = unsafe { Layout::from_size_align_unchecked(wanted, layout.align()) };
        match (kept_size(layout), kept_size(after)) {
            (Some((before, _)), Some((after, _))) if before == after => return block,
            // SAFETY: the caller upholds the contract.
            (None, None) => return unsafe { System.realloc(block, layout, wanted) },
            _ => {}
        }
        // SAFETY: the caller upholds the contract.
        let moved = unsafe { self.alloc(after) };
        if !moved.is_null() {
            // SAFETY: the blocks are different, and both have at least this many bytes.
            unsafe { moved.copy_from_nonoverlapping(block, layout.size().min(wanted)) };
            // SAFETY: the block is not used again.
            unsafe { self.dealloc(block, layout) };
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout};
    use std::collections::hash_map::RandomState;
    use std::hash::{BuildHasher, Hasher};
    use std::sync::Mutex;
    use std::thread;

    use super::{GREATEST, Memory, SIZES, kept_size, size};

    #[test]
    fn sizes_follow_each_other() {
        let mut last = 0;
        for wanted in 1..=GREATEST {
            let (number, found) = kept_size(Layout::from_size_align(wanted, 1).unwrap()).unwrap();
            assert!(number == last || number == last + 1, "{wanted}");
            assert!(found == size(number).unwrap() && found.size() >= wanted, "{wanted}");
            assert!(number == 0 || size(number - 1).unwrap().size() < wanted, "{wanted}");
            last = number;
        }
        assert_eq!(last + 1, SIZES);
    }

    struct Block(*mut u8, Layout, u8);

    // SAFETY: the address is stored nowhere else.
    unsafe impl Send for Block {}

    fn check(block: &Block) {
        assert_eq!(block.0.addr() % block.1.align(), 0, "{:?}", block.1);
        // SAFETY: the test wrote all bytes of the block.
        let bytes = unsafe { std::slice::from_raw_parts(block.0, block.1.size()) };
        assert!(bytes.iter().all(|&byte| byte == block.2), "{:?}", block.1);
    }

    fn fill(address: *mut u8, layout: Layout, byte: u8) -> Block {
        assert!(!address.is_null());
        // SAFETY: the block has this size.
        unsafe { address.write_bytes(byte, layout.size()) };
        Block(address, layout, byte)
    }

    /// Contents must survive, even in other threads, and blocks must not overlap.
    #[test]
    fn a_block_belongs_to_one_owner() {
        let shared = Mutex::new(Vec::<Block>::new());
        let work = || {
            let seed = RandomState::new();
            for round in 0..30_000_u64 {
                let mut hasher = seed.build_hasher();
                hasher.write_u64(round);
                let random = hasher.finish();
                let size = 1 + (random >> 8) as usize % (1 << (1 + (random >> 40) % 17));
                let layout = Layout::from_size_align(size, 1 << ((random >> 50) % 7)).unwrap();
                let taken = shared.lock().unwrap().pop().filter(|_| random % 3 > 0);
                let byte = random as u8;
                let block = match taken {
                    // SAFETY: the size is not zero.
                    None if random % 2 == 0 => fill(unsafe { Memory.alloc(layout) }, layout, byte),
                    None => {
                        // SAFETY: the size is not zero.
                        let zeroed = Block(unsafe { Memory.alloc_zeroed(layout) }, layout, 0);
                        check(&zeroed);
                        zeroed
                    }
                    Some(block) if random % 3 == 1 => {
                        check(&block);
                        let layout = Layout::from_size_align(size, block.1.align()).unwrap();
                        // SAFETY: the block has this layout.
                        let moved = unsafe { Memory.realloc(block.0, block.1, size) };
                        let same = Layout::from_size_align(size.min(block.1.size()), 1).unwrap();
                        check(&Block(moved, same, block.2));
                        fill(moved, layout, byte)
                    }
                    Some(block) => {
                        check(&block);
                        // SAFETY: the block has this layout.
                        unsafe { Memory.dealloc(block.0, block.1) };
                        continue;
                    }
                };
                let mut shared = shared.lock().unwrap();
                let at = shared.len() / 2;
                shared.insert(at, block);
            }
        };
        thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(work)));
        });
        shared.into_inner().unwrap().iter().for_each(check);
    }
}
