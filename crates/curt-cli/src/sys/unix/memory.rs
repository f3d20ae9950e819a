//! The allocator where the C library is musl, whose own takes a lock for every block, and returns
//! pages to the system as soon as the blocks in them are free, which stops all threads for a moment.
//! This one keeps some freed blocks for the thread that freed them. All blocks are musl's, so it
//! does not matter which thread frees one.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: Memory = Memory;

/// The sizes of blocks that are kept are powers of two, from 16 bytes to 32 KiB.
const LEAST: u32 = 4;
const GREATEST: u32 = 15;
const SIZES: usize = (GREATEST - LEAST + 1) as usize;

/// The most bytes that are kept of one size, and the most blocks.
const MOST_BYTES: usize = 128 << 10;
const MOST_BLOCKS: usize = 64;

/// The alignment that musl gives to all blocks.
const ALIGNMENT: usize = 16;

struct Memory;

/// Freed blocks of one size.
struct Kept {
    /// The first one. Each begins with the address of the next.
    first: Cell<*mut u8>,
    count: Cell<usize>,
}

thread_local! {
    // It needs no destructor: what a thread keeps when it ends is lost.
    static KEPT: [Kept; SIZES] = const {
        [const { Kept { first: Cell::new(ptr::null_mut()), count: Cell::new(0) } }; SIZES]
    };
}

/// Returns the number of the size that a block has, and that size; `None` if none is kept of it.
fn kept_size(layout: Layout) -> Option<(usize, Layout)> {
    let power = layout.size().max(1 << LEAST).next_power_of_two().ilog2();
    let size = Layout::from_size_align(1 << power, ALIGNMENT).ok()?;
    let is_kept = power <= GREATEST && layout.align() <= ALIGNMENT;
    is_kept.then_some(((power - LEAST) as usize, size))
}

// SAFETY: a block is musl's, of at least the size and the alignment that was asked for. Between
// `dealloc` and `alloc` nobody else has it, and only its thread sees it.
#[allow(clippy::cast_ptr_alignment, reason = "blocks are aligned for addresses")]
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((number, size)) = kept_size(layout) else {
            // SAFETY: as the caller promises.
            return unsafe { System.alloc(layout) };
        };
        KEPT.with(|kept| {
            let Kept { first, count } = &kept[number];
            let block = first.get();
            if block.is_null() {
                // SAFETY: the size is not zero.
                return unsafe { System.alloc(size) };
            }
            // SAFETY: a block that is kept begins with an address, and is aligned for one.
            first.set(unsafe { block.cast::<*mut u8>().read() });
            count.set(count.get() - 1);
            block
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((number, size)) = kept_size(layout) else {
            // SAFETY: as the caller promises.
            return unsafe { System.dealloc(block, layout) };
        };
        KEPT.with(|kept| {
            let Kept { first, count } = &kept[number];
            if count.get() == MOST_BLOCKS.min(MOST_BYTES / size.size()) {
                // SAFETY: it was allocated with this size.
                return unsafe { System.dealloc(block, size) };
            }
            // SAFETY: the block has room for an address, is aligned for one, and nobody's.
            unsafe { block.cast::<*mut u8>().write(first.get()) };
            first.set(block);
            count.set(count.get() + 1);
        });
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if kept_size(layout).is_none() {
            // SAFETY: as the caller promises. Fresh pages are zero already.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as the caller promises.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block has this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, wanted: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is not too large.
        let after = unsafe { Layout::from_size_align_unchecked(wanted, layout.align()) };
        match (kept_size(layout), kept_size(after)) {
            (Some((before, _)), Some((after, _))) if before == after => return block,
            // SAFETY: as the caller promises.
            (None, None) => return unsafe { System.realloc(block, layout, wanted) },
            _ => {}
        }
        // SAFETY: as the caller promises.
        let moved = unsafe { self.alloc(after) };
        if !moved.is_null() {
            // SAFETY: both are at least as large, and they are different blocks.
            unsafe { moved.copy_from_nonoverlapping(block, layout.size().min(wanted)) };
            // SAFETY: as the caller promises; it is not used any more.
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

    use super::Memory;

    /// A block whose bytes are all the same.
    struct Block(*mut u8, Layout, u8);

    // SAFETY: nobody else has its address.
    unsafe impl Send for Block {}

    fn check(block: &Block) {
        assert_eq!(block.0.addr() % block.1.align(), 0, "{:?}", block.1);
        // SAFETY: the block has this size, and all its bytes were written.
        let bytes = unsafe { std::slice::from_raw_parts(block.0, block.1.size()) };
        assert!(bytes.iter().all(|&byte| byte == block.2), "{:?}", block.1);
    }

    fn fill(address: *mut u8, layout: Layout, byte: u8) -> Block {
        assert!(!address.is_null());
        // SAFETY: the block has this size.
        unsafe { address.write_bytes(byte, layout.size()) };
        Block(address, layout, byte)
    }

    /// Threads allocate, grow, shrink and free blocks of all sizes, also those of other threads: a
    /// block keeps its contents, and no two overlap.
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
                        // SAFETY: the block has this layout, and nobody else has it.
                        let moved = unsafe { Memory.realloc(block.0, block.1, size) };
                        let same = Layout::from_size_align(size.min(block.1.size()), 1).unwrap();
                        check(&Block(moved, same, block.2));
                        fill(moved, layout, byte)
                    }
                    Some(block) => {
                        check(&block);
                        // SAFETY: the block has this layout, and nobody else has it.
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
