//! Every reason in its order, by known tricks.

use super::{Aliases, PathCheck};
use crate::Refusal::{self, *};
use crate::options::Flavor::{Posix, Windows};
use crate::options::Release::Windows11;

/// Checks a path as bytes and as 16-bit units, which must agree.
fn checked(check: PathCheck, text: &str) -> Result<String, Refusal> {
    let bytes = check.name(text.as_bytes()).map(|name| String::from_utf8(name.into()).unwrap());
    let units: Vec<u16> = text.encode_utf16().collect();
    let wide = check.name(&units).map(|name| String::from_utf16(&name).unwrap());
    assert_eq!(bytes, wide, "{text}");
    assert_eq!(bytes.clone().map(drop), check.check(text.as_bytes()));
    assert_eq!(bytes.clone().map(drop), check.check(&units));
    bytes
}

fn refused(check: PathCheck, rows: &[(Refusal, &[&str])]) {
    for (reason, texts) in rows {
        for text in *texts {
            assert_eq!(checked(check, text), Err(*reason), "{text:?}");
        }
    }
}

fn allowed(check: PathCheck, rows: &[(&str, &str)]) {
    for (text, name) in rows {
        assert_eq!(checked(check, text).as_deref(), Ok(*name), "{text:?}");
    }
}

#[test]
fn windows_paths_that_escape_or_mean_another_name_are_refused() {
    let rows: &[(Refusal, &[&str])] = &[
        (Empty, &["", " ", "   "]),
        (Nul, &["a\0.png", "\0", "C:\\a\0"]),
        (Device, &[r"\\.\pipe\x", r"\\?\C:\x", r"\??\C:\x", "//./x", "//?/x", r"\\.", "/??/x"]),
        (
            Absolute,
            &["/etc/passwd", r"\windows", r"\\server\share\x", "//server/share", r"\", "/.."],
        ),
        (Drive, &[r"C:\x", "C:x", "c:", r"é:\x", r"?:\x", "a:b", "a:/../c:/b"]),
        (
            Stream,
            &[".htaccess::$DATA", "sub/c:/windows", r"a\..\c:\b", "dir:$I30:$INDEX_ALLOCATION/x"],
        ),
        (Stream, &["x/CON:..", "ab:c"]),
        (BadChar, &["a*", "a?b", "a<b", "a|b", "a\"b", "a\x01", "x\ty", "../a*"]),
        (
            Device,
            &["nul", "NUL.txt", "logs/aux", "com¹", "LPT3  .log", "con/x", "COM1 ", "conout$"],
        ),
        (
            Escape,
            &[
                "..",
                "../x",
                r"a\..\..\x",
                r"a/../../b",
                r"..\a",
                "a/b/../../..",
                r".\..",
                r"...\..\..",
            ],
        ),
    ];
    let check = PathCheck::new(Windows);
    refused(check, rows);
    refused(check.aliases(Aliases::Strict), rows);
    refused(check.in_root(true), &rows[..3]);
}

#[test]
fn windows_paths_beneath_the_directory_are_accepted() {
    let open = PathCheck::new(Windows);
    let both = [
        ("a", "a"),
        (r"a\b", r"a\b"),
        ("a/b//c/", r"a\b\c"),
        (r"a\.\b", r"a\b"),
        (r"a\..\b", "b"),
        (r"a\..", "."),
        (".", "."),
        ("..a", "..a"),
        (".htaccess", ".htaccess"),
        (" x", " x"),
        ("com0", "com0"),
        ("com⁴", "com⁴"),
        ("null", "null"),
        ("a~b", "a~b"),
        ("é/日本", r"é\日本"),
        ("😀", "😀"),
    ];
    allowed(open, &both);
    allowed(open.aliases(Aliases::Strict), &both);
    let open_only = [
        ("index.html.", "index.html"),
        ("index.html . ", "index.html"),
        (r"a.\b", r"a\b"),
        ("a/...", "a"),
        ("...", "."),
        ("HTACCE~1", "HTACCE~1"),
        ("a\u{200c}b", "a\u{200c}b"),
    ];
    allowed(open, &open_only);
    let device = [("con.txt", "con.txt"), ("x/con", r"x\con"), ("com1/x", r"com1\x")];
    allowed(open.release(Windows11), &device);
    refused(open.release(Windows11), &[(Device, &["con", "x/nul", "con. "])]);
}

#[test]
fn second_names_are_refused_in_strict_mode() {
    for flavor in [Windows, Posix] {
        let rows: &[(Refusal, &[&str])] = &[
            (Trailing, &["index.html.", "a ", "a. /b", "a./b", "...", "a/.. /b"]),
            (ShortName, &["HTACCE~1", "GIT~1", "a~1.txt", "x/INDEX~12.HTM", "~1", "A~1."]),
            (BadChar, &["a\u{200c}b", ".g\u{feff}it", "a\u{ff0f}b", "a\u{a5}b"]),
            (Stream, &["a/b:c"]),
            (Device, &["aux.c", "x/nul", "con"]),
        ];
        let strict = PathCheck::new(flavor).aliases(Aliases::Strict);
        for (reason, texts) in rows {
            // A short name with a trailing dot has both faults, and the first one is reported.
            let texts: Vec<&str> = texts.iter().copied().filter(|text| *text != "A~1.").collect();
            refused(strict.release(Windows11), &[(*reason, &texts)]);
        }
        refused(strict, &[(Trailing, &["A~1."])]);
        allowed(strict, &[("a~b1", "a~b1"), ("INDEXES~1.HTM", "INDEXES~1.HTM")]);
        allowed(strict, &[("a~1.html", "a~1.html"), ("a~1.b.c", "a~1.b.c"), ("~x", "~x")]);
    }
}

#[test]
fn posix_paths_are_refused_for_few_reasons() {
    let open = PathCheck::new(Posix);
    let strict = open.aliases(Aliases::Strict);
    let rows: &[(Refusal, &[&str])] = &[
        (Empty, &[""]),
        (Nul, &["a\0", "/\0"]),
        (Absolute, &["/", "/etc/passwd", "//x"]),
        (Escape, &["..", "../x", "a/../../b", "a/./../../b"]),
    ];
    refused(open, rows);
    refused(strict, rows);
    allowed(open, &[("a/../b", "b"), ("a//b/", "a/b"), ("a/..", "."), (r"a\b", r"a\b")]);
    allowed(open, &[("C:x", "C:x"), ("a:b", "a:b"), ("a.", "a."), ("nul", "nul"), ("   ", "   ")]);
    allowed(open, &[("a*", "a*"), (r"..\x", r"..\x"), ("A~1", "A~1"), ("...", "...")]);
    let rows: &[(Refusal, &[&str])] = &[
        (Empty, &["  "]),
        (Device, &[r"\\.\x", r"\??\x"]),
        (Absolute, &[r"\x", r"\\s\h"]),
        (Drive, &["C:x", "C:/x"]),
        (BadChar, &[r"a\b", "a*", r"..\x"]),
    ];
    refused(strict, rows);
    assert_eq!(open.check(b"a\xff/\x80"), Ok(()));
    assert_eq!(*open.name(b"./a\xff").unwrap(), *b"a\xff");
}

#[test]
fn text_that_is_not_unicode_is_refused_on_windows() {
    let check = PathCheck::new(Windows);
    for text in [&b"a\xff"[..], b"\xc0\xae\xc0\xae/x", b"\xed\xa0", b"\x80", b"/\xff"] {
        assert_eq!(check.check(text), Err(Encoding), "{text:x?}");
    }
    // Windows accepts an unpaired surrogate in a name.
    assert_eq!(check.check(b"a\xed\xa0\x80b"), Ok(()));
    assert_eq!(check.check(&[0x61_u16, 0xD800]), Ok(()));
    assert_eq!(check.check(b""), Err(Empty));
}

#[test]
fn rooted_paths_are_accepted_in_root_mode() {
    let posix = PathCheck::new(Posix).in_root(true);
    allowed(posix, &[("/", "."), ("/etc/x", "etc/x"), ("../../x", "x"), ("//x", "x")]);
    let windows = PathCheck::new(Windows).in_root(true);
    allowed(windows, &[(r"\", "."), (r"\x\..\..\y", "y"), ("..", ".")]);
    refused(windows, &[(Absolute, &[r"\\server\share"]), (Drive, &["C:x"])]);
    let strict = posix.aliases(Aliases::Strict);
    allowed(strict, &[("//x", "x"), ("/..", ".")]);
    refused(strict, &[(Absolute, &[r"\x", r"/\x"])]);
}
