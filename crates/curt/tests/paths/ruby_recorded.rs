//! Answers of Ruby, for systems without it: recorded for POSIX paths, and from its tests and source
//! for Windows paths.

use curt::paths::{Env, Environment, ExpandError, Expander, Flavor, PathText, Style};

struct Users;

impl Environment for Users {
    fn working_directory(&self) -> Option<PathText> {
        None
    }

    fn home_of(&self, user: &[u8]) -> Option<PathText> {
        (user == b"me").then(|| "/home/me".into())
    }
}

fn expand(expander: &Expander, text: &str) -> Result<String, ExpandError> {
    let full = expander.expand(text.as_bytes())?;
    Ok(String::from_utf8(full.into_owned()).unwrap())
}

/// Recorded from Ruby 3.1 and 3.3. If Ruby is installed, `ruby.rs` also compares random paths.
#[test]
fn posix_failures_recorded_from_ruby() {
    let homeless = || Env::none().cwd("/here/dir");
    let env = || homeless().home("/h/./u/../v");
    let ruby = |env: Env| Expander::new(env).flavor(Flavor::Posix).style(Style::Ruby);
    assert_eq!(expand(&ruby(env()), "a\0"), Err(ExpandError::Nul));
    assert_eq!(expand(&ruby(homeless()), "~"), Err(ExpandError::NoHome));
    assert_eq!(expand(&ruby(env()), "~me/x"), Err(ExpandError::NoUser));
    assert_eq!(expand(&ruby(Env::of(Users)), "~me/x").as_deref(), Ok("/home/me/x"));
}

/// Each row is a path and its full path, optionally preceded by the base.
#[test]
fn windows_paths_from_rubys_tests() {
    let homeless = || Env::none().cwd("C:/here/dir").drive("D", "D:/data");
    let env = || homeless().home(r"C:\Users\me");
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
    assert_eq!(expand(&ruby(homeless()), "~"), Err(ExpandError::NoHome));
    assert_eq!(expand(&ruby(env()).base("~me"), "x"), Err(ExpandError::NoUser));
}

#[test]
fn an_invalid_base_is_refused_even_if_unused() {
    for (flavor, path) in [(Flavor::Posix, "/x"), (Flavor::Windows, "C:/x")] {
        let expander = |style| Expander::new(Env::none()).flavor(flavor).style(style).base("/b\0");
        assert_eq!(expander(Style::Ruby).expand(path.as_bytes()), Err(ExpandError::Nul));
        assert!(expander(Style::Native).expand(path.as_bytes()).is_ok());
    }
}
