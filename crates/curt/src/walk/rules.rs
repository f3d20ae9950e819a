//! Finds and reads ignore rules: `.gitignore` and `info/exclude` of git, `.ignore`, custom files,
//! and the user's files elsewhere (ADR 18).
//!
//! A directory is listed before its first entry is yielded. The listing shows whether there are
//! rule files, so a directory without rule files costs no call. The rules of the operand's
//! ancestors are read once. If rules cannot be read, no entry of the directory is yielded.
//! Otherwise a program that deletes all yielded entries would also delete entries that the rules
//! protect.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entries::StoredEntry;
use super::git_config::{GitConfig, Repository, to_path};
use super::options::Settings;
use super::rule_stack::{Base, RuleStack, Size, Source};
use super::rule_text::{
    MAX_BYTES, Text, append, failed_to_read, is_no_file, present, read_at, text,
};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Kind};
use crate::filters::{IgnoreFile, IgnoreRules};
use crate::name::{Name, NameBuf, Names, Unit};
use crate::sys::{Request, Sys, SystemUnit};
use curt_paths::{DotDot, Env, Expander};

#[derive(Clone, Copy, Default)]
struct Found {
    custom: bool,
    own: bool,
    gitignore: bool,
    git: Option<Kind>,
}

pub(super) struct ListedDirectory<'l, S: Sys> {
    pub(super) dir: &'l S::Dir,
    pub(super) entries: &'l [StoredEntry],
    pub(super) names: &'l Names<S::Unit>,
    pub(super) path: &'l Path,
    pub(super) path_len: usize,
}

pub(super) fn of_directory<S: Sys>(
    listed: &ListedDirectory<'_, S>,
    above: Option<Arc<RuleStack>>,
    settings: &Settings,
    sys: &S,
) -> Result<Option<Arc<RuleStack>>, Error> {
    let ListedDirectory { dir, entries, names, path: directory, path_len } = *listed;
    let Some(ignore) = settings.ignore.as_deref().filter(|ignore| ignore.files) else {
        return Ok(above);
    };
    let mut found = Found::default();
    let units = |name: &String| S::Unit::units(Path::new(name));
    let custom: Vec<_> = ignore.custom_names.iter().map(units).collect();
    for entry in entries {
        let Some(name) = names.get(entry.name).map(Name::units) else { continue };
        let is_directory = entry.kind == Kind::Directory;
        found.custom |= !is_directory && custom.iter().any(|custom| custom == name);
        found.own |= !is_directory && is::<S::Unit>(name, ".ignore");
        found.gitignore |= !is_directory && is::<S::Unit>(name, ".gitignore");
        if is::<S::Unit>(name, ".git") {
            found.git = Some(entry.kind);
        }
    }
    if matches!(found.git, Some(Kind::Unknown | Kind::Symlink)) {
        let name = NameBuf::new(S::Unit::units(Path::new(".git")));
        let kind = name.and_then(|git| kind_of_git(dir, git.as_name(), sys));
        found.git = kind.map_err(|error| {
            Error::new(Operation::Stat, directory.join(".git"), Cause::Os(error))
        })?;
    }
    let read = |path: &Path, follow: bool| {
        let path: PathBuf = path.components().collect();
        let name = NameBuf::new(S::Unit::units(&path))?;
        sys.read_file(dir, name.as_name(), follow, MAX_BYTES)
    };
    let base = Base::Below(path_len);
    RuleSource { sys, directory, read: &read }.rules(ignore, above, base, found)
}

/// Reads the rules of the operand's ancestors. The ancestors are those in the path as given.
pub(super) fn above_operand<S: Sys>(
    operand: &Path,
    settings: &Settings,
    sys: &S,
) -> Result<Option<Arc<RuleStack>>, Error> {
    let Some(ignore) = settings.ignore.as_deref().filter(|ignore| ignore.reads_rules()) else {
        return Ok(None);
    };
    let failed =
        |path: &Path, error| Error::new(Operation::Stat, path.to_owned(), Cause::Os(error));
    let whole = sys.absolute(operand, true).map_err(|error| failed(operand, error))?;
    let whole = without_dots(&whole);
    let mut rules = of_user(&whole, ignore, sys)?;
    let mut parents: Vec<&Path> =
        if ignore.files { whole.ancestors().skip(1).collect() } else { Vec::new() };
    while let Some(parent) = parents.pop() {
        let way = whole.strip_prefix(parent).unwrap_or(&whole).to_owned();
        let git = parent.join(".git");
        let located = sys.locate(&git);
        let kind = located.and_then(|(dir, name)| kind_of_git(&dir, name.as_name(), sys));
        let git = kind.map_err(|error| failed(&git, error))?;
        let found = Found { custom: true, own: true, gitignore: true, git };
        let read = |path: &Path, follow: bool| read_at(sys, &parent.join(path), follow);
        let source = RuleSource { sys, directory: parent, read: &read };
        rules = source.rules(ignore, rules, Base::Above(way), found)?;
    }
    Ok(rules)
}

