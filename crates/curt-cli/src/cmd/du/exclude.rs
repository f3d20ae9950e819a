//! `--exclude` as in GNU du: a pattern is matched against the path as it would be printed, with the
//! operand, and against each part of it that follows a slash. An asterisk matches slashes too.

use std::ffi::{OsStr, OsString};
use std::path::MAIN_SEPARATOR;

use regex::bytes::RegexSet;

use crate::quote::quote;

/// The patterns of paths that are skipped.
pub(super) struct Patterns(Option<RegexSet>);

impl Patterns {
    /// The error says what is wrong with a pattern.
    pub(super) fn new(patterns: &[OsString]) -> Result<Patterns, String> {
        if patterns.is_empty() {
            // Building an empty set would ask the system for the number of processors.
            return Ok(Patterns(None));
        }
        let mut expressions = Vec::new();
        for pattern in patterns {
            let text = pattern.to_str();
            let text =
                text.ok_or_else(|| format!("invalid pattern {}: not Unicode", quote(pattern)))?;
            expressions.push(expression(text));
        }
        let too_large = |error: regex::Error| format!("invalid pattern: {error}");
        RegexSet::new(expressions).map(|set| Patterns(Some(set))).map_err(too_large)
    }

    pub(super) fn are_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a path is skipped.
    pub(super) fn match_path(&self, path: &OsStr) -> bool {
        let Some(patterns) = &self.0 else {
            return false;
        };
        let bytes = path.as_encoded_bytes();
        if MAIN_SEPARATOR == '/' {
            return patterns.is_match(bytes);
        }
        let slashes = |&byte: &u8| if char::from(byte) == MAIN_SEPARATOR { b'/' } else { byte };
        patterns.is_match(&bytes.iter().map(slashes).collect::<Vec<u8>>())
    }
}

/// Any character, and any byte that is not part of one.
const ANY: &str = "(?:.|(?-u:.))";

/// Returns the regular expression for a pattern.
fn expression(pattern: &str) -> String {
    let mut text = String::from("(?s)^(?:(?-u:.)*/)?");
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

#[cfg(test)]
mod tests {
    use std::path::MAIN_SEPARATOR;

    use super::Patterns;

    #[test]
    fn patterns_match_paths_and_their_parts() {
        for (pattern, path, expected) in [
            ("x", "x", true),
            ("x", "a/x", true),
            ("x", "ax", false),
            ("x/a", "x/a", true),
            ("x/a", "y/x/a", true),
            ("./x", "./x", true),
            ("./x", "x", false),
            ("*.o", "a/b.o", true),
            ("a*c", "a/b/c", true),
            ("?", "é", true),
            ("a?b", "a/b", true),
            ("[!a]", "b", true),
            ("[^a]", "a", false),
            ("[]x]", "]", true),
            ("[a-c]", "b", true),
            ("[c-a]", "b", false),
            ("[a-", "[a-", true),
            ("[[:digit:]]", "7", true),
            ("[a\\]]", "]", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a.b", "axb", false),
            // On Windows a backslash is a separator.
            ("a\\", "a\\", MAIN_SEPARATOR == '/'),
            ("x/a", "y\\x\\a", MAIN_SEPARATOR == '\\'),
        ] {
            let patterns = Patterns::new(&[pattern.into()]).unwrap();
            assert_eq!(patterns.match_path(path.as_ref()), expected, "{pattern} {path}");
        }
    }
}
