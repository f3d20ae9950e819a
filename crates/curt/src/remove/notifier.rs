//! Calls the callbacks of a removal, each on the thread that it is meant for, and does what they
//! answer.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::callbacks::{Callbacks, Question, Subject, Totals};
use super::options::Remove;
use crate::control::{Answer, Next, Poll, Poller, Stop, Unvisited};
use crate::error::Error;
use crate::fields::Kind;
use crate::tree::Events;

/// What happens while a removal runs, for its callbacks.
enum Event {
    Failed(Error),
    Removed(PathBuf, Kind),
    Progress(Totals),
}

impl Event {
    /// Returns about how many bytes it has on the heap.
    fn bytes(&self) -> usize {
        match self {
            // The path, and the rest of the error.
            Event::Failed(error) => error.path().as_os_str().len() + 128,
            Event::Removed(path, _) => path.as_os_str().len(),
            Event::Progress(_) => 0,
        }
    }
}

/// The failures of a removal.
#[derive(Debug, Default)]
pub(super) struct Failures {
    pub(super) count: u64,
    /// All, or the first if the caller has seen them.
    pub(super) errors: Vec<Error>,
    /// Whether the callback has stopped the removal at the last one.
    is_over: bool,
}

/// How a removal ended.
pub(super) struct Ending {
    pub(super) failures: Failures,
    pub(super) is_stopped: bool,
}

/// Calls the callbacks of one removal, keeps its failures, and stops it when a callback says so.
pub(super) struct Notifier<'r> {
    callbacks: &'r Callbacks<'r>,
    pub(super) stop: Stop<'r>,
    /// Set when a callback has answered that the removal stops: none is called after that.
    is_silent: AtomicBool,
    poller: Option<Poller<'r>>,
    /// What other threads have for the caller's, if all callbacks are called there.
    events: Option<Events<Event>>,
    failures: Mutex<Failures>,
}

impl<'r> Notifier<'r> {
    pub(super) fn new(options: &'r Remove<'r>) -> Self {
        let callbacks = &options.callbacks;
        Notifier {
            callbacks,
            stop: Stop::new(options.cancel),
            is_silent: AtomicBool::new(false),
            poller: callbacks.poll.as_ref().map(Poll::begin),
            events: callbacks.on_caller_thread.then(Events::new),
            failures: Mutex::default(),
        }
    }

    /// Returns whether the caller's thread has to [attend](Notifier::attend) to something.
    pub(super) fn needs_attention(&self) -> bool {
        self.poller.is_some() || self.events.is_some()
    }

    /// Returns whether the paths of removed entries are wanted.
    pub(super) fn wants_removed(&self) -> bool {
        self.callbacks.on_removed.is_some()
    }

    /// Polls, and delivers the events of other threads. Only for the caller's thread.
    pub(super) fn attend(&self, now: impl FnOnce() -> Duration) {
        if let Some(poller) = &self.poller {
            self.call(|| poller.look(now()));
        }
        self.deliver();
    }

    /// Reports a failure.
    pub(super) fn failed(&self, is_caller: bool, error: Error) {
        self.tell(is_caller, Event::Failed(error));
    }

    /// Reports that an entry was removed.
    pub(super) fn removed(&self, is_caller: bool, path: PathBuf, kind: Kind) {
        self.tell(is_caller, Event::Removed(path, kind));
    }

    /// Reports how far the removal is.
    pub(super) fn progress(&self, is_caller: bool, totals: Totals) {
        if self.callbacks.on_progress.is_some() {
            self.tell(is_caller, Event::Progress(totals));
        }
    }

    /// Asks whether an entry is to be removed. The answer is `Stop` as well if the removal is over,
    /// unless the caller keeps the entry in any case.
    pub(super) fn ask(&self, question: Question, subject: &Subject<'_>) -> Answer {
        let answer = self.callbacks.ask.as_ref().map(|ask| ask(question, subject));
        self.decide(answer.unwrap_or(Answer::Yes), Answer::No)
    }

