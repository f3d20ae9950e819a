use curt::paths::{DotDot, Env, Expander, Flavor};

use crate::{PLAIN_WINDOWS, POSIX, compare, paths, query};

const SCRIPT: &str = r#"
import sys, os, posixpath, ntpath
path = posixpath if sys.argv[1] == "posix" else ntpath
cwd = os.fsencode(sys.argv[2])
texts = sys.stdin.buffer.read().split(b"\0")[:-1]
if path is ntpath:
    cwd, texts = cwd.decode(), [text.decode() for text in texts]
answers = [path.normpath(path.join(cwd, text)) for text in texts]
if path is ntpath:
    answers = [answer.encode() for answer in answers]
sys.stdout.buffer.write(b"".join(answer + b"\0" for answer in answers))
"#;

fn python(module: &str, cwd: &str, questions: &[String]) -> Option<Vec<Vec<u8>>> {
    let arguments = ["-c", SCRIPT, module, cwd].map(std::ffi::OsStr::new);
    query("python3", &arguments, questions)
}

#[test]
fn posix_paths_without_dot_dot_equal_normpath() {
    for (seed, cwd) in (1..).zip(["/w/o/r/k", "/", "//", "//x/y", "/a/../b/./c/", "///x"]) {
        let questions = paths(seed, &POSIX, 9);
        let Some(answers) = python("posix", cwd, &questions) else { return };
        let expander =
            Expander::new(Env::none().cwd(cwd)).flavor(Flavor::Posix).dot_dot(DotDot::Clamp);
        compare(&questions, answers, |text| expander.expand(text.as_bytes()).unwrap().into_owned());
    }
}

/// `ntpath` sees only the string, so it ignores drive directories, devices, trailing dots and
/// spaces. Unlike `ntpath`, Windows keeps one trailing separator.
#[test]
fn plain_windows_paths_equal_ntpath() {
    for (seed, cwd) in (1..).zip([r"C:\work\dir", r"C:\"]) {
        let mut questions = paths(seed, &PLAIN_WINDOWS, 7);
        questions.retain(|text| is_plain(text));
        let Some(answers) = python("nt", cwd, &questions) else { return };
        let expander = Expander::new(Env::none().cwd(cwd)).flavor(Flavor::Windows);
        compare(&questions, answers, |text| {
            let mut full = expander.expand(text.as_bytes()).unwrap().into_owned();
            if full.len() > 3 && full.ends_with(br"\") {
                full.pop();
            }
            full
        });
    }
}

/// Excludes shares, devices, names that end in a dot, and drives, except a drive with a separator
/// at the start.
fn is_plain(text: &str) -> bool {
    let separated = text.replace('/', r"\");
    let names = separated.split('\\');
    let ends_in_dot = |name: &str| name.ends_with('.') && !matches!(name, "." | "..");
    let drives = text.matches(':').count();
    let is_drive = text.as_bytes().get(1) == Some(&b':');
    !text.is_empty()
        && !separated.starts_with(r"\\")
        && drives == usize::from(is_drive)
        && !names.into_iter().any(ends_in_dot)
}
