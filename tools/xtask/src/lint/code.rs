//! The tokens of a Rust file, without comments and without its unit tests.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

/// An identifier, a `::`, a bracket, one other punctuation character, or a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The text; every literal is `"`, because no rule asks what is in it.
    pub(super) text: String,
    /// The line, counted from one.
    pub(super) line: usize,
}

/// The code of a file.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// The tokens, in order.
    pub(super) tokens: Vec<Token>,
    /// How many lines its unit tests have.
    pub(super) test_lines: usize,
}

impl Code {
    /// Takes a file apart. What the compiler would refuse, too, has no tokens.
    pub(super) fn new(text: &str) -> Self {
        let mut code = Self::default();
        code.add(text.parse().unwrap_or_default());
        code.leave_tests_out();
        code
    }

    fn add(&mut self, stream: TokenStream) {
        // Whether a colon was the last token, with nothing between it and the next.
        let mut is_half = false;
        for tree in stream {
            let span = tree.span();
            let was_half = std::mem::take(&mut is_half);
            match tree {
                TokenTree::Ident(word) => {
                    self.push(word.to_string().trim_start_matches("r#"), span);
                }
                TokenTree::Literal(_) => self.push("\"", span),
                TokenTree::Punct(sign) if was_half && sign.as_char() == ':' => {
                    self.tokens.pop();
                    self.push("::", span);
                }
                TokenTree::Punct(sign) => {
                    is_half = sign.as_char() == ':' && sign.spacing() == Spacing::Joint;
                    self.push(&sign.to_string(), span);
                }
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket | Delimiter::None => ("[", "]"),
                    };
                    self.push(open, span);
                    self.add(group.stream());
                    self.push(close, group.span_close());
                }
            }
        }
    }

    fn push(&mut self, text: &str, span: Span) {
        self.tokens.push(Token { text: text.to_owned(), line: span.start().line });
    }

    /// Removes every `#[cfg(test)] mod … { … }`.
    fn leave_tests_out(&mut self) {
        let tests = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];
        while let Some(at) =
            (0..self.tokens.len()).find(|&at| self.starts(at, &tests) && self.text(at + 9) == "{")
        {
            let end = self.behind_group(at + 9);
            self.test_lines += self.tokens[end - 1].line - self.tokens[at].line + 1;
            self.tokens.drain(at..end);
        }
    }

    /// The text of a token, and nothing for one past the end.
    pub(super) fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text.as_str())
    }

    /// The line of a token that there is.
    pub(super) fn line(&self, index: usize) -> usize {
        self.tokens[index].line
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

    /// Every path below `start` that is written out, in `use` groups too: its next part and the
    /// token it stands at. `use std::{fs, io::{self}}` below `std` gives `fs` and `io`.
    pub(super) fn below(&self, start: &[&str]) -> Vec<(&str, usize)> {
        let start: Vec<&str> = start.iter().flat_map(|&part| [part, "::"]).collect();
        // `other::std` is another path; `::std` is not.
        let is_inner =
            |at: usize| at >= 2 && self.text(at - 1) == "::" && is_word(self.text(at - 2));
        (0..self.tokens.len())
            .filter(|&at| self.starts(at, &start) && !is_inner(at))
            .flat_map(|at| self.heads(at + start.len()))
            .map(|at| (self.text(at), at))
            .collect()
    }

    /// The first words of the paths at `at`: one, or those of a group.
    fn heads(&self, at: usize) -> Vec<usize> {
        if self.text(at) != "{" {
            return vec![at];
        }
        let end = self.behind_group(at) - 1;
        let mut heads = Vec::new();
        let mut next = at + 1;
        while next < end {
            heads.push(next);
            while next < end && self.text(next) != "," {
                next = if self.text(next) == "{" { self.behind_group(next) } else { next + 1 };
            }
            next += 1;
        }
        heads
    }
}

/// Whether a token is an identifier or a keyword.
pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let code = Code::new(text);
        code.tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_not_code() {
        assert_eq!(code("a // b\nc(\"unsafe {\", 'x', b\"y\") /* d */"), "a c ( \" , \" , \" )");
        assert_eq!(code("a: ::b, c::d, r#type:&'a T"), "a : :: b , c :: d , type : & ' a T");
    }

    #[test]
    fn unit_tests_are_left_out() {
        let tests = "a;\n#[cfg(test)]\nmod tests {\n b\n}\nc\n#[cfg(test)]\nmod tests;";
        let found = Code::new(tests);
        assert_eq!((found.text(2), found.test_lines), ("c", 4));
        assert_eq!(found.line(2), 6);
    }

    #[test]
    fn paths_below_a_start() {
        let below = |text: &str| {
            let found = Code::new(text);
            found.below(&["std"]).into_iter().map(|(part, _)| part.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(below("use std::fs; std :: io::Read"), ["fs", "io"]);
        assert_eq!(below("use std::{io::{self, fs}, fs::File,\n env};"), ["io", "fs", "env"]);
        assert_eq!(below("use std::{fs,};"), ["fs"]);
        assert_eq!(below("other::std::fs; ::std::fs"), ["fs"]);
    }
}
