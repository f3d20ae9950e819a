//! `curt which`: its answers in text and JSON, and how it ends.

#[cfg(unix)]
use std::process::Stdio;
use std::process::{Command, Output};

use curt_testkit::Scratch;
use serde_json::{Value, json};

use crate::{command, objects, said};

fn curt_which(scratch: &Scratch, args: &[&str]) -> Output {
    command(scratch, "which", args).current_dir(scratch.typed().join("w")).output().unwrap()
}

/// Directories with programs of Windows, which are files with names on any system.
fn ground() -> (Scratch, String) {
    let scratch = Scratch::new();
    for file in ["a/Hello.CMD", "b/hello.exe", "w/here.com", "a/x.js", "a/bare"] {
        scratch.file(file);
    }
    scratch.dir("a/hello.exe");
    let entries = ["a", "gone", "b"].map(|name| scratch.at(name).display().to_string());
    (scratch, entries.join(";"))
}

/// Answers by Windows' rules, and why there are none.
fn answers(scratch: &Scratch, path: &str, args: &[&str]) -> Vec<Value> {
    let options = ["--json", "--rules", "windows", "--pathext", ".COM;.EXE;.BAT;.CMD"];
    let output = curt_which(scratch, &[&options[..], &["--path", path], args].concat());
    let (_, out, messages) = said(&output);
    objects(&(out + &messages))
}

#[test]
fn json_says_what_was_found_and_by_which_entry() {
    let (scratch, path) = ground();
    let base = scratch.at("w").display().to_string();
    let given = |name: &str, path: &str, origin: &str, kind: &str, relative: bool| {
        let found = scratch.at(path);
        json!({"name": name, "path": found, "origin": origin, "kind": kind, "relative": relative})
    };
    let cmd = given("hello", "a/Hello.CMD", "path:0", "batch", false);
    let here = given("here", "w/here.com", "cwd", "image", true);
    let second = scratch.at("b").display().to_string();
    for (args, expected) in [
        (&["hello"][..], vec![cmd.clone()]),
        (&["--all", "hello"], vec![cmd, given("hello", "b/hello.exe", "path:2", "image", false)]),
        (&["--base", &base, "--cwd", "always", "here"], vec![here.clone()]),
        (&["--base", &base, "--policy", "cmd", "here"], vec![here]),
        (&["--pathext", ".JS", "x"], vec![given("x", "a/x.js", "path:0", "association", false)]),
        (
            &["--path", &second, "hello.exe"],
            vec![given("hello.exe", "b/hello.exe", "path:0", "image", false)],
        ),
    ] {
        assert_eq!(answers(&scratch, &path, args), expected, "{args:?}");
    }
}

