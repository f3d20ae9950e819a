//! `curt walk` by itself: what find does not have, or cannot be compared in.

use std::io::{BufRead, BufReader};
use std::path::MAIN_SEPARATOR;
use std::process::Command;

use curt_testkit::Scratch;

use crate::{command, missing, native, said, tree};

fn walk(scratch: &Scratch, args: &[&str]) -> Command {
    command(scratch, "walk", args)
}

fn run(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String, String) {
    said(&walk(scratch, args).output().unwrap())
}

/// The lines of a walk that went well.
fn lines(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    let (code, out, messages) = run(scratch, args);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{args:?}");
    out.lines().map(str::to_owned).collect()
}

#[test]
fn sorted_walks_enter_each_directory_after_printing_it() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let expected =
        ["t", "t/a", "t/b.keep", "t/sub", "t/sub/c", "t/sub/d.keep", "t/sub/deep", "t/sub/deep/e"];
    for threads in ["-j1", "-j4"] {
        assert_eq!(lines(&scratch, &["--sort", threads, "t"]), expected.map(native));
    }
    let reversed = lines(&scratch, &["--sort=name", "--reverse", "t"]);
    assert_eq!(reversed[..3], ["t", "t/sub", "t/sub/deep"].map(native));
    scratch.file_with("s/one", b"1");
    scratch.file_with("s/three", b"333");
    scratch.file_with("s/two", b"22");
    let by_size = lines(&scratch, &["--sort=size", "--min-depth=1", "s"]);
    assert_eq!(by_size, ["s/three", "s/two", "s/one"].map(native));
}

#[test]
fn json_has_entries_and_then_a_summary() {
    let scratch = Scratch::new();
    scratch.file_with("t/f", b"12345");
    let (code, out, _) = run(&scratch, &["--json", "--fields=name,size", "--sort", "t", "none"]);
    assert_eq!(code, Some(1));
    let objects: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 4);
    assert_eq!(objects[2]["error"]["path"], "none");
    assert_eq!(objects[1]["path"], native("t/f"));
    assert_eq!((&objects[1]["size"], &objects[1]["depth"]), (&5.into(), &1.into()));
    assert!(objects[1].get("modified").is_none(), "what was not asked for is absent");
    let summary = &objects[3]["summary"];
    assert_eq!((&summary["entries"], &summary["errors"]), (&2.into(), &1.into()));
    assert_eq!(summary["interrupted"], false);
    assert!(summary.get("calls").is_none());
    let (_, out, messages) = run(&scratch, &["--json", "--stats", "t"]);
    assert!(out.lines().last().unwrap().contains("\"total\":"), "{out}");
    assert_eq!(messages, "");
}

#[test]
fn formats_and_fields_choose_columns() {
    let scratch = Scratch::new();
    scratch.file_with("t/d/f", b"12345");
    let format = |format: &str| lines(&scratch, &["--type=f", "--format", format, "t"]);
    assert_eq!(format("{size} {path}"), [format!("5 {}", native("t/d/f"))]);
    assert_eq!(format("{name}|{parent}|{depth}|{}"), [native("f|t/d|2|t/d/f")]);
    assert_eq!(format("{{{kind}}}\\t.\\\\"), ["{file}\t.\\"]);
    assert_eq!(format("a\\nb"), ["a", "b"]);
    let (_, out, _) = run(&scratch, &["-0", "--type=f", "--format={name}", "t"]);
    assert_eq!(out, "f\0");
    let columns = lines(&scratch, &["--type=f", "--fields=size,name", "t"]);
    assert_eq!(columns, [format!("5\t{}", native("t/d/f"))]);
}

