//! Rules that directories hold: for git in `.gitignore` and `.git/info/exclude`, for everybody in
//! `.ignore`.
//!
//! Whether a directory holds any is seen in its listing, which is stored before it is told of: where there
//! are none nothing is asked. Those of the directories above the operand are read once, when it is entered:
//! 2 calls for each, 3 within a work tree of git, and what reading costs what is there.

use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::cursor::Cursor;
use super::options::Settings;
use crate::control::Rules;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Kind};
use crate::name::{Name, Unit};
use crate::sys::{Ask, Sys};

/// The longest file with rules.
const MOST: usize = 16 << 20;

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
    git: bool,
}

impl InForce {
    /// Whether the entry at `path` is to be left out; `None` where no rule is about it.
    fn decide<S: Sys>(&self, path: &[S::Unit], operand: usize, is_directory: bool) -> Option<bool> {
        let mut git = [None, None];
        let mut may_be_of_git = self.is_in_work_tree;
        let mut at = Some(self);
        while let Some(rules) = at {
            let relative = rules.base.relative::<S>(path, operand);
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
    fn relative<'p, S: Sys>(
        &self,
        path: &'p [S::Unit],
        operand: usize,
    ) -> Cow<'p, std::ffi::OsStr> {
        let from = match self {
            Base::Below(length) => *length,
            Base::Above(_) => operand,
        };
        let begin = path[from..].iter().take_while(|unit| unit.is_separator()).count();
        let below = S::text(&path[from + begin..]);
        match self {
            Base::Below(_) => below,
            Base::Above(way) => Cow::Owned(way.join(&*below).into_os_string()),
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

impl<S: Sys> Cursor<S> {
    /// Whether the entry whose path is at hand is left out by rules, or for its dot.
    pub(super) fn is_ignored(&self, index: usize, name_at: usize, kind: Kind) -> bool {
        let Some(book) = &self.settings.rulebook else {
            return false;
        };
        let rules = self.frames[index].rules.as_ref();
        let is_directory = kind == Kind::Directory;
        let decided =
            rules.and_then(|rules| rules.decide::<S>(&self.path, self.operand, is_directory));
        decided.unwrap_or_else(|| {
            book.hides_dots() && self.path.get(name_at) == Some(&S::Unit::ascii(b'.'))
        })
    }

    /// Looks for files with rules in the stored listing of a directory, and reads them.
    pub(super) fn find_rules(&mut self, index: usize) {
        let frame = &self.frames[index];
        let mut found = Found::default();
        for entry in &frame.stored {
            let Some(name) = self.names.get(entry.name).map(Name::units) else { continue };
            let is_directory = entry.kind == Kind::Directory;
            found.own |= !is_directory && is::<S::Unit>(name, ".ignore");
            found.gitignore |= !is_directory && is::<S::Unit>(name, ".gitignore");
            found.git |= is::<S::Unit>(name, ".git");
        }
        let Some(dir) = frame.dir() else { return };
        let above = frame.rules.clone();
        let directory = S::path(self.path[..frame.path_len].to_vec());
        let sys = &self.asker.sys;
        let mut read = |names: &[&str]| {
            let name = joined::<S::Unit>(names);
            let path = names.iter().fold(directory.clone(), |path, name| path.join(name));
            Some((sys.read_file(dir, Name::until_nul(&name)?, MOST), path))
        };
        let mut troubles = Vec::new();
        let base = Base::Below(frame.path_len);
        let rules = gather(&self.settings, above, base, found, &mut read, &mut troubles);
        self.frames[index].rules = rules;
        self.troubles.append(&mut troubles);
    }

    /// The rules of the directories above the operand, by its spelling.
    pub(super) fn rules_above(&mut self) -> Option<Arc<InForce>> {
        if !self.settings.reads_rules() {
            return None;
        }
        let operand = S::path(self.path.clone());
        let sys = &self.asker.sys;
        let whole = match sys.absolute(&operand) {
            Ok(whole) => without_dots(&whole),
            Err(error) => {
                self.troubles.push(Error::new(Operation::Stat, operand, Cause::Os(error)));
                return None;
            }
        };
        let mut troubles = Vec::new();
        let mut rules = None;
        let mut parents: Vec<&Path> = whole.ancestors().skip(1).collect();
        while let Some(parent) = parents.pop() {
            let way = whole.strip_prefix(parent).unwrap_or(&whole).to_owned();
            let git = parent.join(".git");
            let is_work_tree = exists(sys, &git).unwrap_or_else(|error| {
                troubles.push(Error::new(Operation::Stat, git, Cause::Os(error)));
                false
            });
            let found = Found { own: true, gitignore: true, git: is_work_tree };
            let mut read = |names: &[&str]| {
                let path = names.iter().fold(parent.to_owned(), |path, name| path.join(name));
                let read = sys.at_path(&path, |dir, name| sys.read_file(dir, name, MOST)).ok()?;
                Some((read, path))
            };
            let base = Base::Above(way);
            rules = gather(&self.settings, rules, base, found, &mut read, &mut troubles);
        }
        self.troubles.append(&mut troubles);
        rules
    }
}

/// Reads what a file holds; the path is for the words about a failure.
type Read<'r> = &'r mut dyn FnMut(&[&str]) -> Option<(io::Result<Vec<u8>>, PathBuf)>;

/// The rules of a directory on top of those above it; the same, where it has none.
fn gather(
    settings: &Settings,
    above: Option<Arc<InForce>>,
    base: Base,
    found: Found,
    read: Read<'_>,
    troubles: &mut Vec<Error>,
) -> Option<Arc<InForce>> {
    let book = settings.rulebook.as_ref()?;
    let mut rules = |names: &[&str]| -> Option<Box<dyn Rules>> {
        match read(names)? {
            (Ok(text), _) => Some(book.read(&text)),
            (Err(error), _) if is_absent(&error) => None,
            (Err(error), path) => {
                troubles.push(Error::new(Operation::ReadFile, path, Cause::Os(error)));
                None
            }
        }
    };
    let is_in_work_tree = found.git || above.as_ref().is_some_and(|above| above.is_in_work_tree);
    let own = if found.own { rules(&[".ignore"]) } else { None };
    let of_git = found.gitignore && is_in_work_tree;
    let gitignore = if of_git { rules(&[".gitignore"]) } else { None };
    let exclude = if found.git { rules(&[".git", "info", "exclude"]) } else { None };
    if own.is_none() && gitignore.is_none() && !found.git {
        return above;
    }
    let git = [gitignore, exclude];
    Some(Arc::new(InForce { above, base, own, git, is_work_tree: found.git, is_in_work_tree }))
}

/// Whether an error says that there is no such file.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}

fn exists<S: Sys>(sys: &S, path: &Path) -> io::Result<bool> {
    let ask = Ask { fields: Fields::KIND, follow: false, cached: false };
    match sys.at_path(path, |dir, name| sys.query(dir, name, ask))? {
        Err(error) if is_absent(&error) => Ok(false),
        asked => asked.map(|_| true),
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
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
