//! Tests of listing that need internals.

#[cfg(unix)]
mod directory_walk;
mod entries;
mod gather;
