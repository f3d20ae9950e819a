//! What only Windows has, through the public interface: listings that carry everything, and
//! questions that open nothing.
//!
//! The authority is the system's documentation, and beside it the standard library.
#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asking;
mod canonical;
mod confine;
mod find;
mod listing;
mod start;
mod zig;
