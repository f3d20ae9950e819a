//! The operations that only read, and who takes part in them.

pub(super) mod buffers;
pub(super) mod ls;
pub(super) mod walk;

use super::contender::{Contender, Counting, Found, built_rivals};
use super::programs::Programs;
use super::report::describe_tree;
use super::roles::{HAS_FLOOR, Task};
use super::tree::Tree;

/// What `cargo xtask rivals` builds: the name, how to get it, and whether it lists a single
/// directory too.
const RIVALS: [(&str, &str, bool); 7] = [
    ("walkdir", "cargo xtask rivals", false),
    ("ignore", "cargo xtask rivals", false),
    ("jwalk", "cargo xtask rivals", false),
    ("go", "needs Go (apt-get install golang-go), then cargo xtask rivals", true),
    ("python", "needs python3 (apt-get install python3), then cargo xtask rivals", true),
    (
        "zig",
        "needs python3 with venv (apt-get install python3-venv), then cargo xtask rivals",
        true,
    ),
    ("node", "needs node (apt-get install nodejs), then cargo xtask rivals", true),
];

// Said below every table: how the calls are counted, and what the last column means.
const COUNTED: &str = "calls/entry: system calls in a run on a smaller tree of that shape minus those on an empty directory,";
const BY_STRACE: &str =
    "futex left out, divided by the entries; all counted by strace, writing the answer included.";
const CHECKED: &str = "Each writes its answer to a file in memory; the first answer of each was compared with the tree.";

/// `curt` with a command and its options.
fn curt(found: &mut Found, programs: &Programs, name: &str, arguments: &[&str]) {
    let arguments: Vec<&str> = arguments.iter().chain(&["--"]).copied().collect();
    found.add(Contender::new(name, &programs.curt, &arguments).counted(Counting::Either));
}

/// The floor and the standard library.
fn bare(found: &mut Found, programs: &Programs, task: Task) {
    let role = |name: &str| {
        let arguments = ["--role", name, "--task", task.name(), "--"];
        Contender::new(name, &programs.own, &arguments)
    };
    if HAS_FLOOR {
        found.add(role("floor"));
    }
    found.add(role("std"));
}

/// What `cargo xtask rivals` built: programs that take the task and the path.
fn built(found: &mut Found, task: Task, quick: &[&str]) {
    let programs = built_rivals("tree");
    let known = RIVALS.iter().filter(|(_, _, lists)| *lists || task.descends());
    for (name, how, _) in known {
        match programs.iter().find(|(rival, _)| rival == name) {
            Some((_, program)) => {
                let contender = Contender::new(name, program, &[task.name()]);
                let is_quick = quick.contains(name);
                found.add(if is_quick { contender } else { contender.only_full() });
            }
            None => found.miss(name, *how),
        }
    }
    // There may be folders that somebody added.
    let named = |name: &str| RIVALS.iter().any(|(rival, _, _)| *rival == name);
    for (name, program) in programs.iter().filter(|(name, _)| !named(name)) {
        found.add(Contender::new(name, program, &[task.name()]).only_full());
    }
}

/// The tree in words.
fn describe(tree: &Tree) -> String {
    let text = describe_tree(tree.files(), tree.directories(), tree.bytes());
    match tree.links() {
        0 | 1 => text,
        links => format!("{text}; {links} of the files are links"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::operation::Operation;
    use super::*;

    const ALL: [&Operation; 4] = [&ls::OPERATION, &walk::WALK, &walk::DU, &buffers::OPERATION];

    #[test]
    fn curt_and_the_standard_library_or_the_least_buffer_always_take_part() {
        for operation in ALL {
            for scenario in operation.scenarios {
                let found = (operation.contenders)(scenario, &crate::programs::tests::some());
                let found = found.select(false, &["nobody".to_owned()], operation.reference);
                assert!(found.contenders.iter().any(Contender::is_ours), "{}", scenario.name);
                assert_eq!(
                    HAS_FLOOR && operation.name != "buffers",
                    found.contenders.iter().any(|contender| contender.name == "floor")
                );
                assert!(!found.knows("nobody"));
            }
        }
    }

    #[test]
    fn our_options_end_before_the_path() {
        for operation in ALL {
            for scenario in operation.scenarios {
                let found = (operation.contenders)(scenario, &crate::programs::tests::some());
                for contender in found.contenders.iter().filter(|contender| contender.is_ours()) {
                    assert!(contender.line().ends_with(" -- PATH"), "{}", contender.line());
                }
            }
        }
    }

    #[test]
    fn nobody_is_named_twice() {
        for operation in ALL {
            for scenario in operation.scenarios {
                let found = (operation.contenders)(scenario, &crate::programs::tests::some());
                let names = found.contenders.iter().map(|contender| &contender.name);
                let mut names: Vec<_> =
                    names.chain(found.missing.iter().map(|missing| &missing.name)).collect();
                let all = names.len();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), all, "{names:?}");
            }
        }
    }
}
