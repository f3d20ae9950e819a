//! Copies on real filesystems: their calls, races, killed processes, content, metadata, and other
//! filesystems. GNU `cp` is the authority for content and metadata.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod calls;
mod content;
mod killed;
mod metadata;
mod private;
mod races;
mod systems;

use std::collections::HashMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use curt::copy::{Existing, Method, Preserve, Report};
use curt::{Copy, Threads};
use curt_testkit::{Scratch, skip};
use rustix::fs::{SeekFrom, XattrFlags};

/// Options of a copy as text, which can also be given to another process.
fn options(words: &str) -> Copy<'static> {
    words.split_whitespace().fold(Copy::new().threads(Threads::AtMost(1)), |copy, word| {
        let preserve = |what| copy.clone().preserve(what);
        match word {
            "all" => preserve(Preserve::ALL),
            "attributes" => preserve(Preserve::ATTRIBUTES),
            "links" => preserve(Preserve::LINKS),
            "mode" => preserve(Preserve::MODE),
            "p" => preserve(Preserve::MODE | Preserve::OWNER | Preserve::TIMES),
            "times" => preserve(Preserve::TIMES),
            "hard-link" => copy.methods(&[Method::HardLink]),
            "merge" => copy.existing(Existing::Merge),
            "replace" => copy.existing(Existing::Replace),
            "changed" => copy.existing(Existing::ReplaceChanged),
            "j2" => copy.threads(Threads::AtMost(2)),
            _ => panic!("no option {word}"),
        }
    })
}

#[track_caller]
fn complete(report: &Report) {
    assert!(report.is_complete(), "{report:?}");
}

const TOLD: &str = "CURT_TEST_COPY";
/// Missing files whose queries delimit the copy in a log of strace.
const MARKS: [&str; 2] = ["/curt-test-copy-begins", "/curt-test-copy-ends"];

/// Returns a command that copies in another process, on a thread without other calls.
fn in_process(tracer: &[&str], words: &str, from: &Path, to: &Path) -> Command {
    let mut command = Command::new(tracer[0]);
    command.args(&tracer[1..]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "another_process_copies", "--test-threads=1"]);
    command.env(TOLD, format!("{words}\n{}\n{}", from.display(), to.display()));
    command.env_remove("LD_LIBRARY_PATH");
    command
}

/// Calls that the start of a program makes as well. The copying thread makes this many of each
/// first, because strace counts by thread, so that a higher number is one of the copy.
const COMMON: [&str; 4] = ["openat", "statx", "read", "close"];
const FIRST: usize = 30;

/// Does nothing unless it is run by `in_process`.
#[test]
fn another_process_copies() {
    let Ok(told) = std::env::var(TOLD) else { return };
    let [words, from, to] = told.split('\n').collect::<Vec<_>>()[..] else { panic!("{told}") };
    let copy = options(words);
    on_thread(|| {
        for _ in 0..FIRST {
            let mut file = File::open("/dev/null").unwrap();
            assert!(file.metadata().is_ok() && file.read(&mut [0]).is_ok());
        }
        let _ = fs::metadata(MARKS[0]);
        let report = copy.run(from, to);
        let _ = fs::metadata(MARKS[1]);
        complete(&report);
    });
}

/// Runs a part of a test on a thread of its own, which can change its user and its mounts.
fn on_thread(part: impl FnOnce() + Send) {
    std::thread::scope(|threads| {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let thread = std::thread::Builder::new().name(name);
        thread.spawn_scoped(threads, part).unwrap().join().unwrap();
    });
}

fn shell(script: &str) -> Output {
    let script = format!("PATH=$PATH:/usr/sbin:/sbin; {script}");
    Command::new("sh").args(["-c", &script]).env("LC_ALL", "C").output().unwrap()
}

fn has_gnu_cp() -> bool {
    let is_gnu = shell("cp --version | grep -q GNU").status.success();
    if !is_gnu {
        skip("GNU cp is not installed");
    }
    is_gnu
}

fn gnu_cp(options: &str, from: &Path, to: &Path) -> Output {
    shell(&format!("exec cp {options} -T '{}' '{}'", from.display(), to.display()))
}

