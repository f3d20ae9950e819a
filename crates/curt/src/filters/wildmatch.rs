//! git's patterns ("wildmatch"), matched without compiling them.
//!
//! Patterns come from untrusted files. Nothing is compiled and nothing recurses, so a pattern takes
//! no memory besides its text. A `*` matches as few bytes as possible, and one more each time that
//! the rest does not match. Only the last `*` of a name and the last `**` need to be tried again,
//! so the time is polynomial, where that of a recursive matcher is exponential.

/// One element of a pattern.
#[derive(Clone, Copy)]
enum Token {
    Byte(u8),
    /// Any byte but a slash.
    Any,
    Class(Set),
    /// Any number of bytes other than slashes.
    Star,
    /// Any number of bytes.
    Deep,
    /// `**/`: nothing, or any number of bytes that end in a slash.
    Directories,
}

impl Token {
    fn takes(self, byte: u8) -> bool {
        match self {
            Token::Byte(only) => byte == only,
            Token::Any => byte != b'/',
            Token::Class(set) => byte != b'/' && set.has(byte),
            Token::Star | Token::Deep | Token::Directories => false,
        }
    }
}

/// The bytes of a class.
#[derive(Clone, Copy, Default)]
struct Set([u128; 2]);

impl Set {
    fn add(&mut self, first: u8, last: u8) {
        for (part, base) in self.0.iter_mut().zip([0, 128]) {
            let (first, last) = (first.max(base), last.min(base + 127));
            if first <= last {
                *part |= (u128::MAX >> (127 - (last - first))) << (first - base);
            }
        }
    }

    fn has(self, byte: u8) -> bool {
        (self.0[usize::from(byte >> 7)] >> (byte & 127)) & 1 == 1
    }
}

/// Returns the length of a pattern's ending, which follows its last star, and how many bytes it
/// matches. `None` if the pattern matches nothing in git.
pub(super) fn ending(pattern: &[u8]) -> Option<(usize, usize)> {
    let (mut at, mut begin, mut width) = (0, 0, 0);
    while at < pattern.len() {
        let (token, next) = token(pattern, at)?;
        (at, width) = (next, width + 1);
        if matches!(token, Token::Star | Token::Deep | Token::Directories) {
            (begin, width) = (next, 0);
        }
    }
    Some((pattern.len() - begin, width))
}

/// Returns whether a text has the ending of a pattern, which matches `width` bytes.
pub(super) fn has_ending(text: &[u8], ending: &[u8], width: usize) -> bool {
    let Some(from) = text.len().checked_sub(width) else { return false };
    let mut at = 0;
    text[from..].iter().all(|&byte| {
        token(ending, at).is_some_and(|(token, next)| {
            at = next;
            token.takes(byte)
        })
    })
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
    // The last class and its index. It may be long, and is tried at one byte after another.
    let mut class: Option<(usize, (Token, usize))> = None;
    loop {
        let element = match class {
            Some((index, element)) if index == at => Some(element),
            _ => token(pattern, at),
        };
        if let Some(element @ (Token::Class(_), _)) = element {
            class = Some((at, element));
        }
        match element {
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
            let literal = pattern.get(next).filter(|&&byte| !is_special(byte));
            let in_name = |from: &usize| text.get(*from).is_some_and(|&byte| byte != b'/');
            let mut places = (from..).take_while(in_name).map(|from| from + 1);
            if let Some(from) = places.find(|&at| literal.is_none() || text.get(at) == literal) {
                star = Some((next, from));
                (at, read) = (next, from);
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
fn token(pattern: &[u8], at: usize) -> Option<(Token, usize)> {
    let rest = &pattern[at..];
    Some(match *rest.first()? {
        b'?' => (Token::Any, at + 1),
        b'\\' => (Token::Byte(*rest.get(1)?), at + 2),
        b'[' => {
            let (set, length) = class(&rest[1..])?;
            (Token::Class(set), at + 1 + length)
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

/// Returns the bytes of a class, and its length with the closing bracket. `body` begins behind the
/// opening bracket. `None` for an invalid class.
fn class(body: &[u8]) -> Option<(Set, usize)> {
    let is_negated = matches!(body.first(), Some(b'!' | b'^'));
    let begin = usize::from(is_negated);
    let mut at = begin;
    let mut set = Set::default();
    // The byte that a range can begin with.
    let mut before = None;
    loop {
        before = match (before, body.get(at..)?) {
            (_, []) => return None,
            (_, [b']', ..]) if at > begin => {
                let bytes = if is_negated { set.0.map(|part| !part) } else { set.0 };
                return Some((Set(bytes), at + 1));
            }
            (_, [b'\\', rest @ ..]) => {
                at += 1;
                let escaped = *rest.first()?;
                set.add(escaped, escaped);
                Some(escaped)
            }
            (Some(first), [b'-', last, rest @ ..]) if *last != b']' => {
                let is_escaped = *last == b'\\';
                let last = if is_escaped { *rest.first()? } else { *last };
                at += 1 + usize::from(is_escaped);
                set.add(first, last);
                None
            }
            (_, [b'[', b':', rest @ ..]) => {
                let length = rest.iter().position(|&byte| byte == b']')?;
                if let Some(name) = rest[..length].strip_suffix(b":") {
                    for byte in 0..128 {
                        if is_of_kind(name, byte)? {
                            set.add(byte, byte);
                        }
                    }
                    at += 2 + length;
                    None
                } else {
                    set.add(b'[', b'[');
                    Some(b'[')
                }
            }
            (_, [other, ..]) => {
                set.add(*other, *other);
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
