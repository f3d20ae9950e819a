//! The system's handle of an open file or directory.

/// A file descriptor.
#[cfg(unix)]
pub type curt_fd = std::ffi::c_int;

/// A `HANDLE`.
#[cfg(windows)]
pub type curt_fd = *mut std::ffi::c_void;

/// The working directory. The header documents it.
#[cfg(unix)]
pub(crate) const CURT_CWD: curt_fd = -100;

/// The working directory. The header documents it.
#[cfg(windows)]
pub(crate) const CURT_CWD: curt_fd = std::ptr::null_mut();
