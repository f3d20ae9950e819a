//! Creates errors of the system without a failed call, and recognizes errors by number.

use std::io;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OsError {
    NotFound,
    NotDirectory,
    IsDirectory,
    NotEmpty,
    Exists,
    OtherDevice,
    Invalid,
    /// Forbidden regardless of permission bits, such as a hard link to a directory.
    NotPermitted,
    Busy,
    TooManyLinks,
    TooLong,
    /// The tree kept changing during the walk.
    Again,
    /// Another entry has taken the name.
    Stale,
    Denied,
    Unsupported,
    Io,
}

impl OsError {
    pub(crate) fn error(self) -> io::Error {
        io::Error::from_raw_os_error(self.number())
    }

    pub(crate) fn of(kind: io::ErrorKind) -> OsError {
        match kind {
            io::ErrorKind::NotFound => OsError::NotFound,
            io::ErrorKind::PermissionDenied => OsError::Denied,
            io::ErrorKind::NotADirectory => OsError::NotDirectory,
            io::ErrorKind::IsADirectory => OsError::IsDirectory,
            io::ErrorKind::DirectoryNotEmpty => OsError::NotEmpty,
            io::ErrorKind::CrossesDevices => OsError::OtherDevice,
            io::ErrorKind::InvalidInput => OsError::Invalid,
            io::ErrorKind::Unsupported => OsError::Unsupported,
            _ => OsError::Io,
        }
    }

    #[cfg(unix)]
    pub(crate) fn number(self) -> i32 {
        match self {
            OsError::NotFound => libc::ENOENT,
            OsError::NotDirectory => libc::ENOTDIR,
            OsError::IsDirectory => libc::EISDIR,
            OsError::NotEmpty => libc::ENOTEMPTY,
            OsError::Exists => libc::EEXIST,
            OsError::OtherDevice => libc::EXDEV,
            OsError::Invalid => libc::EINVAL,
            OsError::NotPermitted => libc::EPERM,
            OsError::Busy => libc::EBUSY,
            OsError::TooManyLinks => libc::ELOOP,
            OsError::TooLong => libc::ENAMETOOLONG,
            OsError::Again => libc::EAGAIN,
            OsError::Stale => libc::ESTALE,
            OsError::Denied => libc::EACCES,
            OsError::Unsupported => libc::ENOTSUP,
            OsError::Io => libc::EIO,
        }
    }

    #[cfg(windows)]
    pub(crate) fn number(self) -> i32 {
        use windows_sys::Win32::Foundation as codes;
        let number = match self {
            OsError::NotFound => codes::ERROR_FILE_NOT_FOUND,
            OsError::NotDirectory => codes::ERROR_DIRECTORY,
            OsError::IsDirectory => codes::ERROR_DIRECTORY_NOT_SUPPORTED,
            OsError::NotEmpty => codes::ERROR_DIR_NOT_EMPTY,
            OsError::Exists => codes::ERROR_ALREADY_EXISTS,
            OsError::OtherDevice => codes::ERROR_NOT_SAME_DEVICE,
            OsError::Invalid => codes::ERROR_INVALID_PARAMETER,
            OsError::NotPermitted => codes::ERROR_ACCESS_DENIED,
            OsError::Busy => codes::ERROR_BUSY,
            // Windows returns this after 63 symlinks.
            OsError::TooManyLinks => codes::ERROR_CANT_RESOLVE_FILENAME,
            OsError::TooLong => codes::ERROR_FILENAME_EXCED_RANGE,
            OsError::Again => codes::ERROR_RETRY,
            OsError::Stale => codes::ERROR_FILE_INVALID,
            OsError::Denied => codes::ERROR_ACCESS_DENIED,
            OsError::Unsupported => codes::ERROR_NOT_SUPPORTED,
            OsError::Io => codes::ERROR_IO_DEVICE,
        };
        i32::try_from(number).unwrap_or(i32::MAX)
    }
}

/// Returns the system's error for `kind`, with its number if it has one.
pub(crate) fn os_error(kind: io::ErrorKind) -> io::Error {
    match OsError::of(kind) {
        OsError::Invalid | OsError::Unsupported | OsError::Io => kind.into(),
        known => known.error(),
    }
}

/// Whether there were too many symlinks, for which the standard library has no stable kind.
pub(crate) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(OsError::TooManyLinks.number())
}

#[cfg(windows)]
fn is_among(number: i32, known: &[u32]) -> bool {
    u32::try_from(number).is_ok_and(|number| known.contains(&number))
}

/// Whether the entry is missing or, on Windows, has an impossible name.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    #[cfg(windows)]
    {
        use windows_sys::Win32::Foundation as codes;
        let invalid =
            [codes::ERROR_BAD_PATHNAME, codes::ERROR_DIRECTORY, codes::ERROR_INVALID_NAME];
        if error.raw_os_error().is_some_and(|number| is_among(number, &invalid)) {
            return true;
        }
    }
    error.kind() == io::ErrorKind::NotFound
}

/// Whether descriptors or kernel memory ran out. The caller then closes spare directories and
/// retries.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    let Some(number) = error.raw_os_error() else { return false };
    #[cfg(unix)]
    return [libc::EMFILE, libc::ENFILE, libc::ENOMEM].contains(&number);
    #[cfg(windows)]
    {
        use windows_sys::Win32::Foundation as codes;
        let shortages = [
            codes::ERROR_NO_SYSTEM_RESOURCES,
            codes::ERROR_NOT_ENOUGH_MEMORY,
            codes::ERROR_TOO_MANY_OPEN_FILES,
            codes::ERROR_NOT_ENOUGH_QUOTA,
        ];
        is_among(number, &shortages)
    }
}

pub(crate) fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(OsError::TooLong.number())
}

/// Whether the error is `EPERM`, not `EACCES`. Windows has one error for both.
pub(crate) fn is_not_permitted(error: &io::Error) -> bool {
    error.raw_os_error() == Some(OsError::NotPermitted.number())
}

/// Whether a retry may succeed, as in [`Error::may_pass`](crate::Error::may_pass).
pub(crate) fn may_pass(number: i32) -> bool {
    #[cfg(unix)]
    return [libc::EBUSY, libc::EMFILE, libc::ENFILE, libc::ENOTEMPTY, libc::EPERM]
        .contains(&number);
    #[cfg(windows)]
    {
        use windows_sys::Win32::Foundation as codes;
        let passing = [
            codes::ERROR_ACCESS_DENIED,
            codes::ERROR_BUSY,
            codes::ERROR_DIR_NOT_EMPTY,
            codes::ERROR_LOCK_VIOLATION,
            codes::ERROR_PRIVILEGE_NOT_HELD,
            codes::ERROR_SHARING_VIOLATION,
            codes::ERROR_TOO_MANY_OPEN_FILES,
        ];
        is_among(number, &passing)
    }
}
