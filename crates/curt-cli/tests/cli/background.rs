//! `curt rm --background`: trees are set aside, and removed by another process or by a later run.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use curt_testkit::{Scratch, skip};
use rustix::fs::{FlockOperation, flock};

use crate::{curt, in_namespace, said};

/// A directory with a tree of three files, and with the journal in `state/curt/removals`.
fn scene() -> Scratch {
    let scratch = Scratch::new();
    scratch.dir("state");
    for path in ["a", "sub/b", "sub/deep/c"] {
        scratch.file(format!("p/t/{path}"));
    }
    scratch
}

fn background(scratch: &Scratch, args: &str) -> Command {
    let mut command = curt(scratch, args.split_whitespace());
    command.arg("--background").env("XDG_STATE_HOME", scratch.at("state"));
    command
}

fn run(scratch: &Scratch, args: &str) -> (Option<i32>, String, String) {
    said(&background(scratch, args).output().unwrap())
}

/// The names in a directory, none if it is missing.
fn names(scratch: &Scratch, path: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(scratch.at(path)) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn records(scratch: &Scratch) -> Vec<String> {
    names(scratch, "state/curt/removals")
}

/// Waits until nothing is set aside in `p`, and the journal is empty.
fn wait_until_removed(scratch: &Scratch) {
    let begun = Instant::now();
    while names(scratch, "p").iter().any(|name| name.starts_with(".curt-"))
        || !records(scratch).is_empty()
    {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", scratch.list("."));
        sleep(Duration::from_millis(5));
    }
}

/// Runs under strace with an injection, and other options of strace after it. `None` without
/// strace.
fn injected(scratch: &Scratch, injection: &str, args: &str) -> Option<Command> {
    let trial = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !trial.is_ok_and(|status| status.success()) {
        skip("strace is not installed, or may not trace");
        return None;
    }
    let mut command = Command::new("strace");
    let injection = format!("inject={injection}");
    command.args(["-q", "-f", "-o", "trace", "-e"]).args(injection.split_whitespace());
    command.arg(env!("CARGO_BIN_EXE_curt")).args(["rm", "--background"]);
    command.args(args.split_whitespace()).current_dir(scratch.path());
    command.env("XDG_STATE_HOME", scratch.at("state"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command)
}

/// A tree that was set aside by a process that was killed before it started another one, and the
/// path that it has now.
fn leftover() -> Option<(Scratch, PathBuf)> {
    let scratch = scene();
    injected(&scratch, "clone3:signal=KILL", "-r p/t")?.output().unwrap();
    let aside = names(&scratch, "p");
    assert_eq!((aside.len(), records(&scratch).len()), (1, 1), "{aside:?}");
    assert!(aside[0].starts_with(".curt-removing-"), "{aside:?}");
    let aside = scratch.at("p").join(&aside[0]);
    assert!(aside.join("sub/deep/c").exists());
    Some((scratch, aside))
}

#[test]
fn names_are_free_at_once_and_trees_go() {
    let scratch = scene();
    scratch.file("p/u/f");
    scratch.file("p/file");
    scratch.link("p/link", "u");
    let (code, out, messages) = run(&scratch, "-r p/t p/u/ p/file p/link");
    assert_eq!((code, out.as_str(), messages.as_str()), (Some(0), "", ""));
    for name in ["t", "u", "file", "link"] {
        assert!(!scratch.exists(format!("p/{name}")), "{name}");
    }
    wait_until_removed(&scratch);
    assert_eq!(names(&scratch, "p"), Vec::<String>::new());
    for path in ["state/curt", "state/curt/removals"] {
        assert_eq!(fs::metadata(scratch.at(path)).unwrap().mode() & 0o777, 0o700, "{path}");
    }
}

#[test]
fn operands_are_refused_as_by_a_removal() {
    let scratch = scene();
    scratch.file("f");
    scratch.link("link", "p");
    scratch.dir("state/curt/removals");
    for path in ["state/curt", "state/curt/removals"] {
        fs::set_permissions(scratch.at(path), fs::Permissions::from_mode(0o700)).unwrap();
    }
    let before = scratch.list(".");
    for (args, reason) in [
        ("p", "Is a directory"),
        ("-r f/", "Not a directory"),
        ("-rf link/", "Not a directory"),
        ("-r gone", "No such file or directory"),
        ("-rf .", "'.' and '..' are no names of entries"),
        ("-rf p/..", "'.' and '..' are no names of entries"),
        ("-rf /", "it is the root directory"),
        ("-rf state", "it contains the journal of removals"),
        ("-rf state/curt/removals", "it contains the journal of removals"),
    ] {
        let (code, out, messages) = run(&scratch, args);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{args}: {messages}");
        assert!(messages.starts_with("curt rm: cannot set aside '"), "{args}: {messages}");
        assert!(messages.ends_with(&format!(": {reason}\n")), "{args}: {messages}");
        assert_eq!(scratch.list("."), before, "{args}");
    }
    let (code, _, messages) = run(&scratch, "-rf gone f/ gone/x");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    for args in ["-i p", "-v p", "-d p", "--dry-run p", "--trash p", "--contents p", "--stats p"] {
        let (code, _, messages) = run(&scratch, args);
        assert_eq!(code, Some(2), "{args}: {messages}");
        assert!(messages.contains("--background"), "{args}: {messages}");
    }
    assert_eq!(scratch.list("."), before);
    let (code, out, _) = run(&scratch, "-r --json p f gone");
    assert_eq!(code, Some(1));
    assert!(out.contains("{\"operation\":\"set_aside\",\"path\":\"gone\","), "{out}");
    assert!(out.contains("\"files\":1,\"directories\":0,") && out.contains("\"set_aside\":1"));
    wait_until_removed(&scratch);
}

/// Whatever call is the last one of a process, the tree is whole under its name, or a later run
/// removes it; no record is left then, and nothing else is gone.
#[test]
fn a_process_can_be_killed_at_any_call() {
    for call in [
        "mkdirat",
        "openat",
        "openat2",
        "flock",
        "write",
        "fsync",
        "renameat",
        "renameat2",
        "clone3",
        "execve",
        "getdents64",
        "unlinkat",
    ] {
        for when in 1..100 {
            let scratch = scene();
            scratch.file("p/other/f");
            let injection = format!("{call}:signal=KILL:when={when}");
            let Some(mut command) = injected(&scratch, &injection, "-r p/t") else { return };
            let code = command.output().unwrap().status.code();
            let is_killed = fs::read_to_string(scratch.at("trace")).unwrap().contains("killed by");
            let (code_of_next, _, messages) = run(&scratch, "");
            assert_eq!((code_of_next, messages.as_str()), (Some(0), ""), "{injection}");
            let left = names(&scratch, "p");
            if left.len() == 2 {
                assert!(code != Some(0), "{injection}");
                let whole = ["- a", "- sub/b", "- sub/deep/c", "d sub", "d sub/deep"];
                assert_eq!(scratch.list("p/t"), whole, "{injection}");
            }
            assert!(left == ["other"] || left == ["other", "t"], "{injection}: {left:?}");
            assert!(scratch.exists("p/other/f"), "{injection}");
            assert_eq!(records(&scratch), Vec::<String>::new(), "{injection}");
            if !is_killed {
                assert!(when > 1, "{call} is not called");
                break;
            }
        }
    }
}

#[test]
fn a_later_run_finishes_what_was_interrupted() {
    let Some((scratch, aside)) = leftover() else { return };
    let (code, out, messages) = run(&scratch, "");
    assert_eq!((code, out.as_str(), messages.as_str()), (Some(0), "", ""));
    assert!(!aside.exists() && records(&scratch).is_empty());
    // So does the process that another removal starts.
    let Some((scratch, aside)) = leftover() else { return };
    scratch.file("p/v/f");
    assert_eq!(run(&scratch, "-r p/v").0, Some(0));
    wait_until_removed(&scratch);
    assert!(!aside.exists());
}

#[test]
fn only_what_a_record_identifies_is_removed() {
    type Change = fn(&Scratch, &PathBuf);
    let changes: [(&str, bool, Change); 6] = [
        ("another directory", false, |scratch, aside| {
            fs::rename(aside, scratch.at("moved")).unwrap();
            scratch.file(aside.strip_prefix(scratch.path()).unwrap().join("precious"));
        }),
        ("a link", false, |scratch, aside| {
            fs::rename(aside, scratch.at("moved")).unwrap();
            symlink(scratch.at("moved"), aside).unwrap();
        }),
        ("a file", false, |scratch, aside| {
            fs::rename(aside, scratch.at("moved")).unwrap();
            fs::write(aside, "precious").unwrap();
        }),
        ("another parent", true, |scratch, aside| {
            fs::rename(scratch.at("p"), scratch.at("moved")).unwrap();
            scratch.file(aside.strip_prefix(scratch.path()).unwrap().join("precious"));
        }),
        ("no parent", true, |scratch, _| {
            fs::rename(scratch.at("p"), scratch.at("moved")).unwrap();
        }),
        ("a link to the parent", true, |scratch, _| {
            fs::rename(scratch.at("p"), scratch.at("moved")).unwrap();
            scratch.link("p", "moved");
        }),
    ];
    for (what, is_kept, change) in changes {
        let Some((scratch, aside)) = leftover() else { return };
        change(&scratch, &aside);
        let lines = |scratch: &Scratch| -> Vec<String> {
            scratch
                .list(".")
                .into_iter()
                .filter(|line| !line.contains("state") && !line.contains("trace"))
                .collect()
        };
        let before = lines(&scratch);
        let (code, _, messages) = run(&scratch, "");
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{what}");
        assert_eq!(lines(&scratch), before, "{what}");
        // A parent may come back; its disk may have been taken out.
        assert_eq!(records(&scratch).len(), usize::from(is_kept), "{what}");
    }
    let Some((scratch, aside)) = leftover() else { return };
    fs::rename(scratch.at("p"), scratch.at("q")).unwrap();
    run(&scratch, "");
    fs::rename(scratch.at("q"), scratch.at("p")).unwrap();
    run(&scratch, "");
    assert!(!aside.exists() && records(&scratch).is_empty());
}

#[test]
fn records_that_others_could_have_made_are_not_believed() {
    type Change = fn(&Scratch, &PathBuf);
    let changes: [(&str, Change); 6] = [
        ("two links", |scratch, record| scratch_link(scratch, record)),
        ("another owner", |_, record| chown(record, Some(65534), None).unwrap()),
        ("a link", |scratch, record| {
            fs::rename(record, scratch.at("record")).unwrap();
            symlink(scratch.at("record"), record).unwrap();
        }),
        ("other numbers", |_, record| {
            let text = fs::read(record).unwrap();
            let mut fields: Vec<&[u8]> = text.split(|&byte| byte == 0).collect();
            fields[2] = b"1";
            fs::write(record, fields.join(&0)).unwrap();
        }),
        ("no end", |_, record| {
            let text = fs::read(record).unwrap();
            fs::write(record, &text[..text.len() - 2]).unwrap();
        }),
        ("too long", |_, record| {
            fs::OpenOptions::new()
                .append(true)
                .open(record)
                .unwrap()
                .write_all(&vec![0; 1 << 17])
                .unwrap();
        }),
    ];
    for (what, change) in changes {
        let Some((scratch, aside)) = leftover() else { return };
        if fs::metadata(scratch.path()).unwrap().uid() != 0 {
            return skip("acting as another user needs root");
        }
        let record = scratch.at("state/curt/removals").join(&records(&scratch)[0]);
        change(&scratch, &record);
        // What waits when it is opened, and what is no record.
        scratch.fifo("state/curt/removals/fifo");
        scratch.file("state/curt/removals/directory/file");
        scratch.file_with("state/curt/removals/garbage", b"curt-removal-1\0x");
        let (code, _, messages) = run(&scratch, "");
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{what}");
        assert!(aside.join("sub/deep/c").exists(), "{what}");
    }
}

fn scratch_link(scratch: &Scratch, record: &PathBuf) {
    fs::hard_link(record, scratch.at("second")).unwrap();
}

#[test]
fn a_record_that_another_process_holds_is_left_to_it() {
    let Some((scratch, aside)) = leftover() else { return };
    let record = scratch.at("state/curt/removals").join(&records(&scratch)[0]);
    let file = fs::File::open(&record).unwrap();
    flock(&file, FlockOperation::LockExclusive).unwrap();
    assert_eq!(run(&scratch, "").0, Some(0));
    assert!(aside.exists() && record.exists());
    drop(file);
    assert_eq!(run(&scratch, "").0, Some(0));
    assert!(!aside.exists() && !record.exists());
}

/// Sets `p/t` aside while another directory takes its name, with a further injection.
fn replaced(injection: &str) -> Option<(Scratch, Option<i32>, String)> {
    let scratch = scene();
    let delay = "fsync:delay_enter=1000000:when=1";
    let mut command = injected(&scratch, &format!("{delay} {injection}"), "-r p/t")?;
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    while records(&scratch).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(5));
    }
    fs::rename(scratch.at("p/t"), scratch.at("p/moved")).unwrap();
    scratch.file("p/t/precious");
    let (code, _, messages) = said(&child.wait_with_output().unwrap());
    Some((scratch, code, messages))
}

