//! Reads the settings of git that affect ignore rules: from all configuration files, the files they
//! include, and the environment, in git's order. The last value counts.
//!
//! The configuration of a repository comes with its tree, and can include any file. So reading is
//! bounded, and limited to regular files.

use std::io;
use std::path::{Path, PathBuf};

use super::rule_text::{MAX_BYTES, Text, failed_to_read, is_missing, present, text};
use crate::error::Error;
use crate::filters::git_matches;
use crate::filters::git_settings::{
    Parser, canonical_name, integer, invalid, is_true, parameter, trimmed,
};
use crate::sys::canonical::{Links, Missing};
use crate::sys::{Sys, host};
use curt_paths::PathText;

/// As in git.
const MAX_LEVELS: usize = 10;
const MAX_FILES: usize = 100;

#[derive(Debug, Default)]
pub(super) struct GitConfig {
    /// `core.excludesFile`, possibly relative to the work tree. An empty path means no file.
    excludes_file: Option<PathBuf>,
    pub(super) ignores_case: bool,
    has_worktree_file: bool,
}

/// A repository's own git directory, and the git directory that its work trees share.
#[derive(Debug)]
pub(super) struct Repository {
    pub(super) own: PathBuf,
    pub(super) common: PathBuf,
}

pub(super) type Read<'r> = &'r dyn Fn(&Path) -> io::Result<Vec<u8>>;

impl GitConfig {
    /// Reads the configuration. Without a repository, reads only the system's and the user's files,
    /// and the environment.
    pub(super) fn read<S: Sys>(
        repository: Option<&Repository>,
        sys: &S,
        read: Read<'_>,
    ) -> Result<GitConfig, Error> {
        let mut reader = ConfigReader {
            repository,
            sys,
            read,
            wanted: Wanted::Values,
            config: GitConfig::default(),
            urls: None,
            files: 0,
            bytes: 0,
        };
        reader.all()?;
        Ok(reader.config)
    }

    /// Reads the user's ignore file. Its path may be relative to the work tree.
    pub(super) fn user_rules(
        &self,
        work_tree: &Path,
        read: Read<'_>,
    ) -> Result<Option<Text>, Error> {
        let path = self.excludes_file.clone().or_else(|| of_user("ignore"));
        let Some(path) = path.filter(|path| !is_none(path)) else { return Ok(None) };
        let path = work_tree.join(path);
        match read(&path) {
            Err(error) if is_denied(&error) => Ok(None),
            read => text(read, path),
        }
    }
}

fn of_user(name: &str) -> Option<PathBuf> {
    let own = std::env::var_os("XDG_CONFIG_HOME").filter(|own| !own.is_empty()).map(PathBuf::from);
    Some(own.or_else(|| Some(home()?.join(".config")))?.join("git").join(name))
}

fn home() -> Option<PathBuf> {
    // Git replaces only the `~` of `~/`, so with an empty home the path starts at the root
    // directory.
    host::home().map(|home| if home.is_empty() { "/".into() } else { home.into() })
}

struct ConfigReader<'r, S> {
    repository: Option<&'r Repository>,
    sys: &'r S,
    read: Read<'r>,
    wanted: Wanted,
    config: GitConfig,
    urls: Option<Vec<Vec<u8>>>,
    files: usize,
    bytes: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Values,
    /// The URLs of remotes. Also reads files whose inclusion depends on a URL.
    Urls,
    /// Like `Urls`, but inside a conditionally included file, which must not set a URL.
    NoUrls,
}

