//! Patterns of `ls -I`, `ls --hide` and `du --exclude` beside GNU's. The library's tests compare
//! random ones with GNU find.

use std::process::Command;

use curt_testkit::{Scratch, cells};

use crate::has_gnu;

#[test]
fn patterns_are_those_of_gnu() {
    let (Some(()), Some(())) = (has_gnu("ls"), has_gnu("du")) else { return };
    let scratch = Scratch::new();
    for name in
        cells(r"1a | b | a]b | - | {a} | .b | f1 | é | a\ | [a | a- | \b | d/1a | d/e/b | *")
    {
        scratch.file(format!("t/{name}"));
    }
    let patterns = cells(
        r"
        [[:digit:]]* | [![:alpha:]]* | [[:nope:]] | [[:digit:] | [[=a=]]* | [[.-.]] | [[.hyphen.]]
        a[\]]b | [a\-z] | [!\]] | []a]* | [!]a]* | [] | [!] | [^] | [z-a] | [!z-a] | [a | [ | a\
        \b | \\b | \* | {a} | {a,b} | ? | ?? | ??? | [é] | [!é] | .* | \.b | [.]b | d/* | d/[1]a
        d[/]1a | *b | d*b | d?e | t/b | */b | ** | d/**/b | 1a/ | /b | ./b | *\ | *\\ | [[] | [a-
        ",
    );
    for command in ["ls -1A --ignore=", "ls -1 --hide=", "du -a --inodes --exclude="] {
        let script = |program: &str| {
            let runs = patterns.iter().map(|pattern| {
                format!("echo '{pattern}'; {program}{command}'{pattern}' t | LC_ALL=C sort; ")
            });
            runs.collect::<String>()
        };
        let run = |script: String| {
            let mut shell = Command::new("sh");
            shell.args(["-c", &script]).current_dir(scratch.path()).env("LC_ALL", "C.UTF-8");
            let output = shell.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            (text, String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let curt = format!("{} ", env!("CARGO_BIN_EXE_curt"));
        let (ours, theirs) = (run(script(&curt)), run(script("")));
        for (ours, theirs) in ours.0.lines().zip(theirs.0.lines()) {
            assert_eq!(ours, theirs, "{command}");
        }
        assert_eq!(ours, theirs, "{command}");
    }
}
