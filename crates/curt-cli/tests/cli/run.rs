use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use curt_testkit::{Scratch, skip};

use crate::{command, outcome};

fn curt(scratch: &Scratch, args: &[&str]) -> Command {
    command(scratch, "run", args)
}

fn run(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String, String) {
    outcome(&curt(scratch, args).output().unwrap())
}

#[test]
fn curt_ends_by_the_signal_that_ends_the_program() {
    let scratch = Scratch::new();
    for (signal, number) in [("TERM", 15), ("KILL", 9), ("QUIT", 3)] {
        for options in [&["--"][..], &["--stats", "--"], &["-t9", "--"]] {
            let script = format!("ulimit -c 0; kill -{signal} $$");
            let words = [options, &["/bin/sh", "-c", &script]].concat();
            let status = curt(&scratch, &words).status().unwrap();
            assert_eq!(status.signal(), Some(number), "{options:?} {signal}");
        }
    }
}

#[test]
fn a_program_is_killed_after_its_time_limit() {
    let scratch = Scratch::new();
    // The second limit expires right after the first. Its timer raises SIGALRM, too.
    let twice = ["-s", "ALRM", "-k", ".000001"];
    for (options, ignored, code) in [(&[][..], "", Some(124)), (&twice, "trap '' ALRM;", None)] {
        let begun = Instant::now();
        let script = format!("{ignored} sleep 100 & echo $!; wait");
        let args = [options, &["--timeout", "0.2", "--", "/bin/sh", "-c", &script]].concat();
        let outcome = run(&scratch, &args);
        assert_eq!((outcome.0, outcome.2.as_str()), (code, ""), "{options:?}");
        assert!(begun.elapsed() < Duration::from_secs(50), "{options:?}");
        let is_gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", outcome.1.trim()));
            stat.map_or(true, |stat| stat.contains(") Z"))
        };
        while !is_gone() {
            assert!(begun.elapsed() < Duration::from_secs(50), "{options:?}: it goes on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Each signal, even one without a name, such as 40, must end both curt and the program.
#[test]
fn termination_signals_reach_the_program() {
    use rustix::process::{Pid, kill_process};
    curt_testkit::heed_signals();
    let scratch = Scratch::new();
    let numbers = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "XCPU", "ABRT", "40"];
    let options = [&["--"][..], &["-t9", "--"], &["-t9", "--foreground", "--"], &["--stats", "--"]];
    let cases = numbers.iter().flat_map(|signal| options.map(|options| (*signal, options)));
    curt_testkit::at_once(cases, |(signal, options)| {
        for (script, code) in [
            (format!("trap 'exit 4' {signal}; echo $$; while :; do sleep 0.05; done"), Some(4)),
            ("ulimit -c 0; echo $$; exec sleep 100".to_owned(), None),
        ] {
            let words = [options, &["/bin/sh", "-c", &script]].concat();
            let mut child = curt(&scratch, &words).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
            let mut kill = Command::new("/bin/sh");
            kill.args(["-c", "kill -$0 $1", signal, &child.id().to_string()]);
            assert!(kill.status().unwrap().success());
            let status = child.wait().unwrap();
            assert_eq!(status.code(), code, "{options:?} {signal}: {status}");
            let program = Pid::from_raw(line.trim().parse().unwrap()).unwrap();
            let is_there = kill_process(program, rustix::process::Signal::KILL).is_ok();
            assert!(!is_there, "{options:?} {signal}: it goes on");
        }
    });
}

/// As with GNU timeout, the inner curt is in the outer one's process group, and forwards the outer
/// one's signal.
#[test]
fn nested_limits_leave_no_process() {
    let scratch = Scratch::new();
    let curt_path = env!("CARGO_BIN_EXE_curt");
    let sleep = ["/bin/sh", "-c", "echo $$; exec sleep 100"];
    let inner = [curt_path, "run", "-t", "50"];
    for between in [vec![], inner.to_vec(), [inner, inner].concat(), vec![curt_path, "run"]] {
        for signal in ["TERM", "INT", "HUP"] {
            let words = [&["-t", ".3", "-s", signal], &between[..], &sleep].concat();
            let (code, out, _) = run(&scratch, &words);
            assert_eq!(code, Some(124), "{words:?}");
            let program = rustix::process::Pid::from_raw(out.trim().parse().unwrap()).unwrap();
            assert!(rustix::process::test_kill_process(program).is_err(), "{words:?}: it goes on");
        }
    }
}

#[test]
fn signals_that_are_ignored_stay_ignored() {
    let scratch = Scratch::new();
    let curt = env!("CARGO_BIN_EXE_curt");
    for (options, receivers) in [("--", "$$"), ("-t9 --", "$PPID $$")] {
        let signal_script = format!("kill -HUP {receivers}; exit 6");
        let script = format!("trap '' HUP; exec {curt} run {options} /bin/sh -c '{signal_script}'");
        let mut shell = Command::new("/bin/sh");
        let status = shell.args(["-c", &script]).current_dir(scratch.typed()).status();
        assert_eq!(status.unwrap().code(), Some(6), "{options}");
    }
}

/// As with GNU timeout, the signal ends even background programs, which shells start with
/// interrupts ignored.
#[test]
fn the_signal_of_a_time_limit_is_not_ignored() {
    let scratch = Scratch::new();
    let curt = env!("CARGO_BIN_EXE_curt");
    let script = format!("trap '' INT; exec {curt} run -t .2 -s INT -- sleep 60");
    let begun = Instant::now();
    let status =
        Command::new("/bin/sh").args(["-c", &script]).current_dir(scratch.typed()).status();
    assert_eq!(status.unwrap().code(), Some(124));
    assert!(begun.elapsed() < Duration::from_secs(50));
}

#[test]
fn another_user_gets_permission_errors() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.at("closed")).unwrap();
    scratch.script("closed/program", "#!/bin/sh\n", 0o755);
    scratch.script("owner", "#!/bin/sh\n", 0o700);
    let mode = std::fs::Permissions::from_mode;
    std::fs::set_permissions(scratch.at("closed"), mode(0o700)).unwrap();
    std::fs::set_permissions(scratch.path(), mode(0o755)).unwrap();
    let copy = scratch.program(env!("CARGO_BIN_EXE_curt"), "curt");
    let run_as_other = |args: &[&str]| {
        let mut command = Command::new(&copy);
        command
            .arg("run")
            .args(args)
            .current_dir(scratch.typed())
            .uid(curt_testkit::NOBODY)
            .gid(curt_testkit::NOBODY);
        command.output()
    };
    match run_as_other(&["--", "/bin/true"]) {
        Ok(output) if output.status.success() => {}
        other => return skip(&format!("another user cannot be taken: {other:?}")),
    }
    let code = |args: &[&str]| run_as_other(args).unwrap().status.code();
    let execute = "execute it, its interpreter, or anything on its filesystem";
    for (program, what) in [("./owner", execute), ("closed/program", "search 'closed'")] {
        let (code, _, message) = outcome(&run_as_other(&["--", program]).unwrap());
        let expected = format!("curt run: cannot start '{program}': no permission to {what}\n");
        assert_eq!((code, message), (Some(126), expected));
    }
    let passed = code(&["--path", "closed:/bin", "--", "true"]);
    assert_eq!(passed, Some(0), "what cannot be searched is passed over");
    assert_eq!(code(&["--chdir", "closed", "--", "/bin/true"]), Some(125));
}

