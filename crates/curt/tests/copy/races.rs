//! Another thread swaps entries of the source and of the destination for symlinks. A copy must read
//! nothing outside the source, and change nothing outside the destination.
//!
//! `CURT_RACE_SECONDS` sets the minimum duration of each race.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use curt::Cause;
use curt_testkit::{Over, Scratch, race_time};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};

use crate::{complete, dump, on_thread, options};

const LONGEST: Duration = Duration::from_secs(60);

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with("s/first", b"inside");
    scratch.hard_link("s/first", "s/second");
    scratch.fifo("s/pipe");
    // Enough in each directory for a race about one of them.
    let names = (0..20).flat_map(|number| [format!("s/d/{number}/file"), format!("s/f{number}")]);
    for name in names.chain(["s/file", "s/d/file"].map(str::to_owned)) {
        scratch.file_with(name, b"inside");
    }
    for name in ["out/file", "out/dir/file", "out/dir/secret"] {
        let path = scratch.file_with(name, b"secret");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    for name in ["first", "second"] {
        scratch.file_with(format!("planted/{name}"), name.as_bytes());
    }
    scratch
}

/// Describes everything outside. Any change of an entry sets `ctime`, and reading a file for the
/// first time after a change usually sets `atime`.
fn outside(scratch: &Scratch) -> Vec<String> {
    let entry = |line: &String| {
        let about = fs::symlink_metadata(scratch.at("out").join(&line[2..])).unwrap();
        let read = if about.is_file() { (about.atime(), about.atime_nsec()) } else { (0, 0) };
        format!("{line} {}.{} {read:?}", about.ctime(), about.ctime_nsec())
    };
    let times: Vec<_> = scratch.list("out").iter().map(entry).collect();
    [times, dump(&scratch.at("out"))].concat()
}

/// Replaces an entry by a symlink to `out`, for a moment.
fn swap(scratch: &Scratch, name: &str, target: &str) -> bool {
    let (place, aside) = (scratch.path().join(name), scratch.path().join("aside"));
    if fs::read_link(&aside).is_err() {
        let _ = fs::remove_file(&aside).or_else(|_| fs::remove_dir_all(&aside));
        symlink(scratch.path().join(target), &aside).unwrap();
    }
    let exchange = || renameat_with(CWD, &place, CWD, &aside, RenameFlags::EXCHANGE).is_ok();
    let is_swapped = exchange();
    if is_swapped {
        wait();
        exchange();
        wait();
    }
    is_swapped
}

/// Lets the copy go on.
fn wait() {
    std::thread::sleep(Duration::from_micros(20));
}

/// Replaces an entry of the destination for good, by a symlink or by a file that contains its name.
fn plant(scratch: &Scratch, name: &str, target: Option<&str>) -> bool {
    let (place, aside) = (scratch.path().join(name), scratch.path().join("aside"));
    let _ = fs::remove_file(&aside);
    let planted = scratch.at("planted").join(place.file_name().unwrap());
    let made = target.map_or_else(
        || fs::hard_link(planted, &aside),
        |target| symlink(scratch.path().join(target), &aside),
    );
    made.unwrap();
    let is_planted = fs::rename(&aside, &place).is_ok();
    wait();
    is_planted
}

/// Checks that all files contain what they should, and that no symlink has become another name.
#[track_caller]
fn check(top: &Path, words: &str) {
    let mut waiting = vec![top.to_owned()];
    while let Some(path) = waiting.pop() {
        let Ok(about) = fs::symlink_metadata(&path) else { continue };
        if about.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if about.is_symlink() {
            assert!(about.nlink() == 1 || words == "hard-link", "{}", path.display());
        } else if about.is_file() {
            let content = fs::read_to_string(&path).unwrap();
            let is_planted = path.ends_with(&content);
            assert!(content == "inside" || is_planted, "{}: {content}", path.display());
        }
    }
}