#[test]
fn errors_have_a_kind_and_name_the_candidate() {
    let (scratch, path) = ground();
    let (base, gone) = (scratch.at("w"), scratch.at("gone"));
    let (at_base, at_gone) = (base.display().to_string(), gone.display().to_string());
    let long = "x".repeat(300);
    for (args, word, culprit) in [
        (&["nul"][..], "invalid-name", None),
        (&["a*"], "invalid-name", None),
        (&[&long], "name-too-long", None),
        (&["none"], "not-found", None),
        (&["--base", &at_base, "here"], "not-found", Some(base.join("here.com"))),
        (
            &["--base", &at_base, "--cwd", "report", "here"],
            "relative-result",
            Some(base.join("here.com")),
        ),
        (&["--base", &at_gone, "./none"], "directory-missing", Some(gone.clone())),
    ] {
        let answers = answers(&scratch, &path, args);
        let [answer] = &answers[..] else { panic!("{args:?}: {answers:?}") };
        assert_eq!(answer["error"]["kind"], word, "{args:?}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
        let named = answer["candidate"].as_str().map(std::path::PathBuf::from);
        assert_eq!(named, culprit, "{args:?}");
    }
}

#[test]
fn text_is_paths_and_the_exit_code_says_if_all_were_found() {
    let (scratch, path) = ground();
    let args = |more: &[&'static str]| {
        let base = ["--rules", "windows", "--pathext", ".COM;.EXE;.BAT;.CMD", "--path"];
        let words = base.iter().map(|&word| word.to_owned());
        let words = words.chain([path.clone()]).chain(more.iter().map(|&word| word.to_owned()));
        words.collect::<Vec<String>>()
    };
    let run = |more: &[&'static str]| {
        let args = args(more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = curt_which(&scratch, &args);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let hello = scratch.at("a").join("Hello.CMD").display().to_string();
    let second = scratch.at("b").join("hello.exe").display().to_string();
    assert_eq!(run(&["hello"]), (Some(0), format!("{hello}\n"), String::new()));
    assert_eq!(run(&["-a", "hello"]).1, format!("{hello}\n{second}\n"));
    assert_eq!(run(&["-0", "hello"]).1, format!("{hello}\0"));
    let (code, out, err) = run(&["hello", "none"]);
    assert_eq!((code, out), (Some(1), format!("{hello}\n")));
    assert_eq!(err, "curt which: none: not found in PATH\n");
    let (code, _, err) = run(&["here"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--cwd always"), "{err}");
    let (_, out, _) = run(&["--explain", "hello"]);
    for part in [
        "'hello.EXE' is a directory\n",
        "'hello.CMD' is the program\n",
        "was not searched: the program was found before\n",
        "calls were made in all\n",
    ] {
        assert!(out.contains(part), "{part} is not in {out}");
    }
    let (_, _, messages) = run(&["--json", "--stats", "hello"]);
    let summary = &objects(&messages)[0]["summary"];
    assert_eq!(summary["found"], 1);
    assert!(summary["calls"]["total"].as_u64().unwrap() > 0);
    assert_eq!(curt_which(&scratch, &[]).status.code(), Some(2));
    assert_eq!(curt_which(&scratch, &["--policy", "zsh", "x"]).status.code(), Some(2));
    let other = ["--policy", "cmd", "--rules", "posix", "x"];
    assert_eq!(curt_which(&scratch, &other).status.code(), Some(2));
}

/// Only where nothing was found, and where the separator is the likely reason.
#[cfg(unix)]
#[test]
fn a_posix_path_by_windows_rules_has_a_hint() {
    let scratch = Scratch::new();
    scratch.dir("w");
    for (args, has_hint) in [
        (&["--policy", "cmd", "--path", "/bin:/usr/bin", "sh"][..], true),
        (&["--rules", "windows", "--path", "/gone:/bin", "a", "b"], true),
        (&["--rules", "windows", "--path", "/gone;/nowhere", "a"], false),
        (&["--rules", "windows", "--path", "/gone", "a"], false),
        (&["--path", "/gone:/nowhere", "a"], false),
    ] {
        let (code, _, messages) = crate::said(&curt_which(&scratch, args));
        assert_eq!(code, Some(1), "{args:?}");
        let hint = "curt which: by Windows' rules ';' separates the entries of PATH, and this one \
                    has only ':'; give one with --path 'DIR;DIR'\n";
        assert_eq!(messages.matches(hint).count(), usize::from(has_hint), "{messages}");
    }
}

#[cfg(unix)]
#[test]
fn scripts_are_read_only_with_json() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    scratch.dir("w");
    for (name, content) in [
        ("good", &b"#!/bin/sh -e\n"[..]),
        ("lost", b"#!/no/such/shell\n"),
        ("dos", b"#!/bin/sh\r\n"),
        ("image", b"\x7fELF"),
        ("text", b"echo\n"),
    ] {
        let file = scratch.file_with(format!("a/{name}"), content);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = scratch.at("a").display().to_string();
    let about = |name: &str| -> Value {
        let output = curt_which(&scratch, &["--json", "--path", &path, name]);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str(text.lines().next().unwrap()).unwrap()
    };
    for (name, kind, interpreter, err) in [
        ("good", "script", json!("/bin/sh"), Value::Null),
        ("lost", "script", json!("/no/such/shell"), json!("interpreter-missing")),
        ("dos", "script", json!("/bin/sh\r"), json!("interpreter-missing")),
        ("image", "image", Value::Null, Value::Null),
        ("text", "executable", Value::Null, Value::Null),
    ] {
        let printed = about(name);
        assert_eq!(printed["kind"], kind, "{name}");
        assert_eq!(printed["interpreter"], interpreter, "{name}");
        assert_eq!(printed["error"]["kind"], err, "{name}");
    }
    assert!(about("dos")["error"]["message"].as_str().unwrap().contains("carriage return"));
}

/// By Windows' rules a directory that may be searched and not listed is asked name by name; in
/// another case of letters only Windows knows them.
#[test]
#[cfg(unix)]
fn another_user_finds_programs_in_unlistable_directories() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let scratch = Scratch::new();
    let copy = scratch.program(env!("CARGO_BIN_EXE_curt"), "curt");
    for file in ["listed/tool.cmd", "unlisted/tool.CMD", "unlisted/other.exe", "closed/tool.exe"] {
        scratch.file(file);
    }
    for (path, mode) in [(".", 0o755), ("unlisted", 0o711), ("closed", 0o700)] {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(scratch.at(path), mode).unwrap();
    }
    let ask = |path: &str, name: &str| {
        let mut command = Command::new(&copy);
        command.args(["which", "--rules", "windows", "--pathext", ".COM;.EXE;.BAT;.CMD"]);
        command.args(["--path", path, name]).current_dir(scratch.typed());
        command.uid(curt_testkit::NOBODY).gid(curt_testkit::NOBODY).output()
    };
    match ask("listed", "tool") {
        Ok(output) if output.status.success() => {}
        other => return curt_testkit::skip(&format!("another user cannot be taken: {other:?}")),
    }
    let found = |path: &str, name: &str| {
        let output = ask(path, name).unwrap();
        let line = String::from_utf8(output.stdout).unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        (line.trim_end().rsplit('/').next().unwrap_or_default().to_owned(), printed)
    };
    assert_eq!(found("closed;unlisted;listed", "tool").0, "tool.CMD");
    assert_eq!(found("unlisted;listed", "other").0, "");
    let (_, printed) = found("closed", "tool");
    assert!(printed.contains("could not search") && printed.contains("closed"), "{printed}");
    let mut command = Command::new(&copy);
    command.args(["which", "closed/tool.exe"]).current_dir(scratch.typed());
    let (_, _, printed) =
        crate::said(&command.uid(curt_testkit::NOBODY).gid(curt_testkit::NOBODY).output().unwrap());
    let closed = scratch.typed().join("closed");
    let expected =
        format!("curt which: closed/tool.exe: no permission to search: '{}'\n", closed.display());
    assert_eq!(printed, expected);
}

#[test]
fn every_name_has_an_answer() {
    let scratch = Scratch::new();
    let gone = scratch.dir("gone");
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.args(["which", "--rules", "windows", "--path", "relative;.", "--base"]).arg(&gone);
    std::fs::remove_dir(&gone).unwrap();
    let output = command.args(["one", "two", "nul", "./three"]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text.lines().count(), 4, "{text}");
    for name in ["one: ", "two: ", "nul: ", "./three: "] {
        assert!(text.contains(&format!("curt which: {name}")), "{text}");
    }
}

/// What was a program when it was found may be a pipe when it is looked into.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_with_the_name_of_a_program_does_not_block() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let scratch = Scratch::new();
    scratch.script("dir/program", "#!/bin/sh\n", 0o755);
    scratch.fifo("dir/pipe");
    let (program, pipe) = (scratch.at("dir/program"), scratch.at("dir/pipe"));
    let is_over = AtomicBool::new(false);
    let mut found = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            while !is_over.load(Ordering::Relaxed) {
                if renameat_with(CWD, &program, CWD, &pipe, RenameFlags::EXCHANGE).is_err() {
                    return curt_testkit::skip("two names cannot be exchanged here");
                }
            }
        });
        for _ in 0..100 {
            let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
            command.args(["which", "--json", "dir/program"]).current_dir(scratch.path());
            // Were it to wait for a writer, it would not end.
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
            found += i32::from(status.success());
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(found > 0, "no program was ever found");
}

#[cfg(unix)]
#[test]
fn by_posix_rules_the_working_directory_is_an_empty_entry() {
    let scratch = Scratch::new();
    scratch.script("here", "#!/bin/sh\n", 0o755);
    let run = |path: &str, cwd: &str| {
        let args = ["--path", path, "--cwd", cwd, "here"];
        crate::said(&command(&scratch, "which", args).output().unwrap())
    };
    let found = (Some(0), format!("{}\n", scratch.at("here").display()), String::new());
    for cwd in ["auto", "always"] {
        assert_eq!(run(":/bin", cwd), found, "{cwd}");
    }
    let missing = "curt which: here: not found in PATH\n";
    let (code, _, messages) = run("/bin", "auto");
    assert_eq!((code, messages.as_str()), (Some(1), missing));
    let (code, _, messages) = run("/bin", "always");
    let hint = "curt which: by POSIX rules the working directory is searched only for an empty \
                entry of PATH, and there is none; add one with --path \":$PATH\"\n";
    assert_eq!((code, messages), (Some(1), format!("{missing}{hint}")));
}

/// Where there is no working directory, relative paths do not begin at the root.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_found_from_a_removed_working_directory() {
    let scratch = Scratch::new();
    for (path, name) in [("bin", "sh"), ("./bin:", "sh"), ("bin", "./bin/sh"), ("bin", "bin/sh")] {
        scratch.dir("d");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "/bin/rmdir ../d; \"$CURT\" which --all \"$NAME\""]);
        command.env("NAME", name).env("CURT", env!("CARGO_BIN_EXE_curt"));
        command.env("PATH", path).current_dir(scratch.at("d"));
        let output = command.output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!((output.status.code(), &*out), (Some(1), ""), "{path} {name}");
    }
}
