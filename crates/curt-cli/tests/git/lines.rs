//! Each rule must mean the same as in git, and must not affect other rules.

use super::{git, paths, work_tree, write};
use curt_testkit::{Choices, Scratch, cells};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Output};

fn names() -> Vec<&'static str> {
    let mut names = cells(
        r"
        a | b | ab | abb | a.c | {a,b} | a{b}c | [a | [ab] | a] | a-c | - | ] | ^a | !a | a\b
        * | ** | a*b | ? | größe | 5 | _ | d/a | d/b | d/ab | d/e/a | d/e/f/ab | d/{a,b}/x
        abd/c/d | abd/x | abc/d | x/y | x/ab/y | a b
        ",
    );
    names.extend(["end ", "tab\tbed", " #x", "#a"]);
    names
}

/// Checks that curt and git agree on each set of rules. Each set has its own directory, so curt and
/// git run only once. Returns the number of sets with which git excluded entries.
fn assert_agreement(rules: &[impl AsRef<[u8]>]) -> usize {
    let Some(scratch) = work_tree() else { return usize::MAX };
    let names = names();
    for (number, rules) in rules.iter().enumerate() {
        let top = scratch.dir(format!("w/{number}"));
        for name in names.iter().map(OsStr::new).chain([OsStr::from_bytes(b"d/\xff\xe9")]) {
            let path = top.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(top.join(".gitignore"), rules).unwrap();
    }
    let by_number = |kept: BTreeSet<PathBuf>| {
        let mut parts = vec![BTreeSet::new(); rules.len()];
        for path in kept {
            let mut names = path.components();
            let number = names.next().unwrap().as_os_str().to_str().unwrap();
            parts[number.parse::<usize>().unwrap()].insert(names.as_path().to_owned());
        }
        parts
    };
    let curt = by_number(super::printed(&scratch, "w", &super::FILES));
    let git = by_number(super::listed_by_git(&scratch));
    for ((curt, git), rules) in curt.iter().zip(&git).zip(rules) {
        assert_eq!(curt, git, "{:?}", String::from_utf8_lossy(rules.as_ref()));
    }
    // git also lists the file with the rules.
    git.iter().filter(|kept| kept.len() < names.len() + 2).count()
}

#[test]
fn odd_lines_mean_the_same_to_git() {
    let lines = cells(
        r"
        {a,b} | a{b}c | {a | a} | d/{a,b} | {a,b}/ | [{a]* | *{* | [a | [a] | [ab | [!a] | [^a] | []]
        []a] | [a-c] | [a-] | [-a] | a[-]c | [c-a] | [[:digit:]] | [[:alpha:]] | [[:nothing:]]
        [[:alpha] | [[:] | [[:punct:]a] | [\]] | [\a-c] | \[ab] | \{a,b\} | a\ | \ | a\\b | \a | ?
        gr?ße | gr??ße | ** | *** | **/a | d/** | d/**/a | a**/d | ab**/d | /a**b | d** | **b | end\ | !
        /d[!x]b | /d[^x]b | d/e[[:punct:]]a | /*[!a]b | #a | \#a | \!a
        ",
    );
    let odd: [&[u8]; 8] =
        [b" #x", b"\xff\xe9", b"\xff*", b"[\xff]?", b"*\xe9", b"a\0c", b"tab\tbed", b"end "];
    let lines = lines
        .iter()
        .map(|line| line.as_bytes())
        .chain(odd)
        .chain([&b"end\\ "[..], b"\xef\xbb\xbfa"]);
    assert!(assert_agreement(&lines.collect::<Vec<_>>()) > 0);
}

#[test]
fn random_lines_mean_the_same_to_git() {
    let mut parts = cells(
        r"
        a | b | ab | c | d | e | x | y | / | / | * | ** | **/ | /** | ? | [ | ] | [ab] | [!a]
        [a-c] | - | { | } | , | \ | ! | ^ | [[:alpha:]] | [[: | :] | # | .
        ",
    );
    parts.push(" ");
    let mut choices = Choices::new(19);
    let mut rules = || {
        let mut text = String::new();
        for _ in 0..=choices.below(2) {
            for _ in 0..=choices.below(6) {
                text.push_str(choices.one_of(&parts));
            }
            text.push_str(choices.one_of(&["\n", "\n", "\n", "\r\n", "/\n", " \n"]));
        }
        text
    };
    let rules: Vec<String> = (0..400).map(|_| rules()).collect();
    let ignoring = assert_agreement(&rules);
    assert!(ignoring > 40, "{ignoring}");
}

fn search(scratch: &Scratch, args: &[&str]) -> Output {
    super::find(scratch, args).output().unwrap()
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_invalid_line_does_not_affect_others() {
    let classes = format!("{}\n", "[ab]".repeat(200));
    for odd in [
        format!("{}a{}", "{".repeat(251), "}".repeat(251)),
        format!("{}a{}", "{".repeat(100_000), "}".repeat(100_000)),
        "[".repeat(100_000),
        "\\".repeat(100_001),
        "*a".repeat(100_000),
        "**/".repeat(100_000),
        "[z-a]".repeat(20_000),
        classes.repeat(3000),
    ] {
        let scratch = Scratch::new();
        scratch.file("k/keep.db");
        scratch.file("k/gone");
        for number in 0..40 {
            scratch.file(format!("k/{number}/keep.db"));
        }
        scratch.file_with("k/.ignore", format!("*.db\n{odd}\n").as_bytes());
        let output = search(&scratch, &["-tf", "--delete", "-j2", ".", "k"]);
        let start: String = odd.chars().take(20).collect();
        assert_eq!((messages(&output).as_str(), output.status.code()), ("", Some(0)), "{start}");
        assert!(scratch.exists("k/keep.db") && scratch.exists("k/39/keep.db"), "{start}");
        assert!(!scratch.exists("k/gone"), "{start}");
    }
}

#[test]
fn unreadable_rules_prevent_deletion() {
    type Spoil = fn(&Scratch);
    fn write(scratch: &Scratch, text: &str) -> std::path::PathBuf {
        scratch.file_with("t/d/.ignore", text.as_bytes())
    }
    let too_many: Spoil = |scratch| drop(write(scratch, &"x\n".repeat(100_001)));
    let too_long: Spoil = |scratch| drop(write(scratch, &"a".repeat((4 << 20) + 1)));
    let linked: Spoil = |scratch| drop(scratch.link("t/d/.ignore", "nowhere"));
    let unreadable: Spoil = |scratch| {
        let nothing = std::os::unix::fs::PermissionsExt::from_mode(0o000);
        std::fs::set_permissions(write(scratch, "*.db"), nothing).unwrap();
    };
    let all = &["-j1", "-j2", "-j8"][..];
    let cases = [
        (too_many, "more than 100000 ignore rules are in force", &all[1..2]),
        (too_long, "file too large", &all[1..2]),
        (linked, "Too many levels of symbolic links", all),
        (unreadable, "Permission denied", all),
    ];
    for (spoil, reason, threads) in cases {
        if reason == "Permission denied" && curt_testkit::is_root() {
            curt_testkit::skip("root may read every file");
            continue;
        }
        for threads in threads {
            let scratch = Scratch::new();
            for file in ["t/d/keep.db", "t/d/e/keep.db", "t/gone", "t/z/gone"] {
                scratch.file(file);
            }
            spoil(&scratch);
            for act in [&["--delete"][..], &["-x", "rm"]] {
                let output = search(&scratch, &[&["-tf", threads, ".", "t"], act].concat());
                assert_eq!(
                    (messages(&output), output.status.code()),
                    (format!("curt find: cannot read 't/d/.ignore': {reason}\n"), Some(1))
                );
                assert!(scratch.exists("t/d/keep.db") && scratch.exists("t/d/e/keep.db"));
                assert!(!scratch.exists("t/gone") && !scratch.exists("t/z/gone"));
            }
            let output = search(&scratch, &["-tf", threads, "--delete", ".", "t/d/e"]);
            assert_eq!(output.status.code(), Some(1), "{}", messages(&output));
            assert!(scratch.exists("t/d/e/keep.db"));
        }
    }
}

/// The number of rule files is limited. Each level has rules or begins a work tree.
#[test]
fn rules_on_too_many_levels_are_refused() {
    for (name, is_directory, threads) in [(".ignore", false, "-j2"), (".git", true, "-j1")] {
        let scratch = Scratch::new();
        let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let new = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
        let mut at = openat(CWD, scratch.dir("t"), folder, Mode::empty()).unwrap();
        for _ in 0..1010 {
            if is_directory {
                mkdirat(&at, name, Mode::RWXU).unwrap();
            } else {
                let file = openat(&at, name, new, Mode::RWXU).unwrap();
                std::fs::File::from(file).write_all(b"*.db\n").unwrap();
            }
            mkdirat(&at, "d", Mode::RWXU).unwrap();
            at = openat(&at, "d", folder, Mode::empty()).unwrap();
        }
        let output = search(&scratch, &["-td", threads, ".", "t"]);
        assert_eq!(output.status.code(), Some(1));
        let words = messages(&output);
        let reason = "': more than 1000 directories with ignore rules are in force\n";
        assert!(words.ends_with(reason) && words.lines().count() == 1, "{words}");
    }
}

#[test]
fn the_memory_for_rules_is_bounded() {
    let scratch = Scratch::new();
    scratch.file("t/a");
    let pattern = format!("a*{}?c[a-z]d*e\n", "x".repeat(10));
    scratch.file_with("t/.ignore", pattern.repeat(1_400_000 / pattern.len()).as_bytes());
    let limit = "ulimit -v 300000; exec \"$0\" find -j1 . t";
    let mut command = Command::new("sh");
    command.args(["-c", limit, env!("CARGO_BIN_EXE_curt")]).current_dir(scratch.path());
    let output = command.output().unwrap();
    assert_eq!((messages(&output).as_str(), output.status.code()), ("", Some(0)));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "t/a\n");
}

/// `.git` is a file after `git worktree` or `git init --separate-git-dir`.
#[test]
fn the_exclude_file_of_a_linked_work_tree_counts() {
    let Some(scratch) = work_tree() else { return };
    let run_git = |args: &[&str]| {
        let output = git(&scratch, args).unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let commit = "-c user.name=x -c user.email=x@x commit -q --allow-empty -m x";
    run_git(&commit.split(' ').collect::<Vec<_>>());
    run_git(&["worktree", "add", "-q", "../linked"]);
    scratch.dir("apart");
    run_git(&["init", "-q", "--separate-git-dir", "../apart/git", "../separate"]);
    for (tree, exclude) in
        [("linked", "w/.git/info/exclude"), ("separate", "apart/git/info/exclude")]
    {
        write(&scratch, exclude, "*.o\n/d/left\n");
        for file in ["a.o", "b", "d/a.o", "d/b", "d/left"] {
            scratch.file(format!("{tree}/{file}"));
        }
        let mut command = Command::new("git");
        command.args(["ls-files", "-z", "--others", "--exclude-standard"]);
        let kept = paths(&command.current_dir(scratch.at(tree)).output().unwrap().stdout);
        assert_eq!(kept, ["b", "d/b"].map(PathBuf::from).into(), "{tree}");
        let files = ["-tf", "-H", "."];
        assert_eq!(super::printed(&scratch, tree, &files), kept, "{tree}");
        let below = super::printed(&scratch, &format!("{tree}/d"), &files);
        assert_eq!(below, ["b"].map(PathBuf::from).into(), "{tree}");
        let dotted =
            super::printed(&scratch, "w", &[&files[..], &[&format!("../{tree}")]].concat());
        let expected = ["b", "d/b"].map(|name| PathBuf::from(format!("../{tree}/{name}")));
        assert_eq!(dotted, expected.into(), "{tree}");
    }
}
