//! `curt rm --trash`, by the freedesktop.org specification.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use curt_testkit::{Scratch, at_once, may_mount, skip};

use crate::{curt, in_namespace, said};

/// A directory in which the home trash is in `data/Trash`.
fn home() -> Scratch {
    let scratch = Scratch::new();
    scratch.dir("data");
    scratch
}

/// Runs `curt rm --trash` with these arguments.
fn trash<S: AsRef<OsStr>>(
    scratch: &Scratch,
    args: impl IntoIterator<Item = S>,
) -> (Option<i32>, String, String) {
    let mut command = curt(scratch, args);
    command.arg("--trash").env("XDG_DATA_HOME", scratch.at("data")).env("TZ", "UTC");
    said(&command.output().unwrap())
}

fn trash_line(scratch: &Scratch, args: &str) -> (Option<i32>, String, String) {
    trash(scratch, args.split_whitespace())
}

/// Where the information in the trash says that an entry was.
fn origin(scratch: &Scratch, name: &OsStr) -> Vec<u8> {
    let mut info = name.to_owned();
    info.push(".trashinfo");
    let text = fs::read_to_string(scratch.at("data/Trash/info").join(info)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("[Trash Info]", 3), "{text}");
    assert!(lines[2].starts_with("DeletionDate="), "{text}");
    let path = lines[1].strip_prefix("Path=").unwrap();
    assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = (first == b'%').then(|| std::str::from_utf8(&after[..2]).unwrap());
        bytes.push(escaped.map_or(first, |hex| u8::from_str_radix(hex, 16).unwrap()));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    bytes
}

fn names(scratch: &Scratch, folder: &str) -> Vec<String> {
    let lines = scratch.list(format!("data/Trash/{folder}"));
    lines.iter().map(|line| line[2..].to_owned()).collect()
}

#[test]
fn entries_are_moved_whole_and_can_be_found_again() {
    let scratch = home();
    let odd = std::ffi::OsString::from_vec(b"\xff % \n=\xc3\xa9".to_vec());
    let long = "x".repeat(254) + "y";
    for name in [OsStr::new("f"), "t/sub/a".as_ref(), &odd, long.as_ref()] {
        scratch.file(name);
    }
    scratch.link("link", "t");
    let operands = [OsStr::new("-rv"), "f".as_ref(), "t/".as_ref(), "./link".as_ref(), &odd];
    let (code, out, messages) = trash(&scratch, operands);
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    let files = scratch.at("data/Trash/files");
    let first = format!("moved 'f' to the trash as '{}'", files.join("f").display());
    assert_eq!(out.lines().next(), Some(first.as_str()), "{out}");
    assert_eq!(out.lines().count(), 4, "{out}");
    let (code, _, messages) = trash(&scratch, [&long]);
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "only the trash is left");
    assert!(scratch.exists("data/Trash/files/t/sub/a"));
    assert!(scratch.at("data/Trash/files").join("link").symlink_metadata().unwrap().is_symlink());
    for name in [OsStr::new("f"), "t".as_ref(), "link".as_ref(), &odd] {
        let was = scratch.path().join(name);
        assert_eq!(origin(&scratch, name), was.as_os_str().as_bytes(), "{name:?}");
    }
    // Its information needs room for the extension.
    let cut = &long[..255 - ".trashinfo".len()];
    assert_eq!(origin(&scratch, cut.as_ref()), scratch.path().join(&long).as_os_str().as_bytes());
    for (path, mode) in [
        ("data/Trash", 0o700),
        ("data/Trash/files", 0o700),
        ("data/Trash/info", 0o700),
        ("data/Trash/info/f.trashinfo", 0o600),
    ] {
        assert_eq!(fs::metadata(scratch.at(path)).unwrap().mode() & 0o777, mode, "{path}");
    }
}

