//! Tests queries in every class, including results that no available system gives.

use std::ffi::OsString;
use std::sync::Mutex;

use windows_sys::Win32::Foundation::{STATUS_BUFFER_TOO_SMALL, STATUS_NO_MORE_FILES};

use super::*;
use crate::fields::{Facts, Fields, Time};
use crate::sys::windows::{Dir, query};
use crate::sys::{Batch, Request};

const SERIAL: u64 = 0xaaaa_bbbb_1234_5678;

fn name(units: &[u16]) -> Name<'_, u16> {
    Name::until_nul(units).unwrap()
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

pub(super) fn request(fields: Fields) -> Request {
    Request { fields, follow: false }
}

fn counted(
    sys: &Windows,
    parent: &Dir,
    child: &str,
    request: Request,
) -> (Facts, Vec<(&'static str, u64)>) {
    let (answer, calls) = tried(sys, parent, child, request);
    (answer.unwrap(), calls)
}

pub(super) fn tried(
    sys: &Windows,
    parent: &Dir,
    child: &str,
    request: Request,
) -> (std::io::Result<Facts>, Vec<(&'static str, u64)>) {
    let before = sys.calls();
    let answer = sys.query(parent, name(&wide(child)), request);
    let after = sys.calls();
    let calls = after.iter().map(|(name, count)| (name, count - before.of(name)));
    (answer, calls.filter(|&(_, count)| count > 0).collect())
}

pub(super) const BY_HANDLE: [(&str, u64); 3] =
    [("NtOpenFile", 1), ("NtClose", 1), ("NtQueryInformationFile", 1)];
pub(super) const BY_NAME: [(&str, u64); 1] = [("NtQueryInformationByName", 1)];

#[test]
fn all_forms_agree_and_by_name_is_one_call() {
    let scratch = Scratch::new();
    scratch.file_with("file", b"hello");
    let fields = Fields::KIND | Fields::SIZE | Fields::LINKS | Fields::MODIFIED | Fields::DEVICE;
    let mut answers: Vec<Facts> = Vec::new();
    for (form, setup) in setups() {
        let sys = Windows::start(&setup);
        let parent = sys.open_for_lookup(scratch.path()).unwrap();
        // The first query finds out which classes are refused.
        counted(&sys, &parent, "file", request(fields));
        let (mut facts, calls) = counted(&sys, &parent, "file", request(fields));
        assert_eq!((facts.kind, facts.size, facts.links), (Kind::File, 5, 1), "{form}");
        assert_eq!(calls, if form == "by name" { &BY_NAME[..] } else { &BY_HANDLE }, "{form}");
        assert_eq!(facts.known.contains(query::ACCESS), form == "by name", "{form}");
        facts.allowed = Fields::NONE;
        facts.known = facts.known.without(query::ACCESS);
        answers.push(facts);
        let missing = sys.query(&parent, name(&wide("nothing")), request(fields)).unwrap_err();
        assert_eq!(missing.kind(), std::io::ErrorKind::NotFound, "{form}");
        sys.close(parent);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
}

#[test]
fn access_is_queried_by_name_or_by_opening() {
    let scratch = Scratch::new();
    scratch.file("file");
    let frozen = scratch.file("frozen");
    let mut permissions = std::fs::metadata(&frozen).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&frozen, permissions).unwrap();
    let (read, write) = (Fields::READABLE, Fields::WRITABLE);
    for (form, setup) in setups() {
        let sys = Windows::start(&setup);
        let parent = sys.open_for_lookup(scratch.path()).unwrap();
        for (child, expected) in [("file", read | write), ("frozen", read)] {
            let (facts, _) = counted(&sys, &parent, child, request(read | write));
            if form == "by name" {
                assert_eq!(facts.allowed.intersection(read | write), expected, "{child}");
            }
            if child == "frozen" && crate::sys::windows::native::is_wine() {
                curt_testkit::skip("Wine opens read-only files for writing, if Unix lets it");
                continue;
            }
            let before = sys.calls().total();
            let allowed = sys.may(&parent, name(&wide(child)), read | write).unwrap();
            assert_eq!(allowed, expected, "{form}: {child}");
            assert_eq!(sys.calls().total() - before, if child == "file" { 4 } else { 3 });
        }
        sys.close(parent);
    }
}

by_name!(query_all_by_name, |attributes, block, buffer, length, class| {
    // SAFETY: the arguments are passed on, and every class has at least 72 bytes.
    let status = unsafe { stat_by_name(attributes, block, buffer.cast()) };
    if status != 0 {
        return status;
    }
    let more: &[u64] = match (class, length) {
        (nt::FileStatInformation, 72) => &[],
        // The flags 0b1101 say that user (1000), mode and device number (259:70000) are valid, but
        // not the group.
        (nt::FileStatLxInformation, 96) => {
            &[0b1101 | 1000 << 32, 0o100_640 << 32, 0x103 | 70_000 << 32]
        }
        (77, 104) => &[0, SERIAL, 7, 1 << 63],
        other => panic!("nobody asks this: {other:?}"),
    };
    // SAFETY: the buffer is as long as the class requires.
    let rest = unsafe { buffer.cast::<u64>().add(9) };
    // SAFETY: the buffer has this many bytes left.
    unsafe { std::ptr::copy_nonoverlapping(more.as_ptr(), rest, more.len()) };
    0
});

#[test]
fn the_newest_forms_answer_more_per_call() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| native.query_by_name = Some(query_all_by_name));
    let scratch = Scratch::new();
    scratch.file_with("file", b"hello");
    let sys = Windows::start(&setup);
    let (from, path) = sys.locate(&scratch.at("file")).unwrap();
    let path = String::from_utf16(path.as_name().units()).unwrap();
    let (facts, calls) = counted(&sys, &from, &path, request(Fields::SIZE));
    assert_eq!((facts.size, calls), (5, BY_NAME.to_vec()));
    assert!(!facts.known.contains(Fields::DEVICE), "nobody requested");
    let (facts, calls) = counted(&sys, &from, &path, request(Fields::DEVICE | Fields::ID));
    assert_eq!((facts.device, facts.id), (0x1234_5678, 1 << 127 | 7));
    assert_eq!(calls, BY_NAME);
    let (facts, calls) = counted(&sys, &from, &path, request(Fields::MODE));
    assert_eq!((facts.mode, facts.user_id, facts.size), (0o100_640, 1000, 5));
    // `makedev(259, 70000)` of the C library.
    let (major, minor) = (259, 70_000);
    assert_eq!(facts.device_number, (minor & !0xff) << 12 | major << 8 | (minor & 0xff));
    assert!(facts.known.contains(Fields::MODE | Fields::USER_ID | Fields::DEVICE_NUMBER));
    assert!(!facts.known.contains(Fields::GROUP_ID), "its flag says that there is none");
    assert_eq!(calls, BY_NAME);
    let both = request(Fields::MODE | Fields::DEVICE);
    let (facts, calls) = counted(&sys, &from, &path, both);
    assert!(facts.known.contains(both.fields | query::ACCESS), "{facts:?}");
    assert_eq!(calls, [("NtQueryInformationByName", 2)]);
    sys.close(from);
}

