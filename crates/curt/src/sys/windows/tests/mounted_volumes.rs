//! Tests mounted volumes, which look like junctions, from listing to result. No available system
//! can mount one, so the answers are faked.

use windows_sys::Win32::Foundation::STATUS_NO_MORE_FILES;

use super::queries::{chained, record};
use super::*;
use crate::fields::{Fields, Metadata, Plan};
use crate::name::NameBuf;
use crate::querier::{Querier, Subject};

unsafe extern "system" fn list_junctions(
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
    if READ.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
        return STATUS_NO_MORE_FILES;
    }
    let junction = |child| record(child, 0x410, 0xa000_0003, 0, 0);
    let all = chained(["mounted", "elsewhere"].into_iter().map(junction));
    assert!(all.len() <= length as usize);
    // SAFETY: the caller's buffer is long enough.
    unsafe { answer(block, buffer, &all) }
}

unsafe extern "system" fn fake_targets(
    _handle: HANDLE,
    _event: HANDLE,
    _routine: PIO_APC_ROUTINE,
    _context: *const c_void,
    block: *mut IO_STATUS_BLOCK,
    _code: u32,
    _input: *const c_void,
    _input_length: u32,
    output: *mut c_void,
    _length: u32,
) -> NTSTATUS {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let targets = [r"\??\Volume{0c3d2a1b-0000-0000-0000-100000000000}\", r"\??\C:\there"];
    let target = targets[ASKED.fetch_add(1, Ordering::Relaxed) as usize % 2];
    let target: Vec<u8> = target.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut point = 0xa000_0003_u32.to_le_bytes().to_vec();
    let numbers = [0, 0, 0, target.len() as u16, target.len() as u16 + 2, 0];
    point.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    point.extend([&target[..], &[0; 4]].concat());
    // SAFETY: the caller's buffer is long enough.
    unsafe { answer(block, output, &point) }
}

#[test]
fn volumes_and_junctions_differ_by_their_targets() {
    static MADE: OnceLock<Native> = OnceLock::new();
    let setup = table(&MADE, |native| {
        native.query_directory = list_junctions;
        native.fs_control = fake_targets;
    });
    let scratch = Scratch::new();
    // The directories must exist, because they are opened before their targets are read.
    scratch.tree("", "top/mounted top/elsewhere");
    let volume = r"\\?\Volume{0c3d2a1b-0000-0000-0000-100000000000}\";
    let plain = (Kind::Junction, None);
    let told = (Kind::VolumeMount, Some(volume));
    let other = (Kind::Junction, Some(r"C:\there"));
    for (fields, expected, price) in
        [(Fields::KIND, [plain, plain], 0), (Fields::KIND | Fields::TARGET, [told, other], 2 * 3)]
    {
        let querier = Querier::new(Windows::start(&setup), Plan::new(fields));
        let sys = &querier.sys;
        let parent = sys.open_for_lookup(scratch.path()).unwrap();
        let top = NameBuf::new("top".encode_utf16().collect()).unwrap();
        let Opened::Dir(dir) = sys.open_child(&parent, top.as_name(), Mounts::Cross) else {
            panic!("not opened");
        };
        let mut buf = DirBuf::default();
        sys.read_entries(&dir, &mut buf).unwrap();
        let before = sys.calls().total();
        let mut position = 0;
        for (kind, target) in expected {
            let (entry, next) = buf.entry(position).unwrap();
            let path = || scratch.at("top");
            let subject = Subject { dir: &dir, name: entry.name, path: &path, follow: false };
            let mut metadata = Metadata::default();
            querier.reset(&mut metadata);
            buf.facts(position, &entry, &mut metadata.facts);
            querier.complete(&subject, &mut metadata);
            assert_eq!(metadata.kind(), kind);
            assert_eq!(metadata.target().known(), target.map(Path::new));
            position = next;
        }
        assert_eq!(sys.calls().total() - before, price);
        sys.read_entries(&dir, &mut buf).unwrap();
        sys.close(dir);
        sys.close(parent);
    }
}
