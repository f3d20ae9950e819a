//! The order of what is printed: a search that ends soon, or finds little, prints sorted paths; any
//! other prints what it finds as it comes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use curt::walk::Visited;

use crate::out;
use crate::session::Session;

/// How long entries are held back to be sorted.
const SORTED_TIME: Duration = Duration::from_millis(100);

/// How many entries are held back.
const MOST_SORTED: usize = 1000;

/// How many bytes a thread collects before it hands them over: enough to be written as they are.
const CHUNK: usize = 2 * out::BUFFER;

/// What was found, shared by the threads.
pub(super) struct Results<'a> {
    session: &'a Session,
    is_terminal: bool,
    begun: Instant,
    /// Whether entries are no longer held back.
    is_flowing: AtomicBool,
    held: Mutex<Vec<(PathBuf, Vec<u8>)>>,
}

impl<'a> Results<'a> {
    pub(super) fn new(session: &'a Session) -> Results<'a> {
        Results {
            session,
            is_terminal: session.is_terminal(),
            begun: Instant::now(),
            is_flowing: AtomicBool::new(false),
            held: Mutex::default(),
        }
    }

    /// Adds an entry, whose line begins there among the lines of a thread.
    pub(super) fn add(&self, entry: &Visited<'_>, lines: &mut Vec<u8>, begin: usize) {
        if self.is_flowing.load(Ordering::Acquire) {
            if lines.len() >= CHUNK || self.is_terminal {
                self.hand_over(lines);
            }
            return;
        }
        let line = lines.split_off(begin);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push((entry.path().into_owned(), line));
        let is_full = held.len() > MOST_SORTED || self.is_flowing.load(Ordering::Acquire);
        drop(held);
        if is_full {
            self.flow();
        }
    }

    /// Holds nothing back any longer if it is time.
    pub(super) fn keep_pace(&self) {
        if !self.is_flowing.load(Ordering::Relaxed) && self.begun.elapsed() > SORTED_TIME {
            self.flow();
        }
    }

    /// Prints the lines of a thread.
    pub(super) fn hand_over(&self, lines: &mut Vec<u8>) {
        if !lines.is_empty() {
            self.session.data(lines);
            lines.clear();
        }
    }

    /// Prints what is held back.
    pub(super) fn finish(&self) {
        self.flow();
    }

    fn flow(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_flowing.store(true, Ordering::Release);
        let mut entries = std::mem::take(&mut *held);
        drop(held);
        entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (_, line) in entries {
            self.session.data(&line);
        }
    }
}
