//! Rules that directories hold: for git in `.gitignore` and its `info/exclude`, for everybody in `.ignore`.
//! Where they cannot be had, nothing in the directory is yielded: it might be what they leave out.
//!
//! Whether a directory holds any is seen in its listing, which is stored before it is told of: where there
//! are none nothing is asked. Those of the directories above the operand are read once, when it is entered:
//! 2 calls for each, 3 within a work tree of git, and what reading costs what is there.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::frame::Level;
use super::options::Settings;
use crate::control::{MOST_RULES, Rules, too_many_rules};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Kind};
use crate::name::{Name, Names, Unit};
use crate::sys::{Ask, Sys, SystemUnit};
use crate::tree::TreePath;
use curt_paths::{DotDot, Env, Expander};

/// How much text with rules may hold in one place, in one file or in several.
const MOST_BYTES: usize = 4 << 20;
/// How many directories may have rules that hold in one place.
const MOST_DIRECTORIES: usize = 1000;

/// The rules that hold in a directory: its own, and those above.
pub(super) struct InForce {
    above: Option<Arc<InForce>>,
    base: Base,
    /// What `.ignore` says, before all else.
    own: Option<Box<dyn Rules>>,
    /// What `.gitignore` and `.git/info/exclude` say.
    git: [Option<Box<dyn Rules>>; 2],
    /// A work tree of git begins here: rules for git above it do not count.
    is_work_tree: bool,
    is_in_work_tree: bool,
    size: Size,
}

/// How much holds in a place.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    directories: usize,
    rules: usize,
    bytes: usize,
}

/// A chain is as long as the tree is deep, which would be too deep to be dropped by recursion.
impl Drop for InForce {
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(mut rules) = above.and_then(Arc::into_inner) {
            above = rules.above.take();
        }
    }
}

/// What the paths in rules are relative to.
enum Base {
    /// A directory of the walk, whose path is so long.
    Below(usize),
    /// A directory above the operand, from which this leads to it.
    Above(PathBuf),
}

/// What a directory may hold.
#[derive(Clone, Copy, Default)]
struct Found {
    own: bool,
    gitignore: bool,
    git: Option<Kind>,
}

impl InForce {
    /// Whether the entry at `path` is to be left out; `None` where no rule is about it.
    fn decide<S: Sys>(&self, path: &TreePath<S::Unit>, is_directory: bool) -> Option<bool> {
        let mut git = [None, None];
        let mut may_be_of_git = self.is_in_work_tree;
        let mut at = Some(self);
        while let Some(rules) = at {
            let relative = rules.base.relative::<S>(path);
            let ask = |rules: &dyn Rules| rules.decide(Path::new(&*relative), is_directory);
            if let Some(decided) = rules.own.as_deref().and_then(ask) {
                return Some(decided);
            }
            for (known, file) in git.iter_mut().zip(&rules.git) {
                if known.is_none() && may_be_of_git {
                    *known = file.as_deref().and_then(ask);
                }
            }
            may_be_of_git &= !rules.is_work_tree;
            at = rules.above.as_deref();
        }
        git[0].or(git[1])
    }
}

impl Base {
    fn relative<'p, S: Sys>(&self, path: &'p TreePath<S::Unit>) -> Cow<'p, std::ffi::OsStr> {
        match self {
            Base::Below(length) => S::Unit::text(path.below(*length)),
            Base::Above(way) => {
                Cow::Owned(way.join(&*S::Unit::text(path.relative())).into_os_string())
            }
        }
    }
}

impl Settings {
    /// Whether files with rules are looked for.
    pub(super) fn reads_rules(&self) -> bool {
        self.rulebook.as_ref().is_some_and(|book| book.reads_files())
    }

    /// Whether a name is left out because it begins with a dot.
    pub(super) fn hides<U: Unit>(&self, name: Name<'_, U>) -> bool {
        name.units().first() == Some(&U::ascii(b'.'))
            && self.rulebook.as_ref().is_some_and(|book| book.hides_dots())
    }
}

/// Whether rules, or its dot, leave out the entry at this path, whose name begins here.
pub(super) fn leave_out<S: Sys>(
    path: &TreePath<S::Unit>,
    name_at: usize,
    kind: Kind,
    rules: Option<&InForce>,
    settings: &Settings,
) -> bool {
    let Some(book) = &settings.rulebook else {
        return false;
    };
    let decided = rules.and_then(|rules| rules.decide::<S>(path, kind == Kind::Directory));
    decided.unwrap_or_else(|| {
        book.hides_dots() && path.units().get(name_at) == Some(&S::Unit::ascii(b'.'))
    })
}

