//! The units that paths are made of, and the one scanner over them.
//!
//! Two questions are asked of text: *whether* a few neighbours of some kind are in it
//! ([`any_window`], many units at a time without a branch, which compilers turn into vector
//! instructions), and *where* a character is ([`position`], [`rposition`], [`row_end`], over bytes
//! eight at a time).

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;

use crate::expander::Expander;
use crate::options::ExpandError;
use crate::place::Settled;
use crate::text::PathText;

/// A unit of path text: a byte, or one of the 16-bit units of Windows. Both hold names that are not
/// Unicode.
///
/// ```
/// use curt_paths::Unit;
/// fn count_names<U: Unit>(path: &[U]) -> usize {
///     path.split(|unit| unit.is_separator()).filter(|name| !name.is_empty()).count()
/// }
/// assert_eq!(count_names(b"a/b//c"), 3);
/// let wide: Vec<u16> = r"a/b\c".encode_utf16().collect();
/// assert_eq!(count_names(&wide), 3);
/// ```
pub trait Unit: Eq + Ord + Hash + Send + Sync + Debug + Internal {
    /// The unit that no name can contain.
    const NUL: Self;
    /// The separator of the system that has names of these units: a slash, or a backslash.
    const SEPARATOR: Self;

    /// The unit of an ASCII character.
    fn ascii(character: u8) -> Self;

    /// The character if it is ASCII; else some value that is not.
    fn to_ascii(self) -> u8;

    /// Whether two names are equal if case does not count. Letters are compared by Unicode's simple
    /// mappings, as Windows does: one that becomes several letters equals only itself.
    fn same_in_any_case(left: &[Self], right: &[Self]) -> bool;

    /// Whether the system that has names of these units takes it for a separator. Windows has two.
    fn is_separator(self) -> bool {
        self == Self::SEPARATOR || self == Self::ascii(b'/')
    }

    /// The index of the first of these ASCII characters.
    #[inline]
    fn position<const N: usize>(text: &[Self], wanted: [u8; N]) -> Option<usize> {
        text.iter().position(|&unit| wanted.iter().any(|&wanted| unit == Self::ascii(wanted)))
    }

    /// The index of the last of these units.
    #[inline]
    fn rposition(text: &[Self], wanted: Self) -> Option<usize> {
        text.iter().rposition(|&unit| unit == wanted)
    }
}

/// What only this crate asks of a unit. It also keeps others from implementing [`Unit`].
pub trait Internal: Copy + 'static {
    /// Superscript one, two and three, which Windows takes for digits in the names of ports.
    const SUPERSCRIPTS: &'static [&'static [Self]];

    /// The number of units that the first 16-bit unit of the text takes: 0 if there is none, or if
    /// the first character is two of them.
    fn letter(text: &[Self]) -> usize {
        usize::from(!text.is_empty())
    }

    /// With the bit set that makes a letter small.
    fn small(self) -> Self;

    /// Hands over each character that is not ASCII. `false` for what is not text: bytes that are
    /// neither UTF-8 nor a surrogate without its other half.
    fn characters(text: &[Self], see: impl FnMut(char)) -> bool;

    /// A text in these units.
    fn of(text: &PathText) -> Result<Cow<'_, [Self]>, ExpandError>;

    /// The reverse.
    fn to_text(text: &[Self]) -> PathText;

    /// What an expander has found out, in these units.
    fn settled(expander: &Expander) -> &Settled<Self>;

    /// The number of 16-bit units that the text takes.
    fn wide_length(text: &[Self]) -> usize {
        text.len()
    }

    /// The end of the row of POSIX names that begins at `from`: the first NUL, or the first slash
    /// that a slash, a dot or the end follows.
    fn row_end(text: &[Self], from: usize) -> usize
    where
        Self: Unit,
    {
        let (slash, dot) = (Self::ascii(b'/'), Self::ascii(b'.'));
        let stops = |at: usize| {
            let follows = text.get(at + 1).is_none_or(|&next| next == slash || next == dot);
            text[at] == Self::NUL || (text[at] == slash && follows)
        };
        (from..text.len()).find(|&at| stops(at)).unwrap_or(text.len())
    }
}

