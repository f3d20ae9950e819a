//! Compares `curt run` with GNU `timeout` and `env`.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use curt_testkit::{Scratch, at_once, cells, heed_signals};
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::has_gnu;

type Outcome = (ExitStatus, String, String);

const CURT: &str = env!("CARGO_BIN_EXE_curt");

fn compare(scratch: &Scratch, gnu: &[&str], ours: &[&str]) {
    let (our_outcome, gnu_outcome) = both(scratch, gnu, ours);
    assert_eq!(our_outcome, gnu_outcome, "{ours:?}");
}

fn started(scratch: &Scratch, words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(scratch.typed()).stdin(Stdio::null());
    command.env_clear().envs([("PATH", "/usr/bin:/bin"), ("A", "1"), ("LC_ALL", "C")]);
    command
}

fn both(scratch: &Scratch, gnu: &[&str], ours: &[&str]) -> (Outcome, Outcome) {
    let outcome_of = |words: &[&str]| {
        let output = started(scratch, words).output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr).replace("curt run:", "timeout:");
        (output.status, String::from_utf8_lossy(&output.stdout).into_owned(), messages)
    };
    (outcome_of(&[&[CURT, "run"], ours].concat()), outcome_of(gnu))
}

/// Returns whether musl, the libc of static binaries, reserves this signal, unlike glibc.
fn is_reserved(word: &str) -> bool {
    let is_first = ["34", "162", "RTMIN", "RTMIN+0", "RTMAX-30"].contains(&word);
    is_first && cfg!(target_env = "musl")
}

fn state(process: Pid) -> u8 {
    let path = format!("/proc/{}/stat", process.as_raw_nonzero());
    let text = fs::read_to_string(path).unwrap_or_default();
    text.rsplit(") ").next().and_then(|rest| rest.bytes().next()).unwrap_or_default()
}

/// Returns whether a program keeps running. A zombie has ended: its new parent might be slow to
/// wait for it.
fn is_running(program: Pid) -> bool {
    !(0..200).any(|_| {
        thread::sleep(Duration::from_millis(5));
        matches!(state(program), 0 | b'Z' | b'X')
    })
}

const IGNORING: &str = "trap '' TERM INT; echo $$; while :; do sleep .05; done";
const HANDLING: &str = "for s in HUP INT QUIT TERM; do trap \"echo $s; exit 7\" $s; done; echo $$; \
                     while :; do sleep .05; done";
const STOPPED: &str = "trap 'echo asked; exit 7' TERM; echo $$; kill -STOP $$; \
                       while :; do sleep .05; done";
const PLAIN: &str = "ulimit -c 0; echo $$; exec sleep 100";

#[test]
fn time_limits_end_as_those_of_timeout() {
    let Some(()) = has_gnu("timeout") else { return };
    heed_signals();
    let scratch = Scratch::new();
    let silent = |script: &str| script.replace("echo $$; ", "");
    // Also try longer limits: on a busy machine the signal might arrive before the script sets its
    // trap.
    let longer = |time: &'static str| if time == ".2" { vec![".2", "2", "20"] } else { vec![time] };
    let cases = [
        (".2", &[][..], HANDLING),
        (".2", &[], STOPPED),
        (".2", &["-s", "INT", "--preserve-status"], HANDLING),
        (".2", &["-s", "term", "-v"], PLAIN),
        (".2", &["-s", "SIGINT", "--preserve-status"], PLAIN),
        (".2", &["-s", "KILL"], PLAIN),
        (".2", &["-s", "9", "--preserve-status", "-v"], PLAIN),
        (".2", &["-s", "9", "--foreground", "-v"], PLAIN),
        (".2", &["-k", ".2", "-v"], IGNORING),
        (".2", &["-k", ".2", "-v", "--preserve-status", "--foreground"], IGNORING),
        (".2", &["-k", ".2", "-s", "USR1", "--foreground"], "trap '' USR1; exec sleep 100"),
        (".2", &["-s", "0", "-k", ".2", "-v"], PLAIN),
        ("100", &[], "exit 3"),
        ("100", &[], "kill -TERM $$"),
        ("inf", &["-k", "+1"], "kill -KILL $$"),
        ("0", &[], "exit 4"),
    ];
    let cases = cases.map(|(time, options, script)| (time, options.to_vec(), silent(script)));
    // Omit KILL (tested above), CHLD (timeout hangs after it), the stop signals (the SIGCONT that
    // follows cancels them), and signals reserved by libc.
    let mut numbers: Vec<String> = (1..=64).map(|number| number.to_string()).collect();
    let others = ["9", "17", "19", "20", "21", "22", "32", "33"];
    numbers.retain(|it| !others.contains(&&**it) && !is_reserved(it));
    let answers = numbers.iter().map(|number| {
        let script = format!("trap 'echo {number}; exit 7' {number}; while :; do sleep .05; done");
        (".2", vec!["-s", number, "--preserve-status"], script)
    });
    let alarms = [&["-s", "ALRM"][..], &["-s", "alrm", "-k9", "--foreground", "-v"]]
        .map(|options| (".2", options.to_vec(), PLAIN.replace("echo $$; ", "")));
    at_once(cases.into_iter().chain(answers).chain(alarms), |(time, options, script)| {
        let shell = ["sh", "-c", &script];
        let mut answers = longer(time).into_iter().map(|time| {
            let gnu = [&["timeout"], &*options, &[time], &shell].concat();
            both(&scratch, &gnu, &[&["-t", time], &*options, &["--"], &shell].concat())
        });
        let equal = answers.clone().find(|(ours, gnu)| ours == gnu);
        assert!(equal.is_some(), "{options:?} {script}: {:?}", answers.next_back());
    });
}

