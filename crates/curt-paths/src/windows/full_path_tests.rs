//! The answers of `GetFullPathNameW`, from suites that their authors run on Windows.

use crate::options::Release;
use crate::{DotDot, Env, ExpandError, Expander, Flavor, Verbatim};

/// Expands a path as bytes and as 16-bit units, which must agree.
fn expanded(expander: &Expander, text: &str) -> Result<String, ExpandError> {
    let bytes = expander.expand(text.as_bytes()).map(|full| String::from_utf8(full.into_owned()));
    let units: Vec<u16> = text.encode_utf16().collect();
    let wide = expander.expand(&units).map(|full| String::from_utf16(&full).unwrap());
    let bytes = bytes.map(Result::unwrap);
    assert_eq!(bytes, wide, "{text}");
    let mut buffer = b"something".to_vec();
    let written = expander.expand_into(text.as_bytes(), &mut buffer);
    assert_eq!(bytes, written.map(|()| String::from_utf8(buffer).unwrap()), "{text}");
    let explained = expander.explain(text.as_bytes());
    assert_eq!(
        explained.result.map(|full| full.to_bytes().into_owned()),
        bytes.clone().map(String::into_bytes)
    );
    assert!(bytes.is_err() || !explained.rules.is_empty(), "{text}");
    bytes
}

fn env() -> Env {
    Env::none().cwd(r"C:\dir\sub").drive("D", r"D:\data").home(r"C:\Users\me")
}

fn windows(env: Env) -> Expander {
    Expander::new(env)
        .flavor(Flavor::Windows)
        .release(Release::Windows10)
        .verbatim(Verbatim::Normalize)
}

fn check(expander: &Expander, rows: &[(&str, &str)]) {
    for (text, full) in rows {
        assert_eq!(expanded(expander, text).as_deref(), Ok(*full), "{text}");
    }
}