/// Looks for files with rules in the stored listing of a directory, and reads them. Where that fails it
/// is not known what they leave out.
pub(super) fn of_directory<S: Sys>(
    level: &Level<S>,
    names: &Names<S::Unit>,
    directory: &Path,
    settings: &Settings,
    sys: &S,
) -> Result<Option<Arc<InForce>>, Error> {
    let mut found = Found::default();
    let mut odd: Vec<&str> = Vec::new();
    for entry in level.stored.entries() {
        let Some(name) = names.get(entry.name).map(Name::units) else { continue };
        let is_directory = entry.kind == Kind::Directory;
        found.own |= !is_directory && is::<S::Unit>(name, ".ignore");
        found.gitignore |= !is_directory && is::<S::Unit>(name, ".gitignore");
        if is_pipe_or_device(entry.kind) {
            let is_one_of = |rules: &&&str| is::<S::Unit>(name, rules);
            odd.extend([".ignore", ".gitignore"].iter().find(is_one_of));
        }
        if is::<S::Unit>(name, ".git") {
            found.git = Some(entry.kind);
        }
    }
    let above = level.rules.clone();
    let Some(dir) = level.dir() else { return Ok(above) };
    let read = |names: &[&str]| {
        if odd.iter().any(|odd| names == [*odd]) {
            // Opening it could wait, or do something.
            let refused = io::ErrorKind::Unsupported;
            return Err(io::Error::new(refused, "it is not a regular file"));
        }
        let name = joined::<S::Unit>(names);
        let name = Name::until_nul(&name).ok_or(io::ErrorKind::InvalidInput)?;
        sys.read_file(dir, name, MOST_BYTES)
    };
    let base = Base::Below(level.path_len());
    gather(settings, above, base, found, &Place { sys, directory, read: &read })
}

/// The rules of the directories above an operand, by its spelling.
pub(super) fn above_operand<S: Sys>(
    operand: &Path,
    settings: &Settings,
    sys: &S,
) -> Result<Option<Arc<InForce>>, Error> {
    if !settings.reads_rules() {
        return Ok(None);
    }
    let failed =
        |path: &Path, error| Error::new(Operation::Stat, path.to_owned(), Cause::Os(error));
    let whole = sys.absolute(operand).map_err(|error| failed(operand, error))?;
    let whole = without_dots(&whole);
    let mut rules = None;
    let mut parents: Vec<&Path> = whole.ancestors().skip(1).collect();
    while let Some(parent) = parents.pop() {
        let way = whole.strip_prefix(parent).unwrap_or(&whole).to_owned();
        let git = parent.join(".git");
        let git = kind_of(sys, &git).map_err(|error| failed(&git, error))?;
        let found = Found { own: true, gitignore: true, git };
        let read = |names: &[&str]| {
            read_at(sys, &names.iter().fold(parent.to_owned(), |path, name| path.join(name)))
        };
        let place = Place { sys, directory: parent, read: &read };
        rules = gather(settings, rules, Base::Above(way), found, &place)?;
    }
    Ok(rules)
}

/// A directory whose files with rules are read.
struct Place<'p, S: Sys> {
    sys: &'p S,
    directory: &'p Path,
    /// Reads what lies below it.
    read: &'p dyn Fn(&[&str]) -> io::Result<Vec<u8>>,
}

impl<S: Sys> Place<'_, S> {
    /// What a file below it holds; `None` where there is none.
    fn text(&self, names: &[&str]) -> Result<Option<Vec<u8>>, Error> {
        let path = || names.iter().fold(self.directory.to_owned(), |path, name| path.join(name));
        present((self.read)(names)).map_err(|error| failed_to_read(path(), error))
    }

    /// What git's exclude file holds, for a `.git` of this kind. One that is a file names another directory,
    /// and that of a linked work tree names the one which it shares with others.
    fn exclude(&self, git: Kind) -> Result<Option<(Vec<u8>, PathBuf)>, Error> {
        if git != Kind::File {
            let names = [".git", "info", "exclude"];
            let path = names.iter().fold(self.directory.to_owned(), |path, name| path.join(name));
            return Ok(self.text(&names)?.map(|text| (text, path)));
        }
        let Some(link) = self.text(&[".git"])? else { return Ok(None) };
        let Some(target) = link.strip_prefix(b"gitdir: ") else { return Ok(None) };
        let git = Self::named(target, self.directory, || self.directory.join(".git"))?;
        let shared = git.join("commondir");
        let common = match self.text_at(&shared)? {
            Some(target) => Self::named(&target, &git, || shared)?,
            None => git,
        };
        let path = common.join("info").join("exclude");
        Ok(self.text_at(&path)?.map(|text| (text, path)))
    }

    fn text_at(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        present(read_at(self.sys, path)).map_err(|error| failed_to_read(path.to_owned(), error))
    }

    /// The path that a file of git names, from a directory.
    fn named(target: &[u8], from: &Path, file: impl FnOnce() -> PathBuf) -> Result<PathBuf, Error> {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let length = target.len() - target.iter().rev().take_while(|byte| is_end(byte)).count();
        match std::str::from_utf8(&target[..length]) {
            Ok(target) => Ok(from.join(target)),
            Err(error) => Err(failed_to_read(file(), io::Error::other(error))),
        }
    }
}

