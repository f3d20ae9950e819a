//! Runs every command under every condition: unwritable output, NUL, JSON, usage errors, missing
//! and unreadable operands, interrupts.

use curt_testkit::Scratch;
use serde_json::Value;

use crate::{command_line, missing, objects, outcome};

/// Command lines for one command. `f`, `t/a` and `closed/f` exist, `closed` is not searchable, and
/// `none` is missing.
struct Row {
    name: &'static str,
    works: &'static str,
    nul: Option<&'static str>,
    /// Exit code if an operand fails or the output cannot be written.
    fails: i32,
    /// Exit code for a usage error.
    wrong: i32,
    /// Operands, of which only the last is missing.
    missing: Option<&'static str>,
    #[cfg_attr(not(unix), allow(dead_code, reason = "nobody else is asked there"))]
    closed: &'static [&'static str],
}

const fn row(name: &'static str, works: &'static str) -> Row {
    let closed = &["closed/f"];
    Row { name, works, nul: None, fails: 1, wrong: 2, missing: Some("f none"), closed }
}

const ROWS: [Row; 11] = [
    Row { works: "-v f", ..row("rm", "") },
    Row { missing: Some("f none t"), closed: &["closed/f t"], ..row("cp", "-v f t") },
    Row { nul: Some("-0"), missing: Some(". t none"), closed: &[". closed"], ..row("find", ". t") },
    Row { nul: Some("--zero"), fails: 2, closed: &["closed", "closed/f"], ..row("ls", "t") },
    row("stat", "f"),
    Row { nul: Some("-0"), missing: Some("t none"), closed: &["closed"], ..row("du", "-a t") },
    Row {
        nul: Some("-0"),
        missing: Some(if cfg!(windows) { "cmd none" } else { "sh none" }),
        ..row("which", if cfg!(windows) { "cmd" } else { "sh" })
    },
    Row { nul: Some("-z"), wrong: 1, missing: Some("f none/none"), ..row("realpath", "f t") },
    Row {
        nul: Some("-z"),
        wrong: 1,
        missing: Some("-vf f none/none"),
        closed: &["-vf closed/f"],
        ..row("readlink", "-f f t")
    },
    Row { nul: Some("-0"), missing: None, closed: &[], ..row("expand", "a b") },
    Row {
        nul: Some("-0"),
        missing: Some("--root . f none"),
        closed: &[
            "--root . closed/f",
            "--root . --without openat2 closed/f",
            "--root . closed/../f",
            "--root . --without openat2 closed/../f",
        ],
        ..row("beneath", "--root . f t")
    },
];

fn files() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with("f", b"content");
    scratch.tree("", "t/a closed/f");
    scratch
}

fn run(scratch: &Scratch, line: &str) -> (Option<i32>, String, String) {
    let mut command = command_line(scratch, line);
    if cfg!(unix) {
        // The unprivileged user might not reach the directories in the caller's `PATH`.
        command.env("PATH", "/usr/bin:/bin");
    }
    outcome(&command.output().unwrap())
}

#[test]
fn wrong_command_lines_are_answered_in_one_form() {
    let scratch = files();
    for Row { name, wrong, .. } in ROWS {
        let end = format!("Try 'curt {name} --help' for more information.\n");
        let message = "unrecognized option '--bogus'";
        let expected = (Some(wrong), String::new(), format!("curt {name}: {message}\n{end}"));
        assert_eq!(run(&scratch, &format!("{name} --bogus f")), expected);
        let (code, out, messages) = run(&scratch, &format!("{name} --json --bogus f"));
        assert_eq!((code, out.as_str()), (Some(wrong), ""));
        let expected = serde_json::json!({"error": {"operation": "read_arguments", "path": null,
            "kind": "usage", "errno": null, "message": message}});
        assert_eq!(objects(&messages), [expected]);
        let (code, _, messages) = run(&scratch, name);
        let needs = match name {
            "find" | "ls" | "du" => continue,
            "beneath" => "missing option '--root'",
            "cp" => "missing file operand",
            _ => "missing operand",
        };
        assert_eq!((code, messages), (Some(wrong), format!("curt {name}: {needs}\n{end}")));
    }
}

