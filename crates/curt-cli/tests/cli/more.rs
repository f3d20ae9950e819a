//! The options that GNU rm does not have.

use std::io::Write;
use std::process::Stdio;

use curt_testkit::Scratch;

use crate::{curt, missing, native, run, said, tree};

#[test]
fn a_dry_run_counts_and_removes_nothing() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    scratch.file_with("t/large", &vec![1; 100_000]);
    let before = scratch.list(".");
    let (code, out, messages) = run(&scratch, "-r --dry-run t");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(out.starts_with("would remove 6 files and 3 directories, freeing "), "{out}");
    let (code, out, _) = run(&scratch, "-rv --dry-run t");
    assert_eq!(code, Some(0));
    assert_eq!(out.lines().count(), 10, "{out}");
    let deep = format!("would remove directory '{}'\nwould remove ", native("t/sub/deep"));
    assert!(out.contains(&deep), "{out}");
    let (code, _, messages) = run(&scratch, "-r --dry-run t missing");
    assert_eq!(code, Some(1));
    assert_eq!(messages, format!("curt rm: cannot remove 'missing': {}\n", missing()));
    assert_eq!(scratch.list("."), before);
}

#[test]
fn contents_removes_all_but_the_directory() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    scratch.dir("empty");
    let (code, out, messages) = run(&scratch, "-r --contents t empty");
    assert_eq!((code, out.as_str(), messages.as_str()), (Some(0), "", ""));
    assert!(scratch.exists("t") && scratch.exists("empty"));
    assert!(scratch.list("t").is_empty());
    // What has no contents has none to remove, and stays.
    scratch.file("f");
    tree(&scratch, "t");
    for (options, operand, reason) in [
        ("", "f", "not a directory"),
        ("-f", "f", "not a directory"),
        ("-d", "f", "not a directory"),
        ("-r", "f", "not a directory"),
        ("-f --dry-run", "f", "not a directory"),
        ("", "empty", "is a directory"),
        ("-d", "empty", ""),
        ("-d", "t", "not empty"),
    ] {
        let (code, _, messages) = run(&scratch, &format!("--contents {options} {operand}"));
        assert_eq!(code, Some(i32::from(!reason.is_empty())), "{options} {operand}: {messages}");
        let is_told = messages.to_lowercase().contains(reason);
        assert!(is_told || cfg!(windows), "{options} {operand}: {messages}");
        assert!(scratch.exists(operand) && scratch.exists("t/a"), "{options} {operand}");
    }
}

#[test]
fn excluded_entries_stay_with_their_parents() {
    for (options, left) in [
        ("--exclude *.keep", &["t/b.keep", "t/sub/d.keep"][..]),
        ("--exclude /sub/", &["t/sub/c", "t/sub/d.keep", "t/sub/deep/e"]),
        ("--exclude sub/*.keep --exclude a", &["t/a", "t/sub/d.keep"]),
        ("--exclude **/deep/e", &["t/sub/deep/e"]),
        ("--exclude nothing", &[]),
        // As the operand is written, or in full.
        ("--exclude t/sub/*.keep --exclude ./t/a", &["t/a", "t/sub/d.keep"]),
        ("--exclude {here}/t/sub/deep/", &["t/sub/deep/e"]),
        (
            "--exclude=*.keep --exclude=* -j2",
            &["t/a", "t/b.keep", "t/sub/c", "t/sub/d.keep", "t/sub/deep/e"],
        ),
    ] {
        let scratch = Scratch::new();
        tree(&scratch, "t");
        let options = options.replace("{here}", scratch.path().to_str().unwrap());
        let (code, out, messages) = run(&scratch, &format!("-r {options} t"));
        assert_eq!((code, out.as_str(), messages.as_str()), (Some(0), "", ""), "{options}");
        let all = ["t/a", "t/b.keep", "t/sub/c", "t/sub/d.keep", "t/sub/deep/e"];
        let found: Vec<&str> = all.into_iter().filter(|path| scratch.exists(path)).collect();
        assert_eq!(found, left, "{options}");
        assert_eq!(scratch.exists("t"), !left.is_empty(), "{options}");
    }
}

