use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use curt::canonical::{Canonicalizer, Links, Missing, relative};
use curt_testkit::Scratch;

fn base(scratch: &Scratch) -> PathBuf {
    Canonicalizer::new().find(scratch.typed()).unwrap()
}

#[test]
fn missing_names_are_accepted_on_request() {
    let scratch = Scratch::new();
    scratch.file("dir/file");
    let base = base(&scratch);
    let find = |missing, path: &str| {
        let names = Canonicalizer::new().missing(missing);
        let found = names.find(scratch.typed().join(path));
        assert!(names.calls().total() > 0);
        found.map(|name| name.strip_prefix(&base).unwrap().to_owned()).map_err(|error| error.kind())
    };
    let dir_file: PathBuf = ["dir", "file"].iter().collect();
    for missing in [Missing::Nothing, Missing::LastName, Missing::Anything] {
        assert_eq!(find(missing, "dir/file").as_ref(), Ok(&dir_file));
        assert_eq!(find(missing, "./dir//../dir/./file").as_ref(), Ok(&dir_file));
        assert_eq!(find(missing, "."), Ok(PathBuf::new()));
    }
    let dir_new: PathBuf = ["dir", "new"].iter().collect();
    assert_eq!(find(Missing::Nothing, "dir/new"), Err(ErrorKind::NotFound));
    assert_eq!(find(Missing::LastName, "dir/new").as_ref(), Ok(&dir_new));
    assert_eq!(find(Missing::Anything, "dir/new").as_ref(), Ok(&dir_new));
    assert_eq!(find(Missing::LastName, "new/x"), Err(ErrorKind::NotFound));
    assert_eq!(find(Missing::Anything, "new/x"), Ok(["new", "x"].iter().collect()));
    assert_eq!(find(Missing::Anything, "dir/file/x"), Ok(dir_file.join("x")));
    assert_eq!(find(Missing::Anything, "new/../dir/new").as_ref(), Ok(&dir_new));
}

#[test]
fn canonical_paths_that_keep_links_may_be_missing() {
    let scratch = Scratch::new();
    scratch.file("dir/file");
    let base = base(&scratch);
    let names = Canonicalizer::new().links(Links::Keep).missing(Missing::Anything);
    assert_eq!(names.find(base.join("new/../dir/./file")).unwrap(), base.join("dir").join("file"));
    let existing = Canonicalizer::new().links(Links::Keep);
    assert_eq!(existing.find(base.join("dir")).unwrap(), base.join("dir"));
    assert_eq!(existing.find(base.join("new")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn failures_name_the_given_path() {
    let error = Canonicalizer::new().find("curt-no-such/x").unwrap_err();
    assert_eq!(error.path(), Path::new("curt-no-such/x"));
    assert_eq!(error.operation(), curt::Operation::Canonicalize);
    for missing in [Missing::Nothing, Missing::LastName, Missing::Anything] {
        let error = Canonicalizer::new().missing(missing).find("").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{missing:?}");
    }
}

#[test]
fn relative_paths_connect_two_paths() {
    for (from, to, path) in [
        ("/a/b", "/a/b/c/d", "c/d"),
        ("/a/b", "/a/c", "../c"),
        ("/a/b/c", "/", "../../.."),
        ("/", "/a", "a"),
        ("/a", "/a", "."),
        ("/a/b", "/a/bc", "../bc"),
    ] {
        let expected: PathBuf = path.split('/').collect();
        assert_eq!(relative(from, to), Some(expected), "{from} {to}");
    }
    assert_eq!(relative("/a", "b"), None);
}

#[cfg(unix)]
#[test]
fn names_are_those_of_python() {
    use std::fs::File;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    const SCRIPT: &str = r"
import os, sys
for path in sys.stdin.buffer.read().split(b'\0')[:-1]:
    name = os.path.realpath(path)
    try:
        os.stat(path)
        answer = b'1' + name
    except OSError:
        answer = b'0' + name
    sys.stdout.buffer.write(answer + b'\0')
";
    const PIECES: [&str; 16] = [
        "a", "b", "file", "new", "..", ".", "", "up", "link", "far", "broken", "root", "a", "b",
        "..", "chain",
    ];
    if Command::new("python3").arg("--version").output().is_err() {
        return curt_testkit::skip("python3 is not installed");
    }
    let scratch = Scratch::new();
    scratch.tree("", "a/b/a/file b/a/b/file file");
    let tree = "up->.. a/up->../b link->a/b a/b/link->../../b/./a b/link->nowhere/../a \
         a/far->b/a/file broken->a/new a/broken->new/x/../y root->/ chain->a/chain \
         a/chain->../b/chain b/chain->../a/b//";
    scratch.tree("", tree);
    let mut choices = curt_testkit::Choices::new(1);
    let here = scratch.typed().to_str().unwrap().to_owned();
    let paths: Vec<String> = (0..4000)
        .map(|_| {
            let names: Vec<&str> =
                (0..=choices.below(7)).map(|_| choices.one_of(&PIECES)).collect();
            format!("{here}/{}", names.join("/"))
        })
        .collect();
    let questions = scratch.file_with("questions", (paths.join("\0") + "\0").as_bytes());
    let mut python = Command::new("python3");
    let output =
        python.args(["-c", SCRIPT]).stdin(File::open(questions).unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let answers: Vec<&[u8]> = output.stdout.split(|&byte| byte == 0).collect();
    assert_eq!(answers.len(), paths.len() + 1);
    let anything = Canonicalizer::new().missing(Missing::Anything);
    let existing = Canonicalizer::new();
    let mut existing_count = 0;
    for (path, answer) in paths.iter().zip(answers) {
        let name = Path::new(std::ffi::OsStr::from_bytes(&answer[1..]));
        assert_eq!(anything.find(path).unwrap(), name, "{path}");
        let found = existing.find(path).ok();
        assert_eq!(found.as_deref(), (answer[0] == b'1').then_some(name), "{path}");
        existing_count += usize::from(found.is_some());
    }
    assert!((400..3600).contains(&existing_count), "{existing_count} of them exist");
}
