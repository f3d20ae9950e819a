//! Ruby's answers for where it is not installed: POSIX paths as recorded, Windows paths from its
//! own tests and its source.

use curt::paths::{Encoding, Env, ExpandError, Expander, Flavor, PathText, Style};

fn expand(expander: &Expander, text: &str) -> Result<String, ExpandError> {
    let full = expander.expand(text.as_bytes())?;
    Ok(String::from_utf8(full.into_owned()).unwrap())
}

/// As Ruby 3.1 and 3.3 answered. Where it is installed, `ruby.rs` asks it about random paths.
#[test]
fn posix_failures_recorded_from_ruby() {
    let env = || Env::none().cwd("/here/dir").home("/h/./u/../v");
    let ruby = |env: Env| Expander::new(env).flavor(Flavor::Posix).style(Style::Ruby);
    assert_eq!(expand(&ruby(env()), "a\0"), Err(ExpandError::Nul));
    assert_eq!(expand(&ruby(env().no_home()), "~"), Err(ExpandError::NoHome));
    assert_eq!(expand(&ruby(env()), "~me/x"), Err(ExpandError::NoUser));
    let known = env().no_home().users(|user| (user == b"me").then(|| "/home/me".into()));
    assert_eq!(expand(&ruby(known), "~me/x").as_deref(), Ok("/home/me/x"));
}

/// From Ruby's own tests, and from reading its source for Windows. In a table a row is a path and
/// its full path, and perhaps the base before both.
#[test]
fn windows_paths_from_rubys_tests() {
    let env = || Env::none().cwd("C:/here/dir").home(r"C:\Users\me").drive("D", "D:/data");
    let ruby = |env: Env| Expander::new(env).flavor(Flavor::Windows).style(Style::Ruby);
    let table = r"
        '' C:/here/dir | a C:/here/dir/a | a\b\ C:/here/dir/a/b | c:/ c:/ | C:\a\ C:/a
        c:/foo/. c:/foo | d:x D:/data/x | e: e:/ | //srv/shr/ //srv/shr | //srv //srv | // //
        ~ C:/Users/me | ~/x C:/Users/me/x | ~\.. C:/Users | c:/aaa::$DATA c:/aaa
        c:/aa:a:$DATA c:/aa:a | c:/aaa:$DATA c:/aaa:$DATA | c:/aaa::$data c:/aaa | nul //./nul
        \\?\C:\x\.. //?/C: | ./~ C:/here/dir/~
        c:/base x c:/base/x | c:/base '' c:/base | c:/base c:x c:/base/x | c:/base d:x D:/data/x
        c:/base /x c:/x | //srv/shr/base /x //srv/shr/x | //srv/shr/base x //srv/shr/base/x
        //srv/shr/base //other/y //other/y | base /x C:/x | base x C:/here/dir/base/x
        base d:x D:/data/base/x | ~ x C:/Users/me/x | ~/b x C:/Users/me/b/x
        ~/b /x C:/Users/me/x | ~me c:/x c:/x
    ";
    for row in curt_testkit::cells(table) {
        let cells: Vec<&str> = row.split(' ').collect();
        let (expander, text, full) = match cells[..] {
            [text, full] => (ruby(env()), text, full),
            [base, text, full] => (ruby(env()).base(base), text, full),
            _ => panic!("{row}"),
        };
        let text = if text == "''" { "" } else { text };
        assert_eq!(expand(&expander, text).as_deref(), Ok(full), "{row}");
    }
    assert_eq!(expand(&ruby(env()), "c:/a. . ").as_deref(), Ok("c:/a"));
    assert_eq!(expand(&ruby(env()), "~me"), Err(ExpandError::NoUser));
    assert_eq!(expand(&ruby(env().home("/x")), "~"), Err(ExpandError::HomeNotAbsolute));
    assert_eq!(expand(&ruby(env().no_home()), "~"), Err(ExpandError::NoHome));
    assert_eq!(expand(&ruby(env()).base("~me"), "x"), Err(ExpandError::NoUser));
}

