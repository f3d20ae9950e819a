//! Results, and the version of the library.
//!
//!     puts(curt_text(CURT_E_FIND_NOT_FOUND));

use std::ffi::{CStr, c_char};

use curt::beneath::Refusal;
use curt::copy::CopyRefusal;
use curt::paths::ExpandError;
use curt::remove::RemainReason;
use curt::which::FindCause;
use curt::{Cause, Error};

/// A system call failed. `os_error` of the error says why.
pub const CURT_E_OS: i32 = -1;
/// A wrong argument: NULL, misaligned, a text with a NUL, a length larger than memory, or a size or
/// flag unknown to this version.
pub const CURT_E_ARGUMENT: i32 = -2;
/// `cancel`, `poll` or a callback stopped the work.
pub const CURT_E_STOPPED: i32 = -3;
/// The entry was replaced meanwhile with a different one.
pub const CURT_E_REPLACED: i32 = -4;
/// A link or a mount leads back to a directory that contains it.
pub const CURT_E_LOOP: i32 = -5;
/// A bug in curt, which the error describes. The work ended where the bug occurred.
pub const CURT_E_INTERNAL: i32 = -6;
/// Not supported by the system, or a failure without a code here. The error explains it.
pub const CURT_E_OTHER: i32 = -7;
/// Not removed: a mount point, because crossing mounts was not requested.
pub const CURT_E_KEPT_MOUNT_POINT: i32 = -20;
/// Not removed: other processes kept adding entries to the directory.
pub const CURT_E_KEPT_BEING_WRITTEN_TO: i32 = -21;
/// Not removed: the path ends in `.` or `..`.
pub const CURT_E_KEPT_DOT: i32 = -22;
/// Not removed: the root directory.
pub const CURT_E_KEPT_ROOT: i32 = -23;
/// Not removed: an entry on a filesystem other than its parent's.
pub const CURT_E_KEPT_OTHER_FILE_SYSTEM: i32 = -24;
/// Not removed: a directory, because the options refuse directories.
pub const CURT_E_KEPT_DIRECTORY: i32 = -25;
/// Not removed: a link, because the options require a directory.
pub const CURT_E_KEPT_LINK: i32 = -26;
/// No searched directory has the program.
pub const CURT_E_FIND_NOT_FOUND: i32 = -40;
/// Only the working directory has the program, but that is not searched.
pub const CURT_E_FIND_ONLY_IN_CWD: i32 = -41;
/// Only a directory or a non-executable file has this name.
pub const CURT_E_FIND_NOT_EXECUTABLE: i32 = -42;
/// The name is not valid for a program.
pub const CURT_E_FIND_INVALID_NAME: i32 = -43;
/// The name or path is too long for the system.
pub const CURT_E_FIND_NAME_TOO_LONG: i32 = -44;
/// The path of the program is a symlink loop.
pub const CURT_E_FIND_LINK_LOOP: i32 = -45;
/// The program was found through a relative path, which the policy refuses.
pub const CURT_E_FIND_RELATIVE: i32 = -46;
/// The base directory does not exist.
pub const CURT_E_FIND_NO_BASE: i32 = -47;
/// Permission to search a directory was denied.
pub const CURT_E_FIND_DENIED: i32 = -48;
/// The path is empty.
pub const CURT_E_REFUSED_EMPTY: i32 = -60;
/// The path contains a NUL.
pub const CURT_E_REFUSED_NUL: i32 = -61;
/// The path is not valid text.
pub const CURT_E_REFUSED_ENCODING: i32 = -62;
/// The path names a device.
pub const CURT_E_REFUSED_DEVICE: i32 = -63;
/// The path is absolute.
pub const CURT_E_REFUSED_ABSOLUTE: i32 = -64;
/// The path names a drive.
pub const CURT_E_REFUSED_DRIVE: i32 = -65;
/// The path names a stream of a file.
pub const CURT_E_REFUSED_STREAM: i32 = -66;
/// The path has a character that is not allowed in names.
pub const CURT_E_REFUSED_CHARACTER: i32 = -67;
/// The path leaves the root.
pub const CURT_E_REFUSED_ESCAPE: i32 = -68;
/// A name ends in dots or spaces.
pub const CURT_E_REFUSED_TRAILING: i32 = -69;
/// A name looks like the short name of another file.
pub const CURT_E_REFUSED_SHORT_NAME: i32 = -70;
/// The path goes through a link.
pub const CURT_E_REFUSED_LINK: i32 = -71;
/// The path to expand is empty.
pub const CURT_E_EXPAND_EMPTY: i32 = -80;
/// The path to expand contains a NUL.
pub const CURT_E_EXPAND_NUL: i32 = -81;
/// The home directory is unknown.
pub const CURT_E_EXPAND_NO_HOME: i32 = -82;
/// The home directory is not a full path.
pub const CURT_E_EXPAND_HOME_RELATIVE: i32 = -83;
/// There is no such user.
pub const CURT_E_EXPAND_NO_USER: i32 = -84;
/// The path is too long.
pub const CURT_E_EXPAND_TOO_LONG: i32 = -85;
/// `..` goes beyond the root.
pub const CURT_E_EXPAND_ESCAPE: i32 = -86;
/// The path's starting directory is unknown.
pub const CURT_E_EXPAND_NO_START: i32 = -87;
/// The path is UTF-16, and its starting directory is not valid Unicode.
pub const CURT_E_EXPAND_ENCODING: i32 = -88;
/// Not copied: source and destination are the same entry.
pub const CURT_E_COPY_SAME_ENTRY: i32 = -100;
/// Not copied: the destination is inside the source.
pub const CURT_E_COPY_INTO_ITSELF: i32 = -101;
/// Not copied: a directory, because the destination is none.
pub const CURT_E_COPY_DIRECTORY_OVER_FILE: i32 = -102;
/// Not copied: an entry that is no directory, because the destination is one.
pub const CURT_E_COPY_FILE_OVER_DIRECTORY: i32 = -103;
/// Not copied: the destination is a device, a named pipe or a socket.
pub const CURT_E_COPY_SPECIAL: i32 = -104;
/// Not copied: the same copy has created the destination, from another source.
pub const CURT_E_COPY_JUST_CREATED: i32 = -105;
/// Not copied: a directory, because the options refuse directories.
pub const CURT_E_COPY_DIRECTORY: i32 = -106;