/// curt must not open `/dev/null` in place of a closed stream.
#[test]
fn closed_streams_stay_closed() {
    let scratch = Scratch::new();
    scratch.file("tree/file");
    let status = "s=0; (: 3<&0) 2>/dev/null && s=$((s+1)); (: 3>&1) 2>/dev/null && s=$((s+2)); \
                  (: 3>&2) && s=$((s+4)); exit $s";
    scratch.script("streams", format!("#!/bin/sh\n{status}\n"), 0o755);
    let run = ["run", "--", "./streams"];
    let find = vec!["find", "-j1", "-tf", ".", "tree", "-x", "./streams"];
    for (closed, open) in [
        ("", 7),
        ("<&-", 6),
        (">&-", 5),
        ("2>&-", 3),
        ("<&- >&-", 4),
        ("<&- 2>&-", 2),
        (">&- 2>&-", 1),
        ("<&- >&- 2>&-", 0),
    ] {
        let started = |words: &[&str]| {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(format!("exec \"$@\" {closed}")).arg("sh");
            shell.arg(env!("CARGO_BIN_EXE_curt")).args(words).current_dir(scratch.typed());
            shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            shell.status().unwrap().code()
        };
        assert_eq!(started(&run), Some(open), "{closed}");
        // find's exit status shows only whether all programs succeeded.
        assert_eq!(started(&find) == Some(0), open == 0, "{closed}");
    }
}

#[cfg(target_os = "linux")]
struct Prompt {
    script: std::process::Child,
    output: std::process::ChildStdout,
    shown: String,
}

