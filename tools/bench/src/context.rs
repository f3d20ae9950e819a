//! What everything needs that measures.

use super::calls::Counter;
use super::options::BenchOptions;
use super::place::Place;
use super::programs::Programs;
use super::progress::{Interrupt, Progress};
use super::sandbox::Sandbox;
use std::time::Instant;

/// What an operation needs to measure itself.
pub(super) struct Context<'a> {
    /// What was asked for.
    pub(super) options: &'a BenchOptions,
    /// What is measured.
    pub(super) programs: Programs,
    /// Where.
    pub(super) places: Vec<Place>,
    /// For what programs write: in memory where that is possible, whatever they read from.
    pub(super) scratch: Sandbox,
    pub(super) counter: Counter,
    pub(super) progress: Progress,
    pub(super) interrupt: Interrupt,
    pub(super) begin: Instant,
    /// When the measurements should be done.
    pub(super) soft: Instant,
    /// When they must be.
    pub(super) hard: Instant,
}

impl Context<'_> {
    pub(super) fn stage(&self, text: &str) {
        self.progress.stage(&format!("[{:>3} s] {text}", self.begin.elapsed().as_secs()));
    }

    pub(super) fn step(&self, text: &str) {
        self.progress.step(&format!("[{:>3} s] {text}", self.begin.elapsed().as_secs()));
    }
}
