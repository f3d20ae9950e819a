//! Under Windows rules, the in-memory filesystem counts the calls that Windows would make.

mod budget;
mod parsing;
mod posix;
mod windows;

use std::ffi::OsStr;

use super::Policy;
use super::directories::RelativeTo;
use super::engine::{Engine, Options};
use super::found::Found;
use crate::error::{Cause, Error, NotFound};
use crate::sys::Sys;
use crate::sys::memory::{Memory, Setup, World};
use curt_paths::Flavor;

struct Fixture {
    setup: Setup,
    options: Options,
}

const PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";

impl Fixture {
    fn new(policy: Policy, flavor: Flavor, path: &str, change: impl FnOnce(&mut World)) -> Fixture {
        let mut world = World::new();
        change(&mut world);
        let options = Options {
            policy,
            flavor: Some(flavor),
            path: Some(path.into()),
            pathext: Some(PATHEXT.into()),
            base: RelativeTo::Directory("/w".into()),
            environment: Some(Vec::new()),
            ..Options::default()
        };
        Fixture { setup: Setup::new(world), options }
    }

    fn windows(path: &str, change: impl FnOnce(&mut World)) -> Fixture {
        Fixture::new(Policy::Native, Flavor::Windows, path, change)
    }

    fn posix(path: &str, change: impl FnOnce(&mut World)) -> Fixture {
        Fixture::new(Policy::Native, Flavor::Posix, path, change)
    }

    fn pathext(mut self, pathext: &str) -> Fixture {
        self.options.pathext = Some(pathext.into());
        self
    }

    fn policy(mut self, policy: Policy) -> Fixture {
        self.options.policy = policy;
        self
    }

    fn cwd(mut self, cwd: bool) -> Fixture {
        self.options.cwd = Some(cwd);
        self
    }

    fn no_base(mut self) -> Fixture {
        self.options.base = RelativeTo::Nothing;
        self
    }

    fn engine(&self) -> Engine<Memory> {
        Engine::new(Memory::start(&self.setup), &self.options)
    }

    /// Returns `path origin program` or the word for the error, and the number of calls.
    fn find(&self, name: &str) -> (String, u64) {
        let mut engine = self.engine();
        let answer = engine.find(OsStr::new(name));
        let calls = engine.judge.sys.calls().total();
        drop(engine);
        self.setup.world(|world| world.assert_unharmed());
        (summary(answer), calls)
    }

    fn assert_finds(&self, table: &str) {
        for cell in curt_testkit::cells(table) {
            let (name, answer) = cell.split_once(' ').unwrap();
            assert_eq!(self.find(name).0, answer, "{name}");
        }
    }

    fn all(&self, name: &str) -> Vec<String> {
        let mut engine = self.engine();
        let mut query = engine.begin(OsStr::new(name), true).unwrap();
        let mut all = Vec::new();
        while let Some(answer) = engine.next(&mut query) {
            all.push(summary(answer));
        }
        all.extend(engine.take_failure(&mut query).map(|error| summary(Err(error))));
        all
    }
}

/// Builds a tree: `a/` is a directory, `a->b` is a symlink, and `a!` is not executable.
fn build(world: &mut World, tree: &str) {
    world.dir("w");
    for entry in tree.split(' ') {
        if let Some((path, target)) = entry.split_once("->") {
            world.link(path, target);
        } else if let Some(path) = entry.strip_suffix('!') {
            world.file(path).no_execution(path);
        } else if let Some(path) = entry.strip_suffix('/') {
            world.dir(path);
        } else {
            world.file(entry);
        }
    }
}

fn reason(error: &Error) -> &NotFound {
    match error.cause() {
        Cause::Find(why) => why,
        other => panic!("{other:?}"),
    }
}

fn summary(answer: Result<Found, Error>) -> String {
    match answer {
        Ok(found) => {
            let path = found.path().to_str().unwrap();
            let relative = if found.is_relative() { " relative" } else { "" };
            format!("{path} {} {}{relative}", found.origin(), found.program().word())
        }
        Err(error) => {
            let why = reason(&error);
            let path = why.path().map(|path| format!(" {}", path.display()));
            format!("{}{}", why.word(), path.unwrap_or_default())
        }
    }
}

#[test]
fn threads_share_a_search() {
    let search = super::Search::new();
    let answers = std::thread::scope(|threads| {
        let threads = [(); 4].map(|()| threads.spawn(|| search.find("no such program")));
        threads.map(|thread| thread.join().unwrap().unwrap_err().kind())
    });
    assert_eq!(answers, [std::io::ErrorKind::NotFound; 4]);
}

#[cfg(unix)]
#[test]
fn searches_and_look_ups_have_their_own_places_and_calls() {
    let search = super::Search::new().path("/bin:/usr/bin");
    let mut all = search.find_all("sh");
    let first = all.next().unwrap().unwrap();
    assert_eq!(search.find("cat").unwrap().path().file_name(), Some(OsStr::new("cat")));
    let other: Vec<_> = search.find_all("sh").map(Result::unwrap).collect();
    let rest: Vec<_> = all.map(Result::unwrap).collect();
    assert_eq!((other.first(), &other[1..]), (Some(&first), &rest[..]));
    let mut clone = search.clone();
    assert_eq!((clone.calls().total(), format!("{clone:?}")), (0, format!("{search:?}")));
    assert_eq!(clone.find("sh").unwrap(), search.find("sh").unwrap());
}
