use std::io;

use windows_sys::Win32::Foundation as codes;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Status(pub(crate) i32);

pub(super) type Result<T> = std::result::Result<T, Status>;

impl Status {
    pub(super) const SHARING_VIOLATION: Status = Status(codes::STATUS_SHARING_VIOLATION);
    pub(super) const FILE_LOCK_CONFLICT: Status = Status(codes::STATUS_FILE_LOCK_CONFLICT);
    pub(super) const ACCESS_DENIED: Status = Status(codes::STATUS_ACCESS_DENIED);
    pub(super) const CANNOT_DELETE: Status = Status(codes::STATUS_CANNOT_DELETE);
    pub(super) const DIRECTORY_NOT_EMPTY: Status = Status(codes::STATUS_DIRECTORY_NOT_EMPTY);
    pub(super) const FILE_IS_A_DIRECTORY: Status = Status(codes::STATUS_FILE_IS_A_DIRECTORY);
    pub(super) const NOT_A_DIRECTORY: Status = Status(codes::STATUS_NOT_A_DIRECTORY);
    pub(super) const BUFFER_OVERFLOW: Status = Status(codes::STATUS_BUFFER_OVERFLOW);
    pub(super) const BUFFER_TOO_SMALL: Status = Status(codes::STATUS_BUFFER_TOO_SMALL);
    pub(super) const END_OF_FILE: Status = Status(codes::STATUS_END_OF_FILE);
    pub(super) const NOT_A_REPARSE_POINT: Status = Status(codes::STATUS_NOT_A_REPARSE_POINT);
    pub(super) const REPARSE_POINT_ENCOUNTERED: Status =
        Status(codes::STATUS_REPARSE_POINT_ENCOUNTERED);
    pub(super) const INVALID_PARAMETER: Status = Status(codes::STATUS_INVALID_PARAMETER);
    pub(super) const INVALID_HANDLE: Status = Status(codes::STATUS_INVALID_HANDLE);

    pub(super) fn is_gone(self) -> bool {
        matches!(
            self.0,
            codes::STATUS_OBJECT_NAME_NOT_FOUND
                | codes::STATUS_OBJECT_PATH_NOT_FOUND
                | codes::STATUS_NO_SUCH_FILE
                | codes::STATUS_FILE_DELETED
        )
    }

    /// Whether not even the parent exists, or the path is malformed or names a device.
    pub(super) fn has_no_parent(self) -> bool {
        matches!(
            self.0,
            codes::STATUS_OBJECT_PATH_NOT_FOUND
                | codes::STATUS_NOT_A_DIRECTORY
                | codes::STATUS_OBJECT_NAME_INVALID
                | codes::STATUS_OBJECT_PATH_INVALID
                | codes::STATUS_OBJECT_PATH_SYNTAX_BAD
                | codes::STATUS_BAD_NETWORK_PATH
                | codes::STATUS_BAD_NETWORK_NAME
                | codes::STATUS_NO_SUCH_DEVICE
                | codes::STATUS_BAD_DEVICE_TYPE
                | codes::STATUS_INVALID_DEVICE_REQUEST
                | codes::STATUS_OBJECT_TYPE_MISMATCH
                | codes::STATUS_DEVICE_NOT_READY
                | codes::STATUS_NO_MEDIA_IN_DEVICE
        )
    }

    pub(super) fn is_pending(self) -> bool {
        self.0 == codes::STATUS_DELETE_PENDING
    }

    pub(super) fn is_end(self) -> bool {
        matches!(self.0, codes::STATUS_NO_MORE_FILES | codes::STATUS_NO_SUCH_FILE)
    }

    /// Whether the system or the filesystem lacks this query. If the status has a different cause,
    /// the older query returns it too.
    pub(super) fn is_refusal(self) -> bool {
        matches!(
            self.0,
            codes::STATUS_INVALID_INFO_CLASS
                | codes::STATUS_INVALID_PARAMETER
                | codes::STATUS_NOT_SUPPORTED
                | codes::STATUS_NOT_IMPLEMENTED
                | codes::STATUS_INVALID_DEVICE_REQUEST
        )
    }

    /// Whether only a different program can follow the reparse point.
    pub(super) fn is_unresolvable(self) -> bool {
        matches!(
            self.0,
            codes::STATUS_IO_REPARSE_TAG_NOT_HANDLED
                | codes::STATUS_IO_REPARSE_TAG_INVALID
                | codes::STATUS_REPARSE_POINT_NOT_RESOLVED
        )
    }

    pub(super) fn is_denial(self) -> bool {
        matches!(
            self.0,
            codes::STATUS_ACCESS_DENIED
                | codes::STATUS_MEDIA_WRITE_PROTECTED
                | codes::STATUS_CANNOT_DELETE
        )
    }
}

impl From<Status> for io::Error {
    fn from(status: Status) -> io::Error {
        // SAFETY: the function looks up a number in a table, without pointers.
        let number = unsafe { codes::RtlNtStatusToDosError(status.0) };
        io::Error::from_raw_os_error(i32::try_from(number).unwrap_or(i32::MAX))
    }
}
