//! Listing, where it is not what a caller sees.

#[cfg(unix)]
mod directory_walk;
mod entries;
mod gather;