/// The ABI version. It rises when functions or fields are added; they are never removed.
pub const CURT_ABI: u32 = 1;

const TEXTS: &[(i32, &CStr)] = &[
    (CURT_E_OS, c"the system failed"),
    (CURT_E_ARGUMENT, c"an argument is wrong"),
    (CURT_E_STOPPED, c"stopped"),
    (CURT_E_REPLACED, c"the entry was replaced meanwhile"),
    (CURT_E_LOOP, c"symbolic link or mount loop"),
    (CURT_E_INTERNAL, c"internal error"),
    (CURT_E_OTHER, c"not supported, or refused"),
    (CURT_E_KEPT_MOUNT_POINT, c"is a mount point"),
    (CURT_E_KEPT_BEING_WRITTEN_TO, c"not empty: other processes keep adding entries"),
    (CURT_E_KEPT_DOT, c"refusing to remove '.' or '..'"),
    (CURT_E_KEPT_ROOT, c"refusing to remove the root directory"),
    (CURT_E_KEPT_OTHER_FILE_SYSTEM, c"is on another file system than its parent"),
    (CURT_E_KEPT_DIRECTORY, c"is a directory"),
    (CURT_E_KEPT_LINK, c"is a link"),
    (CURT_E_FIND_NOT_FOUND, c"program not found"),
    (
        CURT_E_FIND_ONLY_IN_CWD,
        c"program found only in the working directory, which is not searched",
    ),
    (CURT_E_FIND_NOT_EXECUTABLE, c"not an executable file"),
    (CURT_E_FIND_INVALID_NAME, c"not a valid program name"),
    (CURT_E_FIND_NAME_TOO_LONG, c"the name of the program is too long"),
    (CURT_E_FIND_LINK_LOOP, c"symbolic link loop"),
    (CURT_E_FIND_RELATIVE, c"the program was found through a relative path"),
    (CURT_E_FIND_NO_BASE, c"the base directory does not exist"),
    (CURT_E_FIND_DENIED, c"no permission to search"),
    (CURT_E_REFUSED_EMPTY, c"the path is empty"),
    (CURT_E_REFUSED_NUL, c"the path contains a NUL"),
    (CURT_E_REFUSED_ENCODING, c"the path is not valid text"),
    (CURT_E_REFUSED_DEVICE, c"the path names a device"),
    (CURT_E_REFUSED_ABSOLUTE, c"the path is absolute"),
    (CURT_E_REFUSED_DRIVE, c"the path names a drive"),
    (CURT_E_REFUSED_STREAM, c"the path names a stream"),
    (CURT_E_REFUSED_CHARACTER, c"the path contains a character that Windows forbids in names"),
    (CURT_E_REFUSED_ESCAPE, c"the path leaves the root"),
    (CURT_E_REFUSED_TRAILING, c"a name ends in dots or spaces"),
    (CURT_E_REFUSED_SHORT_NAME, c"a name looks like a short name"),
    (CURT_E_REFUSED_LINK, c"the path leads through a link"),
    (CURT_E_EXPAND_EMPTY, c"the path is empty"),
    (CURT_E_EXPAND_NUL, c"the path contains a NUL"),
    (CURT_E_EXPAND_NO_HOME, c"no home directory is known for '~'"),
    (CURT_E_EXPAND_HOME_RELATIVE, c"the home directory is not a full path"),
    (CURT_E_EXPAND_NO_USER, c"there is no such user"),
    (CURT_E_EXPAND_TOO_LONG, c"the path is too long"),
    (CURT_E_EXPAND_ESCAPE, c"'..' leads beyond the root"),
    (CURT_E_EXPAND_NO_START, c"the path is relative, and no full path to start from is known"),
    (CURT_E_EXPAND_ENCODING, c"the directory that the path starts from is not Unicode"),
    (CURT_E_COPY_SAME_ENTRY, c"source and destination are the same entry"),
    (CURT_E_COPY_INTO_ITSELF, c"the destination is inside the source"),
    (CURT_E_COPY_DIRECTORY_OVER_FILE, c"the destination is not a directory"),
    (CURT_E_COPY_FILE_OVER_DIRECTORY, c"the destination is a directory"),
    (CURT_E_COPY_SPECIAL, c"the destination is not a regular file"),
    (CURT_E_COPY_JUST_CREATED, c"the destination was created by this copy"),
    (CURT_E_COPY_DIRECTORY, c"the source is a directory"),
];

