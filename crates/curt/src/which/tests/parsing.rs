//! `PATH`, `PATHEXT` and names, of any text.

use crate::which::lists::{extensions, path_entries};
use crate::which::names::read;
use crate::which::policy::Policy;
use curt_paths::Flavor;

/// Texts that look random, the same each time, of what matters to the rules.
fn texts(count: usize) -> impl Iterator<Item = Vec<u8>> {
    const ALPHABET: &[&[u8]] = &[
        b";",
        b":",
        b"\"",
        b".",
        b"/",
        b"\\",
        b" ",
        b"a",
        b"EXE",
        b".com",
        b"*",
        b"\0",
        b"\xff",
        b"\xc3\xbc",
        b"CON",
        b"..",
        b"C:",
        b"\\\\?\\",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut number = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    (0..count).map(move |_| {
        let length = number() % 12;
        (0..length).flat_map(|_| ALPHABET[number() % ALPHABET.len()].to_vec()).collect()
    })
}

/// More by `CURT_FUZZ`.
fn count() -> usize {
    std::env::var("CURT_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000)
}

fn wide(text: &[u8]) -> Vec<u16> {
    text.iter().map(|&byte| u16::from(byte)).collect()
}

#[test]
fn any_path_is_taken_apart() {
    let windows = Policy::safe(Flavor::Windows);
    let posix = Policy::safe(Flavor::Posix);
    for text in texts(count()) {
        let entries = path_entries(&text, &windows);
        assert!(entries.iter().all(|entry| !entry.text.contains(&b'"')), "{text:?}");
        assert!(entries.iter().enumerate().all(|(at, entry)| at == entry.index));
        if !text.contains(&b'"') {
            let naive: Vec<&[u8]> = text.split(|&byte| byte == b';').collect();
            assert!(entries.iter().map(|entry| &entry.text[..]).eq(naive), "{text:?}");
        }
        let length: usize = entries.iter().map(|entry| entry.text.len() + 1).sum();
        assert!(length <= text.len() + 1, "nothing is made up: {text:?}");
        let wide_text = wide(&text);
        let wide_entries = path_entries(&wide_text, &windows);
        assert!(
            wide_entries
                .iter()
                .map(|entry| &entry.text)
                .eq(&entries.iter().map(|entry| wide(&entry.text)).collect::<Vec<_>>())
        );
        let naive: Vec<&[u8]> = text.split(|&byte| byte == b':').collect();
        assert!(path_entries(&text, &posix).iter().map(|entry| &entry.text[..]).eq(naive));
    }
}

#[test]
fn any_pathext_gives_extensions_that_names_can_end_in() {
    for text in texts(count()) {
        let list = extensions(Some(&text[..]), &Policy::safe(Flavor::Windows));
        for (at, extension) in list.extensions.iter().enumerate() {
            assert!(extension.text.len() > 1 && extension.text[0] == b'.', "{text:?}");
            assert!(!extension.text.iter().any(|byte| b";:/\\*\"\0".contains(byte)), "{text:?}");
            let same = |other: &crate::which::lists::Extension<u8>| {
                other.text.eq_ignore_ascii_case(&extension.text)
            };
            assert!(!list.extensions[..at].iter().any(same), "twice: {text:?}");
        }
        let items = text.split(|&byte| byte == b';').filter(|item| !item.is_empty()).count();
        let usual = if text.is_empty() { 4 } else { items };
        assert!(list.extensions.len() + list.dropped.len() <= usual, "{text:?}");
    }
}

#[test]
fn any_name_is_read_or_refused() {
    let mut accepted = 0;
    for text in texts(count()) {
        for rules in [Flavor::Posix, Flavor::Windows] {
            if read(&text, rules).is_ok() {
                accepted += 1;
                assert!(!text.contains(&0) && !text.is_empty());
            }
        }
        if read(&text, Flavor::Windows).is_ok() {
            assert!(!text.ends_with(b".") && !text.ends_with(b" ") && !text.ends_with(b"/"));
            assert!(!text.contains(&b'*') && !text.contains(&b'"'), "{text:?}");
        }
        let _ = read(&wide(&text), Flavor::Windows);
    }
    assert!(accepted > 1000, "{accepted}");
}

#[test]
fn a_lonely_quote_does_no_harm() {
    let policy = Policy::safe(Flavor::Windows);
    let texts = |path: &str| -> Vec<String> {
        let entries = path_entries(path.as_bytes(), &policy);
        entries.iter().map(|entry| String::from_utf8(entry.text.to_vec()).unwrap()).collect()
    };
    assert_eq!(texts(r#"a";b;c"#), ["a", "b", "c"]);
    assert_eq!(texts(r#""a;b";c"d;e"#), ["a;b", "cd", "e"]);
    assert_eq!(texts(r#""""#), [""]);
    assert_eq!(texts(";;"), ["", "", ""]);
}
