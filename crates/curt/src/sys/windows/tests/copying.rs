//! Tests copies: what Wine can store, and stand-ins for named streams, links and shared blocks.

use std::fs::{self, FileTimes};
use std::io::ErrorKind;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use windows_sys::Win32::Foundation::{
    ERROR_ALREADY_EXISTS, ERROR_NOT_A_REPARSE_POINT, ERROR_PRIVILEGE_NOT_HELD, STATUS_DISK_FULL,
    STATUS_OBJECT_NAME_INVALID, STATUS_PRIVILEGE_NOT_HELD, STATUS_SUCCESS,
};

use super::*;
use crate::Copy;
use crate::copy::{CopyRefusal, Existing};
use crate::error::Operation;
use crate::name::NameBuf;
use crate::sys::beneath::{Beneath, Create, File, How, Step};
use crate::sys::copying::{Copying, End};
use crate::sys::tests::failing_as;
use crate::sys::windows::Dir;

const READONLY: u32 = win::FILE_ATTRIBUTE_READONLY;
const HIDDEN: u32 = win::FILE_ATTRIBUTE_HIDDEN;

fn date(path: &Path, seconds: u64) {
    let open = fs::OpenOptions::new()
        .access_mode(win::FILE_WRITE_ATTRIBUTES)
        .custom_flags(win::FILE_FLAG_BACKUP_SEMANTICS)
        .open(path);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    open.unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
}

fn about(path: &Path) -> (u32, SystemTime) {
    let found = fs::symlink_metadata(path).unwrap();
    (found.file_attributes(), found.modified().unwrap())
}

fn copy() -> Copy<'static> {
    Copy::new().threads(Threads::AtMost(1))
}

#[test]
fn attributes_and_times_are_always_copied() {
    let scratch = Scratch::new();
    let long = format!("{}/{}", "long".repeat(50), "name".repeat(50));
    let entries = ["dir/frozen", "dir/hidden", "empty", "dir", &long];
    scratch.tree("old", "empty/ dir/hidden");
    scratch.file_with(format!("old/{long}"), b"deep");
    scratch.file_with("old/dir/frozen", &vec![7; 600_000]);
    for entry in entries {
        date(&scratch.at("old").join(entry), 1_000_000);
    }
    scratch.set_attributes("old/dir/frozen", READONLY);
    scratch.set_attributes("old/dir/hidden", HIDDEN | win::FILE_ATTRIBUTE_SYSTEM);
    scratch.set_attributes("old/empty", HIDDEN);
    for threads in [1, 3] {
        let options = copy().threads(Threads::AtMost(threads));
        let report = options.run(scratch.at("old"), scratch.at("new"));
        assert!(report.is_complete(), "{report:?}");
        assert_eq!((report.files, report.directories, report.bytes), (3, 4, 600_004));
        for entry in entries {
            let [old, new] = ["old", "new"].map(|tree| scratch.at(tree).join(entry));
            assert_eq!(about(&old), about(&new), "{entry}");
            assert!(old.is_dir() || fs::read(old).unwrap() == fs::read(new).unwrap());
        }
        drop(Remove::new().run(scratch.at("new")));
    }
}

#[test]
fn a_read_only_file_is_replaced_on_request() {
    let scratch = Scratch::new();
    scratch.file_with("old/file", b"new content");
    scratch.file_with("new/FILE", b"");
    scratch.set_attributes("new/FILE", READONLY);
    let options = copy().existing(Existing::Replace);
    let run = |options: &Copy<'_>| options.run(scratch.at("old"), scratch.at("new"));
    let report = run(&options);
    assert_eq!(report.errors[0].kind(), ErrorKind::PermissionDenied, "{report:?}");
    assert_eq!(fs::read(scratch.at("new/file")).unwrap(), b"");
    let options = options.replace_read_only(true);
    let report = run(&options);
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(fs::read(scratch.at("new/file")).unwrap(), b"new content");
    assert_eq!(scratch.list("new").len(), 1);
    scratch.dir("over/file");
    let report = options.run(scratch.at("old"), scratch.at("over"));
    let Cause::CopyRefused(refusal, _) = report.errors[0].cause() else { panic!("{report:?}") };
    assert_eq!(*refusal, CopyRefusal::FileOverDirectory);
}

