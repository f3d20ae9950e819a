//! Roots on platforms that a test has set up. What needs no such thing is tested through the public
//! interface, beside the kernel.

#[cfg(unix)]
mod faults;
mod imagined;

use std::path::Path;

use super::engine::{Confined, Failure};
use crate::sys::beneath::{Beneath, Create, How, Purpose};
#[cfg(windows)]
use crate::sys::{Setup, SystemUnit};
use crate::{Fields, Follow, Plan};

/// A root on a platform that a test has set up.
#[cfg(windows)]
pub(crate) fn opened<S: Beneath>(setup: &Setup, path: &Path) -> Confined<S> {
    Confined::open(S::start(setup), path).unwrap()
}

/// The name of what a path leads to, and whether that is missing; or why there is none.
#[cfg(windows)]
pub(crate) fn canonical<S: Beneath>(
    root: &Confined<S>,
    path: &Path,
) -> Result<(std::path::PathBuf, bool), String> {
    let found = root.text(path).and_then(|text| root.canonical(&text));
    found
        .map(|found| (SystemUnit::path(found.path), found.missing))
        .map_err(|failure| format!("{failure:?}"))
}

/// One operation on paths beneath a root.
type Deed<S> = fn(&Confined<S>) -> Result<(), Failure>;

/// Every operation, each on a path of some depth with `..` in it.
fn deeds<S: Beneath>() -> [(&'static str, Deed<S>); 9] {
    fn text<S: Beneath>(
        root: &Confined<S>,
        path: &str,
    ) -> Result<super::text::Text<S::Unit>, Failure> {
        root.text(Path::new(path))
    }
    [
        ("open a file", |root| {
            let how = How { read: true, follow: true, ..How::default() };
            let handle = root.open_file(&text(root, "a/b/../b/c/file")?, &how)?;
            root.sys().let_go(handle);
            Ok(())
        }),
        ("make a file", |root| {
            let how = How {
                write: true,
                create: Create::Missing,
                follow: true,
                mode: 0o600,
                ..How::default()
            };
            let handle = root.open_file(&text(root, "link/new")?, &how)?;
            root.sys().let_go(handle);
            Ok(())
        }),
        ("open a directory", |root| {
            let dir = root.enter(&text(root, "a/b/..")?, Purpose::Place)?;
            root.sys().close(dir);
            Ok(())
        }),
        ("make a directory", |root| root.create_dir(&text(root, "a/b/made")?, 0o700)),
        ("remove a file", |root| root.remove_file(&text(root, "link/c/file")?)),
        ("rename", |root| root.rename(&text(root, "a/b/c/file")?, &text(root, "a/moved")?)),
        ("read a link", |root| root.read_link(&text(root, "a/up")?).map(drop)),
        ("ask", |root| {
            let plan = Plan::new(Fields::SIZE).follow(Follow::Links);
            root.stat(&text(root, "a/up")?, Path::new("a/up"), plan).map(drop)
        }),
        ("find the name", |root| root.canonical(&text(root, "link/../up")?).map(drop)),
    ]
}
