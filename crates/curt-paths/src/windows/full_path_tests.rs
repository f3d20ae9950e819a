//! Results of `GetFullPathNameW`, from test suites that run on Windows.

use crate::options::Release;
use crate::tests::{rows, wide};
use crate::{DotDot, Env, ExpandError, Expander, Flavor, Verbatim};

fn expanded(expander: &Expander, text: &str) -> Result<String, ExpandError> {
    let bytes = expander.expand(text.as_bytes()).map(|full| String::from_utf8(full.into_owned()));
    let units = expander.expand(&wide(text)).map(|full| String::from_utf16(&full).unwrap());
    let bytes = bytes.map(Result::unwrap);
    assert_eq!(bytes, units, "{text}");
    let mut buffer = b"something".to_vec();
    let written = expander.expand_into(text.as_bytes(), &mut buffer);
    assert_eq!(bytes, written.map(|()| String::from_utf8(buffer).unwrap()), "{text}");
    let explained = expander.explain(text.as_bytes());
    let result = explained.result.map(|full| full.to_bytes().into_owned());
    assert_eq!(result, bytes.clone().map(String::into_bytes));
    assert!(bytes.is_err() || !explained.rules.is_empty(), "{text}");
    bytes
}

fn env() -> Env {
    Env::none().cwd(r"C:\dir\sub").drive("D", r"D:\data").home(r"C:\Users\me")
}

fn windows(env: Env) -> Expander {
    let expander = Expander::new(env).flavor(Flavor::Windows).release(Release::Windows10);
    expander.verbatim(Verbatim::Normalize)
}

fn check(expander: &Expander, table: &str) {
    for (text, full) in rows(table) {
        assert_eq!(expanded(expander, &text).as_ref(), Ok(&full), "{text}");
    }
}

#[test]
fn paths_with_every_start() {
    let table = r"
        \\.\ \\.→\\.\ //?→\\?\ //./x→\\.\x \\.foo \\?foo \\\ \\ /\?\x→\\?\x \\..\x \:\→C:\:\
        :→C:\dir\sub\: \\server //server/share/x→\\server\share\x C:\x c:/x→c:\x ?:\ é:/x→é:\x
        C:→C:\dir\sub c:x→C:\dir\sub\x D:→D:\data d:x→D:\data\x e:x→e:\x e:→e:\ \→C:\ /x/y→C:\x\y
        \??\x→C:\??\x x→C:\dir\sub\x .→C:\dir\sub ab:c→C:\dir\sub\ab:c
    ";
    check(&windows(env()), table);
}

#[test]
fn dot_dot_stops_at_the_root() {
    let table = r"
        C:\..→C:\ C:\.→C:\ C:\a\..\..\..\b→C:\b ..→C:\dir ..\..\..\x→C:\x D:..\..\x→D:\x
        \\.\X:\a\..\..\Z:\b→\\.\Z:\b \\?\UNC\s\h\..→\\?\UNC\s \\?\C:\.→\\?\C: \\s\h\..→\\s\h
        \\s\h\..\→\\s\h\ \\s\h\..\..\x→\\s\h\x //srv//shr/..→\\srv\ \\\srv\shr\..→\\\srv
        \\srv\..\a \\srv\shr.→\\srv\shr \\srv\shr.\x \\srv\shr\
    ";
    check(&windows(env()), table);
}

#[test]
fn names_are_folded_and_trimmed() {
    let table = r#"
        C:\a//b\\\c→C:\a\b\c C:\a\.\b\.\→C:\a\b\ C:\a.\b→C:\a\b C:\·.\b→C:\·\b C:\a·\b C:\a..\b
        C:\...\b C:\..·\b C:\.·\b C:\a.·.·→C:\a ...→C:\dir\sub\ x\..·→C:\dir\sub\x\
        x\.·→C:\dir\sub\x\ x\→C:\dir\sub\x\ x\..\→C:\dir\sub\ ·x→C:\dir\sub\·x x:stream→x:\stream
        xy:stream→C:\dir\sub\xy:stream *?<>"|→C:\dir\sub\*?<>"| .config→C:\dir\sub\.config
        C:\a\.b\..c\d
    "#;
    check(&windows(env()), table);
    for kept in ["x\u{a0}", "a\x01\t"] {
        let full = format!(r"C:\dir\sub\{kept}");
        assert_eq!(expanded(&windows(env()), kept), Ok(full));
    }
}

