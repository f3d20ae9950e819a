//! A small lexer for Rust: it separates code from comments and literals, so that the rules do not
//! trip over documentation or text.
//!
//! It knows line and nested block comments, plain, byte, C and raw strings, characters and
//! lifetimes. It does not know macros: their bodies are tokens like all others.

/// An identifier, a `::`, one other punctuation character, or a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The text; every literal is `"`, because no rule asks what is in it.
    pub(super) text: String,
    /// The line, counted from one.
    pub(super) line: usize,
}

/// One line of a comment, without its markers' meaning: `//! text`, `/* text`, ` * text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// The text of that line.
    pub(super) text: String,
    /// The line, counted from one.
    pub(super) line: usize,
}

/// A file taken apart.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The code, in order.
    pub(super) tokens: Vec<Token>,
    /// The comments, in order, one item for each line of them.
    pub(super) comments: Vec<Comment>,
}

impl Source {
    /// Takes a file apart. Code that does not compile gives some answer, never a panic.
    pub(super) fn new(text: &str) -> Self {
        let mut lexer = Lexer { text, at: 0, line: 1, source: Self::default() };
        while lexer.step() {}
        lexer.source
    }

    /// The text of a token, and nothing for one past the end.
    pub(super) fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text.as_str())
    }

    /// Whether the tokens from `index` on are these.
    pub(super) fn starts(&self, index: usize, wanted: &[&str]) -> bool {
        wanted.iter().enumerate().all(|(n, text)| self.text(index + n) == *text)
    }

    /// The index just behind the group that opens at `index`, with `(`, `[` or `{`.
    pub(super) fn behind_group(&self, index: usize) -> usize {
        let mut depth = 0_usize;
        for (n, token) in self.tokens.iter().enumerate().skip(index) {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return n + 1;
            }
        }
        self.tokens.len()
    }

    /// Every path below `start` that is written out, in `use` groups too: its second part and the
    /// token it stands at. `use std::{fs, io::{self}}` below `std` gives `fs` and `io`.
    pub(super) fn below<'a>(&'a self, start: &'a str) -> impl Iterator<Item = (&'a str, usize)> {
        (0..self.tokens.len())
            .filter(move |&at| self.starts(at, &[start, "::"]) && !self.is_inner(at))
            .flat_map(move |at| self.heads(at + 2))
            .map(|at| (self.text(at), at))
    }

    /// As [`Source::below`], below so many `super`.
    pub(super) fn below_supers(&self, count: usize) -> impl Iterator<Item = (&str, usize)> {
        let supers = ["super", "::"].repeat(count);
        (0..self.tokens.len())
            .filter(move |&at| self.starts(at, &supers) && !self.is_inner(at))
            .flat_map(move |at| self.heads(at + 2 * count))
            .map(|at| (self.text(at), at))
    }

    /// Whether the token is itself reached through a path: `other::std`, but not `::std`.
    fn is_inner(&self, at: usize) -> bool {
        at >= 2 && self.text(at - 1) == "::" && is_word(self.text(at - 2))
    }

    /// The first words of the paths at `at`: one, or those of a group.
    fn heads(&self, at: usize) -> Vec<usize> {
        if self.text(at) != "{" {
            return vec![at];
        }
        let end = self.behind_group(at) - 1;
        let mut heads = vec![at + 1];
        let mut next = at + 1;
        while next < end {
            next = match self.text(next) {
                "{" => self.behind_group(next),
                "," => {
                    heads.push(next + 1);
                    next + 1
                }
                _ => next + 1,
            };
        }
        heads.retain(|&head| head < end);
        heads
    }
}

/// Whether a token is an identifier or a keyword.
pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_alphanumeric())
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    source: Source,
}

impl Lexer<'_> {
    /// Takes one token, comment or space; false at the end.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return false;
        };
        if rest.starts_with("//") {
            self.comment(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.comment(block_comment(rest));
        } else if let Some(length) = literal(rest) {
            self.token("\"", length);
        } else if first == '_' || first.is_alphanumeric() {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            let word = &rest[raw..];
            let end = word.find(|letter: char| letter != '_' && !letter.is_alphanumeric());
            let end = end.unwrap_or(word.len());
            self.token(&word[..end], raw + end);
        } else if rest.starts_with("::") {
            self.token("::", 2);
        } else if first.is_whitespace() {
            self.pass(first.len_utf8());
        } else {
            self.token(&first.to_string(), first.len_utf8());
        }
        true
    }

    fn token(&mut self, text: &str, length: usize) {
        self.source.tokens.push(Token { text: text.to_owned(), line: self.line });
        self.pass(length);
    }

    fn comment(&mut self, length: usize) {
        let text = &self.text[self.at..self.at + length];
        for (line, text) in (self.line..).zip(text.lines()) {
            self.source.comments.push(Comment { text: text.to_owned(), line });
        }
        self.pass(length);
    }

    /// Moves on, counting lines.
    fn pass(&mut self, length: usize) {
        self.line += self.text[self.at..self.at + length].matches('\n').count();
        self.at += length;
    }
}