impl<S: Sys> ConfigReader<'_, S> {
    fn all(&mut self) -> Result<(), Error> {
        let set = |name| std::env::var_os(name).map(PathBuf::from);
        let no_system = "GIT_CONFIG_NOSYSTEM";
        let is_off = match std::env::var_os(no_system) {
            Some(value) => is_true(Some(value.as_encoded_bytes())),
            None => Ok(false),
        };
        if !is_off.map_err(|error| failed_to_read(no_system.into(), error))? {
            self.file(&set("GIT_CONFIG_SYSTEM").unwrap_or_else(of_system), false, 0)?;
        }
        match set("GIT_CONFIG_GLOBAL") {
            Some(only) => self.file(&only, true, 0)?,
            None => {
                for path in [of_user("config"), home().map(|home| home.join(".gitconfig"))] {
                    path.map_or(Ok(()), |path| self.file(&path, true, 0))?;
                }
            }
        }
        if let Some(Repository { own, common }) = self.repository {
            self.file(&common.join("config"), false, 0)?;
            if self.config.has_worktree_file {
                self.file(&own.join("config.worktree"), false, 0)?;
            }
        }
        self.variables()
    }

    fn file(&mut self, path: &Path, may_be_denied: bool, level: usize) -> Result<(), Error> {
        let failed = |error| failed_to_read(path.to_owned(), error);
        if is_none(path) {
            return Ok(());
        }
        let text = match (self.read)(path) {
            Err(error) if may_be_denied && is_denied(&error) => return Ok(()),
            Err(error) if is_missing(&error) => return Ok(()),
            read => read.map_err(failed)?,
        };
        self.files += 1;
        self.bytes += text.len();
        if level > MAX_LEVELS || self.files > MAX_FILES || self.bytes > MAX_BYTES {
            return Err(failed(invalid("the configuration includes too many files")));
        }
        let mut parser = Parser::new(&text);
        while let Some((name, value)) = parser.next().map_err(failed)? {
            self.set(&name, value.as_deref(), Some(path), level)?;
        }
        Ok(())
    }

    fn set(
        &mut self,
        name: &[u8],
        value: Option<&[u8]>,
        file: Option<&Path>,
        level: usize,
    ) -> Result<(), Error> {
        let failed = |error| failed_to_read(file.unwrap_or(Path::new(COUNT)).to_owned(), error);
        let path = || value.ok_or_else(|| invalid("a path is missing")).and_then(expanded);
        let wants_values = self.wanted == Wanted::Values;
        match name {
            b"core.excludesfile" if wants_values => {
                self.config.excludes_file = Some(path().map_err(failed)?);
            }
            b"core.ignorecase" if wants_values => {
                self.config.ignores_case = is_true(value).map_err(failed)?;
            }
            b"extensions.worktreeconfig" if level == 0 => {
                let is_own = |repository: &Repository| {
                    file == Some(repository.common.join("config").as_path())
                };
                if self.repository.is_some_and(is_own) {
                    self.config.has_worktree_file = is_true(value).map_err(failed)?;
                }
            }
            _ => {
                let between =
                    |begin: &[u8], end: &[u8]| name.strip_prefix(begin)?.strip_suffix(end);
                if !wants_values && between(b"remote.", b".url").is_some() {
                    let url = value.filter(|_| self.wanted == Wanted::Urls).map(<[u8]>::to_vec);
                    let reason = "a remote has no URL, or a file that a condition includes sets it";
                    let url = url.ok_or_else(|| failed(invalid(reason)))?;
                    self.urls.get_or_insert_default().push(url);
                }
                let needs_urls =
                    between(b"includeif.", b"").is_some_and(|it| it.starts_with(HAS_URL));
                if needs_urls && self.urls.is_none() {
                    let mut reader = ConfigReader {
                        wanted: Wanted::Urls,
                        config: GitConfig::default(),
                        urls: Some(Vec::new()),
                        files: 0,
                        bytes: 0,
                        ..*self
                    };
                    reader.all()?;
                    self.urls = reader.urls;
                }
                let condition = between(b"includeif.", b".path");
                let holds = match condition {
                    Some(condition) => self.holds(condition, file).map_err(failed)?,
                    None => name == b"include.path",
                };
                if holds {
                    let path = path().map_err(failed)?;
                    let path = match file.and_then(Path::parent) {
                        Some(parent) => parent.join(path),
                        None if path.is_absolute() => path,
                        None => return Err(failed(invalid("a relative path is included"))),
                    };
                    let before = self.wanted;
                    if condition.is_some() && before == Wanted::Urls {
                        self.wanted = Wanted::NoUrls;
                    }
                    self.file(&path, false, level + 1)?;
                    self.wanted = before;
                }
            }
        }
        Ok(())
    }

    fn holds(&self, condition: &[u8], file: Option<&Path>) -> io::Result<bool> {
        if let Some(pattern) = condition.strip_prefix(b"gitdir:") {
            return self.is_at(pattern, false, file);
        }
        if let Some(pattern) = condition.strip_prefix(b"gitdir/i:") {
            return self.is_at(pattern, true, file);
        }
        if let Some(pattern) = condition.strip_prefix(b"onbranch:") {
            let Some(repository) = self.repository else { return Ok(false) };
            let head = present((self.read)(&repository.own.join("HEAD")))?.unwrap_or_default();
            let branch = head.strip_prefix(b"ref:").map(trimmed);
            let branch = branch.and_then(|branch| branch.strip_prefix(b"refs/heads/"));
            if branch == Some(b".invalid") {
                return Err(invalid("the branch of a repository with reftables is not known"));
            }
            let pattern = with_stars(pattern.to_vec());
            return Ok(branch.is_some_and(|branch| git_matches(&pattern, branch, false)));
        }
        if let Some(pattern) = condition.strip_prefix(HAS_URL) {
            let mut urls = self.urls.iter().flatten();
            let matches = urls.any(|url| git_matches(pattern, url, false));
            return Ok(matches || self.wanted != Wanted::Values);
        }
        Ok(false)
    }

    /// Returns whether a pattern matches the git directory's path, either resolved or as given.
    fn is_at(&self, pattern: &[u8], ignores_case: bool, file: Option<&Path>) -> io::Result<bool> {
        let Some(repository) = self.repository else { return Ok(false) };
        let end = pattern.iter().position(|&byte| byte == b'/').unwrap_or(pattern.len());
        let home = Some(&pattern[..end]).filter(|begin| begin.starts_with(b"~"));
        let mut literal = 0;
        let pattern = if let Some(rest) = pattern.strip_prefix(b"./") {
            let Some(file) = file else { return Ok(false) };
            let mut whole = slashed(self.real(file).parent().unwrap_or(Path::new("/")));
            whole.push(b'/');
            literal = whole.len();
            whole.extend(rest);
            whole
        } else if let Some(home) = home.and_then(|home| expanded(home).ok()) {
            [&*slashed(&self.real(&home)), &pattern[end..]].concat()
        } else if let Some(rest) = pattern.strip_prefix(PREFIX) {
            [b"/usr/", rest].concat()
        } else if to_path(pattern)?.has_root() {
            pattern.to_vec()
        } else {
            [&b"**/"[..], pattern].concat()
        };
        let pattern = with_stars(pattern);
        let spelled = self.sys.absolute(&repository.own, false)?;
        Ok([self.real(&repository.own), spelled].iter().any(|path| {
            let path = slashed(path);
            let Some((begin, rest)) = path.split_at_checked(literal) else { return false };
            let (beginning, pattern) = pattern.split_at(literal);
            let begins =
                begin == beginning || ignores_case && begin.eq_ignore_ascii_case(beginning);
            begins && git_matches(pattern, rest, ignores_case)
        }))
    }

    fn real(&self, path: &Path) -> PathBuf {
        let found = self.sys.canonical_name(path, Missing::Anything, Links::FollowLast);
        found.unwrap_or_else(|_| path.to_owned())
    }

    /// Reads the settings in the environment, including those of `git -c`.
    fn variables(&mut self) -> Result<(), Error> {
        let set = |name: &str| std::env::var_os(name).unwrap_or_default().into_encoded_bytes();
        let missing = |name: &str| failed_to_read(name.into(), invalid("not as git sets it"));
        let count = set(COUNT);
        let number = if count.is_empty() { Some((0, &b""[..])) } else { integer(&count, Some(10)) };
        let is_count = |&(number, rest): &(i64, &[u8])| number >= 0 && rest.is_empty();
        let (number, _) = number.filter(is_count).ok_or_else(|| missing(COUNT))?;
        for index in 0..number {
            let key = format!("GIT_CONFIG_KEY_{index}");
            let name = canonical_name(&set(&key)).ok_or_else(|| missing(&key))?;
            let value = format!("GIT_CONFIG_VALUE_{index}");
            let value = std::env::var_os(&value).ok_or_else(|| missing(&value))?;
            self.set(&name, Some(value.as_encoded_bytes()), None, 0)?;
        }
        let text = set(PARAMETERS);
        let mut rest = &*text;
        while !rest.is_empty() {
            let ((name, value), after) = parameter(rest).ok_or_else(|| missing(PARAMETERS))?;
            self.set(&name, value.as_deref(), None, 0)?;
            rest = trimmed(after);
        }
        Ok(())
    }
}

