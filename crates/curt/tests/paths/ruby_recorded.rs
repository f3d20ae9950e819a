//! What Ruby answers, where it cannot be asked: POSIX paths as recorded, Windows paths from its own tests
//! and from reading its source.

use curt::{Env, ExpandError, Expander, Flavor, Style};

fn expand(expander: &Expander, text: &str) -> Result<String, ExpandError> {
    let full = expander.expand(text.as_bytes())?;
    Ok(String::from_utf8(full.into_owned()).unwrap())
}

/// As Ruby 3.1 and 3.3 answered.
#[test]
fn posix_paths_that_ruby_was_asked_about() {
    let env = || Env::none().cwd("/here/dir").home("/h/./u/../v");
    let ruby = |env: Env| Expander::with_env(env).flavor(Flavor::Posix).style(Style::Ruby);
    let expander = ruby(env());
    for (text, full) in [
        ("", "/here/dir"),
        ("a/", "/here/dir/a"),
        ("///a", "///a"),
        ("//a/..", "/"),
        ("//", "//"),
        ("///..", "///"),
        ("/..", "/"),
        ("./~", "/here/dir/~"),
        ("~", "/h/./u/../v"),
        ("~/x", "/h/./u/../v/x"),
        ("~/..", "/h/./u/.."),
        ("a/../../../..", "/"),
    ] {
        assert_eq!(expand(&expander, text).as_deref(), Ok(full), "{text}");
    }
    assert_eq!(expand(&expander, "a\0"), Err(ExpandError::Nul));
    assert_eq!(expand(&ruby(env().home("h")), "~"), Err(ExpandError::HomeNotAbsolute));
    assert_eq!(expand(&ruby(env().home("")), "~/x"), Err(ExpandError::HomeNotAbsolute));
    assert_eq!(expand(&ruby(env().no_home()), "~"), Err(ExpandError::NoHome));
    let known = env().no_home().users(|user| (user == b"me").then(|| "/home/me".into()));
    assert_eq!(expand(&ruby(known), "~me/x").as_deref(), Ok("/home/me/x"));
    assert_eq!(expand(&expander, "~me/x"), Err(ExpandError::NoUser));
    let based = ruby(env()).base("~/b");
    assert_eq!(expand(&based, "x").as_deref(), Ok("/h/./u/../v/b/x"));
    assert_eq!(expand(&based, "/x").as_deref(), Ok("/x"));
}

/// From Ruby's own tests, and from reading its source for Windows.
#[test]
fn windows_paths_that_ruby_describes() {
    let env = || Env::none().cwd("C:/here/dir").home(r"C:\Users\me").drive("D", "D:/data");
    let ruby = |env: Env| Expander::with_env(env).flavor(Flavor::Windows).style(Style::Ruby);
    let expander = ruby(env());
    for (text, full) in [
        ("", "C:/here/dir"),
        ("a", "C:/here/dir/a"),
        (r"a\b\", "C:/here/dir/a/b"),
        ("c:/", "c:/"),
        (r"C:\a\", "C:/a"),
        ("c:/foo/.", "c:/foo"),
        ("d:x", "D:/data/x"),
        ("e:", "e:/"),
        ("//srv/shr/", "//srv/shr"),
        ("//srv", "//srv"),
        ("//", "//"),
        ("~", "C:/Users/me"),
        ("~/x", "C:/Users/me/x"),
        (r"~\..", "C:/Users"),
        ("c:/aaa::$DATA", "c:/aaa"),
        ("c:/aa:a:$DATA", "c:/aa:a"),
        ("c:/aaa:$DATA", "c:/aaa:$DATA"),
        ("c:/aaa::$data", "c:/aaa"),
        ("c:/a. . ", "c:/a"),
        ("nul", "//./nul"),
        (r"\\?\C:\x\..", "//?/C:"),
        ("./~", "C:/here/dir/~"),
    ] {
        assert_eq!(expand(&expander, text).as_deref(), Ok(full), "{text}");
    }
    assert_eq!(expand(&expander, "~me"), Err(ExpandError::NoUser));
    assert_eq!(expand(&ruby(env().home("/x")), "~"), Err(ExpandError::HomeNotAbsolute));
    assert_eq!(expand(&ruby(env().no_home()), "~"), Err(ExpandError::NoHome));
    let with = |base: &str, text: &str| expand(&ruby(env()).base(base), text);
    for (base, text, full) in [
        ("c:/base", "x", "c:/base/x"),
        ("c:/base", "", "c:/base"),
        ("c:/base", "c:x", "c:/base/x"),
        ("c:/base", "d:x", "D:/data/x"),
        ("c:/base", "/x", "c:/x"),
        ("//srv/shr/base", "/x", "//srv/shr/x"),
        ("//srv/shr/base", "x", "//srv/shr/base/x"),
        ("//srv/shr/base", "//other/y", "//other/y"),
        ("base", "/x", "C:/x"),
        ("base", "x", "C:/here/dir/base/x"),
        ("base", "d:x", "D:/data/base/x"),
        ("~", "x", "C:/Users/me/x"),
        ("~/b", "x", "C:/Users/me/b/x"),
        ("~/b", "/x", "C:/Users/me/x"),
        ("~me", "c:/x", "c:/x"),
    ] {
        assert_eq!(with(base, text).as_deref(), Ok(full), "{text} from {base}");
    }
    assert_eq!(with("~me", "x"), Err(ExpandError::NoUser));
}
