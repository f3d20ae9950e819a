//! Builds the same tree twice, runs GNU rm and curt rm in them, and compares.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use curt_testkit::{NOBODY, Scratch, is_root, skip};

/// One command on one tree.
pub(crate) struct Case {
    pub(crate) tree: Vec<String>,
    pub(crate) args: Vec<OsString>,
    pub(crate) input: &'static str,
    /// GNU ends with 1 where curt ends with 2, and words differ.
    pub(crate) usage: bool,
    /// What differs on purpose, and why.
    pub(crate) differs: Option<(Difference, &'static str)>,
    /// Where everything differs: curt's exit status, and what is left of the tree, sorted.
    pub(crate) expected: Option<(i32, &'static str)>,
    /// The first version of GNU rm that does it like this.
    pub(crate) since: (u32, u32),
}

/// What may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Both words and effect.
    Everything,
    /// Messages only.
    Words,
    /// Messages only, and not for root.
    WordsButForRoot,
}

/// A case from a tree and arguments, both separated by blanks. In the tree `d/` is a directory, `f`
/// an empty file, `f=text` one with content, `l>target` a symbolic link, `p|` a pipe, `0555:d` a
/// mode that is set at the end, and `root:d` something that belongs to root, whichever user runs
/// the command.
pub(crate) fn case(tree: &str, args: &str) -> Case {
    Case {
        tree: tree.split_whitespace().map(str::to_owned).collect(),
        args: args.split_whitespace().map(OsString::from).collect(),
        input: "",
        usage: false,
        differs: None,
        expected: None,
        since: (0, 0),
    }
}

impl Case {
    /// What is typed.
    pub(crate) fn input(mut self, input: &'static str) -> Self {
        self.input = input;
        self
    }

    /// One more argument, blanks and all.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// The command line is wrong.
    pub(crate) fn usage(mut self) -> Self {
        self.usage = true;
        self
    }

    pub(crate) fn differs(mut self, what: Difference, why: &'static str) -> Self {
        self.differs = Some((what, why));
        self
    }

    /// Both words and effect differ: curt ends with this status and leaves these entries.
    pub(crate) fn leaves(mut self, code: i32, left: &'static str, why: &'static str) -> Self {
        self.expected = Some((code, left));
        self.differs(Difference::Everything, why)
    }