impl Unit for u8 {
    const NUL: u8 = 0;
    const SEPARATOR: u8 = b'/';

    #[inline]
    fn ascii(character: u8) -> u8 {
        character
    }

    #[inline]
    fn to_ascii(self) -> u8 {
        self
    }

    fn same_in_any_case(left: &[u8], right: &[u8]) -> bool {
        if left.is_ascii() || right.is_ascii() {
            return left.eq_ignore_ascii_case(right);
        }
        match (std::str::from_utf8(left), std::str::from_utf8(right)) {
            (Ok(left), Ok(right)) => left.chars().map(upper).eq(right.chars().map(upper)),
            _ => left.eq_ignore_ascii_case(right),
        }
    }

    #[inline]
    fn position<const N: usize>(text: &[u8], wanted: [u8; N]) -> Option<usize> {
        position(text, wanted)
    }

    #[inline]
    fn rposition(text: &[u8], wanted: u8) -> Option<usize> {
        rposition(text, wanted)
    }
}

impl Internal for u8 {
    const SUPERSCRIPTS: &'static [&'static [u8]] = &[&[0xC2, 0xB9], &[0xC2, 0xB2], &[0xC2, 0xB3]];

    fn letter(text: &[u8]) -> usize {
        let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        match text.first() {
            None | Some(0xF0..) => 0,
            Some(0xE0..=0xEF) if continues(1) && continues(2) => 3,
            Some(0xC2..=0xDF) if continues(1) => 2,
            Some(_) => 1,
        }
    }

    #[inline]
    fn small(self) -> u8 {
        self | 0x20
    }

    fn characters(text: &[u8], mut see: impl FnMut(char)) -> bool {
        let mut is_text = true;
        let mut rest = text;
        while let Some(chunk) = rest.utf8_chunks().next() {
            chunk.valid().chars().filter(|character| !character.is_ascii()).for_each(&mut see);
            let behind = &rest[chunk.valid().len()..];
            rest = if let [0xED, 0xA0..=0xBF, 0x80..=0xBF, rest @ ..] = behind {
                rest
            } else {
                is_text &= chunk.invalid().is_empty();
                &behind[chunk.invalid().len()..]
            };
        }
        is_text
    }

    fn of(text: &PathText) -> Result<Cow<'_, [u8]>, ExpandError> {
        text.check_encoding()?;
        Ok(text.to_bytes())
    }

    fn to_text(text: &[u8]) -> PathText {
        text.into()
    }

    fn settled(expander: &Expander) -> &Settled<u8> {
        &expander.bytes
    }

    fn wide_length(text: &[u8]) -> usize {
        // One for each byte that begins a character, two where it begins four bytes.
        let units =
            text.iter().map(|&byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0));
        units.sum()
    }

    #[inline]
    fn row_end(text: &[u8], from: usize) -> usize {
        row_end(text, from)
    }
}

impl Unit for u16 {
    const NUL: u16 = 0;
    const SEPARATOR: u16 = b'\\' as u16;

    #[inline]
    fn ascii(character: u8) -> u16 {
        u16::from(character)
    }

    #[inline]
    fn to_ascii(self) -> u8 {
        u8::try_from(self).unwrap_or(u8::MAX)
    }

    fn same_in_any_case(left: &[u16], right: &[u16]) -> bool {
        left.len() == right.len()
            && left.iter().zip(right).all(|(&left, &right)| capital(left) == capital(right))
    }
}

