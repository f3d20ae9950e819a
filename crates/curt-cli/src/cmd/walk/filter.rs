//! Which entries match: the tests of one command line, cheapest first. The metadata that a test
//! needs is read only of entries that passed all tests before it, in one call together with what
//! will be printed.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::num::IntErrorKind;
use std::path::Path;

use curt::fields::Time;
use curt::walk::Visited;
use curt::{Fields, Kind, Metadata};
use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::Regex;

use super::when;
use crate::args::WalkOptions;
use crate::cmd::base_name;
use crate::quote::quote;
use crate::sys;

/// The most braces that a glob may have: globset recurses once for each.
const MOST_BRACES: usize = 100;

/// The tests.
pub(super) struct Filter {
    names: Vec<GlobMatcher>,
    paths: Vec<GlobMatcher>,
    regex: Option<Regex>,
    kinds: Vec<Kind>,
    sizes: Vec<Size>,
    newer: Option<Time>,
    older: Option<Time>,
    owner: Option<Owner>,
}

impl Filter {
    /// Reads the tests; the error says which is wrong.
    pub(super) fn new(options: &WalkOptions) -> Result<Filter, String> {
        let regex = match &options.regex {
            Some(text) => Some(Regex::new(text).map_err(|error| invalid_regex(text, &error))?),
            None => None,
        };
        Ok(Filter {
            names: names(&options.name)?,
            paths: globs(&options.path_glob)?,
            regex,
            kinds: options.kinds.iter().map(|word| kind(word)).collect::<Result<_, _>>()?,
            sizes: options.size.iter().map(|text| Size::parse(text)).collect::<Result<_, _>>()?,
            newer: options.newer.as_deref().map(|text| when::parse(text, "--newer")).transpose()?,
            older: options.older.as_deref().map(|text| when::parse(text, "--older")).transpose()?,
            owner: options.owner.as_deref().map(Owner::parse).transpose()?,
        })
    }

