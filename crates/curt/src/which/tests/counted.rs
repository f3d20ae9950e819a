//! The calls of four algorithms for a search by Windows' rules, over the filesystem in memory:
//! three of others and that of curt. The workloads come from bug reports to Zig and libuv. curt
//! makes no more calls than the best of the others, except to spell what it found, and to stop
//! listing many look-alikes.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::name::Unit;
use crate::sys::memory::{Dir, DirBuf, Memory, Order, Setup, World};
use crate::sys::{Batch, Lookup, Sys, Verdict};
use crate::which::engine::Engine;
use crate::which::search::Options;
use curt_paths::Flavor;

/// The algorithms, in the order of [`Counted::calls`].
const WAYS: [&str; 4] = ["probe each", "read all", "look, then probe", "curt"];

/// The calls of one workload.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Counted {
    /// Its name.
    workload: &'static str,
    /// How many extensions are appended.
    extensions: usize,
    /// The calls of each algorithm; for the others without those to spell the program.
    calls: [u64; 4],
}

/// The extensions of libuv, those that can be launched, and the default of Windows.
const EXTENSIONS: [&[&str]; 3] = [
    &[".COM", ".EXE"],
    &[".COM", ".EXE", ".BAT", ".CMD"],
    &[".COM", ".EXE", ".BAT", ".CMD", ".VBS", ".VBE", ".JS", ".JSE", ".WSF", ".WSH", ".MSC"],
];

/// The name that is searched for.
const NAME: &str = "foo";

/// What the two largest workloads are divided by.
const SHRINK: usize = 100;

/// A workload: its directories, and how it is made.
struct Workload {
    name: &'static str,
    directories: usize,
    make: fn(&mut World),
}

const WORKLOADS: [Workload; 6] = [
    Workload { name: "directory absent", directories: 1, make: |_| {} },
    Workload { name: "no match", directories: 1, make: |world| fill(world, 0, "name", 200) },
    Workload {
        name: "found in 197 of 211",
        directories: 211,
        make: |world| {
            for directory in 0..211 {
                fill(world, directory, "name", 5);
            }
            world.file("196/foo.exe");
        },
    },
    Workload {
        name: "1,000,000 random names",
        directories: 1,
        make: |world| fill(world, 0, "random", 1_000_000 / SHRINK),
    },
    Workload {
        name: "100,000 look-alikes",
        directories: 1,
        make: |world| fill(world, 0, NAME, 100_000 / SHRINK),
    },
    Workload {
        name: "FAT order, found",
        directories: 1,
        make: |world| {
            world.rules.order = Order::Slots;
            for name in ["foot.exe", "foo.txt", "foo.exe", "foo.js", "foo.cmd"] {
                world.file(format!("0/{name}"));
            }
        },
    },
];

/// Creates files whose names begin alike.
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