/// The length of the block comment at the start of `text`; they nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of the string or character at the start of `text`, if there is one.
fn literal(text: &str) -> Option<usize> {
    // The prefixes b, c, r, br and cr belong to the literal only if a quote follows at once.
    let prefix = ["br", "cr", "b", "c", "r"].into_iter().find(|prefix| text.starts_with(prefix));
    let start = prefix.map_or(0, str::len);
    let raw = prefix.is_some_and(|prefix| prefix.ends_with('r'));
    let body = &text[start..];
    if raw {
        let hashes = body.len() - body.trim_start_matches('#').len();
        if !body[hashes..].starts_with('"') {
            return None;
        }
        let close = format!("\"{}", "#".repeat(hashes));
        let inner = start + hashes + 1;
        return Some(text[inner..].find(&close).map_or(text.len(), |n| inner + n + close.len()));
    }
    if body.starts_with('"') {
        return Some(start + quoted(body, '"'));
    }
    if body.starts_with('\'') && matches!(prefix, None | Some("b")) {
        let mut inner = body[1..].chars();
        let first = inner.next()?;
        // A character is closed right after its first one; a lifetime is not.
        if first == '\\' || inner.next() == Some('\'') {
            return Some(start + quoted(body, '\''));
        }
    }
    None
}

/// The length of a literal in quotes with escapes, the quotes included.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == quote {
            return at + letter.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let source = Source::new(text);
        source.tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_are_not_code() {
        assert_eq!(code("a // b\nc /* d /* e */ f */ g"), "a c g");
        assert_eq!(code("a /* never closed"), "a");
    }

    #[test]
    fn strings_are_one_token() {
        assert_eq!(code(r#"f("unsafe // \" {", b"x", c"y")"#), "f ( \" , \" , \" )");
        assert_eq!(code("r\"a\\\" b r#\"q\" unsafe\"# c"), "\" b \" c");
        assert_eq!(code("br##\"a\"# b\"## c"), "\" c");
        assert_eq!(code("\"never closed"), "\"");
    }

    #[test]
    fn characters_and_lifetimes() {
        assert_eq!(code(r"'a' '\'' b'{' '{' '\u{7f}' 'é'"), "\" \" \" \" \" \"");
        assert_eq!(code("&'a str"), "& ' a str");
        assert_eq!(code("fn f<'a>(x: &'a T) {}"), "fn f < ' a > ( x : & ' a T ) { }");
    }

    #[test]
    fn words_that_only_look_like_prefixes() {
        assert_eq!(code("bar b r#type crate::c"), "bar b type crate :: c");
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let source = Source::new("a\n/* x\ny */ b\n\"s\nt\" c // z");
        let lines: Vec<_> =
            source.tokens.iter().map(|token| (token.text.as_str(), token.line)).collect();
        assert_eq!(lines, [("a", 1), ("b", 3), ("\"", 4), ("c", 5)]);
        let lines: Vec<_> = source.comments.iter().map(|comment| comment.line).collect();
        assert_eq!(lines, [2, 3, 5]);
    }

    #[test]
    fn paths_below_a_start() {
        let below = |text: &str| {
            let source = Source::new(text);
            source.below("std").map(|(part, _)| part.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(below("use std::fs; std :: io::Read"), ["fs", "io"]);
        assert_eq!(below("use std::{io::{self, fs}, fs::File,\n env};"), ["io", "fs", "env"]);
        assert_eq!(below("use std::{fs,};"), ["fs"]);
        assert_eq!(below("other::std::fs; ::std::fs"), ["fs"]);
    }

    #[test]
    fn groups_end_where_they_close() {
        let source = Source::new("a(b{c}[d])e");
        assert_eq!(source.text(source.behind_group(1)), "e");
        assert_eq!(Source::new("a(b").behind_group(1), 3);
    }
}