/// On Windows, a file takes 3 calls less, because links are refused where it is opened.
#[test]
fn each_entry_costs_the_same_calls() {
    let scratch = Scratch::new();
    scratch.tree("old", "dir/ file");
    let calls = || {
        let report = copy().run(scratch.at("old"), scratch.at("new"));
        assert!(report.is_complete(), "{report:?}");
        fs::remove_dir_all(scratch.at("new")).unwrap();
        report.calls
    };
    calls();
    for (entry, most) in [("old/other", 14), ("old/empty/", 16)] {
        let before = calls();
        scratch.tree("", entry);
        let after = calls();
        assert!(after.total() - before.total() <= most, "{entry}: {before:?}, {after:?}");
    }
}

#[test]
fn a_failing_call_leaves_no_part_of_a_file() {
    let scratch = Scratch::new();
    scratch.file_with("old/dir/file", &[1; 5_000]);
    let statuses = [STATUS_ACCESS_DENIED, STATUS_DISK_FULL];
    Faults::each(&Setup::default(), &statuses, |setup, fails| {
        let report = failing_as(setup, || copy().run(scratch.at("old"), scratch.at("new")));
        let made = fs::read(scratch.at("new/dir/file")).ok();
        assert!(made.is_some() || !report.is_complete(), "{fails:?}: {report:?}");
        assert!(made.is_none_or(|made| made == [1; 5_000]), "{fails:?}: {report:?}");
        drop(Remove::new().missing_is_fine(true).run(scratch.at("new")));
    });
}

fn name(text: &str) -> NameBuf<u16> {
    NameBuf::new(text.encode_utf16().collect()).unwrap()
}

/// Opens `from` and creates `to`.
fn ends(sys: &Windows, dir: &Dir, from: &str, to: &str) -> [File; 2] {
    let Step::Done(from) = sys.open_source(dir, name(from).as_name(), false) else { panic!() };
    let how = How { write: true, create: Create::New, ..How::default() };
    let Step::Done(to) = sys.open(dir, name(to).as_name(), &how) else { panic!() };
    [from, to]
}

const ZONE: &str = ":Zone:$DATA";

unsafe extern "system" fn list_streams(
    handle: HANDLE,
    block: *mut IO_STATUS_BLOCK,
    buffer: *mut c_void,
    length: u32,
    class: i32,
) -> NTSTATUS {
    if class != nt::FileStreamInformation {
        // SAFETY: the arguments are passed on unchanged.
        return unsafe { nt::NtQueryInformationFile(handle, block, buffer, length, class) };
    }
    if name_of(handle).ends_with("plain") {
        return STATUS_SUCCESS;
    }
    // SAFETY: the caller's buffer is long enough.
    unsafe { answer(block, buffer, &stream_list()) }
}

fn stream_list() -> Vec<u8> {
    let record = |next: u32, name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut bytes = [next.to_le_bytes(), (name.len() as u32).to_le_bytes()].concat();
        bytes.extend([0; 16]);
        bytes.extend(name);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    };
    [record(40, "::$DATA"), record(0, ZONE)].concat()
}

/// The native path of a directory in which `x.zone` stands for the stream of `x`.
static STREAMS: OnceLock<String> = OnceLock::new();

/// Calls with the attributes of a stream's stand-in.
///
/// # Safety
///
/// The attributes must be valid.
unsafe fn at_stream(
    attributes: *const OBJECT_ATTRIBUTES,
    call: impl FnOnce(*const OBJECT_ATTRIBUTES) -> NTSTATUS,
) -> NTSTATUS {
    // SAFETY: the caller promises valid attributes.
    if unsafe { object_name(attributes) } != ZONE {
        return call(attributes);
    }
    // SAFETY: the caller promises valid attributes.
    let mut own = unsafe { *attributes };
    let file = name_of(own.RootDirectory);
    let file = file.rsplit('\\').next().unwrap_or_default();
    let mut path: Vec<u16> =
        format!("{}\\{file}.zone", STREAMS.get().unwrap()).encode_utf16().collect();
    let length = (path.len() * 2) as u16;
    let path = UNICODE_STRING { Length: length, MaximumLength: length, Buffer: path.as_mut_ptr() };
    (own.RootDirectory, own.ObjectName) = (std::ptr::null_mut(), &raw const path);
    call(&raw const own)
}

