//! What a program gets: arguments, variables, a directory, descriptors, signals.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;

use curt_testkit::Scratch;

use super::{in_every_way, printed, shell};
use crate::Command;
use crate::os::unix::{CommandExtras, SpawnBorrowed};
use crate::process::Stream;

#[test]
fn arguments_arrive_unchanged() {
    let words = ["", " ", "a b", "\"'\\", "*", "$HOME", "é", "-n", "a\nb"];
    shell("for word; do printf '[%s]' \"$word\"; done", |way, mut command| {
        command.arg("sh").args(words);
        let expected = format!("[{}]", words.join("]["));
        assert_eq!(printed(&command), expected, "{way}");
    });
    shell("printf %s \"$1\"", |way, mut command| {
        command.arg("sh").arg(std::ffi::OsString::from_vec(vec![0xff, 0xfe]));
        assert_eq!(command.output().unwrap().stdout, [0xff, 0xfe], "{way}");
    });
}

#[test]
fn arg0_sets_the_argument_zero() {
    shell("echo $0", |way, mut command| {
        assert_eq!(printed(&command), "/bin/sh\n", "{way}");
        command.arg0("another");
        assert_eq!(printed(&command), "another\n", "{way}");
    });
}

#[test]
fn variables_are_set_and_removed() {
    let own: Vec<_> = std::env::vars_os().collect();
    in_every_way("/usr/bin/env", |way, mut command| {
        let all = command.arg("-0").output().unwrap().stdout;
        let all: Vec<_> = all.split(|&byte| byte == 0).filter(|line| !line.is_empty()).collect();
        assert_eq!(all.len(), own.len(), "{way}");
        command.env("CURT_TEST", "a=b").env_remove("PATH");
        let changed = printed(&command);
        assert!(changed.split('\0').any(|line| line == "CURT_TEST=a=b"), "{way}");
        assert!(!changed.split('\0').any(|line| line.starts_with("PATH=")), "{way}");
        command.env_clear().env("B", "").env("A", "1").env("A", "2");
        assert_eq!(printed(&command), "A=2\0B=\0", "{way}");
    });
}

#[test]
fn a_relative_program_is_found_from_the_directory_of_the_child() {
    let scratch = Scratch::new();
    scratch.script("bin/here", "#!/bin/sh\npwd\n", 0o755);
    let expected = format!("{}\n", scratch.path().canonicalize().unwrap().display());
    in_every_way("bin/here", |way, mut command| {
        command.current_dir(scratch.path());
        assert_eq!(printed(&command), expected, "{way}");
    });
}

#[test]
fn streams_are_files_pipes_or_the_null_device() {
    let scratch = Scratch::new();
    shell("cat; echo out; echo err >&2", |way, mut command| {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let mut file = options.open(scratch.at("both")).unwrap();
        let shared = |file: &File| Stream::from(OwnedFd::from(file.try_clone().unwrap()));
        command.stdin(Stream::null()).stdout(shared(&file)).stderr(shared(&file));
        assert!(command.status().unwrap().success(), "{way}");
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "out\nerr\n", "{way}");

        command.stdin(Stream::pipe()).stdout(Stream::pipe()).stderr(Stream::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"in\n").unwrap();
        assert!(child.stderr.is_none(), "{way}");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.stdout, b"in\nout\n", "{way}");
        // The ends of this process are not inherited: the input of the child ends when this process
        // closes it.
    });
}

#[test]
fn much_output_on_both_streams_does_not_block() {
    let script = "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; head -c 9 /dev/zero";
    shell(script, |way, command| {
        let output = command.output().unwrap();
        assert_eq!((output.stdout.len(), output.stderr.len()), (1_000_009, 1_000_000), "{way}");
    });
}

#[test]
fn descriptors_may_change_places() {
    let scratch = Scratch::new();
    for name in ["a", "b"] {
        std::fs::write(scratch.at(name), name).unwrap();
    }
    // Each goes to the number of the other, and one of them is the standard input as well.
    in_every_way("/bin/cat", |way, mut command| {
        let open = |name| OwnedFd::from(File::open(scratch.at(name)).unwrap());
        let (a, b) = (open("a"), open("b"));
        let (first, second) = (a.as_raw_fd(), b.as_raw_fd());
        command.arg(format!("/dev/fd/{first}")).arg(format!("/dev/fd/{second}")).arg("-");
        command.stdin(Stream::from(open("a")));
        command.descriptor(a, second).descriptor(b, first);
        assert_eq!(printed(&command), "baa", "{way}");
    });
}

