//! Which entries match, as fd decides: patterns for names first, and metadata only of entries that
//! passed all other tests, in one call together with what will be printed. What could not be asked
//! about an entry passes no test, so that nothing is deleted of which too little is known.

use std::borrow::Cow;
use std::path::{Path, PathBuf, is_separator};

use curt::fields::Time;
use curt::filters::{Globs, expand_braces};
use curt::walk::Visited;
use curt::{Error, Fields, Kind};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::owner::Owner;
use super::permissions::Permissions;
use super::when;
use crate::args::FindOptions;
use crate::cmd::exclude::without_root;
use crate::out::text;
use crate::quote::quote;
use crate::sys;

/// The tests.
pub(super) struct Matcher {
    patterns: Vec<Pattern>,
    /// The working directory, if patterns match full paths.
    base: Option<PathBuf>,
    extensions: Option<Regex>,
    kinds: Option<Kinds>,
    sizes: Vec<Size>,
    newer: Option<Time>,
    older: Option<Time>,
    owner: Option<Owner>,
    permissions: Vec<Permissions>,
}

/// What a name or a path is compared with.
enum Pattern {
    Regex(Regex),
    Glob(Globs),
}

/// What `--type` chooses.
#[derive(Debug, Default, PartialEq, Eq)]
struct Kinds {
    any: Vec<Kind>,
    is_executable: bool,
    is_empty: bool,
}

/// The least and the greatest size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size(u64, u64);

