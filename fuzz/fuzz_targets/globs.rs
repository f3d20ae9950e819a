//! Compares globs with glibc's `fnmatch`. The input is a pattern and a name, each on a line. Globs
//! of `ls --ignore` must always agree, and globs of a shell unless curt refuses them.
#![no_main]

use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

use curt::Kind;
use curt::filters::{Globs, expand_braces};
use libfuzzer_sys::fuzz_target;

unsafe extern "C" {
    fn fnmatch(pattern: *const c_char, text: *const c_char, flags: c_int) -> c_int;
    fn setlocale(category: c_int, locale: *const c_char) -> *const c_char;
}
const FNM_PATHNAME: c_int = 1;
const LC_ALL: c_int = 6;
const KINDS: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit",
];

fn matches(pattern: &[u8], text: &[u8], flags: c_int) -> bool {
    let [pattern, text] = [pattern, text].map(|it| CString::new(it).expect("it has no NUL"));
    // SAFETY: both strings end with NUL.
    unsafe { fnmatch(pattern.as_ptr(), text.as_ptr(), flags) == 0 }
}

fuzz_target!(|data: &[u8]| {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    let is_there = IS_THERE.get_or_init(|| {
        let name: &CStr = c"C.UTF-8";
        // SAFETY: the string ends with NUL, and the process is single-threaded.
        let is_there =
            cfg!(target_env = "gnu") && unsafe { !setlocale(LC_ALL, name.as_ptr()).is_null() };
        if !is_there {
            eprintln!("skipped: no GNU C library with the locale C.UTF-8");
        }
        is_there
    });
    let Some(end) = data.iter().position(|&byte| byte == b'\n') else { return };
    let (pattern, text) = (&data[..end], &data[end + 1..]);
    if !is_there || data.contains(&0) || data.len() > 200 {
        return;
    }
    let path = Path::new(OsStr::from_bytes(text));
    let show = |pattern: &[u8]| format!("'{}' '{}'", pattern.escape_ascii(), text.escape_ascii());

    // Excluded: curt never matches a bracket expression with an unknown class or symbol. glibc
    // stops at the first matching member, and parses the rest differently.
    let lossy = String::from_utf8_lossy(pattern);
    let has_odd = |begin: &str, end: &str, is_known: fn(&str) -> bool| {
        let mut names = lossy.split(begin).skip(1);
        names.any(|rest| rest.split_once(end).is_none_or(|(name, _)| !is_known(name)))
    };
    let is_character: fn(&str) -> bool = |name| name.chars().count() == 1;
    // glibc has no collation order above U+FF in this locale, so its `[α-ω]` never matches.
    let is_odd = has_odd("[:", ":]", |name| KINDS.contains(&name))
        || ["=", "."].iter().any(|it| has_odd(&format!("[{it}"), &format!("{it}]"), is_character))
        || lossy.contains('-') && lossy.chars().any(|it| it > '\u{ff}')
        // At the end of a range, `[` is a character, but after a match glibc skips it as a class.
        || lossy.contains("-[:")
        || lossy.contains("-[=");

    let ours = Globs::gnu([OsStr::from_bytes(pattern)]).matches(path, Kind::File);
    let ends = (0..text.len().max(1)).filter(|&at| at == 0 || text[at - 1] == b'/');
    let theirs = ends.into_iter().any(|at| matches(pattern, &text[at..], 0));
    assert!(is_odd || ours == theirs, "{ours}: {}", show(pattern));

    let [Ok(pattern), Ok(_)] = [pattern, text].map(std::str::from_utf8) else { return };
    let anchored = format!("/{pattern}");
    let Ok(globs) = Globs::new([&anchored]) else { return };
    let words = expand_braces(&anchored).expect("it was expanded");
    let words: Vec<_> = words.iter().filter_map(|word| word.strip_prefix('/')).collect();
    // Excluded: only curt gives `**` a meaning and splits paths at slashes, and only glibc compares
    // bytes if the characters do not match.
    let is_deep = |part: &str| part.len() > 1 && part.bytes().all(|byte| byte == b'*');
    let is_part = |part| matches!(part, "" | ".") || part.ends_with('\\') || is_deep(part);
    let ours = globs.matches(path, Kind::File);
    let theirs = words.iter().any(|word| matches(word.as_bytes(), text, FNM_PATHNAME));
    let is_known = is_odd
        || words.iter().any(|word| word.split('/').any(is_part))
        || theirs && !(pattern.is_ascii() && text.is_ascii());
    assert!(is_known || ours == theirs, "shell, {ours}: {}", show(pattern.as_bytes()));
});