#[test]
fn what_takes_the_place_of_an_operand_is_put_back() {
    let Some((scratch, code, messages)) = replaced("") else { return };
    let message = "curt rm: cannot set aside 'p/t': another entry has this name now\n";
    assert_eq!((code, messages.as_str()), (Some(1), message));
    assert_eq!(names(&scratch, "p"), ["moved", "t"]);
    assert!(scratch.exists("p/t/precious") && scratch.exists("p/moved/sub/deep/c"));
    assert_eq!(records(&scratch), Vec::<String>::new());
}

#[test]
fn what_cannot_be_put_back_is_named_and_kept() {
    let again = "-e inject=renameat2:error=EEXIST:when=2";
    let Some((scratch, code, messages)) = replaced(again) else { return };
    let names = names(&scratch, "p");
    assert!(names.len() == 2 && names[0].starts_with(".curt-removing-"), "{names:?}");
    let message = format!("and the one before it is named '{}'\n", names[0]);
    assert_eq!(code, Some(1));
    assert!(messages.ends_with(&message), "{messages}");
    assert_eq!(run(&scratch, "").0, Some(0));
    assert!(scratch.exists(format!("p/{}/precious", names[0])), "no record names it");
}

#[test]
fn trees_that_cannot_be_reached_are_reported_and_stay_recorded() {
    let Some((scratch, aside)) = leftover() else { return };
    let parent = aside.parent().unwrap().display();
    let injection = format!("openat:error=EACCES -P {parent}");
    let Some(mut command) = injected(&scratch, &injection, "") else { return };
    let (code, _, messages) = said(&command.output().unwrap());
    let message = format!("curt rm: cannot remove '{}': Permission denied\n", aside.display());
    assert_eq!((code, messages), (Some(1), message));
    let (code, out, messages) = run(&scratch, "--json");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(out.starts_with("{\"summary\":{\"files\":3,\"directories\":3,"), "{out}");
    assert!(!aside.exists() && records(&scratch).is_empty());
}

