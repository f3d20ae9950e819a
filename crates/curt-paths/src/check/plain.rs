//! Whether a text has nothing in it that any reason could be about: the question that most paths
//! are answered by. It is asked of sixteen units at a time without a branch, which compilers turn
//! into vector instructions, for bytes and for 16-bit units alike.
#![allow(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep the blocks from being vectors"
)]

use crate::options::Flavor;
use crate::scan::any_window;
use crate::unit::Unit;

/// Whether this POSIX path stays beneath a directory whatever the directory is to it. `false` may
/// also mean that it takes a closer look.
pub(super) fn is_plain_posix<U: Unit>(text: &[U]) -> bool {
    let (slash, dot) = (U::ascii(b'/'), U::ascii(b'.'));
    text.first().is_some_and(|&first| first != slash)
        && !any_window(text, [slash; 2], |[a, b]| (a == U::NUL) | ((a == dot) & (b == dot)))
}

/// The same by the rules of Windows; where it is strict, also whether it has no other name on any
/// system.
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

/// Whether Windows would make something of it: what is in no name, what is not ASCII, two dots,
/// what may be a device.
#[inline]
fn is_notable<U: Unit>([a, b, c, d]: [U; 4]) -> bool {
    let is = |letter: u8| a == U::ascii(letter);
    let is_bad = (a < U::ascii(b' ')) | (a > U::ascii(0x7F)) | is(b':') | is(b'"') | is(b'*');
    let is_bad = is_bad | is(b'<') | is(b'>') | is(b'?') | is(b'|');
    let is_dots = is(b'.') & (b == U::ascii(b'.'));
    is_bad | is_dots | (is_separator(a) & begins_device(b, c, d))
}

/// Whether a name may have a second one somewhere: by its short name, by what is dropped at its
/// end.
#[inline]
fn is_alias<U: Unit>([a, b, ..]: [U; 4]) -> bool {
    let is = |letter: u8| a == U::ascii(letter);
    is(b'~') | ((is(b'.') | is(b' ')) & is_separator(b))
}

/// Whether the name of a device begins with these letters.
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

    /// Every text of up to this many of these pieces: also across blocks.
    const PIECES: [&str; 22] = [
        "a",
        "/",
        "\\",
        ".",
        "..",
        " ",
        "~1",
        ":",
        "con",
        "Com1",
        "LPT",
        "nul",
        "aux",
        "prn",
        "\0",
        "\x1f",
        "|",
        "\u{7f}",
        "\u{e9}",
        "sixteen/letters/",
        "x",
        "?",
    ];

    #[test]
    fn what_is_plain_passes_the_closer_look() {
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
                assert!(!is_plain || check.looked_at(bytes).is_ok(), "{text:?} {check:?}");
                *count += usize::from(is_plain);
            }
        }
        // Not for want of plain texts.
        assert!(plain.iter().all(|&count| count > 100), "{plain:?} of {}", texts.len());
    }
}