/// Copies again and again while the tree is changed, and checks each copy while it is not.
fn race(words: &str, fails: bool, change: impl Fn(&Scratch) -> bool + Sync) {
    let scratch = &tree();
    outside(scratch);
    let before = outside(scratch);
    let copy = options(words);
    complete(&copy.run(scratch.at("s"), scratch.at("t")));
    // A pipe cannot be replaced.
    let left = if words.contains("replace") { "t/pipe" } else { "t" };
    scratch.remove(left);
    let (over, turn) = (AtomicBool::new(false), Mutex::new(()));
    let (changes, mut whole, mut failed) = (AtomicU64::new(0), 0, 0);
    let change = || {
        while !over.load(Relaxed) {
            let turn = turn.lock();
            changes.fetch_add(change(scratch).into(), Relaxed);
            drop(turn);
            wait();
        }
    };
    on_thread(|| {
        // On one processor, a change falls between any two calls of a copy, however short the time
        // between them is.
        let mut processors = CpuSet::new();
        processors.set(sched_getcpu());
        let _ = sched_setaffinity(None, &processors);
        std::thread::scope(|threads| {
            let _at_last = Over(&over);
            threads.spawn(change);
            let begun = Instant::now();
            loop {
                let report = copy.run(scratch.at("s"), scratch.path().join("t"));
                for error in &report.errors {
                    let is_refused =
                        matches!(error.cause(), Cause::Replaced | Cause::CopyRefused(..));
                    assert!(is_refused || error.raw_os_error().is_some(), "{error}");
                }
                *(if report.is_complete() { &mut whole } else { &mut failed }) += 1;
                let turn = turn.lock();
                check(&scratch.at("t"), words);
                scratch.remove(left);
                drop(turn);
                let is_raced = changes.load(Relaxed) > 10 && (failed > 3 || !fails);
                if is_raced && begun.elapsed() > race_time() / 4 {
                    break;
                }
                assert!(begun.elapsed() < LONGEST, "{words}: {whole} whole, {failed} failed");
            }
        });
    });
    let changes = changes.into_inner();
    let _ = writeln!(io::stdout(), "{words}: {whole} whole, {failed} failed, {changes} changes");
    assert_eq!(outside(scratch), before, "{words}");
}

#[test]
fn a_source_swapped_for_a_symlink_is_not_read() {
    for words in ["all", "all replace", "hard-link"] {
        race(words, true, |scratch| swap(scratch, "s/d", "out/dir"));
        race(words, words != "hard-link", |scratch| swap(scratch, "s/file", "out/file"));
    }
}

#[test]
fn a_destination_directory_swapped_for_a_symlink_is_not_filled() {
    for words in ["all", "all replace", "hard-link"] {
        race(words, words.contains("replace"), |scratch| swap(scratch, "t/d", "out/dir"));
    }
    for words in ["all", "hard-link"] {
        race(words, true, |scratch| {
            let below = |name: &Path| fs::read_dir(scratch.path().join("t/d").join(name));
            let mut entries = below(Path::new("")).into_iter().flatten().flatten();
            // An empty directory is new, and may not be open yet.
            let is_new = |entry: &fs::DirEntry| {
                below(&entry.path()).is_ok_and(|mut entries| entries.next().is_none())
            };
            let new = entries.find(is_new).map(|entry| entry.path());
            new.is_some_and(|path| swap(scratch, path.to_str().unwrap(), "out/dir"))
        });
    }
}

#[test]
fn a_symlink_in_place_of_a_new_file_is_not_followed() {
    for words in ["all", "all replace", "hard-link"] {
        let fails = !words.contains("replace");
        for name in ["t/file", "t/pipe"] {
            race(words, fails, |scratch| plant(scratch, name, Some("out/file")));
            race(words, false, |scratch| swap(scratch, name, "out/file"));
        }
    }
}

#[test]
fn only_copies_become_further_names() {
    // One of the names is copied first.
    for name in ["t/first", "t/second"] {
        for target in [Some("out/file"), None] {
            race("all", true, |scratch| plant(scratch, name, target));
            race("all replace", false, |scratch| plant(scratch, name, target));
        }
    }
}