#[test]
fn a_journal_that_others_could_write_is_not_used() {
    let is_root = fs::metadata(scene().path()).unwrap().uid() == 0;
    for (path, mode, owner) in [
        ("state/curt", 0o777, None),
        ("state/curt/removals", 0o750, None),
        ("state", 0o755, Some(65534)),
        ("state/curt", 0o700, Some(65534)),
        ("state/curt/removals", 0o700, Some(65534)),
    ] {
        if owner.is_some() && !is_root {
            return skip("acting as another user needs root");
        }
        let scratch = scene();
        scratch.dir("state/curt/removals");
        for private in ["state/curt", "state/curt/removals"] {
            fs::set_permissions(scratch.at(private), fs::Permissions::from_mode(0o700)).unwrap();
        }
        fs::set_permissions(scratch.at(path), fs::Permissions::from_mode(mode)).unwrap();
        chown(scratch.at(path), owner, None).unwrap();
        let (code, _, messages) = run(&scratch, "-rf p/t");
        assert_eq!(code, Some(1), "{path}");
        let message = "curt rm: cannot open the journal of removals: Operation not permitted\n";
        assert_eq!(messages, message, "{path}");
        assert!(scratch.exists("p/t/sub/deep/c"), "{path}");
    }
    let scratch = scene();
    scratch.dir("elsewhere");
    scratch.link("state/curt", "../elsewhere");
    assert_eq!(run(&scratch, "-rf p/t").0, Some(1));
    assert!(scratch.exists("p/t/sub/deep/c") && names(&scratch, "elsewhere").is_empty());
}