struct RuleSource<'p, S: Sys> {
    sys: &'p S,
    directory: &'p Path,
    /// The second argument is whether to follow a symlink.
    read: &'p dyn Fn(&Path, bool) -> io::Result<Vec<u8>>,
}

impl<S: Sys> RuleSource<'_, S> {
    /// Returns the rules of the directory or, if it has none, those of its ancestors.
    fn rules(
        &self,
        ignore: &IgnoreRules,
        above: Option<Arc<RuleStack>>,
        base: Base,
        mut found: Found,
    ) -> Result<Option<Arc<RuleStack>>, Error> {
        if !ignore.git {
            found = Found { gitignore: false, git: None, ..found };
        }
        let git = match found.git.map(|git| (git, self.git(git))) {
            Some((Kind::Directory, Err(_))) if self.is_closed() => {
                found.git = None;
                None
            }
            git => git.map(|(_, git)| git).transpose()?,
        };
        let (config, exclude) = git.map_or((None, None), |(config, text)| (Some(config), text));
        let is_in_work_tree = found.git.is_some()
            || above.as_ref().is_some_and(|above| above.is_in_work_tree)
            || !ignore.require_git;
        let inherited = above.as_ref().is_some_and(|above| above.ignores_case);
        let ignores_case = config.as_ref().map_or(inherited, |config| config.ignores_case);
        let size = above.as_ref().map(|above| above.size).unwrap_or_default();
        let mut gathered = Gathered { files: Vec::new(), size };
        if found.custom {
            gathered.add(Source::Custom, self.text(&ignore.custom_names)?, false)?;
        }
        if found.own {
            gathered.add(Source::Ignore, self.text(&[".ignore".to_owned()])?, false)?;
        }
        if found.gitignore && is_in_work_tree {
            let text = self.text(&[".gitignore".to_owned()])?;
            gathered.add(Source::GitIgnore, text, ignores_case)?;
        }
        gathered.add(Source::Exclude, exclude, ignores_case)?;
        if let Some(config) = config.filter(|_| ignore.reads_global()) {
            let read = |path: &Path| self.read_at(path, true);
            let text = config.user_rules(self.directory, &read)?;
            gathered.add(Source::User, text, ignores_case)?;
        }
        if gathered.files.is_empty() && found.git.is_none() {
            return Ok(above);
        }
        let Gathered { files, mut size } = gathered;
        size.directories += 1;
        size.check().map_err(|error| failed_to_read(self.directory.to_owned(), error))?;
        // If git rules apply even outside work trees, those of ancestors also apply inside one.
        let is_work_tree = found.git.is_some() && ignore.require_git;
        let rules =
            RuleStack { above, base, files, ignores_case, is_work_tree, is_in_work_tree, size };
        Ok(Some(Arc::new(rules)))
    }

    fn text(&self, names: &[String]) -> Result<Option<Text>, Error> {
        let mut all: Option<Text> = None;
        for name in names {
            let path = self.directory.join(name);
            match present((self.read)(Path::new(name), false)) {
                Ok(Some(text)) => append(&mut all, &text, path),
                Ok(None) => {}
                Err(error) => return Err(failed_to_read(path, error)),
            }
        }
        Ok(all)
    }

    /// Reads a file. If the path is inside the directory, resolves it from there.
    fn read_at(&self, path: &Path, follow: bool) -> io::Result<Vec<u8>> {
        // A path with a trailing slash cannot name a file.
        let is_below = |below: &&Path| {
            below.components().all(|part| matches!(part, std::path::Component::Normal(_)))
                && self.directory.join(below).as_os_str() == path.as_os_str()
        };
        match path.strip_prefix(self.directory).ok().filter(is_below) {
            Some(below) => (self.read)(below, follow),
            None => read_at(self.sys, path, follow),
        }
    }

    /// Finds the repository of the directory. A `.git` file names the git directory. In a linked
    /// work tree, that git directory names the one that all work trees share.
    fn repository(&self, git: Kind) -> Result<Option<Repository>, Error> {
        let mut own = self.directory.join(".git");
        if git == Kind::File {
            let link = present((self.read)(Path::new(".git"), true));
            let link = link.map_err(|error| failed_to_read(own.clone(), error))?;
            let Some(link) = link else { return Ok(None) };
            let Some(target) = link.strip_prefix(b"gitdir: ") else { return Ok(None) };
            own = named(target, self.directory, &own)?;
        }
        let shared = own.join("commondir");
        let common = present(self.read_at(&shared, true));
        let common = match common.map_err(|error| failed_to_read(shared.clone(), error))? {
            Some(target) => named(&target, &own, &shared)?,
            None => own.clone(),
        };
        Ok(Some(Repository { own, common }))
    }

    fn git(&self, git: Kind) -> Result<(GitConfig, Option<Text>), Error> {
        let repository = self.repository(git)?;
        let config =
            GitConfig::read(repository.as_ref(), self.sys, &|path| self.read_at(path, true))?;
        let Some(Repository { common, .. }) = repository else { return Ok((config, None)) };
        let path = common.join("info").join("exclude");
        Ok((config, text(self.read_at(&path, true), path)?))
    }

    /// Returns whether a part of `.git` that defines a repository is inaccessible. Git ignores such
    /// a repository.
    fn is_closed(&self) -> bool {
        [".git/HEAD", ".git/objects/x", ".git/refs/x"].iter().any(|path| {
            (self.read)(Path::new(path), true)
                .is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
        })
    }
}

