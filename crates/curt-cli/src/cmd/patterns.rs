//! Patterns as the C library's `fnmatch` has them in the C locale. An asterisk matches slashes too.

use std::ffi::OsString;

use regex::bytes::RegexSet;

use crate::quote::quote;

/// What may stand before a match: directories, with the slash behind them.
pub(super) const DIRECTORIES: &str = "(?:(?-u:.)*/)?";

/// Patterns of names or paths.
#[derive(Debug)]
pub(super) struct Patterns(Option<RegexSet>);

impl Patterns {
    /// The error says what is wrong with a pattern. A match may begin with what `begin` matches.
    pub(super) fn new<'a>(
        patterns: impl IntoIterator<Item = &'a OsString>,
        begin: &str,
    ) -> Result<Patterns, String> {
        let expressions = patterns.into_iter().map(|pattern| match pattern.to_str() {
            Some(text) => Ok(expression(text, begin)),
            None => Err(format!("invalid pattern {}: not Unicode", quote(pattern))),
        });
        let expressions = expressions.collect::<Result<Vec<_>, _>>()?;
        if expressions.is_empty() {
            // Building an empty set would ask the system for the number of processors.
            return Ok(Patterns(None));
        }
        let too_large = |error: regex::Error| format!("invalid pattern: {error}");
        RegexSet::new(expressions).map(|set| Patterns(Some(set))).map_err(too_large)
    }

    pub(super) fn are_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether one of them matches.
    pub(super) fn match_bytes(&self, text: &[u8]) -> bool {
        self.0.as_ref().is_some_and(|patterns| patterns.is_match(text))
    }
}

/// Any character, and any byte that is not part of one.
const ANY: &str = "(?:.|(?-u:.))";

/// Returns the regular expression for a pattern.
fn expression(pattern: &str, begin: &str) -> String {
    let mut text = format!("(?s)^{begin}");
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        match character {
            '*' => text.push_str("(?-u:.)*"),
            '?' => text.push_str(ANY),
            '\\' => text.push_str(&literal(rest.next().unwrap_or('\\'))),
            '[' => match bracket(rest.as_str()) {
                Some((class, after)) => {
                    text.push_str(&class);
                    rest = after.chars();
                }
                None => text.push_str(&literal('[')),
            },
            other => text.push_str(&literal(other)),
        }
    }
    text + "$"
}

fn literal(character: char) -> String {
    format!("\\x{{{:x}}}", u32::from(character))
}

/// Returns the character class that a bracket starts, and what follows it. `None` if the bracket is
/// not closed.
fn bracket(text: &str) -> Option<(String, &str)> {
    let (is_negated, mut text) = match text.strip_prefix(['!', '^']) {
        Some(text) => (true, text),
        None => (false, text),
    };
    let mut items = String::new();
    let mut is_first = true;
    loop {
        if let Some(after) = text.strip_prefix(']').filter(|_| !is_first) {
            return Some((class(&items, is_negated), after));
        }
        is_first = false;
        if let Some((name, after)) = text.strip_prefix("[:").and_then(|text| text.split_once(":]"))
        {
            // An unknown class is empty.
            if CLASSES.contains(&name) {
                items.extend(["[:", name, ":]"]);
            }
            text = after;
            continue;
        }
        let (first, after) = member(text)?;
        text = after;
        let range = text.strip_prefix('-').filter(|text| !text.starts_with(']'));
        let last = match range {
            Some(range) => {
                let (last, after) = member(range)?;
                text = after;
                last
            }
            None => first,
        };
        if first <= last {
            items.extend([literal(first).as_str(), "-", &literal(last)]);
        }
    }
}

const CLASSES: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit",
];

/// Returns the next character of a class, and what follows it.
fn member(text: &str) -> Option<(char, &str)> {
    let mut rest = text.chars();
    let character = match rest.next()? {
        '\\' => rest.next()?,
        other => other,
    };
    Some((character, rest.as_str()))
}

fn class(items: &str, is_negated: bool) -> String {
    match (items.is_empty(), is_negated) {
        (false, false) => format!("[{items}]"),
        (false, true) => format!("(?:[^{items}]|(?-u:[\\x80-\\xff]))"),
        (true, true) => ANY.to_owned(),
        (true, false) => "[^\\x00-\\x{10ffff}]".to_owned(),
    }
}
