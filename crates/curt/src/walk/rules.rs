//! Ignore rules in the directories themselves: `.gitignore` and `info/exclude` of git, `.ignore`
//! and custom files; and those that the user has elsewhere.
//!
//! The listing of a directory, which is stored before its first entry is yielded, shows whether it
//! holds any: where it holds none, nothing is asked. The rules of the directories above the
//! operand are read once, when the operand is entered: 2 calls for each directory, 3 within a work
//! tree of git, and the calls that read the files. Where rules cannot be read, no entry of the
//! directory is yielded: it might be one that they leave out.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::entries::StoredEntry;
use super::git_config::{GitConfig, Repository, to_path};
use super::options::Settings;
use crate::control::{MOST_RULES, Rulebook, Rules, too_many_rules};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Kind};
use crate::name::{Name, NameBuf, Names, Unit};
use crate::sys::{Ask, Sys, SystemUnit};
use crate::tree::TreePath;
use curt_paths::{DotDot, Env, Expander};

/// The most text of rules that may hold in one place, from one file or several.
pub(super) const MOST_BYTES: usize = 4 << 20;
/// The most directories whose rules may hold in one place.
const MOST_DIRECTORIES: usize = 1000;

/// The rules that hold in a directory: its own, and those of the directories above.
pub(super) struct RuleStack {
    above: Option<Arc<RuleStack>>,
    base: Base,
    /// Its rules, those that come first at the beginning.
    sources: [Option<Arc<dyn Rules>>; SOURCES],
    /// Rules of git match in any case.
    ignores_case: bool,
    /// A work tree of git begins here, so the git rules above do not count.
    is_work_tree: bool,
    is_in_work_tree: bool,
    size: Size,
}

/// Where rules come from: custom files, `.ignore`, `.gitignore`, `info/exclude`, the rules of the
/// user, and extra files.
const SOURCES: usize = 6;
/// The sources that are git's.
const OF_GIT: Range<usize> = 2..5;

/// How many rules hold in one place.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    directories: usize,
    rules: usize,
    bytes: usize,
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
enum Base {
    /// A directory of the walk, whose path has this length.
    Below(usize),
    /// A directory above the operand, or the operand; this is the path from there to the operand.
    Above(PathBuf),
    /// A directory below the operand, by this path, which the walk may enter or not.
    Inside(PathBuf),
    /// A directory that is neither above nor below the operand.
    Apart,
}

/// The files with rules that a directory may hold.
#[derive(Clone, Copy, Default)]
struct Found {
    custom: bool,
    own: bool,
    gitignore: bool,
    git: Option<Kind>,
}

impl RuleStack {
    /// Whether the entry at `path` is left out; `None` if no rule matches.
    fn decide<S: Sys>(
        &self,
        path: &TreePath<S::Unit>,
        name: &[S::Unit],
        is_directory: bool,
    ) -> Option<bool> {
        // Only sources before this one may still overrule, whichever directory they are in.
        let (mut sources, mut decided) = (SOURCES, None);
        let mut may_be_of_git = self.is_in_work_tree;
        let mut at = Some(self);
        while let Some(rules) = at.filter(|_| sources > 0) {
            let relative = rules.base.relative::<S>(path);
            for (source, file) in rules.sources.iter().enumerate().take(sources) {
                let counts = may_be_of_git || !OF_GIT.contains(&source);
                let file = file.as_deref().filter(|_| counts);
                let decides = file.and_then(|file| match &relative {
                    Some(relative) => file.decide(Path::new(&**relative), is_directory),
                    None => file.decide_name(&S::Unit::text(name), is_directory),
                });
                if decides.is_some() {
                    (sources, decided) = (source, decides);
                    break;
                }
            }
            may_be_of_git &= !rules.is_work_tree;
            at = rules.above.as_deref();
        }
        decided
    }
}

impl Base {
    /// The base of rules that are relative to the directory `here`; both paths are absolute.
    fn of(here: &Path, operand: &Path) -> Base {
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
    let Some(book) = &settings.rulebook else {
        return false;
    };
    let is_directory = kind == Kind::Directory;
    let decided = rules.and_then(|rules| rules.decide::<S>(path, name, is_directory));
    decided.unwrap_or_else(|| book.hides_dots() && name.first() == Some(&S::Unit::ascii(b'.')))
}

/// A directory all of whose entries are stored.
pub(super) struct ListedDirectory<'l, S: Sys> {
    pub(super) dir: &'l S::Dir,
    pub(super) entries: &'l [StoredEntry],
    pub(super) names: &'l Names<S::Unit>,
    pub(super) path: &'l Path,
    /// How long its path is in the walk.
    pub(super) path_len: usize,
}