#[test]
fn versions_follow_the_name_of_the_command() {
    let scratch = files();
    let version = env!("CARGO_PKG_VERSION");
    for name in ROWS.map(|row| row.name).into_iter().chain(["run", "completions", "man"]) {
        for option in ["--version", "-V"] {
            let expected = (Some(0), format!("curt {name} {version}\n"), String::new());
            assert_eq!(run(&scratch, &format!("{name} {option}")), expected);
        }
    }
    for line in ["--version", "-V", "--version more"] {
        assert_eq!(run(&scratch, line), (Some(0), format!("curt {version}\n"), String::new()));
    }
}

#[test]
fn nul_ends_what_a_line_ends() {
    for Row { name, works, nul, .. } in ROWS {
        let Some(nul) = nul else { continue };
        let (scratch, mut others) = (files(), Vec::new());
        for option in [nul, ""] {
            let output = run(&scratch, &format!("{name} {option} {works}"));
            assert_eq!((output.0, output.2.as_str()), (Some(0), ""), "{name} {option}");
            others.push(output.1);
        }
        assert!(others[0].ends_with('\0') && !others[0].contains('\n'), "{name}: {others:?}");
        assert_eq!(others[0].replace('\0', "\n"), others[1], "{name}");
    }
}

#[test]
fn a_missing_operand_is_one_failure() {
    for Row { name, fails, missing: operands, .. } in ROWS {
        let Some(operands) = operands else { continue };
        let (code, out, messages) = run(&files(), &format!("{name} {operands}"));
        let is_silent = matches!(name, "rm" | "cp");
        assert_eq!((code, out.is_empty()), (Some(fails), is_silent), "{name}: {out}");
        let reason = if name == "which" { "not found in PATH".to_owned() } else { missing() };
        assert!(messages.starts_with(&format!("curt {name}: ")), "{messages}");
        assert!(messages.contains("none"), "{messages}");
        // For a missing directory, Windows has a different error.
        let is_other = cfg!(windows) && operands.contains('/');
        assert!(is_other || messages.ends_with(&format!(": {reason}\n")), "{messages}");
        assert_eq!(messages.lines().count(), 1, "{messages}");
    }
}

