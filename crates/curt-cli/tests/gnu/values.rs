//! Compares sizes, numbers and time styles, in options and variables, with the GNU tools.

use std::fs;

use curt_testkit::{Choices, Scratch, cells, try_seeds};

use crate::harness::{Pair, has_gnu, has_utf8};
use crate::ls::set_time;

/// A tool and its words. `@` stands for the value, even in a variable.
const SIZES: &str = "
    du -B @ t | du --block-size=@ t | du -B @ -k t | du -B @ -B1 t | du -t @ -t1 -a t | du -t @ -a -B1 t | du --threshold=@ -a t
    du -d @ t | du --max-depth=@ t | du DU_BLOCK_SIZE=@ t | du BLOCK_SIZE=@ t | du BLOCKSIZE=@ t
    du DU_BLOCK_SIZE=@ BLOCK_SIZE=M BLOCKSIZE=7 t | du BLOCK_SIZE=@ BLOCKSIZE=7 -s t
    ls LS_BLOCK_SIZE=@ BLOCK_SIZE=M BLOCKSIZE=7 -lsg t/d | ls BLOCK_SIZE=@ BLOCKSIZE=7 -sC t/d
    du --inodes -t @ t | du --inodes -B @ t | ls --block-size=@ -lg t/d | ls --block-size=@ -s t/d
    ls LS_BLOCK_SIZE=@ -lsg t/d | ls BLOCK_SIZE=@ -lsg t/d | ls BLOCKSIZE=@ -lsg t/d | ls -w @ -C w
    ls --width=@ -m w | ls -T @ -C w | ls --tabsize=@ -x w | ls COLUMNS=@ -C w | ls TABSIZE=@ -C w
";
const STYLES: &str = "
    ls --time-style=@ -lg t/d | ls --time-style=@ t/d | ls TIME_STYLE=@ -lg t/d
    ls TIME_STYLE=@ --full-time t/d | du --time-style=@ --time t/d | du TIME_STYLE=@ --time t/d
    du --time-style=@ t/d
";

fn size(choices: &mut Choices) -> String {
    let words =
        ["human-readable", "human", "h", "hu", "si", "s", "sI", "", "'", "'si", "'1K", "+", " "];
    if choices.one_in(8) {
        return choices.one_of(&words).to_owned();
    }
    let numbers = cells(
        "
        0 | 00 | 1 | 2 | 3 | 010 | 08 | 0x10 | 0XAk | 0x | 0xK | 0xE | 1024 | 4096 | 1_000 | 1.5
        18446744073709551615 | 18446744073709551616 | 99999999999999999999999999999999999999999
        9223372036854775807 | 9223372036854775808 | 9223372036854775809 | 9007199254740992 | 16384 | 60
        ",
    );
    let units =
        cells("k | K | m | M | g | G | t | T | P | E | Z | Y | R | e | p | y | z | b | c | w | x");
    let mut some = |one_in: usize, of: &[&'static str]| {
        if choices.one_in(one_in) { choices.one_of(of) } else { "" }
    };
    let start = some(5, &[" ", "\t", "\n\r", "\u{b}\u{c}", "\u{a0}", "'", "k", " '"]);
    let sign = some(3, &["+", "-", "+", "-", "--", "+-", "- "]);
    let number =
        if start.is_empty() && sign.is_empty() { some(2, &numbers) } else { some(1, &numbers) };
    let unit = if number.is_empty() { some(1, &units) } else { some(2, &units) };
    let end = if unit.is_empty() {
        some(9, &["B", " "])
    } else {
        some(2, &["B", "iB", "D", "i", "b", "BB", "0"])
    };
    [start, sign, number, unit, end].concat()
}

fn style(choices: &mut Choices) -> String {
    let prefix = ["", "", "posix-", "posix-posix-", "posix", "posix-posix-posix-"];
    let styles = [
        "", "full-iso", "long-iso", "iso", "locale", "f", "full", "l", "lo", "lon", "loc", "i",
        "is", "isoo", "x", "+", "+%Y", "+%Y\n%m", "+a\n", "+\n", "+a\nb\nc", "+\n\n", "\n", "-iso",
        "Iso", "+posix-", "locale\n", " iso", "+%s%%%",
    ];
    choices.one_of(&prefix).to_owned() + choices.one_of(&styles)
}

#[test]
fn values_mean_the_same_to_gnu() {
    if has_gnu("ls").is_none() || has_gnu("du").is_none() || !has_utf8() {
        return;
    }
    let scratch = Scratch::new();
    for (name, size) in [("t/d/one", 1), ("t/d/many", 70_000), ("t/d/e/f/g", 5000)] {
        scratch.file_with(name, &vec![b'x'; size]);
    }
    let huge = fs::File::options().write(true).open(scratch.file("t/d/huge"));
    huge.and_then(|file| file.set_len(5 << 30)).unwrap();
    scratch.tree("w", "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii jjjjjjjjjj");
    for (name, seconds) in [("t/d/one", 1_000_000_000), ("t/d/many", 3_000_000_000)] {
        set_time(&scratch.at(name), seconds, 0);
    }
    for tool in ["ls", "du"] {
        scratch.link(format!("bin/{tool}"), env!("CARGO_BIN_EXE_curt"));
    }
    let (sizes, styles) = (cells(SIZES), cells(STYLES));
    try_seeds("values", include_str!("seeds.txt"), |choices| {
        for _ in 0..6 {
            let is_size = choices.one_in(2);
            let value = if is_size { size(choices) } else { style(choices) };
            let line = choices.one_of(if is_size { &sizes } else { &styles });
            let (tool, words) = line.split_once(' ').unwrap();
            let mut variables = vec![("LC_ALL", choices.one_of(&["C", "C.UTF-8"]))];
            if choices.one_in(4) {
                variables = vec![("LC_TIME", "C"), ("LANG", "C.UTF-8"), ("LC_ALL", "")];
            }
            if choices.one_in(4) {
                variables.push(("POSIXLY_CORRECT", ""));
            }
            let mut arguments = Vec::new();
            for word in words.split(' ') {
                match word.split_once('=') {
                    Some((name, "@")) if !name.starts_with('-') => variables.push((name, &value)),
                    Some((name, other)) if !name.starts_with('-') => variables.push((name, other)),
                    _ => arguments.push(word.replace('@', &value)),
                }
            }
            let curt = scratch.at("bin").join(tool);
            let pair = Pair {
                curt: &curt,
                variables: &variables,
                is_sorted: true,
                equate: |outcome| outcome.messages.clear(),
                ..Pair::new(tool, scratch.path()).unwrap()
            };
            pair.difference(&arguments).map_or(Ok(()), Err)?;
        }
        Ok(())
    });
}
