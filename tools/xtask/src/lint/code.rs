//! A Rust file as tokens, without comments, contents of literals and unit tests.

use std::ops::Range;

#[derive(Debug, Default)]
pub(crate) struct Code<'t> {
    /// Identifiers, `::`, single characters, and `"` for every literal, each with its line.
    tokens: Vec<(usize, &'t str)>,
    pub(crate) test_lines: usize,
}

impl<'t> Code<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut code = Self { tokens: tokens(text), test_lines: 0 };
        let tests = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
        while let Some(at) = code.all().find(|&at| code.starts(at, &tests) && code.is(at + 9, "{"))
        {
            let end = code.behind_group(at + 9);
            code.test_lines += code.line(end - 1) - code.line(at) + 1;
            code.tokens.drain(at..end);
        }
        code
    }

    pub(crate) fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    pub(crate) fn text(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| token.1)
    }

    pub(crate) fn before(&self, index: usize, back: usize) -> &'t str {
        index.checked_sub(back).map_or("", |index| self.text(index))
    }

    pub(crate) fn is(&self, index: usize, text: &str) -> bool {
        self.text(index) == text
    }

    pub(super) fn line(&self, index: usize) -> usize {
        self.tokens[index].0
    }

    pub(crate) fn starts(&self, index: usize, wanted: &[&str]) -> bool {
        wanted.iter().enumerate().all(|(n, text)| self.is(index + n, text))
    }

    pub(crate) fn behind_group(&self, index: usize) -> usize {
        let mut depth = 0_usize;
        for at in index..self.tokens.len() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.tokens.len()
    }

    /// The next part of every path that begins with `start`, and its token's index. For `std`, `use
    /// std::{fs, io::{self}}` gives `fs` and `io`.
    pub(super) fn below(&self, start: &[&str]) -> Vec<(&'t str, usize)> {
        let start: Vec<&str> = start.iter().flat_map(|&part| [part, "::"]).collect();
        // `other::std` is a different path, but `::std` is not.
        let is_inner = |at: usize| self.before(at, 1) == "::" && is_word(self.before(at, 2));
        let paths = self.all().filter(|&at| self.starts(at, &start) && !is_inner(at));
        let heads = paths.flat_map(|at| self.heads(at + start.len()));
        heads.map(|at| (self.text(at), at)).collect()
    }

    fn heads(&self, at: usize) -> Vec<usize> {
        if !self.is(at, "{") {
            return vec![at];
        }
        let (mut heads, mut next, end) = (Vec::new(), at + 1, self.behind_group(at) - 1);
        while next < end {
            heads.push(next);
            while next < end && !self.is(next, ",") {
                next = if self.is(next, "{") { self.behind_group(next) } else { next + 1 };
            }
            next += 1;
        }
        heads
    }
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_alphanumeric())
}

fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = rest.find(|letter: char| letter != '_' && !letter.is_alphanumeric());
        let word = word.unwrap_or(rest.len());
        let (length, token) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if rest.starts_with("/*") {
            (comment(rest), None)
        } else if let Some(length) = literal(rest) {
            (length, Some("\""))
        } else if rest.starts_with("r#") {
            (2, None)
        } else if word > 0 {
            (word, Some(&rest[..word]))
        } else if rest.starts_with("::") {
            (2, Some("::"))
        } else {
            let length = first.len_utf8();
            (length, (!first.is_whitespace()).then(|| &rest[..length]))
        };
        tokens.extend(token.map(|token| (line, token)));
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => 1,
            [b'*', b'/', ..] => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 { 1 } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}

fn literal(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| {
            let rest = if prefix.ends_with('r') { rest.trim_start_matches('#') } else { rest };
            rest.starts_with('"') || rest.starts_with('\'') && matches!(*prefix, "" | "b")
        })
    })?;
    let body = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let marks = body.len() - body.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(marks));
        let open = prefix.len() + marks + 1;
        return Some(text[open..].find(&end).map_or(text.len(), |at| open + at + end.len()));
    }
    let quote = body.chars().next()?;
    // If no quote follows the first character or escape, this is a lifetime.
    let mut letters = body.char_indices().skip(1);
    if quote == '\'' && !body.starts_with("'\\") && body.chars().nth(2) != Some('\'') {
        return None;
    }
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return Some(prefix.len() + at + 1);
        }
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        Code::new(text).tokens.iter().map(|token| token.1).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_not_code() {
        assert_eq!(
            code("a // b\nc(\"unsafe {\", 'x', b\"y\") /* d /* \" */ */"),
            "a c ( \" , \" , \" )"
        );
        assert_eq!(code("a: ::b, c::d, r#type:&'a T"), "a : :: b , c :: d , type : & ' a T");
        assert_eq!(
            code("r#\"a\"b\"# '\\'' 'ä' '\"' \"\\\"\" b'\\\\' 'a: x'"),
            "\" \" \" \" \" \" ' a : x '"
        );
        assert_eq!(code("bar(\"x\") br\"y\" crab"), "bar ( \" ) \" crab");
    }

    #[test]
    fn unit_tests_are_left_out() {
        let tests = "a;\n#[cfg(test)]\nmod tests {\n \"}\"\n}\nc\n#[cfg(test)]\nmod tests;";
        let found = Code::new(tests);
        assert_eq!((found.text(2), found.test_lines), ("c", 4));
        assert_eq!(found.line(2), 6);
    }

    #[test]
    fn paths_below_a_start() {
        let below = |text| {
            Code::new(text).below(&["std"]).into_iter().map(|(part, _)| part).collect::<Vec<_>>()
        };
        assert_eq!(below("use std::fs; std :: io::Read"), ["fs", "io"]);
        assert_eq!(below("use std::{io::{self, fs}, fs::File,\n env};"), ["io", "fs", "env"]);
        assert_eq!(below("use std::{fs,};"), ["fs"]);
        assert_eq!(below("other::std::fs; ::std::fs"), ["fs"]);
    }
}
