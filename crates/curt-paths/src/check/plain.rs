//! The fast path of the check, which looks at many units at a time.
#![allow(clippy::needless_bitwise_bool, reason = "branches would keep it from being vectors")]

use crate::options::Flavor;
use crate::scan::any_window;
use crate::unit::Unit;

pub(super) fn is_plain_posix<U: Unit>(text: &[U]) -> bool {
    let (slash, dot) = (U::ascii(b'/'), U::ascii(b'.'));
    text.first().is_some_and(|&first| first != slash)
        && !any_window(text, [slash; 2], |[a, b]| (a == U::NUL) | ((a == dot) & (b == dot)))
}

/// Returns whether a path is certainly valid under Windows rules, or in strict mode.
pub(super) fn is_plain<U: Unit>(text: &[U], flavor: Flavor, is_strict: bool) -> bool {
    let (slash, backslash) = (U::ascii(b'/'), U::ascii(b'\\'));
    text.first().is_some_and(|&first| first != U::ascii(b' ') && !is_separator(first))
        && match (is_strict, flavor) {
            (false, _) => !any_window(text, [slash; 2], is_notable),
            (true, Flavor::Windows) => {
                !any_window(text, [slash; 2], |window| is_notable(window) | is_alias(window))
            }
            (true, Flavor::Posix) => !any_window(text, [slash; 2], |window| {
                is_notable(window) | is_alias(window) | (window[0] == backslash)
            }),
        }
}

fn is_separator<U: Unit>(unit: U) -> bool {
    (unit == U::ascii(b'/')) | (unit == U::ascii(b'\\'))
}

/// Returns whether the full check is needed: the first unit is not ASCII or is forbidden in Windows
/// names, or begins `..`, or a device name may follow it.
#[inline]
fn is_notable<U: Unit>([a, b, c, d]: [U; 4]) -> bool {
    let is = |letter: u8| a == U::ascii(letter);
    let is_bad = (a < U::ascii(b' ')) | (a > U::ascii(0x7F)) | is(b':') | is(b'"') | is(b'*');
    let is_bad = is_bad | is(b'<') | is(b'>') | is(b'?') | is(b'|');
    let is_dots = is(b'.') & (b == U::ascii(b'.'));
    is_bad | is_dots | (is_separator(a) & begins_device(b, c, d))
}

/// Returns whether this may be a short name's tilde, or a dot or space at the end of a name.
#[inline]
fn is_alias<U: Unit>([a, b, ..]: [U; 4]) -> bool {
    let is = |letter: u8| a == U::ascii(letter);
    is(b'~') | ((is(b'.') | is(b' ')) & is_separator(b))
}

#[inline]
pub(super) fn begins_device<U: Unit>(first: U, second: U, third: U) -> bool {
    let (first, second, third) = (first.to_lower(), second.to_lower(), third.to_lower());
    let is = |[a, b, c]: [u8; 3]| {
        (first == U::ascii(a)) & (second == U::ascii(b)) & (third == U::ascii(c))
    };
    is(*b"con") | is(*b"com") | is(*b"prn") | is(*b"aux") | is(*b"nul") | is(*b"lpt")
}

#[cfg(test)]
mod tests {
    use super::super::Aliases::{Open, Strict};
    use super::super::PathCheck;
    use crate::options::Flavor::{Posix, Windows};

    /// Pushes other pieces across the boundary of a block.
    const LONG: &str = "sixteen/letters/";
    const PIECES: [&str; 22] = [
        "a", "/", "\\", ".", "..", " ", "~1", ":", "con", "Com1", "LPT", "nul", "aux", "prn", "\0",
        "\x1f", "|", "\u{7f}", "\u{e9}", LONG, "x", "?",
    ];

    #[test]
    fn plain_paths_pass_the_check_of_each_name() {
        let mut texts = vec![String::new()];
        for _ in 0..3 {
            let longer = texts.iter().flat_map(|text| PIECES.map(|piece| text.clone() + piece));
            texts = texts.iter().cloned().chain(longer).collect();
            texts.sort();
            texts.dedup();
        }
        let mut plain = [0; 4];
        let checks = [(Posix, Open), (Posix, Strict), (Windows, Open), (Windows, Strict)];
        for text in &texts {
            let (bytes, units) = (text.as_bytes(), text.encode_utf16().collect::<Vec<_>>());
            for (count, (flavor, aliases)) in plain.iter_mut().zip(checks) {
                let check = PathCheck::new(flavor).aliases(aliases);
                let is_plain = check.is_plain(bytes);
                assert_eq!(is_plain, check.is_plain(&units), "{text:?}");
                assert!(!is_plain || check.check_names(bytes).is_ok(), "{text:?} {check:?}");
                *count += usize::from(is_plain);
            }
        }
        assert!(plain.iter().all(|&count| count > 100), "{plain:?} of {}", texts.len());
    }
}
