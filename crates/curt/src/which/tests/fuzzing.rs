//! Searches a small in-memory tree, for fuzzing.

#![cfg_attr(not(fuzzing), allow(unreachable_pub, reason = "public where it is fuzzed"))]

use std::ffi::OsStr;

use super::directories::{FoundIn, RelativeTo};
use super::engine::{Engine, Options};
use super::found::Found;
use crate::error::{Cause, Error};
use crate::sys::memory::{Memory, Setup, World};
use crate::sys::{Sys, SystemUnit};
use curt_paths::Flavor;

/// The result of a search. `find` and `find_all` must agree on the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The path found and its origin, or the word of the error.
    pub answer: Result<(String, FoundIn), &'static str>,
    /// The number of system calls.
    pub calls: u64,
}

/// The files in the tree of [`search`].
pub const FILES: [&str; 7] =
    ["a/x.exe", "a/x.cmd", "a/y", "b/x.com", "b/A Long Name.exe", "w/x.exe", "w/sub/z.bat"];
const DIRECTORIES: [&str; 2] = ["b/y.exe", "a/z.bat"];

/// Searches from the base `/w`, once for the first program and once for all programs.
///
/// # Panics
/// Panics if the results differ.
pub fn search(rules: Flavor, path: &[u8], pathext: &[u8], name: &str) -> Searched {
    let mut world = World::new();
    for file in FILES {
        world.file(file);
    }
    for directory in DIRECTORIES {
        world.dir(directory);
    }
    world.short("b/A Long Name.exe", "ALONGN~1.EXE");
    let setup = Setup::new(world);
    let options = Options {
        flavor: Some(rules),
        path: Some(u8::path(path.to_vec()).into()),
        pathext: Some(u8::path(pathext.to_vec()).into()),
        base: RelativeTo::Directory("/w".into()),
        environment: Some(Vec::new()),
        ..Options::default()
    };
    let engine = || Engine::new(Memory::start(&setup), &options);
    let (mut one, mut all) = (engine(), engine());
    let summary = |answer: Result<Found, Error>| match answer {
        Ok(found) => Ok((found.path().to_string_lossy().into_owned(), found.origin())),
        Err(error) => match error.cause() {
            Cause::Find(why) => Err(why.word()),
            cause => panic!("{cause:?}"),
        },
    };
    let name = OsStr::new(name);
    let answer = summary(one.find(name));
    let calls = one.judge.sys.calls().total();
    if let Ok(mut query) = all.begin(name, true) {
        let first = all.next(&mut query).map(summary);
        assert_eq!(first, answer.is_ok().then(|| answer.clone()), "the first of all");
    }
    drop((one, all));
    setup.world(|world| assert_eq!(world.open_now(), 0, "a directory was left open"));
    Searched { answer, calls }
}

#[cfg(test)]
mod tests {
    use super::{FILES, Flavor, search};

    #[test]
    fn find_and_find_all_agree() {
        let paths = ["/a:/b", "/b:/a:/w", ":/a", ".:/a", "/none:/a/y:/b", "", "/a:/a:/b"];
        let mut found = 0;
        for rules in [Flavor::Posix, Flavor::Windows] {
            let separator = if rules == Flavor::Posix { ":" } else { ";" };
            for path in paths.map(|path| path.replace(':', separator)) {
                for pathext in [".COM;.EXE;.CMD", ".exe", "", ";.;x"] {
                    for name in
                        ["x", "x.exe", "y", "z", "sub/z", "ALONGN~1", "a long name", "", "."]
                    {
                        let searched = search(rules, path.as_bytes(), pathext.as_bytes(), name);
                        let Ok((path, _)) = &searched.answer else { continue };
                        let path = path.replace('\\', "/");
                        let is_file =
                            |file: &str| path.to_lowercase().ends_with(&file.to_lowercase());
                        assert!(FILES.into_iter().any(is_file), "{path}");
                        assert!(searched.calls > 0);
                        found += 1;
                    }
                }
            }
        }
        assert!(found > 50, "{found}");
    }
}
