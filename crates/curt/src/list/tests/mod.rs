//! Listing, where it is not what a caller sees.

#[cfg(unix)]
mod descent;
mod entries;
mod gather;
