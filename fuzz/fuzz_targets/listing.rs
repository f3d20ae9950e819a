//! Compares the parser of `getdents64` output with a plain one. Broken records must cause neither a
//! crash nor an endless loop.
#![no_main]

use curt::os::linux::fuzzing::listed;
use libfuzzer_sys::fuzz_target;

/// Parses records as described in getdents(2), and stops at a broken record.
fn plain(mut rest: &[u8]) -> Vec<(u64, u8, Vec<u8>)> {
    let mut found = Vec::new();
    while rest.len() >= 19 {
        let length = usize::from(u16::from_ne_bytes([rest[16], rest[17]]));
        if length < 19 || length > rest.len() {
            break;
        }
        let (record, behind) = rest.split_at(length);
        let name = &record[19..];
        let Some(end) = name.iter().position(|&byte| byte == 0) else { break };
        let name = name[..end].to_vec();
        let id = u64::from_ne_bytes(record[..8].try_into().expect("eight bytes"));
        if name != b"." && name != b".." {
            let kind = if [1, 2, 4, 6, 8, 10, 12].contains(&record[18]) { record[18] } else { 0 };
            found.push((id, kind, name));
        }
        rest = behind;
    }
    found
}

fuzz_target!(|data: &[u8]| {
    assert_eq!(listed(data), plain(data));
});