const HAS_URL: &[u8] = b"hasconfig:remote.*.url:";
const COUNT: &str = "GIT_CONFIG_COUNT";
const PARAMETERS: &str = "GIT_CONFIG_PARAMETERS";
/// Git's installation prefix, which is `/usr/` in most packages.
const PREFIX: &[u8] = b"%(prefix)/";

fn of_system() -> PathBuf {
    let programs = std::env::var_os("ProgramFiles");
    programs.map_or("/etc/gitconfig".into(), |it| Path::new(&it).join("Git/etc/gitconfig"))
}

fn expanded(value: &[u8]) -> io::Result<PathBuf> {
    if let Some(rest) = value.strip_prefix(PREFIX) {
        return Ok(Path::new("/usr").join(to_path(rest)?));
    }
    let Some(rest) = value.strip_prefix(b"~") else { return to_path(value) };
    let end = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
    let (user, below) = rest.split_at(end);
    let home = if user.is_empty() { home() } else { host::home_of(user) };
    let home = home.ok_or_else(|| invalid("'~' stands for a directory that is not known"))?;
    let below = below.iter().position(|&byte| byte != b'/').map_or(&b""[..], |at| &below[at..]);
    Ok(if below.is_empty() { home } else { home.join(to_path(below)?) })
}

fn with_stars(mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.last() == Some(&b'/') {
        pattern.extend(b"**");
    }
    pattern
}

