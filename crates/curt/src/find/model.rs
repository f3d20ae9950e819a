//! Four ways of searching by Windows' rules, counted over the file system in memory: what others do, and
//! what curt does. The workloads are those of the reports that Zig and libuv had.
//!
//! And any search in a small tree there, for fuzzing ([`search`]).

#![cfg_attr(
    not(feature = "model"),
    allow(unreachable_pub, reason = "tests see it without that feature")
)]

use std::ffi::OsStr;
use std::path::PathBuf;

use super::engine::Engine;
use super::error::FindError;
use super::found::{FoundIn, Hit};
use super::lists::ascii;
use super::{Options, Policy, Setting};
use crate::name::{Name, Unit};
use crate::sys::memory::{Dir, DirBuf, Memory, Order, Setup, World};
use crate::sys::{Batch, Candidate, Lookup, Opened, Sys};
use curt_paths::Flavor;

/// The ways, in the order of [`Counted::calls`].
pub const WAYS: [&str; 4] = ["probe each", "read all", "look, then probe", "curt"];

/// The calls of one workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// What is searched.
    pub workload: &'static str,
    /// How many extensions are appended.
    pub extensions: usize,
    /// The calls of each way. What others would need to know how a program is spelled is left out.
    pub calls: [u64; 4],
}

/// The extensions: libuv's, those that can be launched, and those of a usual Windows.
const EXTENSIONS: [&[&str]; 3] = [
    &[".COM", ".EXE"],
    &[".COM", ".EXE", ".BAT", ".CMD"],
    &[".COM", ".EXE", ".BAT", ".CMD", ".VBS", ".VBE", ".JS", ".JSE", ".WSF", ".WSH", ".MSC"],
];

/// The name that is looked for.
const NAME: &str = "foo";

/// A workload: its directories, and how it is made in that many parts of its full size.
struct Workload {
    name: &'static str,
    directories: usize,
    make: fn(&mut World, shrink: usize),
}

const WORKLOADS: [Workload; 6] = [
    Workload { name: "directory absent", directories: 1, make: |_, _| {} },
    Workload { name: "no match", directories: 1, make: |world, _| fill(world, 0, "name", 200) },
    Workload {
        name: "found in 197 of 211",
        directories: 211,
        make: |world, _| {
            for directory in 0..211 {
                fill(world, directory, "name", 5);
            }
            world.file("196/foo.exe");
        },
    },
    Workload {
        name: "1,000,000 random names",
        directories: 1,
        make: |world, shrink| fill(world, 0, "random", 1_000_000 / shrink),
    },
    Workload {
        name: "100,000 look-alikes",
        directories: 1,
        make: |world, shrink| fill(world, 0, NAME, 100_000 / shrink),
    },
    Workload {
        name: "FAT order, found",
        directories: 1,
        make: |world, _| {
            world.rules.order = Order::Slots;
            for name in ["foot.exe", "foo.txt", "foo.exe", "foo.js", "foo.cmd"] {
                world.file(format!("0/{name}"));
            }
        },
    },
];

/// Puts files into a directory, whose names begin so.
fn fill(world: &mut World, directory: usize, beginning: &str, count: usize) {
    let mut state = 0x9e37_79b9_u32;
    for number in 0..count {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let first =
            if beginning == "random" { format!("{state:08x}") } else { beginning.to_owned() };
        world.file(format!("{directory}/{first}{number:06}"));
    }
}

/// Counts all workloads; the two largest are made that many times smaller, which changes no count but that of
/// who reads all.
pub fn count(shrink: usize) -> Vec<Counted> {
    let mut counted = Vec::new();
    for workload in &WORKLOADS {
        let mut world = World::new();
        (workload.make)(&mut world, shrink.max(1));
        let setup = Setup::new(world);
        for extensions in EXTENSIONS {
            let walk = || {
                let sys = Memory::start(&setup);
                Walk { sys, setup: &setup, directories: workload.directories, extensions }
            };
            let calls =
                [walk().probe_each(), walk().read_all(), walk().look_then_probe(), walk().ours()];
            let extensions = extensions.len();
            counted.push(Counted { workload: workload.name, extensions, calls });
        }
    }
    counted
}

/// One search.
struct Walk<'a> {
    sys: Memory,
    setup: &'a Setup,
    directories: usize,
    extensions: &'static [&'static str],
}

