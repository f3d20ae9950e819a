//! `curt run` beside GNU `timeout` and `env`: the same output, the same messages after the name of
//! the program, the same exit codes.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use curt_testkit::Scratch;

use crate::has_gnu;

/// What was printed, the messages, and the exit code as a shell sees it.
type Said = (Option<i32>, String, String);

/// Runs the GNU tool and curt with these words.
fn compare(scratch: &Scratch, gnu: &[&str], ours: &[&str]) {
    let (ours_said, gnu_said) = both(scratch, gnu, ours);
    assert_eq!(ours_said, gnu_said, "{ours:?}");
}

/// Returns what curt and the GNU tool say.
fn both(scratch: &Scratch, gnu: &[&str], ours: &[&str]) -> (Said, Said) {
    let say = |program: &str, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).current_dir(scratch.typed()).stdin(Stdio::null());
        command.env_clear().envs([("PATH", "/usr/bin:/bin"), ("A", "1"), ("LC_ALL", "C")]);
        let output = command.output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr).replace("curt run:", "timeout:");
        // timeout ends by the signal that it sent to its group.
        let status = output.status;
        let code = status.code().or(status.signal().map(|signal| 128 + signal));
        (code, String::from_utf8_lossy(&output.stdout).into_owned(), messages)
    };
    let ours = [&["run"], ours].concat();
    (say(env!("CARGO_BIN_EXE_curt"), &ours), say(gnu[0], &gnu[1..]))
}

#[test]
fn time_limits_end_as_those_of_timeout() {
    let Some(()) = has_gnu("timeout") else { return };
    let scratch = Scratch::new();
    let deaf = "trap '' TERM; while :; do sleep .05; done";
    let heeds = "trap 'echo asked; exit 7' TERM; while :; do sleep .05; done";
    let stopped = "trap 'echo asked; exit 7' TERM; kill -STOP $$; while :; do sleep .05; done";
    // On a busy machine a script may not have come to its trap yet when the signal comes.
    let longer = |time: &'static str| if time == ".2" { vec![".2", "2", "20"] } else { vec![time] };
    for (time, options, script) in [
        (".2", &["-s", "TERM"][..], heeds),
        (".2", &["-s", "TERM"], stopped),
        (".2", &["-s", "TERM", "--preserve-status"], heeds),
        (".2", &["-s", "term", "-v"], "exec sleep 100"),
        (".2", &["-s", "SIGINT", "--preserve-status"], "exec sleep 100"),
        (".2", &["-s", "KILL"], "exec sleep 100"),
        (".2", &["-s", "9", "--preserve-status", "-v"], "exec sleep 100"),
        (".2", &["-k", ".2", "-v"], deaf),
        (".2", &["-k", ".2", "-v", "--preserve-status"], deaf),
        (".2", &["-k", ".2", "-s", "USR1", "--foreground"], "trap '' USR1; exec sleep 100"),
        (".2", &["-s", "0", "-k", ".2", "-v"], "exec sleep 100"),
        ("100", &["-s", "TERM"], "exit 3"),
        ("100", &["-s", "TERM"], "kill -TERM $$"),
        ("0", &["-s", "TERM"], "exit 4"),
    ] {
        let shell = ["sh", "-c", script];
        let mut answers = longer(time).into_iter().map(|time| {
            let gnu = [&["timeout"], options, &[time], &shell].concat();
            both(&scratch, &gnu, &[&["-t", time], options, &["--"], &shell].concat())
        });
        let equal = answers.clone().find(|(ours, gnu)| ours == gnu);
        assert!(equal.is_some(), "{options:?} {script}: {:?}", answers.next_back());
    }
}

#[test]
fn variables_are_those_of_env() {
    let Some(()) = has_gnu("env") else { return };
    let scratch = Scratch::new();
    scratch.dir("sub");
    for words in [
        &["-u", "A", "/usr/bin/printenv"][..],
        &["-i", "B=2", "C=x=y", "D=", "/usr/bin/printenv"],
        &["A=2", "B=3", "A=4", "printenv", "A", "B"],
        &["-u", "A", "A=5", "printenv", "A"],
        &["-i", "/usr/bin/printenv"],
        &["-C", "sub", "sh", "-c", "pwd; exit 3"],
        &["--unset=A", "--chdir=sub", "printenv", "A"],
    ] {
        compare(&scratch, &[&["env"], words].concat(), words);
    }
}
