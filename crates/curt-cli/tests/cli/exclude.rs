//! Compares `--exclude` of `rm`, `find` and `du`. Only `du` has GNU's rules.

use curt_testkit::{Scratch, cells};

use crate::{command, command_line, outcome, tree};

/// Initials of excluded files, and the patterns that exclude them. The files are `t/a`, `t/b.keep`,
/// `t/sub/c`, `t/sub/d.keep` and `t/sub/deep/e`. `{here}` is the working directory, `w`.
const TABLE: [(&str, &str); 7] = [
    ("a", "*/a | /t/a"),
    ("bd", "*.keep"),
    ("c", "sub/c | ./sub/c | t/sub/c | {here}/*/sub/c"),
    ("cde", "sub | sub/* | ./t/sub/ | /sub | {here}/t/sub | {here}/t/sub/"),
    ("e", "deep/ | **/deep/e | {here}/**/e"),
    ("abcde", "**/t/** | {here}/t | {here}"),
    ("", "c/ | deep/e | /c | x/t/a"),
];

/// Patterns with a different meaning for `du`, and the files that they exclude below `t` and
/// `{here}/t`. GNU matches the printed path and each of its suffixes after a slash, and `*` matches
/// slashes.
#[cfg(unix)]
const OF_DU: [(&str, [&str; 2]); 6] = [
    ("deep/ | ./sub/c | ./t/sub/ | /sub | /t/a | {here}/t/sub/ | {here}", ["", ""]),
    ("deep/e", ["e", "e"]),
    ("**/t/** | {here}/t", ["", "abcde"]),
    ("{here}/t/sub", ["", "cde"]),
    ("{here}/*/sub/c", ["", "c"]),
    ("{here}/**/e", ["", "e"]),
];

#[test]
fn patterns_mean_the_same_for_rm_and_find() {
    let scratch = Scratch::new();
    tree(&scratch, "w/t");
    let here = scratch.typed().join("w").to_str().unwrap().to_owned();
    let whole = |text: &str| text.replace("{here}", &here);
    let check = |words: &str, pattern: &str, operand: &str, expected: &str| {
        let words = whole(&words.replace("GLOB", pattern).replace("PATH", operand));
        let output = command_line(&scratch, &words).current_dir(&here).output().unwrap();
        let (code, out, messages) = outcome(&output);
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{words}");
        let last =
            |line: &str| line.trim_end_matches('\'').rsplit(['/', '\\']).next().map(str::to_owned);
        let names: Vec<String> = out.lines().filter_map(last).collect();
        let left = |file: &&str| !names.iter().any(|name| name == file);
        let files = ["a", "b.keep", "c", "d.keep", "e"].into_iter().filter(left);
        assert_eq!(files.map(|file| &file[..1]).collect::<String>(), expected, "{words}");
    };
    for (expected, patterns) in TABLE {
        for pattern in cells(patterns) {
            for operand in ["t", "./t", "../w/t", "{here}/t"] {
                check("rm -rv --dry-run --exclude GLOB PATH", pattern, operand, expected);
                check("find -u -E GLOB . PATH", pattern, operand, expected);
            }
            #[cfg(unix)]
            for (number, operand) in ["t", "{here}/t"].iter().enumerate() {
                let other = OF_DU.iter().find(|row| cells(row.0).contains(&pattern));
                let expected = other.map_or(expected, |row| row.1[number]);
                check("du --gnu -a --exclude GLOB PATH", pattern, operand, expected);
            }
        }
    }
    for (operand, expected) in [("t", ""), ("../w/t", "a"), ("{here}/t", "a")] {
        check("rm -rv --dry-run --exclude GLOB PATH", "w/t/a", operand, expected);
        check("find -u -E GLOB . PATH", "w/t/a", operand, expected);
    }
}

#[test]
fn a_search_deletes_nothing_below_an_excluded_full_path() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    scratch.file_with("rules", b"a\n");
    let here = scratch.typed().to_str().unwrap().to_owned();
    for (excluded, operand) in [
        ("", "t/sub"),
        ("/t", "t/sub"),
        ("/*", "t/sub"),
        ("/t/sub", "t"),
        ("/t/sub", "t/sub/deep"),
        ("/t/sub/*", "t/sub"),
    ] {
        let excluded = here.clone() + excluded;
        for operand in [operand, &format!("{here}/{operand}")] {
            let words = ["-u", "--ignore-file=rules", "--delete", "-tf", "-E", &excluded];
            let mut find = command(&scratch, "find", words);
            let output = find.args([".", operand]).output().unwrap();
            assert_eq!(outcome(&output), (Some(0), String::new(), String::new()), "{find:?}");
            assert!(scratch.exists("t/sub/c") && scratch.exists("t/sub/deep/e"), "{find:?}");
        }
    }
    assert!(scratch.exists("t/a") && !scratch.exists("t/b.keep"));
}