#[test]
#[cfg(target_os = "linux")]
fn no_descriptor_leaks_into_a_child() {
    let scratch = Scratch::new();
    std::fs::write(scratch.at("file"), "").unwrap();
    // A child inherits what other code left inheritable, so only `close_others` makes this exact.
    let file = File::open(scratch.at("file")).unwrap();
    let left_open = rustix::io::fcntl_dupfd_cloexec(&file, 50).unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    in_every_way("/bin/ls", |way, mut command| {
        command.args(["-1", "/proc/self/fd"]).stdin(Stream::pipe());
        let open = printed(&command);
        let number = left_open.as_raw_fd().to_string();
        assert!(open.lines().any(|line| line == number), "{way}: {open}");
        command.close_others(true);
        // The three streams, and the directory that is listed.
        assert_eq!(printed(&command), "0\n1\n2\n3\n", "{way}");
        let given = file.as_fd().try_clone_to_owned().unwrap();
        command.descriptor(given, 77);
        assert_eq!(printed(&command), "0\n1\n2\n3\n77\n", "{way}");
    });
}

#[test]
fn the_numbers_of_standard_streams_are_refused() {
    in_every_way("/bin/true", |way, mut command| {
        let file = File::open("/dev/null").unwrap();
        command.descriptor(file, 2);
        let error = command.spawn().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{way}");
    });
}

/// Waits for a program that has no handle, and returns its exit code.
fn code_of(id: u32) -> Option<i32> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(id).unwrap());
    let waited = rustix::process::waitpid(pid, rustix::process::WaitOptions::empty());
    waited.unwrap().unwrap().1.exit_status()
}

#[test]
fn lent_descriptors_are_given_and_stay_open() {
    let scratch = Scratch::new();
    for (name, text) in [("in", "in\n"), ("more", "more\n")] {
        std::fs::write(scratch.at(name), text).unwrap();
    }
    shell("cat; cat <&\"$0\"; cat <&9", |way, mut command| {
        let open = |name| File::open(scratch.at(name)).unwrap();
        let (input, more, kept) = (open("in"), open("more"), open("more"));
        let output = File::create_new(scratch.at(format!("out-{way}"))).unwrap();
        let number = kept.as_raw_fd();
        command.arg(number.to_string()).stdin(Stream::null()).close_others(true);
        // A stream that the command has as a pipe ends at once, and what is lent comes first.
        command.stdout(Stream::pipe()).stderr(Stream::pipe());
        let lent =
            [(input.as_fd(), 0), (output.as_fd(), 1), (kept.as_fd(), number), (more.as_fd(), 9)];
        let id = command.spawn_borrowed(&lent, None).unwrap();
        assert_eq!(code_of(id), Some(0), "{way}");
        let text = std::fs::read_to_string(scratch.at(format!("out-{way}"))).unwrap();
        assert_eq!(text, "in\nmore\nmore\n", "{way}");
        (&output).write_all(b"still open").unwrap();
        let failure = command.spawn_borrowed(&[(input.as_fd(), -1)], None).unwrap_err();
        assert_eq!(failure.kind(), std::io::ErrorKind::InvalidInput, "{way}");
        Command::new("/no/such/program").spawn_borrowed(&lent, None).unwrap_err();
        (&output).write_all(b"still open").unwrap();
    });
}

