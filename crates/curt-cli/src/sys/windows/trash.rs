//! The recycle bin. The shell's library is loaded on demand, because loading is slow.

use std::ffi::{OsStr, c_void};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::{Path, is_separator};

use windows_sys::Win32::Foundation::ERROR_INVALID_NAME;
use windows_sys::Win32::Storage::FileSystem::GetDriveTypeW;
use windows_sys::core::BOOL;

use super::library;
use crate::sys::{Refusal, TrashRules, Trashed};

/// The delete operation, and flags that hide all windows except the warning before an entry is
/// destroyed because the bin cannot hold it.
const DELETE: u32 = 3;
const SILENT: u16 = 0x4;
const NO_CONFIRMATION: u16 = 0x10;
const ALLOW_UNDO: u16 = 0x40;
const NO_ERROR_WINDOW: u16 = 0x400;
const WARN_BEFORE_DESTROYING: u16 = 0x4000;

/// Only fixed drives have a bin; on others, the shell would destroy the entry (ADR 46).
const FIXED_DRIVE: u32 = 3;
/// The longest path that the shell accepts, without NUL.
const LONGEST_PATH: usize = 259;
/// Error codes of the shell that are not Win32 errors.
const OWN_CODES: std::ops::RangeInclusive<i32> = 0x71..=0x88;
const ACCESS_DENIED_TO_SHELL: i32 = 0x78;
const ACCESS_DENIED: i32 = 5;

#[cfg_attr(target_arch = "x86", repr(C, packed(1)))]
#[cfg_attr(not(target_arch = "x86"), repr(C))]
struct Request {
    window: *mut c_void,
    action: u32,
    from: *const u16,
    to: *const u16,
    flags: u16,
    was_aborted: BOOL,
    names: *mut c_void,
    title: *const u16,
}

type FileOperation = unsafe extern "system" fn(*mut Request) -> i32;

pub(crate) struct Trash {
    operate: Option<FileOperation>,
    dry_run: bool,
}

impl Trash {
    pub(crate) fn open(dry_run: bool) -> Trash {
        let found = library::function("shell32.dll", c"SHFileOperationW");
        // SAFETY: the function has this documented type.
        let operate = found
            .map(|found| unsafe { std::mem::transmute::<library::Function, FileOperation>(found) });
        Trash { operate, dry_run }
    }

    pub(crate) fn put(&self, operand: &OsStr, rules: TrashRules) -> Result<Trashed, Refusal> {
        let operate = self.operate.ok_or(Refusal::no_trash("this system has no recycle bin"))?;
        let path = shell_path(operand)?;
        let stat = curt::stat(&path, curt::Fields::KIND).map_err(Refusal::from_lookup)?;
        let is_directory = stat.kind().is_dir();
        if operand.as_encoded_bytes().last().is_some_and(|&last| is_separator(char::from(last)))
            && !is_directory
        {
            return Err(Refusal::from_lookup(io::ErrorKind::NotADirectory));
        }
        if is_directory && !rules.takes_directories {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        if !self.dry_run {
            recycle(operate, &path)?;
        }
        Ok(Trashed { is_directory, to: None })
    }
}

/// Returns the full path. Refuses operands that the shell would resolve to a different entry.
fn shell_path(operand: &OsStr) -> Result<std::path::PathBuf, Refusal> {
    let typed = operand.to_string_lossy();
    let name = typed.trim_end_matches(is_separator).rsplit(is_separator).next().unwrap_or("");
    let name = name.rsplit(':').next().unwrap_or(name);
    if name == "." || name == ".." {
        return Err(Refusal::DOT_OR_DOT_DOT);
    }
    // The shell expands patterns, and no name can contain these characters.
    if typed.contains(['*', '?', '"', '<', '>', '|']) && !typed.starts_with(r"\\?\") {
        return Err(io::Error::from_raw_os_error(ERROR_INVALID_NAME as i32).into());
    }
    let path = std::path::absolute(operand)?;
    let text = path.to_string_lossy();
    let text = text.trim_end_matches('\\');
    let is_on_drive = text.as_bytes().get(1..3) == Some(b":\\");
    if text.len() == 2 && text.ends_with(':') {
        return Err(Refusal::ROOT);
    }
    // Refuse a name that Win32 changes.
    let is_same = is_on_drive && text.rsplit('\\').next() == Some(name);
    if !is_same || text.encode_utf16().count() > LONGEST_PATH || path.to_str().is_none() {
        return Err(Refusal::no_trash("the recycle bin does not accept such a path"));
    }
    let drive: Vec<u16> = text.encode_utf16().take(3).chain([0]).collect();
    // SAFETY: the drive's name ends with NUL.
    if unsafe { GetDriveTypeW(drive.as_ptr()) } != FIXED_DRIVE {
        return Err(Refusal::no_trash("its drive has no recycle bin"));
    }
    Ok(Path::new(text).to_path_buf())
}

fn recycle(operate: FileOperation, path: &Path) -> Result<(), Refusal> {
    // The shell takes a list of paths, terminated by an empty path.
    let from: Vec<u16> = path.as_os_str().encode_wide().chain([0, 0]).collect();
    let flags = SILENT | NO_CONFIRMATION | ALLOW_UNDO | NO_ERROR_WINDOW | WARN_BEFORE_DESTROYING;
    let mut request = Request {
        window: std::ptr::null_mut(),
        action: DELETE,
        from: from.as_ptr(),
        to: std::ptr::null(),
        flags,
        was_aborted: 0,
        names: std::ptr::null_mut(),
        title: std::ptr::null(),
    };
    // SAFETY: the list of paths ends with two NULs and outlives the call.
    let code = unsafe { operate(&raw mut request) };
    match code {
        0 if request.was_aborted == 0 => Ok(()),
        0 => Err(Refusal::no_trash("the shell refused it")),
        ACCESS_DENIED_TO_SHELL => Err(io::Error::from_raw_os_error(ACCESS_DENIED).into()),
        code if OWN_CODES.contains(&code) || code > 0xffff || code < 0 => {
            Err(Refusal::no_trash("the recycle bin did not accept it"))
        }
        code => Err(io::Error::from_raw_os_error(code).into()),
    }
}