/// From Ruby's own tests for Windows and its source: the second byte of a character is not a
/// separator, texts labelled binary or ASCII are read as Windows-1252, and two encodings cannot be
/// joined.
#[test]
fn windows_paths_in_other_encodings() {
    let text = |bytes: &[u8], name: &str| {
        PathText::encoded(bytes.to_vec(), Encoding::named(name).unwrap())
    };
    let env = || Env::none().cwd("C:/here").home("C:/h");
    let ruby = |env: Env| Expander::new(env).flavor(Flavor::Windows).style(Style::Ruby);
    let expand = |path: &PathText| ruby(env()).expand_text(path);
    for (bytes, name, full) in [
        (&b"\x95\x5C"[..], "Windows-31J", &b"C:/here/\x95\x5C"[..]),
        (b"a\x5C\x83\x5C\x5C..\x5Cb", "Shift_JIS", b"C:/here/a/b"),
        (b"\x83\x5C.", "CP932", b"C:/here/\x83\x5C"),
        (b"C:\\x\\\xE9.\\", "ISO-8859-1", b"C:/x/\xE9"),
        (b"\xB5\x5C", "Big5", b"C:/here/\xB5\x5C"),
        (b"\xB5\x5C\xB5\xDC", "EUC-JP", b"C:/here/\xB5/\xB5\xDC"),
        (b"com\xB9", "ASCII-8BIT", b"//./com\xB9"),
        (b"com\xB9", "Windows-31J", b"C:/here/com\xB9"),
        (b"\x83\x5C:x", "Windows-31J", b"\x83\x5C:/x"),
    ] {
        let path = text(bytes, name);
        let full_text = expand(&path).unwrap();
        assert_eq!(*full_text.to_bytes(), *full, "{bytes:?} {name}");
        assert_eq!(full_text.encoding(), path.encoding());
        assert_eq!(ruby(env()).explain_text(&path).result, Ok(full_text));
    }
    for path in [text(b"a", "UTF-16LE"), text(b"", "UTF-32"), text(b"~/\xE9", "ISO-8859-1")] {
        assert_eq!(expand(&path), Err(ExpandError::Encoding));
    }
    let other = ruby(Env::none().cwd("C:/\u{e9}"));
    assert_eq!(other.expand_text(&text(b"\xE9", "ISO-8859-1")), Err(ExpandError::Encoding));
    let below = other.expand_text(&text(b"x", "ISO-8859-1")).unwrap();
    assert_eq!((&*below.to_bytes(), below.encoding()), ("C:/\u{e9}/x".as_bytes(), Encoding::UTF_8));
    let drive = ruby(env().drive("D", text(b"D:\\\x95\x5C", "CP932")));
    let full = drive.expand_text(&PathText::from("d:x")).unwrap();
    assert_eq!((&*full.to_bytes(), full.encoding().name()), (&b"D:/\x95\x5C/x"[..], "Windows-31J"));
    assert_eq!(drive.expand_text(&PathText::from("d:\u{e9}")), Err(ExpandError::Encoding));
    // Text in an encoding has no other units.
    assert_eq!(drive.expand(b"d:x"), Err(ExpandError::Encoding));
}

/// As in Ruby.
#[test]
fn an_invalid_base_is_refused_even_if_unused() {
    let wide = PathText::encoded(b"/\0b\0".to_vec(), Encoding::named("utf-16be").unwrap());
    for (base, error) in [(PathText::from("/b\0"), ExpandError::Nul), (wide, ExpandError::Encoding)]
    {
        for (flavor, path) in [(Flavor::Posix, "/x"), (Flavor::Windows, "C:/x")] {
            let expander =
                |style| Expander::new(Env::none()).flavor(flavor).style(style).base(base.clone());
            assert_eq!(expander(Style::Ruby).expand(path.as_bytes()), Err(error));
            assert!(expander(Style::Native).expand(path.as_bytes()).is_ok());
        }
    }
}
