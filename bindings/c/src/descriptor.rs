//! What the system calls an open file or directory.

/// An open file or directory: a descriptor.
#[cfg(unix)]
pub type curt_fd = std::ffi::c_int;

/// An open file or directory: a `HANDLE`.
#[cfg(windows)]
pub type curt_fd = *mut std::ffi::c_void;

/// In the place of an open directory. The header has this and what it means.
#[cfg(unix)]
pub(crate) const CURT_CWD: curt_fd = -100;

/// In the place of an open directory. The header has this and what it means.
#[cfg(windows)]
pub(crate) const CURT_CWD: curt_fd = std::ptr::null_mut();
