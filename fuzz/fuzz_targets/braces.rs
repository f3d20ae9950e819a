//! Compares brace expansion with bash. Skips patterns that expand to too many words.
#![no_main]

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use curt::filters::expand_braces;
use libfuzzer_sys::fuzz_target;

const CHARACTERS: &[u8] = br"{},.\-0123459abcxyzABZ_";

struct Bash(ChildStdin, BufReader<ChildStdout>);

fn bash() -> Option<Bash> {
    let mut bash = Command::new("bash");
    bash.arg("--norc").env("LC_ALL", "C").env_remove("BASH_ENV");
    let Ok(mut bash) = bash.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        eprintln!("skipped: bash is not installed");
        return None;
    };
    let (input, output) = (bash.stdin.take()?, bash.stdout.take()?);
    Some(Bash(input, BufReader::new(output)))
}

thread_local! {
    static BASH: RefCell<Option<Bash>> = RefCell::new(bash());
}

fuzz_target!(|data: &[u8]| {
    let is_known = |byte: &u8| CHARACTERS.contains(byte);
    let Some(pattern) = std::str::from_utf8(data).ok().filter(|_| data.iter().all(is_known)) else {
        return;
    };
    // An unpaired backslash at the end would escape the blank that follows.
    if data.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1 {
        return;
    }
    let Ok(ours) = expand_braces(pattern) else { return };
    BASH.with_borrow_mut(|bash| {
        let Some(Bash(input, output)) = bash else { return };
        // bash removes quotes after the expansion, so double the backslashes.
        let (mut word, mut rest) = (String::new(), pattern.chars());
        while let Some(character) = rest.next() {
            word.push(character);
            if character == '\\' {
                word += r"\\";
                word.extend(rest.next());
            }
        }
        writeln!(input, "printf '%s\\t' {word}; echo").expect("bash reads");
        let mut line = String::new();
        output.read_line(&mut line).expect("bash writes");
        let theirs = line.trim_end_matches('\n').split('\t').filter(|word| !word.is_empty());
        assert_eq!(ours, theirs.collect::<Vec<_>>(), "{pattern}");
    });
});
