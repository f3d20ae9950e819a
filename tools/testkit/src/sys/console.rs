//! A console for tests of Ctrl-C and Ctrl-Break.

use std::ffi::c_void;
use std::fs::File;
use std::io::{Error, Read, Result};
use std::mem;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use windows_sys::Win32::Foundation::{HANDLE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Console::{
    COORD, CTRL_BREAK_EVENT, CTRL_C_EVENT, ClosePseudoConsole, CreatePseudoConsole,
    GenerateConsoleCtrlEvent, HPCON, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::Pipes::CreatePipe;
use windows_sys::Win32::System::Threading::{
    CreateProcessW, DeleteProcThreadAttributeList, EXTENDED_STARTUPINFO_PRESENT,
    GetExitCodeProcess, InitializeProcThreadAttributeList, LPPROC_THREAD_ATTRIBUTE_LIST,
    PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, PROCESS_INFORMATION, STARTUPINFOEXW,
    UpdateProcThreadAttribute, WaitForSingleObject,
};
use windows_sys::core::BOOL;

use crate::skip;

const LONG: u32 = 60_000;

const INSIDE: &str = "CURT_TEST_IN_OWN_CONSOLE";

/// Returns `true` in a process with its own console, where the test may press keys. Otherwise runs
/// the named test again in a child with its own console, and returns `false`: the caller is done.
/// Reports a skip if the system has no consoles.
///
/// # Panics
/// If the test fails in the child.
pub fn has_own_console(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        // SAFETY: the handler is a function of this program, so it is never unloaded.
        unsafe { SetConsoleCtrlHandler(Some(swallow), 1) };
        return true;
    }
    match run(test) {
        Ok((0, _)) => {}
        Ok((code, said)) => panic!("in a console it ends with {code:#x}: {said}"),
        Err(error) => skip(&format!("no console can be had here: {error}")),
    }
    false
}

/// A handler that does nothing. If the system itself ignored the keys, children would inherit that.
extern "system" fn swallow(_: u32) -> BOOL {
    1
}

/// Presses Ctrl-C for every process in this console.
pub fn press_ctrl_c() -> Result<()> {
    press(CTRL_C_EVENT, 0)
}

/// Presses Ctrl-Break for a child that leads a process group (`CREATE_NEW_PROCESS_GROUP`).
pub fn press_ctrl_break(child: &Child) -> Result<()> {
    press(CTRL_BREAK_EVENT, child.id())
}

fn press(key: u32, group: u32) -> Result<()> {
    // SAFETY: the system refuses a group that does not exist.
    match unsafe { GenerateConsoleCtrlEvent(key, group) } {
        0 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}

fn run(test: &str) -> Result<(u32, String)> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (input, typed) = pipe()?;
    let (shown, output) = pipe()?;
    let size = COORD { X: 120, Y: 50 };
    let mut console: HPCON = 0;
    let handles = (input.as_raw_handle(), output.as_raw_handle());
    // SAFETY: both handles are open, and `console` is valid for writes.
    let made = unsafe { CreatePseudoConsole(size, handles.0, handles.1, 0, &raw mut console) };
    if made < 0 {
        return Err(Error::other(format!("CreatePseudoConsole: {made:#x}")));
    }
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = File::from(shown).read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let code = start(console, test).and_then(|process| wait(&process));
    // SAFETY: the console is open and not used again. The reader drains its last output.
    unsafe { ClosePseudoConsole(console) };
    drop((input, typed, output));
    let said = reader.join().unwrap_or_default();
    Ok((code?, said))
}

fn pipe() -> Result<(OwnedHandle, OwnedHandle)> {
    let mut ends: [HANDLE; 2] = [ptr::null_mut(); 2];
    let [read, write] = &mut ends;
    // SAFETY: both pointers are valid for writes, and the other arguments are optional.
    if unsafe { CreatePipe(read, write, ptr::null(), 0) } == 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: a new handle without another owner.
    let own = |handle| unsafe { OwnedHandle::from_raw_handle(handle) };
    let [read, write] = ends.map(own);
    Ok((read, write))
}

fn start(console: HPCON, test: &str) -> Result<OwnedHandle> {
    // SAFETY: Windows synchronizes access to the environment.
    unsafe { std::env::set_var(INSIDE, "1") };
    let program = std::env::current_exe()?;
    let line = format!("\" --exact {test} --nocapture --test-threads=1\0");
    let mut line: Vec<u16> = "\""
        .encode_utf16()
        .chain(program.as_os_str().encode_wide())
        .chain(line.encode_utf16())
        .collect();
    let mut list = [0_u64; 32];
    let attributes: LPPROC_THREAD_ATTRIBUTE_LIST = list.as_mut_ptr().cast();
    let mut size = mem::size_of_val(&list);
    // SAFETY: `size` is the size of the list in bytes.
    let mut done = unsafe { InitializeProcThreadAttributeList(attributes, 1, 0, &raw mut size) };
    let kind = PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE as usize;
    let value = console as *const c_void;
    if done != 0 {
        // SAFETY: for this attribute, the value is the console handle itself.
        done = unsafe {
            let size = size_of::<HPCON>();
            UpdateProcThreadAttribute(
                attributes,
                0,
                kind,
                value,
                size,
                ptr::null_mut(),
                ptr::null(),
            )
        };
    }
    // SAFETY: zero is valid for these numbers and pointers.
    let mut info: (STARTUPINFOEXW, PROCESS_INFORMATION) = unsafe { mem::zeroed() };
    info.0.StartupInfo.cb = size_of::<STARTUPINFOEXW>() as u32;
    info.0.lpAttributeList = attributes;
    if done != 0 {
        // SAFETY: the command line is writable and ends with NUL, and the extended struct matches
        // its flag.
        done = unsafe {
            CreateProcessW(
                ptr::null(),
                line.as_mut_ptr(),
                ptr::null(),
                ptr::null(),
                0,
                EXTENDED_STARTUPINFO_PRESENT,
                ptr::null(),
                ptr::null(),
                &raw const info.0.StartupInfo,
                &raw mut info.1,
            )
        };
    }
    let result = if done == 0 { Err(Error::last_os_error()) } else { Ok(()) };
    // SAFETY: the list was initialized above, or is zero and so empty.
    unsafe { DeleteProcThreadAttributeList(attributes) };
    // SAFETY: Windows synchronizes access to the environment.
    unsafe { std::env::remove_var(INSIDE) };
    result?;
    // SAFETY: a new handle without another owner.
    drop(unsafe { OwnedHandle::from_raw_handle(info.1.hThread) });
    // SAFETY: as above.
    Ok(unsafe { OwnedHandle::from_raw_handle(info.1.hProcess) })
}

fn wait(process: &OwnedHandle) -> Result<u32> {
    let handle = process.as_raw_handle();
    // SAFETY: the handle is open.
    if unsafe { WaitForSingleObject(handle, LONG) } != WAIT_OBJECT_0 {
        return Err(Error::other("the test in the console does not end"));
    }
    let mut code = 0;
    // SAFETY: the handle is open, and `code` is writable.
    match unsafe { GetExitCodeProcess(handle, &raw mut code) } {
        0 => Err(Error::last_os_error()),
        _ => Ok(code),
    }
}