#[test]
fn signals_are_passed_on_as_by_timeout() {
    let Some(()) = has_gnu("timeout") else { return };
    heed_signals();
    let scratch = Scratch::new();
    let forwarded = |words: &[&str], signal| {
        let mut child = started(&scratch, words).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut program = String::new();
        output.read_line(&mut program).unwrap();
        let program = Pid::from_raw(program.trim().parse().unwrap()).unwrap();
        // Wait until both sleep, because timeout loses a signal that arrives right after its fork.
        for process in [program, Pid::from_child(&child)] {
            while !matches!(state(process), b'S' | b'T') {
                thread::sleep(Duration::from_millis(5));
            }
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = child.wait().unwrap();
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        (status, rest, is_running(program))
    };
    let signals = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::ALARM];
    let cases = signals.into_iter().flat_map(|signal| {
        [
            (&[][..], HANDLING),
            (&["--preserve-status"], HANDLING),
            (&["--foreground"], HANDLING),
            (&["-s", "INT"], HANDLING),
            (&["-k", "100"], PLAIN),
            (&["-k", ".2"], IGNORING),
            (&["-k", ".2", "--foreground"], IGNORING),
        ]
        .map(|(options, script)| (signal, options, script))
    });
    let stopped = (Signal::TERM, &[][..], STOPPED);
    at_once(cases.chain([stopped]), |(signal, options, script)| {
        if script == IGNORING && !matches!(signal, Signal::INT | Signal::TERM | Signal::ALARM) {
            return;
        }
        let shell = ["sh", "-c", script];
        let gnu = forwarded(&[&["timeout"], options, &["50"], &shell].concat(), signal);
        let ours =
            forwarded(&[&[CURT, "run", "-t", "50"], options, &["--"], &shell].concat(), signal);
        assert_eq!(ours, gnu, "{signal:?} {options:?} {script}");
        assert!(!ours.2, "{signal:?} {options:?} {script}: it goes on");
    });
}

