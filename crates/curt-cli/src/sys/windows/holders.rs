//! The programs that hold a file, from the Restart Manager, which installers ask the same. Its
//! library is loaded for a failure only.

use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::Path;

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::core::BOOL;

use super::library;

/// The errors that mean that a file is held, and that there is more to read.
const SHARING_VIOLATION: i32 = 32;
const ACCESS_DENIED: i32 = 5;
const MORE_DATA: u32 = 234;

/// How many programs are named.
const MOST_NAMED: usize = 3;
/// How many units the key of a session has, with its end.
const KEY: usize = 33;

/// A program that holds a file: `RM_PROCESS_INFO`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Holder {
    process: u32,
    started: FILETIME,
    name: [u16; 256],
    service: [u16; 64],
    kind: i32,
    status: u32,
    session: u32,
    can_restart: BOOL,
}

type Start = unsafe extern "system" fn(*mut u32, u32, *mut u16) -> u32;
type Register = unsafe extern "system" fn(
    u32,
    u32,
    *const *const u16,
    u32,
    *const Holder,
    u32,
    *const *const u16,
) -> u32;
type List = unsafe extern "system" fn(u32, *mut u32, *mut u32, *mut Holder, *mut u32) -> u32;
type End = unsafe extern "system" fn(u32) -> u32;

/// Returns what holds a file that could not be removed, if the error may mean that it is held.
pub(crate) fn holders(path: &Path, error: &io::Error) -> Option<String> {
    if !matches!(error.raw_os_error(), Some(SHARING_VIOLATION | ACCESS_DENIED)) {
        return None;
    }
    let holders = Session::start()?.list(path)?;
    let named = holders.iter().take(MOST_NAMED).map(|holder| {
        let end = holder.name.iter().position(|&unit| unit == 0).unwrap_or(holder.name.len());
        let name = String::from_utf16_lossy(holder.name.get(..end).unwrap_or_default());
        format!("{name} (process {})", holder.process)
    });
    let mut names: Vec<String> = named.collect();
    if holders.len() > MOST_NAMED {
        names.push("others".to_owned());
    }
    (!names.is_empty()).then(|| format!("in use by {}", names.join(", ")))
}

/// A session of the Restart Manager.
struct Session {
    handle: u32,
    register: Register,
    list: List,
    end: End,
}

impl Session {
    fn start() -> Option<Session> {
        let function = |name| library::function("rstrtmgr.dll", name);
        let start = function(c"RmStartSession")?;
        let register = function(c"RmRegisterResources")?;
        let list = function(c"RmGetList")?;
        let end = function(c"RmEndSession")?;
        // SAFETY: the function of this name has this type, as Microsoft's page of it says.
        let start = unsafe { std::mem::transmute::<library::Function, Start>(start) };
        // SAFETY: as above.
        let register = unsafe { std::mem::transmute::<library::Function, Register>(register) };
        // SAFETY: as above.
        let list = unsafe { std::mem::transmute::<library::Function, List>(list) };
        // SAFETY: as above.
        let end = unsafe { std::mem::transmute::<library::Function, End>(end) };
        let (mut handle, mut key) = (0, [0; KEY]);
        // SAFETY: the key has room for as many units as the function writes.
        let code = unsafe { start(&raw mut handle, 0, key.as_mut_ptr()) };
        (code == 0).then_some(Session { handle, register, list, end })
    }

    /// Returns the programs that hold a file, at most one more than are named.
    fn list(&self, path: &Path) -> Option<Vec<Holder>> {
        let path = std::path::absolute(path).ok()?;
        let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
        let files = [path.as_ptr()];
        // SAFETY: the path is terminated; there are no programs and no services in the question.
        let code = unsafe {
            (self.register)(
                self.handle,
                1,
                files.as_ptr(),
                0,
                std::ptr::null(),
                0,
                std::ptr::null(),
            )
        };
        if code != 0 {
            return None;
        }
        let nobody = Holder {
            process: 0,
            started: FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 },
            name: [0; 256],
            service: [0; 64],
            kind: 0,
            status: 0,
            session: 0,
            can_restart: 0,
        };
        let mut holders = vec![nobody; MOST_NAMED + 1];
        // The number may rise from one call to the next.
        for _ in 0..3 {
            let mut count = u32::try_from(holders.len()).ok()?;
            let (mut needed, mut reasons) = (0, 0);
            // SAFETY: there is room for as many holders as the count says.
            let code = unsafe {
                (self.list)(
                    self.handle,
                    &raw mut needed,
                    &raw mut count,
                    holders.as_mut_ptr(),
                    &raw mut reasons,
                )
            };
            match code {
                0 => {
                    holders.truncate(count.min(needed) as usize);
                    return Some(holders);
                }
                MORE_DATA => holders.resize(needed as usize, nobody),
                _ => return None,
            }
        }
        None
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the session was started, and is ended once.
        let _ = unsafe { (self.end)(self.handle) };
    }
}
