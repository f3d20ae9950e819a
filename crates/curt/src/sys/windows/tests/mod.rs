//! Tests every version of each native call. Versions that this system lacks are faked; older ones
//! are reached by refusing the newer.
#![allow(
    clippy::missing_safety_doc,
    reason = "stand-ins: the table calls each as the function whose type it has"
)]

mod beneath;
mod copying;
mod missed_by_name;
mod mounted_volumes;
mod queries;

use std::ffi::c_void;
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use curt_testkit::Scratch;
use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation::{
    HANDLE, NTSTATUS, STATUS_ACCESS_DENIED, STATUS_INVALID_INFO_CLASS, STATUS_INVALID_PARAMETER,
    UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem as win;
use windows_sys::Win32::System::IO::{IO_STATUS_BLOCK, PIO_APC_ROUTINE};

use super::native::Native;
use super::{DirBuf, Windows, query};
use crate::control::Threads;
use crate::error::Cause;
use crate::fields::Kind;
use crate::name::Name;
use crate::remove::{Remove, Report};
use crate::sys::fault::Faults;
use crate::sys::{Listing, Mounts, Opened, Setup, Sys};

fn table(made: &'static OnceLock<Native>, change: fn(&mut Native)) -> Setup {
    let native = made.get_or_init(|| {
        let mut native = Native::look_up();
        change(&mut native);
        native
    });
    Setup { native: Some(native), ..Setup::default() }
}

macro_rules! by_name {
    (
        $name:ident,
        |$attributes:pat_param, $block:pat_param, $buffer:pat_param, $length:pat_param,
        $class:pat_param| $body:expr
    ) => {
        pub(super) unsafe extern "system" fn $name(
            $attributes: *const OBJECT_ATTRIBUTES,
            $block: *mut IO_STATUS_BLOCK,
            $buffer: *mut c_void,
            $length: u32,
            $class: i32,
        ) -> NTSTATUS {
            $body
        }
    };
}
use by_name;

macro_rules! lists_only {
    ($name:ident, $refused:expr) => {
        unsafe extern "system" fn $name(
            handle: HANDLE,
            event: HANDLE,
            routine: PIO_APC_ROUTINE,
            context: *const c_void,
            block: *mut IO_STATUS_BLOCK,
            buffer: *mut c_void,
            length: u32,
            class: i32,
            single: bool,
            pattern: *const UNICODE_STRING,
            restart: bool,
        ) -> NTSTATUS {
            if $refused.contains(&class) {
                return STATUS_INVALID_INFO_CLASS;
            }
            // SAFETY: the arguments are passed on unchanged.
            unsafe {
                nt::NtQueryDirectoryFile(
                    handle, event, routine, context, block, buffer, length, class, single, pattern,
                    restart,
                )
            }
        }
    };
}

const EXTD: i32 = nt::FileIdExtdDirectoryInformation;
const ID_FULL: i32 = nt::FileIdFullDirectoryInformation;
const FULL: i32 = nt::FileFullDirectoryInformation;
lists_only!(list_id_full, [EXTD]);
lists_only!(list_full, [EXTD, ID_FULL]);
lists_only!(list_directory, [EXTD, ID_FULL, FULL]);

/// Lists in the previous class, and adds the reparse tag and the 128-bit file number to each
/// record.
unsafe extern "system" fn list_extended(
    handle: HANDLE,
    event: HANDLE,
    routine: PIO_APC_ROUTINE,
    context: *const c_void,
    block: *mut IO_STATUS_BLOCK,
    buffer: *mut c_void,
    length: u32,
    class: i32,
    single: bool,
    pattern: *const UNICODE_STRING,
    restart: bool,
) -> NTSTATUS {
    assert_eq!(class, EXTD, "nothing refused it");
    // A record of at least 82 bytes grows by up to 12, so request 7/8 of the space.
    let mut old = vec![0_u64; length as usize / 8 * 7 / 8];
    // SAFETY: the arguments are passed on, with our own buffer.
    let status = unsafe {
        nt::NtQueryDirectoryFile(
            handle,
            event,
            routine,
            context,
            block,
            old.as_mut_ptr().cast(),
            (old.len() * 8) as u32,
            ID_FULL,
            single,
            pattern,
            restart,
        )
    };
    if status != 0 {
        return status;
    }
    let bytes: Vec<u8> = old.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let new = extend(&bytes);
    assert!(new.len() <= length as usize);
    // SAFETY: the caller's buffer is long enough.
    unsafe { answer(block, buffer, &new) }
}

/// Writes these bytes as the answer.
///
/// # Safety
///
/// The block must be live and the buffer long enough, and only this call may use them.
unsafe fn answer(block: *mut IO_STATUS_BLOCK, buffer: *mut c_void, bytes: &[u8]) -> NTSTATUS {
    // SAFETY: the caller promises a buffer that is long enough.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast::<u8>(), bytes.len()) };
    // SAFETY: the caller promises a live block.
    unsafe { (*block).Information = bytes.len() };
    0
}

fn extend(old: &[u8]) -> Vec<u8> {
    let number = |at: usize| u32::from_ne_bytes(old[at..at + 4].try_into().unwrap());
    let mut new = Vec::new();
    let mut from = 0;
    loop {
        let next = number(from) as usize;
        let begin = new.len();
        let name = number(from + 60) as usize;
        new.extend(&old[from..from + 64]);
        new.extend([0; 4]);
        new.extend(&old[from + 64..from + 68]);
        new.extend(&old[from + 72..from + 80]);
        new.extend([0; 8]);
        new.extend(&old[from + 80..from + 80 + name]);
        if next == 0 {
            new[begin..begin + 4].fill(0);
            return new;
        }
        new.resize(new.len().next_multiple_of(8), 0);
        let length = (new.len() - begin) as u32;
        new[begin..begin + 4].copy_from_slice(&length.to_ne_bytes());
        from += next;
    }
}

macro_rules! disposes_only {
    ($name:ident, $refused:expr) => {
        unsafe extern "system" fn $name(
            handle: HANDLE,
            block: *mut IO_STATUS_BLOCK,
            buffer: *const c_void,
            length: u32,
            class: i32,
        ) -> NTSTATUS {
            let mut flags = 0;
            if class == nt::FileDispositionInformationEx {
                // SAFETY: the buffer holds four bytes in this class.
                flags = unsafe { buffer.cast::<u32>().read() };
            }
            let refused: fn(i32, u32) -> bool = $refused;
            if refused(class, flags) {
                return STATUS_INVALID_PARAMETER;
            }
            // SAFETY: the arguments are passed on unchanged.
            unsafe { nt::NtSetInformationFile(handle, block, buffer, length, class) }
        }
    };
}

disposes_only!(dispose_posix, |_, flags| {
    flags & nt::FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE != 0
});
disposes_only!(dispose_classic, |class, _| class == nt::FileDispositionInformationEx);

static ASKED_BY_NAME: AtomicU64 = AtomicU64::new(0);

by_name!(query_by_name, |attributes, block, buffer, length, class| {
    if class != nt::FileStatInformation {
        return STATUS_INVALID_INFO_CLASS;
    }
    assert_eq!(length, 72);
    ASKED_BY_NAME.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the arguments are passed on unchanged.
    unsafe { stat_by_name(attributes, block, buffer.cast()) }
});

/// Fakes `FileStatInformation` by opening the entry. Reports all rights that this user could be
/// granted.
///
/// # Safety
///
/// The attributes and the block must be valid, and the buffer must have at least 72 bytes.
unsafe fn stat_by_name(
    attributes: *const OBJECT_ATTRIBUTES,
    block: *mut IO_STATUS_BLOCK,
    buffer: *mut u64,
) -> NTSTATUS {
    const MAXIMUM_ALLOWED: u32 = 0x0200_0000;
    let mut handle: HANDLE = std::ptr::null_mut();
    // SAFETY: the caller's attributes and block are valid, and `handle` is a live variable.
    let status = unsafe {
        nt::NtOpenFile(
            &raw mut handle,
            MAXIMUM_ALLOWED,
            attributes,
            block,
            7,
            nt::FILE_OPEN_REPARSE_POINT,
        )
    };
    if status != 0 {
        return status;
    }
    let mut all = [0_u64; 13];
    // SAFETY: the buffer is live, and the handle is open.
    unsafe {
        nt::NtQueryInformationFile(
            handle,
            block,
            all.as_mut_ptr().cast(),
            104,
            nt::FileAllInformation,
        )
    };
    let mut access = [0_u64; 1];
    // SAFETY: the buffer is live, and the handle is open.
    unsafe {
        nt::NtQueryInformationFile(
            handle,
            block,
            access.as_mut_ptr().cast(),
            4,
            nt::FileAccessInformation,
        )
    };
    // SAFETY: the handle was opened above.
    unsafe { windows_sys::Wdk::Foundation::NtClose(handle) };
    let attributes = all[4] & 0xffff_ffff;
    let last = (all[7] & 0xffff_ffff) | (access[0] << 32);
    let stat = [all[8], all[0], all[1], all[2], all[3], all[5], all[6], attributes, last];
    // SAFETY: the caller's buffer has 72 bytes.
    unsafe { std::ptr::copy_nonoverlapping(stat.as_ptr(), buffer, 9) };
    0
}

pub(crate) fn set_up(name: &str) -> Setup {
    setups().into_iter().find(|(form, _)| *form == name).unwrap().1
}

fn setups() -> Vec<(&'static str, Setup)> {
    macro_rules! setup {
        ($name:literal, $change:expr) => {{
            static MADE: OnceLock<Native> = OnceLock::new();
            ($name, table(&MADE, $change))
        }};
    }
    vec![
        setup!("as it is", |_| {}),
        setup!("extended listing", |native| native.query_directory = list_extended),
        setup!("IdFull", |native| native.query_directory = list_id_full),
        setup!("Full", |native| native.query_directory = list_full),
        setup!("Directory", |native| native.query_directory = list_directory),
        setup!("POSIX removal", |native| native.set_file = dispose_posix),
        setup!("classic removal", |native| native.set_file = dispose_classic),
        setup!("by name", |native| native.query_by_name = Some(query_by_name)),
        setup!("missed by name", |native| native.query_by_name = Some(missed_by_name::miss_all)),
        setup!("all old", |native| {
            native.query_directory = list_directory;
            native.set_file = dispose_classic;
            native.query_by_name = None;
        }),
    ]
}

fn remove(setup: &Setup, options: &Remove<'_>, path: &Path) -> Report {
    crate::remove::run_on::<Windows>(options, setup, &[path.to_owned()])
}

fn build(scratch: &Scratch) {
    for dir in ["tree/a/b/c", "tree/empty", "tree/ünicode ☃"] {
        scratch.dir(dir);
    }
    for number in 0..60 {
        scratch.file(format!("tree/a/{number} a name of some length.txt"));
    }
    scratch.file("tree/a/b/c/read-only");
    let path = scratch.at("tree/a/b/c/read-only");
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(path, permissions).unwrap();
}

#[test]
fn every_rung_removes_the_same() {
    for (name, setup) in setups() {
        for threads in [1, 3] {
            let scratch = Scratch::new();
            build(&scratch);
            let options = Remove::new().threads(Threads::AtMost(threads));
            for options in [options.clone().dry_run(true), options] {
                let report = remove(&setup, &options, &scratch.at("tree"));
                assert!(report.is_complete(), "{name}: {report:?}");
                assert_eq!((report.files, report.directories), (61, 6), "{name}");
            }
            assert!(scratch.list(".").is_empty(), "{name}");
        }
    }
    assert!(ASKED_BY_NAME.load(Ordering::Relaxed) > 120, "the question by name was asked");
}

#[test]
fn a_refused_query_is_not_repeated() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| {
        native.query_directory = list_directory;
        native.set_file = dispose_classic;
    });
    let remove_some = || {
        let scratch = Scratch::new();
        for dir in 0..10 {
            scratch.file(format!("tree/{dir}/file"));
        }
        let report =
            remove(&setup, &Remove::new().threads(Threads::AtMost(1)), &scratch.at("tree"));
        assert!(report.is_complete(), "{report:?}");
        (report.calls.of("NtQueryDirectoryFile"), report.calls.of("NtSetInformationFile"))
    };
    let (listings, marks) = remove_some();
    assert_eq!(remove_some(), (listings - 3, marks - 2));
    assert_eq!((listings - 3, marks - 2), (22, 21));
}