#[cfg(target_os = "linux")]
impl Prompt {
    fn new(scratch: &Scratch) -> Option<Prompt> {
        let mut command = Command::new("timeout");
        let words = ["-s", "KILL", "60", "script", "-q", "-c", "exec sh -i", "/dev/null"];
        command.args(words).current_dir(scratch.path());
        command.env("CURT", env!("CARGO_BIN_EXE_curt")).env("PS1", "").env_remove("ENV");
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let has_script = Command::new("script").arg("--version").output().is_ok();
        let Some(mut script) = spawned.ok().filter(|_| has_script) else {
            skip("script is not installed");
            return None;
        };
        let output = script.stdout.take().unwrap();
        let mut prompt = Prompt { script, output, shown: String::new() };
        prompt.type_in("stty -echo; echo rea''dy.\n");
        prompt.until("ready.\r\n");
        Some(prompt)
    }

    fn type_in(&mut self, keys: &str) {
        use std::io::Write;
        self.script.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    fn until(&mut self, end: &str) -> String {
        use std::io::Read;
        loop {
            if let Some((before, after)) = self.shown.split_once(end) {
                let before = before.to_owned();
                self.shown = after.to_owned();
                return before;
            }
            let mut bytes = [0; 1024];
            let count = self.output.read(&mut bytes).unwrap();
            assert!(count > 0, "{end:?} was not shown: {:?}", self.shown);
            self.shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }
}

/// The terminal sends Ctrl-C to the program itself, so curt must not send it again. Because two
/// pending signals would merge, the program stops curt until it has received the first one.
#[test]
#[cfg(target_os = "linux")]
fn a_typed_interrupt_reaches_a_program_once() {
    if Command::new("perl").arg("-v").output().is_err() {
        return skip("perl is not installed");
    }
    let scratch = Scratch::new();
    scratch.file("f");
    let Some(mut prompt) = Prompt::new(&scratch) else { return };
    // With job control, the shell would take the terminal when curt stops.
    prompt.type_in("set +m\n");
    let script = r#"$| = 1; $SIG{INT} = sub { $n .= "x" }; $p = getppid;
        do { select undef, undef, undef, .05; open F, "/proc/$p/stat" } until <F> =~ /\) S/;
        kill STOP => $p; print "is.ready."; select undef, undef, undef, .02 until $n;
        kill CONT => $p; select undef, undef, undef, .3; print "end.$n.""#;
    for start in ["run --foreground -t 100 --", "find ^f -X"] {
        prompt.type_in(&format!("$CURT {start} perl -e '{script}'\n"));
        prompt.until("is.ready.");
        prompt.type_in("\u{3}");
        prompt.until("end.");
        assert_eq!(prompt.until("."), "x", "{start}");
        prompt.type_in("echo ne''xt.\n");
        prompt.until("next.");
    }
    prompt.type_in("exit\n");
    prompt.script.wait().unwrap();
}

/// As with GNU timeout, the program can read and set the terminal, Ctrl-Z stops both curt and the
/// program, and `fg` continues both.
#[test]
#[cfg(target_os = "linux")]
fn at_a_prompt_the_program_has_the_terminal() {
    let scratch = Scratch::new();
    let Some(mut prompt) = Prompt::new(&scratch) else { return };
    let start = "$CURT run -t 100 --";
    prompt.type_in(&format!("{start} sh -c 'stty echo; stty -echo; read x; echo got.$x.'\nword\n"));
    prompt.until("got.word.\r\n");
    let traps = r#"trap "echo asked." INT; trap "exit 7" TERM"#;
    // The loop starts no programs. If Ctrl-Z arrived during a start, the shell would wait instead
    // of stopping.
    let script = format!("{traps}; sleep 100 & echo is.$$.$PPID.; while :; do wait; done");
    prompt.type_in(&format!("{start} sh -c '{script}'\n"));
    prompt.until("is.");
    let (program, parent) = (prompt.until("."), prompt.until("."));
    let states = |expected: &str| {
        for process in [&program, &parent] {
            let is_so = || {
                let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
                expected.contains(stat.rsplit(") ").next().unwrap().chars().next().unwrap())
            };
            while !is_so() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    };
    prompt.type_in("\u{1a}");
    states("T");
    prompt.type_in("echo stopped.\n");
    prompt.until("stopped.\r\n");
    prompt.type_in("fg\n");
    states("SR");
    prompt.type_in("\u{3}");
    prompt.until("asked.\r\n");
    std::thread::sleep(Duration::from_millis(200));
    let mut kill = Command::new("/bin/sh");
    assert!(kill.args(["-c", "kill $0", &parent]).status().unwrap().success());
    prompt.type_in("echo ended.$?.\n");
    assert!(!prompt.until("ended.").contains("asked"), "Ctrl-C came twice");
    assert_eq!(prompt.until("."), "7");
    prompt.type_in("exit\n");
    prompt.script.wait().unwrap();
}
