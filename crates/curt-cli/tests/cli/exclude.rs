//! `--exclude` of `rm` and `find`, and where that of `du`, which is GNU's, differs.

use std::process::Command;

use curt_testkit::Scratch;

use crate::{command, said, tree};

/// The spellings of the operand, with `{here}` for the working directory `w`.
const OPERANDS: [&str; 4] = ["t", "./t", "../w/t", "{here}/t"];

/// Patterns, and the files that they exclude: of `t/a`, `t/b.keep`, `t/sub/c`, `t/sub/d.keep` and
/// `t/sub/deep/e` the first letters, for each spelling of the operand.
const TABLE: [(&str, [&str; 4]); 23] = [
    // Without a slash: names at any depth.
    ("*.keep", ["bd", "bd", "bd", "bd"]),
    ("sub", ["cde", "cde", "cde", "cde"]),
    ("deep/", ["e", "e", "e", "e"]),
    ("c/", ["", "", "", ""]),
    // With a slash: below the operand, or as printed.
    ("sub/c", ["c", "c", "c", "c"]),
    ("./sub/c", ["c", "c", "c", "c"]),
    ("sub/*", ["cde", "cde", "cde", "cde"]),
    ("deep/e", ["", "", "", ""]),
    ("**/deep/e", ["e", "e", "e", "e"]),
    ("**/t/**", ["abcde", "abcde", "abcde", "abcde"]),
    ("t/sub/c", ["c", "c", "c", "c"]),
    ("./t/sub/", ["cde", "cde", "cde", "cde"]),
    ("*/a", ["a", "a", "a", "a"]),
    // They may also begin at another name that was typed.
    ("w/t/a", ["", "", "a", "a"]),
    // With a slash at the beginning: full paths, or below the operand.
    ("/sub", ["cde", "cde", "cde", "cde"]),
    ("/c", ["", "", "", ""]),
    ("/t/a", ["a", "a", "a", "a"]),
    ("{here}/t/sub", ["cde", "cde", "cde", "cde"]),
    ("{here}/t/sub/", ["cde", "cde", "cde", "cde"]),
    ("{here}/*/sub/c", ["c", "c", "c", "c"]),
    ("{here}/**/e", ["e", "e", "e", "e"]),
    ("{here}/t", ["abcde", "abcde", "abcde", "abcde"]),
    ("{here}", ["abcde", "abcde", "abcde", "abcde"]),
];

/// For GNU, a pattern is compared with the path as it is printed, and with each end of it behind a
/// slash, and stars match slashes.
#[cfg(unix)]
const OF_DU: [(&str, [&str; 4]); 13] = [
    ("deep/", ["", "", "", ""]),
    ("./sub/c", ["", "", "", ""]),
    ("deep/e", ["e", "e", "e", "e"]),
    ("**/t/**", ["", "abcde", "abcde", "abcde"]),
    ("./t/sub/", ["", "", "", ""]),
    ("/sub", ["", "", "", ""]),
    ("/t/a", ["", "", "", ""]),
    ("{here}/t/sub", ["", "", "", "cde"]),
    ("{here}/t/sub/", ["", "", "", ""]),
    ("{here}/*/sub/c", ["", "", "", "c"]),
    ("{here}/**/e", ["", "", "", "e"]),
    ("{here}/t", ["", "", "", "abcde"]),
    ("{here}", ["", "", "", ""]),
];

#[test]
fn patterns_mean_the_same_for_rm_and_find() {
    let scratch = Scratch::new();
    tree(&scratch, "w/t");
    let here = scratch.typed().join("w").to_str().unwrap().to_owned();
    let excluded = |command: &mut Command| {
        let (code, out, messages) = said(&command.current_dir(&here).output().unwrap());
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{command:?}");
        let names =
            out.lines().filter_map(|line| line.trim_end_matches('\'').rsplit(['/', '\\']).next());
        let names: Vec<&str> = names.collect();
        let files = ["a", "b.keep", "c", "d.keep", "e"];
        files.iter().filter(|file| !names.contains(file)).map(|file| &file[..1]).collect::<String>()
    };
    for (pattern, expected) in TABLE {
        #[cfg(unix)]
        let of_du = OF_DU.iter().find(|row| row.0 == pattern).map_or(expected, |row| row.1);
        let pattern = pattern.replace("{here}", &here);
        for (number, operand) in OPERANDS.iter().enumerate() {
            let operand = operand.replace("{here}", &here);
            let words = ["-rv", "--dry-run", "--exclude", &pattern, &operand];
            let rm = excluded(&mut command(&scratch, "rm", words));
            let words = ["-u", "-E", &pattern, ".", &operand];
            let find = excluded(&mut command(&scratch, "find", words));
            assert_eq!([&*rm, &*find], [expected[number]; 2], "{pattern} {operand}");
            #[cfg(unix)]
            {
                let words = ["--gnu", "-a", "--exclude", &pattern, &operand];
                let du = excluded(&mut command(&scratch, "du", words));
                assert_eq!(du, of_du[number], "{pattern} {operand}");
            }
        }
    }
}

/// What must stay is kept, whatever else is skipped or not.
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
            assert_eq!(said(&output), (Some(0), String::new(), String::new()), "{find:?}");
            assert!(scratch.exists("t/sub/c") && scratch.exists("t/sub/deep/e"), "{find:?}");
        }
    }
    assert!(scratch.exists("t/a") && !scratch.exists("t/b.keep"));
}
