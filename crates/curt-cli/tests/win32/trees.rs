use curt_testkit::windows::{HIDDEN, READ_ONLY, SYSTEM};
use curt_testkit::{Scratch, skip};

use crate::{curt, run};

#[test]
fn removing_a_tree_leaves_other_hard_links() {
    for threads in ["-j1", "-j4"] {
        let scratch = Scratch::new();
        scratch.file("canary");
        for name in ["a", "sub/b", "sub/deep/c", "\u{e9}\u{1f600}/\u{4e2d}"] {
            scratch.file_with(format!("t/{name}"), b"content");
        }
        scratch.hard_link("t/a", "t/sub/same");
        scratch.hard_link("t/a", "same");
        scratch.dir("t/empty");
        run(&scratch, ["-r", threads, "t"]).assert_quiet();
        assert_eq!(scratch.list("."), ["- canary", "- same"]);
        assert_eq!(std::fs::read(scratch.at("same")).unwrap(), b"content");
    }
}

#[test]
fn attributes_do_not_prevent_removal() {
    for options in [&["-r"][..], &["-rf"], &["-rf", "-j4"]] {
        let scratch = Scratch::new();
        for attributes in [READ_ONLY, HIDDEN, SYSTEM, READ_ONLY | HIDDEN | SYSTEM] {
            scratch.file(format!("t/d{attributes}/f{attributes}"));
            scratch.set_attributes(format!("t/d{attributes}/f{attributes}"), attributes);
            scratch.set_attributes(format!("t/d{attributes}"), attributes);
        }
        scratch.set_attributes("t", READ_ONLY);
        run(&scratch, options.iter().copied().chain(["t"])).assert_quiet();
        assert!(!scratch.exists("t"), "{options:?}");
    }
}

#[test]
fn operands_with_attributes_are_removed() {
    let scratch = Scratch::new();
    for (name, attributes) in [("r", READ_ONLY), ("h", HIDDEN), ("s", SYSTEM | READ_ONLY)] {
        scratch.file(name);
        scratch.set_attributes(name, attributes);
    }
    scratch.dir("d");
    scratch.set_attributes("d", READ_ONLY);
    run(&scratch, ["-fd", "r", "h", "s", "d"]).assert_quiet();
    assert!(scratch.list(".").is_empty());
}

/// Hard links share their attributes, so removing one link must not change them.
#[test]
fn other_hard_links_remain_read_only() {
    let scratch = Scratch::new();
    let kept = scratch.file("kept");
    scratch.hard_link("kept", "t/same");
    scratch.set_attributes("kept", READ_ONLY);
    run(&scratch, ["-rf", "t"]).assert_quiet();
    assert!(std::fs::metadata(kept).unwrap().permissions().readonly());
}

#[test]
fn remaining_read_only_files_are_still_read_only() {
    let scratch = Scratch::new();
    scratch.file("t/f");
    scratch.set_attributes("t/f", READ_ONLY);
    let holder = scratch.hold("t/f");
    assert_eq!(run(&scratch, ["-rf", "--retry-ms", "50", "t"]).code, Some(1));
    drop(holder);
    assert!(std::fs::metadata(scratch.at("t/f")).unwrap().permissions().readonly());
}

#[test]
fn paths_are_of_any_length() {
    for (length, units) in [(300, 100), (3_000, 100), (31_000, 200)] {
        let scratch = Scratch::new();
        let name = "n".repeat(units);
        let mut path = scratch.dir("t");
        while path.as_os_str().len() < length {
            path.push(&name);
            if std::fs::create_dir(&path).is_err() {
                skip(&format!("paths of {length} units cannot be made here"));
                break;
            }
            let _ = std::fs::write(path.join("f"), "");
        }
        run(&scratch, ["-r", "t"]).assert_quiet();
        assert!(!scratch.exists("t"), "{length}");
    }
}

/// The typed path is short enough for any program, but the absolute path is too long.
#[test]
fn relative_paths_are_of_any_length() {
    let scratch = Scratch::new();
    let (above, below) = ("a".repeat(60), format!("{0}/{0}/{0}", "b".repeat(70)));
    scratch.file(format!("{above}/{above}/{below}/f"));
    let dir = scratch.typed().join(&above).join(&above);
    let output = curt(&dir, ["-r", &format!("{below}/f"), &below.replace('/', r"\")]).output();
    crate::Outcome::of(&output.unwrap()).assert_quiet();
    assert_eq!(scratch.list(&above).len(), 3);
    let output = curt(&dir, ["-r", &"b".repeat(70)]).output();
    crate::Outcome::of(&output.unwrap()).assert_quiet();
    assert_eq!(scratch.list(&above).len(), 1);
}
