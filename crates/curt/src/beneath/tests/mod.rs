#[cfg(unix)]
mod faults;
mod memory;

use std::io;
use std::path::Path;

use super::confined::{Confined, Policy, open_root};
use super::steps::Failure;
use super::text::Text;
use crate::fields::{Fields, Follow, Plan, Time};
use crate::name::NameBuf;
use crate::querier::Querier;
use crate::sys::beneath::{Beneath, Change, Create, How, Purpose};
use crate::sys::{Setup, SystemUnit};

pub(crate) struct TestRoot<S: Beneath> {
    querier: Querier<S>,
    dir: S::Dir,
    policy: Policy,
}

impl<S: Beneath> TestRoot<S> {
    pub(crate) fn open(setup: &Setup, path: &Path) -> Self {
        TestRoot::try_open(setup, path).unwrap()
    }

    fn try_open(setup: &Setup, path: &Path) -> io::Result<Self> {
        let sys = S::start(setup);
        let dir = open_root(&sys, path)?;
        Ok(TestRoot { querier: Querier::new(sys, Plan::default()), dir, policy: Policy::default() })
    }

    fn confined(&self) -> Confined<'_, S> {
        Confined { querier: &self.querier, dir: &self.dir, policy: self.policy }
    }

    fn sys(&self) -> &S {
        &self.querier.sys
    }

    #[cfg(windows)]
    pub(crate) fn canonical(&self, path: &str) -> Result<(std::path::PathBuf, bool), String> {
        let root = self.confined();
        let found = text(&root, path).and_then(|text| root.canonical(&text));
        found
            .map(|found| (SystemUnit::path(found.path), found.missing))
            .map_err(|failure| format!("{failure:?}"))
    }
}

fn text<S: Beneath>(root: &Confined<'_, S>, path: &str) -> Result<Text<S::Unit>, Failure> {
    root.text(Path::new(path), Vec::new())
}

type Operation<S> = fn(&Confined<'_, S>) -> Result<String, Failure>;

fn done((): ()) -> String {
    String::new()
}

fn operations<S: Beneath>() -> [(&'static str, Operation<S>); 15] {
    [
        ("open a file", |root| {
            let how = How { read: true, follow: true, ..How::default() };
            let handle = root.open_file(&text(root, "a/b/../b/c/file")?, &how)?;
            root.sys().close_handle(handle);
            Ok(done(()))
        }),
        ("create a file", |root| {
            let how = How {
                write: true,
                create: Create::Missing,
                follow: true,
                mode: 0o600,
                ..How::default()
            };
            let handle = root.open_file(&text(root, "link/new")?, &how)?;
            root.sys().close_handle(handle);
            Ok(done(()))
        }),
        ("open a directory", |root| {
            let dir = root.enter(&text(root, "a/b/..")?, Purpose::Lookup)?;
            root.sys().close(dir);
            Ok(done(()))
        }),
        ("create a directory", |root| root.create_dir(&text(root, "a/b/made")?, 0o700).map(done)),
        ("create a tree", |root| {
            root.create_dir_all(&text(root, "link/../b/made/all/the/way")?, 0o700).map(done)
        }),
        ("remove a directory", |root| root.remove_dir(&text(root, "link/empty")?).map(done)),
        ("create a link", |root| {
            let target = NameBuf::new(S::Unit::units(Path::new("../../../out/canary")))?;
            root.symlink(target.as_name(), &text(root, "link/made")?).map(done)
        }),
        ("create a hard link", |root| {
            let (from, to) = (text(root, "link/c/file")?, text(root, "a/second"));
            root.hard_link(&from, to).map(done).map_err(|why| why.failure)
        }),
        ("change permissions", |root| {
            let mode = std::fs::metadata(".")?.permissions();
            root.change(&text(root, "a/up/file")?, &Change::Permissions(mode)).map(done)
        }),
        ("change times", |root| {
            let times = Change::Times { accessed: None, modified: Some(Time::default()) };
            root.change(&text(root, "a/up")?, &times).map(done)
        }),
        ("remove a file", |root| root.remove_file(&text(root, "link/c/file")?).map(done)),
        ("rename", |root| {
            let (from, to) = (text(root, "a/b/c/file")?, text(root, "a/moved"));
            root.rename(&from, to, true).map(done).map_err(|why| why.failure)
        }),
        ("read a link", |root| {
            let target = root.read_link(&text(root, "a/up")?)?;
            Ok(S::Unit::path(target).display().to_string())
        }),
        ("stat", |root| {
            let plan = Plan::new(Fields::SIZE).follow(Follow::Links);
            let found = root.stat(&text(root, "a/up")?, Path::new("a/up"), plan)?;
            Ok(format!("{:?}", (found.facts.kind, found.size().known().is_some())))
        }),
        ("canonical name", |root| {
            let found = root.canonical(&text(root, "link/../up")?)?;
            Ok(format!("{} {}", S::Unit::path(found.path).display(), found.missing))
        }),
    ]
}
