use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, SystemTime};

use curt_testkit::{Choices, NOBODY, Scratch, cells, is_root};

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree(Vec<(OsString, Step)>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Directory,
    File(Vec<u8>),
    Hole(u64),
    Link(OsString),
    /// A hard link. Its name is the file's with `+link` appended, because the listing order decides
    /// which of the two a program meets first.
    Name(OsString),
    Pipe,
    Socket,
    /// Changes the mode of an existing entry. `OfRoot` makes root its owner, and `Changed` sets its
    /// modification time.
    Mode(u32),
    OfRoot,
    Changed(u64),
}

const NAMES: &[u8] =
    b"a|b|c|d|e.rs|.rs|F.RS|g.tar.gz|.h|..x|two words|-f|--|*|it's|new\nline|tab\t|\xc3\xa9|\
    \xe6\xbc\xa2|\xff\xfe|\x1b[31m|back\\slash|[ab]|old~|f9|f10|f010|{x,y}|\"q\"";

/// Targets of symlinks, all inside the scratch directory, because tests may remove them.
const TARGETS: &str = "
    a | b | a/b | ../a | .. | . | nowhere | nowhere/x | l1 | l2 | a/ | e.rs | e.rs/x | ./c/../d
    ../l1/a
";

#[derive(Clone, Copy)]
pub(crate) struct Oddities {
    pub(crate) forbidden: bool,
    pub(crate) names: bool,
}

impl Tree {
    /// Returns a tree from words separated by blanks. `d/` is a directory, `f` an empty file,
    /// `f=text` a file with content, `l>target` a symlink, `p|` a pipe. `0555:d` sets an entry's
    /// mode, and `root:d` makes root its owner.
    pub(crate) fn of(words: &str) -> Tree {
        let parse_step = |word: &str| {
            let (path, step) = if let Some(path) = word.strip_prefix("root:") {
                (path, Step::OfRoot)
            } else if let Some((mode, path)) = word.split_once(':') {
                (path, Step::Mode(u32::from_str_radix(mode, 8).unwrap()))
            } else if let Some(path) = word.strip_suffix('/') {
                (path, Step::Directory)
            } else if let Some(path) = word.strip_suffix('|') {
                (path, Step::Pipe)
            } else if let Some((path, target)) = word.split_once('>') {
                (path, Step::Link(target.into()))
            } else if let Some((path, text)) = word.split_once('=') {
                (path, Step::File(text.into()))
            } else {
                (word, Step::File(Vec::new()))
            };
            (path.into(), step)
        };
        Tree(words.split_whitespace().map(parse_step).collect())
    }

    pub(crate) fn random(choices: &mut Choices, oddities: Oddities) -> Tree {
        let names: Vec<&[u8]> = NAMES.split(|&byte| byte == b'|').collect();
        let targets = cells(TARGETS);
        let mut directories = vec![OsString::new()];
        let mut steps: Vec<(OsString, Step)> = Vec::new();
        for _ in 0..choices.below(26) {
            let above = match choices.below(3) {
                0 => directories.last().unwrap(),
                _ => choices.pick(&directories),
            };
            let below =
                |name: &[u8]| Path::new(above).join(OsStr::from_bytes(name)).into_os_string();
            let is_link = choices.one_in(6);
            let name = if is_link {
                choices.one_of(&["l1", "l2", "l3"]).as_bytes()
            } else {
                choices.pick(&names)
            };
            let path = below(name);
            if steps.iter().any(|(other, _)| *other == path) {
                continue;
            }
            let step = match choices.below(12) {
                _ if is_link => Step::Link(choices.one_of(&targets).into()),
                0..=4 => {
                    directories.push(path.clone());
                    Step::Directory
                }
                5 => Step::Hole(*choices.pick(&[1, 4096, 70_000, 5 << 30])),
                6 => Step::Pipe,
                7 if path.len() < 30 => Step::Socket,
                _ => Step::File(vec![b'x'; *choices.pick(&[0, 0, 1, 5, 1024, 1025, 4096, 9000])]),
            };
            let is_file = matches!(step, Step::File(_) | Step::Hole(_));
            if oddities.names && is_file && choices.one_in(3) {
                let name = OsString::from_vec([path.as_bytes(), b"+link"].concat());
                steps.push((path.clone(), step));
                steps.push((name, Step::Name(path)));
            } else {
                steps.push((path, step));
            }
        }
        let is_linked = |step: &Step| matches!(step, Step::Link(_) | Step::Socket);
        let mut later = Vec::new();
        for (path, step) in steps.iter().rev().filter(|(_, step)| !is_linked(step)) {
            if choices.one_in(4) {
                later.push((
                    path.clone(),
                    Step::Changed(*choices.pick(&[5, 1_700_000_000, 1_600_000_000])),
                ));
            }
            if oddities.forbidden && choices.one_in(6) {
                let modes: &[u32] = match step {
                    Step::Directory => &[0, 0o111, 0o333, 0o444, 0o500, 0o555, 0o700, 0o1777],
                    _ => &[0, 0o400, 0o444, 0o611, 0o755, 0o4755],
                };
                later.push((path.clone(), Step::Mode(*choices.pick(modes))));
            }
            if oddities.forbidden && choices.one_in(12) {
                later.push((path.clone(), Step::OfRoot));
            }
        }
        steps.extend(later);
        Tree(steps)
    }