pub(super) fn record(child: &str, attributes: u32, tag: u32, id: u128, ticks: u64) -> Vec<u8> {
    let units: Vec<u8> = child.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut bytes = vec![0; 8];
    for time in [ticks, 0, ticks + 1, ticks + 2] {
        bytes.extend(time.to_le_bytes());
    }
    bytes.extend(1_u64.wrapping_shl(40).to_le_bytes());
    bytes.extend(4096_u64.to_le_bytes());
    for number in [attributes, units.len() as u32, 0, tag] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(id.to_le_bytes());
    bytes.extend(units);
    bytes
}

/// Chains records as the kernel does: each begins at a multiple of eight, and stores the distance
/// to the next.
pub(super) fn chained(records: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut all: Vec<u8> = Vec::new();
    let mut last = 0;
    for (index, record) in records.enumerate() {
        if index > 0 {
            all.resize(all.len().next_multiple_of(8), 0xee);
            let next = (all.len() - last) as u32;
            all[last..last + 4].copy_from_slice(&next.to_le_bytes());
            last = all.len();
        }
        all.extend(record);
    }
    all
}

const LISTED: [(&str, u32, u32, Kind); 10] = [
    (".", 0x10, 0, Kind::Directory),
    ("..", 0x10, 0, Kind::Directory),
    ("file", 0x20, 0, Kind::File),
    ("link", 0x400, 0xa000_000c, Kind::Symlink),
    ("junction!", 0x410, 0xa000_0003, Kind::Junction),
    ("wsl", 0x400, 0xa000_001d, Kind::WslSymlink),
    ("socket", 0x400, 0x8000_0023, Kind::Socket),
    ("app", 0x400, 0x8000_001b, Kind::AppExecLink),
    ("cloud", 0x0040_0400, 0x9000_601a, Kind::File),
    ("other", 0x400, 0xa000_0027, Kind::Reparse(0xa000_0027)),
];
/// One tick of 100 ns before 1970.
const BEFORE: u64 = 116_444_736_000_000_000 - 1;