/// Looks for files with rules in the stored listing of a directory, and reads them.
pub(super) fn of_directory<S: Sys>(
    listed: &ListedDirectory<'_, S>,
    above: Option<Arc<RuleStack>>,
    settings: &Settings,
    sys: &S,
) -> Result<Option<Arc<RuleStack>>, Error> {
    let ListedDirectory { dir, entries, names, path: directory, path_len } = *listed;
    if !settings.rulebook.as_ref().is_some_and(|book| book.reads_files()) {
        return Ok(above);
    }
    let mut found = Found::default();
    let custom = settings.rulebook.as_ref().map(|book| book.custom_names()).unwrap_or_default();
    let custom: Vec<_> = custom.iter().map(|name| S::Unit::units(Path::new(name))).collect();
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
        // With the separator of the system.
        let path: PathBuf = path.components().collect();
        let name = NameBuf::new(S::Unit::units(&path))?;
        sys.read_file(dir, name.as_name(), follow, MOST_BYTES)
    };
    let base = Base::Below(path_len);
    gather(settings, above, base, found, &RuleSource { sys, directory, read: &read })
}

/// Reads the rules of the directories above an operand, by its spelling.
pub(super) fn above_operand<S: Sys>(
    operand: &Path,
    settings: &Settings,
    sys: &S,
) -> Result<Option<Arc<RuleStack>>, Error> {
    if !settings.reads_rules() {
        return Ok(None);
    }
    let failed =
        |path: &Path, error| Error::new(Operation::Stat, path.to_owned(), Cause::Os(error));
    let whole = sys.address(operand).map_err(|error| failed(operand, error))?;
    let whole = without_dots(&whole);
    let mut rules = of_user(&whole, settings, sys)?;
    let reads_files = settings.rulebook.as_ref().is_some_and(|book| book.reads_files());
    let mut parents: Vec<&Path> =
        if reads_files { whole.ancestors().skip(1).collect() } else { Vec::new() };
    while let Some(parent) = parents.pop() {
        let way = whole.strip_prefix(parent).unwrap_or(&whole).to_owned();
        let git = parent.join(".git");
        let kind = sys.at_path(&git, |dir, name| kind_of_git(dir, name, sys)).and_then(|kind| kind);
        let git = kind.map_err(|error| failed(&git, error))?;
        let found = Found { custom: true, own: true, gitignore: true, git };
        let read = |path: &Path, follow: bool| read_at(sys, &parent.join(path), follow);
        let source = RuleSource { sys, directory: parent, read: &read };
        rules = gather(settings, rules, Base::Above(way), found, &source)?;
    }
    Ok(rules)
}

/// A directory whose files with rules are read.
struct RuleSource<'p, S: Sys> {
    sys: &'p S,
    directory: &'p Path,
    /// Reads a file below it, and follows a link if that is said.
    read: &'p dyn Fn(&Path, bool) -> io::Result<Vec<u8>>,
}

impl<S: Sys> RuleSource<'_, S> {
    /// The content of a file in it; `None` if there is no such file.
    fn text(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let read = present((self.read)(Path::new(name), false));
        read.map_err(|error| failed_to_read(self.directory.join(name), error))
    }

    /// Reads a file by its path; one below the directory from there.
    fn read_at(&self, path: &Path, follow: bool) -> io::Result<Vec<u8>> {
        let is_below = |below: &&Path| {
            below.components().all(|part| matches!(part, std::path::Component::Normal(_)))
        };
        match path.strip_prefix(self.directory).ok().filter(is_below) {
            Some(below) => (self.read)(below, follow),
            None => read_at(self.sys, path, follow),
        }
    }

    /// The directories of git, for a `.git` of this kind. A file names the directory of git, and in
    /// a linked work tree that directory names the one that all work trees share.
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

    /// The configuration of a repository, and the rules that it has for itself.
    fn git(&self, git: Kind, book: &dyn Rulebook) -> Result<(GitConfig, Option<OwnRules>), Error> {
        let repository = self.repository(git)?;
        let config =
            GitConfig::read(repository.as_ref(), book, self.sys, &|path| self.read_at(path, true))?;
        let Some(Repository { common, .. }) = repository else { return Ok((config, None)) };
        let path = common.join("info").join("exclude");
        match present(self.read_at(&path, true)) {
            Ok(text) => Ok((config, text.map(|text| (text, path)))),
            Err(error) => Err(failed_to_read(path, error)),
        }
    }

    /// Whether a part of `.git` that makes it a repository may not be reached: for git it is none.
    fn is_closed(&self) -> bool {
        [".git/HEAD", ".git/objects/x", ".git/refs/x"].iter().any(|path| {
            (self.read)(Path::new(path), true)
                .is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
        })
    }
}

