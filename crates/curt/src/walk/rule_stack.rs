//! Decides which entries of a directory the ignore rules skip.
//!
//! Each directory and its ancestors can have rules from several sources. If the nearest matching
//! rule decided, a `.gitignore` would overrule an `.ignore` in a parent. So the earliest `Source`
//! with a matching rule in any directory decides. Within that source, the nearest directory with a
//! matching rule decides.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::options::Settings;
use super::rule_text::MAX_BYTES;
use crate::fields::Kind;
use crate::filters::{IgnoreFile, MAX_RULES, too_many_rules};
use crate::sys::{Sys, SystemUnit};
use crate::tree::TreePath;

const MAX_DIRECTORIES: usize = 1000;

/// The rules of one directory, linked to those of its ancestors.
pub(super) struct RuleStack {
    pub(super) above: Option<Arc<RuleStack>>,
    pub(super) base: Base,
    pub(super) files: Vec<(Source, IgnoreFile)>,
    pub(super) ignores_case: bool,
    /// Whether the git rules of ancestors end here, at the root of a work tree.
    pub(super) is_work_tree: bool,
    pub(super) is_in_work_tree: bool,
    pub(super) size: Size,
}

/// Where a rule comes from. Earlier sources take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Custom,
    Ignore,
    GitIgnore,
    Exclude,
    User,
    Extra,
}

impl Source {
    fn is_of_git(self) -> bool {
        matches!(self, Source::GitIgnore | Source::Exclude | Source::User)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) directories: usize,
    pub(super) rules: usize,
    pub(super) bytes: usize,
}

/// Drops ancestors iteratively. In a deep tree the chain is too long for recursion.
impl Drop for RuleStack {
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(mut rules) = above.and_then(Arc::into_inner) {
            above = rules.above.take();
        }
    }
}

/// The directory to which paths in rules are relative.
pub(super) enum Base {
    /// A directory of the walk, whose path has this length.
    Below(usize),
    /// The operand or one of its ancestors, with the path from there to the operand.
    Above(PathBuf),
    /// A directory inside the operand, at this path. The walk might not enter it.
    Inside(PathBuf),
    Apart,
}

impl RuleStack {
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
    /// Locates the absolute path `here` relative to the absolute path of the operand.
    pub(super) fn of(here: &Path, operand: &Path) -> Base {
        if let Ok(way) = operand.strip_prefix(here) {
            return Base::Above(way.to_owned());
        }
        here.strip_prefix(operand).map_or(Base::Apart, |way| Base::Inside(way.to_owned()))
    }

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
    pub(super) fn check(self) -> io::Result<()> {
        if self.directories > MAX_DIRECTORIES {
            return Err(too_many_rules(MAX_DIRECTORIES, "directories with ignore rules"));
        }
        if self.rules > MAX_RULES {
            return Err(too_many_rules(MAX_RULES, "ignore rules"));
        }
        if self.bytes > MAX_BYTES {
            return Err(too_many_rules(MAX_BYTES, "bytes of ignore rules"));
        }
        Ok(())
    }
}