/// Counts all workloads, the two largest a hundred times smaller than in the reports. That changes
/// only the counts of the algorithm that reads the whole listing.
fn count() -> Vec<Counted> {
    let mut counted = Vec::new();
    for workload in &WORKLOADS {
        let mut world = World::new();
        (workload.make)(&mut world);
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
    /// Probes each candidate until one exists.
    fn probe_each(&self) -> u64 {
        let _ = (0..self.directories).any(|directory| self.probe_all(directory));
        self.sys.calls().total()
    }

    /// Lists all names that begin alike, and decides by them.
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

    /// Lists whether any name begins alike, and if so probes each candidate.
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

    /// Searches as curt does.
    fn ours(&self) -> u64 {
        let entries: Vec<String> = (0..self.directories).map(|at| format!("/{at}")).collect();
        let options = Options {
            flavor: Some(Flavor::Windows),
            path: Some(entries.join(";").into()),
            pathext: Some(self.extensions.join(";").into()),
            base: Some(PathBuf::from("/nowhere")),
            environment: Some(Vec::new()),
            ..Options::default()
        };
        let mut engine = Engine::new(Memory::start(self.setup), &options, None, None);
        let mut query = engine.begin(OsStr::new(NAME), false).unwrap();
        // Without the reason of a failure, which the others do not give.
        let _ = engine.next(&mut query);
        engine.judge.sys.calls().total()
    }

    fn open(&self, directory: usize) -> Option<Dir> {
        let (root, path) = self.sys.locate(Path::new(&format!("/{directory}"))).unwrap();
        self.sys.open_search(&root, path.as_name()).ok()
    }

    /// Reads the next names, and notes whether one of them is a candidate.
    fn list(&self, dir: &Dir, found: &mut bool) -> Batch {
        let mut note = |entry: crate::sys::Match<'_, u8>| {
            let rest = entry.name.get(NAME.len()..).unwrap_or_default();
            *found |= self.extensions.iter().any(|one| u8::same_in_any_case(one.as_bytes(), rest));
        };
        let mut buf = DirBuf::default();
        let listed = self.sys.matching(dir, NAME.as_bytes(), &mut buf, &mut note);
        listed.unwrap_or(Batch::End)
    }

    /// Probes each candidate of a directory until one exists; one call each.
    fn probe_all(&self, directory: usize) -> bool {
        self.extensions.iter().any(|extension| {
            let path = format!("/{directory}/{NAME}{extension}");
            let (root, path) = self.sys.locate(Path::new(&path)).unwrap();
            let verdict = self.sys.ask_attributes(&root, path.as_name());
            matches!(verdict, Ok(Verdict::Program))
        })
    }
}

/// The counts as a table.
fn table(counted: &[Counted]) -> String {
    let [first, second, third, fourth] = WAYS;
    let mut text = String::new();
    let mut line = |workload: &str, extensions: &str, calls: [&str; 4]| {
        let [first, second, third, fourth] = calls;
        writeln!(
            text,
            "{workload:<24} {extensions:>10} {first:>12} {second:>10} {third:>17} {fourth:>6}"
        )
        .unwrap();
    };
    line("workload", "extensions", [first, second, third, fourth]);
    for row in counted {
        let calls = row.calls.map(|calls| calls.to_string());
        line(row.workload, &row.extensions.to_string(), calls.each_ref().map(String::as_str));
    }
    text
}

/// A change that alters a count runs with `CURT_UPDATE_SNAPSHOTS=1` and gives its reason in the
/// same commit.
#[test]
fn call_counts_equal_the_snapshot() {
    let text = table(&count());
    println!("{text}");
    if std::env::var_os("CURT_UPDATE_SNAPSHOTS").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/which/tests");
        std::fs::write(folder.join("counted.snap"), &text).unwrap();
        return;
    }
    // A checkout may have other line endings.
    assert_eq!(include_str!("counted.snap").replace("\r\n", "\n"), text);
}

#[test]
fn curt_makes_no_more_calls_than_other_algorithms() {
    let counted = count();
    assert_eq!((counted.len(), WAYS.len()), (18, 4));
    for row in &counted {
        let [probes, all, look, ours] = row.calls;
        // To open, spell and close takes two calls more than to probe; the others do not spell.
        let found = if row.workload.contains("found") { 2 } else { 0 };
        let best = probes.min(all).min(look);
        let k = row.extensions as u64;
        // curt does not read more than one page of a listing.
        let bound = if row.workload.contains("look-alikes") { (3 + k).max(best) } else { best };
        assert!(ours <= bound + found, "{row:?}");
    }
    let of = |workload: &str, extensions| {
        let row = counted
            .iter()
            .find(|row| row.workload.contains(workload) && row.extensions == extensions);
        row.unwrap().calls
    };
    assert_eq!(of("absent", 11), [11, 1, 1, 1]);
    assert_eq!(of("no match", 4), [4, 3, 3, 3]);
    assert_eq!(of("no match", 2), [2, 3, 3, 2]);
    assert_eq!(of("random", 11), [11, 3, 3, 3]);
    let [probes, all, look, ours] = of("look-alikes", 11);
    assert_eq!((probes, look, ours), (11, 3 + 11, 3 + 11));
    assert!(all > 20, "{all}");
    assert_eq!(of("197 of 211", 11), [196 * 11 + 2, 196 * 3 + 4, 196 * 3 + 3 + 2, 196 * 3 + 4]);
}