#[test]
fn equal_names_get_numbers_and_replace_nothing() {
    let scratch = home();
    for (number, dir) in ["a", "b", "c"].iter().enumerate() {
        scratch.file_with(format!("{dir}/f"), number.to_string().as_bytes());
    }
    let (code, _, messages) = trash_line(&scratch, "a/f b/f");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    // One that another program left without information, and the other way round.
    scratch.file_with("data/Trash/files/f.3", b"left");
    scratch.file("data/Trash/info/f.4.trashinfo");
    let (code, _, messages) = trash_line(&scratch, "c/f");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert_eq!(names(&scratch, "files"), ["f", "f.2", "f.3", "f.5"]);
    assert_eq!(
        names(&scratch, "info"),
        ["f.2.trashinfo", "f.4.trashinfo", "f.5.trashinfo", "f.trashinfo"]
    );
    for (name, content) in [("f", "0"), ("f.2", "1"), ("f.3", "left"), ("f.5", "2")] {
        let held = fs::read_to_string(scratch.at("data/Trash/files").join(name)).unwrap();
        assert_eq!(held, content, "{name}");
    }
    // Beyond the numbers, names are drawn.
    for number in 0..70 {
        scratch.file(format!("many/{number}/f"));
    }
    let operands: Vec<String> = (0..70).map(|number| format!("many/{number}/f")).collect();
    let (code, _, messages) = trash(&scratch, &operands);
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert_eq!(fs::read_dir(scratch.at("data/Trash/files")).unwrap().count(), 74);
}

/// Runs a script in its own mount namespace, with a filesystem in memory in `m` and its own home
/// directory, and returns what it printed.
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
fn other_filesystems_have_their_own_trash() {
    for (setup, folder) in [
        ("true", ".Trash-0"),
        ("mkdir m/.Trash; chmod 1777 m/.Trash", ".Trash/0"),
        // Nothing that anybody could replace.
        ("mkdir m/.Trash; chmod 0777 m/.Trash", ".Trash-0"),
        ("mkdir m/x; chmod 1777 m/x; ln -s x m/.Trash", ".Trash-0"),
        ("mkdir m/.Trash; chmod 1777 m/.Trash; ln -s ../d m/.Trash/0", ".Trash-0"),
    ] {
        let script = format!(
            "{setup}; $RM --trash m/d/f; echo $?; cd m/{folder}; find . | sort; cat files/f; \
             grep Path info/f.trashinfo; stat -c %a . files info; $RM --trash files/f 2>&1"
        );
        let Some(said) = in_small_memory(&script) else { return };
        let expected = "0\n.\n./files\n./files/f\n./info\n./info/f.trashinfo\nkept\nPath=d/f\n\
                        700\n700\n700\n\
                        curt rm: cannot move 'files/f' to the trash: it is there already\n";
        assert_eq!(said, expected, "{setup}");
    }
}

#[test]
fn folders_of_others_are_not_used() {
    for setup in [
        "mkdir m/.Trash-0; chown 65534 m/.Trash-0",
        "mkdir m/x; ln -s x m/.Trash-0",
        "touch m/.Trash-0",
        "mkdir -p m/.Trash-0/files; chown 65534 m/.Trash-0/files",
        "mkdir -p m/.Trash-0/files m/x; ln -s ../x m/.Trash-0/info",
    ] {
        let script = format!("{setup}; $RM -r --trash m/d; echo $?; cat m/d/f");
        let Some(said) = in_small_memory(&script) else { return };
        let words = "curt rm: cannot move 'm/d' to the trash: its filesystem has none that you";
        assert!(said.starts_with("1\nkept\n") && said.contains(words), "{setup}: {said}");
    }
}

#[test]
fn the_home_of_another_user_is_left_alone() {
    let script = "mkdir -p m/h; chown 65534 m/h; export XDG_DATA_HOME=$PWD/m/h; \
                  $RM --trash m/d/f; echo $?; find m/h; ls m/.Trash-0/files; \
                  touch m/g; XDG_DATA_HOME=$PWD/m/h/data $RM --trash m/g; echo $?; find m/h";
    let Some(said) = in_small_memory(script) else { return };
    assert_eq!(said, "0\nm/h\nf\n0\nm/h\n");
}