#[test]
fn an_entry_with_the_name_of_an_operand_remains() {
    for file in [false, true] {
        let scratch = Scratch::new();
        scratch.file("tree/file");
        let (tree, aside) = (scratch.at("tree"), scratch.at("aside"));
        let swap = |_: &Path, kind: Kind| {
            if kind != Kind::Directory {
                std::fs::rename(&tree, &aside).unwrap();
                if file {
                    scratch.file("tree")
                } else {
                    scratch.dir("tree")
                };
            }
        };
        let denied = Faults::default().fail("NtOpenFile", 1, STATUS_ACCESS_DENIED);
        let setup = Setup { faults: Some(Arc::new(denied)), ..Setup::default() };
        let options = Remove::new().threads(Threads::AtMost(1)).on_removed(swap);
        let report = remove(&setup, &options, &tree);
        assert_eq!(report.error_count, 1, "{report:?}");
        assert!(matches!(report.errors[0].cause(), Cause::Replaced), "{report:?}");
        assert!(tree.exists() && aside.exists(), "{report:?}");
    }
}

#[test]
fn every_form_lists_names_kinds_and_numbers() {
    let scratch = Scratch::new();
    scratch.tree("", "tree/dir/ tree/file");
    let odd = [0x61, 0xd800, 0x62, 0];
    for (form, setup) in setups().into_iter().take(5) {
        let sys = Windows::start(&setup);
        let parent = sys.open_for_lookup(scratch.path()).unwrap();
        let tree: Vec<u16> = "tree\0".encode_utf16().collect();
        let name = Name::until_nul(&tree).unwrap();
        let Opened::Dir(dir) = sys.open_child(&parent, name, Mounts::Refuse) else {
            panic!("not opened");
        };
        let mut buf = DirBuf::default();
        sys.read_entries(&dir, &mut buf).unwrap();
        let mut found = Vec::new();
        let mut position = 0;
        while let Some((entry, next)) = buf.entry(position) {
            position = next;
            found.push((String::from_utf16_lossy(entry.name.units()), entry.kind));
            assert_eq!(entry.id != 0, !matches!(form, "Full" | "Directory"), "{form}");
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let expected = [("dir".to_owned(), Kind::Directory), ("file".to_owned(), Kind::File)];
        assert_eq!(found, expected, "{form}");
        assert!(matches!(
            sys.remove_child(&dir, Name::until_nul(&odd).unwrap(), Kind::File),
            crate::sys::Removed::Gone
        ));
        sys.close(dir);
        sys.close(parent);
    }
}

/// Wine lacks junctions, so an entry whose name ends with this is reported as one.
const JUNCTION: &str = "junction";
const MOUNT_POINT: u64 = 0xa000_0003;
static LINKS_REMOVED: AtomicU64 = AtomicU64::new(0);

fn is_junction(handle: HANDLE) -> bool {
    name_of(handle).ends_with(JUNCTION)
}

fn name_of(handle: HANDLE) -> String {
    let mut name = [0_u64; 128];
    let mut block = IO_STATUS_BLOCK::default();
    // SAFETY: the buffer is live, and the caller's handle is open.
    let status = unsafe {
        nt::NtQueryInformationFile(
            handle,
            &raw mut block,
            name.as_mut_ptr().cast(),
            1024,
            nt::FileNameInformation,
        )
    };
    if status == 0 { String::from_utf16_lossy(&query::name_in(&name)) } else { String::new() }
}

/// Returns an object's name, relative to its root directory.
///
/// # Safety
///
/// The attributes must be valid.
unsafe fn object_name(attributes: *const OBJECT_ATTRIBUTES) -> String {
    // SAFETY: the caller promises valid attributes.
    let name = unsafe { (*attributes).ObjectName };
    // SAFETY: valid attributes have a valid name.
    let name = unsafe { &*name };
    let length = usize::from(name.Length) / 2;
    if length == 0 {
        return String::new();
    }
    // SAFETY: the name states its length, and is not empty.
    let units = unsafe { std::slice::from_raw_parts(name.Buffer.cast_const(), length) };
    String::from_utf16_lossy(units)
}

unsafe extern "system" fn query_with_junctions(
    handle: HANDLE,
    block: *mut IO_STATUS_BLOCK,
    buffer: *mut c_void,
    length: u32,
    class: i32,
) -> NTSTATUS {
    // SAFETY: the arguments are passed on unchanged.
    let status = unsafe { nt::NtQueryInformationFile(handle, block, buffer, length, class) };
    if status == 0 && class == nt::FileAttributeTagInformation && is_junction(handle) {
        let tagged = u64::from(win::FILE_ATTRIBUTE_DIRECTORY | win::FILE_ATTRIBUTE_REPARSE_POINT);
        // SAFETY: the buffer holds 8 bytes in this class.
        unsafe { buffer.cast::<u64>().write(tagged | MOUNT_POINT << 32) };
    }
    if class == nt::FileAllInformation && is_junction(handle) {
        // SAFETY: the buffer holds 104 bytes in this class.
        let all = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u64>(), 13) };
        all[4] |= u64::from(win::FILE_ATTRIBUTE_REPARSE_POINT);
    }
    status
}

