//! git's configuration, as far as ignore rules depend on it: all of its files, those that they
//! include, and the variables, in git's order; the last value counts.
//!
//! A tree chooses the configuration of its repository, and that can include any file: what is read
//! is bounded, and is of regular files.

use std::io;
use std::path::{Path, PathBuf};

use super::rules::{MOST_BYTES, Text, failed_to_read, present, text};
use crate::error::Error;
use crate::filters::git_matches;
use crate::sys::{Sys, host};
use curt_paths::PathText;

/// How deep files may include others, as for git.
const MOST_LEVELS: usize = 10;
/// The most files that one configuration may have.
const MOST_FILES: usize = 100;

/// The values that ignore rules need.
#[derive(Debug, Default)]
pub(super) struct GitConfig {
    /// `core.excludesFile`, which may be relative to the work tree. The empty path is no file.
    excludes_file: Option<PathBuf>,
    /// `core.ignoreCase`
    pub(super) ignores_case: bool,
    /// `extensions.worktreeConfig`
    has_worktree_file: bool,
}

/// A repository, by the directories of git: its own, and the one that work trees share.
#[derive(Debug)]
pub(super) struct Repository {
    pub(super) own: PathBuf,
    pub(super) common: PathBuf,
}

/// Reads a file by its path, and follows links.
pub(super) type Read<'r> = &'r dyn Fn(&Path) -> io::Result<Vec<u8>>;

impl GitConfig {
    /// Reads the configuration of a repository, or the one that counts outside of any.
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

    /// The content of the file with the user's rules, which may be relative to the work tree.
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

/// A file of the user's in the folder of git.
fn of_user(name: &str) -> Option<PathBuf> {
    let own = std::env::var_os("XDG_CONFIG_HOME").filter(|own| !own.is_empty()).map(PathBuf::from);
    Some(own.or_else(|| Some(home()?.join(".config")))?.join("git").join(name))
}

fn home() -> Option<PathBuf> {
    // For git `~/` stands for a text, which is followed by a slash.
    host::home().map(|home| if home.is_empty() { "/".into() } else { home.into() })
}

/// Reads one configuration.
struct ConfigReader<'r, S> {
    repository: Option<&'r Repository>,
    sys: &'r S,
    read: Read<'r>,
    wanted: Wanted,
    config: GitConfig,
    /// The URLs of all remotes, once a condition has needed them.
    urls: Option<Vec<Vec<u8>>>,
    files: usize,
    bytes: usize,
}

/// What a reader takes from the configuration.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Values,
    /// The URLs of remotes. Files whose condition names a URL are read, too.
    Urls,
    /// Errors, in a file that a condition includes: it may not set a URL.
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

    /// Reads a file, if there is one.
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
        if level > MOST_LEVELS || self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return Err(failed(invalid("the configuration includes too many files")));
        }
        let mut parser = Parser::new(&text);
        while let Some((name, value)) = parser.next().map_err(failed)? {
            self.set(&name, value.as_deref(), Some(path), level)?;
        }
        Ok(())
    }

    /// Takes a value. `file` is the one that it is in.
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

    /// Whether the condition of an inclusion holds.
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

    /// Whether a pattern matches the path of the repository, the real one or as it is spelled.
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
        let spelled = self.sys.absolute(&repository.own)?;
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
        self.sys.real_path(path).unwrap_or_else(|_| path.to_owned())
    }

    /// Takes what the environment sets, which `git -c` does too.
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
/// Stands for `/usr/` in most packages of git.
const PREFIX: &[u8] = b"%(prefix)/";

/// A name and its value, which is missing where the name stands alone.
type Setting = (Vec<u8>, Option<Vec<u8>>);

/// The configuration of the system, where git is most often told to look for it.
fn of_system() -> PathBuf {
    let programs = std::env::var_os("ProgramFiles");
    programs.map_or("/etc/gitconfig".into(), |it| Path::new(&it).join("Git/etc/gitconfig"))
}

