//! The floor: the calls that an operation cannot do without, in the plainest loop, in one thread,
//! with nothing around them. What is faster than this has found parallelism, not better code.
//!
//! And what a program gets from the standard library, so that one rival is always there, and curt's
//! own listing through a buffer of a given size. All run in separate processes (`curt-bench
//! --role …`), because a user starts a process too.

mod open;
#[cfg(target_os = "linux")]
mod read;
#[cfg(target_os = "linux")]
mod remove;
mod standard;

use super::sandbox::check_from_child;
use super::works::Work;
use crate::exit::Exit;
use curt::list::Directory;
use curt::{Fields, Plan};
use std::io;
use std::path::Path;

/// What the bench's own child processes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Role {
    /// The bare loop of calls.
    Floor,
    /// The standard library.
    Std,
    /// The library: its listing, counted, or its way of opening.
    List,
    /// The library's expansion or check, many times.
    Expand,
    /// The library, without its fast path.
    Steps,
    /// Opening from a directory that is open, and from the working directory: neither keeps anybody
    /// in.
    From,
    Here,
}

/// What they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Task {
    /// Remove the tree.
    Remove,
    /// Write the names in one directory.
    Ls,
    /// The same, with sizes and the targets of links.
    Long,
    /// Write all paths.
    Walk,
    /// The same, with sizes.
    Sizes,
    /// Write the KiB allocated.
    Du,
    /// Open every file, and write how many entries there are.
    Open,
}

impl Task {
    /// As `--task` takes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Remove => "remove",
            Self::Ls => "ls",
            Self::Long => "long",
            Self::Walk => "walk",
            Self::Sizes => "sizes",
            Self::Du => "du",
            Self::Open => "open",
        }
    }

    /// Whether what is below is looked at too.
    pub(super) fn descends(self) -> bool {
        !matches!(self, Self::Ls | Self::Long)
    }

    /// Whether each entry is asked about.
    fn asks(self) -> bool {
        !matches!(self, Self::Ls | Self::Walk)
    }
}

/// Plays the role on `tree`, which must lie in a folder that the bench made.
pub(crate) fn play(
    role: Role,
    task: Task,
    (buffer, work): (Option<usize>, Option<Work>),
    tree: &Path,
) -> Exit {
    let mut out = io::stdout().lock();
    let done = check_from_child(tree).and_then(|()| match (role, task) {
        (role, Task::Open) => open::open(role, tree, &mut out),
        (Role::Floor, Task::Remove) => floor_remove(tree),
        (Role::Floor, _) => floor_read(task, tree),
        (Role::Std, Task::Remove) => std::fs::remove_dir_all(tree),
        (Role::Std, _) => standard::read(task, tree, &mut out),
        (Role::List | Role::Steps, _) => list(buffer, tree, &mut out),
        (Role::From | Role::Here, _) => Err(io::ErrorKind::Unsupported.into()),
        (Role::Expand, _) => {
            let answer = work.map(super::works::play).unwrap_or_default();
            io::Write::write_all(&mut out, answer.as_bytes())
        }
    });
    ended(done.map(|()| Exit::Success))
}

/// Starts programs, as the standard library does or as curt does, in a folder that the bench made.
pub(super) fn start(starts: &str, role: Role, folder: &Path) -> Exit {
    let done = check_from_child(folder);
    ended(done.and_then(|()| super::starts::play(starts, role == Role::Std, folder)))
}

fn ended(done: io::Result<Exit>) -> Exit {
    match done {
        Ok(exit) => exit,
        Err(error) => {
            let text = format!("curt-bench: {error}\n");
            let _ = io::Write::write_all(&mut io::stderr().lock(), text.as_bytes());
            Exit::Failure
        }
    }
}

/// Whether this system has a floor.
pub(crate) const HAS_FLOOR: bool = cfg!(target_os = "linux");

#[cfg(target_os = "linux")]
fn floor_remove(tree: &Path) -> io::Result<()> {
    remove::remove(tree)
}

#[cfg(target_os = "linux")]
fn floor_read(task: Task, tree: &Path) -> io::Result<()> {
    read::read(task, tree)
}

#[cfg(not(target_os = "linux"))]
fn floor_remove(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn floor_read(_: Task, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// How many entries the library lists through a buffer of so many bytes.
fn list(buffer: Option<usize>, tree: &Path, out: &mut dyn io::Write) -> io::Result<()> {
    let mut directory = Directory::open(tree)?;
    if let Some(bytes) = buffer {
        directory = directory.buffer(bytes)?;
    }
    let mut list = directory.list(Plan::new(Fields::NAME));
    let mut count = 0_u64;
    while let Some(entry) = list.next() {
        entry?;
        count += 1;
    }
    writeln!(out, "{count}")
}

#[cfg(test)]
mod tests {
    use super::super::sandbox::Sandbox;
    use super::super::tree::{Content, Tree};
    use super::*;

    #[test]
    fn roles_remove_the_tree_and_leave_its_neighbours() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        for role in [Role::Floor, Role::Std] {
            if role == Role::Floor && !HAS_FLOOR {
                continue;
            }
            for tree in [Tree::react(16, Content::Empty), Tree::flat(5_000, Content::Empty)] {
                let path = sandbox.entry("tree");
                tree.build(&path, &sandbox.canary()).unwrap();
                assert_eq!(play(role, Task::Remove, (None, None), &path), Exit::Success);
                assert!(!path.exists());
                assert!(sandbox.canary_lives());
            }
        }
    }

    #[test]
    fn roles_refuse_what_is_not_in_a_bench_folder() {
        let sandbox = Sandbox::create(&std::env::temp_dir()).unwrap();
        let precious = sandbox.entry("precious");
        std::fs::create_dir_all(precious.join("tree")).unwrap();
        for role in [Role::Floor, Role::Std, Role::List] {
            for task in [Task::Remove, Task::Walk] {
                assert_eq!(play(role, task, (None, None), &precious.join("tree")), Exit::Failure);
            }
        }
        assert!(precious.join("tree").is_dir());
    }
}