fn failed_to_read(path: PathBuf, error: io::Error) -> Error {
    Error::new(Operation::ReadFile, path, Cause::Os(error))
}

/// What was read; `None` where there is nothing to read.
fn present(read: io::Result<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    match read {
        Err(error) if is_absent(&error) => Ok(None),
        read => read.map(Some),
    }
}

/// Whether nothing should be read from such an entry.
fn is_pipe_or_device(kind: Kind) -> bool {
    matches!(kind, Kind::Fifo | Kind::Socket | Kind::CharacterDevice | Kind::BlockDevice)
}

fn read_at<S: Sys>(sys: &S, path: &Path) -> io::Result<Vec<u8>> {
    sys.at_path(path, |dir, name| sys.read_file(dir, name, MOST_BYTES))?
}

/// The rules of a directory on top of those above it; the same, where it has none.
fn gather<S: Sys>(
    settings: &Settings,
    above: Option<Arc<InForce>>,
    base: Base,
    found: Found,
    place: &Place<'_, S>,
) -> Result<Option<Arc<InForce>>, Error> {
    let Some(book) = settings.rulebook.as_ref() else { return Ok(above) };
    let is_in_work_tree =
        found.git.is_some() || above.as_ref().is_some_and(|above| above.is_in_work_tree);
    let mut size = above.as_ref().map(|above| above.size).unwrap_or_default();
    let mut rules = |text: &[u8]| {
        let rules = book.read(text)?;
        size.rules += rules.count();
        size.bytes += text.len();
        size.check().map(|()| rules)
    };
    let mut file = |name: &str| -> Result<Option<Box<dyn Rules>>, Error> {
        let Some(text) = place.text(&[name])? else { return Ok(None) };
        let failed = |error| failed_to_read(place.directory.join(name), error);
        rules(&text).map(Some).map_err(failed)
    };
    let own = if found.own { file(".ignore")? } else { None };
    let of_git = found.gitignore && is_in_work_tree;
    let gitignore = if of_git { file(".gitignore")? } else { None };
    let exclude = match found.git.map(|git| place.exclude(git)).transpose()?.flatten() {
        Some((text, path)) => Some(rules(&text).map_err(|error| failed_to_read(path, error))?),
        None => None,
    };
    if own.is_none() && gitignore.is_none() && found.git.is_none() {
        return Ok(above);
    }
    size.directories += 1;
    size.check().map_err(|error| failed_to_read(place.directory.to_owned(), error))?;
    let git = [gitignore, exclude];
    let is_work_tree = found.git.is_some();
    Ok(Some(Arc::new(InForce { above, base, own, git, is_work_tree, is_in_work_tree, size })))
}

impl Size {
    /// Whether so much may hold in one place.
    fn check(self) -> io::Result<()> {
        if self.directories > MOST_DIRECTORIES {
            return Err(too_many_rules(MOST_DIRECTORIES, "directories with ignore rules"));
        }
        if self.rules > MOST_RULES {
            return Err(too_many_rules(MOST_RULES, "ignore rules"));
        }
        if self.bytes > MOST_BYTES {
            return Err(too_many_rules(MOST_BYTES, "bytes of ignore rules"));
        }
        Ok(())
    }
}

/// Whether an error says that there is no such file.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}

/// What lies at a path; `None` where there is nothing.
fn kind_of<S: Sys>(sys: &S, path: &Path) -> io::Result<Option<Kind>> {
    let ask = Ask { fields: Fields::KIND, follow: false, cached: false };
    match sys.at_path(path, |dir, name| sys.query(dir, name, ask))? {
        Err(error) if is_absent(&error) => Ok(None),
        asked => asked.map(|facts| Some(facts.kind)),
    }
}

fn is<U: Unit>(name: &[U], text: &str) -> bool {
    name.len() == text.len() && text.bytes().zip(name).all(|(byte, unit)| *unit == U::ascii(byte))
}

/// Names with separators between them, terminated.
fn joined<U: Unit>(names: &[&str]) -> Vec<U> {
    let mut units = Vec::new();
    for name in names {
        if !units.is_empty() {
            units.push(U::SEPARATOR);
        }
        units.extend(name.bytes().map(U::ascii));
    }
    units.push(U::NUL);
    units
}

/// A path from a root, without `.` and `..`, by its text.
fn without_dots(path: &Path) -> PathBuf {
    let expander = Expander::new(Env::none()).dot_dot(DotDot::Clamp);
    expander.expand_path(path).map_or_else(|_| path.to_owned(), Cow::into_owned)
}
