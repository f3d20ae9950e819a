//! Parses git's configuration, from files and from `GIT_CONFIG_PARAMETERS`.

use std::io;

/// A name and its value. The value is `None` for a name without `=`.
pub(crate) type Setting = (Vec<u8>, Option<Vec<u8>>);

/// Parses all settings, for tests and fuzzing. Returns `None` if git would refuse the text.
#[cfg(any(test, fuzzing))]
#[cfg_attr(not(fuzzing), allow(unreachable_pub, reason = "public where it is fuzzed"))]
pub fn settings(text: &[u8]) -> Option<Vec<Setting>> {
    let mut parser = Parser::new(text);
    std::iter::from_fn(|| parser.next().transpose()).collect::<Result<_, _>>().ok()
}

/// A parser with the rules of git's `config.c`.
pub(crate) struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    section: Vec<u8>,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        Parser { text: text.strip_prefix(MARK).unwrap_or(text), at: 0, section: Vec::new() }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Setting>> {
        loop {
            let read = match self.byte() {
                _ if self.at > self.text.len() => return Ok(None),
                b'#' | b';' => {
                    self.skip_line();
                    Some(())
                }
                b'[' => self.read_section(),
                byte if is_blank(byte) => Some(()),
                byte if byte.is_ascii_alphabetic() => match self.read_value(byte) {
                    None => None,
                    read => return Ok(read),
                },
                _ => None,
            };
            if read.is_none() {
                let before = &self.text[..self.at.saturating_sub(1).min(self.text.len())];
                let line = before.split(|&byte| byte == b'\n').count();
                let words = format!("line {line} is not as git reads it");
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
        }
    }

    /// Returns the next byte. `\r\n` and the end of the text are read as `\n`.
    fn byte(&mut self) -> u8 {
        let (byte, length) = match self.text.get(self.at..).unwrap_or_default() {
            [b'\r', b'\n', ..] => (b'\n', 2),
            [byte, ..] => (*byte, 1),
            [] => (b'\n', 1),
        };
        self.at += length;
        byte
    }

    fn skip_line(&mut self) {
        while self.byte() != b'\n' {}
    }

    fn read_section(&mut self) -> Option<()> {
        self.section.clear();
        let mut byte = self.byte();
        while is_key(byte) || byte == b'.' {
            self.section.push(byte.to_ascii_lowercase());
            byte = self.byte();
        }
        if is_blank(byte) {
            while is_blank(byte) {
                if byte == b'\n' {
                    return None;
                }
                byte = self.byte();
            }
            if byte != b'"' {
                return None;
            }
            self.section.push(b'.');
            loop {
                byte = self.byte();
                if byte == b'"' {
                    break;
                }
                if byte == b'\\' {
                    byte = self.byte();
                }
                if byte == b'\n' {
                    return None;
                }
                self.section.push(byte);
            }
            byte = self.byte();
        }
        let is_named = !self.section.is_empty();
        self.section.push(b'.');
        (byte == b']' && is_named).then_some(())
    }

    fn read_value(&mut self, first: u8) -> Option<Setting> {
        let (mut name, mut byte) = (self.section.clone(), first);
        while is_key(byte) {
            name.push(byte.to_ascii_lowercase());
            byte = self.byte();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.byte();
        }
        // Cut the name at a NUL, because git stores it as a C string.
        let length = |text: &[u8]| text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        name.truncate(length(&name));
        match byte {
            b'\n' => return Some((name, None)),
            b'=' => {}
            _ => return None,
        }
        let (mut value, mut is_quoted, mut kept) = (Vec::new(), false, 0);
        loop {
            match self.byte() {
                b'\n' if is_quoted => return None,
                b'\n' => break,
                b'#' | b';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                byte if is_blank(byte) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'"' => is_quoted = !is_quoted,
                b'\\' => match self.byte() {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'b' => value.push(b'\x08'),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            kept = value.len();
        }
        value.truncate(kept.min(length(&value)));
        Some((name, Some(value)))
    }
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

pub(crate) fn trimmed(text: &[u8]) -> &[u8] {
    let begin = text.iter().take_while(|&&byte| is_blank(byte)).count();
    let end = text.iter().rposition(|&byte| !is_blank(byte)).map_or(begin, |last| last + 1);
    &text[begin..end]
}

/// In git a form feed is not a blank, unlike in Rust.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Parses `'NAME'='VALUE'`, `'NAME'=`, or `'NAME=VALUE'`, which older versions of git write.
pub(crate) fn parameter(text: &[u8]) -> Option<(Setting, &[u8])> {
    let (mut name, mut rest) = unquoted(text)?;
    let mut value = None;
    if let Some(after) = rest.strip_prefix(b"=") {
        rest = after;
        if rest.first() == Some(&b'\'') {
            let (word, after) = unquoted(rest)?;
            (value, rest) = (Some(word), after);
        }
    } else {
        if let Some(equals) = name.iter().position(|&byte| byte == b'=') {
            value = Some(name.split_off(equals + 1));
            name.pop();
        }
        name = trimmed(&name).to_vec();
    }
    let ends = rest.first().is_none_or(|&byte| is_blank(byte));
    Some(((canonical_name(&name).filter(|_| ends)?, value), rest))
}

fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let (mut word, mut rest) = (Vec::new(), text.strip_prefix(b"'")?);
    loop {
        let end = rest.iter().position(|&byte| byte == b'\'')?;
        word.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        match rest {
            [b'\\', byte @ (b'\'' | b'!'), b'\'', after @ ..] => {
                word.push(*byte);
                rest = after;
            }
            _ => return Some((word, rest)),
        }
    }
}

/// Returns the name with its section and key in lower case, or `None` if it is invalid.
pub(crate) fn canonical_name(name: &[u8]) -> Option<Vec<u8>> {
    let is_dot = |&byte: &u8| byte == b'.';
    let first = name.iter().position(is_dot)?;
    let last = name.iter().rposition(is_dot).filter(|&last| last > 0)?;
    let (section, middle, key) = (&name[..first], &name[first..last], &name[last + 1..]);
    let is_valid = key.first().is_some_and(u8::is_ascii_alphabetic)
        && section.iter().chain(key).all(|&byte| is_key(byte))
        && !middle.contains(&b'\n');
    let name = [&*section.to_ascii_lowercase(), middle, b".", &key.to_ascii_lowercase()].concat();
    is_valid.then_some(name)
}

pub(crate) fn is_true(value: Option<&[u8]>) -> io::Result<bool> {
    let Some(value) = value else { return Ok(true) };
    let value = value.to_ascii_lowercase();
    match &*value {
        b"true" | b"yes" | b"on" => Ok(true),
        b"" | b"false" | b"no" | b"off" => Ok(false),
        _ => is_not_zero(&value).ok_or_else(|| invalid("a value is neither true nor false")),
    }
}

/// Parses a number with an optional unit, and returns whether it is not 0. Returns `None` if the
/// number is invalid or does not fit a C `int`.
fn is_not_zero(text: &[u8]) -> Option<bool> {
    let (number, unit) = integer(text, None)?;
    let factor: i64 = match unit {
        b"" => 1,
        b"k" => 1 << 10,
        b"m" => 1 << 20,
        b"g" => 1 << 30,
        _ => return None,
    };
    let most = i64::from(i32::MAX);
    number.checked_mul(factor).filter(|number| (-most..=most).contains(number)).map(|it| it != 0)
}

/// Parses an integer in lower-case text as C's `strtol` does. Also returns the text after it.
/// Without a radix, `0x` means hexadecimal and `0` octal.
pub(crate) fn integer(text: &[u8], radix: Option<u32>) -> Option<(i64, &[u8])> {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
    let (is_negative, digits) = match &text[blanks..] {
        [sign @ (b'+' | b'-'), digits @ ..] => (*sign == b'-', digits),
        digits => (false, digits),
    };
    let (digits, radix) = match (digits, radix) {
        (_, Some(radix)) => (digits, radix),
        ([b'0', b'x', digits @ ..], _) if digits.first().is_some_and(u8::is_ascii_hexdigit) => {
            (digits, 16)
        }
        ([b'0', ..], _) => (digits, 8),
        _ => (digits, 10),
    };
    let length = digits.iter().take_while(|&&byte| char::from(byte).is_digit(radix)).count();
    let number = i64::from_str_radix(std::str::from_utf8(&digits[..length]).ok()?, radix).ok()?;
    Some((if is_negative { -number } else { number }, &digits[length..]))
}

pub(crate) fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::{parameter, settings};

    fn values(text: &str) -> Option<String> {
        let mut all = String::new();
        for (name, value) in settings(text.as_bytes())? {
            all += &String::from_utf8_lossy(&name);
            if let Some(value) = value {
                all.push('=');
                all += &String::from_utf8_lossy(&value);
            }
            all.push('|');
        }
        Some(all)
    }

    #[test]
    fn files_are_read_as_git_reads_them() {
        for (text, expected) in [
            ("[core]\nexcludesFile = ~/ignore\n", Some("core.excludesfile=~/ignore|")),
            ("[Core]\n\tA=\"/a b/#c\"  # comment\r\n", Some("core.a=/a b/#c|")),
            ("\u{feff}[core] a = /x ; comment", Some("core.a=/x|")),
            ("[core \"S u\\\"b\"]\nA-1\n", Some("core.S u\"b.a-1|")),
            ("[a.B]c=1\n;x\n# [d]\n\n  e  =  f g  \n", Some("a.b.c=1|a.b.e=f g|")),
            ("[a]b = c \\\n  d\\\r\n\"  e \" \n", Some("a.b=c   d  e |")),
            ("[a]b = \\t\\n\\b\\\\\\\"\nc=", Some("a.b=\t\n\u{8}\\\"|a.c=|")),
            ("b=c\n", Some("b=c|")),
            ("[a \"b\0c\"]d=e\0f\n", Some("a.b=e|")),
            ("", Some("")),
            ("[a]b=\\x\n", None),
            ("[a]b=\"c\n", None),
            ("[a]b c\n", None),
            ("[a]1=2\n", None),
            ("[a\n", None),
            ("[a \"b]\n", None),
            ("[a b]\n", None),
            ("[a]\nb.c=1\n", None),
        ] {
            assert_eq!(values(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn parameters_are_quoted_for_a_shell() {
        for (text, expected) in [
            ("'A.b'='c d' 'x'", Some(("a.b", Some("c d"), " 'x'"))),
            ("'a.b'=", Some(("a.b", None, ""))),
            ("'a.B.C=d=e'", Some(("a.B.c", Some("d=e"), ""))),
            ("'a.b'", Some(("a.b", None, ""))),
            (r"'a.b'='it'\''s'\!''", Some(("a.b", Some("it's!"), ""))),
            ("'a.b'='c'd", None),
            ("'a.b", None),
            ("'ab'='c'", None),
            ("'a.b'='c'\u{c}", None),
            ("'a.b\u{c}=c'", None),
        ] {
            let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let read = parameter(text.as_bytes());
            let read = read
                .map(|((name, value), rest)| (show(&name), value.as_deref().map(show), show(rest)));
            let expected = expected.map(|(name, value, rest)| {
                (name.to_owned(), value.map(str::to_owned), rest.to_owned())
            });
            assert_eq!(read, expected, "{text}");
        }
    }
}
