//! The state of files in git, as `git status` reports it, which runs once for each operand.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use curt::Command;

use crate::out::text;
use crate::session::Session;

/// The state of an entry in the index, and in the working tree: a letter each.
pub(super) type State = [u8; 2];

/// The state of what did not change.
const CLEAN: State = *b"--";
/// The letters for the state of a directory, the most important one first.
const ORDER: &[u8] = b"UDMTRCN-";

/// What is known about the operands so far.
pub(super) struct Git<'a> {
    session: &'a Session,
    /// By the paths of directories; `None` if a directory is in no working tree.
    trees: HashMap<PathBuf, Option<WorkingTree>>,
    /// Git cannot be run, which was reported.
    is_missing: bool,
}

/// The part of a working tree at or below a directory.
#[derive(Debug, Default)]
struct WorkingTree {
    /// The path of the directory in the working tree, with a slash at its end unless it is empty.
    prefix: Vec<u8>,
    /// By paths in the working tree. Directories have the most important letters of what is in
    /// them.
    states: HashMap<Vec<u8>, State>,
    /// Paths whose contents share their state, as they are untracked or ignored.
    whole: HashMap<Vec<u8>, State>,
}

impl<'a> Git<'a> {
    pub(super) fn new(session: &'a Session) -> Git<'a> {
        Git { session, trees: HashMap::new(), is_missing: false }
    }

    /// Asks git about a directory, unless that is known.
    pub(super) fn ask(&mut self, dir: &Path) {
        if !self.is_missing && !self.trees.contains_key(dir) {
            let tree = self.tree(dir);
            self.trees.insert(dir.to_owned(), tree);
        }
    }

    /// Asks git about the directory that contains a path.
    pub(super) fn ask_parent(&mut self, path: &Path) {
        self.ask(parent(path));
    }

    /// Returns the state of a path, at or below a directory that git was asked about. `None` if it
    /// is in no working tree.
    pub(super) fn state(&self, path: &Path) -> Option<State> {
        if self.is_missing {
            return None;
        }
        let (dir, tree) = path.ancestors().find_map(|dir| Some((dir, self.trees.get(dir)?)))?;
        let mut key = tree.as_ref()?.prefix.clone();
        for component in path.strip_prefix(dir).ok()?.components() {
            match component {
                Component::Normal(name) => {
                    key.extend_from_slice(name.as_encoded_bytes());
                    key.push(b'/');
                }
                Component::CurDir => {}
                // '..' is elsewhere.
                _ => return None,
            }
        }
        key.pop();
        Some(tree.as_ref()?.state(&key))
    }

    fn tree(&mut self, dir: &Path) -> Option<WorkingTree> {
        let mut prefix = self.run(dir, &["rev-parse", "--show-prefix"])?;
        prefix.pop();
        let status = self.run(
            dir,
            &["status", "--porcelain=v2", "-z", "--ignored", "--untracked-files=normal", "--", "."],
        )?;
        Some(WorkingTree::new(prefix, &status))
    }

    /// Runs git and returns what it prints. It changes nothing, and starts no monitor that a
    /// repository names.
    fn run(&mut self, dir: &Path, args: &[&str]) -> Option<Vec<u8>> {
        let mut command = Command::new("git");
        command.args(["--no-optional-locks", "-c", "core.fsmonitor=false", "-C"]);
        command.arg(if dir.as_os_str().is_empty() { OsStr::new(".") } else { dir.as_os_str() });
        command.args(args).env("LC_ALL", "C");
        match command.output() {
            Err(error) => {
                self.is_missing = true;
                self.session
                    .fail_as(&error, &format!("--git needs git: {}", text::failure(&error)));
                None
            }
            Ok(output) if output.status.success() => Some(output.stdout),
            Ok(output) => {
                let message = String::from_utf8_lossy(&output.stderr);
                let message = message.lines().next().unwrap_or_default();
                // A directory in no working tree is no failure.
                if !message.contains("not a git repository") && !message.contains("work tree") {
                    self.session.note(&format!("git: {message}"));
                }
                None
            }
        }
    }
}

/// Returns the directory that contains a path; the empty path is the working directory.
fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

impl WorkingTree {
    fn new(prefix: Vec<u8>, status: &[u8]) -> WorkingTree {
        let mut tree = WorkingTree { prefix, ..WorkingTree::default() };
        let mut records = status.split(|&byte| byte == 0);
        while let Some(record) = records.next() {
            let Some((&kind, fields)) = record.split_first() else { continue };
            // How many fields come before the path.
            let before = match kind {
                b'?' | b'!' => 1,
                b'1' => 8,
                b'2' => 9,
                b'u' => 10,
                _ => continue,
            };
            let mut fields = fields.splitn(before + 1, |&byte| byte == b' ');
            let letters =
                fields.nth(1).filter(|_| before > 1).and_then(|field| field.first_chunk());
            let Some(path) = fields.last().or_else(|| record.get(2..)) else { continue };
            let state = match (kind, letters) {
                (b'?', _) => *b"-N",
                (b'!', _) => *b"-I",
                (b'u', _) => *b"UU",
                (_, Some(&letters)) => letters.map(shown),
                (_, None) => continue,
            };
            if kind == b'2' {
                // The old path.
                records.next();
            }
            tree.add(path, state);
        }
        tree
    }

