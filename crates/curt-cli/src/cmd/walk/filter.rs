//! Which entries match: the tests of one command line, cheapest first. The metadata that a test
//! needs is read only of entries that passed all tests before it, in one call together with what
//! will be printed.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::num::IntErrorKind;
use std::path::Path;

use curt::fields::Time;
use curt::walk::Visited;
use curt::{Error, Fields, Kind};
use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::Regex;

use crate::args::{Criteria, WalkOptions};
use crate::cmd::base_name;
use crate::cmd::find::owner::Owner;
use crate::cmd::find::permissions::Permissions;
use crate::cmd::find::when;
use crate::quote::quote;

/// The most braces that a glob may have: globset recurses once for each.
pub(in crate::cmd) const MOST_BRACES: usize = 100;

/// Which entries match: those that pass the tests of one group.
pub(super) struct Filter(Vec<Group>);

/// Tests that must all pass, and tests that must fail.
struct Group {
    tests: Tests,
    negated: Vec<Tests>,
}

/// Tests that must all pass.
struct Tests {
    names: Vec<GlobMatcher>,
    insensitive_names: Vec<GlobMatcher>,
    paths: Vec<GlobMatcher>,
    regex: Option<Regex>,
    kinds: Vec<Kind>,
    sizes: Vec<Size>,
    is_empty: bool,
    newer: Option<Time>,
    older: Option<Time>,
    owner: Option<Owner>,
    permissions: Vec<Permissions>,
}

impl Filter {
    /// Reads the tests; the error says which is wrong.
    pub(super) fn new(options: &WalkOptions) -> Result<Filter, String> {
        let group = |group: &crate::args::Group| {
            let negated = group.negated.iter().map(Tests::new).collect::<Result<_, _>>()?;
            Ok(Group { tests: Tests::new(&group.tests)?, negated })
        };
        options.groups.iter().map(group).collect::<Result<_, _>>().map(Filter)
    }

