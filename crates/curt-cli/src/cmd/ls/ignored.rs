//! The names that `--ignore`, `--hide` and `--ignore-backups` leave out.

use std::ffi::OsStr;

use globset::{GlobBuilder, GlobMatcher};

use crate::args::{Hidden, LsOptions};

/// Patterns for names, as the C library's `fnmatch` has them in the C locale.
#[derive(Debug)]
pub(super) struct Ignored {
    patterns: Vec<Pattern>,
    has_backups: bool,
}

#[derive(Debug)]
struct Pattern {
    glob: GlobMatcher,
    /// Only a dot in the pattern matches a dot at the beginning of a name.
    may_match_dot: bool,
}

impl Ignored {
    /// The error names a pattern that is too large.
    pub(super) fn new(options: &LsOptions) -> Result<Ignored, String> {
        let hide = if options.hidden == Hidden::Dotted { &options.hide[..] } else { &[] };
        let patterns = options.ignore.iter().chain(hide).map(|pattern| Pattern::new(pattern));
        let patterns = patterns.collect::<Result<_, _>>()?;
        Ok(Ignored { patterns, has_backups: options.ignore_backups })
    }

    pub(super) fn contains(&self, name: &OsStr) -> bool {
        if self.patterns.is_empty() && !self.has_backups {
            return false;
        }
        let bytes = name.as_encoded_bytes();
        let is_dotted = bytes.starts_with(b".");
        self.has_backups && bytes.ends_with(b"~")
            || self
                .patterns
                .iter()
                .any(|pattern| (!is_dotted || pattern.may_match_dot) && pattern.glob.is_match(name))
    }
}

impl Pattern {
    fn new(pattern: &OsStr) -> Result<Pattern, String> {
        let text = pattern.to_string_lossy();
        let build = |text: &str| {
            GlobBuilder::new(text).literal_separator(false).backslash_escape(true).build()
        };
        // What is no pattern matches itself.
        let glob = build(&translated(&text)).or_else(|_| build(&globset::escape(&text)));
        let glob = glob.map_err(|error| {
            format!("invalid pattern {}: {}", crate::quote::quote(pattern), error.kind())
        })?;
        let may_match_dot = text.starts_with('.') || text.starts_with("\\.");
        Ok(Pattern { glob: glob.compile_matcher(), may_match_dot })
    }
}

/// The classes of characters in brackets, and the same as ranges. None begins with `!`, which would
/// negate the brackets.
const CLASSES: [(&str, &str); 12] = [
    ("[:alpha:]", "a-zA-Z"),
    ("[:digit:]", "0-9"),
    ("[:alnum:]", "a-zA-Z0-9"),
    ("[:upper:]", "A-Z"),
    ("[:lower:]", "a-z"),
    ("[:space:]", " \t\n\u{b}\u{c}\r"),
    ("[:xdigit:]", "0-9a-fA-F"),
    ("[:blank:]", " \t"),
    ("[:cntrl:]", "\u{1}-\u{1f}\u{7f}"),
    ("[:print:]", " -~"),
    ("[:graph:]", "\"-~!"),
    ("[:punct:]", "\"-/:-@[-`{-~!"),
];

/// Returns a pattern of `fnmatch` as one of `globset`, where braces mean something too.
fn translated(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    // Whether brackets are open, and nothing is in them yet.
    let (mut is_open, mut is_empty) = (false, false);
    while let Some(character) = rest.chars().next() {
        let class = CLASSES.iter().find(|(name, _)| is_open && rest.starts_with(name));
        if let Some((name, ranges)) = class {
            text.push_str(ranges);
            rest = &rest[name.len()..];
            is_empty = false;
            continue;
        }
        rest = &rest[character.len_utf8()..];
        match character {
            '\\' if !is_open => {
                text.push('\\');
                let escaped = rest.chars().next();
                text.extend(escaped);
                rest = &rest[escaped.map_or(0, char::len_utf8)..];
                continue;
            }
            '{' | '}' if !is_open => text.push('\\'),
            '[' if !is_open => (is_open, is_empty) = (true, true),
            '!' | '^' if is_open && is_empty => {
                text.push(character);
                continue;
            }
            ']' if is_open && !is_empty => is_open = false,
            _ => is_empty = false,
        }
        text.push(character);
    }
    text
}