#[test]
fn devices_by_release() {
    let old = r"
        nul→\\.\nul C:\d\aux.c→\\.\aux LPT3··.log→\\.\LPT3 con:alt→\\.\con com¹→\\.\com¹
        con\→C:\dir\sub\con\ \\s\h\con .\con→\\.\con C:con→\\.\con /con→\\.\con C:\d/nUl:..→\\.\nUl
        nul\.→C:\dir\sub\nul ·nul→C:\dir\sub\·nul null→C:\dir\sub\null \\?\C:\nul
        com0→C:\dir\sub\com0 com⁴→C:\dir\sub\com⁴
    ";
    check(&windows(env()), old);
    let new = r"
        nul→\\.\nul con.·→\\.\con CON:→\\.\CON d\NUL→\\.\NUL nUl:..→\\.\nUl
        NUL.txt→C:\dir\sub\NUL.txt .\con→C:\dir\sub\con C:\d\aux.c C:\d\aux
    ";
    check(&windows(env()).release(Release::Windows11), new);
}

#[test]
fn relative_paths_start_from_any_directory_that_can_be_one() {
    // The working directory can be verbatim. Even then no path can lead to a different drive or
    // share.
    for (cwd, table) in [
        (r"\\srv\shr\dir", r"x→\\srv\shr\dir\x \x→\\srv\shr\x \→\\srv\shr\ ..\..\x→\\srv\shr\x"),
        (r"\\srv\shr\dir", r"C:x→C:\x"),
        ("C:/", r"x→C:\x ..→C:\ .→C:\ c:→C:\"),
        (r"\\?\C:\w", r"..\x→\\?\C:\x ..\..\x→\\?\C:\x \x→\\?\C:\x"),
        (r"\\?\unc\s\h\w", r"..\..\x→\\?\unc\s\h\x \x→\\?\unc\s\h\x"),
    ] {
        check(&windows(Env::none().cwd(cwd)), table);
    }
    for cwd in ["dir", "/tmp", "C:dir", ""] {
        let expander = windows(Env::none().cwd(cwd));
        assert_eq!(expanded(&expander, "x"), Err(ExpandError::Drive), "{cwd}");
        check(&expander, r"C:\x D:x→D:\x");
    }
    let base = windows(env()).base("D:base");
    check(&base, r"x→D:\data\base\x \x→D:\x d:x→D:\data\base\x C:x→C:\dir\sub\x E:\x e:x→e:\x");
    check(&windows(Env::none()).base(r"C:\base"), r"x→C:\base\x ..→C:\ D:x→D:\x");
    assert_eq!(expanded(&windows(Env::none()).base("base"), "x"), Err(ExpandError::Drive));
}

#[test]
fn dot_dot_and_verbatim_paths_are_kept_or_refused_on_request() {
    check(&windows(env()).dot_dot(DotDot::Keep), r"C:\a\..\.\b→C:\a\..\b x\..→C:\dir\sub\x\..");
    let refuse = windows(env()).dot_dot(DotDot::Refuse);
    check(&refuse, r"C:\a\..\b→C:\b ..\..→C:\");
    assert_eq!(expanded(&refuse, r"C:\a\..\..\b"), Err(ExpandError::Escape));
    assert_eq!(expanded(&refuse, r"..\..\.."), Err(ExpandError::Escape));
    let verbatim = r"\\?\C:\. \\?\C:\a/..\b.· \??\C:\.. //?/C:/x/..→\\?\C: \\.\C:\x\..→\\.\C:";
    check(&windows(env()).verbatim(Verbatim::Keep), verbatim);
}

#[test]
fn empty_long_and_nul_paths_are_refused() {
    let expander = windows(env());
    for text in ["", " ", "   "] {
        assert_eq!(expanded(&expander, text), Err(ExpandError::Empty));
    }
    assert_eq!(expanded(&expander, "C:\\a\0"), Err(ExpandError::Nul));
    let homeless = windows(Env::none()).tilde(true);
    assert_eq!(expanded(&homeless, "~"), Err(ExpandError::NoHome));
    assert_eq!(expanded(&homeless, "~\\\0"), Err(ExpandError::Nul));
    let long = format!(r"C:\{}", "é".repeat(32762));
    assert_eq!(expanded(&expander, &long).as_deref(), Ok(long.as_str()));
    assert_eq!(expanded(&expander, &format!("{long}x")), Err(ExpandError::TooLong));
    assert_eq!(expanded(&expander, &long[3..]), Err(ExpandError::TooLong));
}
