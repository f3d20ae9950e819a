use super::{Aliases, PathCheck};
use crate::Refusal::{self, *};
use crate::options::Flavor::{Posix, Windows};
use crate::options::Release::Windows11;
use crate::tests::{rows, wide};

fn checked(check: PathCheck, text: &str) -> Result<String, Refusal> {
    let bytes = check.name(text.as_bytes()).map(|name| String::from_utf8(name.into()).unwrap());
    let units = check.name(&wide(text)).map(|name| String::from_utf16(&name).unwrap());
    assert_eq!(bytes, units, "{text}");
    assert_eq!(bytes.clone().map(drop), check.check(text.as_bytes()));
    assert_eq!(bytes.clone().map(drop), check.check(&wide(text)));
    bytes
}

fn refused(check: PathCheck, tables: &[(Refusal, &str)]) {
    for (reason, table) in tables {
        for (text, _) in rows(table) {
            assert_eq!(checked(check, &text), Err(*reason), "{text:?}");
        }
    }
}

fn allowed(check: PathCheck, table: &str) {
    for (text, name) in rows(table) {
        assert_eq!(checked(check, &text).as_ref(), Ok(&name), "{text:?}");
    }
}

#[test]
fn windows_paths_that_escape_or_mean_another_name_are_refused() {
    let tables = [
        (Empty, "'' · ···"),
        (Nul, "a\0.png \0 C:\\a\0"),
        (Device, r"\\.\pipe\x \\?\C:\x \??\C:\x //./x //?/x \\. /??/x"),
        (Absolute, r"/etc/passwd \windows \\server\share\x //server/share \ /.."),
        (Drive, r"C:\x C:x c: é:\x ?:\x a:b a:/../c:/b"),
        (Stream, r".htaccess::$DATA sub/c:/windows a\..\c:\b dir:$I30:$INDEX_ALLOCATION/x"),
        (Stream, "x/CON:.. ab:c"),
        (BadChar, "a* a?b a<b a|b a\"b a\x01 x\ty ../a*"),
        (Device, "nul NUL.txt logs/aux com¹ LPT3··.log con/x COM1· conout$"),
        (Escape, r".. ../x a\..\..\x a/../../b ..\a a/b/../../.. .\.. ...\..\.."),
    ];
    let check = PathCheck::new(Windows);
    refused(check, &tables);
    refused(check.aliases(Aliases::Strict), &tables);
    refused(check.in_root(true), &tables[..3]);
}

#[test]
fn windows_paths_beneath_the_directory_are_accepted() {
    let open = PathCheck::new(Windows);
    let both = r"
        a a\b a/b//c/→a\b\c a\.\b→a\b a\..\b→b a\..→. . ..a .htaccess ·x com0 com⁴ null a~b
        é/日本→é\日本 😀
    ";
    allowed(open, both);
    allowed(open.aliases(Aliases::Strict), both);
    let table = r"index.html.→index.html index.html·.·→index.html a.\b→a\b a/...→a ...→. HTACCE~1";
    allowed(open, table);
    allowed(open, "a\u{200c}b");
    allowed(open.release(Windows11), r"con.txt x/con→x\con com1/x→com1\x");
    refused(open.release(Windows11), &[(Device, "con x/nul con.·")]);
}

#[test]
fn second_names_are_refused_in_strict_mode() {
    for flavor in [Windows, Posix] {
        let strict = PathCheck::new(flavor).aliases(Aliases::Strict);
        let tables = [
            (Trailing, "index.html. a· a.·/b a./b ... a/..·/b"),
            (ShortName, "HTACCE~1 GIT~1 a~1.txt x/INDEX~12.HTM ~1"),
            (BadChar, "a\u{200c}b .g\u{feff}it a\u{ff0f}b a\u{a5}b"),
            (Stream, "a/b:c"),
            (Device, "aux.c x/nul con"),
        ];
        refused(strict.release(Windows11), &tables);
        refused(strict, &[(Trailing, "A~1.")]);
        allowed(strict, "a~b1 INDEXES~1 INDEXES~1.HTM a~1.html a~1.b.c ~x");
    }
}

#[test]
fn posix_paths_are_refused_for_few_reasons() {
    let open = PathCheck::new(Posix);
    let strict = open.aliases(Aliases::Strict);
    let tables = [
        (Empty, "''"),
        (Nul, "a\0 /\0"),
        (Absolute, "/ /etc/passwd //x"),
        (Escape, ".. ../x a/../../b a/./../../b"),
    ];
    refused(open, &tables);
    refused(strict, &tables);
    allowed(open, r"a/../b→b a//b/→a/b a/..→. a\b C:x a:b a. nul ··· a* ..\x A~1 ...");
    let tables = [
        (Empty, "··"),
        (Device, r"\\.\x \??\x"),
        (Absolute, r"\x \\s\h"),
        (Drive, "C:x C:/x"),
        (BadChar, r"a\b a* ..\x"),
    ];
    refused(strict, &tables);
    assert_eq!(open.check(b"a\xff/\x80"), Ok(()));
    assert_eq!(*open.name(b"./a\xff").unwrap(), *b"a\xff");
}

#[test]
fn text_that_is_not_unicode_is_refused_on_windows() {
    let check = PathCheck::new(Windows);
    for text in [&b"a\xff"[..], b"\xc0\xae\xc0\xae/x", b"\xed\xa0", b"\x80", b"/\xff"] {
        assert_eq!(check.check(text), Err(Encoding), "{text:x?}");
    }
    assert_eq!(check.check(b"a\xed\xa0\x80b"), Ok(()));
    assert_eq!(check.check(&[0x61_u16, 0xD800]), Ok(()));
}

#[test]
fn rooted_paths_are_accepted_in_root_mode() {
    let posix = PathCheck::new(Posix).in_root(true);
    allowed(posix, "/→. /etc/x→etc/x ../../x→x //x→x");
    let windows = PathCheck::new(Windows).in_root(true);
    allowed(windows, r"\→. \x\..\..\y→y ..→.");
    refused(windows, &[(Absolute, r"\\server\share"), (Drive, "C:x")]);
    let strict = posix.aliases(Aliases::Strict);
    allowed(strict, "//x→x /..→.");
    refused(strict, &[(Absolute, r"\x /\x")]);
}
