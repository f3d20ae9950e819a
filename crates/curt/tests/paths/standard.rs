use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use curt::paths::{DotDot, Environment, Expander, Flavor, PathText, ThisProcess};

#[cfg(unix)]
#[test]
fn native_paths_equal_absolute() {
    let expander = Expander::new(ThisProcess::new());
    for text in crate::paths(7, &crate::POSIX, 9) {
        let theirs = std::path::absolute(Path::new(&text)).ok();
        let ours = expander.expand_path(Path::new(&text)).ok();
        let theirs = theirs.as_deref().map(Path::as_os_str);
        assert_eq!(ours.as_deref().map(Path::as_os_str), theirs, "{text:?}");
    }
}

#[test]
fn the_working_directory_is_queried_once() {
    let process = ThisProcess::new();
    let expander = Expander::new(process.clone());
    assert_eq!(process.calls().total(), 0);
    let here = std::env::current_dir().unwrap();
    for _ in 0..3 {
        assert_eq!(*expander.expand_path(Path::new("x")).unwrap(), here.join("x"));
    }
    assert!(process.calls().total() <= 1, "{:?}", process.calls());
    let process = ThisProcess::new();
    let made_up = Expander::new(process.clone()).flavor(Flavor::Posix).dot_dot(DotDot::Clamp);
    assert_eq!(*made_up.expand(b"/a//b/..").unwrap(), *b"/a");
    assert_eq!(process.calls().total(), 0);
}

struct Meeting(AtomicUsize);

impl Environment for Meeting {
    fn working_directory(&self) -> Option<PathText> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        while self.0.load(Ordering::Relaxed) < 2 {
            assert!(begun.elapsed() < Duration::from_secs(20), "the other thread waits");
            thread::yield_now();
        }
        Some("/here".into())
    }
}

/// Otherwise a child of `fork` could wait forever for a thread of its parent.
#[test]
fn threads_do_not_wait_for_each_other() {
    let expander = Expander::new(Meeting(AtomicUsize::new(0))).flavor(Flavor::Posix);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(*expander.expand(b"x").unwrap(), *b"/here/x"));
        }
    });
    assert_eq!(*expander.expand(b"y").unwrap(), *b"/here/y");
}