/// The first of the parameters: `'NAME'='VALUE'`, `'NAME'=`, or `'NAME=VALUE'` of older versions.
fn parameter(text: &[u8]) -> Option<(Setting, &[u8])> {
    let (mut name, mut rest) = unquoted(text)?;
    let mut value = None;
    if let Some(after) = rest.strip_prefix(b"=") {
        rest = after;
        if rest.first() == Some(&b'\'') {
            let (word, after) = unquoted(rest)?;
            (value, rest) = (Some(word), after);
        }
    } else {
        if let Some(equals) = name.iter().position(|&byte| byte == b'=') {
            value = Some(name.split_off(equals + 1));
            name.pop();
        }
        name = trimmed(&name).to_vec();
    }
    let ends = rest.first().is_none_or(|&byte| is_blank(byte));
    Some(((canonical_name(&name).filter(|_| ends)?, value), rest))
}

/// Splits off a word that is in single quotes for a shell.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let (mut word, mut rest) = (Vec::new(), text.strip_prefix(b"'")?);
    loop {
        let end = rest.iter().position(|&byte| byte == b'\'')?;
        word.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        match rest {
            [b'\\', byte @ (b'\'' | b'!'), b'\'', after @ ..] => {
                word.push(*byte);
                rest = after;
            }
            _ => return Some((word, rest)),
        }
    }
}

/// The name of a value, in lower case but for the part in the middle; `None` if it is invalid.
fn canonical_name(name: &[u8]) -> Option<Vec<u8>> {
    let is_dot = |&byte: &u8| byte == b'.';
    let first = name.iter().position(is_dot)?;
    let last = name.iter().rposition(is_dot).filter(|&last| last > 0)?;
    let (section, middle, key) = (&name[..first], &name[first..last], &name[last + 1..]);
    let is_valid = key.first().is_some_and(u8::is_ascii_alphabetic)
        && section.iter().chain(key).all(|&byte| is_key(byte))
        && !middle.contains(&b'\n');
    let name = [&*section.to_ascii_lowercase(), middle, b".", &key.to_ascii_lowercase()].concat();
    is_valid.then_some(name)
}

/// A path in a configuration: `~/`, `~USER/` and `%(prefix)/` stand for directories.
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

/// The value of a switch.
fn is_true(value: Option<&[u8]>) -> io::Result<bool> {
    let Some(value) = value else { return Ok(true) };
    let value = value.to_ascii_lowercase();
    match &*value {
        b"true" | b"yes" | b"on" => Ok(true),
        b"" | b"false" | b"no" | b"off" => Ok(false),
        _ => is_not_zero(&value).ok_or_else(|| invalid("a value is neither true nor false")),
    }
}

/// Whether a number with a unit is not 0; `None` if it is none that an `int` of C holds.
fn is_not_zero(text: &[u8]) -> Option<bool> {
    let (number, unit) = integer(text, None)?;
    let factor: i64 = match unit {
        b"" => 1,
        b"k" => 1 << 10,
        b"m" => 1 << 20,
        b"g" => 1 << 30,
        _ => return None,
    };
    let most = i64::from(i32::MAX);
    number.checked_mul(factor).filter(|number| (-most..=most).contains(number)).map(|it| it != 0)
}

/// Reads an integer in lower case, as C does, and returns what follows it. Without a radix, it is
/// hexadecimal after `0x` and octal after `0`.
fn integer(text: &[u8], radix: Option<u32>) -> Option<(i64, &[u8])> {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    let (is_negative, digits) = match &text[blanks..] {
        [sign @ (b'+' | b'-'), digits @ ..] => (*sign == b'-', digits),
        digits => (false, digits),
    };
    let (digits, radix) = match (digits, radix) {
        (_, Some(radix)) => (digits, radix),
        ([b'0', b'x', digits @ ..], _) if digits.first().is_some_and(u8::is_ascii_hexdigit) => {
            (digits, 16)
        }
        ([b'0', ..], _) => (digits, 8),
        _ => (digits, 10),
    };
    let length = digits.iter().take_while(|&&byte| char::from(byte).is_digit(radix)).count();
    let number = i64::from_str_radix(std::str::from_utf8(&digits[..length]).ok()?, radix).ok()?;
    Some((if is_negative { -number } else { number }, &digits[length..]))
}

/// A pattern for directories matches what is in them.
fn with_stars(mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.last() == Some(&b'/') {
        pattern.extend(b"**");
    }
    pattern
}