impl Internal for u16 {
    const SUPERSCRIPTS: &'static [&'static [u16]] = &[&[0xB9], &[0xB2], &[0xB3]];

    #[inline]
    fn small(self) -> u16 {
        self | 0x20
    }

    fn characters(text: &[u16], see: impl FnMut(char)) -> bool {
        let characters = char::decode_utf16(text.iter().copied()).filter_map(Result::ok);
        characters.filter(|character| !character.is_ascii()).for_each(see);
        true
    }

    fn of(text: &PathText) -> Result<Cow<'_, [u16]>, ExpandError> {
        text.to_units()
    }

    fn to_text(text: &[u16]) -> PathText {
        text.into()
    }

    fn settled(expander: &Expander) -> &Settled<u16> {
        &expander.wide
    }
}

/// The capital of a letter, if it is one letter, as Windows' ordinal comparison has it: it never
/// leads from other letters to ASCII.
fn upper(letter: char) -> char {
    let mut capitals = letter.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) if letter.is_ascii() || !capital.is_ascii() => capital,
        _ => letter,
    }
}

/// The capital of a unit that is a letter by itself.
pub(crate) fn capital(unit: u16) -> u16 {
    let letter = char::from_u32(u32::from(unit)).map(upper);
    letter.and_then(|letter| u16::try_from(u32::from(letter)).ok()).unwrap_or(unit)
}

/// Whether there is a NUL.
pub(crate) fn has_nul<U: Unit>(text: &[U]) -> bool {
    U::position(text, [0]).is_some()
}

/// How many units are looked at at once.
const BLOCK: usize = 16;

/// Whether any `W` neighbours are wanted. The text has padding around it: one unit before it, and
/// as many behind it as the last window needs. Padding alone must not be wanted.
#[inline]
pub(crate) fn any_window<U: Unit, const W: usize>(
    text: &[U],
    [before, behind]: [U; 2],
    is_wanted: impl Fn([U; W]) -> bool,
) -> bool {
    const { assert!(W >= 2 && W <= LONGEST_WINDOW) };
    let block = |text: &[U], at: usize| {
        let windows: [&[U]; W] = std::array::from_fn(|next| &text[at + next..][..BLOCK]);
        let mut wanted = false;
        for index in 0..BLOCK {
            wanted |= is_wanted(windows.map(|units| units[index]));
        }
        wanted
    };
    let length = text.len();
    let (Some(front), Some(back)) = (text.first_chunk::<BLOCK>(), text.last_chunk::<BLOCK>())
    else {
        let mut padded = [behind; BLOCK + LONGEST_WINDOW];
        padded[0] = before;
        padded[1..=length].copy_from_slice(text);
        return block(&padded, 0);
    };
    if length < 2 * BLOCK {
        let mut padded = [behind; 2 * BLOCK + LONGEST_WINDOW];
        padded[0] = before;
        padded[1..=BLOCK].copy_from_slice(front);
        padded[1 + length - BLOCK..=length].copy_from_slice(back);
        return block(&padded, 0) || block(&padded, BLOCK);
    }
    let mut first = [before; W];
    first[1..].copy_from_slice(&front[..W - 1]);
    if is_wanted(first) {
        return true;
    }
    // The last of them together with some that were looked at before.
    let last = length - (W - 1) - BLOCK;
    for at in (0..length - BLOCK).step_by(BLOCK) {
        if block(text, at.min(last)) {
            return true;
        }
    }
    let mut padded = [behind; BLOCK + LONGEST_WINDOW];
    padded[..BLOCK].copy_from_slice(back);
    block(&padded, 0)
}

/// The most neighbours that are looked at together.
const LONGEST_WINDOW: usize = 4;

/// The lowest and the highest bit of each byte, and all others but the highest.
const ONES: u64 = u64::MAX / 0xFF;
const HIGH: u64 = ONES << 7;
const LOW: u64 = !HIGH;

/// The highest bit of the first byte that is this one. What is above it may be wrong.
fn first(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    zero.wrapping_sub(ONES) & !zero & HIGH
}

/// The highest bit of each byte that is zero, and of no other.
fn zeros(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word) & HIGH
}

/// Where the first bit is that is set, in bytes.
fn bytes_before(bits: u64) -> usize {
    bits.trailing_zeros() as usize / 8
}

