//! The table of native functions. Tests replace functions to fake calls that Wine and older systems
//! lack, or to refuse calls. The table also remembers the refusals of each volume, for the life of
//! the process.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation::{HANDLE, NTSTATUS, UNICODE_STRING};
use windows_sys::Win32::System::IO::{IO_STATUS_BLOCK, PIO_APC_ROUTINE};
use windows_sys::Win32::System::LibraryLoader::{
    GetModuleHandleW, GetProcAddress, LOAD_LIBRARY_SEARCH_SYSTEM32, LoadLibraryExW,
};

/// `NtOpenFile`.
pub(crate) type OpenFile = unsafe extern "system" fn(
    *mut HANDLE,
    u32,
    *const OBJECT_ATTRIBUTES,
    *mut IO_STATUS_BLOCK,
    u32,
    u32,
) -> NTSTATUS;
/// `NtCreateFile`.
pub(crate) type CreateFile = unsafe extern "system" fn(
    *mut HANDLE,
    u32,
    *const OBJECT_ATTRIBUTES,
    *mut IO_STATUS_BLOCK,
    *const i64,
    u32,
    u32,
    u32,
    u32,
    *const c_void,
    u32,
) -> NTSTATUS;
/// `NtClose`.
pub(crate) type Close = unsafe extern "system" fn(HANDLE) -> NTSTATUS;
/// `NtQueryDirectoryFile`.
pub(crate) type QueryDirectoryFile = unsafe extern "system" fn(
    HANDLE,
    HANDLE,
    PIO_APC_ROUTINE,
    *const c_void,
    *mut IO_STATUS_BLOCK,
    *mut c_void,
    u32,
    i32,
    bool,
    *const UNICODE_STRING,
    bool,
) -> NTSTATUS;
/// `NtQueryInformationFile` and `NtQueryVolumeInformationFile`.
pub(crate) type QueryInformation =
    unsafe extern "system" fn(HANDLE, *mut IO_STATUS_BLOCK, *mut c_void, u32, i32) -> NTSTATUS;
/// `NtSetInformationFile`.
pub(crate) type SetInformation =
    unsafe extern "system" fn(HANDLE, *mut IO_STATUS_BLOCK, *const c_void, u32, i32) -> NTSTATUS;
/// `NtQueryInformationByName`, since Windows 10 1709.
pub(crate) type QueryByName = unsafe extern "system" fn(
    *const OBJECT_ATTRIBUTES,
    *mut IO_STATUS_BLOCK,
    *mut c_void,
    u32,
    i32,
) -> NTSTATUS;

/// `NtReadFile`.
pub(crate) type ReadFile = unsafe extern "system" fn(
    HANDLE,
    HANDLE,
    PIO_APC_ROUTINE,
    *const c_void,
    *mut IO_STATUS_BLOCK,
    *mut c_void,
    u32,
    *const i64,
    *const u32,
) -> NTSTATUS;
/// `NtFsControlFile`.
pub(crate) type FsControl = unsafe extern "system" fn(
    HANDLE,
    HANDLE,
    PIO_APC_ROUTINE,
    *const c_void,
    *mut IO_STATUS_BLOCK,
    u32,
    *const c_void,
    u32,
    *mut c_void,
    u32,
) -> NTSTATUS;
/// `NtQuerySecurityObject`.
pub(crate) type QuerySecurity =
    unsafe extern "system" fn(HANDLE, u32, *mut c_void, u32, *mut u32) -> NTSTATUS;
/// `NtResumeProcess`.
pub(crate) type ResumeProcess = unsafe extern "system" fn(HANDLE) -> NTSTATUS;
/// `LookupAccountSidW`; both lengths are input and output.
pub(crate) type LookUpAccount = unsafe extern "system" fn(
    *const u16,
    *mut c_void,
    *mut u16,
    *mut u32,
    *mut u16,
    *mut u32,
    *mut i32,
) -> i32;

pub(crate) struct Native {
    pub(crate) open: OpenFile,
    pub(crate) create: CreateFile,
    pub(crate) close: Close,
    pub(crate) query_directory: QueryDirectoryFile,
    pub(crate) query_file: QueryInformation,
    pub(crate) set_file: SetInformation,
    pub(crate) query_volume: QueryInformation,
    pub(crate) query_by_name: Option<QueryByName>,
    pub(crate) fs_control: FsControl,
    pub(crate) read: ReadFile,
    pub(crate) query_security: QuerySecurity,
    pub(crate) resume_process: Option<ResumeProcess>,
    /// A function of advapi32, which is loaded on demand.
    look_up_account: OnceLock<Option<LookUpAccount>>,
    /// Rung 0 is `OBJ_DONT_REPARSE`; rung 1 means that it is unavailable.
    pub(crate) dont_reparse: Rung,
    volumes: Mutex<Vec<&'static Volume>>,
}

