//! curt's `Root` beside other ways to open untrusted paths: every file of one directory, six
//! directories below the root, by its path from the root.

use crate::oracle::Question;
use crate::scenario::{Contender, Part, Program, Quick, Scenario};
use crate::tree::Tree;

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    name: "beneath",
    title: "open files beneath a root",
    tree: Tree::deep,
    shape: "deep",
    question: Question::Opened,
    full: &[2_000],
    quick: Some(Quick { size: 500, share: 4 }),
    counted: [10, 40],
    contenders: &[
        Contender::library(&["open", "curt", "{tree}"]),
        Contender::usual("canonicalize, open", Program::Own, &["open", "resolve", "{tree}"]),
        Contender::rival("cap-std", Program::Built("open-cap-std"), &["{tree}"])
            .version("4")
            .quick(),
        Contender::rival("libpathrs", Program::Built("open-pathrs"), &["{tree}"])
            .version("0.2")
            .quick(),
        Contender::rival("Go os.Root", Program::Built("open-go"), &["{tree}"])
            .quick()
            .get("golang-go"),
        Contender::rival("strict-path", Program::Built("open-strict-path"), &["{tree}"])
            .version("0.2"),
        Contender::rival(
            "soft-canonicalize",
            Program::Built("open-soft-canonicalize"),
            &["{tree}"],
        )
        .version("0.5"),
        // Neither of these keeps anybody in, so neither can be the best rival.
        Contender::own("unchecked open", Part::Baseline, &["open", "std", "{tree}"]),
        Contender::own("unchecked openat", Part::Baseline, &["open", "openat", "{tree}"]),
        Contender::own("curt without openat2", Part::Variant, &["open", "steps", "{tree}"]),
        Contender::baseline(&["open", "openat2", "{tree}"]),
    ],
    ..Scenario::COMMON
}];