/// Where the first of these bytes is.
#[inline]
fn position<const N: usize>(text: &[u8], wanted: [u8; N]) -> Option<usize> {
    let mut rest = text;
    while let Some((eight, behind)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let found = wanted.iter().fold(0, |found, &wanted| found | first(word, wanted));
        if found != 0 {
            return Some(text.len() - rest.len() + bytes_before(found));
        }
        rest = behind;
    }
    // The last eight, of which some were looked at before: there was none among them.
    let Some((before, eight)) = text.split_last_chunk::<8>() else {
        return text.iter().position(|unit| wanted.contains(unit));
    };
    let word = u64::from_le_bytes(*eight);
    let found = wanted.iter().fold(0, |found, &wanted| found | first(word, wanted));
    (found != 0).then(|| before.len() + bytes_before(found))
}

/// Where the last of these bytes is.
#[inline]
fn rposition(text: &[u8], wanted: u8) -> Option<usize> {
    let mut rest = text;
    while let Some((before, eight)) = rest.split_last_chunk::<8>() {
        let found = zeros(u64::from_le_bytes(*eight) ^ (ONES * u64::from(wanted)));
        if found != 0 {
            return Some(before.len() + 7 - found.leading_zeros() as usize / 8);
        }
        rest = before;
    }
    rest.iter().rposition(|&byte| byte == wanted)
}

/// Where the first NUL behind `from` is, or the first slash that is followed by a slash, a dot or
/// nothing; else the length.
#[inline]
fn row_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let (Some(eight), Some(next)) = (eight_at(text, at), eight_at(text, at + 1)) {
        let found = stops(eight, next);
        if found != 0 {
            return at + bytes_before(found);
        }
        at += 8;
    }
    let left = text.len() - at;
    if left == 0 {
        return at;
    }
    // At most eight: the last ones of the text, of which those are shifted out that were looked at
    // before. The slashes that come in behind them end the last name.
    let word = match text.split_last_chunk::<8>() {
        Some((_, last)) => u64::from_le_bytes(*last) >> (64 - 8 * left),
        None => text[at..].iter().rfold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let word = word | SLASHES << (8 * left - 8) << 8;
    let found = stops(word, word >> 8 | u64::from(b'/') << 56);
    if found == 0 { text.len() } else { at + bytes_before(found) }
}

/// Eight slashes.
const SLASHES: u64 = ONES * b'/' as u64;

/// The first eight bytes from there on.
#[inline]
fn eight_at(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk().copied().map(u64::from_le_bytes)
}

/// The highest bit of the first byte that is a NUL, or a slash before a slash or a dot.
#[inline]
fn stops(word: u64, next: u64) -> u64 {
    // A slash is a dot but for the lowest bit.
    let is_followed = zeros((next ^ SLASHES) & !ONES);
    (zeros(word ^ SLASHES) & is_followed) | first(word, 0)
}

#[cfg(test)]
mod tests {
    use super::{Internal, Unit, any_window, position, row_end, rposition};

    /// Every text of nine of these, and the same behind and before others.
    const LETTERS: [u8; 5] = *b"a./\0\xFF";

