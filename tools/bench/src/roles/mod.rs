//! Roles that this program plays as a contender (`curt-bench role …`).
//!
//! The baseline loop makes only the necessary system calls, on one thread. Only parallelism can be
//! faster.

mod call;
#[cfg(target_os = "linux")]
mod copy;
pub(crate) mod open;
#[cfg(target_os = "linux")]
mod read;
#[cfg(target_os = "linux")]
mod remove;
mod standard;

use crate::sandbox::check_from_child;
use clap::ValueEnum;
use std::ffi::OsString;
use std::io;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Task {
    Remove,
    /// Write the names in one directory.
    #[value(name = "ls")]
    List,
    /// Write the names with sizes and the targets of symlinks.
    Long,
    Walk,
    /// Write all paths with sizes.
    Sizes,
    /// Write the KiB allocated.
    #[value(name = "du")]
    Usage,
}

impl Task {
    fn descends(self) -> bool {
        !matches!(self, Self::List | Self::Long)
    }

    fn needs_metadata(self) -> bool {
        !matches!(self, Self::List | Self::Walk)
    }
}

/// The last word is the tree. Unless the role only reads, the tree must be in a directory made by
/// the bench.
pub(crate) fn play(words: &[OsString]) -> io::Result<()> {
    let Some((tree, words)) = words.split_last() else { return unknown() };
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let tree = Path::new(tree);
    match *words.as_slice() {
        ["baseline" | "std", "walk" | "sizes" | "du"] => {}
        _ => check_from_child(tree)?,
    }
    let mut out = io::stdout().lock();
    match *words.as_slice() {
        #[cfg(target_os = "linux")]
        ["baseline", task @ ("copy" | "link"), to] => {
            let to = Path::new(to);
            check_from_child(to).and_then(|()| copy::copy(tree, to, task == "link"))
        }
        ["baseline", task] => baseline(named(task)?, tree),
        ["std", "remove"] => std::fs::remove_dir_all(tree),
        ["std", task] => standard::read(named(task)?, tree, &mut out),
        ["open", way] => open::open(way, tree, &mut out),
        ["call", task] => call::repeat(task, tree, &mut out),
        _ => unknown(),
    }
}

fn unknown() -> io::Result<()> {
    Err(io::Error::other("no such role"))
}

fn named<T: ValueEnum>(name: &str) -> io::Result<T> {
    T::from_str(name, false).map_err(io::Error::other)
}

pub(crate) const HAS_BASELINE: bool = cfg!(target_os = "linux");

fn baseline(task: Task, tree: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return if task == Task::Remove { remove::remove(tree) } else { read::read(task, tree) };
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (task, tree);
        unknown()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_os = "linux")]
    use crate::oracle::refute_copy;
    use crate::sandbox::Sandbox;
    use crate::tree::{Content, Tree};

    fn play_on(words: &str, tree: &Path) -> io::Result<()> {
        let words = words.split(' ').map(OsString::from);
        play(&words.chain([tree.into()]).collect::<Vec<_>>())
    }

    #[test]
    fn roles_remove_the_tree_and_leave_its_neighbors() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        for role in ["baseline", "std"] {
            if role == "baseline" && !HAS_BASELINE {
                continue;
            }
            for tree in [Tree::react(2_500, Content::Empty), Tree::flat(5_000, Content::Empty)] {
                let path = sandbox.entry("tree");
                tree.build(&path, &sandbox.canary()).unwrap();
                play_on(&format!("{role} remove"), &path).unwrap();
                assert!(!path.exists());
                assert!(sandbox.canary_lives());
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_copy_is_right_only_if_everything_is_there() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        let (tree, copy) = (sandbox.entry("tree"), sandbox.entry("copy"));
        Tree::react(500, Content::Some).build(&tree, &sandbox.canary()).unwrap();
        for (role, is_linked) in [("copy", false), ("link", true)] {
            play_on(&format!("baseline {role} {}", copy.display()), &tree).unwrap();
            let refute = || refute_copy(&tree, &copy, is_linked);
            assert_eq!(refute(), None, "{role}");
            assert!(refute_copy(&tree, &copy, !is_linked).is_some(), "{role}");
            let (link, more) = (copy.join("link"), copy.join("src/more"));
            std::fs::write(&more, "").unwrap();
            assert_eq!(refute().unwrap(), "other names in src", "{role}");
            std::fs::remove_file(&more).unwrap();
            std::fs::remove_file(&link).unwrap();
            std::fs::write(&link, "").unwrap();
            assert_eq!(refute().unwrap(), "another link", "{role}");
            sandbox.remove(&copy).unwrap();
            assert_eq!(refute().unwrap(), "no copy", "{role}");
        }
    }

    #[test]
    fn roles_refuse_what_is_not_in_a_bench_folder() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        let precious = sandbox.entry("precious");
        std::fs::create_dir_all(precious.join("tree")).unwrap();
        for role in ["baseline remove", "std remove", "std ls", "open curt"] {
            assert!(play_on(role, &precious.join("tree")).is_err(), "{role}");
        }
        assert!(play_on("std walk", &precious.join("tree")).is_ok());
        assert!(precious.join("tree").is_dir());
    }
}