/// The text of rules, and the file that they are in.
type OwnRules = (Vec<u8>, PathBuf);

/// The path in a file of git, relative to `from`.
fn named(target: &[u8], from: &Path, file: &Path) -> Result<PathBuf, Error> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let length = target.len() - target.iter().rev().take_while(|byte| is_end(byte)).count();
    let target = to_path(&target[..length]);
    target.map(|target| from.join(target)).map_err(|error| failed_to_read(file.to_owned(), error))
}

pub(super) fn failed_to_read(path: PathBuf, error: io::Error) -> Error {
    Error::new(Operation::ReadFile, path, Cause::Os(error))
}

/// The content that was read; `None` if there is no such file.
pub(super) fn present(read: io::Result<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    match read {
        Err(error) if is_absent(&error) => Ok(None),
        read => read.map(Some),
    }
}

/// Reads a file by its path. A link is followed where the user names the file, as git does, and not
/// in a tree, where others may have made it.
fn read_at<S: Sys>(sys: &S, path: &Path, is_of_user: bool) -> io::Result<Vec<u8>> {
    sys.at_path(path, |dir, name| sys.read_file(dir, name, is_of_user, MOST_BYTES))?
}

/// Puts the rules of a directory on top of those above it; returns those if it has none.
fn gather<S: Sys>(
    settings: &Settings,
    above: Option<Arc<RuleStack>>,
    base: Base,
    found: Found,
    source: &RuleSource<'_, S>,
) -> Result<Option<Arc<RuleStack>>, Error> {
    let Some(book) = settings.rulebook.as_ref() else { return Ok(above) };
    let mut found =
        if book.reads_git() { found } else { Found { gitignore: false, git: None, ..found } };
    let git = match found.git.map(|git| (git, source.git(git, &**book))) {
        Some((Kind::Directory, Err(_))) if source.is_closed() => {
            found.git = None;
            None
        }
        git => git.map(|(_, git)| git).transpose()?,
    };
    let (config, exclude) = git.map_or((None, None), |(config, own)| (Some(config), own));
    let is_in_work_tree = found.git.is_some()
        || above.as_ref().is_some_and(|above| above.is_in_work_tree)
        || !book.requires_git();
    let mut size = above.as_ref().map(|above| above.size).unwrap_or_default();
    let mut rules = |text: &[u8], ignores_case: bool| -> io::Result<Arc<dyn Rules>> {
        let rules = book.read(text, ignores_case)?;
        size.rules += rules.count();
        size.bytes += text.len();
        size.check().map(|()| Arc::from(rules))
    };
    let read = |path: &Path| source.read_at(path, true);
    let inherited = above.as_ref().is_some_and(|above| above.ignores_case);
    let ignores_case = config.as_ref().map_or(inherited, |config| config.ignores_case);
    let mut file = |names: &[String], ignores_case| {
        read_rules(names, source, &mut |text: &[u8]| rules(text, ignores_case))
    };
    let custom = if found.custom { file(book.custom_names(), false)? } else { None };
    let own = if found.own { file(&[".ignore".to_owned()], false)? } else { None };
    let of_git = found.gitignore && is_in_work_tree;
    let gitignore = if of_git { file(&[".gitignore".to_owned()], ignores_case)? } else { None };
    let mut more = |text: Option<Vec<u8>>, path: PathBuf| {
        let rules = text.map(|text| rules(&text, ignores_case)).transpose();
        rules.map_err(|error| failed_to_read(path, error))
    };
    let exclude = match exclude {
        Some((text, path)) => more(Some(text), path)?,
        None => None,
    };
    let of_user = match config.filter(|_| book.reads_global()) {
        Some(config) => match config.user_rules(source.directory, &read)? {
            Some((text, path)) => more(Some(text), path)?,
            None => None,
        },
        None => None,
    };
    if custom.is_none() && own.is_none() && gitignore.is_none() && found.git.is_none() {
        return Ok(above);
    }
    size.directories += 1;
    size.check().map_err(|error| failed_to_read(source.directory.to_owned(), error))?;
    // Rules that need no work tree do not end at one.
    let is_work_tree = found.git.is_some() && book.requires_git();
    let sources = [custom, own, gitignore, exclude, of_user, None];
    let rules =
        RuleStack { above, base, sources, ignores_case, is_work_tree, is_in_work_tree, size };
    Ok(Some(Arc::new(rules)))
}

