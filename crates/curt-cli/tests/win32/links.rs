use curt_testkit::Scratch;

use crate::{NOT_A_DIRECTORY, run};

fn outside() -> Scratch {
    let outside = Scratch::new();
    outside.file("sub/canary");
    outside
}

fn links(scratch: &Scratch, prefix: &str, outside: &Scratch) -> Vec<String> {
    let name = |kind: &str| format!("{prefix}{kind}");
    let nowhere = outside.typed().join("nowhere");
    let made = [
        ("junction", scratch.junction(name("junction"), outside.typed())),
        ("lost-junction", scratch.junction(name("lost-junction"), &nowhere)),
        ("to-dir", scratch.link_to_dir(name("to-dir"), outside.path())),
        ("to-file", scratch.link_to_file(name("to-file"), outside.at("sub/canary"))),
        ("dangling", scratch.link_to_file(name("dangling"), "nowhere")),
        ("dangling-dir", scratch.link_to_dir(name("dangling-dir"), "nowhere")),
    ];
    made.into_iter().filter(|(_, path)| path.is_some()).map(|(kind, _)| name(kind)).collect()
}

#[test]
fn links_in_a_tree_are_removed_without_their_targets() {
    for options in [&["-r"][..], &["-rf", "-j4"], &["-r", "--cross-mounts"]] {
        let (scratch, outside) = (Scratch::new(), outside());
        scratch.file("t/file");
        links(&scratch, "t/", &outside);
        links(&scratch, "t/sub/", &outside);
        run(&scratch, options.iter().copied().chain(["t"])).assert_quiet();
        assert!(scratch.list(".").is_empty(), "{options:?}");
        assert_eq!(outside.list("."), ["- sub/canary", "d sub"], "{options:?}");
    }
}

#[test]
fn links_as_operands_are_removed() {
    for options in [&[][..], &["-f"], &["-r"], &["-rf"]] {
        let (scratch, outside) = (Scratch::new(), outside());
        for link in links(&scratch, "", &outside) {
            run(&scratch, options.iter().copied().chain([link.as_str()])).assert_quiet();
            assert!(!scratch.exists(&link), "{options:?} {link}");
        }
        assert_eq!(outside.list("."), ["- sub/canary", "d sub"], "{options:?}");
    }
}

/// A separator after a symlink would make the path refer to its target.
#[test]
fn links_with_a_separator_are_refused() {
    let (scratch, outside) = (Scratch::new(), outside());
    for link in links(&scratch, "", &outside) {
        for separator in ['\\', '/'] {
            for option in ["-r", "-rf", "-d"] {
                let operand = format!("{link}{separator}");
                run(&scratch, [option, &operand]).assert_failed(&operand, NOT_A_DIRECTORY);
                assert!(scratch.exists(&link), "{option} {operand}");
            }
        }
    }
    assert_eq!(outside.list("."), ["- sub/canary", "d sub"]);
}

#[test]
fn links_in_the_middle_of_a_path_are_followed() {
    let (scratch, outside) = (Scratch::new(), outside());
    let Some(_) = scratch.junction("j", outside.typed()) else { return };
    run(&scratch, [r"j\sub\canary"]).assert_quiet();
    assert_eq!(outside.list("."), ["d sub"]);
    assert!(scratch.exists("j"));
}
