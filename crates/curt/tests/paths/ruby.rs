//! Ruby's `File.expand_path`, on POSIX systems.

use std::process::Command;

use curt::{Env, ExpandError, Expander, Flavor, Style};

use crate::{Maker, POSIX, ask_command, compare, count};

/// Home, base (empty for none) and texts; an error is told by what it begins with.
const SCRIPT: &str = r##"
$stdin.binmode
$stdout.binmode
base = ARGV[0].empty? ? [] : [ARGV[0]]
$stdin.read.split("\0", -1)[0..-2].each do |text|
  answer = begin
    File.expand_path(text.force_encoding("UTF-8"), *base)
  rescue ArgumentError => error
    case error.message
    when /non-absolute home/ then "!nonabs-home"
    when /user .* doesn't exist|can't find user/ then "!no-user"
    when /couldn't find HOME/ then "!no-home"
    else "!" + error.message
    end
  end
  print answer, "\0"
end
"##;

fn ruby(home: &str, base: &str, questions: &[String]) -> Option<Vec<Vec<u8>>> {
    let mut command = Command::new("ruby");
    // In a directory that is there and is spelled as it is asked for.
    command
        .args(["--disable=gems", "-e", SCRIPT, base])
        .env("HOME", home)
        .env("LC_ALL", "C.UTF-8")
        .current_dir("/usr");
    ask_command(command, "ruby", questions)
}

#[cfg(unix)]
#[test]
fn posix_paths_are_those_of_expand_path() {
    let mut maker = Maker::new(6);
    let homes = ["/h/me", "/", "/h/./u/../v", "/h//u//", "//h", "rel", "", "/h/", "///"];
    let bases =
        ["", "/b/c", "b/./c/..", "~", "~/x/..", "//b", "/", "~nobody-is-here", "///b//", "../.."];
    for (home, base) in homes.iter().flat_map(|home| bases.map(|base| (*home, base))) {
        let pieces = [&POSIX[..], &["~/", "~root", "~nobody-is-here"]].concat();
        let questions: Vec<String> = (0..count() / 20).map(|_| maker.path(&pieces, 8)).collect();
        let Some(answers) = ruby(home, base, &questions) else { return };
        let env = Env::of_process().cwd("/usr").home(home);
        let mut expander = Expander::with_env(env).flavor(Flavor::Posix).style(Style::Ruby);
        if !base.is_empty() {
            expander = expander.base(base);
        }
        compare(&questions, answers, |text| match expander.expand(text.as_bytes()) {
            Ok(full) => full.into_owned(),
            Err(error) => format!("!{}", error.word()).into_bytes(),
        });
    }
}

/// What Ruby 3.1 and 3.3 answered, for where it is not installed.
#[test]
fn posix_paths_that_ruby_was_asked_about() {
    let env = || Env::none().cwd("/work/dir").home("/h/./u/../v");
    let ruby = |env: Env| Expander::with_env(env).flavor(Flavor::Posix).style(Style::Ruby);
    let expand = |expander: &Expander, text: &str| {
        let full = expander.expand(text.as_bytes())?;
        Ok::<_, ExpandError>(String::from_utf8(full.into_owned()).unwrap())
    };
    let expander = ruby(env());
    for (text, full) in [
        ("", "/work/dir"),
        ("a/", "/work/dir/a"),
        ("///a", "///a"),
        ("//a/..", "/"),
        ("//", "//"),
        ("///..", "///"),
        ("/..", "/"),
        ("./~", "/work/dir/~"),
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
    let env = || Env::none().cwd("C:/work/dir").home(r"C:\Users\me").drive("D", "D:/data");
    let ruby = |env: Env| Expander::with_env(env).flavor(Flavor::Windows).style(Style::Ruby);
    let expand = |expander: &Expander, text: &str| {
        let full = expander.expand(text.as_bytes())?;
        Ok::<_, ExpandError>(String::from_utf8(full.into_owned()).unwrap())
    };
    let expander = ruby(env());
    for (text, full) in [
        ("", "C:/work/dir"),
        ("a", "C:/work/dir/a"),
        (r"a\b\", "C:/work/dir/a/b"),
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
        ("./~", "C:/work/dir/~"),
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
        ("base", "x", "C:/work/dir/base/x"),
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