unsafe extern "system" fn list_made_up(
    _handle: HANDLE,
    _event: HANDLE,
    _routine: PIO_APC_ROUTINE,
    _context: *const c_void,
    block: *mut IO_STATUS_BLOCK,
    buffer: *mut c_void,
    length: u32,
    class: i32,
    _single: bool,
    _pattern: *const UNICODE_STRING,
    _restart: bool,
) -> NTSTATUS {
    static READ: AtomicU64 = AtomicU64::new(0);
    assert_eq!(class, EXTD, "nothing refused it");
    if READ.fetch_add(1, Ordering::Relaxed) > 0 {
        return STATUS_NO_MORE_FILES;
    }
    let record = |(index, (child, attributes, tag, _))| {
        let id = (index as u128) << 100 | 5;
        record(child, attributes, tag, id, BEFORE)
    };
    let all = chained(LISTED.into_iter().enumerate().map(record));
    assert!(all.len() <= length as usize);
    // SAFETY: the caller's buffer is long enough.
    unsafe { answer(block, buffer, &all) }
}

#[test]
fn a_record_answers_without_a_call() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| native.query_directory = list_made_up);
    let scratch = Scratch::new();
    scratch.dir("top");
    let sys = Windows::start(&setup);
    let parent = sys.open_for_lookup(scratch.path()).unwrap();
    let Opened::Dir(dir) = sys.open_child(&parent, name(&wide("top")), Mounts::Cross) else {
        panic!("not opened");
    };
    let mut buf = DirBuf::default();
    assert_ne!(sys.read_entries(&dir, &mut buf).unwrap(), Batch::End);
    let calls = sys.calls().total();
    let mut position = 0;
    for (index, (child, attributes, _, kind)) in LISTED.into_iter().enumerate().skip(2) {
        let (entry, next) = buf.entry(position).unwrap();
        assert_eq!(String::from_utf16_lossy(entry.name.units()), child);
        assert_eq!(entry.name.terminated().last(), Some(&0));
        let mut facts = Facts::default();
        buf.facts(position, &entry, &mut facts);
        assert_eq!((entry.kind, facts.kind), (kind, kind), "{child}");
        assert_eq!(facts.id, (index as u128) << 100 | 5, "{child}");
        assert_eq!((facts.size, facts.allocated), (1 << 40, 4096));
        assert_eq!(facts.attributes, u64::from(attributes));
        assert_eq!(facts.created, Time { seconds: -1, nanoseconds: 999_999_900 });
        assert_eq!(facts.modified, Time { seconds: 0, nanoseconds: 0 });
        assert_eq!(facts.changed, Time { seconds: 0, nanoseconds: 100 });
        let unknown = Windows::SOURCES.listing.without(facts.known).without(Fields::DEVICE);
        assert_eq!(unknown, Fields::ACCESSED, "the file system keeps none");
        position = next;
    }
    assert!(buf.entry(position).is_none());
    assert_eq!(sys.calls().total(), calls);
    sys.close(dir);
    sys.close(parent);
}

unsafe extern "system" fn all_are_links(
    _handle: HANDLE,
    _event: HANDLE,
    _routine: PIO_APC_ROUTINE,
    _context: *const c_void,
    block: *mut IO_STATUS_BLOCK,
    code: u32,
    _input: *const c_void,
    _input_length: u32,
    output: *mut c_void,
    length: u32,
) -> NTSTATUS {
    assert_eq!((code, length), (0x0009_00a8, 16 << 10));
    let mut point = 0xa000_000c_u32.to_le_bytes().to_vec();
    let names = [0_u16, 0, 0, 0, 0, 10, 1, 0];
    point.extend(names.iter().flat_map(|number| number.to_le_bytes()));
    point.extend("there".encode_utf16().flat_map(u16::to_le_bytes));
    // SAFETY: the caller's buffer is long enough.
    unsafe { answer(block, output, &point) }
}

