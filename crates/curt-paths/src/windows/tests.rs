//! Single units of starts and names, in bytes and in 16-bit units. Whole paths are in
//! `full_path_tests.rs`.

use super::{Start, is_device, is_verbatim};

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

#[test]
fn any_unit_is_a_drive_letter_but_a_surrogate_pair_is_not() {
    assert_eq!(Start::of("é:x".as_bytes()), Start::DriveRelative { letter: 2 });
    assert_eq!(Start::of("日:/".as_bytes()), Start::DriveAbsolute { letter: 3 });
    // An unpaired surrogate, in WTF-8 and as a unit.
    assert_eq!(Start::of(&b"\xED\xA0\x80:"[..]), Start::DriveRelative { letter: 3 });
    assert_eq!(Start::of(&[0xD800_u16, 0x3A]), Start::DriveRelative { letter: 1 });
    assert_eq!(Start::of("😀:/".as_bytes()), Start::Relative);
    assert_eq!(Start::of(&wide("😀:/")), Start::Relative);
    // Bytes that are not Unicode count as one unit each.
    assert_eq!(Start::of(&b"\x80:/"[..]), Start::DriveAbsolute { letter: 1 });
    assert_eq!(Start::of(&b"\xC3:/"[..]), Start::DriveAbsolute { letter: 1 });
}

#[test]
fn verbatim_prefixes_are_spelled_with_backslashes() {
    for (text, verbatim) in [
        (r"\\?\", true),
        (r"\??\x", true),
        (r"\\?\C:\x", true),
        ("//?/C:/x", false),
        (r"\\?/x", false),
        (r"\\.\x", false),
        (r"\?\x", false),
        (r"\\?", false),
    ] {
        assert_eq!(is_verbatim(text.as_bytes()), verbatim, "{text}");
        assert_eq!(is_verbatim(&wide(text)), verbatim, "{text}");
    }
}

#[test]
fn device_names_are_recognised() {
    let names = ["con", "PRN", "aux", "Nul", "COM1", "lpt9", "com¹", "LPT²", "com³", "conin$"];
    for name in names.into_iter().chain(["CONOUT$"]) {
        assert!(is_device(name.as_bytes()), "{name}");
        assert!(is_device(&wide(name)), "{name}");
    }
    for name in
        ["", "co", "conn", "com", "com0", "lpt0", "com⁴", "com10", "conerr$", "c¹n", "coṅ", "nul "]
    {
        assert!(!is_device(name.as_bytes()), "{name}");
        assert!(!is_device(&wide(name)), "{name}");
    }
}