unsafe extern "system" fn open_stream(
    handle: *mut HANDLE,
    access: u32,
    attributes: *const OBJECT_ATTRIBUTES,
    block: *mut IO_STATUS_BLOCK,
    share: u32,
    options: u32,
) -> NTSTATUS {
    let call = |attributes| {
        // SAFETY: the arguments are passed on.
        unsafe { nt::NtOpenFile(handle, access, attributes, block, share, options) }
    };
    // SAFETY: the caller passes valid attributes.
    unsafe { at_stream(attributes, call) }
}

unsafe extern "system" fn create_stream(
    handle: *mut HANDLE,
    access: u32,
    attributes: *const OBJECT_ATTRIBUTES,
    block: *mut IO_STATUS_BLOCK,
    size: *const i64,
    kind: u32,
    share: u32,
    disposition: u32,
    options: u32,
    extended: *const c_void,
    length: u32,
) -> NTSTATUS {
    let call = |attributes| {
        // SAFETY: the arguments are passed on.
        unsafe {
            nt::NtCreateFile(
                handle,
                access,
                attributes,
                block,
                size,
                kind,
                share,
                disposition,
                options,
                extended,
                length,
            )
        }
    };
    // SAFETY: the caller passes valid attributes.
    unsafe { at_stream(attributes, call) }
}

#[test]
fn named_streams_are_copied_to_file_systems_that_have_them() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| {
        native.query_file = list_streams;
        native.open = open_stream;
        native.create = create_stream;
    });
    let scratch = Scratch::new();
    let path = scratch.path().to_str().unwrap().replacen(r"\\?\", r"\??\", 1);
    STREAMS.set(path).unwrap();
    scratch.file_with("from", b"content");
    scratch.file_with("from.zone", &vec![3; 300_000]);
    scratch.file_with("plain", &stream_list());
    let copied = |setup: &Setup, from: &str, to: &str| {
        let sys = Windows::start(setup);
        let dir = sys.open_for_lookup(scratch.path()).unwrap();
        let [from, to] = ends(&sys, &dir, from, to);
        let facts = sys.query_file(&from).unwrap();
        let mut pieces = 0;
        let copied = sys.copy_data(&from, &to, &facts, &mut |_| {
            pieces += 1;
            true
        });
        (copied.map_err(|(end, error)| (end, error.kind())), pieces)
    };
    assert_eq!(copied(&setup, "from", "to"), (Ok(7), 1 + 2));
    assert_eq!(fs::read(scratch.at("to")).unwrap(), b"content");
    assert_eq!(fs::read(scratch.at("to.zone")).unwrap(), vec![3; 300_000]);
    let size = stream_list().len() as u64;
    assert_eq!(copied(&setup, "plain", "new"), (Ok(size), 1), "content is no list");
    let failing = |call, nth, status| {
        let faults = Some(Arc::new(Faults::default().fail(call, nth, status)));
        Setup { faults, ..setup.clone() }
    };
    // Wine has no streams, so that one is omitted.
    let created = failing("NtCreateFile", 2, STATUS_OBJECT_NAME_INVALID);
    assert_eq!(copied(&created, "from", "other"), (Ok(7), 1));
    assert!(!scratch.at("other.zone").exists());
    let written = failing("NtWriteFile", 2, STATUS_DISK_FULL);
    assert_eq!(copied(&written, "from", "third"), (Err((End::Target, ErrorKind::StorageFull)), 2));
}

static SET: Mutex<Vec<u8>> = Mutex::new(Vec::new());

unsafe extern "system" fn set_points(
    handle: HANDLE,
    _event: HANDLE,
    _routine: PIO_APC_ROUTINE,
    _context: *const c_void,
    block: *mut IO_STATUS_BLOCK,
    code: u32,
    input: *const c_void,
    input_length: u32,
    output: *mut c_void,
    _length: u32,
) -> NTSTATUS {
    match code {
        // SAFETY: the caller's buffer is long enough.
        0x0009_00a8 => unsafe { answer(block, output, b"a reparse point") },
        0x0009_00a4 if name_of(handle).ends_with("refused") => STATUS_PRIVILEGE_NOT_HELD,
        0x0009_00a4 => {
            // SAFETY: the input is as long as stated.
            let input = unsafe { std::slice::from_raw_parts(input.cast(), input_length as usize) };
            *SET.lock().unwrap() = input.to_vec();
            STATUS_SUCCESS
        }
        other => panic!("nobody asks this: {other:x}"),
    }
}

