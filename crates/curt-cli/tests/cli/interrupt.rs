use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use curt_testkit::Scratch;
use rustix::process::{Pid, Signal};

use crate::curt;

const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGQUIT: i32 = 3;
const SIGTERM: i32 = 15;

fn signal(child: &Child, number: i32) {
    let (child, signal) = (Pid::from_child(child), Signal::from_named_raw(number).unwrap());
    rustix::process::kill_process(child, signal).unwrap();
}

fn waiting(scratch: &Scratch, args: &[&str], prompt: &str) -> Child {
    prompted(scratch, curt(scratch, args), prompt)
}

fn prompted(scratch: &Scratch, mut command: Command, prompt: &str) -> Child {
    curt_testkit::heed_signals();
    scratch.file("f");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut prompted = vec![0; prompt.len()];
    child.stderr.as_mut().unwrap().read_exact(&mut prompted).unwrap();
    assert_eq!(String::from_utf8(prompted).unwrap(), prompt);
    child
}

fn end(mut child: Child) -> (ExitStatus, String, String) {
    let mut texts = [String::new(), String::new()];
    child.stdout.take().unwrap().read_to_string(&mut texts[0]).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut texts[1]).unwrap();
    let status = child.wait().unwrap();
    let [out, messages] = texts;
    (status, out, messages)
}

/// On a small stack, another thread does the work, and must get the signal.
#[test]
fn a_prompt_is_interrupted_on_a_small_stack() {
    let scratch = Scratch::new();
    let mut shell = Command::new("sh");
    let script = format!("ulimit -s 64; exec '{}' rm -i f", env!("CARGO_BIN_EXE_curt"));
    shell.args(["-c", &script]).current_dir(scratch.path());
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = prompted(&scratch, shell, "curt rm: remove regular empty file 'f'? ");
    signal(&child, SIGINT);
    assert_eq!(end(child).0.signal(), Some(SIGINT));
}

#[test]
fn a_prompt_is_interrupted() {
    let (file, all) = ("remove regular empty file 'f'", "remove 1 argument recursively");
    for (args, prompt, number) in [
        (&["-i", "f"][..], file, SIGINT),
        (&["-i", "f"], file, SIGTERM),
        (&["-i", "f"], file, SIGHUP),
        (&["-rI", "f"], all, SIGINT),
        (&["-i", "--json", "f"], file, SIGTERM),
    ] {
        let scratch = Scratch::new();
        let child = waiting(&scratch, args, &format!("curt rm: {prompt}? "));
        signal(&child, number);
        let (status, out, messages) = end(child);
        assert_eq!((status.signal(), out.as_str()), (Some(number), ""), "{args:?}");
        if args.contains(&"--json") {
            let summary: serde_json::Value = serde_json::from_str(messages.trim()).unwrap();
            assert_eq!(summary["summary"]["interrupted"], true);
        } else {
            assert_eq!(messages, "\ncurt rm: interrupted: 0 files and 0 directories removed\n");
        }
        assert!(scratch.exists("f"));
    }
}

#[test]
fn reading_a_list_is_interrupted() {
    curt_testkit::heed_signals();
    let commands =
        [&["du", "--files0-from=-"][..], &["du", "-X", "-", "."], &["rm", "-f", "--files0-from=-"]];
    for words in commands {
        let scratch = Scratch::new();
        let mut command = crate::command(&scratch, words[0], &words[1..]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(250));
        signal(&child, SIGTERM);
        std::thread::sleep(Duration::from_millis(250));
        let ended = child.try_wait().unwrap();
        if ended.is_none() {
            child.kill().unwrap();
        }
        assert_eq!(ended.and_then(|status| status.signal()), Some(SIGTERM), "{words:?}");
    }
}