/// Ignored interrupts remain ignored, as in newer versions of timeout.
#[test]
fn ignored_and_blocked_signals_are_those_of_env_and_timeout() {
    let (Some(()), Some(())) = (has_gnu("timeout"), has_gnu("env")) else { return };
    let scratch = Scratch::new();
    // Hide two internal signals that glibc ignores in its children.
    let shown =
        "sed -En '/SigBlk|SigIgn/{s/0000000[0189][08]/000000000/;p}' /proc/self/status; exit 7";
    let cases = [
        (&[][..], true),
        (&["--ignore-signal=CHLD"], false),
        (&["--ignore-signal=PIPE"], true),
        (&["--ignore-signal=TERM,ALRM"], true),
        (&["--ignore-signal=INT,QUIT,HUP"], true),
        (&["--block-signal=CHLD"], false),
        (&["--block-signal=TERM,INT,PIPE"], true),
    ];
    at_once(cases, |(inherited, env_leaves_it)| {
        let began = [&["env", "--default-signal"], inherited].concat();
        let outcome = |tool: &[&str]| {
            let words = [&began, tool, &["sh", "-c", shown]].concat();
            let output = started(&scratch, &words).output().unwrap();
            assert_eq!(output.status.code(), Some(7), "{words:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let (env, timeout) = (outcome(&["env"]), outcome(&["timeout", "50"]));
        if env_leaves_it {
            assert_eq!(outcome(&[CURT, "run", "--"]), env, "{inherited:?}");
        }
        let ours = outcome(&[CURT, "run", "-t", "50", "--"]);
        // timeout's children do not ignore the signals that timeout handles.
        let expected = if ours == env { &env } else { &timeout };
        assert_eq!(&ours, expected, "{inherited:?}");
        for limited in [&["timeout", ".2"][..], &[CURT, "run", "-t", ".2", "--"]] {
            if inherited == ["--block-signal=TERM,INT,PIPE"] {
                continue;
            }
            let words = [&began, limited, &["sleep", "50"]].concat();
            let status = started(&scratch, &words).status().unwrap();
            assert_eq!(status.code(), Some(124), "{words:?}");
        }
    });
}

/// curt must report a program's end even if its own parent ignored SIGCHLD.
#[test]
fn exit_statuses_are_not_lost() {
    let Some(()) = has_gnu("env") else { return };
    let scratch = Scratch::new();
    scratch.file("f");
    for (words, code) in [
        (&["run", "sh", "-c", "exit 7"][..], 7),
        (&["run", "--stats", "sh", "-c", "exit 7"], 7),
        (&["run", "-t", "9", "sh", "-c", "exit 7"], 7),
        (&["find", "-x", "true"], 0),
        (&["find", "-x", "false"], 1),
        (&["find", "-X", "false"], 1),
        (&["find", "-j1", "-X", "true"], 0),
    ] {
        let words = [&["env", "--ignore-signal=CHLD", CURT], words].concat();
        let output = started(&scratch, &words).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {output:?}");
    }
}

#[test]
fn times_are_those_of_timeout() {
    let Some(()) = has_gnu("timeout") else { return };
    let scratch = Scratch::new();
    let words = "0 00 -0 -0x0 0e5 0x0p5 1 1. .5 . +1 ++1 +-1 -1 1e1 1e+1 1e 1e1000 inf INF \
                 +inf -inf infinity infd infm infi infinityx nan nan(1) 0x1 0X1.8p1 0x 0xp1 0x1p 0x. \
                 0x10d 0x1p3d 1s 1m 1h 1d 1w 1S 1dd 1s2 1_0 1,5 99999999999999999999d 1e300d";
    let odd = ["", " 1", "\t1", "\n1", "\u{b}1", "\r1", "1 ", "1 s", "\u{a0}1", "\u{663}"];
    for word in words.split_whitespace().chain(odd) {
        let gnu = started(&scratch, &["timeout", "--", word, "true"]).output().unwrap();
        let expected_code =
            if gnu.status.code() == Some(125) { Some(2) } else { gnu.status.code() };
        for words in [["-t", word].as_slice(), &["-t1", "-k", word]] {
            let words = [&[CURT, "run"], words, &["true"]].concat();
            let output = started(&scratch, &words).output().unwrap();
            assert_eq!(output.status.code(), expected_code, "{word:?}: {output:?}");
        }
    }
}

#[test]
fn names_of_signals_are_those_of_timeout() {
    let Some(()) = has_gnu("timeout") else { return };
    let scratch = Scratch::new();
    let words = "TERM sigterm EXIT 0 IOT cld POLL IO PWR STKFLT SYS 9 09 137 265 128 254 255 256 384 32 33 \
                 34 162 64 65 193 RTMIN RTMIN+0 RTMIN+1 rtmin+2 RTMIN+15 RTMIN+16 SIGRTMIN+30 \
                 RTMIN+31 RTMIN-1 RTMIN+ RTMAX RTMAX-2 RTMAX-30 RTMAX-31 RTMAX+1 UNUSED EMT 0x9 +9 4294967305 -1 SIG";
    for word in words.split_whitespace() {
        let option = format!("--signal={word}");
        let gnu = started(&scratch, &["timeout", &option, "1", "true"]).output().unwrap();
        let ours = [CURT, "run", "-t1", &option, "true"];
        let ours = started(&scratch, &ours).output().unwrap();
        let expected_code = if gnu.status.code() == Some(125) || is_reserved(word) { 2 } else { 0 };
        assert_eq!(ours.status.code(), Some(expected_code), "{word}: {ours:?}");
    }
    let words = "IOT POLL PWR STKFLT 137 64 RTMIN RTMIN+1 rtmin+2 RTMIN+15 RTMIN+16 RTMAX-2 RTMAX";
    for word in words.split_whitespace().filter(|word| !is_reserved(word)) {
        let option = format!("--signal={word}");
        let gnu = ["timeout", "-v", &option, ".05", "sleep", "9"];
        compare(&scratch, &gnu, &["-v", "-t", ".05", &option, "sleep", "9"]);
    }
}

#[test]
fn failed_starts_have_the_exit_code_of_env() {
    const NAMES: &str = "
        ./program | ./program/ | ./program/x | ./plain | ./plain/ | ./plain/x | ./dir | ./dir/
        ./loop | ./loop/x | ./dangling | ./through-file | ./through | ./lost | ./lost/x | lost
        '' | . | .. | ./. | / | dir | plain
    ";
    let Some(()) = has_gnu("env") else { return };
    let scratch = Scratch::new();
    scratch.dir("dir");
    scratch.script("plain", "", 0o644);
    scratch.script("program", "#!/bin/sh\n", 0o755);
    scratch.script("through", "#!/etc/passwd/x\n", 0o755);
    scratch.link("loop", "loop");
    scratch.link("dangling", "nowhere");
    scratch.link("through-file", "plain/x");
    let long = "a".repeat(300);
    let (long_path, longest) = (format!("./{long}"), "./a".repeat(3000));
    for name in cells(NAMES).into_iter().chain([&*long, &long_path, &longest]) {
        // env also finds files in PATH that are not programs.
        for path in ["PATH=/usr/bin:/bin", "PATH=.", "PATH=dir"] {
            let code = |tool: &[&str]| {
                let words = [&["env", path], tool, &[name]].concat();
                started(&scratch, &words).output().unwrap().status.code()
            };
            let expected = code(&["/usr/bin/env", "--"]);
            assert_eq!(code(&[CURT, "run", "--"]), expected, "{path} {name:?}");
            assert_eq!(code(&[CURT, "run", "-t9", "--"]), expected, "{path} {name:?}");
        }
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