#[test]
fn mounts_stay_where_they_are() {
    let below = "mkdir 'm/d/a b' other; mount -t tmpfs none 'm/d/a b'; touch 'm/d/a b/x'
        touch m/g m/h; mount --bind m/g m/h; mount --bind m other; ";
    // In the other mount of the filesystem nothing is mounted below, but a rename takes it along.
    for (operand, reason) in [
        ("m/d", "something is mounted below it"),
        ("other/d", "something is mounted below it"),
        ("'m/d/a b'", "Device or resource busy"),
        ("'other/d/a b'", "Device or resource busy"),
        ("m/h", "Device or resource busy"),
        ("other/h", "Device or resource busy"),
    ] {
        for dry in ["", "--dry-run"] {
            let rm = format!("$RM -r --trash {dry} {operand}");
            let script = format!("{below}{rm}; echo $?; ls 'm/d/a b'; ls -A m | head");
            let Some(said) = in_small_memory(&script) else { return };
            assert!(said.starts_with("1\nx\n"), "{rm}: {said}");
            assert!(said.contains(&format!(" to the trash: {reason}\n")), "{rm}: {said}");
        }
    }
    // Another mount of the filesystem with the home trash: a rename cannot leave it.
    let script = "mkdir here there; mount --bind here there; touch there/f; \
                  $RM --trash there/f; echo $?; find there | sort; find home | sort";
    let Some(said) = in_small_memory(script) else { return };
    let moved = "0\nthere\nthere/.Trash-0\nthere/.Trash-0/files\nthere/.Trash-0/files/f\n\
                 there/.Trash-0/info\nthere/.Trash-0/info/f.trashinfo\n";
    assert!(said.starts_with(moved), "{said}");
    assert!(!said.contains("home/Trash/info/f"), "{said}");
}

/// The trash is known by what it is, not by its path.
#[test]
fn the_trash_is_recognised_through_another_mount() {
    let script = "mkdir -p home/Trash/files home/Trash/info x; echo kept > home/Trash/files/f
        mount --bind home x; for it in x/Trash/files/f x/Trash/info x/Trash; do
            $RM -rf --trash $it 2>&1; done; cat x/Trash/files/f
        mount --bind home/Trash/files x; $RM --trash x/f 2>&1; ls -A x";
    let Some(said) = in_small_memory(script) else { return };
    let line = |path, reason| format!("curt rm: cannot move '{path}' to the trash: {reason}\n");
    let (there, holds) = ("it is there already", "it contains the trash");
    let expected = line("x/Trash/files/f", there) + &line("x/Trash/info", holds);
    let expected = expected + &line("x/Trash", holds) + "kept\n" + &line("x/f", there) + "f\n";
    assert_eq!(said, expected);
}

#[test]
fn nothing_is_moved_on_a_full_disk() {
    for setup in [
        // No room for the text, or not even for the names.
        "dd if=/dev/zero of=m/big bs=64k count=64 2>/dev/null",
        "mount -o remount,nr_inodes=32 m; while mktemp -q m/XXXXXX > made; do :; done",
    ] {
        let script = format!(
            "mkdir -m 700 m/.Trash-0 m/.Trash-0/files m/.Trash-0/info; {setup}; \
             $RM --trash m/d/f; echo $?; cat m/d/f; find m/.Trash-0 | sort"
        );
        let Some(said) = in_small_memory(&script) else { return };
        let left = "1\nkept\nm/.Trash-0\nm/.Trash-0/files\nm/.Trash-0/info\n";
        assert!(said.starts_with(left), "{setup}: {said}");
        let message = "curt rm: cannot move 'm/d/f' to the trash: No space left on device\n";
        assert!(said.ends_with(message), "{setup}: {said}");
    }
}

/// A dry run says what a run then does, and makes nothing.
#[test]
fn a_dry_run_says_where_operands_would_go() {
    for made in ["", "data/Trash/files/", "data/Trash/files/f data/Trash/info/f.2.trashinfo"] {
        let scratch = Scratch::new();
        scratch.tree("", made);
        for name in ["a/f", "b/f", "t/sub/x"] {
            scratch.file(name);
        }
        let before = scratch.list(".");
        let operands = "-rf a/f b/f t gone";
        let (code, out, messages) = trash_line(&scratch, &format!("--dry-run {operands}"));
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{made}");
        assert_eq!(scratch.list("."), before, "{made}");
        let (code, done, _) = trash_line(&scratch, &format!("-v {operands}"));
        assert_eq!(code, Some(0), "{made}");
        assert_eq!(out.replace("would move", "moved"), done, "{made}");
        assert_eq!(done.lines().count(), 3, "{done}");
    }
    let scratch = home();
    scratch.dir("d");
    let (code, out, messages) = trash_line(&scratch, "--dry-run d");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(messages, "curt rm: cannot move 'd' to the trash: Is a directory\n");
    let (code, out, _) = trash_line(&scratch, "-r --dry-run --json d");
    let to = scratch.at("data/Trash/files/d").display().to_string();
    assert_eq!(code, Some(0));
    assert_eq!(out, format!("{{\"path\":\"d\",\"trashed\":false,\"to\":\"{to}\"}}\n"));
}