fn text_of(result: i32) -> &'static CStr {
    let other = if result < 0 { c"unknown failure" } else { c"done" };
    TEXTS.iter().find(|(known, _)| *known == result).map_or(other, |(_, text)| text)
}

/// Returns a static English text for any result; "done" if it is not negative. Never returns NULL.
/// Prefer an error's text, which has the path and the system's reason.
#[unsafe(no_mangle)]
pub extern "C" fn curt_text(result: i32) -> *const c_char {
    text_of(result).as_ptr()
}

/// Returns the `CURT_ABI` of the loaded library. After `dlopen`, check that your header's
/// `CURT_ABI` is not larger.
#[unsafe(no_mangle)]
pub extern "C" fn curt_abi() -> u32 {
    CURT_ABI
}

pub(crate) fn result_of(error: &Error) -> i32 {
    match error.cause() {
        Cause::Os(error) => of_system(error),
        Cause::Remains(reason) => of_remain_reason(*reason),
        Cause::CopyRefused(refusal, _) => of_copy_refusal(*refusal),
        Cause::Replaced => CURT_E_REPLACED,
        Cause::Loop(_) => CURT_E_LOOP,
        Cause::Refused(refusal) => of_refusal(*refusal),
        Cause::Find(why) => of_find(why.cause()),
        Cause::Bug(_) => CURT_E_INTERNAL,
        _ => CURT_E_OTHER,
    }
}

fn of_system(error: &std::io::Error) -> i32 {
    match (error.raw_os_error(), error.kind()) {
        (Some(_), _) => CURT_E_OS,
        (None, std::io::ErrorKind::InvalidInput) => CURT_E_ARGUMENT,
        (None, _) => CURT_E_OTHER,
    }
}

fn of_remain_reason(reason: RemainReason) -> i32 {
    match reason {
        RemainReason::MountPoint => CURT_E_KEPT_MOUNT_POINT,
        RemainReason::BeingWrittenTo => CURT_E_KEPT_BEING_WRITTEN_TO,
        RemainReason::DotOrDotDot => CURT_E_KEPT_DOT,
        RemainReason::RootDirectory => CURT_E_KEPT_ROOT,
        RemainReason::OtherFileSystem => CURT_E_KEPT_OTHER_FILE_SYSTEM,
        RemainReason::IsADirectory => CURT_E_KEPT_DIRECTORY,
        RemainReason::IsALink => CURT_E_KEPT_LINK,
        _ => CURT_E_OTHER,
    }
}