struct Gathered {
    files: Vec<(Source, IgnoreFile)>,
    size: Size,
}

impl Gathered {
    fn add(&mut self, source: Source, text: Option<Text>, ignores_case: bool) -> Result<(), Error> {
        let Some((text, path)) = text else { return Ok(()) };
        let read = IgnoreFile::parse(&text, ignores_case).and_then(|file| {
            self.size.rules += file.count();
            self.size.bytes += text.len();
            self.size.check().map(|()| file)
        });
        self.files.push((source, read.map_err(|error| failed_to_read(path, error))?));
        Ok(())
    }
}

fn named(target: &[u8], from: &Path, file: &Path) -> Result<PathBuf, Error> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let length = target.len() - target.iter().rev().take_while(|byte| is_end(byte)).count();
    let target = to_path(&target[..length]);
    target.map(|target| from.join(target)).map_err(|error| failed_to_read(file.to_owned(), error))
}

/// Reads the extra files and, if git rules apply outside work trees, the user's git rules.
fn of_user<S: Sys>(
    whole: &Path,
    ignore: &IgnoreRules,
    sys: &S,
) -> Result<Option<Arc<RuleStack>>, Error> {
    let mut extra = None;
    for path in &ignore.extra_files {
        let text = read_at(sys, path, true).map_err(|error| failed_to_read(path.clone(), error))?;
        append(&mut extra, &text, path.clone());
    }
    let is_in_work_tree = !ignore.require_git && ignore.files && ignore.git;
    if extra.is_none() && !is_in_work_tree {
        return Ok(None);
    }
    let here = sys.absolute(Path::new("."), false);
    let here = here.map_err(|error| failed_to_read(PathBuf::from("."), error))?;
    let mut gathered = Gathered { files: Vec::new(), size: Size::default() };
    let mut ignores_case = false;
    if is_in_work_tree {
        let read = |path: &Path| read_at(sys, path, true);
        let config = GitConfig::read(None, sys, &read)?;
        ignores_case = config.ignores_case;
        if ignore.reads_global() {
            gathered.add(Source::User, config.user_rules(&here, &read)?, ignores_case)?;
        }
    }
    gathered.add(Source::Extra, extra, false)?;
    let Gathered { files, size } = gathered;
    if files.is_empty() && !ignores_case {
        return Ok(None);
    }
    let base = Base::of(&without_dots(&here), whole);
    let is_work_tree = false;
    let rules =
        RuleStack { above: None, base, files, ignores_case, is_work_tree, is_in_work_tree, size };
    Ok(Some(Arc::new(rules)))
}

/// Returns the kind of `.git`, following a symlink. As in git, a symlink that cannot be followed
/// counts as missing.
fn kind_of_git<S: Sys>(dir: &S::Dir, name: Name<'_, S::Unit>, sys: &S) -> io::Result<Option<Kind>> {
    let kind = |follow| Ok(sys.query(dir, name, Request { fields: Fields::KIND, follow })?.kind);
    match kind(false) {
        Ok(Kind::Symlink) => Ok(kind(true).ok()),
        Err(error) if is_no_file(&error) => Ok(None),
        kind => kind.map(Some),
    }
}

fn is<U: Unit>(name: &[U], text: &str) -> bool {
    name.len() == text.len() && text.bytes().zip(name).all(|(byte, unit)| *unit == U::ascii(byte))
}

fn without_dots(path: &Path) -> PathBuf {
    let expander = Expander::new(Env::none()).dot_dot(DotDot::Clamp);
    expander.expand_path(path).map_or_else(|_| path.to_owned(), Cow::into_owned)
}