    /// Whether every entry matches.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().any(|group| group.tests.is_empty() && group.negated.is_empty())
    }

    fn tests(&self) -> impl Iterator<Item = &Tests> {
        self.0.iter().flat_map(|group| std::iter::once(&group.tests).chain(&group.negated))
    }

    /// Returns the metadata that the tests need beyond name and kind.
    pub(super) fn fields(&self) -> Fields {
        self.tests().fold(Fields::NONE, |all, tests| all | tests.fields())
    }

    /// Whether an entry can match, as far as that is known without metadata.
    pub(super) fn may_match(&self, entry: &Visited<'_>) -> bool {
        self.0.iter().any(|group| {
            let fails = |tests: &Tests| tests.needs_more() || !tests.may_match(entry);
            group.tests.may_match(entry) && group.negated.iter().all(fails)
        })
    }

    /// Whether an entry that may match does, now that its metadata is known. The error is that of a
    /// directory whose entries were to be counted.
    pub(super) fn matches(&self, entry: &Visited<'_>) -> Result<bool, Error> {
        let [group] = self.0.as_slice() else { return self.one_matches(entry) };
        if group.negated.is_empty() { group.tests.matches(entry) } else { self.one_matches(entry) }
    }

    /// The same where more than one group of tests counts.
    fn one_matches(&self, entry: &Visited<'_>) -> Result<bool, Error> {
        'groups: for group in &self.0 {
            if !group.tests.may_match(entry) || !group.tests.matches(entry)? {
                continue;
            }
            for tests in &group.negated {
                // What is not known must not pass for what fails a test: it could be deleted.
                if tests.are_unknown(entry) || tests.may_match(entry) && tests.matches(entry)? {
                    continue 'groups;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether [`Filter::matches`] has more to say than [`Filter::may_match`].
    pub(super) fn needs_more(&self) -> bool {
        self.tests().any(Tests::needs_more)
    }
}

impl Tests {
    fn new(given: &Criteria) -> Result<Tests, String> {
        let regex = |text: &String| Regex::new(text).map_err(|error| invalid_regex(text, &error));
        let when = |texts: &[String], option| {
            texts.last().map(|text| when::parse(text, option)).transpose()
        };
        let permissions = given.perm.iter().map(|text| Permissions::parse(text));
        Ok(Tests {
            names: names(&given.name, "--name", false)?,
            insensitive_names: names(&given.iname, "--iname", true)?,
            paths: globs(&given.path_glob, false)?,
            regex: given.regex.last().map(regex).transpose()?,
            kinds: given.kinds.iter().map(|word| kind(word)).collect::<Result<_, _>>()?,
            sizes: given.size.iter().map(|text| Size::parse(text)).collect::<Result<_, _>>()?,
            is_empty: !given.empty.is_empty(),
            newer: when(&given.newer, "--newer")?,
            older: when(&given.older, "--older")?,
            owner: given.owner.last().map(|text| Owner::parse(text)).transpose()?,
            permissions: permissions.collect::<Result<_, _>>()?,
        })
    }

    /// Whether every entry matches.
    fn is_empty(&self) -> bool {
        self.names.is_empty()
            && self.insensitive_names.is_empty()
            && self.paths.is_empty()
            && self.regex.is_none()
            && self.kinds.is_empty()
            && !self.needs_more()
    }

    /// Whether a test needs more than name and kind.
    fn needs_more(&self) -> bool {
        self.is_empty || !self.fields().is_empty()
    }

    /// Returns the metadata that the tests need beyond name and kind.
    fn fields(&self) -> Fields {
        let needed = |is_needed, fields| if is_needed { fields } else { Fields::NONE };
        needed(!self.sizes.is_empty() || self.is_empty, Fields::SIZE)
            | needed(self.newer.is_some() || self.older.is_some(), Fields::MODIFIED)
            | needed(!self.permissions.is_empty(), Fields::MODE)
            | needed(self.needs_target(), Fields::TARGET)
            | self.owner.as_ref().map_or(Fields::NONE, Owner::fields)
    }

    /// Whether something that the tests need could not be read, or does not exist here.
    fn are_unknown(&self, entry: &Visited<'_>) -> bool {
        let (metadata, needed) = (entry.metadata(), self.fields());
        let has_failed = metadata.failures().any(|(failed, _)| needed.without(failed) != needed);
        has_failed
            || !self.kinds.is_empty() && entry.kind() == Kind::Unknown
            || needed.contains(Fields::SIZE) && metadata.size().known().is_none()
            || needed.contains(Fields::MODE) && metadata.mode().known().is_none()
            || needed.contains(Fields::MODIFIED) && metadata.modified().known().is_none()
            || self.owner.as_ref().is_some_and(|owner| owner.is_unknown(metadata))
    }

    /// Only its target tells a junction from a mounted volume.
    fn needs_target(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, Kind::Junction | Kind::VolumeMount))
    }

    fn is_of_kind(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Whether an entry passes the tests that need no metadata.
    fn may_match(&self, entry: &Visited<'_>) -> bool {
        let may_be_volume = self.needs_target() && entry.kind() == Kind::Junction;
        if !may_be_volume && !self.is_of_kind(entry.kind()) {
            return false;
        }
        if self.is_empty && !may_be_empty(entry.kind()) {
            return false;
        }
        let has = |globs: &[GlobMatcher]| globs.is_empty() || any(globs, &name(entry));
        if !has(&self.names) || !has(&self.insensitive_names) {
            return false;
        }
        if self.paths.is_empty() && self.regex.is_none() {
            return true;
        }
        let path = entry.path();
        (self.paths.is_empty() || any(&self.paths, path.as_os_str()))
            && self
                .regex
                .as_ref()
                .is_none_or(|regex| regex.is_match(path.as_os_str().as_encoded_bytes()))
    }

    /// Whether an entry passes the other tests.
    fn matches(&self, entry: &Visited<'_>) -> Result<bool, Error> {
        let metadata = entry.metadata();
        let size = |test: &Size| metadata.size().known().is_some_and(|size| test.matches(size));
        let mode =
            |test: &Permissions| metadata.mode().known().is_some_and(|it| test.match_mode(it));
        let passes = self.is_of_kind(metadata.kind().known().unwrap_or_default())
            && self.sizes.iter().all(size)
            && when::is_between(metadata.modified().known(), self.newer, self.older)
            && self.owner.as_ref().is_none_or(|owner| owner.matches(metadata))
            && self.permissions.iter().all(mode);
        if passes && self.is_empty { is_empty(entry) } else { Ok(passes) }
    }
}

/// Whether an entry of this kind can be empty.
pub(in crate::cmd) fn may_be_empty(kind: Kind) -> bool {
    kind.is_file() || kind.is_dir()
}

/// Whether an entry, whose size is known, is a file of no bytes or a directory without entries.
/// That is asked by its path.
pub(in crate::cmd) fn is_empty(entry: &Visited<'_>) -> Result<bool, Error> {
    if !entry.kind().is_dir() {
        return Ok(entry.kind().is_file() && entry.metadata().size().known() == Some(0));
    }
    let mut list = curt::list(entry.path())?;
    let first = list.next().transpose()?;
    Ok(first.is_none())
}

/// Returns the name of an entry; that of an operand such as `a/b/` is `b`.
pub(super) fn name<'e>(entry: &'e Visited<'_>) -> Cow<'e, OsStr> {
    let name = entry.name();
    if entry.depth() > 0 {
        return name.into();
    }
    Cow::Owned(base_name(Path::new(&*name)).to_owned())
}

fn any(globs: &[GlobMatcher], text: &OsStr) -> bool {
    globs.iter().any(|glob| glob.is_match(text))
}

/// Returns what is wrong with a regular expression: the last line of what the library says, which
/// draws a picture before it.
pub(in crate::cmd) fn invalid_regex(text: &str, error: &regex::Error) -> String {
    let picture = error.to_string();
    let reason = picture.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    format!("invalid regular expression {}: {reason}", quote(text))
}

/// Reads patterns of names. The only name with a slash is that of the root directory.
fn names(
    patterns: &[OsString],
    option: &str,
    ignores_case: bool,
) -> Result<Vec<GlobMatcher>, String> {
    let has_slash = |text: &&OsString| *text != "/" && text.as_encoded_bytes().contains(&b'/');
    if let Some(pattern) = patterns.iter().find(has_slash) {
        let pattern = quote(pattern);
        return Err(format!(
            "invalid pattern {pattern} for {option}: a name contains no slash; \
             match paths with --path-glob, or skip them with --exclude"
        ));
    }
    globs(patterns, ignores_case)
}

fn globs(patterns: &[OsString], ignores_case: bool) -> Result<Vec<GlobMatcher>, String> {
    let read = |pattern: &OsString| {
        let text = pattern
            .to_str()
            .ok_or_else(|| format!("invalid pattern {}: not Unicode", quote(pattern)))?;
        if text.bytes().filter(|&byte| byte == b'{').count() > MOST_BRACES {
            return Err(format!("invalid pattern {}: too many braces", quote(text)));
        }
        let mut glob = GlobBuilder::new(text);
        glob.literal_separator(true).empty_alternates(true).case_insensitive(ignores_case);
        glob.build()
            .map(|glob| glob.compile_matcher())
            .map_err(|error| format!("invalid pattern {}: {}", quote(text), error.kind()))
    };
    patterns.iter().map(read).collect()
}

fn kind(word: &str) -> Result<Kind, String> {
    let letter = match word {
        "f" => Some(Kind::File),
        "d" => Some(Kind::Directory),
        "l" | "link" => Some(Kind::Symlink),
        "p" | "pipe" => Some(Kind::Fifo),
        "s" => Some(Kind::Socket),
        "c" => Some(Kind::CharacterDevice),
        "b" => Some(Kind::BlockDevice),
        _ => None,
    };
    let all = [
        Kind::File,
        Kind::Directory,
        Kind::Symlink,
        Kind::Fifo,
        Kind::Socket,
        Kind::CharacterDevice,
        Kind::BlockDevice,
        Kind::Whiteout,
        Kind::Junction,
        Kind::VolumeMount,
        Kind::WslSymlink,
        Kind::AppExecLink,
        Kind::Unknown,
    ];
    letter.or_else(|| all.into_iter().find(|kind| kind.name() == word)).ok_or_else(|| {
        let kinds = "f, d, l, p, s, c, b, or words such as file and junction";
        format!("unknown kind {}; the kinds are {kinds}", quote(word))
    })
}

/// A test of the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    More(u64),
    Less(u64),
    Exactly(u64),
}

