//! Removal in little memory: the same result as the other, and no allocation that depends on the
//! tree.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use curt::{Buffer, Outline, remove_tree_with};
use curt_testkit::Scratch;
use curt_testkit::alloc::measure;

use crate::{chain_with_bushes, fill};

fn assert_all(outline: &Outline, files: u64, directories: u64) {
    assert!(outline.first.is_none() && outline.failed == 0, "{outline:?}");
    assert_eq!((outline.totals.files, outline.totals.directories), (files, directories));
}

#[test]
fn trees_of_all_shapes_and_buffers_of_all_sizes() {
    for bytes in [0, 2 << 10, 8 << 10, 256 << 10] {
        for scratch in [Scratch::new(), Scratch::in_memory()] {
            let mut buffer = Buffer::new(bytes);
            let tree = scratch.at("tree");

            scratch.dir("tree");
            assert_all(&remove_tree_with(&tree, &mut buffer), 0, 1);

            scratch.file("tree");
            assert_all(&remove_tree_with(&tree, &mut buffer), 1, 0);

            let (files, directories) = chain_with_bushes(&scratch, "tree", 40, 5, 3);
            assert_all(&remove_tree_with(&tree, &mut buffer), files, directories);

            fill(&scratch.dir("tree/in"), 3_000);
            scratch.link("tree/link", "/");
            scratch.link("tree/dangling", "nowhere");
            scratch.file(format!("tree/{0}/{0}", "n".repeat(255)));
            assert_all(&remove_tree_with(&tree, &mut buffer), 3_003, 3);
            assert!(!scratch.exists("tree"));
        }
    }
}

#[test]
fn depth_costs_five_calls_a_level() {
    let scratch = Scratch::in_memory();
    scratch.deep("tree", 10_000, "eight-ch");
    let outline = remove_tree_with(scratch.at("tree"), &mut Buffer::new(4 << 10));
    assert_all(&outline, 0, 10_001);
    assert!(outline.calls.total() <= 5 * 10_001 + 10, "{:?}", outline.calls);
}

#[test]
fn no_allocation_depends_on_the_tree() {
    let scratch = Scratch::in_memory();
    let mut buffer = Buffer::new(4 << 10);
    let mut counts = Vec::new();
    for (levels, bushes, files) in [(1, 1, 1), (100, 20, 10), (3_000, 1, 0)] {
        let (files, directories) = chain_with_bushes(&scratch, "tree", levels, bushes, files);
        let tree = scratch.at("tree");
        let (outline, usage) = measure(|| remove_tree_with(&tree, &mut buffer));
        assert_all(&outline, files, directories);
        assert!(usage.peak <= 2 << 10, "{usage:?}");
        counts.push((usage.count, usage.peak));
    }
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0], counts[2]);
}

#[test]
fn what_cannot_be_is_said() {
    let scratch = Scratch::new();
    scratch.dir("d");
    scratch.link("link", "d");
    let mut buffer = Buffer::new(0);
    for path in ["missing", "d/.", "d/..", "link/", "missing/"] {
        let outline = remove_tree_with(scratch.path().join(path), &mut buffer);
        assert_eq!(outline.failed, 1, "{path}: {outline:?}");
        assert!(outline.first.is_some(), "{path}: {outline:?}");
    }
    assert_eq!(scratch.list("."), ["d d", "l link"]);
    assert_all(&remove_tree_with(scratch.path().join("d/"), &mut buffer), 0, 1);
    assert_all(&remove_tree_with(scratch.at("link"), &mut buffer), 1, 0);
}

#[test]
fn others_remove_the_same_tree() {
    let scratch = Scratch::in_memory();
    for _ in 0..5 {
        chain_with_bushes(&scratch, "tree", 100, 5, 3);
        let tree = scratch.at("tree");
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::remove_dir_all(&tree));
            let outline = remove_tree_with(&tree, &mut Buffer::new(0));
            // Only the operand itself may be missed, if the other was faster by that much.
            assert!(outline.failed == 0 || outline.first.is_some(), "{outline:?}");
        });
        // The other does not know the new places.
        if scratch.exists("tree") {
            assert_eq!(remove_tree_with(&tree, &mut Buffer::new(0)).failed, 0);
        }
    }
}

#[test]
fn somebody_who_adds_files_for_ever_does_not_keep_it_for_ever() {
    let scratch = Scratch::in_memory();
    let tree = scratch.dir("tree/busy");
    let over = AtomicBool::new(false);
    let (outline, time) = std::thread::scope(|scope| {
        for place in [scratch.at("tree"), tree] {
            let over = &over;
            scope.spawn(move || {
                let mut number = 0;
                while !over.load(Ordering::Relaxed) && number < 300_000 {
                    number += 1;
                    let _ = std::fs::File::create(place.join(format!("f{number}")));
                }
            });
        }
        std::thread::sleep(Duration::from_millis(10));
        let begun = Instant::now();
        let outline = remove_tree_with(scratch.at("tree"), &mut Buffer::new(4 << 10));
        over.store(true, Ordering::Relaxed);
        (outline, begun.elapsed())
    });
    assert!(time < Duration::from_secs(10), "{time:?}");
    assert!(outline.failed <= 2, "{outline:?}");
}
