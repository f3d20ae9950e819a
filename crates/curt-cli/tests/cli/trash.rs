//! Tests `curt rm --trash` against the freedesktop.org specification.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use curt_testkit::{Scratch, at_once, may_mount, may_trace};

use crate::{curt, outcome};

/// Returns a script's output. Without mount namespaces, reports a skip and returns `None`.
fn in_namespace(scratch: &Scratch, (name, value): (&str, &str), script: &str) -> Option<String> {
    if !curt_testkit::may_mount() {
        return None;
    }
    let script = script.replace("$RM", &format!("{} rm", env!("CARGO_BIN_EXE_curt")));
    let mut command = curt_testkit::in_namespace(&script);
    command.current_dir(scratch.path());
    let (_, out, messages) =
        outcome(&command.env(name, scratch.at(value)).env("LC_ALL", "C").output().unwrap());
    Some(out + &messages)
}

fn in_small_memory(script: &str) -> Option<String> {
    let scratch = Scratch::new();
    scratch.dir("m");
    scratch.dir("home");
    let script = format!(
        "set -e; mount -t tmpfs -o size=1m none m; mkdir m/d; echo kept > m/d/f; set +e; {script}"
    );
    in_namespace(&scratch, ("XDG_DATA_HOME", "home"), &script)
}

#[test]
fn full_paths_to_decoys_are_not_used() {
    let scenes = [
        // The path has a different meaning in another mount namespace.
        "mkdir -p d/cache; echo decoy > d/cache/f; mkfifo ready end
         unshare -m sh -c 'mount -t tmpfs none d; mkdir d/cache; echo named > d/cache/f
             echo > ready; read x < end' & PID=$!
         read x < ready; named() { cat /proc/$PID/root$PWD/d/cache/f; }; decoy() { cat d/cache/f; }
         ask() { $RM -rf --trash /proc/$PID/root$PWD/d/cache; }; over() { echo > end; wait; }",
        // A later mount covers the working directory's parent.
        "mkdir -p d/sub/cache; echo named > d/sub/cache/f; cd d/sub
         mount -t tmpfs none ../../d; mkdir -p ../../d/sub/cache; ROOT=$OLDPWD
         mkdir -p $ROOT/d/sub/cache; echo decoy > $ROOT/d/sub/cache/f
         named() { cat cache/f; }; decoy() { cat $ROOT/d/sub/cache/f; }
         ask() { $RM -rf --trash cache; }; over() { :; }",
        // The filesystem of the working directory is unmounted.
        "mkdir -p d; mount -t tmpfs none d; mkdir -p d$PWD/x/cache x/cache; ROOT=$PWD
         echo named > d$PWD/x/cache/f; echo decoy > x/cache/f; cd d$PWD/x; umount -l $ROOT/d
         named() { cat cache/f; }; decoy() { cat $ROOT/x/cache/f; }
         ask() { $RM -rf --trash cache; }; over() { :; }",
    ];
    for scene in scenes {
        let scratch = Scratch::new();
        scratch.dir("home");
        let script = format!(
            "set -e; {scene}\nset +e; ask; echo $?; decoy; named; over; \
             find $XDG_DATA_HOME -name f"
        );
        let Some(text) = in_namespace(&scratch, ("XDG_DATA_HOME", "home"), &script) else {
            return;
        };
        let words = "to the trash: its directory has no absolute path\n";
        assert!(text.starts_with("1\ndecoy\nnamed\ncurt rm: cannot move '"), "{scene}: {text}");
        assert!(text.ends_with(words), "{scene}: {text}");
    }
}

