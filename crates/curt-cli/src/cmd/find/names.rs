//! Tests of names or whole paths: patterns and extensions.

use std::borrow::Cow;
use std::path::{Path, PathBuf, is_separator};

use curt::Kind;
use curt::filters::{Globs, expand_braces};
use curt::walk::Visited;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::args::FindOptions;
use crate::cmd::exclude::without_root;
use crate::cmd::working_directory;
use crate::out::text;
use crate::quote::quote;

pub(super) struct Names {
    patterns: Vec<Pattern>,
    base: Option<PathBuf>,
    extensions: Option<Regex>,
}

enum Pattern {
    Regex(Regex),
    Glob(Globs),
}

impl Names {
    pub(super) fn new(options: &FindOptions) -> Result<Names, String> {
        let base = options.full_path.then(|| working_directory("--full-path")).transpose()?;
        let patterns = patterns(options)?;
        Ok(Names { patterns, base, extensions: extensions(&options.extension)? })
    }

    pub(super) fn matches_all(&self) -> bool {
        self.patterns.is_empty() && self.extensions.is_none()
    }

    pub(super) fn match_entry(&self, entry: &Visited<'_>) -> bool {
        let matches =
            |path: &Path| self.patterns.iter().all(|pattern| pattern.is_match(path, entry.kind()));
        let has_extension = |regex: &Regex| regex.is_match(entry.name().as_encoded_bytes());
        let is_matched = match &self.base {
            _ if self.patterns.is_empty() => true,
            Some(base) => matches(&base.join(without_dot(&entry.path()))),
            None => matches(Path::new(&*entry.name())),
        };
        is_matched && self.extensions.as_ref().is_none_or(has_extension)
    }
}

impl Pattern {
    fn is_match(&self, text: &Path, kind: Kind) -> bool {
        match self {
            Pattern::Regex(regex) => regex.is_match(text.as_os_str().as_encoded_bytes()),
            Pattern::Glob(glob) => glob.matches(Path::new(&without_root(text)), kind),
        }
    }
}

pub(super) fn without_dot(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}

/// Compiles the patterns. A capital letter in one of them makes all of them case-sensitive.
fn patterns(options: &FindOptions) -> Result<Vec<Pattern>, String> {
    let texts = options.pattern.iter().chain(&options.and);
    let texts: Vec<&String> = texts.filter(|text| !text.is_empty()).collect();
    let mut has_capital = false;
    for text in &texts {
        let pattern = quote(text);
        if !options.full_path && text.contains('/') {
            return Err(format!(
                "{pattern} cannot match: names contain no slash; -p matches full paths"
            ));
        }
        let (means_capital, is_hidden) = if options.glob {
            let words = expand_braces(text).map_err(|error| text::invalid_glob(&error))?;
            let is_whole = |word: &String| word.starts_with("**") || Path::new(word).has_root();
            if options.full_path && !words.iter().all(is_whole) {
                return Err(format!(
                    "{pattern} cannot match: a full path begins with a slash; a leading '**/' \
                     matches any directory"
                ));
            }
            let is_dotted =
                |word: &String| [".", "\\.", "[.]"].iter().any(|dot| word.starts_with(dot));
            let means_capital = text.contains("[:upper:]") || text.chars().any(char::is_uppercase);
            (means_capital, !words.is_empty() && words.iter().all(is_dotted))
        } else {
            let parser = regex_syntax::ParserBuilder::new().utf8(false).build();
            // Compiling the pattern below reports errors.
            let parsed = parser.clone().parse(&expression(text, options)).ok();
            let parsed = parsed.as_ref();
            (parsed.is_some_and(has_capital_letter), parsed.is_some_and(begins_with_dot))
        };
        if is_hidden && !options.full_path && !options.finds_hidden() {
            return Err(format!(
                "{pattern} matches only hidden entries, which are skipped; -H finds them"
            ));
        }
        has_capital |= means_capital;
    }
    let ignores_case = options.ignore_case || !options.case_sensitive && !has_capital;
    let mut patterns = Vec::new();
    for text in texts {
        if options.glob {
            let glob = Globs::new([text]).map_err(|error| text::invalid_glob(&error))?;
            patterns.push(Pattern::Glob(glob.ignore_case(ignores_case)));
            continue;
        }
        let expression = expression(text, options);
        // Skip a single dot, which matches every name.
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

/// Returns a message with the last line of the error. Earlier lines only mark the position.
fn invalid_regex(text: &str, error: &regex::Error) -> String {
    let message = error.to_string();
    let reason = message.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let is_glob = Globs::new([text]).is_ok() && text.contains(['*', '?']);
    let hint = if is_glob { "-g takes globs such as '*.rs'" } else { "-F takes plain text" };
    format!("invalid regular expression {}: {reason}; {hint}", quote(text))
}

/// Returns whether the pattern has a capital letter, apart from escapes such as `\S`.
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

/// Returns whether the expression begins with `^\.`, and so matches only hidden names.
fn begins_with_dot(expression: &Hir) -> bool {
    match expression.kind() {
        HirKind::Concat(parts) => {
            let [first, second, ..] = parts.as_slice() else { return false };
            let is_start = matches!(first.kind(), HirKind::Look(Look::Start | Look::StartLF));
            let is_dot = matches!(second.kind(), HirKind::Literal(it) if it.0.starts_with(b"."));
            is_start && is_dot
        }
        HirKind::Capture(capture) => begins_with_dot(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().all(begins_with_dot),
        _ => false,
    }
}

fn extensions(extensions: &[String]) -> Result<Option<Regex>, String> {
    if extensions.is_empty() {
        return Ok(None);
    }
    for text in extensions {
        let is_part = |letter| "*?[{,".contains(letter) || is_separator(letter);
        if text.trim_start_matches('.').is_empty() {
            let instead = "use the PATTERN '^[^.]+$' for names without one";
            return Err(format!("invalid extension {}: {instead}", quote(text)));
        }
        if text.contains(is_part) || text.trim() != text {
            let expected = "write it without wildcards, as in rs or tar.gz, and repeat -e for more";
            return Err(format!("invalid extension {}: {expected}", quote(text)));
        }
    }
    let escaped = extensions.iter().map(|it| regex::escape(it.trim_start_matches('.')));
    let any = escaped.collect::<Vec<_>>().join("|");
    // Require a character before the dot, because a leading dot begins no extension.
    let regex = RegexBuilder::new(&format!("(?s-u:.)\\.(?:{any})$")).case_insensitive(true).build();
    regex.map(Some).map_err(|error| invalid_regex(&extensions.join(","), &error))
}

#[cfg(test)]
mod tests {
    use super::{begins_with_dot, has_capital_letter};

    #[test]
    fn finds_capitals_and_leading_dots() {
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
