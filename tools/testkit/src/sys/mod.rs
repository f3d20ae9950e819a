#![allow(unsafe_code, reason = "allocators and calls of Windows cannot be written without")]

pub mod alloc;
#[cfg(windows)]
pub(crate) mod attributes;
#[cfg(windows)]
pub(crate) mod console;
#[cfg(windows)]
pub(crate) mod paths;
#[cfg(target_os = "linux")]
pub mod threads;