#[test]
fn lent_variables_are_all_that_a_program_gets() {
    let scratch = Scratch::new();
    scratch.script("bin/found", "#!/bin/sh\nexec /usr/bin/env -0\n", 0o755);
    let path = scratch.at("bin").into_os_string();
    in_every_way("found", |way, mut command| {
        let out = scratch.at(format!("out-{way}"));
        let output = File::create(&out).unwrap();
        command.env("LOST", "1");
        let variables = [("B", "2".into()), ("A", "1".into()), ("PATH", path.clone())];
        let variables = variables.map(|(name, value)| (OsStr::new(name).into(), value.into()));
        let id = command.spawn_borrowed(&[(output.as_fd(), 1)], Some(&variables)).unwrap();
        assert_eq!(code_of(id), Some(0), "{way}");
        let printed = std::fs::read_to_string(out).unwrap();
        let found: Vec<_> =
            printed.split('\0').filter(|line| line.starts_with(['A', 'B', 'L'])).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, ["A=1", "B=2"], "{way}: {printed}");
    });
    in_every_way("/usr/bin/env", |way, mut command| {
        let out = scratch.at(format!("order-{way}"));
        let output = File::create(&out).unwrap();
        let variables = ["Z", "B", "A", ""];
        let variables = variables.map(|name| (OsStr::new(name).into(), OsStr::new("x").into()));
        let id = command.arg("-0").spawn_borrowed(&[(output.as_fd(), 1)], Some(&variables));
        assert_eq!(code_of(id.unwrap()), Some(0), "{way}");
        let printed = std::fs::read_to_string(out).unwrap();
        assert_eq!(printed, "Z=x\0B=x\0A=x\0=x\0", "{way}");
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_lent_start_has_no_handle_to_close() {
    // Other tests of this binary open descriptors meanwhile.
    if curt_testkit::ran_apart("process::tests::given::a_lent_start_has_no_handle_to_close") {
        return;
    }
    let program = OsStr::new("/bin/true");
    let command = Command::new(program);
    let before = std::fs::read_dir("/proc/thread-self/fd").unwrap().count();
    let ids: Vec<u32> = (0..3).map(|_| command.spawn_borrowed(&[], None).unwrap()).collect();
    assert_eq!(std::fs::read_dir("/proc/thread-self/fd").unwrap().count(), before);
    for id in ids {
        assert_eq!(code_of(id), Some(0));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn ignored_signals_get_their_default_action_if_asked_for() {
    let ignored = |command: &Command| {
        let status = printed(command);
        let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).unwrap();
        u64::from_str_radix(set, 16).unwrap() & !OWN
    };
    let bit = |signal: i32| 1_u64 << (signal - 1);
    in_every_way("/bin/cat", |way, mut command| {
        command.arg("/proc/self/status");
        let usual = ignored(&command);
        // Programs in Rust ignore SIGPIPE.
        command.default_signals(&[]);
        assert_eq!(ignored(&command), usual | bit(libc::SIGPIPE), "{way}");
        command.default_signals(&[libc::SIGPIPE, libc::SIGXFSZ]);
        assert_eq!(ignored(&command), usual & !bit(libc::SIGXFSZ), "{way}");
        command.default_signals(&[libc::SIGKILL]);
        if way != "posix_spawn" {
            // The C library passes over a signal whose action cannot be changed.
            assert!(command.spawn().is_err(), "{way}");
        }
    });
}

/// Two signals are private to the C library, which lets some of its children ignore them.
#[cfg(target_os = "linux")]
const OWN: u64 = 0b11 << 31;

/// Compared with a child of the standard library.
#[test]
#[cfg(target_os = "linux")]
fn signals_are_as_the_standard_library_leaves_them() {
    // The mask is that of this thread. Programs in Rust ignore SIGPIPE; their children do not.
    let blocked = crate::sys::process::block_signals();
    let sets = |status: Vec<u8>| -> Vec<(String, u64)> {
        let status = String::from_utf8(status).unwrap();
        let lines = status.lines().filter_map(|line| line.split_once(":\t"));
        let lines = lines.filter(|(name, _)| ["SigBlk", "SigIgn", "SigCgt"].contains(name));
        lines
            .map(|(name, set)| (name.to_owned(), u64::from_str_radix(set, 16).unwrap() & !OWN))
            .collect()
    };
    let mut theirs = std::process::Command::new("/bin/cat");
    let theirs = sets(theirs.arg("/proc/self/status").output().unwrap().stdout);
    assert_eq!(theirs.len(), 3);
    in_every_way("/bin/cat", |way, mut command| {
        command.arg("/proc/self/status");
        assert_eq!(sets(command.output().unwrap().stdout), theirs, "{way}");
        command.unblock_signals(true);
        let all = sets(command.output().unwrap().stdout);
        assert_eq!(all[0], ("SigBlk".to_owned(), 0), "{way}");
    });
    drop(blocked);
}
