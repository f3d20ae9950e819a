//! `curt ls` and `curt stat`: what GNU's do not have.

use std::io::Read;
use std::process::Command;

use curt_testkit::Scratch;

use crate::terminal::in_a_terminal;
use crate::{objects, run_words as run, said};

fn curt(scratch: &Scratch, args: &[&str]) -> Command {
    crate::command(scratch, args[0], &args[1..])
}

#[test]
fn a_terminal_sees_columns_and_no_control_characters() {
    let scratch = Scratch::new();
    for name in ["plain", "a b", "esc\u{1b}[31m", "\u{6f22}\u{5b57}", "e\u{301}"] {
        scratch.file(name);
    }
    let Some(shown) = in_a_terminal(&scratch, "stty cols 40; $CURT ls", "") else { return };
    assert!(shown.contains("'a b'") && shown.contains("'esc'$'\\033''[31m'"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let Some(shown) = in_a_terminal(&scratch, "TERM=xterm $CURT ls --color=auto -d .", "") else {
        return;
    };
    assert!(shown.contains("\u{1b}[01;34m.\u{1b}[0m"), "{shown:?}");
    let line =
        "NO_COLOR=1 $CURT ls --color=auto -d .; $CURT ls -d --color=never .; $CURT ls --json";
    let Some(shown) = in_a_terminal(&scratch, line, "") else { return };
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn any_number_of_threads_prints_the_same() {
    let scratch = Scratch::new();
    for number in 0..1_500 {
        if number % 10 == 0 {
            // Some of them are broken.
            scratch.link(format!("d/{number}"), if number % 20 == 0 { "missing" } else { "1" });
        } else {
            scratch.file_with(format!("d/{number}"), &[b'x'; 50][..number % 50]);
        }
    }
    for options in ["-l", "-lL", "-lUF", "-laSr", "-Rs", "--group-directories-first", "-LF"] {
        let said = |threads: &str| run(&scratch, &["ls", options, "-j", threads, "d"]);
        let (code, out, errors) = said("1");
        assert_eq!(out.lines().filter(|line| line.ends_with("999")).count(), 1, "{options}");
        let nowhere = if options.contains('L') { 75 } else { 0 };
        assert_eq!((errors.lines().count(), code), (nowhere, Some(i32::from(nowhere > 0))));
        for threads in ["2", "4", "8"] {
            assert!(said(threads) == (code, out.clone(), errors.clone()), "{options} -j{threads}");
        }
        assert!(run(&scratch, &["ls", options, "d"]) == (code, out, errors), "{options}");
    }
    let calls = |threads: &str| {
        let (_, _, counted) = run(&scratch, &["ls", "-l", "--stats", "-j", threads, "d"]);
        counted.lines().find(|line| line.contains("statx")).map(str::to_owned).unwrap()
    };
    assert_eq!(calls("1"), calls("4"), "the calls of all threads are added up");
}

/// The listing stands still while nobody reads it, far before it comes to the directory that is
/// swapped, or to one in it.
#[test]
fn a_swapped_directory_leads_out_of_no_operand() {
    let scratch = Scratch::new();
    for (operand, large, last) in [("one", "one/a", "one/b"), ("two", "two/b/a", "two/b/c")] {
        let large = scratch.dir(large);
        for number in 0..3_000 {
            std::fs::File::create(large.join(format!("{number:0200}"))).unwrap();
        }
        scratch.file(format!("{last}/own"));
        scratch.file(format!("outside-{operand}/c/secret"));
        let mut child = curt(&scratch, &["ls", "-R", operand]).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 1]).unwrap();
        let swapped = format!("{operand}/b");
        std::fs::rename(scratch.at(&swapped), scratch.at(format!("aside-{operand}"))).unwrap();
        scratch.link(&swapped, format!("../outside-{operand}"));
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(!text.contains("secret"), "{last} led elsewhere");
        // `two/b` was open when it was moved, so it is listed where it is, as in a walk.
        let is_listed = operand == "two";
        assert_eq!(text.contains(&format!("{last}:\nown\n")), is_listed, "{last}");
        let said = format!("curt ls: cannot open directory '{last}': Not a directory\n");
        let said = if is_listed { "" } else { &said };
        assert_eq!(String::from_utf8_lossy(&output.stderr), said);
        assert_eq!(output.status.code(), Some(i32::from(!is_listed)));
    }
}

/// The same in the C locale, in which trees are drawn in ASCII.
fn run_in_c(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String, String) {
    said(&curt(scratch, args).env("LC_ALL", "C").output().unwrap())
}

/// The lines of a listing, without blanks at their ends.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

/// Runs git, which must be there, in a directory.
fn git(scratch: &Scratch, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "init.defaultBranch=main"]);
    command.args(args).current_dir(scratch.path());
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn git_shows_the_state_of_each_entry() {
    if Command::new("git").arg("--version").output().is_err() {
        return curt_testkit::skip("git is not installed");
    }
    let scratch = Scratch::new();
    let (_, out, messages) = run_in_c(&scratch, &["ls", "-1", "--git", "."]);
    assert_eq!((out.as_str(), messages.as_str()), ("", ""), "no working tree is no failure");
    for path in ["clean", "changed", "sub/old name", "sub/below/x", ".gitignore"] {
        scratch.file(path);
    }
    std::fs::write(scratch.at(".gitignore"), b"target/\n").unwrap();
    git(&scratch, &["init", "-q"]);
    git(&scratch, &["add", "-A"]);
    git(&scratch, &["commit", "-qm", "x"]);
    std::fs::write(scratch.at("changed"), b"more").unwrap();
    std::fs::write(scratch.at("sub/below/x"), b"more").unwrap();
    scratch.file_with("staged", b"1");
    scratch.file_with("new\nline", b"1");
    scratch.file("target/debug/x");
    scratch.file("untracked/x");
    git(&scratch, &["add", "staged"]);
    git(&scratch, &["mv", "sub/old name", "sub/new name"]);
    let out = run_in_c(&scratch, &["ls", "-1", "-Q", "--git"]).1;
    let expected = "\
-M  \"changed\"
--  \"clean\"
-N  \"new\\nline\"
N-  \"staged\"
RM  \"sub\"
-I  \"target\"
-N  \"untracked\"
";
    assert_eq!(out, expected);
    // The same from another directory, for operands of each kind, and below them.
    let out = run_in_c(&scratch, &["ls", "-d", "--git", "sub/below/x", "sub", "clean", ".git"]).1;
    assert_eq!(out, "--  .git\n--  clean\nRM  sub\n-M  sub/below/x\n");
    let out = run_in_c(&scratch, &["ls", "--tree", "--git", "sub", "target"]).1;
    let expected = "\
RM  sub
-M  |-- below
-M  |   `-- x
R-  `-- new name
-I  target
-I  `-- debug
-I      `-- x
";
    assert_eq!(out, expected);
    let out = run_in_c(&scratch, &["ls", "-l", "--header", "--git", "changed"]).1;
    assert!(lines(&out)[0].ends_with(" Git Name") && out.ends_with(" -M  changed\n"), "{out}");
    let out = run_in_c(&scratch, &["ls", "-R", "--json", "--fields=name", "--git", "sub"]).1;
    let found = objects(&out);
    assert!(found.iter().any(|line| line["name"] == "x" && line["git"] == "-M"), "{out}");
    let output = curt(&scratch, &["ls", "-1", "--git"]).env("PATH", "/nowhere").output().unwrap();
    let (code, out, messages) = said(&output);
    assert_eq!(code, Some(1));
    assert!(out.contains("    clean\n"), "{out}");
    assert_eq!(messages, "curt ls: --git needs git: git: not found in PATH\n");
}