    /// Moves the tree into `s`, and adds a directory `d` with some of its names, which are often
    /// those of other kinds.
    #[allow(dead_code, reason = "the suite fd copies nothing")]
    pub(crate) fn with_overlap(self, choices: &mut Choices) -> Tree {
        let mut steps = vec![("s".into(), Step::Directory)];
        let mut others = vec![(OsString::from("d"), Step::Directory)];
        let mut later = Vec::new();
        for (path, step) in self.0 {
            let [ours, other] = ["s", "d"].map(|dir| Path::new(dir).join(&path).into_os_string());
            let step = match step {
                Step::Name(of) => Step::Name(Path::new("s").join(of).into_os_string()),
                step => step,
            };
            let is_entry = !matches!(step, Step::Mode(_) | Step::OfRoot | Step::Changed(_));
            let above = Path::new(&other).parent().map(Path::as_os_str);
            let has_directory =
                others.iter().any(|(path, of)| Some(&**path) == above && *of == Step::Directory);
            if is_entry && has_directory && choices.one_in(2) {
                let (kind, is_same) = (choices.below(6), matches!(step, Step::Name(_)));
                others.push((
                    other.clone(),
                    match kind {
                        0 | 1 => Step::Directory,
                        2 | 3 => Step::File(b"old".into()),
                        _ if is_same => Step::File(Vec::new()),
                        _ => step.clone(),
                    },
                ));
                if (2..4).contains(&kind) && choices.one_in(2) {
                    let mode = *choices.pick(&[0o444, 0o600, 0o755]);
                    let changed = *choices.pick(&[4, 1_650_000_000]);
                    later.extend([
                        (other.clone(), Step::Changed(changed)),
                        (other, Step::Mode(mode)),
                    ]);
                }
            }
            if is_entry { steps.push((ours, step)) } else { later.push((ours, step)) }
        }
        Tree(steps.into_iter().chain(others).chain(later).collect())
    }

    #[allow(dead_code, reason = "the suite fd adds rules")]
    pub(crate) fn with_file(mut self, path: &str, content: String) -> Tree {
        self.0.push((path.into(), Step::File(content.into_bytes())));
        self
    }

    /// Returns a relative path inside the scratch directory, because tests may remove it.
    pub(crate) fn operand(&self, choices: &mut Choices) -> OsString {
        let path = match choices.below(12) {
            0 => OsStr::new(choices.one_of(&["missing", ".", "a", "l1"])),
            1 if choices.one_in(4) => return OsString::new(),
            _ if self.0.is_empty() => OsStr::new("a"),
            _ => &self.0[choices.below(self.0.len())].0,
        };
        let before = choices.one_of(&["", "", "", "", "", "./", "../here/", ".//"]);
        let behind =
            choices.one_of(&["", "", "", "", "", "", "/", "//", "/.", "/..", "/missing", "/a"]);
        let operand = [before.as_bytes(), path.as_bytes(), behind.as_bytes()].concat();
        assert!(!operand.starts_with(b"/"));
        OsString::from_vec(operand)
    }

    pub(crate) fn forbids(&self) -> bool {
        self.0.iter().any(|(_, step)| matches!(step, Step::Mode(_) | Step::OfRoot))
    }

    pub(crate) fn has_mode(&self, mode: u32) -> bool {
        self.0.iter().any(|(_, step)| *step == Step::Mode(mode))
    }

    pub(crate) fn without(&self, at: usize) -> Option<Tree> {
        let (gone, step) = self.0.get(at)?;
        if matches!(step, Step::Mode(_) | Step::OfRoot | Step::Changed(_)) {
            let mut steps = self.0.clone();
            steps.remove(at);
            return Some(Tree(steps));
        }
        let names = self.0.iter().filter_map(|(path, step)| match step {
            Step::Name(of) if Path::new(of).starts_with(gone) => Some(path),
            _ => None,
        });
        let gone: Vec<&OsString> = names.chain([gone]).collect();
        let is_left = |(path, _): &&(OsString, Step)| {
            !gone.iter().any(|gone| Path::new(path).starts_with(gone))
        };
        Some(Tree(self.0.iter().filter(is_left).cloned().collect()))
    }