unsafe extern "system" fn remove_junctions(
    handle: HANDLE,
    block: *mut IO_STATUS_BLOCK,
    buffer: *const c_void,
    length: u32,
    class: i32,
) -> NTSTATUS {
    if is_junction(handle) {
        LINKS_REMOVED.fetch_add(1, Ordering::Relaxed);
        return 0;
    }
    // SAFETY: the arguments are passed on unchanged.
    unsafe { nt::NtSetInformationFile(handle, block, buffer, length, class) }
}

#[test]
fn a_junction_is_removed_and_not_entered() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| {
        native.query_file = query_with_junctions;
        native.set_file = remove_junctions;
    });
    let scratch = Scratch::new();
    scratch.tree("", "tree/junction/canary tree/file");
    let options = Remove::new().threads(Threads::AtMost(1)).retries(0, std::time::Duration::ZERO);
    let report = remove(&setup, &options, &scratch.at("tree"));
    assert!(LINKS_REMOVED.load(Ordering::Relaxed) > 0, "{report:?}");
    assert_eq!(report.errors[0].kind(), std::io::ErrorKind::DirectoryNotEmpty, "{report:?}");
    assert_eq!((report.error_count, report.directories), (1, 0), "{report:?}");
    assert_eq!(scratch.list("tree"), ["- junction/canary", "d junction"]);
    let path = scratch.at("tree").join("junction");
    let report = remove(&setup, &options, &path);
    assert_eq!((report.files, report.directories, report.error_count), (1, 0, 0), "{report:?}");
    let typed = scratch.typed().join("tree").join(r"junction\");
    let report = remove(&setup, &options.missing_is_fine(true), &typed);
    assert_eq!(report.errors[0].kind(), std::io::ErrorKind::NotADirectory, "{report:?}");
    assert_eq!(scratch.list("tree"), ["- junction/canary", "d junction"]);
}