impl Matcher {
    /// Reads the tests; the error says which is wrong.
    pub(super) fn new(options: &FindOptions) -> Result<Matcher, String> {
        let base = if options.full_path {
            Some(sys::working_directory().map_err(|error| {
                let cause = sys::error_text(&error);
                format!("cannot read the working directory, which --full-path needs: {cause}")
            })?)
        } else {
            None
        };
        let when = |text: &Option<String>, option| {
            text.as_deref().map(|text| when::parse(text, option)).transpose()
        };
        Ok(Matcher {
            patterns: patterns(options)?,
            base,
            extensions: extensions(&options.extension)?,
            kinds: Kinds::parse(&options.file_types)?,
            sizes: options.size.iter().map(|text| Size::parse(text)).collect::<Result<_, _>>()?,
            newer: when(&options.changed_within, "--changed-within")?,
            older: when(&options.changed_before, "--changed-before")?,
            owner: options.owner.as_deref().map(Owner::parse).transpose()?,
            permissions: options
                .perm
                .iter()
                .map(|text| Permissions::parse(text))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Whether every entry matches.
    pub(super) fn matches_all(&self) -> bool {
        self.patterns.is_empty()
            && self.extensions.is_none()
            && self.kinds.is_none()
            && self.fields().is_empty()
    }

    /// Returns the metadata that the tests need beyond name and kind.
    pub(super) fn fields(&self) -> Fields {
        let needed = |is_needed, fields| if is_needed { fields } else { Fields::NONE };
        let kinds = self.kinds.as_ref();
        needed(!self.sizes.is_empty() || kinds.is_some_and(|it| it.is_empty), Fields::SIZE)
            | needed(self.newer.is_some() || self.older.is_some(), Fields::MODIFIED)
            | needed(!self.permissions.is_empty(), Fields::MODE)
            | needed(kinds.is_some_and(|it| it.is_executable), Fields::EXECUTABLE)
            | needed(kinds.is_some_and(Kinds::need_target), Fields::TARGET)
            | self.owner.as_ref().map_or(Fields::NONE, Owner::fields)
    }

    /// Whether an entry passes the tests that need no metadata.
    pub(super) fn may_match(&self, entry: &Visited<'_>) -> bool {
        let kind = entry.kind();
        if self.kinds.as_ref().is_some_and(|kinds| !kinds.may_match(kind))
            || !self.sizes.is_empty() && !kind.is_file()
        {
            return false;
        }
        if let Some(base) = &self.base {
            let path = entry.path();
            let path = path.strip_prefix(".").unwrap_or(&path);
            let path = base.join(path);
            if !self.patterns.iter().all(|pattern| pattern.is_match(&path, kind)) {
                return false;
            }
        } else if !self.patterns.is_empty() {
            let name = entry.name();
            if !self.patterns.iter().all(|pattern| pattern.is_match(Path::new(&*name), kind)) {
                return false;
            }
        }
        let has_name = |regex: &Regex| regex.is_match(entry.name().as_encoded_bytes());
        self.extensions.as_ref().is_none_or(has_name)
    }

    /// Whether an entry passes the other tests, which are of metadata. The error is that of a
    /// directory whose entries were to be counted.
    pub(super) fn matches(&self, entry: &Visited<'_>) -> Result<bool, Error> {
        let metadata = entry.metadata();
        let size = |test: &Size| metadata.size().known().is_some_and(|size| test.has(size));
        let kinds = self.kinds.as_ref();
        let mode =
            |test: &Permissions| metadata.mode().known().is_some_and(|it| test.match_mode(it));
        let is_executable = metadata.executable().known() == Some(true);
        let kind = metadata.kind();
        let passes = self.sizes.iter().all(size)
            && self.permissions.iter().all(mode)
            && when::is_between(metadata.modified().known(), self.newer, self.older)
            && self.owner.as_ref().is_none_or(|owner| owner.matches(metadata))
            && kinds.is_none_or(|kinds| kinds.has(kind) && (!kinds.is_executable || is_executable));
        if passes && kinds.is_some_and(|kinds| kinds.is_empty) {
            return is_empty(entry);
        }
        Ok(passes)
    }
}

/// Whether an entry of this kind can be empty.
fn may_be_empty(kind: Kind) -> bool {
    kind.is_file() || kind.is_dir()
}

/// Whether an entry, whose size is known, is a file of no bytes or a directory without entries.
/// That is asked by its path.
fn is_empty(entry: &Visited<'_>) -> Result<bool, Error> {
    if !entry.kind().is_dir() {
        return Ok(entry.kind().is_file() && entry.metadata().size().known() == Some(0));
    }
    let mut list = curt::list(entry.path())?;
    let first = list.next().transpose()?;
    Ok(first.is_none())
}

impl Pattern {
    fn is_match(&self, text: &Path, kind: Kind) -> bool {
        match self {
            Pattern::Regex(regex) => regex.is_match(text.as_os_str().as_encoded_bytes()),
            Pattern::Glob(glob) => glob.matches(Path::new(&without_root(text)), kind),
        }
    }
}

/// Reads the patterns for names or paths. The case counts for all if one has a capital letter.
fn patterns(options: &FindOptions) -> Result<Vec<Pattern>, String> {
    let given = options.pattern.iter().chain(&options.and);
    let given: Vec<&String> = given.filter(|text| !text.is_empty()).collect();
    let mut has_capital = false;
    for text in &given {
        let pattern = quote(text);
        if !options.full_path && text.contains('/') {
            return Err(format!(
                "{pattern} cannot match: a name contains no slash; write 'curt find . PATH' to \
                 list a directory, or --full-path to match whole paths"
            ));
        }
        let (means_capital, is_hidden) = if options.glob {
            let words = expand_braces(text).map_err(|error| text::invalid_glob(&error))?;
            let is_whole = |word: &String| word.starts_with("**") || Path::new(word).has_root();
            if options.full_path && !words.iter().all(is_whole) {
                return Err(format!(
                    "{pattern} cannot match: a full path begins with a slash; write '**/' before \
                     what may be anywhere"
                ));
            }
            let is_dotted =
                |word: &String| [".", "\\.", "[.]"].iter().any(|dot| word.starts_with(dot));
            let means_capital = text.contains("[:upper:]") || text.chars().any(char::is_uppercase);
            (means_capital, !words.is_empty() && words.iter().all(is_dotted))
        } else {
            let parser = regex_syntax::ParserBuilder::new().utf8(false).build();
            // What is wrong with it is said when it is compiled.
            let parsed = parser.clone().parse(&expression(text, options)).ok();
            let parsed = parsed.as_ref();
            (parsed.is_some_and(has_capital_letter), parsed.is_some_and(begins_with_dot))
        };
        if is_hidden && !options.full_path && !options.finds_hidden() {
            return Err(format!(
                "{pattern} matches only hidden entries, which are skipped without --hidden"
            ));
        }
        has_capital |= means_capital;
    }
    let ignores_case = options.ignore_case || !options.case_sensitive && !has_capital;
    let mut patterns = Vec::new();
    for text in given {
        if options.glob {
            let glob = Globs::new([text]).map_err(|error| text::invalid_glob(&error))?;
            patterns.push(Pattern::Glob(glob.ignore_case(ignores_case)));
            continue;
        }
        let expression = expression(text, options);
        // What matches every name need not be looked for.
        if expression != "." {
            let mut builder = RegexBuilder::new(&expression);
            builder.case_insensitive(ignores_case).dot_matches_new_line(true);
            let regex = builder.build().map_err(|error| invalid_regex(text, &error))?;
            patterns.push(Pattern::Regex(regex));
        }
    }
    Ok(patterns)
}

fn expression<'t>(text: &'t str, options: &FindOptions) -> Cow<'t, str> {
    if options.fixed_strings { Cow::Owned(regex::escape(text)) } else { Cow::Borrowed(text) }
}

/// Returns what is wrong with a regular expression: the last line of what the library says, which
/// draws a picture before it.
fn invalid_regex(text: &str, error: &regex::Error) -> String {
    let picture = error.to_string();
    let reason = picture.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let is_glob = Globs::new([text]).is_ok() && text.contains(['*', '?']);
    let hint = if is_glob { "-g takes globs such as '*.rs', and " } else { "" };
    format!("invalid regular expression {}: {reason}; {hint}-F takes plain text", quote(text))
}

/// Returns the regular expression that is likely to be meant as a glob: in one, the letter before
/// a star is seldom meant to come any number of times.
pub(super) fn likely_glob(options: &FindOptions) -> Option<&String> {
    let text = options.pattern.as_ref().filter(|_| !options.glob && !options.fixed_strings)?;
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_ ".contains(&byte);
    let mut pairs = text.as_bytes().windows(2);
    pairs.any(|pair| is_letter(pair[0]) && pair[1] == b'*').then_some(text)
}

/// Returns the pattern if it is likely to name a hidden entry, and these are skipped.
pub(super) fn likely_hidden(options: &FindOptions) -> Option<&String> {
    let is_skipped = !options.full_path && !options.finds_hidden();
    let text = options.pattern.as_ref().filter(|_| is_skipped)?;
    let name = text.strip_prefix('\\').unwrap_or(text).strip_prefix('.')?;
    name.starts_with(char::is_alphanumeric).then_some(text)
}

/// Returns the size that is likely to be meant as the least or the greatest: a round one.
pub(super) fn likely_limit(options: &FindOptions) -> Option<&String> {
    let is_round = |text: &str| text.trim_end_matches(['b', 'B']).ends_with(char::is_alphabetic);
    options.size.iter().find(|text| !text.starts_with(['+', '-']) && is_round(text))
}

/// Whether a capital letter is meant: not that of an escape such as `\S`.
fn has_capital_letter(expression: &Hir) -> bool {
    match expression.kind() {
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => text.chars().any(char::is_uppercase),
            Err(_) => literal.0.iter().any(u8::is_ascii_uppercase),
        },
        HirKind::Class(Class::Unicode(class)) => {
            let is_capital = |letter: char| letter.is_uppercase();
            class.iter().any(|range| is_capital(range.start()) || is_capital(range.end()))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut ranges = class.iter();
            ranges.any(|it| it.start().is_ascii_uppercase() || it.end().is_ascii_uppercase())
        }
        HirKind::Capture(capture) => has_capital_letter(&capture.sub),
        HirKind::Repetition(repetition) => has_capital_letter(&repetition.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(has_capital_letter)
        }
        HirKind::Empty | HirKind::Look(_) => false,
    }
}

