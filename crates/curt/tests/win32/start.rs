//! Programs of Windows: their words, their ends, and batch files, whose words cmd.exe takes apart.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use curt::os::windows::CommandExtras;
use curt::process::{StartFailure, Stream};
use curt::{Cause, Command};
use curt_testkit::windows::is_wine;
use curt_testkit::{Scratch, skip};

const LONG: Duration = Duration::from_secs(60);

/// cmd.exe of the system.
fn cmd() -> PathBuf {
    Path::new(&std::env::var_os("SystemRoot").unwrap()).join(r"system32\cmd.exe")
}

fn printed(command: &Command) -> String {
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")
}

fn why(command: &Command) -> StartFailure {
    match command.spawn().unwrap_err().cause() {
        Cause::Start(why, _) => why.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn ends_variables_and_directories_are_the_childs() {
    let scratch = Scratch::new();
    let mut command = Command::new(cmd());
    command.args(["/c", "exit 7"]);
    assert_eq!(command.status().unwrap().code(), Some(7));
    let mut command = Command::new(cmd());
    command.args(["/c", "echo %CURT_TEST%%Curt_Other%"]);
    command.env("Curt_Test", "a").env("CURT_TEST", "b").env("CURT_OTHER", "c");
    assert_eq!(printed(&command), "bc\n");
    let mut command = Command::new(cmd());
    command.args(["/c", "cd"]).current_dir(scratch.path());
    let here = scratch.path().to_str().unwrap().trim_start_matches(r"\\?\").to_lowercase();
    assert_eq!(printed(&command).trim().to_lowercase(), here);
    command.current_dir(scratch.at("nowhere"));
    assert_eq!(why(&command), StartFailure::Directory);
}

#[test]
fn streams_are_pipes_files_or_nothing() {
    let mut command = Command::new(cmd());
    command.args(["/c", "more"]).stdin(Stream::pipe()).stdout(Stream::pipe());
    let mut child = command.stderr(Stream::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"in\r\n").unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(text.starts_with("in"), "{text:?}");
    child.wait().unwrap();
    let mut command = Command::new(cmd());
    command.args(["/c", "echo out& echo err 1>&2"]);
    let output = command.output().unwrap();
    assert!(output.stdout.starts_with(b"out") && output.stderr.starts_with(b"err"), "{output:?}");
}

#[test]
fn waiting_has_a_limit_and_trees_are_ended() {
    // A program that waits for its input is there on every system.
    let mut waiting = Command::new(cmd());
    waiting.arg("/c").arg("pause").stdin(Stream::pipe()).stdout(Stream::null()).own_tree(true);
    let child = waiting.spawn().unwrap();
    assert_eq!(child.wait_timeout(Duration::from_millis(50)).unwrap(), None);
    child.kill_tree().unwrap();
    assert_eq!(child.wait_timeout(LONG).unwrap().unwrap().code(), Some(1));
    child.kill_tree().unwrap();
    child.kill().unwrap();
}

#[test]
fn several_handles_are_passed() {
    // Each reads until nobody can write to its input any more.
    let readers = [(), ()].map(|()| {
        let mut reader = Command::new(cmd());
        reader.args(["/c", "more"]).stdin(Stream::pipe()).stdout(Stream::null());
        reader.spawn().unwrap()
    });
    let mut holder = Command::new(cmd());
    holder.arg("/c").arg("pause").stdin(Stream::pipe()).stdout(Stream::null());
    let readers = readers.map(|mut reader| {
        holder.handle(reader.stdin.take().unwrap());
        reader
    });
    let mut held = holder.spawn().unwrap();
    drop(holder);
    for reader in &readers {
        assert_eq!(reader.wait_timeout(Duration::from_millis(200)).unwrap(), None);
    }
    held.kill().unwrap();
    held.wait().unwrap();
    for reader in &readers {
        assert!(reader.wait_timeout(LONG).unwrap().is_some());
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    let scratch = Scratch::new();
    let error = Command::new(scratch.at("lost.exe")).spawn().unwrap_err();
    assert!(matches!(error.cause(), Cause::Find(_)), "{error:?}");
    std::fs::write(scratch.at("junk.exe"), "no image").unwrap();
    assert_eq!(why(&Command::new(scratch.at("junk.exe"))), StartFailure::BadFormat);
    let mut command = Command::new(cmd());
    command.arg("x".repeat(40_000));
    assert_eq!(why(&command), StartFailure::TooLong);
    let batch = scratch.at("b.bat");
    std::fs::write(&batch, "@echo off\r\n").unwrap();
    let mut command = Command::new(&batch);
    assert_eq!(why(command.arg("x".repeat(9_000))), StartFailure::TooLong);
    let mut command = Command::new(&batch);
    assert_eq!(why(command.arg("a\nb")), StartFailure::InvalidText);
}

/// Random words of the characters that mean something to cmd.exe or to programs.
fn random_words(seed: u64, characters: &str) -> Vec<String> {
    let characters: Vec<char> = characters.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let count = 1 + next(3);
    let mut word = || (0..next(8)).map(|_| characters[next(characters.len())]).collect();
    (0..count).map(|_| word()).collect()
}

fn rounds(usual: u64) -> u64 {
    std::env::var("CURT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn words_arrive_at_a_program_as_they_are() {
    let here = std::env::current_exe().unwrap();
    let program = here.ancestors().nth(2).unwrap().join(r"examples\arguments.exe");
    if !program.exists() {
        return skip("the example that prints its arguments was not built");
    }
    for seed in 0..rounds(40) {
        let words = random_words(seed, "%!^&|<>\"'\\ \t=,;()aBé");
        let mut command = Command::new(&program);
        let output = printed(command.args(&words));
        let arrived = output.lines().map(|line| {
            let bytes = line.split_whitespace().map(|byte| byte.parse().unwrap()).collect();
            String::from_utf8(bytes).unwrap()
        });
        assert_eq!(arrived.collect::<Vec<_>>(), words, "{seed}");
    }
}

/// What a batch file has for its first argument, for it without quotes, and for all of them.
struct Seen {
    first: String,
    bare: String,
    all: String,
}

fn run_batch(batch: &Path, words: &[String]) -> Seen {
    let mut command = Command::new(batch);
    let output = printed(command.args(words));
    let lines: Vec<&str> = output.lines().collect();
    let line = |name: &str| {
        let found = lines.iter().find_map(|line| line.strip_prefix(name));
        found.unwrap_or_else(|| panic!("{words:?}: {output:?}")).to_owned()
    };
    Seen { first: line("one="), bare: line("bare="), all: line("all=") }
}

/// A file that prints its arguments so that cmd.exe does not act upon what is in them: through
/// variables that are expanded late.
fn batch(scratch: &Scratch, folder: &str) -> PathBuf {
    std::fs::create_dir_all(scratch.at(folder)).unwrap();
    let path = scratch.at(folder).join("show.bat");
    let text = "@echo off\r\nset one=%1\r\nset \"bare=%~1\"\r\nset all=%*\r\n\
                setlocal enabledelayedexpansion\r\necho one=!one!\r\necho bare=!bare!\r\necho all=!all!\r\n";
    std::fs::write(&path, text).unwrap();
    path
}

/// Nothing that is given to a batch file runs, begins a variable, or is lost.
#[test]
fn words_arrive_at_a_batch_file() {
    let scratch = Scratch::new();
    let show = batch(&scratch, "a b");
    let run = scratch.at("ran");
    // What would run if a word were taken for a command.
    let evil = format!("&echo x>{}&", run.display());
    for words in [
        vec!["plain".to_owned()],
        vec!["a b".to_owned(), String::new()],
        vec!["%PATH%".to_owned()],
        vec!["%CD:~0,1%^&".to_owned()],
        vec![evil.clone()],
        vec![format!("\"{evil}")],
        vec!["100%".to_owned(), "%".to_owned(), "%%".to_owned()],
        vec!["trailing\\".to_owned(), "x".to_owned()],
    ] {
        let seen = run_batch(&show, &words);
        check(&seen, &words);
    }
    for seed in 0..rounds(60) {
        // A quote, and what cmd.exe's own `set` acts upon, are left to the words above.
        let words = random_words(seed, "%^&|<>'\\ =,;()aB");
        check(&run_batch(&show, &words), &words);
    }
    assert!(!run.exists(), "a word was taken for a command");
}

fn check(seen: &Seen, words: &[String]) {
    let first = &words[0];
    // A quote in a word is doubled; backslashes before the end of quotes are, as programs count
    // them.
    let backslashes = first.len() - first.trim_end_matches('\\').len();
    let is_quoted = seen.first.starts_with('"');
    let doubled = if is_quoted { "\\".repeat(backslashes) } else { String::new() };
    let expected = format!("{}{doubled}", first.replace('"', "\"\""));
    // Wine's cmd takes away more quotes than the outer ones; that nothing ran is all that is asked
    // there.
    if is_wine() && first.contains('"') {
        return;
    }
    // Wine's cmd looks for variables again in what `%~1` became; the other two arrive there as
    // well.
    if !(is_wine() && first.contains('%')) {
        assert_eq!(seen.bare, expected, "{words:?}");
    }
    let quoted = if is_quoted { format!("\"{expected}\"") } else { expected };
    assert_eq!(seen.first, quoted, "{words:?}");
    assert!(seen.all.starts_with(&quoted), "{words:?}: {}", seen.all);
}

/// A path may hold what is a variable elsewhere.
#[test]
fn a_batch_file_is_found_by_its_own_name() {
    let scratch = Scratch::new();
    for folder in ["100%TEMP%", "a&b", "c^d", "(e)", "f;g=h,i"] {
        let show = batch(&scratch, folder);
        let seen = run_batch(&show, &["x".to_owned()]);
        assert_eq!((seen.first.as_str(), seen.all.as_str()), ("x", "x"), "{folder}");
    }
}

/// The system's own cmd.exe runs it, whatever is named elsewhere; and only by the name that it has.
#[test]
fn comspec_chooses_nothing() {
    let scratch = Scratch::new();
    let show = batch(&scratch, "b");
    let mut command = Command::new(&show);
    command.arg("x").env("COMSPEC", scratch.at("other.exe"));
    assert!(printed(&command).contains("one=x"));
}

#[test]
fn names_are_looked_for_in_the_path_of_the_child() {
    let scratch = Scratch::new();
    let show = batch(&scratch, "bin");
    let mut command = Command::new("SHOW");
    command.arg("x").env("PATH", show.parent().unwrap()).env("PATHEXT", ".EXE;.BAT");
    assert!(printed(&command).contains("one=x"));
    let missing: OsString = "no-such-program".into();
    let error = Command::new(missing).spawn().unwrap_err();
    assert!(matches!(error.cause(), Cause::Find(_)), "{error:?}");
}

/// Takes a file away and puts it back until it is dropped.
struct Swaps {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swaps {
    fn of(file: &Path) -> Swaps {
        let is_over = Arc::new(AtomicBool::new(false));
        let (file, aside) = (file.to_owned(), file.with_extension("aside"));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                // What is open cannot be renamed for a moment.
                if std::fs::rename(&file, &aside).is_ok() {
                    std::thread::yield_now();
                    while std::fs::rename(&aside, &file).is_err() {}
                }
                std::thread::yield_now();
            }
        });
        Swaps { is_over, thread: Some(thread) }
    }
}

impl Drop for Swaps {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// What is gone when it is started is not looked for anywhere else: the directory that the child
/// runs in has a file of that name, too, which the policy refuses.
#[test]
fn nothing_is_started_that_the_policy_refused() {
    let scratch = Scratch::new();
    for (folder, word) in [("b", "good"), ("here", "evil")] {
        scratch.file_with(format!("{folder}/swapped.bat"), format!("@echo {word}\r\n").as_bytes());
    }
    let mut command = Command::new("swapped");
    command.env("PATH", scratch.at("b")).env("PATHEXT", ".COM;.EXE;.BAT;.CMD");
    command.current_dir(scratch.at("here"));
    assert_eq!(printed(&command).trim(), "good");
    let swaps = Swaps::of(&scratch.at("b").join("swapped.bat"));
    for _ in 0..30 {
        if let Ok(output) = command.output() {
            // cmd.exe opens it again, when it may be gone.
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(!said.contains("evil"), "{said}");
        }
    }
    drop(swaps);
    assert_eq!(printed(&command).trim(), "good");
}
