//! Helper threads.