    /// Asks whether the caller excludes an entry. The answer is `Stop` as well if the removal is
    /// over, unless the caller keeps the entry in any case.
    pub(super) fn excludes(&self, entry: &Unvisited<'_>) -> Answer {
        let answer = self.callbacks.exclude.as_ref().map(|exclude| exclude(entry));
        self.decide(answer.unwrap_or(Answer::No), Answer::Yes)
    }

    /// Does what an answer says. `keep` is the one that keeps the entry.
    fn decide(&self, answer: Answer, keep: Answer) -> Answer {
        if answer == Answer::Stop {
            self.end();
        }
        if answer != keep && self.stop.is_stopped() { Answer::Stop } else { answer }
    }

    /// Tells the callbacks about an event: at once, or later on the caller's thread.
    fn tell(&self, is_caller: bool, event: Event) {
        match &self.events {
            Some(events) if !is_caller => {
                let bytes = event.bytes();
                events.push(event, bytes);
            }
            _ => {
                // What happened before comes first.
                self.deliver();
                self.handle(event);
            }
        }
    }

    /// Calls the callbacks for the events of other threads.
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

    /// Returns when the callbacks were called for everything that has happened.
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
                // One after the other, so that none follows the one that stops the removal.
                let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                if failures.is_over {
                    return;
                }
                let answer = on_error.as_ref().and_then(|callback| self.call(|| callback(&error)));
                failures.is_over = answer == Some(Next::Stop);
                failures.count += 1;
                if answer.is_none() || failures.count == 1 {
                    failures.errors.push(error);
                }
            }
            Event::Removed(path, kind) => {
                if let Some(callback) = on_removed {
                    self.call(|| callback(&path, kind));
                }
            }
            Event::Progress(totals) => {
                if let Some(callback) = on_progress {
                    self.call(|| callback(&totals));
                }
            }
        }
    }

    /// Calls a callback, and does what it answers. `None` if one has stopped the removal.
    fn call(&self, callback: impl FnOnce() -> Next) -> Option<Next> {
        if self.is_silent.load(Ordering::Relaxed) {
            return None;
        }
        let answer = callback();
        if answer == Next::Stop {
            self.end();
        }
        Some(answer)
    }

    /// Stops the removal, and calls no callback any more.
    fn end(&self) {
        self.is_silent.store(true, Ordering::Relaxed);
        self.stop.stop();
    }

    /// Returns a guard for a worker to hold while it works: if it panics, the others stop. Without
    /// that of the caller's thread, they would wait for ever with events that nobody takes.
    pub(super) fn guard(&self, is_caller: bool) -> Guard<'_, 'r> {
        Guard { notifier: self, is_caller }
    }

    /// Delivers the last events, after all threads have ended, and returns what came of all.
    pub(super) fn into_ending(self) -> Ending {
        // A callback may stop the removal at the last event.
        self.deliver();
        let is_stopped = self.stop.is_stopped();
        let failures = self.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ending { failures, is_stopped }
    }
}

/// See [`Notifier::guard`].
pub(super) struct Guard<'n, 'r> {
    notifier: &'n Notifier<'r>,
    is_caller: bool,
}

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The panic reaches the caller when the other threads have ended.
            self.notifier.end();
        }
        if let Some(events) = self.notifier.events.as_ref().filter(|_| self.is_caller) {
            events.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Notifier, Totals};
    use crate::control::Next;
    use crate::error::{Cause, Error, Kept, Operation};
    use crate::remove::Remove;

    #[test]
    fn each_failure_is_told_or_kept_and_the_one_that_stops_is_the_last() {
        let fail = |notifier: &Notifier<'_>, path: &str| {
            let cause = Cause::Kept(Kept::MountPoint);
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
            let failures = notifier.into_ending().failures;
            let paths: Vec<_> = failures.errors.iter().map(Error::path).collect();
            assert_eq!((failures.count, paths.len()), (expected.len() as u64, expected.len()));
            assert!(paths.iter().zip(expected).all(|(path, expected)| path.ends_with(expected)));
        }
    }
}
