//! A link to curt that has the name of a command is that command.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use curt_testkit::Scratch;

use crate::{missing, said};

/// Makes curt callable by a name, in a folder that is not the working directory.
fn named(scratch: &Scratch, name: &str) -> PathBuf {
    let path = scratch.dir("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_curt"), &path).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(env!("CARGO_BIN_EXE_curt"), &path).unwrap();
    path
}

fn run(scratch: &Scratch, name: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(named(scratch, name));
    command.args(args).current_dir(scratch.typed()).stdin(Stdio::null());
    let said = said(&command.output().unwrap());
    scratch.remove("bin");
    said
}

#[test]
fn messages_begin_with_the_name() {
    let scratch = Scratch::new();
    let missing = missing();
    for (name, message) in [
        ("rm", format!("rm: cannot remove 'nope': {missing}\n")),
        ("du", format!("du: cannot access 'nope': {missing}\n")),
        ("stat", format!("stat: cannot statx 'nope': {missing}\n")),
    ] {
        assert_eq!(run(&scratch, name, &["nope"]), (Some(1), String::new(), message), "{name}");
    }
    let (code, out, messages) = run(&scratch, "ls", &["nope"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert_eq!(messages, format!("ls: cannot access 'nope': {missing}\n"));
    let (code, _, messages) = run(&scratch, "which", &["no-such-program-here"]);
    assert_eq!(code, Some(1));
    assert!(messages.starts_with("which: no-such-program-here: "), "{messages}");
}

#[test]
fn words_are_those_of_the_command() {
    let scratch = Scratch::new();
    for name in ["help", "rm", "kept"] {
        scratch.file(name);
    }
    // No word is the name of another command, or asks for help.
    let quiet = (Some(0), String::new(), String::new());
    assert_eq!(run(&scratch, "rm", &["help", "rm"]), quiet);
    assert!(!scratch.exists("help") && !scratch.exists("rm") && scratch.exists("kept"));
    let (_, out, _) = run(&scratch, "ls", &["-1"]);
    assert_eq!(out, "bin\nkept\n");
    let (_, out, _) = run(&scratch, "du", &["-b", "kept"]);
    assert_eq!(out, "0\tkept\n");
}

#[test]
fn wrong_command_lines_end_as_those_of_the_tool() {
    let scratch = Scratch::new();
    for (name, code) in [
        ("rm", 1),
        ("ls", 2),
        ("du", 1),
        ("stat", 1),
        ("which", 2),
        ("realpath", 1),
        ("readlink", 1),
    ] {
        let (ended, out, messages) = run(&scratch, name, &["--no-such-option"]);
        assert_eq!((ended, out.as_str()), (Some(code), ""), "{name}");
        let expected = format!(
            "{name}: unrecognized option '--no-such-option'\n\
             Try '{name} --help' for more information.\n"
        );
        assert_eq!(messages, expected);
    }
    let (code, _, messages) = run(&scratch, "rm", &[]);
    assert_eq!(code, Some(1));
    assert_eq!(messages, "rm: missing operand\nTry 'rm --help' for more information.\n");
    // A file whose name was taken for options.
    scratch.file("-zebra");
    let (_, _, messages) = run(&scratch, "rm", &["-zebra"]);
    assert!(messages.contains("Try 'rm ./-zebra' to remove the file '-zebra'."), "{messages}");
    // What is typed is quoted where the shell wants it.
    scratch.file("-z b");
    let (_, _, messages) = run(&scratch, "rm", &["-z b"]);
    assert!(messages.contains("Try 'rm ./'-z b'' to remove the file '-z b'."), "{messages}");
}

#[test]
fn help_and_version_have_the_name() {
    let scratch = Scratch::new();
    for name in ["rm", "ls", "du", "stat", "which", "realpath", "readlink"] {
        let (code, out, _) = run(&scratch, name, &["--help"]);
        assert_eq!(code, Some(0));
        assert!(out.contains(&format!("Usage: {name} [")), "{out}");
        let (_, out, _) = run(&scratch, name, &["--version"]);
        assert_eq!(out, format!("{name} (curt) {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn another_name_is_curt() {
    let scratch = Scratch::new();
    let (code, out, _) = run(&scratch, "my-curt", &["--version"]);
    assert_eq!((code, out), (Some(0), format!("curt {}\n", env!("CARGO_PKG_VERSION"))));
    let (_, _, messages) = run(&scratch, "rms", &["du", "nope"]);
    assert!(messages.starts_with("curt du: cannot access 'nope'"), "{messages}");
}

/// Its words would be taken for a command of curt: `find rm -name x`.
#[test]
fn a_name_that_curt_does_not_stand_in_for_does_nothing() {
    let scratch = Scratch::new();
    scratch.file("kept");
    for (name, instead) in [
        ("find", "use 'curt find'"),
        ("run", "use 'curt run'"),
        ("fd", "'curt find PATTERN' finds entries by name"),
        ("rmdir", "'curt rm -d DIR' removes an empty directory"),
    ] {
        for args in [&["rm", "kept"][..], &[".", "-name", "x"], &["--version"], &[]] {
            let (code, out, messages) = run(&scratch, name, args);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{name} {args:?}");
            let expected = format!("curt: a link named '{name}' does nothing; {instead}\n");
            assert!(messages.starts_with(&expected), "{messages}");
        }
    }
    assert!(scratch.exists("kept"));
}
