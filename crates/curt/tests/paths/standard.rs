//! `std::path::absolute`, on this system.

use std::path::Path;

use curt::paths::ThisProcess;
use curt::paths::{DotDot, Expander, Flavor};

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
fn the_working_directory_is_asked_for_once() {
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