#[test]
fn excluded_operands_stay() {
    for excluded in ["*.keep", "t/*.keep", "./t/b.keep", "{here}/t/b.keep"] {
        let scratch = Scratch::new();
        tree(&scratch, "t");
        let here = scratch.path();
        let excluded = excluded.replace("{here}", here.to_str().unwrap());
        let (code, out, messages) =
            run(&scratch, &format!("--dry-run --exclude {excluded} t/a t/b.keep"));
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{excluded}");
        assert!(out.ends_with(", 1 kept\n"), "{excluded} {out}");
        let (code, _, messages) = run(&scratch, &format!("--exclude {excluded} t/a t/b.keep"));
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{excluded}");
        assert!(scratch.exists("t/b.keep") && !scratch.exists("t/a"), "{excluded}");
    }
}

#[test]
fn what_is_below_an_excluded_directory_stays() {
    for excluded in ["t/sub", "sub", "sub/", "**/sub", "s{,ub}", "{here}/t/sub", "./t/s*"] {
        let scratch = Scratch::new();
        tree(&scratch, "t");
        let excluded = excluded.replace("{here}", scratch.path().to_str().unwrap());
        let (code, _, messages) =
            run(&scratch, &format!("-r --exclude {excluded} t/sub/deep t/sub/c"));
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{excluded}");
        assert!(scratch.exists("t/sub/deep/e") && scratch.exists("t/sub/c"), "{excluded}");
    }
}

#[test]
fn a_pattern_may_begin_with_any_part_of_the_operand() {
    for (excluded, operand) in [
        ("t/sub/deep", "../here/t"),
        ("/t/sub/deep", "../here/t"),
        ("here/t/sub/deep", "../here/t"),
        ("sub/deep", "t/sub"),
        ("t/sub/deep", "../here/t/sub"),
        ("t/sub/deep/e", "{here}/t"),
    ] {
        let scratch = Scratch::new();
        tree(&scratch, "here/t");
        let here = scratch.at("here");
        let operand = native(operand).replace("{here}", here.to_str().unwrap());
        let args = ["rm", "-r", "--exclude", excluded, &operand];
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_curt"))
            .args(args)
            .current_dir(&here)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0), "{excluded} {operand}");
        let left = (scratch.exists("here/t/sub/deep/e"), scratch.exists("here/t/sub/c"));
        assert_eq!(left, (true, false), "{excluded} {operand}");
    }
}

#[test]
fn a_bad_glob_is_a_usage_error() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let (code, _, messages) = run(&scratch, "-r --exclude x[ t");
    assert_eq!(code, Some(2));
    assert!(messages.starts_with("curt rm: invalid pattern 'x[': "), "{messages}");
    assert!(scratch.exists("t/a"));
}

#[test]
fn operands_are_read_from_a_list() {
    let scratch = Scratch::new();
    // No name on Windows has a line end in it.
    let odd = if cfg!(unix) { "new\nline" } else { "new line" };
    for name in ["one", "two words", odd, "-f", "d/f"] {
        scratch.file(name);
    }
    scratch.file_with("list", format!("one\0two words\0{odd}\0-f\0d").as_bytes());
    let (code, out, messages) = run(&scratch, "-r --files0-from list");
    assert_eq!((code, out.as_str(), messages.as_str()), (Some(0), "", ""));
    assert_eq!(scratch.list("."), ["- list"]);

    let (code, _, messages) = run(&scratch, "--files0-from missing");
    assert_eq!(code, Some(1));
    assert_eq!(messages, format!("curt rm: cannot read 'missing': {}\n", missing()));
    let (code, _, messages) = run(&scratch, "--files0-from list also");
    assert_eq!(code, Some(2), "{messages}");
    scratch.file("empty");
    assert_eq!(run(&scratch, "--files0-from=empty"), (Some(0), String::new(), String::new()));
    scratch.file_with("hole", b"empty\0\0list\0");
    let (code, _, messages) = run(&scratch, "--files0-from=hole");
    assert_eq!(code, Some(1));
    assert_eq!(messages, "curt rm: 'hole':2: invalid zero-length file name\n");
    assert_eq!(scratch.list("."), ["- hole"]);
}

