//! Compares with Node's `path.posix.resolve`, `path.win32.resolve`, and `path.win32.join`, which
//! normalizes.

use curt::paths::{Env, Expander, Flavor};
use curt_testkit::Choices;

use crate::{compare, count, path, query};

const SCRIPT: &str = r#"
const path = require("path")[process.argv[1]];
const texts = require("fs").readFileSync(0, "utf8").split("\0").slice(0, -1);
process.stdout.write(texts.map(text => path[process.argv[3]](process.argv[2], text) + "\0").join(""));
"#;

fn node(module: &str, cwd: &str, questions: &[String]) -> Option<Vec<Vec<u8>>> {
    query("node", &["-e", SCRIPT, module, cwd, "resolve"].map(std::ffi::OsStr::new), questions)
}

#[test]
fn posix_paths_equal_resolve() {
    crate::compare_posix(3, |questions| node("posix", "/w/o/r/k", questions));
}

/// Node recognizes shares, and drops all trailing separators except a root's.
#[test]
fn windows_paths_equal_resolve() {
    const PIECES: [&str; 12] =
        [r"\", r"\", "/", r"\\", r"\.", r"\..", r"\a", r"\bc", r"\.h", r"\é", r"\..x", r"\ y"];
    const STARTS: [&str; 7] = ["a", "..", r"C:\", "d:/x", r"\\srv\shr", "//srv/shr", r"\x"];
    let mut choices = Choices::new(4);
    let path = |_| choices.one_of(&STARTS).to_owned() + &path(&mut choices, &PIECES, 6);
    let questions: Vec<String> = (0..count()).map(path).collect();
    let Some(answers) = node("win32", r"C:\work\dir", &questions) else { return };
    let expander = Expander::new(Env::none().cwd(r"C:\work\dir")).flavor(Flavor::Windows);
    let without_end = |mut full: Vec<u8>| {
        while full.ends_with(br"\") && full != br"\" {
            full.pop();
        }
        full
    };
    let answers = answers.into_iter().map(without_end);
    compare(&questions, answers, |text| {
        without_end(expander.expand(text.as_bytes()).unwrap().into_owned())
    });
}

/// Node keeps a trailing separator. It adds `.\` if the result would otherwise look like a
/// different kind of path.
#[test]
fn relative_windows_paths_equal_normalize() {
    let join = |questions: &[String]| {
        query("node", &["-e", SCRIPT, "win32", "", "join"].map(std::ffi::OsStr::new), questions)
    };
    crate::compare_folded(join, |answer| {
        let answer = answer.strip_suffix(br"\").unwrap_or(&answer);
        answer.strip_prefix(br".\").unwrap_or(answer).to_vec()
    });
}
