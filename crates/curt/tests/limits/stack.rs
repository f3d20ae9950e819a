//! The stack: little, and the same at any depth, in every thread.

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use curt::{Remove, Threads};
use curt_testkit::Scratch;

use crate::{assert_all, chain_with_bushes};

/// What a removal may take of the stack, from its caller to a callback. Without optimisation every
/// temporary value has a separate place there, also those of the closures on the way.
const STACK: usize = if cfg!(debug_assertions) { 20 << 10 } else { 16 << 10 };

/// Notes how far apart in the stack of each thread its callbacks lie.
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

    /// The widest span of a thread.
    fn span(&self) -> usize {
        self.0.lock().unwrap().values().map(|(low, high)| high - low).max().unwrap_or(0)
    }
}

/// About where the stack is. (In a thread of a test, that is a number and no more.)
#[inline(never)]
fn address() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

#[test]
fn one_thread_takes_little_at_any_depth() {
    let scratch = Scratch::new();
    for (levels, descriptors) in [(10, 1000), (900, 1000), (3_000, 16)] {
        let (files, directories) = chain_with_bushes(&scratch, "tree", levels, 1, 1);
        let gauge = Gauge::default();
        gauge.note();
        let options = Remove::new().threads(Threads::AtMost(1)).descriptors(descriptors);
        let report = options.on_removed(|_, _| gauge.note()).run(scratch.at("tree"));
        assert_all(&report, files, directories);
        assert!(gauge.span() <= STACK, "{} at {levels} levels", gauge.span());
    }
}

/// Workers that wait for each other take work meanwhile, on top of what they have. That too ends
/// somewhere.
#[test]
fn several_threads_take_little_at_any_depth() {
    let scratch = Scratch::new();
    for (levels, bushes) in [(600, 1), (400, 4), (100, 30)] {
        for threads in [2, 3, 8] {
            let (files, directories) = chain_with_bushes(&scratch, "tree", levels, bushes, 2);
            let gauge = Gauge::default();
            gauge.note();
            let options = Remove::new().threads(Threads::AtMost(threads));
            let report = options.on_removed(|_, _| gauge.note()).run(scratch.at("tree"));
            assert_all(&report, files, directories);
            let span = gauge.span();
            assert!(span <= STACK, "{span} at {levels} levels with {threads} threads");
        }
    }
}