static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Fails three times because deletion is pending, then opens the entry.
unsafe extern "system" fn open_later(
    handle: *mut HANDLE,
    access: u32,
    attributes: *const OBJECT_ATTRIBUTES,
    block: *mut IO_STATUS_BLOCK,
    share: u32,
    options: u32,
) -> NTSTATUS {
    // SAFETY: the caller passes valid attributes.
    let name = unsafe { object_name(attributes) };
    if name.starts_with("pending") && REFUSED.fetch_add(1, Ordering::Relaxed) % 4 != 3 {
        return windows_sys::Win32::Foundation::STATUS_DELETE_PENDING;
    }
    // SAFETY: the arguments are passed on unchanged.
    unsafe { nt::NtOpenFile(handle, access, attributes, block, share, options) }
}

#[test]
fn what_is_pending_is_waited_for_and_not_counted() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| native.open = open_later);
    let scratch = Scratch::new();
    scratch.file("tree/pending file");
    scratch.file("tree/other");
    let options = Remove::new().threads(Threads::AtMost(1));
    let report = remove(&setup, &options, &scratch.at("tree"));
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.files, report.directories, report.vanished), (2, 1, 0), "{report:?}");
    scratch.dir("tree/pending directory");
    let report = remove(&setup, &options, &scratch.at("tree"));
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.directories, report.vanished), (2, 0), "{report:?}");
    assert_eq!(REFUSED.load(Ordering::Relaxed), 8);
}

#[test]
fn a_directory_without_a_handle_lends_none_of_this_process() {
    let windows = Windows::start(&Setup::default());
    let (dir, _) = windows.locate(Path::new(r"C:\x")).unwrap();
    assert!(dir.as_handle().as_raw_handle().is_null());
}