#[test]
fn wrong_command_lines_touch_nothing() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    for wrong in [
        &["--bogus"][..],
        &["--size=1x"],
        &["--size="],
        &["--newer=yesterdayish"],
        &["--older="],
        &["--owner="],
        &["--type=x"],
        &["--name=["],
        &["--path-glob={a"],
        &["--exclude="],
        &["--regex=("],
        &["--max-depth=-1"],
        &["--follow=sometimes"],
        &["-x=no"],
        &["--sort=colour"],
        &["--reverse"],
        &["--format={colour}"],
        &["--format={size"],
        &["--fields=colour"],
        &["--format=x", "--json"],
        &["--exec"],
        &["--exec=rm"],
        &["--hidden"],
        &["--no-ignore"],
        &["-j0"],
        &["--buffer=1"],
    ] {
        let args = [&["t", "--delete"], wrong].concat();
        let (code, out, messages) = run(&scratch, &args);
        let is_json = wrong.contains(&"--json");
        let (said, other) = if is_json { (&out, &messages) } else { (&messages, &out) };
        assert_eq!((code, other.as_str()), (Some(2), ""), "{args:?}: {said}");
        let begin = if is_json { "{\"error\":" } else { "curt walk: " };
        assert!(said.starts_with(begin), "{said}");
        assert!(scratch.exists("t/sub/deep/e") && scratch.exists("t/a"), "{args:?}");
    }
}

#[test]
fn walk_reports_failures_in_order_and_counts_them() {
    let scratch = Scratch::new();
    scratch.file("a");
    let (code, out, messages) = run(&scratch, &["-j1", "a", "no", "a", "none"]);
    assert_eq!((code, out.as_str()), (Some(1), "a\na\n"));
    let line = |name| format!("curt walk: cannot access '{name}': {}\n", missing());
    assert_eq!(messages, line("no") + &line("none") + "curt walk: 2 errors\n");
}

#[test]
fn a_closed_pipe_ends_the_walk_quietly() {
    let scratch = Scratch::in_memory();
    let filling = "n".repeat(180);
    for number in 0..2_000 {
        scratch.file(format!("t/{}/{filling}-{number}", number % 30));
    }
    for threads in ["-j1", "-j3"] {
        let mut child = walk(&scratch, &[threads, "t"]).spawn().unwrap();
        let mut line = String::new();
        let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "t\n");
        drop(reader);
        let (code, _, messages) = said(&child.wait_with_output().unwrap());
        // On Unix by the signal.
        let expected = if cfg!(unix) { None } else { Some(0) };
        assert_eq!((code, messages.as_str()), (expected, ""));
    }
}

#[test]
fn the_first_entries_are_printed_before_the_walk_ends() {
    let scratch = Scratch::new();
    scratch.file("t/a");
    // As the system has it: Cargo's spelling may be one of the machine that it runs on.
    let curt = std::fs::canonicalize(env!("CARGO_BIN_EXE_curt")).unwrap();
    let curt = curt.to_str().unwrap();
    // A command runs as soon as its entry was found.
    let (code, out, messages) =
        run(&scratch, &["t", "--max-depth=0", "--exec", curt, "walk", "{}", ";"]);
    assert_eq!(code, Some(0), "{messages}");
    assert_eq!(out.lines().count(), 2);
}

#[cfg(unix)]
mod unix {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    use std::time::{Duration, Instant};

    use curt_testkit::Scratch;
    use rustix::process::{Pid, Signal};

    use super::{run, said, walk};

