//! Runs the callbacks of an operation, each on the right thread, and acts on their answers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::control::{Cancel, Exclude, Next, Poll};
use crate::error::Error;
use crate::tree::{Events, Stop};

type Callback<'a, T> = Arc<dyn Fn(&T) -> Next + Send + Sync + 'a>;

/// The callbacks of an operation: `D` is what it tells about an entry that is done, and `T` its
/// totals.
#[derive(Clone)]
pub(crate) struct Callbacks<'a, D, T> {
    pub(crate) on_error: Option<Callback<'a, Error>>,
    pub(crate) on_done: Option<Callback<'a, D>>,
    pub(crate) on_progress: Option<Callback<'a, T>>,
    pub(crate) exclude: Option<Exclude<'a>>,
    pub(crate) poll: Option<Poll<'a>>,
    pub(crate) on_caller_thread: bool,
}

impl<D, T> Default for Callbacks<'_, D, T> {
    fn default() -> Self {
        Callbacks {
            on_error: None,
            on_done: None,
            on_progress: None,
            exclude: None,
            poll: None,
            on_caller_thread: false,
        }
    }
}

enum Event<D, T> {
    Failed(Error),
    Done(D),
    Progress(T),
}

#[derive(Debug, Default)]
pub(crate) struct Failures {
    pub(crate) count: u64,
    /// All failures, or only the first if `on_error` is set.
    pub(crate) errors: Vec<Error>,
    is_over: bool,
}

/// What a worker has done, which is added up over all workers.
pub(crate) trait Sum: Copy + Default {
    fn add(&mut self, more: Self);
}

pub(crate) struct Notifier<'r, D, T> {
    callbacks: &'r Callbacks<'r, D, T>,
    pub(crate) stop: Stop<'r>,
    /// The queue of events, if all callbacks run on the caller's thread.
    events: Option<Events<Event<D, T>>>,
    failures: Mutex<Failures>,
    totals: Mutex<T>,
}

impl<'r, D, T: Sum> Notifier<'r, D, T> {
    pub(crate) fn new(callbacks: &'r Callbacks<'r, D, T>, cancel: Option<&'r Cancel>) -> Self {
        Notifier {
            callbacks,
            stop: Stop::new(cancel, callbacks.poll.as_ref()),
            events: callbacks.on_caller_thread.then(Events::new),
            failures: Mutex::default(),
            totals: Mutex::default(),
        }
    }

    pub(crate) fn needs_attention(&self) -> bool {
        self.stop.polls() || self.events.is_some()
    }

    pub(crate) fn tells_done(&self) -> bool {
        self.callbacks.on_done.is_some()
    }

    pub(crate) fn attend(&self, now: impl FnOnce() -> Duration) {
        self.stop.poll(now);
        self.deliver();
    }

    pub(crate) fn failed(&self, is_caller: bool, error: Error) {
        let bytes = error.path().as_os_str().len() + 128;
        self.emit(is_caller, Event::Failed(error), bytes);
    }

    pub(crate) fn done(&self, is_caller: bool, done: D, bytes: usize) {
        self.emit(is_caller, Event::Done(done), bytes);
    }

    /// Adds to the totals, and tells them.
    pub(crate) fn progress(&self, is_caller: bool, done: T) {
        if self.callbacks.on_progress.is_some() {
            let totals = {
                let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
                totals.add(done);
                *totals
            };
            self.emit(is_caller, Event::Progress(totals), 0);
        }
    }

    fn emit(&self, is_caller: bool, event: Event<D, T>, bytes: usize) {
        match &self.events {
            Some(events) if !is_caller => events.push(event, bytes),
            _ => {
                self.deliver();
                self.handle(event);
            }
        }
    }

    fn deliver(&self) {
        if let Some(events) = &self.events {
            let taken = events.take();
            if !taken.is_empty() {
                for event in taken {
                    self.handle(event);
                }
                events.handled();
            }
        }
    }

    pub(crate) fn flush(&self, is_caller: bool) {
        match &self.events {
            Some(events) if !is_caller => events.wait(),
            _ => self.deliver(),
        }
    }

    fn handle(&self, event: Event<D, T>) {
        let Callbacks { on_error, on_done, on_progress, .. } = self.callbacks;
        match event {
            Event::Failed(error) => {
                // Call back under the lock, so that no failure follows the one that stops the
                // operation.
                let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                if failures.is_over {
                    return;
                }
                let answer =
                    on_error.as_ref().and_then(|callback| self.stop.call(|| callback(&error)));
                failures.is_over = answer == Some(Next::Stop);
                failures.count += 1;
                if answer.is_none() || failures.count == 1 {
                    failures.errors.push(error);
                }
            }
            Event::Done(done) => {
                if let Some(callback) = on_done {
                    self.stop.call(|| callback(&done));
                }
            }
            Event::Progress(totals) => {
                if let Some(callback) = on_progress {
                    self.stop.call(|| callback(&totals));
                }
            }
        }
    }

    /// Returns a guard that the caller's thread holds while it works. Dropping the guard closes the
    /// queue, so that other threads do not wait forever.
    pub(crate) fn close_at_end(&self) -> Option<CloseAtEnd<'_, D, T>> {
        self.events.as_ref().map(CloseAtEnd)
    }

    /// Delivers the last events after all threads have ended. A callback may still stop the
    /// operation.
    pub(crate) fn end(self) -> (Failures, Stop<'r>) {
        self.deliver();
        (self.failures.into_inner().unwrap_or_else(PoisonError::into_inner), self.stop)
    }
}

pub(crate) struct CloseAtEnd<'n, D, T>(&'n Events<Event<D, T>>);

impl<D, T> Drop for CloseAtEnd<'_, D, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Callbacks, Notifier, Sum};
    use crate::control::Next;
    use crate::error::{Cause, Error, Operation, RemainReason};

    impl Sum for () {
        fn add(&mut self, (): ()) {}
    }

    #[test]
    fn each_failure_is_reported_or_stored_until_one_stops() {
        let fail = |notifier: &Notifier<'_, (), ()>, path: &str| {
            let cause = Cause::Remains(RemainReason::MountPoint);
            notifier.failed(true, Error::new(Operation::Remove, path.into(), cause));
        };
        for (answer, expected) in [(Next::Continue, &["a", "b"][..]), (Next::Stop, &["a"])] {
            let callbacks = Callbacks {
                on_error: Some(Arc::new(move |_: &Error| answer)),
                on_progress: Some(Arc::new(|&()| Next::Stop)),
                ..Callbacks::default()
            };
            let notifier = Notifier::new(&callbacks, None);
            fail(&notifier, "a");
            notifier.progress(true, ());
            fail(&notifier, "b");
            let failures = notifier.end().0;
            let paths: Vec<_> = failures.errors.iter().map(Error::path).collect();
            assert_eq!((failures.count, paths.len()), (expected.len() as u64, expected.len()));
            assert!(paths.iter().zip(expected).all(|(path, expected)| path.ends_with(expected)));
        }
    }
}
