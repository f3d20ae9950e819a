//! Queues events for the caller's thread, if callbacks may run only there.
//!
//! An unbounded queue would fill memory while a callback is slow, so workers block when the queue
//! is full. The caller's thread closes the queue when it ends, because workers must not block after
//! that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

const MAX_BYTES: usize = 256 << 10;

pub(crate) struct Events<E> {
    queue: Mutex<Queue<E>>,
    /// Where workers wait for space, or for the callbacks to return.
    space: Condvar,
    has_some: AtomicBool,
}

struct Queue<E> {
    events: Vec<E>,
    bytes: usize,
    /// Whether callbacks are running for events already taken.
    is_busy: bool,
    is_open: bool,
}

impl<E> Events<E> {
    pub(crate) fn new() -> Self {
        let queue = Queue { events: Vec::new(), bytes: 0, is_busy: false, is_open: true };
        Events { queue: Mutex::new(queue), space: Condvar::new(), has_some: AtomicBool::new(false) }
    }

    pub(crate) fn push(&self, event: E, bytes: usize) {
        let bytes = bytes + size_of::<E>();
        let mut queue = self.lock();
        while queue.is_open && queue.bytes > 0 && queue.bytes + bytes > MAX_BYTES {
            queue = self.space.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.bytes += bytes;
        queue.events.push(event);
        self.has_some.store(true, Ordering::Release);
    }

    /// Takes all events. The caller must call [`handled`](Events::handled) after their callbacks.
    pub(crate) fn take(&self) -> Vec<E> {
        if !self.has_some.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut queue = self.lock();
        queue.bytes = 0;
        queue.is_busy = true;
        self.has_some.store(false, Ordering::Relaxed);
        let events = std::mem::take(&mut queue.events);
        drop(queue);
        self.space.notify_all();
        events
    }

    pub(crate) fn handled(&self) {
        self.lock().is_busy = false;
        self.space.notify_all();
    }

    pub(crate) fn wait(&self) {
        let mut queue = self.lock();
        while queue.is_open && (queue.is_busy || !queue.events.is_empty()) {
            queue = self.space.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes the queue. The few later events are added without blocking.
    pub(crate) fn close(&self) {
        self.lock().is_open = false;
        self.space.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue<E>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Events, MAX_BYTES};

    #[test]
    fn full_queue_waits_for_space_and_keeps_the_order() {
        let events = Events::new();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..1000).for_each(|number| events.push(number, MAX_BYTES / 4)));
            let mut taken = Vec::new();
            while taken.len() < 1000 {
                let some = events.take();
                assert!(some.len() <= 4, "{} events wait", some.len());
                taken.extend(some);
                std::thread::yield_now();
            }
            assert!(taken.into_iter().eq(0..1000));
        });
    }

    #[test]
    fn closed_queue_takes_events_without_space() {
        let events = Events::new();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..100).for_each(|number| events.push(number, MAX_BYTES)));
            events.close();
        });
        assert_eq!(events.take().len(), 100);
    }

    #[test]
    fn event_larger_than_the_queue_is_added_to_an_empty_one() {
        let events = Events::new();
        events.push((), MAX_BYTES * 2);
        assert_eq!(events.take(), [()]);
    }
}
