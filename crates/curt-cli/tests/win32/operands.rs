use std::path::{Path, PathBuf};
use std::process::Command;

use curt_testkit::{Scratch, skip};

use crate::{Outcome, curt, run};

fn letter(scratch: &Scratch) -> char {
    scratch.typed().to_str().unwrap().chars().next().unwrap()
}

#[test]
fn every_form_of_a_path_is_removed() {
    let scratch = Scratch::new();
    let typed = scratch.typed().to_str().unwrap().to_owned();
    let drive = letter(&scratch);
    for operand in [
        r"a\b".to_owned(),
        "a/b".to_owned(),
        r"a\/b\\".to_owned(),
        r".\a\..\a\.\b".to_owned(),
        format!(r"{typed}\a\b"),
        format!("{}/a/b/", typed.replace('\\', "/")),
        format!(r"\\?\{typed}\a\b"),
        format!(r"\\.\{typed}\a\b"),
        format!(r"{drive}:a\b"),
        format!(r"{}\a\b", &typed[2..]),
    ] {
        scratch.file("a/b/file");
        let outcome = run(&scratch, ["-r", &operand]);
        assert_eq!((outcome.code, outcome.messages.as_str()), (Some(0), ""), "{operand}");
        assert_eq!(scratch.list("."), ["d a"], "{operand}");
    }
    scratch.file("name");
    run(&scratch, [format!("{drive}:name")]).assert_quiet();
    assert!(!scratch.exists("name"));
}

#[test]
fn paths_on_shares_are_removed() {
    let scratch = Scratch::new();
    scratch.file("t/sub/file");
    let typed = scratch.typed().to_str().unwrap();
    let below = &typed[2..];
    let share = format!(r"\\localhost\{}${below}", letter(&scratch));
    if !Path::new(&share).join("t").exists() {
        return skip("this drive is not shared here");
    }
    for start in [share.clone(), format!(r"\\?\UNC\{}", &share[2..])] {
        scratch.file("u/file");
        run(&scratch, ["-r", &format!(r"{start}\u")]).assert_quiet();
        assert_eq!(scratch.list("."), ["- t/sub/file", "d t", "d t/sub"]);
    }
}

#[test]
fn dot_and_dot_dot_are_refused() {
    let scratch = Scratch::new();
    scratch.file("d/sub/canary");
    for operand in [".", "..", r".\", r"..\", "../", r"d\.", r"d\..", r"d\sub\..\", "d/sub/./"] {
        for option in ["-r", "-rf", "-d"] {
            let outcome = run(&scratch, [option, operand]);
            assert_eq!(outcome.code, Some(1), "{operand}: {outcome:?}");
            let line = "curt rm: refusing to remove '.' or '..' directory: skipping ";
            assert!(outcome.messages.starts_with(line), "{operand}: {outcome:?}");
        }
    }
    // Win32 would resolve these to the directory itself or to its parent.
    for operand in ["...", ".. ", ". ", " ", r"d\...", r"d\.. ", "d/ "] {
        let outcome = run(&scratch, ["-r", operand]);
        assert_eq!(outcome.code, Some(1), "{operand}: {outcome:?}");
    }
    assert_eq!(scratch.list("."), ["- d/sub/canary", "d d", "d d/sub"]);
}

fn assert_root_is_refused(dir: &Path, operand: &str, in_earnest: bool) {
    let earnest: &[&[&str]] =
        if in_earnest { &[&["-r"], &["-rf"], &["-rf", "--contents"]] } else { &[] };
    for options in [&["-r", "--dry-run"][..]].iter().chain(earnest) {
        let output = curt(dir, options.iter().copied().chain([operand])).output().unwrap();
        let outcome = Outcome::of(&output);
        assert_eq!(outcome.code, Some(1), "{operand}: {outcome:?}");
        let reasons =
            ["it is dangerous to operate recursively on", "refusing to remove '.' or '..'"];
        let is_refused = reasons.iter().any(|reason| outcome.messages.contains(reason));
        assert!(is_refused, "{operand}: {outcome:?}");
    }
}

