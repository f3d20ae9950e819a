use super::{Start, is_device, is_verbatim};
use crate::tests::wide;

#[test]
fn any_unit_is_a_drive_letter_but_a_surrogate_pair_is_not() {
    assert_eq!(Start::of("é:x".as_bytes()), Start::DriveRelative { letter: 2 });
    assert_eq!(Start::of("日:/".as_bytes()), Start::DriveAbsolute { letter: 3 });
    assert_eq!(Start::of(&b"\xED\xA0\x80:"[..]), Start::DriveRelative { letter: 3 });
    assert_eq!(Start::of(&[0xD800_u16, 0x3A]), Start::DriveRelative { letter: 1 });
    assert_eq!(Start::of("😀:/".as_bytes()), Start::Relative);
    assert_eq!(Start::of(&wide("😀:/")), Start::Relative);
    assert_eq!(Start::of(&b"\x80:/"[..]), Start::DriveAbsolute { letter: 1 });
    assert_eq!(Start::of(&b"\xC3:/"[..]), Start::DriveAbsolute { letter: 1 });
}

#[test]
fn names_of_devices_and_verbatim_prefixes_are_recognized() {
    let check = |texts: &str, is_it: bool, bytes: fn(&[u8]) -> bool, units: fn(&[u16]) -> bool| {
        for text in texts.split(' ') {
            assert_eq!((bytes(text.as_bytes()), units(&wide(text))), (is_it, is_it), "{text:?}");
        }
    };
    let devices = "con PRN aux Nul COM1 lpt9 com¹ LPT² com³ conin$ CONOUT$";
    check(devices, true, is_device, is_device);
    let names = " co conn com com0 lpt0 com⁴ com10 conerr$ c¹n coṅ";
    check(names, false, is_device, is_device);
    assert!(!is_device(b"nul "));
    check(r"\\?\ \??\x \\?\C:\x", true, is_verbatim, is_verbatim);
    check(r"//?/C:/x \\?/x \\.\x \?\x \\?", false, is_verbatim, is_verbatim);
}
