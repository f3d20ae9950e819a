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
static ALLOCATOR: Cache = Cache;

/// musl's alignment of all blocks, in bytes.
const ALIGNMENT: usize = 16;

/// Size classes: eight in steps of 16 bytes, then four for each doubling.
const SMALL: usize = 8 * ALIGNMENT;
const GREATEST: usize = 32 << 10;
const SIZES: usize = 8 + 4 * (GREATEST / SMALL).ilog2() as usize;

/// Limits of a thread's free blocks in each size class.
const MOST_BYTES: usize = 64 << 10;
const MOST_BLOCKS: usize = 64;

struct Cache;

struct FreeList {
    /// The first free block. Each begins with the address of the next.
    first: Cell<*mut u8>,
    count: Cell<usize>,
}

thread_local! {
    // No destructor: Rust would allocate to register it.
    static FREE_LISTS: [FreeList; SIZES] = const {
        [const { FreeList { first: Cell::new(ptr::null_mut()), count: Cell::new(0) } }; SIZES]
    };
    static IS_FREED_AT_END: Cell<bool> = const { Cell::new(false) };
}

/// Returns the number and size of a block's class, or `None` if such blocks are not cached.
fn size_class(layout: Layout) -> Option<(usize, Layout)> {
    if layout.size() > GREATEST || layout.align() > ALIGNMENT {
        return None;
    }
    // A size that exactly fills a class belongs to it.
    let last_byte = layout.size().saturating_sub(1);
    let number = match last_byte.checked_ilog2().unwrap_or(0) {
        _ if last_byte < SMALL => last_byte / ALIGNMENT,
        power => 8 + 4 * (power - SMALL.ilog2()) as usize + (last_byte >> (power - 2)) - 4,
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
    FREE_LISTS.with(|lists| {
        for (number, list) in lists.iter().enumerate() {
            while let Some((block, size)) = list.pop().zip(size(number)) {
                // SAFETY: a cached block was allocated with the size of its class.
                unsafe { System.dealloc(block.as_ptr(), size) };
            }
        }
    });
}

#[allow(clippy::cast_ptr_alignment, reason = "blocks are aligned for addresses")]
impl FreeList {
    fn pop(&self) -> Option<NonNull<u8>> {
        let block = NonNull::new(self.first.get())?;
        // SAFETY: each cached block begins with an address.
        self.first.set(unsafe { block.cast::<*mut u8>().read() });
        self.count.set(self.count.get() - 1);
        Some(block)
    }

    fn push(&self, block: *mut u8, size: usize) -> bool {
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
unsafe impl GlobalAlloc for Cache {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((number, size)) = size_class(layout) else {
            // SAFETY: the caller upholds the contract.
            return unsafe { System.alloc(layout) };
        };
        match FREE_LISTS.with(|lists| lists[number].pop()) {
            Some(block) => block.as_ptr(),
            // SAFETY: the size is not zero.
            None => unsafe { System.alloc(size) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match size_class(layout) {
            Some((number, size))
                if FREE_LISTS.with(|lists| lists[number].push(block, size.size())) => {}
            // SAFETY: the block was allocated with this size.
            Some((_, size)) => unsafe { System.dealloc(block, size) },
            // SAFETY: the caller upholds the contract.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if size_class(layout).is_none() {
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

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is not too large.
        let after = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        match (size_class(layout), size_class(after)) {
            (Some((before, _)), Some((after, _))) if before == after => return block,
            // SAFETY: the caller upholds the contract.
            (None, None) => return unsafe { System.realloc(block, layout, new_size) },
            _ => {}
        }
        // SAFETY: the caller upholds the contract.
        let moved = unsafe { self.alloc(after) };
        if !moved.is_null() {
            // SAFETY: the blocks are different, and both have at least this many bytes.
            unsafe { moved.copy_from_nonoverlapping(block, layout.size().min(new_size)) };
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

    use super::{Cache, GREATEST, SIZES, size, size_class};

    #[test]
    fn size_classes_are_consecutive() {
        let mut last = 0;
        for bytes in 1..=GREATEST {
            let (number, found) = size_class(Layout::from_size_align(bytes, 1).unwrap()).unwrap();
            assert!(number == last || number == last + 1, "{bytes}");
            assert!(found == size(number).unwrap() && found.size() >= bytes, "{bytes}");
            assert!(number == 0 || size(number - 1).unwrap().size() < bytes, "{bytes}");
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
                    None if random % 2 == 0 => fill(unsafe { Cache.alloc(layout) }, layout, byte),
                    None => {
                        // SAFETY: the size is not zero.
                        let zeroed = Block(unsafe { Cache.alloc_zeroed(layout) }, layout, 0);
                        check(&zeroed);
                        zeroed
                    }
                    Some(block) if random % 3 == 1 => {
                        check(&block);
                        let layout = Layout::from_size_align(size, block.1.align()).unwrap();
                        // SAFETY: the block has this layout.
                        let moved = unsafe { Cache.realloc(block.0, block.1, size) };
                        let same = Layout::from_size_align(size.min(block.1.size()), 1).unwrap();
                        check(&Block(moved, same, block.2));
                        fill(moved, layout, byte)
                    }
                    Some(block) => {
                        check(&block);
                        // SAFETY: the block has this layout.
                        unsafe { Cache.dealloc(block.0, block.1) };
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