    /// Older versions of GNU rm do it otherwise.
    pub(crate) fn since(mut self, major: u32, minor: u32) -> Self {
        self.since = (major, minor);
        self
    }
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    code: Option<i32>,
    out: Vec<String>,
    messages: Vec<String>,
    left: Vec<String>,
}

impl Outcome {
    /// The names that are left, separated by blanks.
    fn names(&self) -> String {
        let names = self.left.iter().filter_map(|entry| entry.rsplit_once(' '));
        let names = names.filter_map(|(path, _)| path.strip_prefix("here/"));
        names.collect::<Vec<_>>().join(" ")
    }
}

/// The version of GNU rm; `None`, said aloud, where there is none.
pub(crate) fn gnu_rm() -> Option<(u32, u32)> {
    let output = Command::new("rm").arg("--version").output().ok();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let first = text.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
    let Some(version) = first.strip_prefix("rm (GNU coreutils) ") else {
        skip("GNU rm is not installed");
        return None;
    };
    let mut numbers = version.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    Some((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
}

/// Runs all cases, as root and as nobody where the tests may do that, and fails with all that is
/// not as in GNU rm.
pub(crate) fn run(cases: Vec<Case>) {
    let Some(version) = gnu_rm() else { return };
    let users: &[Option<u32>] = if is_root() {
        &[None, Some(NOBODY)]
    } else {
        skip("not root: cases run as one user only");
        &[None]
    };
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for case in cases {
        if case.since > version {
            skip(&format!("GNU rm {version:?} is too old for {:?}", case.args));
            continue;
        }
        for &user in users {
            wrong.extend(bench.compare(&case, user));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Runs a program as where a security filter, such as that of an old container, refuses `openat2`.
pub(crate) const FILTER: &str =
    "strace -f -qq -o /dev/null -e trace=openat2 -e inject=openat2:error=EPERM";

/// Whether that works; where not, that is said.
pub(crate) fn may_filter() -> bool {
    let trial = Command::new("sh").args(["-c", &format!("{FILTER} true")]).output();
    let may = trial.is_ok_and(|output| output.status.success());
    if !may {
        skip("strace is not installed, or may not trace");
    }
    may
}

/// A place for trees, and for a curt that every user can run.
pub(crate) struct Bench {
    scratch: Scratch,
    curt: PathBuf,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let scratch = Scratch::new();
        fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let curt = scratch.at("curt");
        // By another process: a file that this one had open for writing could not be run while a
        // child that another test is just starting holds a copy of the descriptor.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_curt")).arg(&curt).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(&curt, fs::Permissions::from_mode(0o755)).unwrap();
        Bench { scratch, curt }
    }

    /// The copy of curt.
    pub(crate) fn curt(&self) -> &Path {
        &self.curt
    }

    /// A fresh directory to run something in.
    pub(crate) fn place(&self) -> PathBuf {
        self.scratch.dir("run/here")
    }

    /// Removes it.
    pub(crate) fn clear(&self) {
        self.scratch.remove("run");
    }

    /// Runs one case with both and says what differs and should not.
    fn compare(&self, case: &Case, user: Option<u32>) -> Option<String> {
        let gnu = self.outcome(case, user, "rm".as_ref(), &[]);
        let ours = self.outcome(case, user, &self.curt, &["rm"]);
        let is_right = if case.usage {
            gnu.code == Some(1) && ours.code == Some(2) && gnu.left == ours.left
        } else {
            match case.differs {
                None => gnu == ours,
                Some((Difference::Words, _)) => {
                    gnu.code == ours.code && gnu.left == ours.left && gnu != ours
                }
                Some((Difference::WordsButForRoot, _)) => {
                    gnu.code == ours.code
                        && gnu.left == ours.left
                        && (gnu != ours) == user.is_some()
                }
                Some((Difference::Everything, _)) => {
                    let (code, left) = case.expected.expect("a case says what curt does");
                    gnu != ours && ours.code == Some(code) && ours.names() == left
                }
            }
        };
        let meant = case.differs.map_or(String::new(), |(what, why)| format!(" ({what:?}: {why})"));
        (!is_right).then(|| {
            format!(
                "rm {:?} as {user:?} in {:?}{meant}\n GNU  {gnu:?}\n curt {ours:?}",
                case.args, case.tree
            )
        })
    }

    fn outcome(&self, case: &Case, user: Option<u32>, program: &Path, first: &[&str]) -> Outcome {
        // The working directory has the same name for both, so that it can be an operand.
        let above = self.scratch.dir("run");
        let place = self.scratch.dir("run/here");
        build(&self.scratch, &case.tree, user);
        let mut command = Command::new(program);
        command.args(first).args(&case.args);
        command.current_dir(&place).env("LC_ALL", "C").env_remove("POSIXLY_CORRECT");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let mut child = command.spawn().unwrap();
        // A command that asks nothing may be gone by now.
        let _ = child.stdin.take().unwrap().write_all(case.input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let outcome = Outcome {
            code: output.status.code(),
            out: sorted(String::from_utf8_lossy(&output.stdout).lines()),
            messages: messages(&String::from_utf8_lossy(&output.stderr)),
            left: left(&above),
        };
        self.scratch.remove("run");
        outcome
    }
}

/// The messages and prompts, each for itself, without the program's name.
fn messages(text: &str) -> Vec<String> {
    let text = text.replace("curt rm: ", "rm: ").replace("'curt rm ", "'rm ");
    let parts = text.split("rm: ").map(|part| part.trim_end_matches('\n'));
    sorted(parts.filter(|part| !part.is_empty()))
}

fn sorted<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Everything below a directory: path, kind and mode.
fn left(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        let Ok(entries) = fs::read_dir(&dir) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let shown = path.strip_prefix(root).unwrap().display().to_string();
            // In a directory that may be listed and not searched, there are only names.
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                found.push(shown);
                continue;
            };
            found.push(format!("{shown} {:o}", metadata.mode()));
            if metadata.is_dir() {
                open.push(path);
            }
            assert!(!metadata.file_type().is_block_device());
        }
    }
    found.sort();
    found
}

/// Builds a tree in the working directory of a run.
fn build(scratch: &Scratch, tree: &[String], user: Option<u32>) {
    let place = Path::new("run/here");
    let mut made = vec![scratch.at("run"), scratch.at(place)];
    let mut modes = Vec::new();
    for item in tree {
        if let Some(path) = item.strip_prefix("root:") {
            modes.push((None, scratch.at(place.join(path))));
        } else if let Some((mode, path)) = item.split_once(':') {
            let mode = u32::from_str_radix(mode, 8).unwrap();
            modes.push((Some(mode), scratch.at(place.join(path))));
        } else if let Some(path) = item.strip_suffix('/') {
            made.push(scratch.dir(place.join(path)));
        } else if let Some(path) = item.strip_suffix('|') {
            made.push(scratch.fifo(place.join(path)));
        } else if let Some((path, target)) = item.split_once('>') {
            made.push(scratch.link(place.join(path), target));
        } else if let Some((path, text)) = item.split_once('=') {
            made.push(scratch.file_with(place.join(path), text.as_bytes()));
        } else {
            made.push(scratch.file(place.join(item)));
        }
    }
    if user.is_some() {
        for path in made.iter().flat_map(|path| path.ancestors()) {
            if path.starts_with(scratch.at("run")) {
                std::os::unix::fs::lchown(path, user, user).unwrap();
            }
        }
    }
    for (mode, path) in modes {
        match mode {
            Some(mode) => fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap(),
            None if is_root() => std::os::unix::fs::lchown(&path, Some(0), Some(0)).unwrap(),
            None => {}
        }
    }
}
