//! Matches sets of patterns. The literal start or end of a pattern rules out most names before the
//! matcher runs.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{MAIN_SEPARATOR, Path};

use super::glob::{Dialect, Fault, Matcher, is_special};

#[derive(Clone, Debug)]
pub(super) struct Patterns {
    text: Vec<u8>,
    list: Vec<Pattern>,
    pub(super) matcher: Matcher,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) is_name: bool,
    pub(super) directories_only: bool,
    /// Whether a match includes the entry instead of excluding it.
    pub(super) negates: bool,
}

#[derive(Clone, Debug)]
struct Pattern {
    text: Range<usize>,
    literal: usize,
    /// The length of the part after the last star, and the number of bytes that this part matches.
    ending: (u16, u16),
    /// Whether the pattern is a star followed by literal text, so that only the end of a name is
    /// compared.
    is_ending: bool,
    scope: Scope,
}

impl Patterns {
    pub(super) fn new(dialect: Dialect) -> Patterns {
        let reads_bytes = dialect == Dialect::Git;
        let matcher = Matcher { dialect, ignores_case: false, reads_bytes };
        Patterns { text: Vec::new(), list: Vec::new(), matcher }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn add(&mut self, pattern: &[u8], scope: Scope) -> Result<(), Fault> {
        let is_literal = |text: &[u8]| !text.iter().any(|&byte| is_special(byte));
        let literal = pattern.iter().take_while(|&&byte| !is_special(byte)).count();
        let (length, width) = self.matcher.ending(&pattern[literal..])?;
        let ending = length.try_into().map_or((0, 0), |length| (length, width as u16));
        let is_ending = scope.is_name && pattern.strip_prefix(b"*").is_some_and(is_literal);
        let begin = self.text.len();
        self.text.extend_from_slice(pattern);
        let text = begin..self.text.len();
        self.list.push(Pattern { text, literal, ending, is_ending, scope });
        Ok(())
    }

    /// Returns the decision of the last matching pattern.
    pub(super) fn decide(
        &self,
        path: Option<&[u8]>,
        name: Option<&[u8]>,
        is_directory: bool,
    ) -> Option<bool> {
        let matches = |pattern: &&Pattern| {
            (is_directory || !pattern.scope.directories_only)
                && if pattern.scope.is_name { name } else { path }
                    .is_some_and(|text| self.matches(pattern, text))
        };
        self.list.iter().rev().find(matches).map(|pattern| !pattern.scope.negates)
    }

    #[inline]
    fn matches(&self, pattern: &Pattern, text: &[u8]) -> bool {
        let Pattern { literal, is_ending, ending: (length, width), .. } = *pattern;
        let (matcher, pattern) = (self.matcher, &self.text[pattern.text.clone()]);
        if matcher.ignores_case && matcher.dialect != Dialect::Git {
            return matcher.matches(pattern, 0, text);
        }
        let Some((begin, rest)) = text.split_at_checked(literal) else { return false };
        if !matcher.ignores_case {
            if literal == pattern.len() {
                return text == pattern;
            }
            if is_ending {
                return text.ends_with(&pattern[1..]);
            }
            let ending = &pattern[pattern.len() - usize::from(length)..];
            if begin != &pattern[..literal] || !matcher.has_ending(text, ending, width.into()) {
                return false;
            }
        } else if !begin.eq_ignore_ascii_case(&pattern[..literal]) {
            return false;
        }
        if matcher.dialect == Dialect::Git {
            // Git handles `**` after the literal prefix as it does at the start of a component.
            return matcher.matches(&pattern[literal..], 0, rest);
        }
        // glibc compares characters if pattern and text are valid UTF-8. Otherwise, or without a
        // match, it compares bytes.
        let is_valid = |text| std::str::from_utf8(text).is_ok();
        (matcher.dialect != Dialect::Gnu || is_valid(pattern) && is_valid(text))
            && matcher.matches(pattern, literal, rest)
            || matcher.dialect == Dialect::Gnu
                && Matcher { reads_bytes: true, ..matcher }.matches(pattern, literal, rest)
    }
}

pub(super) fn with_slashes(path: &Path) -> Cow<'_, [u8]> {
    let path = path.as_os_str().as_encoded_bytes();
    if MAIN_SEPARATOR == '/' {
        return Cow::Borrowed(path);
    }
    let slash = |&byte: &u8| if byte == MAIN_SEPARATOR as u8 { b'/' } else { byte };
    Cow::Owned(path.iter().map(slash).collect())
}
