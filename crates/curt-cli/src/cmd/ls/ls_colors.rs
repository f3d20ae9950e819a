//! The text of `LS_COLORS`: names or endings, each with a value, as GNU ls reads them.

/// Why the text cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unparsable {
    /// The name that stands for nothing, if that is why.
    pub(super) prefix: Option<Vec<u8>>,
}

/// A name, or an ending with its asterisk, and its value.
pub(super) type Pair = (Vec<u8>, Vec<u8>);

/// All that the text holds.
pub(super) fn parse(mut text: &[u8]) -> Result<Vec<Pair>, Unparsable> {
    let broken = || Unparsable { prefix: None };
    let mut pairs = Vec::new();
    loop {
        let name = match text {
            [] => return Ok(pairs),
            [b':', rest @ ..] => {
                text = rest;
                continue;
            }
            [b'*', rest @ ..] => {
                text = rest;
                let ending = take(&mut text, true).ok_or_else(broken)?;
                [b"*", ending.as_slice()].concat()
            }
            [one, other, rest @ ..] => {
                text = rest;
                vec![*one, *other]
            }
            _ => return Err(broken()),
        };
        text = text.strip_prefix(b"=").ok_or_else(broken)?;
        pairs.push((name, take(&mut text, false).ok_or_else(broken)?));
    }
}

/// Takes the text up to the next colon, or up to an equals sign, with its escapes; `None` where one
/// is wrong.
fn take(text: &mut &[u8], equals_ends: bool) -> Option<Vec<u8>> {
    let mut taken = Vec::new();
    loop {
        let (&byte, rest) = match text.split_first() {
            None | Some((b':', _)) => return Some(taken),
            Some((b'=', _)) if equals_ends => return Some(taken),
            Some(split) => split,
        };
        *text = rest;
        taken.push(match byte {
            b'\\' => escaped(text)?,
            b'^' => {
                let (&letter, rest) = text.split_first()?;
                *text = rest;
                match letter {
                    b'?' => 0x7f,
                    b'@'..=b'~' => letter & 0x1f,
                    _ => return None,
                }
            }
            byte => byte,
        });
    }
}

/// The byte that what stands behind a backslash means.
fn escaped(text: &mut &[u8]) -> Option<u8> {
    let (&letter, rest) = text.split_first()?;
    let (digits, base) = match letter {
        b'0'..=b'7' => (*text, 8),
        b'x' | b'X' => (rest, 16),
        _ => {
            *text = rest;
            return Some(match letter {
                b'a' => 0x07,
                b'b' => 0x08,
                b'e' => 0x1b,
                b'f' => 0x0c,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 0x0b,
                b'?' => 0x7f,
                b'_' => b' ',
                other => other,
            });
        }
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(base);
    let count = digits.iter().take_while(|byte| digit(byte).is_some()).count();
    *text = &digits[count..];
    let value = digits[..count]
        .iter()
        .filter_map(digit)
        .fold(0_u32, |value, digit| (value * base + digit) & 0xff);
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::{Unparsable, parse};

    #[test]
    fn names_endings_and_escapes() {
        let pair = |name: &str, value: &str| (name.into(), value.into());
        assert_eq!(
            parse(b":di=34:*.x\\=y=1;2:ln=\\e[\\033\\x41^A^?\\_"),
            Ok(vec![pair("di", "34"), pair("*.x=y", "1;2"), pair("ln", "\x1b[\x1bA\x01\x7f ")])
        );
        assert_eq!(parse(b""), Ok(vec![]));
        for wrong in [&b"*"[..], b"di", b"d", b"dir=1", b"di=\\", b"di=^", b"*.x:di=1", b"di=^1"] {
            assert_eq!(parse(wrong), Err(Unparsable { prefix: None }), "{wrong:?}");
        }
    }
}
