//! Other tests compare the meaning of rules with git.

use curt_testkit::Scratch;

use super::{on_real_platforms, plan, walk};
use crate::control::Threads;
use crate::filters::IgnoreRules;
use crate::sys::Sys;
use crate::walk::Walk;

on_real_platforms!(
    rules_leave_out_the_entries_they_name,
    directories_without_rules_cost_nothing,
    rules_hold_at_any_depth,
    configuration_of_git_is_read_through_the_platform,
);

fn ignoring() -> Walk<'static> {
    plan().ignore(IgnoreRules::new())
}

fn yielded<S: Sys>(options: &Walk<'_>, scratch: &Scratch, operand: &str) -> Vec<String> {
    let seen = walk::<S>(options, scratch, operand);
    assert!(seen.errors.is_empty(), "{:?}", seen.errors);
    seen.sorted().into_iter().map(|path| path.replace('\\', "/")).collect()
}

fn rules_leave_out_the_entries_they_name<S: Sys>() {
    let scratch = Scratch::new();
    scratch.tree("", "t/a.o t/b t/.c t/d/a.o t/d/e t/out/f t/d/out");
    scratch.dir("t/.git");
    scratch.file_with("t/.gitignore", b"*.o\nout/\n");
    scratch.file_with("t/d/.ignore", b"!a.o\n");
    let expected = ["t", "t/b", "t/d", "t/d/a.o", "t/d/e", "t/d/out"];
    for options in [
        ignoring(),
        ignoring().sort_by_name(true),
        ignoring().contents_first(true),
        ignoring().contents_first(true).sort_by_name(true),
        ignoring().descriptors(8),
    ] {
        assert_eq!(yielded::<S>(&options, &scratch, "t"), expected);
    }
    assert_eq!(yielded::<S>(&ignoring(), &scratch, "t/d"), expected[2..]);
    assert_eq!(yielded::<S>(&ignoring(), &scratch, "t/out"), ["t/out", "t/out/f"]);
    let without_git = plan().ignore(IgnoreRules::new().git(false));
    assert_eq!(yielded::<S>(&without_git, &scratch, "t/out"), ["t/out", "t/out/f"]);
    assert_eq!(yielded::<S>(&without_git, &scratch, "t").len(), expected.len() + 3);
    scratch.file_with("t/.ignore", b"*.o\n");
    assert_eq!(yielded::<S>(&without_git, &scratch, "t").len(), expected.len() + 2);
    scratch.remove("t/.ignore");
    let only_dots = plan().ignore(IgnoreRules::new().files(false));
    assert_eq!(yielded::<S>(&only_dots, &scratch, "t/d"), ["t/d", "t/d/a.o", "t/d/e", "t/d/out"]);
    let nothing = plan().ignore(IgnoreRules::new().files(false).skip_hidden(false));
    assert!(yielded::<S>(&nothing, &scratch, "t").contains(&"t/.c".to_owned()));
}

fn directories_without_rules_cost_nothing<S: Sys>() {
    let scratch = Scratch::new();
    let calls = |directories: usize, options: &Walk<'_>| {
        for directory in 0..directories {
            scratch.file(format!("t/{directory}/file"));
        }
        let calls = walk::<S>(options, &scratch, "t").calls.total();
        scratch.remove("t");
        calls
    };
    let more = |options: &Walk<'_>| calls(40, options) - calls(20, options);
    assert_eq!(more(&ignoring()), more(&plan()));
}

fn rules_hold_at_any_depth<S: Sys>() {
    let scratch = Scratch::new();
    let deep = format!("t{}", "/d".repeat(30));
    for name in ["kept", "left.o", "a/left.o", "z/left.o"] {
        scratch.file(format!("{deep}/{name}"));
    }
    scratch.file_with("t/.ignore", format!("*.o\n{}/z\n", &deep[1..]).as_bytes());
    for options in [ignoring().descriptors(8), ignoring().descriptors(8).sort_by_name(true)] {
        let yielded = yielded::<S>(&options, &scratch, "t");
        assert_eq!(yielded.len(), 31 + 2, "{yielded:?}");
        assert_eq!(yielded.last().unwrap(), &format!("{deep}/kept"));
    }
}

fn configuration_of_git_is_read_through_the_platform<S: Sys>() {
    let scratch = Scratch::new();
    let calls = |directory: &str, config: &str| {
        scratch.file_with(format!("{directory}/.git/config"), config.as_bytes());
        walk::<S>(&ignoring(), &scratch, directory).calls.total()
    };
    // Evaluating the condition costs calls to resolve the path of the repository.
    let condition = "[includeIf \"gitdir:/nowhere/\"]\npath = file\n";
    assert!(calls("a", condition) > calls("b", "[core]\npath = file\n"));
}

#[test]
fn rules_are_handed_off_with_the_work() {
    let scratch = Scratch::new();
    for number in 0..1500 {
        scratch.file(format!("t/wide/{number}/left.o"));
        scratch.file(format!("t/wide/{number}/deep/left.o"));
        scratch.file(format!("t/wide/{number}/deep/kept"));
    }
    scratch.file_with("t/.ignore", b"*.o\n/wide/*7/deep\n");
    scratch.file_with("t/wide/3/.ignore", b"!left.o\n");
    let mut expected = 0;
    for threads in [1, 2, 4] {
        let walk = ignoring().threads(Threads::AtMost(threads));
        let (paths, workers) = super::visiting::visit(&walk, &scratch, crate::Next::Continue);
        let left = paths.iter().filter(|path| path.ends_with("left.o"));
        let left: Vec<_> = left.map(|path| path.replace('\\', "/")).collect();
        assert_eq!(left, ["t/wide/3/deep/left.o", "t/wide/3/left.o"]);
        if threads == 1 {
            expected = paths.len();
            assert_eq!(expected, 2 + 1500 + 2 * 1350 + 2);
        }
        assert_eq!((paths.len(), workers >= threads.min(2)), (expected, true), "{threads}");
    }
}