#[test]
fn a_link_is_read_by_three_calls() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| native.fs_control = all_are_links);
    let scratch = Scratch::new();
    scratch.file("file");
    let sys = Windows::start(&setup);
    let (from, path) = sys.locate(&scratch.at("file")).unwrap();
    let mut target = Vec::new();
    sys.read_link(&from, path.as_name(), &mut target).unwrap();
    assert_eq!(String::from_utf16(&target).unwrap(), "there");
    assert_eq!(sys.calls().total(), 3, "{:?}", sys.calls());
    assert_eq!(sys.calls().of("NtFsControlFile"), 1);
}

fn descriptor() -> Vec<u8> {
    let user = [1_u8, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0];
    let group = [1_u8, 1, 0, 0, 0, 0, 0, 5, 99, 0, 0, 0];
    let mut bytes = vec![1, 0, 4, 0x80, 20, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0];
    bytes.extend(user);
    bytes.extend(group);
    bytes.extend([2, 0, 0, 0, 61, 0, 0, 0]);
    for rule in 0..61 {
        bytes.extend([0, if rule < 60 { 0x10 } else { 0 }, 24, 0, 0xff, 1, 0x1f, 0]);
        bytes.extend(user);
    }
    bytes
}

unsafe extern "system" fn secure(
    _handle: HANDLE,
    parts: u32,
    buffer: *mut c_void,
    length: u32,
    wanted: *mut u32,
) -> NTSTATUS {
    assert_eq!(parts, 7);
    let descriptor = descriptor();
    // SAFETY: the caller's pointer is valid for writes.
    unsafe { *wanted = descriptor.len() as u32 };
    if (length as usize) < descriptor.len() {
        return STATUS_BUFFER_TOO_SMALL;
    }
    // SAFETY: the caller's buffer is long enough.
    unsafe {
        std::ptr::copy_nonoverlapping(descriptor.as_ptr(), buffer.cast::<u8>(), descriptor.len());
    };
    0
}

static NAMED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

unsafe extern "system" fn name_account(
    _system: *const u16,
    sid: *mut c_void,
    name: *mut u16,
    name_length: *mut u32,
    domain: *mut u16,
    domain_length: *mut u32,
    _kind: *mut i32,
) -> i32 {
    // SAFETY: a security identifier has at least 12 bytes.
    let [_, parts] = unsafe { sid.cast::<[u8; 2]>().read() };
    NAMED.lock().unwrap().push(parts);
    if parts == 1 {
        return 0;
    }
    for (text, place, length) in [("Übel", name, name_length), ("DOMAIN", domain, domain_length)] {
        let units = wide(text);
        // SAFETY: the caller's length is valid for writes.
        unsafe { *length = units.len() as u32 - 1 };
        // SAFETY: the caller's buffers fit any name.
        unsafe { std::ptr::copy_nonoverlapping(units.as_ptr(), place, units.len()) };
    }
    1
}

#[test]
fn owners_are_named_once() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| {
        native.query_security = secure;
        native.replace_look_up_account(Some(name_account));
    });
    let scratch = Scratch::new();
    scratch.file("file");
    let sys = Windows::start(&setup);
    let (from, path) = sys.locate(&scratch.at("file")).unwrap();
    let requested = Fields::USER | Fields::GROUP | Fields::ACL;
    for _ in 0..3 {
        let owners = sys.owners(&from, path.as_name(), requested, &Facts::default()).unwrap();
        assert_eq!(**owners.user.as_ref().unwrap(), *OsString::from(r"DOMAIN\Übel"));
        assert_eq!(**owners.group.as_ref().unwrap(), *OsString::from("S-1-5-99"));
        assert_eq!(owners.acl, Some(true));
    }
    assert_eq!(*NAMED.lock().unwrap(), [2, 1]);
    assert_eq!(sys.calls().total(), 3 * 4 + 2, "{:?}", sys.calls());
}

#[test]
fn an_owner_of_this_system_has_a_name() {
    let scratch = Scratch::new();
    scratch.file("file");
    let sys = Windows::start(&Setup::default());
    let (from, path) = sys.locate(&scratch.at("file")).unwrap();
    let requested = Fields::USER | Fields::GROUP;
    let owners = sys.owners(&from, path.as_name(), requested, &Facts::default()).unwrap();
    assert!(owners.acl.is_none() && owners.group.is_some(), "{owners:?}");
    assert!(!owners.user.unwrap().is_empty());
    assert_eq!(sys.calls().of("NtOpenFile") + sys.calls().of("NtClose"), 2);
    assert_eq!(sys.calls().of("NtQuerySecurityObject"), 1);
}
