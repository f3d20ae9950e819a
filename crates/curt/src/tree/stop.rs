//! Decides when an operation stops: because of its token, a callback or a panic.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::path::TreePath;
use crate::control::{Answer, Cancel, Exclude, Next, Poll, Unvisited};
use crate::fields::Kind;
use crate::sys::SystemUnit;

pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub(crate) struct Stop<'a> {
    cancel: Option<&'a Cancel>,
    /// Whether a callback stopped the operation or a worker panicked. After that no callback
    /// starts, but calls already running on other threads finish.
    is_over: AtomicBool,
    poll: Option<&'a Poll<'a>>,
    last_poll: AtomicU64,
}

impl<'a> Stop<'a> {
    pub(crate) fn new(cancel: Option<&'a Cancel>, poll: Option<&'a Poll<'a>>) -> Self {
        Stop { cancel, is_over: AtomicBool::new(false), poll, last_poll: AtomicU64::new(0) }
    }

    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.cancel.is_some_and(Cancel::is_cancelled)
    }

    pub(crate) fn polls(&self) -> bool {
        self.poll.is_some()
    }

    /// Calls the poll callback if it is due. Only the caller's thread may call this.
    #[inline]
    pub(crate) fn poll(&self, now: impl FnOnce() -> Duration) {
        if let Some(poll) = self.poll {
            let now = u64::try_from(now().as_nanos()).unwrap_or(u64::MAX);
            let last = self.last_poll.load(Ordering::Relaxed);
            if last == 0 || u128::from(now.saturating_sub(last)) >= POLL_INTERVAL.as_nanos() {
                self.last_poll.store(now.max(1), Ordering::Relaxed);
                self.call(|| poll.call());
            }
        }
    }

    /// Calls a callback. Returns its answer, or `None` if an earlier callback stopped the
    /// operation.
    pub(crate) fn call(&self, callback: impl FnOnce() -> Next) -> Option<Next> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let answer = callback();
        if answer == Next::Stop {
            self.stop();
        }
        Some(answer)
    }

    /// Asks about an entry and returns the answer. If the operation is stopped meanwhile, returns
    /// `Stop` instead, unless the answer is `keep`: leaving the entry alone is still counted.
    pub(crate) fn ask(&self, keep: Answer, question: impl FnOnce() -> Answer) -> Answer {
        if self.is_stopped() {
            return Answer::Stop;
        }
        let answer = question();
        if answer == Answer::Stop {
            self.stop();
        }
        if answer != keep && self.is_stopped() { Answer::Stop } else { answer }
    }

    #[inline]
    pub(crate) fn excludes<U: SystemUnit>(
        &self,
        exclude: Option<&Exclude<'_>>,
        path: &TreePath<U>,
        kind: Kind,
    ) -> Answer {
        let Some(exclude) = exclude else { return Answer::No };
        let (path, relative) = (U::text(path.units()), U::text(path.relative()));
        let entry = Unvisited { path: Path::new(&path), relative: Path::new(&relative), kind };
        self.ask(Answer::Yes, || exclude(&entry))
    }
}

#[cfg(test)]
mod tests {
    use super::Stop;
    use crate::control::{Answer, Cancel, Next, Poll};
    use std::time::Duration;

    #[test]
    fn no_callback_is_called_after_one_that_stops() {
        for stops in [false, true] {
            let next = if stops { Next::Stop } else { Next::Continue };
            let answer = if stops { Answer::Stop } else { Answer::No };
            let poll = Poll::new(|| next);
            for by in 0..3 {
                let stop = Stop::new(None, Some(&poll));
                match by {
                    0 => stop.poll(|| Duration::ZERO),
                    1 => _ = stop.call(|| next),
                    _ => _ = stop.ask(Answer::No, || answer),
                }
                assert_eq!(stop.is_stopped(), stops);
                let mut calls = 0;
                let called = stop.call(|| {
                    calls += 1;
                    Next::Continue
                });
                let answer = stop.ask(Answer::Yes, || {
                    calls += 1;
                    Answer::Yes
                });
                assert_eq!((calls, called.is_none()), (if stops { 0 } else { 2 }, stops));
                assert_eq!(answer, if stops { Answer::Stop } else { Answer::Yes });
            }
        }
    }

    #[test]
    fn answer_that_keeps_is_passed_on_though_the_operation_is_cancelled() {
        for (answer, expected) in
            [(Answer::No, Answer::No), (Answer::Yes, Answer::Stop), (Answer::Stop, Answer::Stop)]
        {
            let cancel = Cancel::new();
            let stop = Stop::new(Some(&cancel), None);
            let answer = stop.ask(Answer::No, || {
                cancel.cancel();
                answer
            });
            assert_eq!(answer, expected);
        }
    }
}