    #[test]
    fn an_interrupt_ends_the_walk_by_the_signal() {
        curt_testkit::heed_signals();
        let scratch = Scratch::in_memory();
        let filling = "n".repeat(200);
        for number in 0..3_000 {
            scratch.file(format!("t/{}/{filling}-{number}", number % 30));
        }
        for threads in ["-j1", "-j3"] {
            // The pipe is full and nobody reads: the walk is under way.
            let mut child = walk(&scratch, &[threads, "--json", "t"]).spawn().unwrap();
            let mut first = [0; 16];
            child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
            rustix::process::kill_process(Pid::from_child(&child), Signal::INT).unwrap();
            std::thread::sleep(Duration::from_millis(50));
            let begun = Instant::now();
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.signal(), Some(2), "{threads}");
            assert!(begun.elapsed() < Duration::from_secs(5));
            let (_, out, messages) = said(&output);
            assert_eq!(messages, "");
            assert!(out.lines().last().unwrap().contains("\"interrupted\":true"));
        }
    }

    #[test]
    fn output_that_cannot_be_written_is_an_error() {
        let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
            curt_testkit::skip("there is no /dev/full");
            return;
        };
        let scratch = Scratch::new();
        let output = walk(&scratch, &[]).stdout(std::process::Stdio::from(full)).output().unwrap();
        let (code, _, messages) = said(&output);
        assert_eq!(code, Some(1));
        assert_eq!(messages, "curt walk: write error: No space left on device\n");
    }

    #[test]
    fn failures_of_commands_name_their_entries() {
        let scratch = Scratch::new();
        for name in ["a", "b", "c"] {
            scratch.file(format!("t/{name}"));
        }
        let begin = ["t", "--sort", "--type=f", "--json"];
        let errors = |args: &[&str]| {
            let (code, out, messages) = run(&scratch, &[&begin[..], args].concat());
            assert_eq!((code, messages.as_str()), (Some(1), ""), "{args:?}");
            let objects = out.lines().map(|line| serde_json::from_str(line).unwrap());
            let objects: Vec<serde_json::Value> = objects.collect();
            let errors = objects.iter().filter(|object| object.get("error").is_some());
            let paths = errors.map(|object| object["error"]["path"].as_str().unwrap().to_owned());
            let last = objects.last().unwrap()["summary"].clone();
            assert_eq!(last["interrupted"], false);
            paths.collect::<Vec<_>>()
        };
        let test = ["--exec", "test", "{}", "=", "t/b", ";"];
        assert_eq!(errors(&test), ["t/a", "t/c"]);
        assert_eq!(errors(&["--exec-batch", "false", ";"]), ["t/a"]);
        let batch = ["t", "--sort", "--type=f", "--exec-batch", "false", ";"];
        let words = "curt walk: 'false' ended with exit status: 1 for 't/a' and 2 more\n";
        assert_eq!(run(&scratch, &batch).2, words);
        // Not the program is at fault but one entry.
        let each = ["--exec", "{}", ";"];
        assert_eq!(errors(&each).len(), 3);
    }

    #[test]
    fn a_program_that_is_missing_is_reported_once() {
        let scratch = Scratch::new();
        for name in ["a", "b", "c"] {
            scratch.file(format!("t/{name}"));
        }
        scratch.script("plain", "#!/bin/sh\n", 0o644);
        scratch.script("orphan", "#!/nowhere/sh\n", 0o755);
        for (program, message) in [
            ("curt-no-such-program", "curt-no-such-program: not found in PATH"),
            ("./none", "cannot start './none': no such program"),
            ("./plain", "cannot start './plain': not an executable file"),
            ("./orphan", "cannot start './orphan': its interpreter '/nowhere/sh' is missing"),
        ] {
            for more in [&[][..], &["-j3"], &["--sort"]] {
                let args = [&["t"], more, &["--exec", program, "{}", ";"]].concat();
                let (code, out, messages) = run(&scratch, &args);
                assert_eq!((code, out.as_str()), (Some(1), ""), "{args:?}");
                assert_eq!(messages, format!("curt walk: {message}\n"), "{args:?}");
            }
        }
    }

    #[test]
    fn delete_counts_what_it_removed() {
        let scratch = Scratch::new();
        for threads in ["-j1", "-j3"] {
            scratch.file("t/a.o");
            scratch.file("t/d/b.o");
            scratch.file("t/d/c");
            let args = [threads, "t", "--name", "*.o", "--delete", "--json"];
            let (code, out, messages) = run(&scratch, &args);
            assert_eq!((code, messages.as_str()), (Some(0), ""));
            let line: serde_json::Value = serde_json::from_str(&out).unwrap();
            assert_eq!(
                (&line["summary"]["removed"], &line["summary"]["entries"]),
                (&2.into(), &5.into())
            );
            let (_, out, messages) = run(&scratch, &[threads, "t", "--delete", "--stats"]);
            assert_eq!(out, "");
            assert!(messages.starts_with("curt walk: 3 entries, 3 removed, "), "{messages}");
        }
        let (_, out, _) = run(&scratch, &["--json"]);
        assert!(!out.contains("removed"), "{out}");
    }

    #[test]
    fn owners_that_do_not_exist_are_refused() {
        let scratch = Scratch::new();
        for (owner, what) in [
            ("no-such-user", "user 'no-such-user'"),
            ("root:no-such-group", "group 'no-such-group'"),
        ] {
            let (code, out, messages) = run(&scratch, &["--owner", owner]);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{owner}");
            assert!(messages.starts_with(&format!("curt walk: unknown {what}\n")), "{messages}");
        }
        for owner in ["root", "0", "3999999999"] {
            assert_eq!(run(&scratch, &["--owner", owner]).0, Some(0), "{owner}");
        }
    }

    #[test]
    fn names_are_written_unchanged_to_a_file_and_a_pipe() {
        let scratch = Scratch::new();
        scratch.file("t/a\nb\u{1b}[31m");
        let (_, out, _) = run(&scratch, &["-0", "t"]);
        assert_eq!(out, "t\0t/a\nb\u{1b}[31m\0");
    }
}