/// The names of folders that would be made for another filesystem.
#[test]
fn a_dry_run_makes_no_folder_on_another_filesystem() {
    for (setup, folder) in
        [("true", "m/.Trash-0"), ("mkdir m/.Trash; chmod 1777 m/.Trash", "m/.Trash/0")]
    {
        let script = format!(
            "{setup}; find . > /dev/shm/$$; $RM --trash --dry-run m/d/f; echo $?; \
             find . | cmp - /dev/shm/$$; rm /dev/shm/$$; pwd"
        );
        let Some(said) = in_small_memory(&script) else { return };
        let here = said.lines().last().unwrap();
        let moved = format!("would move 'm/d/f' to the trash as '{here}/{folder}/files/f'");
        assert_eq!(said, format!("{moved}\n0\n{here}\n"), "{setup}");
    }
}

/// Where the full path of an operand leads elsewhere, whatever is there stays, and so does the
/// operand.
#[test]
fn a_full_path_that_leads_elsewhere_is_not_used() {
    let scenes = [
        // Another mount namespace has something else there.
        "mkdir -p d/cache; echo decoy > d/cache/f; mkfifo ready end
         unshare -m sh -c 'mount -t tmpfs none d; mkdir d/cache; echo named > d/cache/f
             echo > ready; read x < end' & PID=$!
         read x < ready; named() { cat /proc/$PID/root$PWD/d/cache/f; }; decoy() { cat d/cache/f; }
         ask() { $RM -rf --trash /proc/$PID/root$PWD/d/cache; }; over() { echo > end; wait; }",
        // The working directory is below a later mount.
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
        let Some(said) = in_namespace(&scratch, ("XDG_DATA_HOME", "home"), &script) else {
            return;
        };
        let words = "to the trash: no full path leads to the directory that it is in\n";
        assert!(said.starts_with("1\ndecoy\nnamed\ncurt rm: cannot move '"), "{scene}: {said}");
        assert!(said.ends_with(words), "{scene}: {said}");
    }
}

/// Without the table of mounts, no directory is moved, because one may be mounted below it.
#[test]
fn nothing_is_moved_where_mounts_cannot_be_known() {
    for table in
        ["umount -l /proc", "mount -t tmpfs none /proc; mkdir /proc/self; : > /proc/self/mountinfo"]
    {
        let script = format!(
            "mkdir m/e; mkdir m/d/below; mount -t tmpfs none m/d/below; echo kept > m/d/below/x
             {table}; for d in m/d m/e; do $RM -rf --trash $d; echo $?; done; cat m/d/below/x
             $RM --trash m/d/f; echo $?; cat m/.Trash-0/files/f"
        );
        let Some(said) = in_small_memory(&script) else { return };
        assert!(said.starts_with("1\n1\nkept\n0\nkept\n"), "{table}: {said}");
        let words = "cannot read whether something is mounted below it: No such file or directory";
        assert_eq!(said.matches(words).count(), 2, "{table}: {said}");
    }
}

/// The date of deletion is that of the user's clock, as the specification says.
#[test]
fn deletion_dates_are_local_times() {
    for zone in ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "XYZ+7:30", ":"]
    {
        let scratch = home();
        scratch.file("f");
        let date = || {
            let mut date = Command::new("date");
            let said = date.arg("+DeletionDate=%Y-%m-%dT%H:%M:%S").env("TZ", zone).output();
            String::from_utf8(said.unwrap().stdout).unwrap()
        };
        let earlier = date();
        let mut command = curt(&scratch, ["--trash", "f"]);
        command.env("XDG_DATA_HOME", scratch.at("data")).env("TZ", zone);
        assert_eq!(said(&command.output().unwrap()).0, Some(0));
        let later = date();
        let info = fs::read_to_string(scratch.at("data/Trash/info/f.trashinfo")).unwrap();
        let found = info.lines().last().unwrap();
        assert!(earlier.trim() <= found && found <= later.trim(), "{zone}: {info}");
    }
}

