//! Finds out why a program could not be started. If the error number is ambiguous, the first bytes
//! of the file decide.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, CWD};
use rustix::io::Errno;

use super::syscalls::Syscalls;
use crate::error::StartFailure;
use crate::sys::script_interpreter;

const HEAD: usize = 4 << 10;

pub(crate) fn explain(
    syscalls: &Syscalls,
    program: &Path,
    directory: Option<&Path>,
    error: &io::Error,
) -> StartFailure {
    let Some(number) = Errno::from_io_error(error) else {
        // The standard library refused a string with a NUL, without a system call.
        let is_text = error.kind() == io::ErrorKind::InvalidInput;
        return if is_text { StartFailure::InvalidText } else { StartFailure::System };
    };
    if directory.is_some_and(|directory| cannot_be_entered(syscalls, directory)) {
        return StartFailure::Directory;
    }
    match number {
        Errno::NOENT | Errno::NOTDIR => missing(syscalls, program, directory, number),
        Errno::ACCESS | Errno::ISDIR => StartFailure::NotExecutable,
        Errno::NOEXEC => StartFailure::BadFormat,
        #[cfg(target_os = "linux")]
        Errno::LIBBAD => StartFailure::BadFormat,
        Errno::TXTBSY => StartFailure::TextBusy,
        Errno::TOOBIG => StartFailure::TooLong,
        _ => StartFailure::System,
    }
}

fn cannot_be_entered(syscalls: &Syscalls, directory: &Path) -> bool {
    // Append `.`, which only a directory has.
    let itself = CString::new(directory.join(".").as_os_str().as_bytes());
    itself.is_ok_and(|path| syscalls.may(CWD, &path, Access::EXEC_OK).is_err())
}

/// A missing program and a missing interpreter both fail with `ENOENT`, or with `ENOTDIR` if the
/// path leads through a file.
fn missing(syscalls: &Syscalls, program: &Path, dir: Option<&Path>, errno: Errno) -> StartFailure {
    let path = dir.unwrap_or(Path::new("")).join(program);
    let path = CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
    let file = match super::values::uninterrupted(|| syscalls.open_to_read(&path)) {
        Ok(file) => file,
        Err(Errno::NOENT) if errno == Errno::NOENT => return StartFailure::ProgramMissing,
        Err(_) => return StartFailure::System,
    };
    let mut head = Vec::with_capacity(HEAD);
    let read = super::values::uninterrupted(|| syscalls.read_fd(file.as_fd(), &mut head));
    syscalls.close(file);
    let interpreter = read.ok().and_then(|_| interpreter(&head));
    interpreter.map_or(StartFailure::System, |(path, carriage_return)| {
        StartFailure::InterpreterMissing { interpreter: path, carriage_return }
    })
}

/// Returns the interpreter, and whether a carriage return follows it.
fn interpreter(head: &[u8]) -> Option<(PathBuf, bool)> {
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    if let Some((word, _)) = script_interpreter(head) {
        let plain = word.strip_suffix(b"\r");
        return Some((path(plain.unwrap_or(word)), plain.is_some()));
    }
    image_interpreter(head).map(|bytes| (path(bytes), false))
}

/// Returns the loader in an ELF image (System V ABI, "Program Header").
fn image_interpreter(head: &[u8]) -> Option<&[u8]> {
    const INTERPRETER: u64 = 3;
    if !head.starts_with(b"\x7fELF") {
        return None;
    }
    let is_wide = *head.get(4)? == 2;
    let is_little = *head.get(5)? == 1;
    let number = |at: usize, length: usize| -> Option<u64> {
        let bytes = head.get(at..at.checked_add(length)?)?;
        let digits: Vec<u8> =
            if is_little { bytes.iter().rev().copied().collect() } else { bytes.to_vec() };
        Some(digits.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    };
    // The offsets of the program headers' position, size and number, for 64 and 32 bits.
    let (begin, each, count) = if is_wide { ((32, 8), 54, 56) } else { ((28, 4), 42, 44) };
    let begin = usize::try_from(number(begin.0, begin.1)?).ok()?;
    let (each, count) = (number(each, 2)? as usize, number(count, 2)? as usize);
    let header = (0..count)
        .map_while(|index| begin.checked_add(each.checked_mul(index)?))
        .find(|&at| number(at, 4) == Some(INTERPRETER))?;
    // In each header, the offsets of the segment's position and size, and their width.
    let (offset, size, width) = if is_wide { (8, 32, 8) } else { (4, 16, 4) };
    let offset = usize::try_from(number(header.checked_add(offset)?, width)?).ok()?;
    let size = usize::try_from(number(header.checked_add(size)?, width)?).ok()?;
    head.get(offset..offset.checked_add(size)?)?.split(|&byte| byte == 0).next()
}

#[cfg(test)]
mod tests;