impl Walk<'_> {
    /// Asks for each candidate until one is there.
    fn probe_each(&self) -> u64 {
        let _ = (0..self.directories).any(|directory| self.probe_all(directory));
        self.sys.calls().total()
    }

    /// Lists what begins so to its end, and decides by that.
    fn read_all(&self) -> u64 {
        for directory in 0..self.directories {
            let Some(dir) = self.open(directory) else { continue };
            let mut found = false;
            while self.list(&dir, &mut found) != Batch::End {}
            self.sys.close(dir);
            if found {
                break;
            }
        }
        self.sys.calls().total()
    }

    /// Looks whether anything begins so, and if it does asks for each candidate.
    fn look_then_probe(&self) -> u64 {
        for directory in 0..self.directories {
            let Some(dir) = self.open(directory) else { continue };
            let looked = self.list(&dir, &mut false);
            self.sys.close(dir);
            if looked != Batch::End && self.probe_all(directory) {
                break;
            }
        }
        self.sys.calls().total()
    }

    /// As curt searches.
    fn ours(&self) -> u64 {
        let entries: Vec<String> = (0..self.directories).map(|at| format!("/{at}")).collect();
        let options = Options {
            path: Setting::Is(ascii(&entries.join(";"))),
            pathext: Setting::Is(ascii(&self.extensions.join(";"))),
            base: Some(PathBuf::from("/nowhere")),
            environment: Some(Vec::new()),
            policy: Policy::safe(Flavor::Windows),
            keeps: false,
        };
        let mut engine = Engine::new(Memory::start(self.setup), &options);
        let mut hit = Hit::default();
        let Ok(asked) = engine.begin(OsStr::new(NAME)) else { return 0 };
        // Without the account of a failure, which the others do not give.
        let _ = engine.next(asked, &mut super::Position::default(), false, &mut hit);
        engine.sys.calls().total()
    }

    fn open(&self, directory: usize) -> Option<Dir> {
        let root = self.sys.root();
        let path: Vec<u8> = format!("/{directory}\0").into_bytes();
        match self.sys.open_search(&root, Name::of_terminated(&path)) {
            Opened::Dir(dir) => Some(dir),
            _ => None,
        }
    }

    /// Reads what the listing has next; whether a candidate was among it.
    fn list(&self, dir: &Dir, found: &mut bool) -> Batch {
        let mut note = |entry: crate::sys::Match<'_, u8>| {
            let rest = entry.name.get(NAME.len()..).unwrap_or_default();
            *found |= self.extensions.iter().any(|one| u8::same_in_any_case(one.as_bytes(), rest));
        };
        let mut buf = DirBuf::default();
        let listed = self.sys.matching(dir, Some(NAME.as_bytes()), &mut buf, &mut note);
        listed.unwrap_or(Batch::End)
    }

    /// Asks for each candidate of a directory until one is there; one call each.
    fn probe_all(&self, directory: usize) -> bool {
        self.extensions.iter().any(|extension| {
            let root = self.sys.root();
            let path: Vec<u8> = format!("/{directory}/{NAME}{extension}\0").into_bytes();
            matches!(self.sys.ask_attributes(&root, Name::of_terminated(&path)), Candidate::Program)
        })
    }
}

/// What all ways of asking agree upon, in a search by any texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The path and where it was found, or the word of the error.
    pub answer: Result<(String, FoundIn), &'static str>,
    /// The calls that the first way took.
    pub calls: u64,
}

/// The files of the tree in which [`search`] searches, and its directories: all that may be found there.
pub const FILES: [&str; 7] =
    ["a/x.exe", "a/x.cmd", "a/y", "b/x.com", "b/A Long Name.exe", "w/x.exe", "w/sub/z.bat"];
const DIRECTORIES: [&str; 2] = ["b/y.exe", "a/z.bat"];

/// Searches a small tree for a name by any `PATH` and `PATHEXT`, with `/w` for its base, in three ways: alone,
/// as the first of all, and as one of many.
///
/// # Panics
///
/// Where the ways do not agree, which is what fuzzing looks for.
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
        path: Setting::Is(path.to_vec()),
        pathext: Setting::Is(pathext.to_vec()),
        base: Some(PathBuf::from("/w")),
        environment: Some(Vec::new()),
        policy: Policy::safe(rules),
        keeps: false,
    };
    let engine = || Engine::new(Memory::start(&setup), &options);
    let (mut one, mut all, mut many) = (engine(), engine(), engine());
    let told = |answer: Result<Hit<u8>, FindError>| match answer {
        Ok(hit) => Ok((String::from_utf8_lossy(&hit.units).into_owned(), hit.origin)),
        Err(error) => Err(error.word()),
    };
    let name = OsStr::new(name);
    let mut hit = Hit::default();
    let answer = told(one.find(name, &mut hit).map(|()| hit));
    let calls = one.sys.calls().total();
    if let Ok(asked) = all.begin(name) {
        let mut hit = Hit::default();
        let first = all.next(asked, &mut super::Position::default(), true, &mut hit);
        let first = first.map(|found| told(found.map(|()| hit)));
        assert_eq!(first, answer.is_ok().then(|| answer.clone()), "the first of all");
    }
    let several: Vec<_> = many.find_many(&[name, name]).into_iter().map(told).collect();
    assert_eq!(several, [answer.clone(), answer.clone()], "one of many");
    drop((one, all, many));
    setup.world(|world| assert_eq!(world.open_now(), 0, "a directory was left open"));
    Searched { answer, calls }
}

#[cfg(test)]
mod tests {
    use super::{FILES, Flavor, search};

    #[test]
    fn all_ways_of_asking_agree_about_a_small_tree() {
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
