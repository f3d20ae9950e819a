//! Runs the callbacks of a removal, each on the right thread, and acts on their answers.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::callbacks::{Callbacks, Question, Subject, Totals};
use super::options::Remove;
use crate::control::{Answer, Next};
use crate::error::Error;
use crate::fields::Kind;
use crate::tree::{Events, Stop};

enum Event {
    Failed(Error),
    Removed(PathBuf, Kind),
    Progress(Totals),
}

impl Event {
    fn bytes(&self) -> usize {
        match self {
            Event::Failed(error) => error.path().as_os_str().len() + 128,
            Event::Removed(path, _) => path.as_os_str().len(),
            Event::Progress(_) => 0,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Failures {
    pub(super) count: u64,
    /// All failures, or only the first if `on_error` is set.
    pub(super) errors: Vec<Error>,
    is_over: bool,
}

pub(super) struct Notifier<'r> {
    callbacks: &'r Callbacks<'r>,
    pub(super) stop: Stop<'r>,
    /// The queue of events, if all callbacks run on the caller's thread.
    events: Option<Events<Event>>,
    failures: Mutex<Failures>,
}

impl<'r> Notifier<'r> {
    pub(super) fn new(options: &'r Remove<'r>) -> Self {
        let callbacks = &options.callbacks;
        Notifier {
            callbacks,
            stop: Stop::new(options.cancel, callbacks.poll.as_ref()),
            events: callbacks.on_caller_thread.then(Events::new),
            failures: Mutex::default(),
        }
    }

    pub(super) fn needs_attention(&self) -> bool {
        self.stop.polls() || self.events.is_some()
    }

    pub(super) fn wants_removed(&self) -> bool {
        self.callbacks.on_removed.is_some()
    }

    pub(super) fn attend(&self, now: impl FnOnce() -> Duration) {
        self.stop.poll(now);
        self.deliver();
    }

    pub(super) fn failed(&self, is_caller: bool, error: Error) {
        self.emit(is_caller, Event::Failed(error));
    }

    pub(super) fn removed(&self, is_caller: bool, path: PathBuf, kind: Kind) {
        self.emit(is_caller, Event::Removed(path, kind));
    }

    pub(super) fn progress(&self, is_caller: bool, totals: Totals) {
        if self.callbacks.on_progress.is_some() {
            self.emit(is_caller, Event::Progress(totals));
        }
    }

    pub(super) fn ask(&self, question: Question, subject: &Subject<'_>) -> Answer {
        let Some(ask) = &self.callbacks.ask else { return Answer::Yes };
        self.stop.ask(Answer::No, || ask(question, subject))
    }

    fn emit(&self, is_caller: bool, event: Event) {
        match &self.events {
            Some(events) if !is_caller => {
                let bytes = event.bytes();
                events.push(event, bytes);
            }
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

    pub(super) fn flush(&self, is_caller: bool) {
        match &self.events {
            Some(events) if !is_caller => events.wait(),
            _ => self.deliver(),
        }
    }

    fn handle(&self, event: Event) {
        let Callbacks { on_error, on_removed, on_progress, .. } = self.callbacks;
        match event {
            Event::Failed(error) => {
                // Call back under the lock, so that no failure follows the one that stops the
                // removal.
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
            Event::Removed(path, kind) => {
                if let Some(callback) = on_removed {
                    self.stop.call(|| callback(&path, kind));
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
    pub(super) fn close_at_end(&self) -> Option<CloseAtEnd<'_>> {
        self.events.as_ref().map(CloseAtEnd)
    }

    /// Delivers the last events after all threads have ended. A callback may still stop the
    /// removal.
    pub(super) fn end(self) -> (Failures, Stop<'r>) {
        self.deliver();
        (self.failures.into_inner().unwrap_or_else(PoisonError::into_inner), self.stop)
    }
}

pub(super) struct CloseAtEnd<'n>(&'n Events<Event>);

impl Drop for CloseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::{Notifier, Totals};
    use crate::control::Next;
    use crate::error::{Cause, Error, Operation, RemainReason};
    use crate::remove::Remove;

    #[test]
    fn each_failure_is_reported_or_stored_until_one_stops() {
        let fail = |notifier: &Notifier<'_>, path: &str| {
            let cause = Cause::Remains(RemainReason::MountPoint);
            notifier.failed(true, Error::new(Operation::Remove, path.into(), cause));
        };
        for (stops, expected) in [(false, &["a", "b"][..]), (true, &["a"])] {
            let options =
                Remove::new().on_error(move |_| if stops { Next::Stop } else { Next::Continue });
            let options = options.on_progress(|_| Next::Stop);
            let notifier = Notifier::new(&options);
            fail(&notifier, "a");
            notifier.progress(true, Totals::default());
            fail(&notifier, "b");
            let failures = notifier.end().0;
            let paths: Vec<_> = failures.errors.iter().map(Error::path).collect();
            assert_eq!((failures.count, paths.len()), (expected.len() as u64, expected.len()));
            assert!(paths.iter().zip(expected).all(|(path, expected)| path.ends_with(expected)));
        }
    }
}
