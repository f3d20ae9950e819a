//! Expands braces as bash does: textually, before any other parsing.

use std::borrow::Cow;
use std::path::is_separator;

/// The maximum number of opening braces. Otherwise finding the end of each brace would take
/// quadratic time.
const MAX_BRACES: usize = 100;
const MAX_WORDS: usize = 10_000;
const MAX_BYTES: usize = 1 << 20;

const TOO_MANY: &str = "its braces expand to too many patterns";

/// A partly expanded pattern: the expanded beginning, and the remaining parts in reverse order.
struct Begun<'p> {
    done: String,
    parts: Vec<&'p str>,
}

struct List<'p> {
    open: usize,
    alternatives: Vec<Cow<'p, str>>,
    close: usize,
}

pub(super) fn expand(pattern: &str) -> Result<Vec<String>, &'static str> {
    if pattern.bytes().filter(|&byte| byte == b'{').count() > MAX_BRACES {
        return Err("too many braces");
    }
    let mut words = Vec::new();
    // Use a stack instead of recursion, because a thread's stack can be small.
    let mut begun = vec![Begun { done: String::new(), parts: vec![pattern] }];
    let mut bytes = 0;
    while let Some(Begun { mut done, mut parts }) = begun.pop() {
        bytes -= done.len();
        let Some(part) = parts.pop() else {
            bytes += done.len();
            words.push(done);
            continue;
        };
        let Some(List { open, alternatives, close }) = list(part)? else {
            done += part;
            bytes += done.len();
            if bytes > MAX_BYTES {
                return Err(TOO_MANY);
            }
            begun.push(Begun { done, parts });
            continue;
        };
        done += &part[..open];
        parts.push(&part[close + 1..]);
        let count = words.len() + begun.len() + alternatives.len();
        bytes += done.len() * alternatives.len();
        if count > MAX_WORDS || bytes > MAX_BYTES {
            return Err(TOO_MANY);
        }
        for alternative in alternatives.into_iter().rev() {
            let (mut done, mut parts) = (done.clone(), parts.clone());
            match alternative {
                Cow::Borrowed(part) => parts.push(part),
                Cow::Owned(text) => {
                    bytes += text.len();
                    done += &text;
                }
            }
            begun.push(Begun { done, parts });
        }
    }
    words.retain(|word| !word.is_empty());
    Ok(words)
}

fn list(text: &str) -> Result<Option<List<'_>>, &'static str> {
    let mut at = 0;
    while let Some(open) = opening(text, at) {
        let Some(close) = closing(text, open + 1) else {
            at = open + 1;
            continue;
        };
        let body = &text[open + 1..close];
        let alternatives = if plain(body, 0).any(|(_, byte)| byte == b',') {
            alternatives(body).into_iter().map(Cow::Borrowed).collect()
        } else {
            // Braces that contain neither a comma nor a range are literal.
            let range = range(body)?.unwrap_or_else(|| vec![text[open..=close].to_owned()]);
            range.into_iter().map(Cow::Owned).collect()
        };
        return Ok(Some(List { open, alternatives, close }));
    }
    Ok(None)
}

fn plain(text: &str, from: usize) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut is_escaped = false;
    text.bytes().enumerate().skip(from).filter(move |&(_, byte)| {
        let was_escaped = std::mem::take(&mut is_escaped);
        // Where backslashes are path separators, they do not escape.
        is_escaped = byte == b'\\' && !was_escaped && !is_separator('\\');
        !was_escaped && !is_escaped
    })
}

/// Finds the next opening brace. Ignores `{}` at the start of a word, which is `find`'s
/// placeholder.
fn opening(text: &str, from: usize) -> Option<usize> {
    let before = |at: usize| text.as_bytes()[..at].last().copied();
    let is_empty = |at: usize| {
        before(at).is_none_or(|it| it.is_ascii_whitespace()) && text[at..].starts_with("{}")
    };
    plain(text, from).find(|&(at, byte)| byte == b'{' && !is_empty(at)).map(|(at, _)| at)
}

fn closing(text: &str, from: usize) -> Option<usize> {
    let (mut level, mut is_list) = (0_usize, false);
    plain(text, from)
        .find(|&(at, byte)| {
            match byte {
                b'}' if level == 0 && is_list => return true,
                b'{' => level += 1,
                b'}' => level = level.saturating_sub(1),
                b',' => is_list |= level == 0,
                b'.' => {
                    let rest = text[at..].strip_prefix("..");
                    is_list |= level == 0 && rest.is_some_and(|rest| !rest.starts_with('}'));
                }
                _ => {}
            }
            false
        })
        .map(|(at, _)| at)
}

fn alternatives(body: &str) -> Vec<&str> {
    let (mut level, mut begin, mut parts) = (0_usize, 0, Vec::new());
    for (at, byte) in plain(body, 0) {
        match byte {
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            b',' if level == 0 => {
                parts.push(&body[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[begin..]);
    parts
}

/// Expands a range such as `1..3` or `a..e..2`. Returns `None` for any other text.
fn range(body: &str) -> Result<Option<Vec<String>>, &'static str> {
    let parts: Vec<&str> = body.split("..").collect();
    let (first, last, step) = match parts[..] {
        [first, last] => (first, last, Some(1)),
        [first, last, step] => (first, last, step.parse::<i64>().ok()),
        _ => return Ok(None),
    };
    let Some(step) = step.and_then(|step| usize::try_from(step.unsigned_abs().max(1)).ok()) else {
        return Ok(None);
    };
    if let (Ok(begin), Ok(end)) = (first.parse::<i64>(), last.parse::<i64>()) {
        if begin.abs_diff(end) / step as u64 >= MAX_WORDS as u64 {
            return Err(TOO_MANY);
        }
        let is_padded = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.len() > 1 && digits.starts_with('0')
        };
        let is_padded = is_padded(first) || is_padded(last);
        let width = if is_padded { first.len().max(last.len()) } else { 0 };
        let number = |number: i64| format!("{number:0width$}");
        return Ok(Some(if begin <= end {
            (begin..=end).step_by(step).map(number).collect()
        } else {
            (end..=begin).rev().step_by(step).map(number).collect()
        }));
    }
    let (&[begin], &[end]) = (first.as_bytes(), last.as_bytes()) else { return Ok(None) };
    if !begin.is_ascii_alphabetic() || !end.is_ascii_alphabetic() {
        return Ok(None);
    }
    if begin.is_ascii_uppercase() != end.is_ascii_uppercase() {
        return Err("a range of letters in braces must have one case");
    }
    let letter = |letter: u8| char::from(letter).to_string();
    Ok(Some(if begin <= end {
        (begin..=end).step_by(step).map(letter).collect()
    } else {
        (end..=begin).rev().step_by(step).map(letter).collect()
    }))
}
