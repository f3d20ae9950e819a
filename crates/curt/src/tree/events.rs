//! Events that workers leave for the caller's thread, which alone calls callbacks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most bytes that wait. A worker with another event waits until they are taken.
const MOST_BYTES: usize = 256 << 10;

/// Events in the order in which they happened, in bounded memory.
pub(crate) struct Events<E> {
    queue: Mutex<Queue<E>>,
    /// Workers that have to wait for room, or for the callbacks, sleep here.
    room: Condvar,
    /// Whether there are any. Read without the lock.
    has_some: AtomicBool,
}

struct Queue<E> {
    events: Vec<E>,
    bytes: usize,
    /// Whether callbacks are being called for events that were taken.
    is_busy: bool,
    is_open: bool,
}

impl<E> Events<E> {
    pub(crate) fn new() -> Self {
        let queue = Queue { events: Vec::new(), bytes: 0, is_busy: false, is_open: true };
        Events { queue: Mutex::new(queue), room: Condvar::new(), has_some: AtomicBool::new(false) }
    }

    /// Adds an event that takes about this many bytes. Waits for room while the queue is open.
    pub(crate) fn push(&self, event: E, bytes: usize) {
        let bytes = bytes + size_of::<E>();
        let mut queue = self.lock();
        while queue.is_open && queue.bytes > 0 && queue.bytes + bytes > MOST_BYTES {
            queue = self.room.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.bytes += bytes;
        queue.events.push(event);
        self.has_some.store(true, Ordering::Release);
    }

    /// Takes all events that wait; [`handled`](Events::handled) follows.
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
        self.room.notify_all();
        events
    }

    /// Notes that the callbacks were called for the events that were taken.
    pub(crate) fn handled(&self) {
        self.lock().is_busy = false;
        self.room.notify_all();
    }

    /// Waits until the callbacks were called for all events, while the queue is open.
    pub(crate) fn wait(&self) {
        let mut queue = self.lock();
        while queue.is_open && (queue.is_busy || !queue.events.is_empty()) {
            queue = self.room.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes the queue, since the caller's thread takes no event while others work: the few that
    /// follow are added without waiting.
    pub(crate) fn close(&self) {
        self.lock().is_open = false;
        self.room.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue<E>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Events, MOST_BYTES};

    #[test]
    fn full_queue_waits_for_room_and_keeps_the_order() {
        let events = Events::new();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..1000).for_each(|number| events.push(number, MOST_BYTES / 4)));
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
    fn closed_queue_takes_events_without_room() {
        let events = Events::new();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..100).for_each(|number| events.push(number, MOST_BYTES)));
            events.close();
        });
        assert_eq!(events.take().len(), 100);
    }

    #[test]
    fn event_larger_than_the_queue_is_added_to_an_empty_one() {
        let events = Events::new();
        events.push((), MOST_BYTES * 2);
        assert_eq!(events.take(), [()]);
    }
}