/// Whether an expression is anchored at a name's first letter, which is a dot.
fn begins_with_dot(expression: &Hir) -> bool {
    match expression.kind() {
        HirKind::Concat(parts) => {
            let [first, second, ..] = parts.as_slice() else { return false };
            let is_start = matches!(
                first.kind(),
                HirKind::Look(regex_syntax::hir::Look::Start | regex_syntax::hir::Look::StartLF)
            );
            let is_dot = matches!(second.kind(), HirKind::Literal(it) if it.0.starts_with(b"."));
            is_start && is_dot
        }
        HirKind::Capture(capture) => begins_with_dot(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().all(begins_with_dot),
        _ => false,
    }
}

/// Returns what matches names with one of these extensions.
fn extensions(extensions: &[String]) -> Result<Option<Regex>, String> {
    if extensions.is_empty() {
        return Ok(None);
    }
    for text in extensions {
        let is_part = |letter| "*?[{,".contains(letter) || is_separator(letter);
        if text.trim_start_matches('.').is_empty() {
            let instead = "names without an extension match '^[^.]+$'";
            return Err(format!("invalid extension {}: {instead}", quote(text)));
        }
        if text.contains(is_part) || text.trim() != text {
            let expected = "expected one such as rs or tar.gz; several are '-e rs -e toml', and \
                            globs follow -g";
            return Err(format!("invalid extension {}: {expected}", quote(text)));
        }
    }
    let escaped = extensions.iter().map(|it| regex::escape(it.trim_start_matches('.')));
    let any = escaped.collect::<Vec<_>>().join("|");
    // A dot at the beginning only hides a name.
    let regex = RegexBuilder::new(&format!("(?s-u:.)\\.(?:{any})$")).case_insensitive(true).build();
    regex.map(Some).map_err(|error| invalid_regex(&extensions.join(","), &error))
}

/// The kinds by the letters and words of fd, and by words that find's users may try.
const KINDS: [(&[&str], Kind); 8] = [
    (&["f", "file"], Kind::File),
    (&["d", "dir", "directory"], Kind::Directory),
    (&["l", "symlink", "link"], Kind::Symlink),
    (&["p", "pipe", "fifo"], Kind::Fifo),
    (&["s", "socket"], Kind::Socket),
    (&["c", "char-device"], Kind::CharacterDevice),
    (&["b", "block-device"], Kind::BlockDevice),
    // Of those that the user may execute.
    (&["x", "executable"], Kind::File),
];

/// Kinds that have no word but their name.
const RARE: [Kind; 6] = [
    Kind::Whiteout,
    Kind::Junction,
    Kind::VolumeMount,
    Kind::WslSymlink,
    Kind::AppExecLink,
    Kind::Unknown,
];

impl Kinds {
    /// `None` if nothing was chosen.
    fn parse(words: &[String]) -> Result<Option<Kinds>, String> {
        let mut kinds = Kinds::default();
        for word in words.iter().map(String::as_str) {
            if matches!(word, "e" | "empty") {
                kinds.is_empty = true;
                continue;
            }
            kinds.is_executable |= matches!(word, "x" | "executable");
            let known = KINDS.iter().find(|(words, _)| words.contains(&word));
            let rare = || RARE.into_iter().find(|kind| kind.name() == word);
            kinds.any.push(known.map(|&(_, kind)| kind).or_else(rare).ok_or_else(|| {
                let known = "f, d, l, p, s, c, b, x and e, or words such as file and empty";
                format!("unknown type {}; the types are {known}", quote(word))
            })?);
        }
        if kinds.is_empty && !kinds.any.iter().any(|&kind| may_be_empty(kind)) {
            kinds.any.extend([Kind::File, Kind::Directory]);
        }
        Ok((!words.is_empty()).then_some(kinds))
    }

    /// Only its target tells a junction from a mounted volume.
    fn need_target(&self) -> bool {
        self.any.iter().any(|kind| matches!(kind, Kind::Junction | Kind::VolumeMount))
    }

    fn may_match(&self, kind: Kind) -> bool {
        let may_be_volume = kind == Kind::Junction && self.need_target();
        (may_be_volume || self.has(kind)) && (!self.is_empty || may_be_empty(kind))
    }

    fn has(&self, kind: Kind) -> bool {
        self.any.contains(&kind) || kind.is_link() && self.any.contains(&Kind::Symlink)
    }
}

impl Size {
    fn parse(text: &str) -> Result<Size, String> {
        let invalid = |why: &str| format!("invalid size {}: {why}", quote(text));
        let number = text.trim_start_matches(['+', '-']);
        let digits = number.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit: u64 = match number[digits.len()..].to_ascii_lowercase().as_str() {
            "b" => 1,
            "k" | "kb" => 1000,
            "m" | "mb" => 1000_u64.pow(2),
            "g" | "gb" => 1000_u64.pow(3),
            "t" | "tb" => 1000_u64.pow(4),
            "ki" | "kib" => 1 << 10,
            "mi" | "mib" => 1 << 20,
            "gi" | "gib" => 1 << 30,
            "ti" | "tib" => 1 << 40,
            _ => return Err(invalid("the units are b, k, m, g, t, ki, mi, gi and ti")),
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || text.len() > number.len() + 1 {
            return Err(invalid("expected a number and a unit, as in 512b, +10k or -3mi"));
        }
        let bytes: Option<u64> = digits.parse().ok().and_then(|it: u64| it.checked_mul(unit));
        let bytes = bytes.ok_or_else(|| invalid("it is too large"))?;
        Ok(match text.as_bytes().first() {
            Some(b'+') => Size(bytes, u64::MAX),
            Some(b'-') => Size(0, bytes),
            _ => Size(bytes, bytes),
        })
    }

    fn has(self, size: u64) -> bool {
        self.0 <= size && size <= self.1
    }
}

#[cfg(test)]
mod tests {
    use super::{Kinds, Size, begins_with_dot, has_capital_letter};
    use curt::Kind;

    #[test]
    fn sizes_are_parsed() {
        for (text, size) in [
            ("0b", Size(0, 0)),
            ("+1k", Size(1000, u64::MAX)),
            ("-3Mi", Size(0, 3 << 20)),
            ("7KiB", Size(7 << 10, 7 << 10)),
        ] {
            assert_eq!(Size::parse(text), Ok(size), "{text}");
        }
        for text in ["", "+", "k", "1", "1x", "+-1k", "-1 k", "99999999999t", "é"] {
            assert!(Size::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn kinds_are_parsed() {
        let kinds = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            Kinds::parse(&words).unwrap().unwrap()
        };
        assert_eq!(kinds(&["e"]).any, [Kind::File, Kind::Directory]);
        assert_eq!(kinds(&["empty", "d"]).any, [Kind::Directory]);
        assert!(kinds(&["x", "d"]).may_match(Kind::File));
        assert!(!kinds(&["x"]).may_match(Kind::Directory));
        assert!(Kinds::parse(&["q".to_owned()]).is_err());
        assert_eq!(Kinds::parse(&[]), Ok(None));
        assert!(!kinds(&["e", "l"]).may_match(Kind::Symlink));
    }

    #[test]
    fn capitals_and_dots_are_seen_where_they_are_meant() {
        let parse = |text: &str| regex_syntax::parse(text).unwrap();
        for (text, expected) in
            [("a\\Sb", false), ("aB", true), ("[^x]\\Ax", false), ("(a|É)", true), ("\\x41", true)]
        {
            assert_eq!(has_capital_letter(&parse(text)), expected, "{text}");
        }
        for (text, expected) in
            [("^\\.git", true), ("\\.git", false), ("^.git", false), ("^(\\.a|b)", false)]
        {
            assert_eq!(begins_with_dot(&parse(text)), expected, "{text}");
        }
    }
}