fn of_copy_refusal(refusal: CopyRefusal) -> i32 {
    match refusal {
        CopyRefusal::SameEntry => CURT_E_COPY_SAME_ENTRY,
        CopyRefusal::IntoItself => CURT_E_COPY_INTO_ITSELF,
        CopyRefusal::DirectoryOverFile => CURT_E_COPY_DIRECTORY_OVER_FILE,
        CopyRefusal::FileOverDirectory => CURT_E_COPY_FILE_OVER_DIRECTORY,
        CopyRefusal::Special => CURT_E_COPY_SPECIAL,
        CopyRefusal::JustCreated => CURT_E_COPY_JUST_CREATED,
        CopyRefusal::IsADirectory => CURT_E_COPY_DIRECTORY,
        _ => CURT_E_OTHER,
    }
}

fn of_find(cause: &FindCause) -> i32 {
    match cause {
        FindCause::NotFound => CURT_E_FIND_NOT_FOUND,
        FindCause::OnlyInWorkingDirectory => CURT_E_FIND_ONLY_IN_CWD,
        FindCause::NotExecutable => CURT_E_FIND_NOT_EXECUTABLE,
        FindCause::InvalidName(_) => CURT_E_FIND_INVALID_NAME,
        FindCause::NameTooLong => CURT_E_FIND_NAME_TOO_LONG,
        FindCause::LinkLoop => CURT_E_FIND_LINK_LOOP,
        FindCause::RelativeResult => CURT_E_FIND_RELATIVE,
        FindCause::DirectoryMissing => CURT_E_FIND_NO_BASE,
        FindCause::PermissionDenied => CURT_E_FIND_DENIED,
        FindCause::Os(error) => of_system(error),
        _ => CURT_E_OTHER,
    }
}

pub(crate) fn of_refusal(refusal: Refusal) -> i32 {
    match refusal {
        Refusal::Empty => CURT_E_REFUSED_EMPTY,
        Refusal::Nul => CURT_E_REFUSED_NUL,
        Refusal::Encoding => CURT_E_REFUSED_ENCODING,
        Refusal::Device => CURT_E_REFUSED_DEVICE,
        Refusal::Absolute => CURT_E_REFUSED_ABSOLUTE,
        Refusal::Drive => CURT_E_REFUSED_DRIVE,
        Refusal::Stream => CURT_E_REFUSED_STREAM,
        Refusal::BadChar => CURT_E_REFUSED_CHARACTER,
        Refusal::Escape => CURT_E_REFUSED_ESCAPE,
        Refusal::Trailing => CURT_E_REFUSED_TRAILING,
        Refusal::ShortName => CURT_E_REFUSED_SHORT_NAME,
        Refusal::Link => CURT_E_REFUSED_LINK,
        _ => CURT_E_OTHER,
    }
}

pub(crate) fn of_expansion(error: ExpandError) -> i32 {
    match error {
        ExpandError::Empty => CURT_E_EXPAND_EMPTY,
        ExpandError::Nul => CURT_E_EXPAND_NUL,
        ExpandError::NoHome => CURT_E_EXPAND_NO_HOME,
        ExpandError::HomeNotAbsolute => CURT_E_EXPAND_HOME_RELATIVE,
        ExpandError::NoUser => CURT_E_EXPAND_NO_USER,
        ExpandError::TooLong => CURT_E_EXPAND_TOO_LONG,
        ExpandError::Escape => CURT_E_EXPAND_ESCAPE,
        ExpandError::Drive => CURT_E_EXPAND_NO_START,
        ExpandError::Encoding => CURT_E_EXPAND_ENCODING,
        _ => CURT_E_OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_has_its_own_number_and_text() {
        for (at, (result, text)) in TEXTS.iter().enumerate() {
            assert!(*result < 0 && TEXTS[..at].iter().all(|other| other.0 != *result), "{result}");
            assert!(!text.is_empty());
        }
        for result in [-8, i32::MIN] {
            assert_eq!(text_of(result), c"unknown failure");
        }
        for result in [0, 1, i32::MAX] {
            assert_eq!(text_of(result), c"done");
        }
    }
}
