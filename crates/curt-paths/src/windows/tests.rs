//! The starts of paths and the names of devices, in bytes and in 16-bit units.

use super::{Start, device_at_end, is_device, is_verbatim};
use crate::Unit;
use crate::options::Release::{self, Windows10, Windows11};

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

#[test]
fn every_start_is_recognised() {
    let absolute = Start::DriveAbsolute { letter: 1 };
    let relative = Start::DriveRelative { letter: 1 };
    for (text, start) in [
        (r"\\.\", Start::LocalDevice),
        (r"\\?\C:\x", Start::LocalDevice),
        ("//./x", Start::LocalDevice),
        (r"/\?\x", Start::LocalDevice),
        (r"\\.", Start::BareDevice),
        ("//?", Start::BareDevice),
        (r"\\", Start::Share),
        (r"\\.x", Start::Share),
        (r"\\?x", Start::Share),
        (r"\\..\x", Start::Share),
        (r"\\\", Start::Share),
        (r"\\server\share", Start::Share),
        (r"C:\", absolute),
        ("c:/x", absolute),
        (r"?:\", absolute),
        ("1:/", absolute),
        ("C:", relative),
        ("C:x", relative),
        ("::", relative),
        (r"\", Start::Rooted),
        (r"/x", Start::Rooted),
        (r"\??\x", Start::Rooted),
        (r"\:\", Start::Rooted),
        ("", Start::Relative),
        ("x", Start::Relative),
        (":", Start::Relative),
        ("ab:c", Start::Relative),
        (".", Start::Relative),
        ("é", Start::Relative),
    ] {
        assert_eq!(Start::of(text.as_bytes()), start, "{text}");
        assert_eq!(Start::of(&wide(text)), start, "{text}");
    }
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

fn device<U: Unit>(path: &[U], release: Release) -> Option<&[U]> {
    device_at_end(path, Start::of(path), release).map(|place| &path[place])
}

#[test]
fn a_device_name_at_the_end_replaces_the_path() {
    for (path, old, new) in [
        ("nul", Some("nul"), Some("nul")),
        ("con", Some("con"), Some("con")),
        ("CON:", Some("CON"), Some("CON")),
        ("con. ", Some("con"), Some("con")),
        ("con.txt", Some("con"), None),
        ("con:alt", Some("con"), None),
        ("LPT3  .log", Some("LPT3"), None),
        (r"C:\d\aux.c", Some("aux"), None),
        (r"C:\d\aux", Some("aux"), None),
        ("C:con", Some("con"), None),
        (r".\con", Some("con"), None),
        ("/con", Some("con"), None),
        (r"d\NUL", Some("NUL"), Some("NUL")),
        (r"C:\d/nUl:..", Some("nUl"), Some("nUl")),
        ("nul.txt", Some("nul"), None),
        (r"d\com¹", Some("com¹"), None),
        (r"nul\", None, None),
        (r"nul\.", None, None),
        (r"nul\x", None, None),
        (r"\\server\share\nul", None, None),
        (r"\\.\nul", None, None),
        (r"\\?\C:\nul", None, None),
        (" nul", None, None),
        ("null", None, None),
        ("", None, None),
    ] {
        for (release, expected) in [(Windows10, old), (Windows11, new)] {
            let found = device(path.as_bytes(), release);
            assert_eq!(found, expected.map(str::as_bytes), "{path} {release:?}");
            let wide_expected = expected.map(wide);
            assert_eq!(
                device(&wide(path), release),
                wide_expected.as_deref(),
                "{path} {release:?}"
            );
        }
    }
}