/// An access control list in the format of acl(5), version 2: what the owner, user 12345, the group,
/// the mask and others may do.
fn acl(may: [u8; 5]) -> Vec<u8> {
    let entry = |(kind, may): (u8, u8)| match kind {
        2 => [kind, 0, may, 0, 57, 48, 0, 0],
        _ => [kind, 0, may, 0, 255, 255, 255, 255],
    };
    let entries = [1, 2, 4, 16, 32].into_iter().zip(may).flat_map(entry);
    [2, 0, 0, 0].into_iter().chain(entries).collect()
}

/// Sets an extended attribute. Not every filesystem has every one.
fn set_attribute(path: &Path, word: &str) -> bool {
    let (name, value) = match word {
        "acl" => ("system.posix_acl_access", acl([6, 4, 4, 4, 4])),
        "default" => ("system.posix_acl_default", acl([7, 7, 5, 7, 5])),
        // An effective `CAP_NET_RAW`, in the format of capabilities(7), version 2.
        "capability" => ("security.capability", [&[1, 0, 0, 2, 0, 32], &[0; 14][..]].concat()),
        "empty" => ("user.empty", Vec::new()),
        "trusted" => ("trusted.one", b"1".to_vec()),
        _ => ("user.one", b"1".to_vec()),
    };
    rustix::fs::lsetxattr(path, name, &value, XattrFlags::empty()).is_ok()
}

fn attributes(path: &Path) -> Vec<String> {
    let mut names = vec![0; 4096];
    let length = rustix::fs::llistxattr(path, &mut names).unwrap_or(0);
    let mut found = Vec::new();
    for name in names[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 4096];
        let length = rustix::fs::lgetxattr(path, name, &mut value).unwrap_or(0);
        found.push(format!("{}={:x?}", String::from_utf8_lossy(name), &value[..length]));
    }
    found.sort();
    found
}

/// Describes all entries of a tree, also the top, by everything that can be copied: one line each.
fn dump(top: &Path) -> Vec<String> {
    let (mut lines, mut waiting) = (Vec::new(), vec![top.to_owned()]);
    let mut firsts: HashMap<u64, PathBuf> = HashMap::new();
    while let Some(path) = waiting.pop() {
        let about = fs::symlink_metadata(&path).unwrap();
        let mut content = format!("{}", about.rdev());
        if about.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            let mut below: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            below.sort();
            waiting.extend(below);
        } else if about.is_symlink() {
            content = fs::read_link(&path).unwrap().display().to_string();
        } else if about.is_file() {
            let mut hasher = DefaultHasher::new();
            fs::read(&path).unwrap().hash(&mut hasher);
            content = format!("{} bytes, {:x}", about.len(), hasher.finish());
        }
        let path = path.strip_prefix(top).unwrap().to_owned();
        let first = firsts.entry(about.ino()).or_insert_with(|| path.clone());
        lines.push(format!(
            "{} {:o} {}:{} {}.{} {content} as {} {:?}",
            path.display(),
            about.mode(),
            about.uid(),
            about.gid(),
            about.mtime(),
            about.mtime_nsec(),
            first.display(),
            attributes(&top.join(&path)),
        ));
    }
    lines
}

#[track_caller]
fn assert_same(ours: &[String], theirs: &[String], case: &str) {
    let only = |these: &[String], those: &[String]| {
        these.iter().filter(|line| !those.contains(line)).cloned().collect::<Vec<_>>().join("\n  ")
    };
    let (extra, missing) = (only(ours, theirs), only(theirs, ours));
    assert!(ours == theirs, "{case}:\n  {extra}\ninstead of\n  {missing}");
}

/// Returns the parts of a file that are not holes.
fn parts(path: &Path) -> Vec<(u64, u64)> {
    let file = File::open(path).unwrap();
    let mut parts: Vec<(u64, u64)> = Vec::new();
    loop {
        let at = parts.last().map_or(0, |part| part.1);
        let Ok(begin) = rustix::fs::seek(&file, SeekFrom::Data(at)) else { return parts };
        parts.push((begin, rustix::fs::seek(&file, SeekFrom::Hole(begin)).unwrap()));
    }
}

/// Gives entries of a tree times in the past, which differ.
fn age(scratch: &Scratch, top: &str) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
    for (second, line) in (1_000_000_000..).zip(scratch.list(top).iter().rev()) {
        let time = Timespec { tv_sec: second, tv_nsec: 123_456_789 };
        let times = Timestamps { last_access: time, last_modification: time };
        let path = scratch.at(top).join(&line[2..]);
        utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
    }
}
