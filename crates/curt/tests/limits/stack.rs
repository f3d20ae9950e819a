use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use curt::{Remove, Threads};
use curt_testkit::Scratch;

use crate::assert_all;

/// The most stack that a removal may use, up to a callback, with eight nested tasks. Without
/// optimization every temporary has its own slot, even in closures: up to 4 KiB per task.
const STACK: usize = if cfg!(debug_assertions) { 36 << 10 } else { 16 << 10 };

#[derive(Default)]
struct Gauge(Mutex<HashMap<ThreadId, (usize, usize)>>);

impl Gauge {
    fn note(&self) {
        let here = address();
        let mut seen = self.0.lock().unwrap();
        let (low, high) = seen.entry(thread::current().id()).or_insert((here, here));
        *low = here.min(*low);
        *high = here.max(*high);
    }

    fn span(&self) -> usize {
        self.0.lock().unwrap().values().map(|(low, high)| high - low).max().unwrap_or(0)
    }
}

#[inline(never)]
fn address() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

/// A waiting worker runs other tasks on top of its own, so its stack grows.
#[test]
fn threads_take_little_at_any_depth() {
    let scratch = Scratch::new();
    for (levels, bushes, descriptors) in
        [(10, 1, 1000), (900, 1, 1000), (3_000, 1, 16), (400, 4, 1000), (100, 30, 1000)]
    {
        for threads in [1, 2, 3, 8] {
            let (files, directories) = scratch.chain_with_bushes("tree", levels, bushes, 2);
            let gauge = Gauge::default();
            gauge.note();
            let options = Remove::new().threads(Threads::AtMost(threads)).descriptors(descriptors);
            let report = options.on_removed(|_, _| gauge.note()).run(scratch.at("tree"));
            assert_all(&report, files, directories);
            let span = gauge.span();
            assert!(span <= STACK, "{span} at {levels} levels with {threads} threads");
        }
    }
}
