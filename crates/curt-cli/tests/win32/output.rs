use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};

use curt_testkit::{Scratch, skip};
use serde_json::{Value, json};

use crate::{Outcome, curt, odd_name, run, words};

/// [`odd_name`] as bytes in a `--files0-from` list.
const ODD_BYTES: &[u8] = b"a\xed\xa0\x80b\xed\xb0\x80";

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_missing_parent_is_reported_as_missing() {
    let scratch = Scratch::new();
    let outcome = run(&scratch, [r"no\such"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.messages.starts_with(r"curt rm: cannot remove 'no\such': "), "{outcome:?}");
    run(&scratch, ["-f", r"no\such", "no/such/", r"Q:\no\such"]).assert_quiet();
}

#[test]
fn names_that_are_not_unicode_are_units_in_json() {
    let scratch = Scratch::new();
    let name = odd_name();
    let outcome = run(&scratch, [OsStr::new("--json"), &name]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let error = &objects(&outcome.messages)[0]["error"];
    assert_eq!(error["path"], json!({"utf16": [0x61, 0xd800, 0x62, 0xdc00]}));
    assert_eq!((&error["errno"], &error["message"]), (&json!(2), &json!(words(2))));
    if std::fs::write(scratch.at(&name), "").is_err() {
        return skip("names with surrogates that have no partner cannot be made here");
    }
    let outcome = run(&scratch, [OsStr::new("--json"), "-v".as_ref(), &name]);
    let removed = &objects(&outcome.out)[0]["path"];
    assert_eq!(removed, &json!({"utf16": [0x61, 0xd800, 0x62, 0xdc00]}));
}

#[test]
fn surrogates_never_reach_the_output_raw() {
    let outcome = run(&Scratch::new(), [odd_name()]);
    assert!(outcome.messages.contains(r"'a'$'\355\240\200''b'$'\355\260\200'"), "{outcome:?}");
}

#[test]
fn names_from_a_list_need_not_be_unicode() {
    let scratch = Scratch::new();
    let below = format!("{0}/{0}/list", "n".repeat(150));
    for name in ["one", "two words", "-f", "nul", "\u{e9}"] {
        scratch.file(name);
    }
    let names = [b"one\0two words\0-f\0nul\0\xc3\xa9\0".as_slice(), ODD_BYTES].concat();
    scratch.file_with(&below, &names);
    let outcome = run(&scratch, ["--json", "--files0-from", &below]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let error = &objects(&outcome.messages)[0]["error"];
    assert_eq!(error["path"], json!({"utf16": [0x61, 0xd800, 0x62, 0xdc00]}), "{outcome:?}");
    assert_eq!(scratch.list(".").len(), 3, "the list and its folders");

    scratch.file("last");
    let mut child = curt(scratch.typed(), ["-v", "--files0-from=-"]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"last\0bad\xff\0").unwrap();
    let outcome = Outcome::of(&child.wait_with_output().unwrap());
    assert_eq!((outcome.code, outcome.out.as_str()), (Some(1), "removed 'last'\n"));
    assert_eq!(outcome.messages, "curt rm: standard input:2: invalid file name\n");
}

#[test]
fn answers_come_from_a_pipe_or_a_file() {
    for (typed, stays) in [("y\r\n", false), ("n\r\n", true), ("", true)] {
        let scratch = Scratch::new();
        scratch.file("f");
        let mut child = curt(scratch.typed(), ["-i", "f"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let outcome = Outcome::of(&child.wait_with_output().unwrap());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert_eq!(outcome.messages, "curt rm: remove regular empty file 'f'? ");
        assert_eq!(scratch.exists("f"), stays, "{typed:?}");

        let answers = scratch.file_with("answers", typed.as_bytes());
        scratch.remove("f");
        scratch.file("f");
        let mut command = curt(scratch.typed(), ["-i", "f"]);
        let output = command.stdin(std::fs::File::open(answers).unwrap()).output().unwrap();
        assert_eq!(Outcome::of(&output).code, Some(0));
        assert_eq!(scratch.exists("f"), stays, "{typed:?}");
    }
}

#[test]
fn paths_are_joined_with_one_separator() {
    let scratch = Scratch::new();
    for (operand, shown) in [("t", r"t\f"), ("t/", "t/f"), (r"t\", r"t\f"), (r"./t", r"./t\f")] {
        scratch.file("t/f");
        let outcome = run(&scratch, ["-rv", operand]);
        assert!(outcome.out.starts_with(&format!("removed '{shown}'\n")), "{outcome:?}");
    }
}

fn run_line(scratch: &Scratch, words: &str) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    Outcome::of(&command.args(words.split(' ')).current_dir(scratch.typed()).output().unwrap())
}

#[test]
fn refused_patterns_get_a_hint() {
    let scratch = Scratch::new();
    scratch.file("x/a.orig");
    for command in ["rm", "ls", "du", "find .", "stat"] {
        for (operand, is_pattern) in [(r"x\*.orig", true), (r"x\a<b", false)] {
            let outcome = run_line(&scratch, &format!("{command} {operand}"));
            assert_ne!(outcome.code, Some(0), "{command}: {outcome:?}");
            let words = if is_pattern { "patterns are not expanded" } else { "patterns" };
            assert_eq!(outcome.messages.contains(words), is_pattern, "{command}: {outcome:?}");
        }
    }
    let outcome = run_line(&scratch, "find -g *.orig x --delete");
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(!scratch.exists("x/a.orig") && scratch.exists("x"), "as the message says");
}

#[test]
fn the_long_form_names_owners() {
    let scratch = Scratch::new();
    scratch.file("a");
    scratch.dir("b");
    let [json, lines] = ["ls --json --fields name,user,group", "ls -l"].map(|words| {
        let outcome = run_line(&scratch, words);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        outcome.out
    });
    let entries = objects(&json);
    for object in &entries {
        let name = object["name"].as_str().unwrap();
        let ending = format!(" {name}");
        let line = lines.lines().find(|line| line.ends_with(&ending)).unwrap();
        for owner in ["user", "group"] {
            let owner = object[owner].as_str().unwrap();
            assert!(line.contains(&format!(" {owner} ")), "{owner}: {line}");
        }
    }
    assert_eq!(entries.len(), 2, "{json}");
    assert!(!lines.contains(" ? "), "{lines}");
}