/// Uses a private drive letter, whose root is a scratch directory.
#[test]
fn roots_of_drives_are_refused() {
    let scratch = Scratch::new();
    let canary = scratch.file("root/canary");
    let system = letter(&scratch);
    for operand in [
        format!(r"{system}:\"),
        format!("{system}:/"),
        format!(r"{system}:\\"),
        format!(r"\\?\{system}:\"),
        format!(r"{system}:\.."),
        r"\".to_owned(),
        "/".to_owned(),
    ] {
        assert_root_is_refused(scratch.typed(), &operand, false);
    }
    let Some(drive) = scratch.drive("root") else { return };
    let own = drive.letter();
    let root = PathBuf::from(format!(r"{own}:\"));
    for operand in [
        format!(r"{own}:\"),
        format!("{own}:/"),
        format!("{own}:"),
        format!(r"\\?\{own}:\"),
        format!(r"\\.\{own}:\"),
        format!(r"{own}:\\\"),
        format!(r"{own}:\."),
    ] {
        assert_root_is_refused(scratch.typed(), &operand, true);
        assert!(canary.exists(), "{operand}");
    }
    for operand in [r"\", "/", &format!("{own}:"), "."] {
        assert_root_is_refused(&root, operand, true);
        assert!(canary.exists(), "{operand}");
    }
}

#[test]
fn entries_of_a_root_are_removed() {
    let scratch = Scratch::new();
    let root = scratch.dir("root");
    let Some(drive) = scratch.drive("root") else { return };
    let own = drive.letter();
    for (dir, operand) in [
        (scratch.typed().to_owned(), format!(r"{own}:\t")),
        (scratch.typed().to_owned(), format!("{own}:t")),
        (PathBuf::from(format!(r"{own}:\")), r"\t".to_owned()),
        (PathBuf::from(format!(r"{own}:\")), "t/".to_owned()),
    ] {
        std::fs::create_dir(root.join("t")).unwrap();
        std::fs::write(root.join("t").join("file"), "").unwrap();
        let output = curt(&dir, ["-r", &operand]).output().unwrap();
        let outcome = Outcome::of(&output);
        assert_eq!((outcome.code, outcome.messages.as_str()), (Some(0), ""), "{operand}");
        assert!(!root.join("t").exists(), "{operand}");
    }
}

/// On some systems, a program with a very long working directory crashes when it starts another.
#[test]
fn the_working_directory_is_of_any_length() {
    const PLACE: &str = "CURT_TEST_PLACE";
    if let Some(dir) = std::env::var_os(PLACE) {
        let program = std::path::absolute(env!("CARGO_BIN_EXE_curt")).unwrap();
        let plain = PathBuf::from(dir);
        let verbatim = Path::new(r"\\?\").join(&plain);
        let enter = |path: &Path| std::env::set_current_dir(path);
        if enter(&plain).or_else(|_| enter(&verbatim)).is_err() {
            return skip("no working directory here has so long a path");
        }
        return match Command::new(program).args(["rm", "-r", "t"]).output() {
            Ok(output) => Outcome::of(&output).assert_quiet(),
            Err(error) => skip(&format!("no program can be started from there: {error}")),
        };
    }
    let scratch = Scratch::new();
    let below = format!("{0}/{0}/{0}", "n".repeat(120));
    let tree = scratch.dir(format!("{below}/t/sub"));
    let dir = scratch.typed().join(&below);
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "operands::the_working_directory_is_of_any_length", "--nocapture"]);
    let output = again.env(PLACE, dir).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let skipped = text.lines().find(|line| line.contains("skipped: "));
    let reason = skipped.and_then(|line| line.rsplit_once("any_length: "));
    match (output.status.code(), reason) {
        (Some(0), Some((_, reason))) => skip(reason),
        (Some(0), None) => assert!(!tree.exists()),
        (Some(101), _) => panic!("{text}{}", String::from_utf8_lossy(&output.stderr)),
        _ => skip("a program with so long a working directory does not survive here"),
    }
}