#[test]
fn failures_of_the_other_process_are_reported_by_a_run_without_operands() {
    let Some((scratch, aside)) = leftover() else { return };
    let chattr = |sign: &str| {
        let mut command = Command::new("chattr");
        command.arg(sign).arg(aside.join("sub/b")).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !chattr("+i") {
        return skip("files cannot be made immutable here");
    }
    let (code, _, messages) = run(&scratch, "");
    assert!(chattr("-i"));
    assert_eq!(code, Some(1));
    let path = aside.join("sub/b");
    let message = format!("curt rm: cannot remove '{}': Operation not permitted\n", path.display());
    assert_eq!(messages, message);
    assert_eq!(records(&scratch).len(), 1, "it is tried again");
    assert_eq!(run(&scratch, "").0, Some(0));
    assert!(!aside.exists() && records(&scratch).is_empty());
}

/// Runs a script in its own mount namespace, with a small filesystem in memory in `m`.
fn in_small_memory(script: &str) -> Option<String> {
    let scratch = scene();
    scratch.dir("m");
    let script = format!("mount -t tmpfs -o size=1m none m; {script}");
    in_namespace(&scratch, ("XDG_STATE_HOME", "m"), &script)
}

#[test]
fn nothing_is_moved_on_a_full_disk_or_with_a_mount_below() {
    for (setup, reason) in [
        (
            "mkdir -m 700 m/curt m/curt/removals; dd if=/dev/zero of=m/big 2>/dev/null",
            "No space left on device",
        ),
        ("mkdir p/t/m; mount -t tmpfs none p/t/m", "something is mounted below it"),
    ] {
        let script =
            format!("{setup}; $RM -r --background p/t; ls -A p m/curt/removals; ls p/t/sub");
        let Some(said) = in_small_memory(&script) else { return };
        let left = "m/curt/removals:\n\np:\nt\nb\ndeep\n";
        assert!(said.starts_with(left), "{said}");
        assert!(said.ends_with(&format!("curt rm: cannot set aside 'p/t': {reason}\n")), "{said}");
    }
}