impl Size {
    fn parse(text: &str) -> Result<Size, String> {
        let invalid = |why: &str| format!("invalid size {}: {why}", quote(text));
        let wrong = || invalid("expected a number, as in 512, +10k or -3M");
        let (make, rest): (fn(u64) -> Size, &str) = match text.split_at_checked(1) {
            Some(("+", rest)) => (Size::More, rest),
            Some(("-", rest)) => (Size::Less, rest),
            _ => (Size::Exactly, text),
        };
        let digits = rest.trim_end_matches(|character: char| character.is_ascii_alphabetic());
        let unit: u64 = match &rest[digits.len()..] {
            "" | "c" | "B" => 1,
            "k" | "K" | "KiB" => 1 << 10,
            "M" | "MiB" => 1 << 20,
            "G" | "GiB" => 1 << 30,
            "T" | "TiB" => 1 << 40,
            _ if digits.is_empty() => return Err(wrong()),
            "b" => return Err(invalid("find's blocks (b) are no unit here; they have 512 bytes")),
            _ => return Err(invalid("the units are c (bytes), k, M, G and T")),
        };
        let number: Option<u64> = match digits.parse() {
            Ok(number) => Some(number),
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => None,
            Err(_) => return Err(wrong()),
        };
        let bytes = number.and_then(|number: u64| number.checked_mul(unit));
        bytes.map(make).ok_or_else(|| invalid("it is too large"))
    }

    fn matches(self, size: u64) -> bool {
        match self {
            Size::More(than) => size > than,
            Size::Less(than) => size < than,
            Size::Exactly(wanted) => size == wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Size, kind};
    use curt::Kind;

    #[test]
    fn sizes_are_parsed() {
        for (text, size) in [
            ("0", Size::Exactly(0)),
            ("+1k", Size::More(1024)),
            ("-3M", Size::Less(3 << 20)),
            ("7c", Size::Exactly(7)),
        ] {
            assert_eq!(Size::parse(text), Ok(size));
        }
        for text in ["", "+", "k", "1x", "-1 k", "99999999999T", "é"] {
            assert!(Size::parse(text).is_err(), "{text}");
        }
        assert!(Size::More(5).matches(6) && !Size::More(5).matches(5));
    }

    #[test]
    fn kinds_are_parsed() {
        assert_eq!(kind("d"), Ok(Kind::Directory));
        assert_eq!(kind("socket"), Ok(Kind::Socket));
        assert!(kind("x").is_err());
    }
}