#[test]
fn paths_with_every_start() {
    let rows = [
        (r"\\.\", r"\\.\"),
        (r"\\.", r"\\.\"),
        (r"//?", r"\\?\"),
        (r"//./x", r"\\.\x"),
        (r"\\.foo", r"\\.foo"),
        (r"\\?foo", r"\\?foo"),
        (r"\\\", r"\\\"),
        (r"\\", r"\\"),
        (r"/\?\x", r"\\?\x"),
        (r"\\..\x", r"\\..\x"),
        (r"\:\", r"C:\:\"),
        (":", r"C:\dir\sub\:"),
        (r"\\server", r"\\server"),
        (r"//server/share/x", r"\\server\share\x"),
        (r"C:\x", r"C:\x"),
        (r"c:/x", r"c:\x"),
        (r"?:\", r"?:\"),
        (r"é:/x", r"é:\x"),
        ("C:", r"C:\dir\sub"),
        ("c:x", r"C:\dir\sub\x"),
        ("D:", r"D:\data"),
        ("d:x", r"D:\data\x"),
        ("e:x", r"e:\x"),
        ("e:", r"e:\"),
        (r"\", r"C:\"),
        ("/x/y", r"C:\x\y"),
        (r"\??\x", r"C:\??\x"),
        ("x", r"C:\dir\sub\x"),
        (".", r"C:\dir\sub"),
        ("ab:c", r"C:\dir\sub\ab:c"),
    ];
    check(&windows(env()), &rows);
}

#[test]
fn dot_dot_stops_at_the_root() {
    let rows = [
        (r"C:\..", r"C:\"),
        (r"C:\.", r"C:\"),
        (r"C:\a\..\..\..\b", r"C:\b"),
        ("..", r"C:\dir"),
        (r"..\..\..\x", r"C:\x"),
        (r"D:..\..\x", r"D:\x"),
        (r"\\.\X:\a\..\..\Z:\b", r"\\.\Z:\b"),
        (r"\\?\UNC\s\h\..", r"\\?\UNC\s"),
        (r"\\?\C:\.", r"\\?\C:"),
        (r"\\s\h\..", r"\\s\h"),
        (r"\\s\h\..\", r"\\s\h\"),
        (r"\\s\h\..\..\x", r"\\s\h\x"),
        ("//srv//shr/..", r"\\srv\"),
        (r"\\\srv\shr\..", r"\\\srv"),
        (r"\\srv\..\a", r"\\srv\..\a"),
        (r"\\srv\shr.", r"\\srv\shr"),
        (r"\\srv\shr.\x", r"\\srv\shr.\x"),
        (r"\\srv\shr\", r"\\srv\shr\"),
    ];
    check(&windows(env()), &rows);
}

#[test]
fn names_are_folded_and_trimmed() {
    let rows = [
        (r"C:\a//b\\\c", r"C:\a\b\c"),
        (r"C:\a\.\b\.\", r"C:\a\b\"),
        (r"C:\a.\b", r"C:\a\b"),
        (r"C:\ .\b", r"C:\ \b"),
        (r"C:\a \b", r"C:\a \b"),
        (r"C:\a..\b", r"C:\a..\b"),
        (r"C:\...\b", r"C:\...\b"),
        (r"C:\.. \b", r"C:\.. \b"),
        (r"C:\. \b", r"C:\. \b"),
        (r"C:\a. . ", r"C:\a"),
        ("...", r"C:\dir\sub\"),
        (r"x\.. ", r"C:\dir\sub\x\"),
        (r"x\. ", r"C:\dir\sub\x\"),
        (r"x\", r"C:\dir\sub\x\"),
        (r"x\..\", r"C:\dir\sub\"),
        (" x", r"C:\dir\sub\ x"),
        ("x\u{a0}", "C:\\dir\\sub\\x\u{a0}"),
        ("x:stream", r"x:\stream"),
        ("xy:stream", r"C:\dir\sub\xy:stream"),
        (r#"*?<>"|"#, r#"C:\dir\sub\*?<>"|"#),
        ("a\x01\t", "C:\\dir\\sub\\a\x01\t"),
        (".config", r"C:\dir\sub\.config"),
        (r"C:\a\.b\..c\d", r"C:\a\.b\..c\d"),
    ];
    check(&windows(env()), &rows);
}

#[test]
fn devices_by_release() {
    let old = [
        ("nul", r"\\.\nul"),
        (r"C:\d\aux.c", r"\\.\aux"),
        ("LPT3  .log", r"\\.\LPT3"),
        ("con:alt", r"\\.\con"),
        ("com¹", r"\\.\com¹"),
        (r"con\", r"C:\dir\sub\con\"),
        (r"\\s\h\con", r"\\s\h\con"),
        (r".\con", r"\\.\con"),
        ("C:con", r"\\.\con"),
        ("/con", r"\\.\con"),
        (r"C:\d/nUl:..", r"\\.\nUl"),
        (r"nul\.", r"C:\dir\sub\nul"),
        (" nul", r"C:\dir\sub\ nul"),
        ("null", r"C:\dir\sub\null"),
        (r"\\?\C:\nul", r"\\?\C:\nul"),
        ("com0", r"C:\dir\sub\com0"),
        ("com⁴", r"C:\dir\sub\com⁴"),
    ];
    check(&windows(env()), &old);
    let new = [
        ("nul", r"\\.\nul"),
        ("con. ", r"\\.\con"),
        ("CON:", r"\\.\CON"),
        (r"d\NUL", r"\\.\NUL"),
        ("nUl:..", r"\\.\nUl"),
        ("NUL.txt", r"C:\dir\sub\NUL.txt"),
        (r".\con", r"C:\dir\sub\con"),
        (r"C:\d\aux.c", r"C:\d\aux.c"),
        (r"C:\d\aux", r"C:\d\aux"),
    ];
    check(&windows(env()).release(Release::Windows11), &new);
}

#[test]
fn shares_and_devices_as_working_directories() {
    let share = windows(Env::none().cwd(r"\\srv\shr\dir"));
    let rows = [
        ("x", r"\\srv\shr\dir\x"),
        (r"\x", r"\\srv\shr\x"),
        (r"\", r"\\srv\shr\"),
        (r"..\..\x", r"\\srv\shr\x"),
        ("C:x", r"C:\x"),
    ];
    check(&share, &rows);
    let rows = [("x", r"C:\x"), ("..", r"C:\"), (".", r"C:\"), ("c:", r"C:\")];
    check(&windows(Env::none().cwd("C:/")), &rows);
    // The system can return such a directory, and no path may lead to another drive or share.
    let drive = windows(Env::none().cwd(r"\\?\C:\w"));
    check(&drive, &[(r"..\x", r"\\?\C:\x"), (r"..\..\x", r"\\?\C:\x"), (r"\x", r"\\?\C:\x")]);
    let share = windows(Env::none().cwd(r"\\?\unc\s\h\w"));
    check(&share, &[(r"..\..\x", r"\\?\unc\s\h\x"), (r"\x", r"\\?\unc\s\h\x")]);
    for cwd in ["dir", "/tmp", "C:dir", ""] {
        let expander = windows(Env::none().cwd(cwd));
        assert_eq!(expanded(&expander, "x"), Err(ExpandError::Drive), "{cwd}");
        assert_eq!(expanded(&expander, r"C:\x").as_deref(), Ok(r"C:\x"));
        assert_eq!(expanded(&expander, r"D:x").as_deref(), Ok(r"D:\x"));
    }
}

#[test]
fn paths_start_from_the_base() {
    let rows = [
        ("x", r"D:\data\base\x"),
        (r"\x", r"D:\x"),
        ("d:x", r"D:\data\base\x"),
        ("C:x", r"C:\dir\sub\x"),
        (r"E:\x", r"E:\x"),
        ("e:x", r"e:\x"),
    ];
    check(&windows(env()).base("D:base"), &rows);
    let pure = windows(Env::none()).base(r"C:\base");
    check(&pure, &[("x", r"C:\base\x"), ("..", r"C:\"), ("D:x", r"D:\x")]);
    assert_eq!(expanded(&windows(Env::none()).base("base"), "x"), Err(ExpandError::Drive));
}

#[test]
fn dot_dot_is_kept_or_refused_on_request() {
    let keep = windows(env()).dot_dot(DotDot::Keep);
    check(&keep, &[(r"C:\a\..\.\b", r"C:\a\..\b"), (r"x\..", r"C:\dir\sub\x\..")]);
    let refuse = windows(env()).dot_dot(DotDot::Refuse);
    check(&refuse, &[(r"C:\a\..\b", r"C:\b"), (r"..\..", r"C:\")]);
    assert_eq!(expanded(&refuse, r"C:\a\..\..\b"), Err(ExpandError::Escape));
    assert_eq!(expanded(&refuse, r"..\..\.."), Err(ExpandError::Escape));
}

#[test]
fn verbatim_paths_are_unchanged() {
    let keep = windows(env()).verbatim(Verbatim::Keep);
    let rows = [
        (r"\\?\C:\.", r"\\?\C:\."),
        (r"\\?\C:\a/..\b. ", r"\\?\C:\a/..\b. "),
        (r"\??\C:\..", r"\??\C:\.."),
        (r"//?/C:/x/..", r"\\?\C:"),
        (r"\\.\C:\x\..", r"\\.\C:"),
    ];
    check(&keep, &rows);
}

#[test]
fn empty_long_and_nul_paths_are_refused() {
    let expander = windows(env());
    for text in ["", " ", "   "] {
        assert_eq!(expanded(&expander, text), Err(ExpandError::Empty));
    }
    assert_eq!(expanded(&expander, "a\0b"), Err(ExpandError::Nul));
    assert_eq!(expanded(&expander, "C:\\a\0"), Err(ExpandError::Nul));
    let homeless = windows(Env::none()).tilde(true);
    assert_eq!(expanded(&homeless, "~"), Err(ExpandError::NoHome));
    assert_eq!(expanded(&homeless, "~\0"), Err(ExpandError::Nul));
    assert_eq!(expanded(&homeless, "~\\\0"), Err(ExpandError::Nul));
    let long = format!(r"C:\{}", "é".repeat(32762));
    assert_eq!(expanded(&expander, &long).as_deref(), Ok(long.as_str()));
    assert_eq!(expanded(&expander, &format!("{long}x")), Err(ExpandError::TooLong));
    assert_eq!(expanded(&expander, &long[3..]), Err(ExpandError::TooLong));
}