#[test]
fn a_link_is_copied_as_it_is_or_not_at_all() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| {
        native.query_file = query_with_junctions;
        native.fs_control = set_points;
    });
    let scratch = Scratch::new();
    scratch.tree("", "junction/ file");
    let sys = Windows::start(&setup);
    let dir = sys.open_for_lookup(scratch.path()).unwrap();
    let (junction, file) = (name("junction"), name("file"));
    assert!(matches!(sys.open_source(&dir, junction.as_name(), false), Step::Other));
    let copied = |from: &NameBuf<u16>, to: &str| {
        let copied = sys.copy_link(&dir, from.as_name(), &dir, name(to).as_name(), None);
        copied.map_err(|(operation, error)| (operation, error.raw_os_error().unwrap() as u32))
    };
    assert_eq!(copied(&junction, "made"), Ok(()));
    assert!(scratch.at("made").is_dir());
    assert_eq!(*SET.lock().unwrap(), b"a reparse point");
    let refused = (Operation::CreateLink, ERROR_PRIVILEGE_NOT_HELD);
    assert_eq!(copied(&junction, "refused"), Err(refused));
    assert!(!scratch.at("refused").exists());
    assert_eq!(copied(&junction, "FILE"), Err((Operation::CreateLink, ERROR_ALREADY_EXISTS)));
    assert_eq!(copied(&file, "no link"), Err((Operation::ReadLink, ERROR_NOT_A_REPARSE_POINT)));
}

static EXTENTS: Mutex<Vec<[u64; 3]>> = Mutex::new(Vec::new());

unsafe extern "system" fn share_blocks(
    _handle: HANDLE,
    _event: HANDLE,
    _routine: PIO_APC_ROUTINE,
    _context: *const c_void,
    _block: *mut IO_STATUS_BLOCK,
    code: u32,
    input: *const c_void,
    input_length: u32,
    _output: *mut c_void,
    _length: u32,
) -> NTSTATUS {
    assert_eq!((code, input_length), (0x0009_8344, 32));
    // SAFETY: the input has four words.
    let [_, extent @ ..] = unsafe { input.cast::<[u64; 4]>().read() };
    let mut extents = EXTENTS.lock().unwrap();
    extents.push(extent);
    if extents.len() < 4 { STATUS_SUCCESS } else { STATUS_INVALID_PARAMETER }
}

unsafe extern "system" fn volume_with_shared_blocks(
    handle: HANDLE,
    block: *mut IO_STATUS_BLOCK,
    buffer: *mut c_void,
    length: u32,
    class: i32,
) -> NTSTATUS {
    let own: &[u32] = match class {
        nt::FileFsAttributeInformation => &[0x0800_0000],
        nt::FileFsSizeInformation => &[0, 0, 0, 0, 8, 512],
        _ => {
            // SAFETY: the arguments are passed on unchanged.
            return unsafe {
                nt::NtQueryVolumeInformationFile(handle, block, buffer, length, class)
            };
        }
    };
    let bytes: Vec<u8> = own.iter().flat_map(|word| word.to_le_bytes()).collect();
    // SAFETY: the caller's buffer is long enough.
    unsafe { answer(block, buffer, &bytes) }
}

#[test]
fn whole_clusters_are_shared_in_pieces() {
    const GIB: u64 = 1 << 30;
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| {
        native.query_volume = volume_with_shared_blocks;
        native.fs_control = share_blocks;
    });
    let scratch = Scratch::new();
    scratch.file("from");
    let shared = |setup: &Setup, to: &str, size: u64| {
        let sys = Windows::start(setup);
        let dir = sys.open_for_lookup(scratch.path()).unwrap();
        let [from, file] = ends(&sys, &dir, "from", to);
        let shared = sys.reflink(&from, &file, size);
        (shared.map_err(|error| error.kind()), file.metadata().unwrap().len())
    };
    let unsupported = Err(ErrorKind::Unsupported);
    assert_eq!(shared(&Setup::default(), "plain", 1), (unsupported, 0));
    assert_eq!(shared(&setup, "to", 2 * GIB + 1), (Ok(()), 2 * GIB + 1));
    let extents = [[0, 0, GIB], [GIB, GIB, GIB], [2 * GIB, 2 * GIB, 4096]];
    assert_eq!(*EXTENTS.lock().unwrap(), extents);
    assert_eq!(shared(&setup, "refused", 4097), (Err(ErrorKind::InvalidInput), 0));
}
