use std::ops::RangeInclusive;

use crate::quote::quote;

const EXPECTED: &str = "expected a number and a unit, as in 512b, +10k or -3mi";

/// Parses an exact size, a minimum (`+`) or a maximum (`-`).
pub(super) fn parse(text: &str) -> Result<RangeInclusive<u64>, String> {
    let invalid = |why: &str| format!("invalid size {}: {why}", quote(text));
    let number = text.trim_start_matches(['+', '-']);
    let digits = number.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: u64 = match number[digits.len()..].to_ascii_lowercase().as_str() {
        "b" => 1,
        "k" | "kb" => 1000,
        "m" | "mb" => 1000_u64.pow(2),
        "g" | "gb" => 1000_u64.pow(3),
        "t" | "tb" => 1000_u64.pow(4),
        "ki" | "kib" => 1 << 10,
        "mi" | "mib" => 1 << 20,
        "gi" | "gib" => 1 << 30,
        "ti" | "tib" => 1 << 40,
        "" if !digits.is_empty() => {
            return Err(invalid(&format!("a unit is missing; write {text}b for bytes")));
        }
        _ if digits.is_empty() => return Err(invalid(EXPECTED)),
        _ => return Err(invalid("the units are b, k, m, g, t, ki, mi, gi and ti")),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || text.len() > number.len() + 1 {
        return Err(invalid(EXPECTED));
    }
    let bytes: Option<u64> = digits.parse().ok().and_then(|it: u64| it.checked_mul(unit));
    let bytes = bytes.ok_or_else(|| invalid("it is too large"))?;
    Ok(match text.as_bytes().first() {
        Some(b'+') => bytes..=u64::MAX,
        Some(b'-') => 0..=bytes,
        _ => bytes..=bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_are_parsed() {
        for (text, size) in [
            ("0b", 0..=0),
            ("+1k", 1000..=u64::MAX),
            ("-3Mi", 0..=3 << 20),
            ("7KiB", 7 << 10..=7 << 10),
        ] {
            assert_eq!(parse(text), Ok(size), "{text}");
        }
        for text in ["", "+", "k", "1", "1x", "+-1k", "-1 k", "99999999999t", "é"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