/// Objects on standard output always have a path, so `jq -r .path` never prints `null`. Those of
/// `cp` have two.
#[test]
fn json_has_one_shape() {
    for Row { name, works, missing, .. } in ROWS {
        for options in ["--json", "--json --stats"] {
            let verbose = if matches!(name, "rm" | "cp") { "-v" } else { "" };
            let path = if name == "cp" { "from" } else { "path" };
            let operands = missing.unwrap_or(works);
            let line = format!("{name} {options} {verbose} {operands}");
            let (_, out, messages) = run(&files(), &line);
            let (answers, mut others) = (objects(&out), objects(&messages));
            assert!(!answers.is_empty(), "{line}");
            assert!(answers.iter().all(|object| object[path].is_string()), "{line}: {out}");
            if options.ends_with("--stats") {
                let summary = others.pop().unwrap()["summary"].take();
                let mut calls = summary["calls"].as_object().unwrap().clone();
                let total = calls.remove("total").unwrap();
                assert_eq!(calls.values().filter_map(Value::as_u64).sum::<u64>(), total, "{line}");
            }
            assert_eq!(others.len(), usize::from(missing.is_some()), "{line}: {messages}");
            for object in others {
                let error = object["error"].as_object().unwrap();
                let keys: Vec<&str> = error.keys().map(String::as_str).collect();
                assert_eq!(keys, ["errno", "kind", "message", "operation", "path"], "{messages}");
                assert_eq!(error["kind"], "not-found", "{messages}");
                assert!(error["path"].as_str().is_some_and(|path| path.starts_with("none")));
                let numbers = match name {
                    "which" => [Value::Null, Value::Null],
                    // Windows might report a missing path instead of a missing file.
                    _ => [2.into(), if cfg!(windows) { 3.into() } else { 2.into() }],
                };
                assert!(numbers.contains(&error["errno"]), "{messages}");
                let is_text =
                    |key| error[key as &str].as_str().is_some_and(|text| !text.is_empty());
                assert!(is_text("operation") && is_text("message"), "{messages}");
            }
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Command, Output};

    use curt_testkit::{Scratch, heed_signals, skip};
    use serde_json::Value;

    use super::{ROWS, Row, command_line, files, objects, outcome};
    use crate::closed_pipe;

    fn lines() -> Vec<(String, i32)> {
        let rows = ROWS.iter().flat_map(|&Row { name, works, fails, .. }| {
            let end = if matches!(name, "realpath" | "readlink") { 1 } else { fails };
            let lines = [format!("{name} {works}"), format!("{name} --json {works}")];
            let helps = ["--help", "--version"].map(|it| (format!("{name} {it}"), end));
            lines.map(|line| (line, fails)).into_iter().chain(helps)
        });
        let others = [
            ("rm --dry-run f", 1),
            ("ls -l", 2),
            ("ls -C", 2),
            ("beneath --root . --cat f", 1),
            ("beneath --check-only a", 1),
            ("completions bash", 1),
            ("man", 1),
            ("--help", 1),
            ("--version", 1),
            ("run --help", 1),
        ];
        rows.chain(others.map(|(line, code)| (line.to_owned(), code))).collect()
    }

    fn redirected(scratch: &Scratch, line: &str, redirection: &str) -> Output {
        let mut shell = Command::new("sh");
        let line = format!("exec '{}' {line} {redirection}", env!("CARGO_BIN_EXE_curt"));
        shell.args(["-c", &line]).current_dir(scratch.path()).output().unwrap()
    }

    fn cannot_be_written(redirection: &str, reason: &str) {
        for (line, code) in lines() {
            let scratch = files();
            let output = redirected(&scratch, &line, redirection);
            let messages = String::from_utf8_lossy(&output.stderr);
            let (begin, end) = if line.contains("--json") {
                (
                    "{\"error\":{\"operation\":\"write\",\"path\":null,",
                    format!("\"{reason}\"}}}}\n"),
                )
            } else {
                ("curt", format!("write error: {reason}\n"))
            };
            assert!(messages.ends_with(&end) && messages.starts_with(begin), "{line}: {messages}");
            assert_eq!(output.status.code(), Some(code), "{line}");
            let removes = line.starts_with("rm") && line.ends_with("-v f");
            assert_eq!(scratch.exists("f"), !removes, "{line}");
        }
    }

    #[test]
    fn closed_output_is_an_error() {
        cannot_be_written(">&-", "Bad file descriptor");
        cannot_be_written("1</dev/null", "Bad file descriptor");
    }

    #[test]
    fn full_output_is_an_error() {
        if !std::path::Path::new("/dev/full").exists() {
            return skip("there is no /dev/full");
        }
        cannot_be_written(">/dev/full", "No space left on device");
    }

    /// Succeeds, as with the GNU tools, because no output is lost.
    #[test]
    fn closed_output_is_no_error_without_data() {
        for line in ["rm f", "rm -f missing", "ls empty", "run -- true"] {
            let scratch = files();
            scratch.dir("empty");
            let output = redirected(&scratch, line, ">&-");
            let messages = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), &*messages), (Some(0), ""), "{line}");
        }
    }

    #[test]
    fn standard_descriptors_may_be_missing() {
        let scratch = files();
        let output = redirected(&scratch, "rm -rv t f closed missing", "0<&- 1>&- 2>&-");
        assert_eq!(output.status.code(), Some(1), "missing is an error");
        assert!(scratch.list(".").is_empty());
    }

    fn large() -> Scratch {
        let scratch = files();
        for number in 0..3_000 {
            scratch.file(format!("large/{}/a-name-{:0>150}-{number}", number % 30, 0));
        }
        scratch
    }

    const LARGE: [&str; 7] = [
        "ls -lR large",
        "ls -R --json large",
        "du -a -j1 large",
        "find . large",
        "find --json . large",
        "cp -rv -j1 large copy",
        "rm -rv -j1 large",
    ];

    #[test]
    fn a_closed_pipe_ends_a_command_as_it_ends_the_gnu_tools() {
        heed_signals();
        let (small, large) = (files(), large());
        let lines = lines();
        let lines = lines.iter().map(|(line, _)| (&small, line.as_str()));
        for (scratch, line) in lines.chain(LARGE.map(|line| (&large, line))) {
            if !scratch.exists("f") {
                scratch.file_with("f", b"content");
            }
            let output = command_line(scratch, line).stdout(closed_pipe()).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
            assert_eq!(output.status.signal(), Some(13), "{line}: {:?}", output.status);
        }
        assert!(!large.list("large").is_empty(), "it went on for nobody");
    }

    #[test]
    fn a_closed_pipe_is_a_write_error_if_sigpipe_is_ignored() {
        for (line, code) in lines() {
            let scratch = files();
            let curt = env!("CARGO_BIN_EXE_curt");
            let script = format!("trap '' PIPE; exec '{curt}' {line}");
            let mut shell = Command::new("sh");
            shell.args(["-c", &script]).current_dir(scratch.path()).stdout(closed_pipe());
            let output = shell.output().unwrap();
            let messages = String::from_utf8_lossy(&output.stderr);
            assert!(messages.contains("Broken pipe"), "{line}: {messages}");
            assert_eq!(messages.lines().count(), 1, "{line}: {messages}");
            assert_eq!(output.status.code(), Some(code), "{line}");
        }
    }

    #[test]
    fn an_interrupt_ends_long_work_with_its_totals() {
        heed_signals();
        let scratch = large();
        for line in LARGE {
            let mut child = command_line(&scratch, line).spawn().unwrap();
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            let process = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
            let output = child.wait_with_output().unwrap();
            let (_, _, messages) = outcome(&output);
            assert_eq!(output.status.signal(), Some(2), "{line}: {messages}");
            let end = match line.split(' ').next().unwrap() {
                "rm" => " directories removed\n",
                "cp" => " directories copied\n",
                "du" => " entries counted\n",
                _ => {
                    let objects = objects(&messages);
                    let is_told = |it: &Value| it["summary"]["interrupted"] == true;
                    assert!(objects.iter().all(is_told), "{line}: {messages}");
                    assert_eq!(objects.len(), usize::from(line.contains("find --json")));
                    continue;
                }
            };
            let name = line.split(' ').next().unwrap();
            assert!(messages.starts_with(&format!("curt {name}: interrupted: ")), "{messages}");
            assert!(messages.ends_with(end) && !messages.contains(": 0 "), "{messages}");
        }
        assert!(scratch.exists("large"));
    }

    #[test]
    fn a_permission_error_is_one_failure() {
        let scratch = files();
        let set = |path: &str, mode| {
            std::fs::set_permissions(scratch.at(path), PermissionsExt::from_mode(mode)).unwrap();
        };
        set(".", 0o755);
        set("closed", if curt_testkit::is_root() { 0o700 } else { 0 });
        let program = scratch.program(env!("CARGO_BIN_EXE_curt"), "curt");
        for Row { name, fails, closed, .. } in ROWS {
            for line in closed {
                for json in ["", "--json"] {
                    let mut command = Command::new(&program);
                    command.args([name].into_iter().chain(line.split(' '))).args(json.lines());
                    command.current_dir(scratch.path());
                    if curt_testkit::is_root() {
                        command.uid(curt_testkit::NOBODY).gid(curt_testkit::NOBODY);
                    }
                    let (code, _, messages) = outcome(&command.output().unwrap());
                    assert_eq!(code, Some(fails), "{name} {line} {messages}");
                    let reason = if json.is_empty() {
                        messages.clone()
                    } else {
                        objects(&messages)[0]["error"]["kind"].as_str().unwrap().into()
                    };
                    assert!(reason.contains("ermission"), "{name} {line}: {messages}");
                    assert_eq!(messages.lines().count(), 1, "{name} {line}: {messages}");
                }
            }
        }
        set("closed", 0o700);
    }
}