    pub(crate) fn make(&self, scratch: &Scratch, user: Option<u32>) {
        scratch.dir("run/here");
        let dir = Path::new("run/here");
        let (made, later): (Vec<_>, Vec<_>) = self.0.iter().partition(|(_, step)| {
            !matches!(step, Step::Mode(_) | Step::OfRoot | Step::Changed(_))
        });
        for (path, step) in made {
            let at = dir.join(path);
            match step {
                Step::Directory => drop(scratch.dir(at)),
                Step::File(content) => drop(scratch.file_with(at, content)),
                Step::Hole(size) => {
                    let file = fs::File::options().write(true).open(scratch.file(at));
                    file.and_then(|file| file.set_len(*size)).unwrap();
                }
                Step::Link(target) => drop(scratch.link(at, target)),
                Step::Name(of) => drop(scratch.hard_link(dir.join(of), at)),
                Step::Pipe => drop(scratch.fifo(at)),
                Step::Socket => {
                    scratch.dir(at.parent().unwrap());
                    drop(UnixListener::bind(scratch.at(at)).unwrap());
                }
                Step::Mode(_) | Step::OfRoot | Step::Changed(_) => {}
            }
        }
        if let Some(user) = user {
            each(&scratch.at("run"), &mut |path, _| lchown(path, Some(user), Some(user)).unwrap());
            lchown(scratch.at("run"), Some(user), Some(user)).unwrap();
        }
        for (path, step) in later {
            let path = scratch.at(dir.join(path));
            match step {
                Step::Mode(mode) => {
                    fs::set_permissions(path, Permissions::from_mode(*mode)).unwrap();
                }
                Step::OfRoot if is_root() => lchown(path, Some(0), Some(0)).unwrap(),
                Step::Changed(seconds) => {
                    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(*seconds);
                    if let Some(file) = open_unless_pipe(&path) {
                        file.set_times(fs::FileTimes::new().set_modified(time)).unwrap();
                    }
                }
                _ => {}
            }
        }
    }
}

fn open_unless_pipe(path: &Path) -> Option<fs::File> {
    let kind = fs::metadata(path).ok()?;
    if kind.is_dir() || kind.is_file() { fs::File::open(path).ok() } else { None }
}

impl fmt::Display for Tree {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, step) in &self.0 {
            let path = quoted(path);
            match step {
                Step::Directory => writeln!(to, "mkdir -p -- {path}")?,
                Step::File(text) if text.iter().all(|&byte| byte == b'x') => {
                    writeln!(to, "head -c {} /dev/zero >{path}", text.len())?;
                }
                Step::File(text) => {
                    writeln!(to, "printf %s {} >{path}", quoted(OsStr::from_bytes(text)))?;
                }
                Step::Hole(size) => writeln!(to, "truncate -s {size} -- {path}")?,
                Step::Link(target) => writeln!(to, "ln -s -- {} {path}", quoted(target))?,
                Step::Name(of) => writeln!(to, "ln -- {} {path}", quoted(of))?,
                Step::Pipe => writeln!(to, "mkfifo -- {path}")?,
                Step::Socket => writeln!(
                    to,
                    "python3 -c 'import socket,sys; \
                     socket.socket(socket.AF_UNIX).bind(sys.argv[1])' {path}"
                )?,
                Step::Mode(mode) => writeln!(to, "chmod {mode:o} -- {path}")?,
                Step::OfRoot => writeln!(to, "chown root: -- {path}")?,
                Step::Changed(seconds) => writeln!(to, "touch -md @{seconds} -- {path}")?,
            }
        }
        Ok(())
    }
}

pub(crate) fn quoted(word: &OsStr) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=+,:@%".contains(byte);
    let bytes = word.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return word.to_string_lossy().into_owned();
    }
    let escaped = bytes.escape_ascii().to_string();
    if escaped.as_bytes() == bytes { format!("'{escaped}'") } else { format!("$'{escaped}'") }
}

pub(crate) fn remaining(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    each(root, &mut |path, metadata| {
        let shown = path.strip_prefix(root).unwrap().as_os_str().as_bytes().escape_ascii();
        let target = fs::read_link(path).ok();
        // `metadata` is missing in a directory that is listable but not searchable.
        let mode = metadata.map_or(0, MetadataExt::mode);
        found.push(format!(
            "{shown} {mode:o}{}",
            target.map_or(String::new(), |to| format!(" {}", to.display()))
        ));
    });
    found.sort();
    found
}

pub(crate) fn each(root: &Path, call: &mut impl FnMut(&Path, Option<&fs::Metadata>)) {
    for entry in fs::read_dir(root).into_iter().flatten() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).ok();
        call(&path, metadata.as_ref());
        if metadata.is_some_and(|metadata| metadata.is_dir()) {
            each(&path, call);
        }
    }
}

pub(crate) fn users() -> &'static [Option<u32>] {
    if is_root() {
        return &[None, Some(NOBODY)];
    }
    curt_testkit::skip("not root: cases run as one user only");
    &[None]
}