/// The bytes of a path, with slashes.
fn slashed(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let bytes = bytes.strip_prefix(br"\\?\").unwrap_or(bytes);
    let slash = |&byte: &u8| if std::path::is_separator(byte.into()) { b'/' } else { byte };
    bytes.iter().map(slash).collect()
}

pub(super) fn to_path(bytes: &[u8]) -> io::Result<PathBuf> {
    PathText::from(bytes).to_path().map_err(io::Error::other)
}

/// Whether git's users say by this name that there is no such file.
fn is_none(path: &Path) -> bool {
    path.as_os_str().is_empty() || path == Path::new("/dev/null")
}

/// Whether a file may not be read. One that is the user's may be in the home of another user, and
/// then it is no failure for git.
fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// Whether there is no such file; for git a directory in its place is a failure.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// Reads configurations for tests and for fuzzing.
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(fuzzing), allow(unreachable_pub, reason = "public where it is fuzzed"))]
pub mod fuzzing {
    #[cfg(fuzzing)]
    use super::*;
    use super::{Parser, Setting};

    /// Returns all settings of a text; `None` if it is refused.
    pub fn settings(text: &[u8]) -> Option<Vec<Setting>> {
        let mut parser = Parser::new(text);
        std::iter::from_fn(|| parser.next().transpose()).collect::<Result<_, _>>().ok()
    }

    /// Returns `core.excludesFile` and `core.ignoreCase` outside repositories; `None` if the
    /// configuration is refused.
    #[cfg(fuzzing)]
    pub fn values() -> Option<(Option<PathBuf>, bool)> {
        let sys = crate::sys::Os::start(&crate::sys::Setup::default());
        let read = |path: &Path| super::super::rules::read_at(&sys, path, true);
        let config = GitConfig::read(None, &sys, &read).ok()?;
        Some((config.excludes_file, config.ignores_case))
    }
}