/// The specification requires local time for the deletion date.
#[test]
fn deletion_dates_are_local_times() {
    for zone in ["UTC", "Asia/Kathmandu", "America/St_Johns", "right/Asia/Tokyo", "XYZ+7:30", ":"] {
        let scratch = Scratch::new();
        scratch.tree("", "f data/");
        let date = || {
            let mut date = Command::new("date");
            let output = date.arg("+DeletionDate=%Y-%m-%dT%H:%M:%S").env("TZ", zone).output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        let earlier = date();
        let mut command = curt(&scratch, ["--trash", "f"]);
        command.env("XDG_DATA_HOME", scratch.at("data")).env("TZ", zone);
        assert_eq!(outcome(&command.output().unwrap()).0, Some(0));
        let later = date();
        let info = fs::read_to_string(scratch.at("data/Trash/info/f.trashinfo")).unwrap();
        let found = info.lines().last().unwrap();
        assert!(earlier.trim() <= found && found <= later.trim(), "{zone}: {info}");
    }
}

/// Works even if an ancestor contains a file named `Trash`, or if a filter refuses `faccessat2`.
#[test]
fn missing_folders_of_the_home_trash_are_made() {
    let refuse = "strace -qq -f -o log -e trace=faccessat2 -e inject=faccessat2:error=EPERM ";
    for (before, prefix) in [("echo > m/Trash;", ""), ("mkdir -p m/new/data;", refuse)] {
        if !prefix.is_empty() && !may_trace() {
            continue;
        }
        let script = format!(
            "{before} XDG_DATA_HOME=$PWD/m/new/data {prefix}$RM -r --trash m/d; echo $?
             cat m/new/data/Trash/files/d/f"
        );
        let Some(text) = in_small_memory(&script) else { return };
        assert_eq!(text, "0\nkept\n", "{before}");
    }
}

/// Runs `rm -rf --trash d` repeatedly. The n-th run injects the fault into the n-th call named
/// `call`, not counting the loader's. Returns for each run the exit code, whether there was output,
/// whether the operand exists, the numbers of trashed entries and of their information files, and
/// the number of files in the trash.
fn injected(call: &str, fault: &str) -> Vec<[i32; 6]> {
    let first = match call {
        "read" | "openat" | "newfstatat" => 4,
        _ => 1,
    };
    let script = format!(
        "cd m; unset LD_LIBRARY_PATH; for n in $(seq {first} 99); do
             rm -rf d data .Trash-0 log; mkdir d data; echo kept > d/f
             XDG_DATA_HOME=$PWD/data strace -qq -f -o log -e trace={call} \
                 -e inject={call}:{fault}:when=$n $RM -rf --trash d > said 2>&1
             code=$?; grep -q -e INJECTED -e 'killed by' log || break
             said=0; here=0; there=0; info=0
             [ -s said ] && said=1
             [ -f d/f ] && here=1
             for f in data/Trash/files/*/f .Trash-0/files/*/f; do
                 [ -s $f ] && there=$((there + 1)); done
             for f in data/Trash/info/d.* .Trash-0/info/d.*; do [ -s $f ] && info=$((info + 1)); done
             echo $code $said $here $there $info $(find data/* .Trash-0 2>/dev/null | wc -l)
         done"
    );
    let numbers = |line: &str| {
        let numbers: Vec<i32> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    in_small_memory(&script).unwrap_or_default().lines().map(numbers).collect()
}

#[test]
fn an_entry_is_never_lost_when_the_process_is_killed() {
    if !may_trace() || !may_mount() {
        return;
    }
    let mut killed = 0;
    for call in ["mkdirat", "openat", "write", "renameat2", "unlinkat"] {
        for run in injected(call, "signal=KILL") {
            killed += 1;
            let [_, _, here, there, info, _] = run;
            let waits = i32::from(call == "renameat2");
            assert_eq!((here + there, info), (1, there + waits), "{call} {run:?}");
        }
    }
    assert!(killed > 12, "{killed}");
}

/// `-f` may silence only the error about a missing operand.
#[test]
fn failed_calls_lose_no_file_and_are_reported() {
    if !may_trace() || !may_mount() {
        return;
    }
    let ignored = AtomicU32::new(0);
    let calls = "openat openat2 newfstatat statx readlinkat mkdirat write read renameat2";
    at_once(calls.split(' '), |call| {
        let mut failed = 0;
        for error in ["EACCES", "EPERM", "ENOENT", "EIO", "ENOSPC", "EXDEV"] {
            for (number, run) in injected(call, &format!("error={error}")).into_iter().enumerate() {
                let [code, printed, here, there, info, left] = run;
                let context = format!("{call} {error} {number}: {run:?}");
                assert_eq!((here + there, info), (1, there), "{context}");
                assert!(here == 0 || left == 0, "{context}");
                match (code, here) {
                    (0, 1) => {
                        assert_eq!((error, printed), ("ENOENT", 0), "{context}");
                        ignored.fetch_add(1, Ordering::Relaxed);
                    }
                    (_, 1) => {
                        assert_eq!(printed, 1, "{context}");
                        failed += 1;
                    }
                    _ => assert_eq!((code, printed), (0, 0), "{context}"),
                }
            }
        }
        // After failures of the first two, curt uses another trash, or resolves name by name. Only
        // a dynamic loader makes the last two.
        let others = ["mkdirat", "readlinkat", "newfstatat", "read"];
        assert!(failed > 0 || others.contains(&call), "{call}");
    });
    // curt ignores ENOENT for the operand's directory and for the operand. In a static binary, one
    // of these calls is among the skipped first ones.
    assert!((1..=2).contains(&ignored.into_inner()));
}
