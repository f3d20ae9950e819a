use curt::{Remove, Threads};
use curt_testkit::Scratch;
use curt_testkit::alloc::{Usage, measure};

use crate::{assert_all, fill};

/// Tolerance for names of different lengths, and vectors that double on growth.
const MARGIN: isize = 4 << 10;

fn alone() -> Remove<'static> {
    Remove::new().threads(Threads::AtMost(1))
}

fn flat(files: usize, directories: usize) -> Usage {
    let scratch = Scratch::new();
    let tree = scratch.dir("tree");
    fill(&tree, files);
    for number in 0..directories {
        std::fs::create_dir(tree.join(format!("d{number}"))).unwrap();
    }
    let (report, usage) = measure(|| alone().run(&tree));
    assert_all(&report, files as u64, directories as u64 + 1);
    usage
}

/// Number of files, which `CURT_FILES` can raise.
fn many() -> usize {
    let many = std::env::var("CURT_FILES").ok().and_then(|text| text.parse().ok());
    many.unwrap_or(60_000)
}

#[test]
fn files_cost_no_heap() {
    let few = flat(40_000, 0);
    let usage = flat(many(), 0);
    assert!(usage.peak - few.peak <= MARGIN, "{usage:?}, {few:?}");
    assert_eq!(usage.count, few.count, "{usage:?}, {few:?}");
}

#[test]
fn directories_cost_no_heap() {
    let few = flat(0, 40_000);
    let usage = flat(0, 60_000);
    assert!(usage.peak - few.peak <= MARGIN, "{usage:?}, {few:?}");
    assert_eq!(usage.count, few.count, "{usage:?}, {few:?}");
    assert!(usage.peak <= 2 << 20, "{usage:?}");
}

#[test]
fn small_trees_take_the_small_buffer() {
    let usage = flat(500, 500);
    assert!(usage.peak <= 100 << 10, "{usage:?}");
}

/// Each level takes a record and two copies of its name, in vectors that double on growth.
#[test]
fn depth_costs_little_heap() {
    let scratch = Scratch::new();
    let mut peaks = Vec::new();
    for levels in [2_000, 20_000] {
        scratch.deep("tree", levels, "eight-ch");
        let (report, usage) = measure(|| alone().descriptors(16).run(scratch.at("tree")));
        assert_all(&report, 0, levels as u64 + 1);
        peaks.push(usage.peak);
    }
    assert!(peaks[1] <= 20_000 * 400, "{peaks:?}");
}

#[test]
fn all_memory_is_freed() {
    let scratch = Scratch::new();
    let (files, directories) = scratch.chain_with_bushes("tree", 200, 3, 2);
    let (report, usage) = measure(|| {
        let report = alone().descriptors(8).run(scratch.at("tree"));
        assert_all(&report, files, directories);
        drop(report);
    });
    let () = report;
    assert_eq!(usage.live, 0, "{usage:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_open_beneath_a_root_allocates_nothing() {
    let scratch = Scratch::new();
    scratch.file("a/b/c/file");
    let root = curt::Root::open(scratch.path()).unwrap();
    let mut options = curt::beneath::OpenOptions::new();
    options.read(true);
    root.open_file("a/b/c/file", &options).unwrap();
    // The first path of this length allocates; the second reuses the memory.
    for most in [1, 0] {
        let (file, usage) = measure(|| root.open_file("a/b/./c/file", &options));
        file.unwrap();
        assert!(usage.count <= most, "{usage:?}");
    }
}
