//! Reads any ignore file and matches any path. A plain name in the last line must decide about this
//! name and no other.
#![no_main]

use std::path::Path;

use curt::filters::IgnoreFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    let (rules, path) = data.split_at(end);
    let path = String::from_utf8_lossy(path).replace('\0', "x");
    for ignores_case in [false, true] {
        let Ok(alone) = IgnoreFile::parse(rules, ignores_case) else { continue };
        for is_directory in [false, true] {
            let _ = alone.ignores(Path::new(&path), is_directory);
        }
    }
    for (last, expected) in [("zz-hidden", true), ("!zz-hidden", false)] {
        let text = [rules, b"\n", last.as_bytes(), b"\n"].concat();
        let Ok(file) = IgnoreFile::parse(&text, false) else { continue };
        let said = file.ignores(Path::new("zz-hidden"), false);
        assert_eq!(said, Some(expected), "{last} counts");
        let without = IgnoreFile::parse(rules, false).expect("fewer lines are read, too");
        let other = Path::new("yy-other");
        assert_eq!(file.ignores(other, false), without.ignores(other, false));
    }
});
