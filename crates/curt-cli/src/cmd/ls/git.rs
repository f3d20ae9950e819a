//! The state of files in git, as `git status` reports it, which runs once for each operand, and for
//! each repository below it.
//!
//! A listed tree may come from anybody, with a `.git` directory in it: its configuration must not
//! choose a program that runs here. Git has no option for that, so all the ways are cut one by one.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use curt::{Error, Fields, Kind, Search};

use crate::out::text;
use crate::quote::for_terminal;
use crate::session::Session;
use crate::sys;

/// The state of an entry in the index, and in the working tree: a letter each.
pub(super) type State = [u8; 2];

/// The state of an unchanged file.
const CLEAN: State = *b"--";
/// The letters for the state of a directory, the most important one first.
const ORDER: &[u8] = b"UDMTRCN-";

/// Options that keep git from running programs that a configuration names, from writing, from
/// fetching missing objects, and from taking a directory for a repository because it looks like one
/// inside.
const OPTIONS: &[&str] = &[
    "--no-optional-locks",
    "--no-pager",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.virtualFilesystem=",
    "-c",
    "core.alternateRefsCommand=",
];
/// Variables of the user that name one repository, or one configuration, for all directories.
const OF_ONE_REPOSITORY: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_CONFIG",
];

/// The directories that git was asked about.
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
    /// By paths in the working tree. Directories have the most important letters of their
    /// contents.
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

    /// Asks git about the directory that contains a path; the empty path is the working directory.
    pub(super) fn ask_parent(&mut self, path: &Path) {
        self.ask(path.parent().unwrap_or(path));
    }

    /// Asks git about a directory below one that it was asked about, if that is a repository: a
    /// submodule, a linked working tree, or an unrelated one.
    pub(super) fn ask_nested(&mut self, dir: &Path) {
        let is_absent =
            |error: Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        if !curt::stat(dir.join(".git"), Fields::KIND).is_err_and(is_absent) {
            self.ask(dir);
        }
    }

    /// Returns the state of an entry of a directory, or of an operand if there is none. `None` if
    /// it is in no working tree.
    pub(super) fn state(&self, dir: Option<&OsStr>, name: &OsStr) -> Option<State> {
        if self.is_missing {
            return None;
        }
        let path = Path::new(dir.unwrap_or_default()).join(name);
        let known = |dir| Some((dir, self.trees.get(dir)?));
        // An entry that is a repository has its state in the one around it.
        let (dir, tree) = dir.map_or(&*path, Path::new).ancestors().find_map(known)?;
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
        let place = ["rev-parse", "--is-inside-work-tree", "--show-prefix"];
        let mut prefix = self.run(dir, &[], &place)?.strip_prefix(b"true\n")?.to_vec();
        prefix.pop();
        let filters = self.filters(dir)?;
        // For a submodule git would run itself, with the filters of that repository.
        let status = self.run(
            dir,
            &filters,
            &[
                "status",
                "--porcelain=v2",
                "-z",
                "--ignored",
                "--untracked-files=normal",
                "--ignore-submodules=dirty",
                "--",
                ".",
            ],
        )?;
        let mut tree = WorkingTree::new(prefix, &status);
        let index = self.run(dir, &filters, &["ls-files", "--stage", "-z", "--", "."])?;
        for entry in index.split(|&byte| byte == 0) {
            let Some(entry) = entry.strip_prefix(b"160000 ") else { continue };
            let path = entry.iter().position(|&byte| byte == b'\t').map(|tab| &entry[tab + 1..]);
            if let Some(path) = path.filter(|path| self.is_submodule_modified(dir, path)) {
                let path = [&*tree.prefix, path].concat();
                let [index, _] = tree.state(&path);
                tree.add(&path, [index, b'M']);
            }
        }
        Some(tree)
    }

    /// Returns options that switch off the filters that a configuration names, which are programs.
    fn filters(&mut self, dir: &Path) -> Option<Vec<OsString>> {
        let asked = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
        let names = self.run(dir, &[], &asked)?;
        let ends = names.split(|&byte| byte == 0).filter_map(|name| {
            let end = name.iter().rposition(|&byte| byte == b'.')?;
            Some(&name[..=end])
        });
        let mut options = Vec::new();
        for filter in ends.collect::<BTreeSet<_>>() {
            // git would take the text behind the sign for the value.
            if filter.contains(&b'=') {
                let filter = String::from_utf8_lossy(filter);
                let filter = for_terminal(&*filter, "");
                self.session.note(&format!("git: cannot switch off {filter}"));
                return None;
            }
            for value in ["clean=", "process=", "required=false"] {
                options.push("-c".into());
                options.push(sys::name_from_bytes(&[filter, value.as_bytes()].concat())?);
            }
        }
        Some(options)
    }

    /// Whether a submodule below a directory has changes, by its own repository.
    fn is_submodule_modified(&mut self, dir: &Path, path: &[u8]) -> bool {
        let Some(relative) = sys::name_from_bytes(path).map(PathBuf::from) else { return false };
        // A link could lead here again.
        let mut way = relative.ancestors().filter(|part| !part.as_os_str().is_empty());
        let is_directory = |part: &Path| {
            let found = curt::stat(dir.join(part), Fields::KIND);
            found.is_ok_and(|found| found.kind() == Kind::Directory)
        };
        if !way.all(is_directory) {
            return false;
        }
        let submodule = dir.join(&relative);
        self.ask_nested(&submodule);
        let tree = self.trees.get(&submodule).and_then(Option::as_ref);
        tree.is_some_and(|tree| tree.state(b"") != CLEAN)
    }

    /// Runs git and returns its output. It changes nothing, and runs no program that a
    /// repository names.
    fn run(&mut self, dir: &Path, more: &[OsString], args: &[&str]) -> Option<Vec<u8>> {
        let mut command = sys::program(OsStr::new("git"));
        command.args(OPTIONS).args(more).arg("-C");
        command.arg(if dir.as_os_str().is_empty() { OsStr::new(".") } else { dir.as_os_str() });
        command.args(args).search(search()).env("LC_ALL", "C");
        command.env("GIT_ALLOW_PROTOCOL", "").env("GIT_NO_LAZY_FETCH", "1");
        for name in OF_ONE_REPOSITORY {
            command.env_remove(name);
        }
        match command.output() {
            Err(error) => {
                self.is_missing = true;
                self.session
                    .fail_as(&error, &format!("--git needs git: {}", text::failure(&error)));
                None
            }
            Ok(output) if output.status.success() => Some(output.stdout),
            // `git config` has found nothing.
            Ok(output) if output.status.code() == Some(1) && output.stderr.is_empty() => {
                Some(Vec::new())
            }
            Ok(output) => {
                let message = String::from_utf8_lossy(&output.stderr);
                let message = message.lines().next().unwrap_or_default();
                // A directory in no working tree is no failure.
                let no_tree = ["not a git repository", "work tree", "use bare repository"];
                if !no_tree.iter().any(|words| message.contains(words)) {
                    self.session.note(&format!("git: {message}"));
                }
                None
            }
        }
    }
}

/// Returns how git is found: not by relative directories of `PATH`, which the tree may hold.
fn search() -> Search {
    let Some(path) = std::env::var_os("PATH") else { return Search::new() };
    let absolute = std::env::split_paths(&path).filter(|dir| dir.is_absolute());
    // Text that was split can be joined.
    Search::new().path(std::env::join_paths(absolute).unwrap_or_default())
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
        let whole = || ancestors(path).find_map(|dir| self.whole.get(dir)).copied();
        exact().or_else(whole).unwrap_or(CLEAN)
    }
}

/// Returns the directories above a path, the nearest one first; the empty path is the root.
fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().rev().filter(|&(_, &byte)| byte == b'/');
    slashes.map(|(at, _)| &path[..at]).chain((!path.is_empty()).then_some(&b""[..]))
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
            ("", "UU"),
        ] {
            let state = tree.state(path.as_bytes());
            assert_eq!(String::from_utf8_lossy(&state), expected, "{path}");
        }
    }
}
