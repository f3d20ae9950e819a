//! What one system has beyond the others: extension traits, as in the standard library's `os`.

#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;
