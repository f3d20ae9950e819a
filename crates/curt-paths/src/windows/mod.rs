//! Classifies the start of Windows paths, and recognizes device names.
//!
//! In this table, `S` is either separator:
//!
//! | start | meaning | [`Start`] |
//! |---|---|---|
//! | `SS.S` `SS?S` | a device, or any other object by its kernel name | `LocalDevice` |
//! | exactly `SS.` `SS?` | the same with no text after it | `BareDevice` |
//! | any other `SS` | a share: `\\server\share`, in which server and share can be empty | `Share` |
//! | `x:S` | starts at the root of a drive | `DriveAbsolute` |
//! | `x:` | starts in the working directory of a drive | `DriveRelative` |
//! | `S` | starts at the root of the working directory's drive or share | `Rooted` |
//! | anything else | starts in the working directory | `Relative` |
//!
//! The authorities are `RtlDetermineDosPathNameType_U` and `RtlIsDosDeviceName_U` as observed by
//! James Forshaw ("The Definitive Guide on Win32 to NT Path Conversion"), and the test suites that
//! .NET and Wine run on Windows.

pub(crate) mod device;
pub(crate) mod full_path;
#[cfg(test)]
mod full_path_tests;
pub(crate) mod prefix;
#[cfg(test)]
mod tests;

pub(crate) use device::stem;
pub use device::{device_at_end, is_device};
pub use prefix::{Start, is_separator, is_verbatim};
