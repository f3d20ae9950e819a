//! `std::path::absolute`, on this system.

use std::borrow::Cow;
use std::path::Path;

use curt::paths::ThisProcess;
use curt::paths::{DotDot, Env, ExpandError, Expander, Flavor};

#[cfg(unix)]
#[test]
fn native_paths_equal_absolute() {
    let mut maker = crate::Maker::new(7);
    let expander = Expander::new(ThisProcess::new());
    for _ in 0..crate::count() {
        let text = maker.path(&crate::POSIX, 9);
        let theirs = std::path::absolute(Path::new(&text)).ok();
        let ours = expander.expand_path(Path::new(&text)).ok();
        let theirs = theirs.as_deref().map(Path::as_os_str);
        assert_eq!(ours.as_deref().map(Path::as_os_str), theirs, "{text:?}");
    }
}

#[test]
fn strings_are_expanded_as_their_bytes() {
    let mut maker = crate::Maker::new(8);
    for flavor in [Flavor::Posix, Flavor::Windows] {
        let env = Env::none().cwd(if flavor == Flavor::Posix { "/é" } else { r"C:\é" });
        let expander = Expander::new(env.home("/ü")).flavor(flavor).tilde(true);
        for _ in 0..crate::count() {
            let text = maker.path(&["é", "~", "/", "\\", ".", "..", "\u{20ac}", "C:", " "], 9);
            let ours = expander.expand_str(&text).map(|full| full.into_owned().into_bytes());
            let theirs = expander.expand(text.as_bytes()).map(Cow::into_owned);
            assert_eq!(ours, theirs, "{text:?}");
        }
    }
    assert!(matches!(
        Expander::new(Env::none()).flavor(Flavor::Posix).expand_str("/a"),
        Ok(Cow::Borrowed("/a"))
    ));
    let elsewhere = Expander::new(Env::none().cwd(&b"/\xff"[..])).flavor(Flavor::Posix);
    assert_eq!(elsewhere.expand_str("a"), Err(ExpandError::Encoding));
    assert_eq!(elsewhere.expand_str("/a").as_deref(), Ok("/a"));
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