/// With `--format`, in JSON and for `--name`.
#[test]
fn the_name_of_an_operand_is_its_last_component() {
    let scratch = Scratch::new();
    scratch.file("a/b/c");
    for (operand, name) in [
        ("a/b", "b"),
        ("a/b/", "b"),
        ("a//b//", "b"),
        ("./a/./b", "b"),
        ("a/b/.", "b"),
        (".", "."),
        ("a/..", ".."),
        ("a/b/c", "c"),
        ("/", "/"),
    ] {
        let args = ["--max-depth=0", "--format={name}|{path}", operand];
        let name = native(name);
        assert_eq!(lines(&scratch, &args), [format!("{name}|{operand}")]);
        let out = lines(&scratch, &["--max-depth=0", "--json", operand]).remove(0);
        let object: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&object["name"], &object["path"]), (&name.as_str().into(), &operand.into()));
    }
    assert_eq!(lines(&scratch, &["--format={name}", "a/b"]), ["b", "c"]);
}

#[test]
fn ambiguous_options_are_refused() {
    let scratch = Scratch::new();
    scratch.file("t/file");
    for (args, words) in [
        (&["t", "--exec", "rm", "{}"][..], "missing ';' after the command"),
        (&["t", "--exec", "rm", "{}", "--name", "*.o"], "missing ';' after the command"),
        (&["t", "--exec-batch", "rm"], "missing ';' after the command"),
        (&["--sort", "size", "t"], "'--sort size' is ambiguous: write --sort=size"),
        (&["t", "--sort", "name"], "'--sort name' is ambiguous: write --sort=name"),
    ] {
        let (code, out, messages) = run(&scratch, args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
        assert!(messages.contains(words), "{args:?}: {messages}");
        assert!(scratch.exists("t/file"));
    }
    // Where it is plain which is meant.
    scratch.dir("!");
    assert_eq!(lines(&scratch, &["--", "!"]), ["!"]);
    scratch.file("size/file");
    // An operand stays as it was typed.
    let below = format!("./size{MAIN_SEPARATOR}file");
    // What follows --exec belongs to the command that is run.
    let (code, _, messages) =
        run(&scratch, &["size", "--exec", "curt-no-such-program", "--sort", "size", "{}", ";"]);
    assert_eq!(code, Some(1), "{messages}");
    assert!(!messages.contains("ambiguous"), "{messages}");
    assert_eq!(lines(&scratch, &["--sort", "./size"]), ["./size", &below]);
}

#[test]
fn the_path_and_the_depth_are_fields_too() {
    let scratch = Scratch::new();
    scratch.file_with("t/f", b"12345");
    let printed = lines(&scratch, &["--type=f", "--fields=depth,path,size", "t"]);
    assert_eq!(printed, [format!("1\t{}\t5", native("t/f"))]);
    let out = lines(&scratch, &["--type=f", "--json", "--fields=path,size", "t"]).remove(0);
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(object, serde_json::json!({"path": native("t/f"), "size": 5, "depth": 1}));
}

#[test]
fn tests_are_reversed_and_are_alternatives() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    scratch.file_with("t/big.keep", &[0; 2000]);
    scratch.dir("t/void");
    for (args, expected) in [
        (&["--not", "--name", "*.keep", "--type", "f"][..], "t/a t/sub/c t/sub/deep/e"),
        (&["--name", "a", "--or", "--name", "c"], "t/a t/sub/c"),
        (&["--name", "a", "--or", "--size", "+1k", "--type=f"], "t/a t/big.keep"),
        (&["--type", "d", "--not", "--empty"], "t t/sub t/sub/deep"),
        (&["--empty", "--type=d", "--or", "--not", "--size=0", "--type=f"], "t/big.keep t/void"),
        (&["--not", "--type", "f,d", "--or", "--name=c"], "t/sub/c"),
        (&["--not", "--type", "d", "--type", "f", "--name", "?"], "t/a t/sub/c t/sub/deep/e"),
        (&["--iname", "*.KEEP", "--not", "--iname=B.*"], "t/big.keep t/sub/d.keep"),
        (&["--name", "b*", "--not", "--name", "*.keep"], ""),
        (&["--regex", r"sub[/\\].$", "--or", "--regex", r"t[/\\]a"], "t/a t/sub/c"),
        (&["--iname", "\u{c9}*", "--or", "--iname=VOID"], "t/void"),
    ] {
        let found = lines(&scratch, &[&["--sort", "t"], args].concat());
        let expected: Vec<String> = expected.split_whitespace().map(native).collect();
        assert_eq!(found, expected, "{args:?}");
    }
    for (args, reason) in [
        (&["--not"][..], "--not needs a test after it"),
        (&["--not", "--max-depth", "1", "--name", "b"], "--not needs a test after it"),
        (&["--not", "--delete", "--name=b"], "--not needs a test after it"),
        (&["--name", "a", "--or"], "--or needs a test after it"),
        (&["--or", "--name", "a"], "--or needs a test before it"),
        (&["--name", "a", "--or", "--or", "--name", "b"], "--or needs a test before it"),
        (&["--not", "--or", "--name", "b"], "--not needs a test after it"),
        (&["--not", "--not", "--name", "b"], "two --not in a row"),
        (
            &["--perm", "u"],
            "invalid mode 'u': expected octal digits, or bits as in u=rw,go=r or u+x",
        ),
        (&["--iname", "a/b"], "invalid pattern 'a/b' for --iname: a name contains no slash; "),
        (&["--dry-run"], "--dry-run needs --delete"),
    ] {
        let (code, _, messages) = run(&scratch, args);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(messages.starts_with(&format!("curt walk: {reason}")), "{args:?}: {messages}");
    }
}