/// Reads those files of a directory that exist, as if they were one.
fn read_rules<S: Sys>(
    names: &[String],
    source: &RuleSource<'_, S>,
    rules: &mut impl FnMut(&[u8]) -> io::Result<Arc<dyn Rules>>,
) -> Result<Option<Arc<dyn Rules>>, Error> {
    let mut all: Option<Vec<u8>> = None;
    let mut last = None;
    for name in names {
        if let Some(text) = source.text(name)? {
            append(all.get_or_insert_with(Vec::new), &text);
            last = Some(name);
        }
    }
    let (Some(text), Some(last)) = (all, last) else { return Ok(None) };
    let failed = |error| failed_to_read(source.directory.join(last), error);
    rules(&text).map(Some).map_err(failed)
}

/// Appends the lines of a file to those of others.
fn append(all: &mut Vec<u8>, text: &[u8]) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    all.extend_from_slice(text.strip_prefix(MARK).unwrap_or(text));
    all.push(b'\n');
}

/// Reads the extra files, and the rules that the user has for all work trees of git.
fn of_user<S: Sys>(
    whole: &Path,
    settings: &Settings,
    sys: &S,
) -> Result<Option<Arc<RuleStack>>, Error> {
    let Some(book) = settings.rulebook.as_ref() else { return Ok(None) };
    let mut size = Size::default();
    let mut rules = |text: &[u8], path: &Path, ignores_case| -> Result<Arc<dyn Rules>, Error> {
        let failed = |error| failed_to_read(path.to_owned(), error);
        let rules = book.read(text, ignores_case).map_err(failed)?;
        size.rules += rules.count();
        size.bytes += text.len();
        size.check().map(|()| Arc::from(rules)).map_err(failed)
    };
    let mut extra = None;
    for path in book.extra_files() {
        let text = read_at(sys, path, true).map_err(|error| failed_to_read(path.clone(), error))?;
        append(extra.get_or_insert_with(Vec::new), &text);
    }
    let last = book.extra_files().last().map(PathBuf::as_path);
    let extra = match extra.zip(last) {
        Some((text, path)) => Some(rules(&text, path, false)?),
        None => None,
    };
    // Where rules of git need no work tree, they need no repository either.
    let is_in_work_tree = !book.requires_git() && book.reads_files() && book.reads_git();
    if extra.is_none() && !is_in_work_tree {
        return Ok(None);
    }
    let here = sys.absolute(Path::new("."));
    let here = here.map_err(|error| failed_to_read(PathBuf::from("."), error))?;
    let (mut of_user, mut ignores_case) = (None, false);
    if is_in_work_tree {
        let read = |path: &Path| read_at(sys, path, true);
        let config = GitConfig::read(None, &**book, sys, &read)?;
        ignores_case = config.ignores_case;
        let user = if book.reads_global() { config.user_rules(&here, &read)? } else { None };
        of_user = user.map(|(text, path)| rules(&text, &path, ignores_case)).transpose()?;
    }
    if extra.is_none() && of_user.is_none() && !ignores_case {
        return Ok(None);
    }
    let sources = [None, None, None, None, of_user, extra];
    let base = Base::of(&without_dots(&here), whole);
    let is_work_tree = false;
    let rules =
        RuleStack { above: None, base, sources, ignores_case, is_work_tree, is_in_work_tree, size };
    Ok(Some(Arc::new(rules)))
}

impl Size {
    /// Fails if more rules hold in one place than may.
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

/// The kind of `.git` in a directory, or of what a link there leads to; `None` if there is none. As
/// for git, a link that cannot be followed is none.
fn kind_of_git<S: Sys>(dir: &S::Dir, name: Name<'_, S::Unit>, sys: &S) -> io::Result<Option<Kind>> {
    let kind = |follow| Ok(sys.query(dir, name, Ask { fields: Fields::KIND, follow })?.kind);
    match kind(false) {
        Ok(Kind::Symlink) => Ok(kind(true).ok()),
        Err(error) if is_absent(&error) => Ok(None),
        kind => kind.map(Some),
    }
}

fn is<U: Unit>(name: &[U], text: &str) -> bool {
    name.len() == text.len() && text.bytes().zip(name).all(|(byte, unit)| *unit == U::ascii(byte))
}

/// An absolute path without `.` and `..`, by its text.
fn without_dots(path: &Path) -> PathBuf {
    let expander = Expander::new(Env::none()).dot_dot(DotDot::Clamp);
    expander.expand_path(path).map_or_else(|_| path.to_owned(), Cow::into_owned)
}
