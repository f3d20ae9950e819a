//! Features of Windows, compared with the system's documentation and the standard library.
#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod canonical;
mod confine;
mod find;
mod listing;
mod queries;
mod start;
mod zig;