fn slashed(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let bytes = bytes.strip_prefix(br"\\?\").unwrap_or(bytes);
    let slash = |&byte: &u8| if std::path::is_separator(byte.into()) { b'/' } else { byte };
    bytes.iter().map(slash).collect()
}

pub(super) fn to_path(bytes: &[u8]) -> io::Result<PathBuf> {
    PathText::from(bytes).to_path().map_err(io::Error::other)
}

/// Returns whether git users mean "no file" by this path.
fn is_none(path: &Path) -> bool {
    path.as_os_str().is_empty() || path == Path::new("/dev/null")
}

/// Returns whether access to a user's file was denied. Git treats such a file as missing, because
/// it may be in another user's home.
fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// Reads configurations for fuzzing.
#[cfg(fuzzing)]
pub mod fuzzing {
    use super::*;
    pub use crate::filters::git_settings::settings;

    /// Returns the values, or `None` if the configuration is refused.
    pub fn values() -> Option<(Option<PathBuf>, bool)> {
        let sys = crate::sys::Os::start(&crate::sys::Setup::default());
        let read = |path: &Path| super::super::rule_text::read_at(&sys, path, true);
        let config = GitConfig::read(None, &sys, &read).ok()?;
        Some((config.excludes_file, config.ignores_case))
    }
}
