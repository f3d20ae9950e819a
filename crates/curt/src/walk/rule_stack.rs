//! The ignore rules that hold in a directory, and which entries they leave out.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::options::Settings;
use super::rule_text::MOST_BYTES;
use crate::fields::Kind;
use crate::filters::{IgnoreFile, MOST_RULES, too_many_rules};
use crate::sys::{Sys, SystemUnit};
use crate::tree::TreePath;

/// The most directories whose rules may hold in one place.
const MOST_DIRECTORIES: usize = 1000;

/// The rules that hold in a directory: its own, and those of the directories above.
pub(super) struct RuleStack {
    pub(super) above: Option<Arc<RuleStack>>,
    pub(super) base: Base,
    /// Its files with rules, those that come first at the beginning.
    pub(super) files: Vec<(Source, IgnoreFile)>,
    /// Rules of git match in any case.
    pub(super) ignores_case: bool,
    /// A work tree of git begins here, so the git rules above do not count.
    pub(super) is_work_tree: bool,
    pub(super) is_in_work_tree: bool,
    pub(super) size: Size,
}

/// Where rules come from. An earlier source decides before a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Custom,
    /// `.ignore`
    Ignore,
    /// `.gitignore`
    GitIgnore,
    /// `info/exclude` of a repository.
    Exclude,
    /// The rules of the user, in the file that git's configuration names.
    User,
    Extra,
}

impl Source {
    fn is_of_git(self) -> bool {
        matches!(self, Source::GitIgnore | Source::Exclude | Source::User)
    }
}

/// How many rules hold in one place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) directories: usize,
    pub(super) rules: usize,
    pub(super) bytes: usize,
}

/// Drops the chain in a loop: it is as long as the tree is deep, too long for recursion.
impl Drop for RuleStack {
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(mut rules) = above.and_then(Arc::into_inner) {
            above = rules.above.take();
        }
    }
}

/// The directory that the paths in rules are relative to.
pub(super) enum Base {
    /// A directory of the walk, whose path has this length.
    Below(usize),
    /// A directory above the operand, or the operand; this is the path from there to the operand.
    Above(PathBuf),
    /// A directory below the operand, by this path, which the walk may enter or not.
    Inside(PathBuf),
    /// A directory that is neither above nor below the operand.
    Apart,
}

impl RuleStack {
    /// Whether the entry at `path` is left out; `None` if no rule matches.
    fn decide<S: Sys>(
        &self,
        path: &TreePath<S::Unit>,
        name: &[S::Unit],
        is_directory: bool,
    ) -> Option<bool> {
        let mut decided: Option<(Source, bool)> = None;
        let mut may_be_of_git = self.is_in_work_tree;
        let mut at = Some(self);
        while let Some(rules) = at {
            let relative = rules.base.relative::<S>(path);
            for (source, file) in &rules.files {
                // Only earlier sources may still overrule, whichever directory they are in.
                if decided.is_some_and(|(by, _)| by <= *source) {
                    break;
                }
                if source.is_of_git() && !may_be_of_git {
                    continue;
                }
                let decides = match &relative {
                    Some(relative) => file.ignores(Path::new(&**relative), is_directory),
                    None => file.ignores_name(&S::Unit::text(name), is_directory),
                };
                if let Some(is_left_out) = decides {
                    decided = Some((*source, is_left_out));
                    break;
                }
            }
            may_be_of_git &= !rules.is_work_tree;
            at = rules.above.as_deref();
        }
        decided.map(|(_, is_left_out)| is_left_out)
    }
}

impl Base {
    /// The base of rules that are relative to the directory `here`; both paths are absolute.
    pub(super) fn of(here: &Path, operand: &Path) -> Base {
        if let Ok(way) = operand.strip_prefix(here) {
            return Base::Above(way.to_owned());
        }
        here.strip_prefix(operand).map_or(Base::Apart, |way| Base::Inside(way.to_owned()))
    }

    /// The path of an entry relative to the directory; `None` if the entry is not below it.
    fn relative<'p, S: Sys>(&self, path: &'p TreePath<S::Unit>) -> Option<Cow<'p, OsStr>> {
        match self {
            Base::Below(length) => Some(S::Unit::text(path.below(*length))),
            Base::Above(way) => {
                let relative = way.join(&*S::Unit::text(path.relative()));
                Some(Cow::Owned(relative.into_os_string()))
            }
            Base::Inside(way) => {
                let text = S::Unit::text(path.relative());
                let relative = Path::new(&*text).strip_prefix(way).ok()?;
                let is_below = !relative.as_os_str().is_empty();
                is_below.then(|| Cow::Owned(relative.as_os_str().to_owned()))
            }
            Base::Apart => None,
        }
    }
}

/// Whether the rules, or the dot of its name, leave out the entry at `path`.
pub(super) fn leave_out<S: Sys>(
    path: &TreePath<S::Unit>,
    name: &[S::Unit],
    kind: Kind,
    rules: Option<&RuleStack>,
    settings: &Settings,
) -> bool {
    let is_directory = kind == Kind::Directory;
    let decided = rules.and_then(|rules| rules.decide::<S>(path, name, is_directory));
    decided.unwrap_or_else(|| settings.hides(name))
}

impl Size {
    /// Fails if more rules hold in one place than may.
    pub(super) fn check(self) -> io::Result<()> {
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