impl Native {
    pub(crate) fn system() -> &'static Native {
        static TABLE: OnceLock<Native> = OnceLock::new();
        TABLE.get_or_init(Native::look_up)
    }

    pub(crate) fn look_up() -> Native {
        Native {
            open: nt::NtOpenFile,
            create: nt::NtCreateFile,
            close: windows_sys::Wdk::Foundation::NtClose,
            query_directory: nt::NtQueryDirectoryFile,
            query_file: nt::NtQueryInformationFile,
            set_file: nt::NtSetInformationFile,
            query_volume: nt::NtQueryVolumeInformationFile,
            query_by_name: look_up_query_by_name(),
            fs_control: nt::NtFsControlFile,
            read: nt::NtReadFile,
            query_security: nt::NtQuerySecurityObject,
            resume_process: look_up_resume_process(),
            look_up_account: OnceLock::new(),
            dont_reparse: look_up_dont_reparse(),
            volumes: Mutex::default(),
        }
    }

    pub(super) fn look_up_account(&self) -> Option<LookUpAccount> {
        *self.look_up_account.get_or_init(load_look_up_account)
    }

    #[cfg(test)]
    pub(super) fn replace_look_up_account(&mut self, function: Option<LookUpAccount>) {
        self.look_up_account = OnceLock::from(function);
    }

    /// A volume's copy has the same serial number, and so shares its state.
    pub(super) fn volume(&self, key: Key) -> &'static Volume {
        let mut volumes = self.volumes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = volumes.iter().find(|volume| volume.key == key) {
            return known;
        }
        // Leak each volume, because handles refer to it.
        let volume: &'static Volume = Box::leak(Box::new(Volume {
            key,
            listing: Rung::top(),
            disposition: Rung::top(),
            by_name: Rung::top(),
            basic: Rung::top(),
            linux: Rung::top(),
            spelling: Rung::top(),
        }));
        volumes.push(volume);
        volume
    }
}

fn look_up_query_by_name() -> Option<QueryByName> {
    let found = look_up(c"NtQueryInformationByName")?;
    // SAFETY: this is the function's documented type.
    Some(unsafe { std::mem::transmute::<Function, QueryByName>(found) })
}

fn look_up_resume_process() -> Option<ResumeProcess> {
    let found = look_up(c"NtResumeProcess")?;
    // SAFETY: this has been the function's type in every Windows since XP.
    Some(unsafe { std::mem::transmute::<Function, ResumeProcess>(found) })
}

fn load_look_up_account() -> Option<LookUpAccount> {
    const ADVAPI32: &[u16] =
        &[0x61, 0x64, 0x76, 0x61, 0x70, 0x69, 0x33, 0x32, 0x2e, 0x64, 0x6c, 0x6c, 0];
    // SAFETY: the name ends with NUL. Only the system directory is searched.
    let library = unsafe {
        LoadLibraryExW(ADVAPI32.as_ptr(), std::ptr::null_mut(), LOAD_LIBRARY_SEARCH_SYSTEM32)
    };
    if library.is_null() {
        return None;
    }
    // SAFETY: the module is never unloaded, and the name ends with NUL.
    let found = unsafe { GetProcAddress(library, c"LookupAccountSidW".as_ptr().cast()) }?;
    // SAFETY: this is the function's documented type.
    Some(unsafe { std::mem::transmute::<Function, LookUpAccount>(found) })
}

/// Wine ignores `OBJ_DONT_REPARSE` and follows links, so it must not be used there.
fn look_up_dont_reparse() -> Rung {
    let rung = Rung::top();
    if is_wine() {
        rung.below(0);
    }
    rung
}

pub(crate) fn is_wine() -> bool {
    look_up(c"wine_get_version").is_some()
}

type Function = unsafe extern "system" fn() -> isize;

fn look_up(name: &CStr) -> Option<Function> {
    const NTDLL: &[u16] = &[0x6e, 0x74, 0x64, 0x6c, 0x6c, 0x2e, 0x64, 0x6c, 0x6c, 0];
    // SAFETY: the name ends with NUL, and ntdll is never unloaded.
    let ntdll = unsafe { GetModuleHandleW(NTDLL.as_ptr()) };
    if ntdll.is_null() {
        return None;
    }
    // SAFETY: the module is loaded, and the name ends with NUL.
    unsafe { GetProcAddress(ntdll, name.as_ptr().cast()) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Serial(u64),
    /// A drive whose serial number was not queried.
    Drive(u16),
    Numberless,
    /// The path names no drive.
    Unknown,
}

/// A volume, and the newest calls that it did not refuse.
#[derive(Debug)]
pub(crate) struct Volume {
    key: Key,
    pub(crate) listing: Rung,
    pub(crate) disposition: Rung,
    /// The query by name. `basic` and `linux` are its classes with more fields.
    pub(crate) by_name: Rung,
    pub(crate) basic: Rung,
    pub(crate) linux: Rung,
    pub(crate) spelling: Rung,
}

impl Volume {
    pub(super) fn serial(&self) -> Option<u64> {
        match self.key {
            Key::Serial(serial) => Some(serial),
            Key::Numberless | Key::Drive(_) | Key::Unknown => None,
        }
    }

    pub(super) fn is_identified(&self) -> bool {
        matches!(self.key, Key::Serial(_) | Key::Numberless)
    }
}

/// The index of the newest version of a call not refused so far. It only increases.
#[derive(Debug)]
pub(crate) struct Rung(AtomicUsize);

impl Rung {
    pub(super) fn top() -> Rung {
        Rung(AtomicUsize::new(0))
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn below(&self, refused: usize) {
        self.0.fetch_max(refused + 1, Ordering::Relaxed);
    }
}