/// Whether strace can change what calls do; where not, that is said.
fn may_trace() -> bool {
    let trial = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    let may = trial.is_ok_and(|status| status.success());
    if !may {
        skip("strace is not installed, or may not trace");
    }
    may
}

/// Runs `rm -rf --trash d` again and again, while strace injects something into one call of a kind,
/// after those that load the program: the first, the second and so on. Returns for each run its exit
/// code, how much it said, whether the operand is still there, and how many entries and texts are in
/// the trash.
fn injected(call: &str, what: &str) -> Vec<[i32; 5]> {
    let first = match call {
        "read" | "openat" | "newfstatat" => 4,
        _ => 1,
    };
    let script = format!(
        "cd m; unset LD_LIBRARY_PATH; for n in $(seq {first} 99); do
             rm -rf d data .Trash-0 log; mkdir d data; echo kept > d/f
             XDG_DATA_HOME=$PWD/data strace -qq -f -o log -e trace={call} \
                 -e inject={call}:{what}:when=$n $RM -rf --trash d > said 2>&1
             code=$?; grep -q -e INJECTED -e 'killed by' log || break
             said=0; here=0; there=0; info=0
             [ -s said ] && said=1
             [ -f d/f ] && here=1
             for f in data/Trash/files/*/f .Trash-0/files/*/f; do
                 [ -s $f ] && there=$((there + 1)); done
             for f in data/Trash/info/d.* .Trash-0/info/d.*; do [ -s $f ] && info=$((info + 1)); done
             echo $code $said $here $there $info
         done"
    );
    let numbers = |line: &str| {
        let numbers: Vec<i32> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    in_small_memory(&script).unwrap_or_default().lines().map(numbers).collect()
}

/// Whatever call is the last one of a process that is killed, an entry is in one place, and if it
/// is in the trash, its information is there.
#[test]
fn an_entry_is_never_lost_when_the_process_is_killed() {
    if !may_trace() || !may_mount() {
        return;
    }
    let mut killed = 0;
    for call in ["mkdirat", "openat", "write", "renameat2", "unlinkat"] {
        for run in injected(call, "signal=KILL") {
            killed += 1;
            let [_, _, here, there, info] = run;
            assert!(here + there == 1 && there <= info, "{call} {run:?}");
        }
    }
    assert!(killed > 12, "{killed}");
}

/// Whatever call fails, and with what: nothing is lost, and `-f` silences nothing but a missing
/// operand.
#[test]
fn a_call_that_fails_loses_nothing_and_is_never_silent() {
    if !may_trace() || !may_mount() {
        return;
    }
    let forgiven = AtomicU32::new(0);
    let calls = "openat openat2 newfstatat statx readlinkat mkdirat write read renameat2";
    at_once(calls.split(' '), |call| {
        let mut failed = 0;
        for error in ["EACCES", "EPERM", "ENOENT", "EIO", "ENOSPC", "EXDEV"] {
            for (number, run) in injected(call, &format!("error={error}")).into_iter().enumerate() {
                let [code, said, here, there, info] = run;
                let context = format!("{call} {error} {number}: {run:?}");
                assert!(here + there == 1 && there <= info, "{context}");
                match (code, here) {
                    (0, 1) => {
                        assert_eq!((error, said), ("ENOENT", 0), "{context}");
                        forgiven.fetch_add(1, Ordering::Relaxed);
                    }
                    (_, 1) => {
                        assert_eq!(said, 1, "{context}");
                        failed += 1;
                    }
                    _ => assert_eq!((code, said), (0, 0), "{context}"),
                }
            }
        }
        // Where these fail there is another way: a trash elsewhere, names one by one. Only the
        // loader of a dynamic binary makes the last two.
        let others = ["mkdirat", "readlinkat", "newfstatat", "read"];
        assert!(failed > 0 || others.contains(&call), "{call}");
    });
    // The operand's directory and the operand, at the first look; of a static binary one is among
    // the calls that load others.
    assert!((1..=2).contains(&forgiven.into_inner()));
}