#[test]
fn a_name_that_is_too_long_is_reported_and_skipped() {
    let scratch = Scratch::new();
    scratch.file("one");
    scratch.file_with("list", &[b"one\0".to_vec(), vec![b'x'; 3 << 20]].concat());
    let (code, _, messages) = run(&scratch, "--files0-from list");
    assert_eq!(code, Some(1));
    assert_eq!(messages, "curt rm: 'list':2: file name too long\n");
    assert_eq!(scratch.list("."), ["- list"]);
}

#[test]
fn operands_are_read_from_standard_input() {
    let scratch = Scratch::new();
    scratch.file("a");
    scratch.file("b");
    let typed = |args: &[&str], input: &[u8]| {
        let mut child = curt(&scratch, args).stdin(Stdio::piped()).spawn().unwrap();
        // A command that refuses its options may be gone by now.
        let _ = child.stdin.take().unwrap().write_all(input);
        said(&child.wait_with_output().unwrap())
    };
    let (code, _, messages) = typed(&["-i", "--files0-from=-"], b"a\0");
    assert_eq!(code, Some(2), "{messages}");
    assert!(messages.contains("cannot prompt while standard input holds the names"), "{messages}");
    assert!(scratch.exists("a"));
    let (code, out, _) = typed(&["-v", "-j1", "--files0-from=-"], b"a\0b");
    assert_eq!((code, out.as_str()), (Some(0), "removed 'a'\nremoved 'b'\n"));
}

#[test]
fn features_can_be_switched_off() {
    for feature in ["openat2", "statx", "inode-order", "raw-listing", "blind-unlink"] {
        let scratch = Scratch::new();
        tree(&scratch, "t");
        let said = run(&scratch, &format!("-r --without {feature} t"));
        assert_eq!(said, (Some(0), String::new(), String::new()), "{feature}");
        assert!(!scratch.exists("t"));
    }
    assert_eq!(run(&Scratch::new(), "-r --without sense t").0, Some(2));
}

#[test]
fn a_command_is_needed() {
    let bare = std::process::Command::new(env!("CARGO_BIN_EXE_curt")).output().unwrap();
    assert_eq!(bare.status.code(), Some(2));
    assert!(bare.stdout.is_empty());
    assert!(String::from_utf8_lossy(&bare.stderr).contains("Usage: curt"));
}

/// What help does not show, no shell offers either.
#[test]
fn completions_offer_nothing_hidden() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_curt"));
        let (code, script, _) = said(&command.args(["completions", shell]).output().unwrap());
        assert_eq!(code, Some(0));
        for shown in ["one-file-system", "almost-all", "check-only", "expand"] {
            assert!(script.contains(shown), "{shell}: {shown}");
        }
        // Options, and what only they have to say.
        for hidden in ["--without", "openat2", "presume-input-tty", "--context", "-l context"] {
            let found = script.lines().find(|line| line.contains(hidden));
            assert_eq!(found, None, "{shell}: {hidden}");
        }
    }
}

#[test]
fn the_contents_of_the_working_directory_are_removed() {
    for operand in [".", "./", "sub/..", "../{name}/."] {
        let scratch = Scratch::new();
        tree(&scratch, "sub");
        let name = scratch.path().file_name().unwrap().to_str().unwrap().to_owned();
        let operand = operand.replace("{name}", &name);
        let is_refused = operand.ends_with("..");
        let (code, out, messages) = run(&scratch, &format!("-r --contents {operand}"));
        if is_refused {
            assert_eq!(code, Some(1), "{operand}");
            assert!(messages.contains("refusing to remove '.' or '..'"), "{messages}");
        } else {
            assert_eq!((code, out.as_str(), messages.as_str()), (Some(0), "", ""), "{operand}");
        }
        assert_eq!(scratch.exists("sub/a"), is_refused, "{operand}");
    }
    let scratch = Scratch::new();
    scratch.file("f");
    // Without --contents, `.` itself would have to go; without -r, nothing in it may.
    for (options, words) in [("-r .", "refusing to remove"), ("--contents .", "")] {
        let (code, _, messages) = run(&scratch, options);
        assert_eq!(code, Some(1), "{options}");
        assert!(messages.contains(words) && !messages.is_empty(), "{messages}");
        assert!(scratch.exists("f"));
    }
}
