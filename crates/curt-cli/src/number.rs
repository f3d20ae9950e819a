//! Numbers in GNU's options, parsed as `xstrtoumax` and `xstrtoimax` of gnulib do.

use std::ops::RangeInclusive;

/// Why a number is invalid. In an environment variable, GNU uses the number stored here anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    NoNumber,
    Suffix(i128),
    TooLarge(i128),
}

/// Parses a number in C notation. One of `units` may follow or stand alone: `K` and `KiB` mean
/// 1024, `KB` means 1000, and so on. Rejects a minus sign if `range` starts at 0.
pub(crate) fn parse(text: &[u8], units: &[u8], range: &RangeInclusive<i128>) -> Result<i128, Flaw> {
    let (least, most) = (*range.start(), *range.end());
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
    let (sign, digits) = match &text[start..] {
        [b'-', ..] if least == 0 => return Err(Flaw::NoNumber),
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    let (radix, digits) = match digits {
        [b'0', b'x' | b'X', digits @ ..] if digits.first().is_some_and(u8::is_ascii_hexdigit) => {
            (16, digits)
        }
        [b'0', ..] => (8, digits),
        _ => (10, digits),
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(radix).map(i128::from);
    let (number, mut rest) = digits.split_at(digits.iter().map_while(digit).count());
    let mut value = number.iter().filter_map(digit).fold(0_i128, |value, digit| {
        value.saturating_mul(radix.into()).saturating_add(sign * digit)
    });
    if number.is_empty() {
        // Without digits, neither whitespace nor a sign may precede the unit.
        if !text.first().is_some_and(|letter| units.contains(letter)) {
            return Err(Flaw::NoNumber);
        }
        (value, rest) = (1, text);
    }
    let mut is_too_large = !range.contains(&value);
    value = value.clamp(least, most);
    if let Some((letter, after)) = rest.split_first() {
        let power = match letter {
            b'k' | b'K' => 1,
            b'm' | b'M' => 2,
            b'g' | b'G' => 3,
            b't' | b'T' => 4,
            b'P' => 5,
            b'E' => 6,
            b'Z' => 7,
            b'Y' => 8,
            _ => 0,
        };
        if power == 0 || !units.contains(letter) {
            return Err(Flaw::Suffix(value));
        }
        let (base, after) = match after {
            [b'B' | b'D', after @ ..] => (1000, after),
            [b'i', b'B', after @ ..] | after => (1024, after),
        };
        for _ in 0..power {
            value *= base;
            is_too_large |= !range.contains(&value);
            value = value.clamp(least, most);
        }
        if !after.is_empty() {
            return Err(Flaw::Suffix(value));
        }
    }
    if is_too_large { Err(Flaw::TooLarge(value)) } else { Ok(value) }
}