    fn add(&mut self, path: &[u8], state: State) {
        let (path, is_whole) = match path.strip_suffix(b"/") {
            Some(path) => (path, true),
            None => (path, false),
        };
        if is_whole {
            self.whole.insert(path.to_vec(), state);
        }
        self.states.insert(path.to_vec(), state);
        if state == *b"-I" {
            return;
        }
        for dir in ancestors(path) {
            let known = self.states.entry(dir.to_vec()).or_insert(CLEAN);
            for (known, letter) in known.iter_mut().zip(state) {
                let rank = |letter| ORDER.iter().position(|&other| other == letter);
                if rank(letter) < rank(*known) {
                    *known = letter;
                }
            }
        }
    }

    fn state(&self, path: &[u8]) -> State {
        let exact = || self.states.get(path).copied();
        let whole = || {
            let root = self.whole.get(&b""[..]);
            ancestors(path).find_map(|dir| self.whole.get(dir)).or(root).copied()
        };
        exact().or_else(whole).unwrap_or(CLEAN)
    }
}

/// Returns the directories above a path, the nearest one first.
fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().rev().filter(|&(_, &byte)| byte == b'/').map(|(at, _)| &path[..at])
}

/// Returns the letter for one of git's.
fn shown(letter: u8) -> u8 {
    match letter {
        b'.' => b'-',
        b'A' => b'N',
        letter => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::WorkingTree;

    #[test]
    fn records_become_states_of_files_and_directories() {
        let hashes = "N... 100644 100644 100644 0123 4567";
        let status = format!(
            "1 .M {hashes} sub/a b\0\
             1 A. {hashes} sub/new\0\
             2 R. {hashes} R100 moved\0old name\0\
             u UU N... 1 2 3 4 5 6 7 deep/er/both\0\
             ? lone\0? untracked/\0! target/\0! x.o\0"
        );
        let tree = WorkingTree::new(Vec::new(), status.as_bytes());
        for (path, expected) in [
            ("sub/a b", "-M"),
            ("sub/new", "N-"),
            ("sub", "NM"),
            ("moved", "R-"),
            ("old name", "--"),
            ("deep/er/both", "UU"),
            ("deep", "UU"),
            ("lone", "-N"),
            ("untracked", "-N"),
            ("untracked/below/it", "-N"),
            ("target/debug", "-I"),
            ("x.o", "-I"),
            ("clean", "--"),
        ] {
            let state = tree.state(path.as_bytes());
            assert_eq!(String::from_utf8_lossy(&state), expected, "{path}");
        }
    }
}