/// Goes through the text of a file, as `config.c` of git.
struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    /// The beginning of names, with a dot at its end.
    section: Vec<u8>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t [u8]) -> Self {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        Parser { text: text.strip_prefix(MARK).unwrap_or(text), at: 0, section: Vec::new() }
    }

    /// Reads the next name and its value.
    fn next(&mut self) -> io::Result<Option<Setting>> {
        loop {
            let read = match self.byte() {
                _ if self.at > self.text.len() => return Ok(None),
                b'#' | b';' => {
                    self.skip_line();
                    Some(())
                }
                b'[' => self.read_section(),
                byte if is_blank(byte) => Some(()),
                byte if byte.is_ascii_alphabetic() => match self.read_value(byte) {
                    None => None,
                    read => return Ok(read),
                },
                _ => None,
            };
            if read.is_none() {
                let before = &self.text[..self.at.saturating_sub(1).min(self.text.len())];
                let line = before.split(|&byte| byte == b'\n').count();
                let words = format!("line {line} is not as git reads it");
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
        }
    }

    /// The next byte; a line ends at the end of the text, too.
    fn byte(&mut self) -> u8 {
        let (byte, length) = match self.text.get(self.at..).unwrap_or_default() {
            [b'\r', b'\n', ..] => (b'\n', 2),
            [byte, ..] => (*byte, 1),
            [] => (b'\n', 1),
        };
        self.at += length;
        byte
    }

    fn skip_line(&mut self) {
        while self.byte() != b'\n' {}
    }

    /// Reads `[section]` or `[section "subsection"]`.
    fn read_section(&mut self) -> Option<()> {
        self.section.clear();
        let mut byte = self.byte();
        while is_key(byte) || byte == b'.' {
            self.section.push(byte.to_ascii_lowercase());
            byte = self.byte();
        }
        if is_blank(byte) {
            while is_blank(byte) {
                if byte == b'\n' {
                    return None;
                }
                byte = self.byte();
            }
            if byte != b'"' {
                return None;
            }
            self.section.push(b'.');
            loop {
                byte = self.byte();
                if byte == b'"' {
                    break;
                }
                if byte == b'\\' {
                    byte = self.byte();
                }
                if byte == b'\n' {
                    return None;
                }
                self.section.push(byte);
            }
            byte = self.byte();
        }
        let is_named = !self.section.is_empty();
        self.section.push(b'.');
        (byte == b']' && is_named).then_some(())
    }

    fn read_value(&mut self, first: u8) -> Option<Setting> {
        let (mut name, mut byte) = (self.section.clone(), first);
        while is_key(byte) {
            name.push(byte.to_ascii_lowercase());
            byte = self.byte();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.byte();
        }
        // git keeps names and values as strings of C.
        let length = |text: &[u8]| text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        name.truncate(length(&name));
        match byte {
            b'\n' => return Some((name, None)),
            b'=' => {}
            _ => return None,
        }
        let (mut value, mut is_quoted, mut kept) = (Vec::new(), false, 0);
        loop {
            match self.byte() {
                b'\n' if is_quoted => return None,
                b'\n' => break,
                b'#' | b';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                // Blanks at the beginning and at the end count if they are quoted.
                byte if is_blank(byte) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'"' => is_quoted = !is_quoted,
                b'\\' => match self.byte() {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'b' => value.push(b'\x08'),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            kept = value.len();
        }
        value.truncate(kept.min(length(&value)));
        Some((name, Some(value)))
    }
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// Without blanks at both ends.
fn trimmed(text: &[u8]) -> &[u8] {
    let begin = text.iter().take_while(|&&byte| is_blank(byte)).count();
    let end = text.iter().rposition(|&byte| !is_blank(byte)).map_or(begin, |last| last + 1);
    &text[begin..end]
}

/// Whether git skips a byte as a blank; a form feed is none, unlike in Rust.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::{fuzzing, parameter};

    /// All values of a text, or whether it is refused.
    fn values(text: &str) -> Option<String> {
        let mut all = String::new();
        for (name, value) in fuzzing::settings(text.as_bytes())? {
            all += &String::from_utf8_lossy(&name);
            if let Some(value) = value {
                all.push('=');
                all += &String::from_utf8_lossy(&value);
            }
            all.push('|');
        }
        Some(all)
    }

    #[test]
    fn files_are_read_as_git_reads_them() {
        for (text, expected) in [
            ("[core]\nexcludesFile = ~/ignore\n", Some("core.excludesfile=~/ignore|")),
            ("[Core]\n\tA=\"/a b/#c\"  # comment\r\n", Some("core.a=/a b/#c|")),
            ("\u{feff}[core] a = /x ; comment", Some("core.a=/x|")),
            ("[core \"S u\\\"b\"]\nA-1\n", Some("core.S u\"b.a-1|")),
            ("[a.B]c=1\n;x\n# [d]\n\n  e  =  f g  \n", Some("a.b.c=1|a.b.e=f g|")),
            ("[a]b = c \\\n  d\\\r\n\"  e \" \n", Some("a.b=c   d  e |")),
            ("[a]b = \\t\\n\\b\\\\\\\"\nc=", Some("a.b=\t\n\u{8}\\\"|a.c=|")),
            ("b=c\n", Some("b=c|")),
            ("[a \"b\0c\"]d=e\0f\n", Some("a.b=e|")),
            ("", Some("")),
            ("[a]b=\\x\n", None),
            ("[a]b=\"c\n", None),
            ("[a]b c\n", None),
            ("[a]1=2\n", None),
            ("[a\n", None),
            ("[a \"b]\n", None),
            ("[a b]\n", None),
            ("[a]\nb.c=1\n", None),
        ] {
            assert_eq!(values(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn parameters_are_quoted_for_a_shell() {
        for (text, expected) in [
            ("'A.b'='c d' 'x'", Some(("a.b", Some("c d"), " 'x'"))),
            ("'a.b'=", Some(("a.b", None, ""))),
            ("'a.B.C=d=e'", Some(("a.B.c", Some("d=e"), ""))),
            ("'a.b'", Some(("a.b", None, ""))),
            (r"'a.b'='it'\''s'\!''", Some(("a.b", Some("it's!"), ""))),
            ("'a.b'='c'd", None),
            ("'a.b", None),
            ("'ab'='c'", None),
            ("'a.b'='c'\u{c}", None),
            ("'a.b\u{c}=c'", None),
        ] {
            let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let read = parameter(text.as_bytes());
            let read = read
                .map(|((name, value), rest)| (show(&name), value.as_deref().map(show), show(rest)));
            let expected = expected.map(|(name, value, rest)| {
                (name.to_owned(), value.map(str::to_owned), rest.to_owned())
            });
            assert_eq!(read, expected, "{text}");
        }
    }
}
