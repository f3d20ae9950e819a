//! Tests whole paths in one call. A fake call refuses paths with the component `link`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use curt_testkit::Scratch;
use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation::{
    HANDLE, NTSTATUS, OBJ_DONT_REPARSE, STATUS_INVALID_PARAMETER, STATUS_REPARSE_POINT_ENCOUNTERED,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use super::table;
use crate::name::{NameBuf, Unit};
use crate::sys::beneath::{Beneath, Create, File, How, Purpose, Rules, Want, Whole};
use crate::sys::windows::native::{Native, Rung};
use crate::sys::windows::{Dir, Windows};
use crate::sys::{Setup, Sys};

const LINK: [u16; 4] = [b'l' as u16, b'i' as u16, b'n' as u16, b'k' as u16];

static ASKED: AtomicU32 = AtomicU32::new(0);

macro_rules! creates {
    ($name:ident, $answer:expr) => {
        unsafe extern "system" fn $name(
            handle: *mut HANDLE,
            access: u32,
            attributes: *const OBJECT_ATTRIBUTES,
            block: *mut IO_STATUS_BLOCK,
            size: *const i64,
            kind: u32,
            share: u32,
            disposition: u32,
            options: u32,
            extended: *const std::ffi::c_void,
            length: u32,
        ) -> NTSTATUS {
            // SAFETY: the caller passes valid attributes.
            let mut own = unsafe { *attributes };
            if own.Attributes & OBJ_DONT_REPARSE != 0 {
                own.Attributes &= !OBJ_DONT_REPARSE;
                // SAFETY: valid attributes have a valid name.
                let name = unsafe { *own.ObjectName };
                let units = usize::from(name.Length) / 2;
                let units = if units == 0 {
                    &[][..]
                } else {
                    // SAFETY: the name has this many units.
                    unsafe { std::slice::from_raw_parts(name.Buffer, units) }
                };
                let answer: fn(&[u16]) -> Option<NTSTATUS> = $answer;
                if let Some(status) = answer(units) {
                    return status;
                }
            }
            // SAFETY: the arguments are passed on, with a copy of the attributes.
            unsafe {
                nt::NtCreateFile(
                    handle,
                    access,
                    &raw const own,
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
        }
    };
}

creates!(refuses_links, |units| {
    let is_link = |name: &[u16]| name == LINK;
    let met = units.split(|&unit| unit == u16::SEPARATOR).any(is_link);
    met.then_some(STATUS_REPARSE_POINT_ENCOUNTERED)
});
creates!(refuses_the_flag, |_| {
    ASKED.fetch_add(1, Ordering::Relaxed);
    Some(STATUS_INVALID_PARAMETER)
});

fn newest() -> Setup {
    static TABLE: OnceLock<Native> = OnceLock::new();
    table(&TABLE, |native| {
        native.dont_reparse = Rung::top();
        native.create = refuses_links;
    })
}

fn older() -> Setup {
    static TABLE: OnceLock<Native> = OnceLock::new();
    table(&TABLE, |native| {
        native.dont_reparse = Rung::top();
        native.create = refuses_the_flag;
    })
}

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with(r"root\a\b\file", b"content");
    scratch.file_with(r"root\link\file", b"content");
    scratch
}

fn name(path: &str) -> NameBuf<u16> {
    NameBuf::new(path.encode_utf16().collect()).unwrap()
}

fn open(sys: &Windows, root: &Dir, path: &str, how: How) -> Whole<File> {
    let path = name(path);
    sys.whole(root, path.as_name(), Want::File(&how), Rules::default())
}

const READ: How = How {
    read: true,
    write: false,
    append: false,
    truncate: false,
    create: Create::Never,
    follow: true,
    nonblocking: false,
    nonblocking_open: false,
    system_flags: 0,
    mode: 0,
};

#[test]
fn a_path_without_links_is_one_call() {
    let scratch = tree();
    let sys = Windows::start(&newest());
    let root = sys.open_for_lookup(&scratch.at("root")).unwrap();
    let before = sys.calls();
    assert!(matches!(open(&sys, &root, r"a\b\file", READ), Whole::Opened(_)));
    assert_eq!(sys.calls().total() - before.total(), 1);
    assert_eq!(sys.calls().of("NtCreateFile") - before.of("NtCreateFile"), 1);
    let made = How { write: true, create: Create::Missing, truncate: true, ..READ };
    assert!(matches!(open(&sys, &root, r"a\b\file", made), Whole::Opened(_)));
    assert_eq!(std::fs::read(scratch.at(r"root\a\b\file")).unwrap(), b"");
    assert!(matches!(open(&sys, &root, r"a\b\nosuch", READ), Whole::Failed(_)));
    let want = Want::Directory(Purpose::Listing);
    let dir = sys.whole(&root, name(".").as_name(), want, Rules::default());
    assert!(matches!(dir, Whole::Opened(_)));
}

#[test]
fn a_link_on_the_way_is_left_to_single_steps() {
    let scratch = tree();
    let sys = Windows::start(&newest());
    let root = sys.open_for_lookup(&scratch.at("root")).unwrap();
    assert!(matches!(open(&sys, &root, r"link\file", READ), Whole::Unanswered));
    assert!(matches!(open(&sys, &root, "link", READ), Whole::Unanswered));
}

#[test]
fn a_refused_flag_is_tried_once() {
    let scratch = tree();
    let sys = Windows::start(&older());
    let root = sys.open_for_lookup(&scratch.at("root")).unwrap();
    for _ in 0..3 {
        assert!(matches!(open(&sys, &root, r"a\b\file", READ), Whole::Unanswered));
    }
    assert_eq!(ASKED.load(Ordering::Relaxed), 1);
}

#[test]
fn wine_is_not_believed() {
    let scratch = tree();
    let sys = Windows::start(&Setup::default());
    let root = sys.open_for_lookup(&scratch.at("root")).unwrap();
    let answer = open(&sys, &root, r"a\b\file", READ);
    let is_believed = !matches!(answer, Whole::Unanswered);
    assert_eq!(is_believed, !crate::sys::windows::native::is_wine());
}

#[test]
fn every_operation_works_by_one_call_and_by_steps() {
    for setup in [newest(), older(), Setup::default()] {
        let scratch = tree();
        let root = crate::beneath::tests::TestRoot::<Windows>::open(&setup, &scratch.at("root"));
        let name = |path: &str| root.canonical(path);
        assert_eq!(name("A/B/../b/FILE"), Ok((r"a\b\file".into(), false)));
        assert_eq!(name("link/file"), Ok((r"link\file".into(), false)));
        assert_eq!(name("a/new"), Ok((r"a\new".into(), true)));
        assert!(name("a/../..").is_err());
    }
}