#[test]
fn a_dry_run_prints_in_the_order_of_removal_and_removes_nothing() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let expected = ["t/a", "t/b.keep", "t/sub/c", "t/sub/d.keep", "t/sub/deep/e", "t/sub/deep"];
    let expected = [&expected[..], &["t/sub", "t"]].concat();
    let expected: Vec<String> = expected.into_iter().map(native).collect();
    for threads in ["-j1", "-j4"] {
        assert_eq!(lines(&scratch, &[threads, "--delete", "--dry-run", "t"]), expected);
    }
    assert_eq!(lines(&scratch, &["--sort", "t"]).len(), 8);
    let (_, out, _) = run(&scratch, &["--delete", "--dry-run", "--json", "--name=a", "t"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(!out.contains("removed"), "{out}");
    assert_eq!(lines(&scratch, &["--delete", "t"]), [""; 0]);
    assert!(!scratch.exists("t"));
}

#[cfg(unix)]
#[test]
fn permissions_are_compared_as_by_find() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    for (name, mode) in [("a", 0o644), ("b", 0o4755), ("c", 0o600), ("d", 0o1777), ("e", 0)] {
        let path = scratch.file(format!("t/{name}"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let modes = ["644", "-644", "/111", "-u+x", "/u+s,+t", "u=rw", "-0", "/0", "0", "a=rwx,+t"];
    for mode in modes {
        let mut find = Command::new("find");
        find.args(["t", "-type", "f", "-perm", mode]).current_dir(scratch.path());
        let find = find.output().unwrap();
        assert!(find.status.success(), "{find:?}");
        let mut expected: Vec<String> =
            String::from_utf8(find.stdout).unwrap().lines().map(str::to_owned).collect();
        expected.sort();
        let found = lines(&scratch, &["--sort", "--type=f", "--perm", mode, "t"]);
        assert_eq!(found, expected, "{mode}");
    }
}