#[test]
fn writing_to_a_full_pipe_is_interrupted() {
    curt_testkit::heed_signals();
    for (line, expected) in [
        ("find -j1 .", Some("")),
        ("find -j2 .", Some("")),
        ("find --json .", Some("{\"summary\":{")),
        ("find --sort size .", Some("")),
        ("find -u . --delete --dry-run", Some("")),
        ("find -tf -j2 -x echo", Some("")),
        ("find -tf -l", Some("")),
        ("du -a", Some("curt du: interrupted: ")),
        ("rm -rv -j1 t", Some("curt rm: interrupted: ")),
        ("rm -rv -j2 t", Some("curt rm: interrupted: ")),
        ("rm -r --dry-run --json t", Some("{\"summary\":{")),
        ("ls t", Some("")),
        ("stat OPERANDS", Some("")),
        ("find . OPERANDSx", None),
        ("du OPERANDSx", None),
        ("rm OPERANDSx", None),
        ("ls OPERANDSx", None),
    ] {
        let scratch = Scratch::new();
        let names: Vec<String> = (0..600).map(|number| format!("t/{number:0200}")).collect();
        for name in &names {
            scratch.file(name);
        }
        let (first, operands) = line.split_once("OPERANDS").map_or((line, None), |(first, end)| {
            (first, Some(names.iter().map(move |name| format!("{name}{end}"))))
        });
        let mut command = crate::command_line(&scratch, first);
        let mut child = command.args(operands.into_iter().flatten()).spawn().unwrap();
        let (out, messages) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let waiting = || {
            let full = if expected.is_some() { out.as_fd() } else { messages.as_fd() };
            rustix::io::ioctl_fionread(full).unwrap()
        };
        let mut before = 0;
        while before < 32 << 10 || before != waiting() {
            before = waiting();
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(child.try_wait().unwrap(), None, "{line}: it was to be stopped in the middle");
        signal(&child, SIGINT);
        for _ in 0..200 {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = child.kill();
        assert_eq!(child.wait().unwrap().signal(), Some(SIGINT), "{line}");
        let Some(beginning) = expected else { continue };
        let text = std::io::read_to_string(messages).unwrap();
        assert!(text.starts_with(beginning), "{line}: {text}");
        assert_eq!(text.lines().count(), usize::from(!beginning.is_empty()), "{line}: {text}");
        if line.starts_with("rm -rv") {
            let gone = names.iter().filter(|name| !scratch.exists(name)).count();
            assert!(text.contains(&format!(": {gone} files")), "{line}: {gone} are gone: {text}");
        }
    }
}

/// Running commands must get the signal, so that they can clean up, and no further program may
/// start.
#[test]
fn commands_end_with_the_search_that_is_interrupted() {
    curt_testkit::heed_signals();
    let script = "trap 'echo got >> got; exit' TERM HUP INT QUIT; echo >> begun
        while :; do sleep 0.05; done";
    for (number, options) in [
        (SIGTERM, &["-j3", "-x"][..]),
        (SIGTERM, &["-j1", "-x"]),
        (SIGTERM, &["--batch-size=1", "-X"]),
        (SIGHUP, &["-j3", "-x"]),
        (SIGINT, &["-j3", "-x"]),
        (SIGQUIT, &["-j3", "-x"]),
    ] {
        let scratch = Scratch::new();
        for number in 0..20 {
            scratch.file(format!("f{number}"));
        }
        let mut command = Command::new("sh");
        let run = r#"ulimit -c 0; exec "$0" find ^f "$@" ';' -x touch late"#;
        let run = if options.contains(&"-X") { r#"exec "$0" find ^f "$@""# } else { run };
        command.args(["-c", run, env!("CARGO_BIN_EXE_curt")]).args(options);
        command.args(["sh", "-c", script]).current_dir(scratch.path());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let lines =
            |name| std::fs::read_to_string(scratch.at(name)).map_or(0, |text| text.lines().count());
        while lines("begun") == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        signal(&child, number);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{options:?}: {status}");
        assert_eq!(lines("got"), lines("begun"), "{options:?}");
        let most = if options[0] == "-j3" { 3 } else { 1 };
        assert!(lines("begun") <= most && !scratch.exists("late"), "{options:?}");
    }
}

/// curt must forward even the last of several signals, must not wait for orphans, and must continue
/// stopped programs.
#[test]
fn no_program_keeps_a_search_from_ending() {
    curt_testkit::heed_signals();
    let twice = "n=0; trap 'echo got >> got; n=$((n+1)); [ $n = 2 ] && exit' TERM
        echo $$ >> begun; while :; do sleep 0.05; done";
    let stopped = "trap 'echo got >> got; exit' TERM; echo $$ >> begun; kill -STOP $$";
    for (options, script, state, got) in [
        (&["-j2", "-x"][..], "sleep 100 & echo $$ $! >> begun", "Z", 0),
        (&["-j2", "-x"], "sleep 100 & echo $$ $! >> begun; wait", "S", 0),
        (&["-j2", "-x"], twice, "S", 2),
        (&["-X"], twice, "S", 2),
        (&["-j2", "-x"], stopped, "T", 1),
        (&["-X"], stopped, "T", 1),
    ] {
        let scratch = Scratch::new();
        scratch.file("f");
        let words = [&["^f"], options, &["sh", "-c", script]].concat();
        let mut command = crate::command(&scratch, "find", &words);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let text = |name| std::fs::read_to_string(scratch.at(name)).unwrap_or_default();
        let wait_for = |is_so: &dyn Fn() -> bool| {
            while !is_so() {
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        wait_for(&|| text("begun").ends_with('\n'));
        let begun = text("begun");
        let mut numbers = begun.split_whitespace();
        let status = format!("/proc/{}/stat", numbers.next().unwrap());
        let is_in_state = || {
            let status = std::fs::read_to_string(&status).unwrap();
            status.rsplit(") ").next().unwrap().starts_with(state)
        };
        wait_for(&|| !cfg!(target_os = "linux") || is_in_state());
        signal(&child, SIGTERM);
        if got == 2 {
            wait_for(&|| !text("got").is_empty());
            signal(&child, SIGTERM);
        }
        assert_eq!(child.wait().unwrap().signal(), Some(SIGTERM), "{options:?} {script}");
        wait_for(&|| text("got").lines().count() == got);
        if let Some(left) = numbers.next() {
            let left = Pid::from_raw(left.parse().unwrap()).unwrap();
            rustix::process::kill_process(left, Signal::KILL).unwrap();
        }
    }
}

#[test]
fn failed_searches_wait_for_running_programs() {
    curt_testkit::heed_signals();
    let scratch = Scratch::new();
    scratch.tree("", "a b");
    let script = "case $0 in *a) until [ -e begun ]; do sleep 0.02; done; exit; esac
        trap 'sleep 0.3; echo > got; exit' TERM; echo > begun; while :; do sleep 0.05; done";
    let words = ["-j2", "^[ab]$", "-x", "sh", "-c", script, ";", "-x", "./missing"];
    let mut child = crate::command(&scratch, "find", words).spawn().unwrap();
    let expected = "curt find: cannot start './missing'";
    let mut message = vec![0; expected.len()];
    child.stderr.as_mut().unwrap().read_exact(&mut message).unwrap();
    assert_eq!(String::from_utf8(message).unwrap(), expected);
    // curt prints the message just before it waits.
    std::thread::sleep(Duration::from_millis(50));
    signal(&child, SIGTERM);
    assert_eq!(end(child).0.signal(), Some(SIGTERM));
    assert!(scratch.exists("got"));
}

#[test]
fn ignored_signals_stay_ignored() {
    let scratch = Scratch::new();
    scratch.file("f");
    let script = format!(
        "trap '' HUP INT; exec {} rm -i f",
        env!("CARGO_BIN_EXE_curt").replace('\'', "'\\''")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(scratch.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 1];
    child.stderr.as_mut().unwrap().read_exact(&mut first).unwrap();
    signal(&child, SIGHUP);
    signal(&child, SIGINT);
    std::thread::sleep(Duration::from_millis(250));
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"y\n").unwrap();
    let (status, _, _) = end(child);
    assert_eq!(status.code(), Some(0));
    assert!(!scratch.exists("f"));
}