    fn texts() -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        let mut longest = all.clone();
        for _ in 0..5 {
            longest = longest
                .iter()
                .flat_map(|text| LETTERS.map(|letter| [&text[..], &[letter]].concat()))
                .collect();
            all.extend(longest.iter().cloned());
        }
        let padded = all.iter().flat_map(|text| {
            [5, 6, 7, 8, 13].map(|count| [&b"a".repeat(count)[..], text].concat())
        });
        let behind = all.iter().map(|text| [&text[..], b"/name/and/more"].concat());
        padded.chain(behind).chain(all.clone()).collect()
    }

    #[test]
    fn eight_at_once_find_what_one_by_one_does() {
        for text in texts() {
            let stops = |at: usize| {
                let next = text.get(at + 1).copied().unwrap_or(b'/');
                text[at] == 0 || (text[at] == b'/' && (next == b'/' || next == b'.'))
            };
            let end = (0..text.len()).find(|&at| stops(at)).unwrap_or(text.len());
            assert_eq!(row_end(&text, 0), end, "{text:?}");
            for from in (0..text.len()).filter(|&from| from <= end) {
                assert_eq!(row_end(&text, from), end, "{text:?} {from}");
            }
            let wide: Vec<u16> = text.iter().map(|&byte| byte.into()).collect();
            assert_eq!(u16::row_end(&wide, 0), end, "{text:?}");
            let first = text.iter().position(|byte| b"/\0".contains(byte));
            assert_eq!(position(&text, *b"/\0"), first, "{text:?}");
            for wanted in LETTERS {
                let last = text.iter().rposition(|&byte| byte == wanted);
                assert_eq!(rposition(&text, wanted), last, "{text:?} {wanted}");
            }
        }
    }

    #[test]
    fn windows_are_seen_wherever_they_lie() {
        fn seen<const W: usize>(text: &[u8]) -> bool {
            any_window(text, [b'.'; 2], |window: [u8; W]| {
                window[0] == b'x' && window[W - 1] == b'y'
            })
        }
        fn check<const W: usize>(text: &mut [u8], padded: [u8; W]) {
            for at in 0..text.len() {
                text[at] = b'x';
                assert!(!seen::<W>(text));
                if let Some(end) = text.get_mut(at + W - 1) {
                    *end = b'y';
                    assert!(seen::<W>(text), "{text:?}");
                    let wide: Vec<u16> = text.iter().map(|&unit| unit.into()).collect();
                    let (x, y) = (u16::from(b'x'), u16::from(b'y'));
                    assert!(any_window(&wide, [0; 2], |window: [u16; W]| window[0] == x
                        && window[W - 1] == y));
                }
                text.fill(b'a');
            }
            // Padding is seen on both sides.
            let first = text.first().copied().unwrap_or(b'.');
            assert!(any_window(text, [b'.'; 2], |window: [u8; W]| window[..2] == [b'.', first]));
            let last = |window: [u8; W]| window[0] == b'a' && window[1..] == padded[1..];
            assert_eq!(any_window(text, [b'.'; 2], last), !text.is_empty());
        }
        for length in 0..70 {
            let mut text = vec![b'a'; length];
            check(&mut text, [b'.'; 2]);
            check(&mut text, [b'.'; 3]);
            check(&mut text, [b'.'; 4]);
        }
    }

    #[test]
    fn a_nul_is_found_wherever_it_lies() {
        let plain = |units: &[u8]| units.iter().position(|&unit| unit == 0);
        for length in 0..40 {
            for filler in [1, b'a', 0x7f, 0x80, 0xff] {
                let mut units = vec![filler; length];
                assert_eq!(u8::position(&units, [0]), None);
                for at in (0..length).rev() {
                    units[at] = 0;
                    assert_eq!(u8::position(&units, [0]), plain(&units), "{length} {at}");
                }
            }
        }
    }

    #[test]
    fn case_does_not_count_where_it_should_not() {
        for (left, right, same) in [
            ("", "", true),
            ("hello.EXE", "HELLO.exe", true),
            ("hello.exe", "hello.exec", false),
            ("grün", "GRÜN", true),
            ("straße", "STRASSE", false),
            ("ı", "I", false),
            ("ſ", "s", false),
            ("δρ", "ΔΡ", true),
        ] {
            let wide = |text: &str| text.encode_utf16().collect::<Vec<_>>();
            assert_eq!(u16::same_in_any_case(&wide(left), &wide(right)), same, "{left} {right}");
            // What changes its length in UTF-8 is the one difference between the two.
            if left.len() == right.len() {
                assert_eq!(u8::same_in_any_case(left.as_bytes(), right.as_bytes()), same, "{left}");
            }
        }
        assert!(u16::same_in_any_case(&[0xd800, 0x61], &[0xd800, 0x41]));
        assert!(u8::same_in_any_case(b"\xff\xc3a", b"\xff\xc3A"));
    }
}