    /// Whether every entry matches.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
            && self.paths.is_empty()
            && self.regex.is_none()
            && self.kinds.is_empty()
            && self.fields().is_empty()
    }

    /// Returns the metadata that the tests need beyond name and kind.
    pub(super) fn fields(&self) -> Fields {
        let size = if self.sizes.is_empty() { Fields::NONE } else { Fields::SIZE };
        let dated = self.newer.is_some() || self.older.is_some();
        let time = if dated { Fields::MODIFIED } else { Fields::NONE };
        let target = if self.needs_target() { Fields::TARGET } else { Fields::NONE };
        size | time | target | self.owner.as_ref().map_or(Fields::NONE, Owner::fields)
    }

    /// Only its target tells a junction from a mounted volume.
    fn needs_target(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind, Kind::Junction | Kind::VolumeMount))
    }

    fn is_of_kind(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Whether an entry passes the tests that need no metadata.
    pub(super) fn may_match(&self, entry: &Visited<'_>) -> bool {
        let may_be_volume = self.needs_target() && entry.kind() == Kind::Junction;
        if !may_be_volume && !self.is_of_kind(entry.kind()) {
            return false;
        }
        if !self.names.is_empty() && !any(&self.names, &name(entry)) {
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
    pub(super) fn matches(&self, metadata: &Metadata) -> bool {
        let size = |test: &Size| metadata.size().known().is_some_and(|size| test.matches(size));
        let modified = metadata.modified().known();
        let is = |test: fn(&Time, &Time) -> bool, limit: &Option<Time>| {
            limit.as_ref().is_none_or(|limit| modified.is_some_and(|time| test(&time, limit)))
        };
        self.is_of_kind(metadata.kind().known().unwrap_or_default())
            && self.sizes.iter().all(size)
            && is(Time::gt, &self.newer)
            && is(Time::lt, &self.older)
            && self.owner.as_ref().is_none_or(|owner| owner.matches(metadata))
    }
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
fn invalid_regex(text: &str, error: &regex::Error) -> String {
    let picture = error.to_string();
    let reason = picture.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    format!("invalid regular expression {}: {reason}", quote(text))
}

/// Reads patterns of names. The only name with a slash is that of the root directory.
fn names(patterns: &[OsString]) -> Result<Vec<GlobMatcher>, String> {
    let has_slash = |text: &&OsString| *text != "/" && text.as_encoded_bytes().contains(&b'/');
    if let Some(pattern) = patterns.iter().find(has_slash) {
        let pattern = quote(pattern);
        return Err(format!(
            "invalid pattern {pattern} for --name: a name contains no slash; \
             match paths with --path-glob, or skip them with --exclude"
        ));
    }
    globs(patterns)
}

fn globs(patterns: &[OsString]) -> Result<Vec<GlobMatcher>, String> {
    let read = |pattern: &OsString| {
        let text = pattern
            .to_str()
            .ok_or_else(|| format!("invalid pattern {}: not Unicode", quote(pattern)))?;
        if text.bytes().filter(|&byte| byte == b'{').count() > MOST_BRACES {
            return Err(format!("invalid pattern {}: too many braces", quote(text)));
        }
        let glob = GlobBuilder::new(text).literal_separator(true).empty_alternates(true).build();
        glob.map(|glob| glob.compile_matcher())
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

/// A test of the owner.
#[derive(Debug, PartialEq, Eq)]
struct Owner {
    user: Option<String>,
    group: Option<String>,
}

impl Owner {
    fn parse(text: &str) -> Result<Owner, String> {
        let (user, group) = text.split_once(':').unwrap_or((text, ""));
        let some = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let owner = Owner { user: some(user), group: some(group) };
        if owner.user.is_none() && owner.group.is_none() {
            let expected = "expected USER, USER:GROUP or :GROUP";
            return Err(format!("invalid owner {}: {expected}", quote(text)));
        }
        for (name, exists, kind) in [
            (&owner.user, sys::has_user as fn(&str) -> bool, "user"),
            (&owner.group, sys::has_group, "group"),
        ] {
            if let Some(name) = name.as_deref().filter(|name| !is_number(name) && !exists(name)) {
                return Err(format!("unknown {kind} {}", quote(name)));
            }
        }
        Ok(owner)
    }

    /// Names are looked up only if a name was given.
    fn fields(&self) -> Fields {
        let of = |name: &Option<String>, id: Fields, named: Fields| match name.as_deref() {
            None => Fields::NONE,
            Some(name) if is_number(name) => id,
            Some(_) => named,
        };
        of(&self.user, Fields::USER_ID, Fields::USER)
            | of(&self.group, Fields::GROUP_ID, Fields::GROUP)
    }

    fn matches(&self, metadata: &Metadata) -> bool {
        let is = |wanted: &Option<String>, id: Option<u32>, name: Option<&OsStr>| {
            wanted.as_deref().is_none_or(|wanted| {
                id.is_some_and(|id| id.to_string() == wanted)
                    || name.is_some_and(|name| name == wanted)
            })
        };
        is(&self.user, metadata.user_id().known(), metadata.user().known())
            && is(&self.group, metadata.group_id().known(), metadata.group().known())
    }
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Owner, Size, kind};
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
    fn owners_and_kinds_are_parsed() {
        let owner = |user: Option<&str>, group: Option<&str>| Owner {
            user: user.map(str::to_owned),
            group: group.map(str::to_owned),
        };
        assert_eq!(Owner::parse("root"), Ok(owner(Some("root"), None)));
        assert_eq!(Owner::parse(":5"), Ok(owner(None, Some("5"))));
        assert!(Owner::parse(":").is_err());
        assert!(cfg!(windows) || Owner::parse("no-such-user").is_err());
        assert!(cfg!(windows) || Owner::parse("root:no-such-group").is_err());
        assert_eq!(kind("d"), Ok(Kind::Directory));
        assert_eq!(kind("socket"), Ok(Kind::Socket));
        assert!(kind("x").is_err());
    }
}