#[cfg(windows)]
mod windows {
    use std::io::{BufRead, BufReader};

    use curt_testkit::Scratch;

    use crate::{curt, outcome};

    #[test]
    fn a_closed_pipe_ends_the_removal_quietly() {
        let scratch = Scratch::new();
        let filling = "n".repeat(180);
        for number in 0..3_000 {
            scratch.file(format!("t/{}/a-name-{filling}-{number}", number % 30));
        }
        let mut child = curt(&scratch, ["-rv", "-j1", "t"]).spawn().unwrap();
        let mut line = String::new();
        let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
        reader.read_line(&mut line).unwrap();
        assert!(line.starts_with("removed 't") && line.contains("a-name"), "{line}");
        drop(reader);
        let (code, _, messages) = outcome(&child.wait_with_output().unwrap());
        assert_eq!((code, messages.as_str()), (Some(0), ""));
        assert!(!scratch.list("t").is_empty(), "it went on for nobody");
    }

    #[test]
    fn names_never_reach_the_output_raw() {
        let scratch = Scratch::new();
        let name = "red\u{202e}\u{85}";
        scratch.file(name);
        let output = curt(&scratch, ["-v", name]).output().unwrap();
        let (code, out, _) = outcome(&output);
        assert_eq!(code, Some(0));
        assert!(
            out.chars().all(|character| character == '\n' || !character.is_control()),
            "{out:?}"
        );
        assert!(!out.contains('\u{202e}'), "{out:?}");
    }
}
