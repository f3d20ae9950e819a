//! git's patterns ("wildmatch"), matched without compiling them.
//!
//! Patterns come from untrusted files. Nothing is compiled and nothing recurses, so a pattern takes
//! no memory besides its text. A `*` matches as few bytes as possible, and one more each time that
//! the rest does not match. Only the last `*` of a name and the last `**` need to be tried again,
//! so the time is polynomial, where that of a recursive matcher is exponential.

/// One element of a pattern.
#[derive(Clone, Copy)]
enum Token<'p> {
    Byte(u8),
    /// Any byte but a slash.
    Any,
    /// A class, from behind its opening bracket.
    Class(&'p [u8]),
    /// Any number of bytes other than slashes.
    Star,
    /// Any number of bytes.
    Deep,
    /// `**/`: nothing, or any number of bytes that end in a slash.
    Directories,
}

impl Token<'_> {
    fn takes(self, byte: u8) -> bool {
        match self {
            Token::Byte(only) => byte == only,
            Token::Any => byte != b'/',
            Token::Class(body) => byte != b'/' && class(body, byte).is_some_and(|(has, _)| has),
            Token::Star | Token::Deep | Token::Directories => false,
        }
    }
}

/// Returns whether this pattern can match anything in git.
pub(super) fn is_pattern(pattern: &[u8]) -> bool {
    let mut at = 0;
    while at < pattern.len() {
        match token(pattern, at) {
            Some((_, next)) => at = next,
            None => return false,
        }
    }
    true
}

/// Returns whether a byte has a special meaning.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

/// Returns whether a pattern matches the whole text.
pub(super) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    // For the last `*` and the last `**`: where the pattern goes on, and the text.
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize, bool)> = None;
    loop {
        match token(pattern, at) {
            None if read == text.len() => return true,
            Some((Token::Star, next)) => {
                star = Some((next, read));
                at = next;
                continue;
            }
            Some((token @ (Token::Deep | Token::Directories), next)) => {
                deep = Some((next, read, matches!(token, Token::Directories)));
                (star, at) = (None, next);
                continue;
            }
            Some((token, next)) if text.get(read).is_some_and(|&byte| token.takes(byte)) => {
                (at, read) = (next, read + 1);
                continue;
            }
            _ => {}
        }
        if let Some((next, from)) = star {
            if text.get(from).is_some_and(|&byte| byte != b'/') {
                star = Some((next, from + 1));
                (at, read) = (next, from + 1);
                continue;
            }
        }
        let Some((next, from, whole_names)) = deep else { return false };
        let more = if whole_names {
            text[from..].iter().position(|&byte| byte == b'/')
        } else {
            (from < text.len()).then_some(0)
        };
        let Some(more) = more else { return false };
        let from = from + more + 1;
        deep = Some((next, from, whole_names));
        (star, at, read) = (None, next, from);
    }
}

/// Returns the element at an index of a pattern, and the index of the next one. `None` at the end,
/// and for an invalid pattern.
fn token(pattern: &[u8], at: usize) -> Option<(Token<'_>, usize)> {
    let rest = &pattern[at..];
    Some(match *rest.first()? {
        b'?' => (Token::Any, at + 1),
        b'\\' => (Token::Byte(*rest.get(1)?), at + 2),
        b'[' => {
            let (_, length) = class(&rest[1..], 0)?;
            (Token::Class(&rest[1..]), at + 1 + length)
        }
        b'*' => {
            let length = rest.iter().take_while(|&&byte| byte == b'*').count();
            let next = at + length;
            let begins_name = at.checked_sub(1).is_none_or(|before| pattern[before] == b'/');
            match &rest[length..] {
                _ if length < 2 || !begins_name => (Token::Star, next),
                [b'/', ..] => (Token::Directories, next + 1),
                [] | [b'\\', b'/', ..] => (Token::Deep, next),
                _ => (Token::Star, next),
            }
        }
        byte => (Token::Byte(byte), at + 1),
    })
}

/// Returns whether a class contains a byte, and its length with the closing bracket. `body` begins
/// behind the opening bracket. `None` for an invalid class.
fn class(body: &[u8], byte: u8) -> Option<(bool, usize)> {
    let is_negated = matches!(body.first(), Some(b'!' | b'^'));
    let begin = usize::from(is_negated);
    let mut at = begin;
    let mut has = false;
    // The byte that a range can begin with.
    let mut before = None;
    loop {
        before = match (before, body.get(at..)?) {
            (_, []) => return None,
            (_, [b']', ..]) if at > begin => return Some((has != is_negated, at + 1)),
            (_, [b'\\', rest @ ..]) => {
                at += 1;
                let escaped = *rest.first()?;
                has |= byte == escaped;
                Some(escaped)
            }
            (Some(first), [b'-', last, rest @ ..]) if *last != b']' => {
                let is_escaped = *last == b'\\';
                let last = if is_escaped { *rest.first()? } else { *last };
                at += 1 + usize::from(is_escaped);
                has |= (first..=last).contains(&byte);
                None
            }
            (_, [b'[', b':', rest @ ..]) => {
                let length = rest.iter().position(|&byte| byte == b']')?;
                if let Some(name) = rest[..length].strip_suffix(b":") {
                    has |= is_of_kind(name, byte)?;
                    at += 2 + length;
                    None
                } else {
                    has |= byte == b'[';
                    Some(b'[')
                }
            }
            (_, [other, ..]) => {
                has |= byte == *other;
                Some(*other)
            }
        };
        at += 1;
    }
}

/// Returns whether a byte is of a kind such as `[:alpha:]`, by git's tables; `None` for an unknown
/// name.
fn is_of_kind(name: &[u8], byte: u8) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte == b' ' || byte.is_ascii_graphic(),
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}
