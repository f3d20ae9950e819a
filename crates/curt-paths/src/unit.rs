//! Bytes and 16-bit units behind one trait, and owned paths of either.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;

use crate::directory::{Cache, Known};
use crate::options::ExpandError;
use crate::scan;

/// A unit of a path: a byte, or a 16-bit unit (Windows).
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
    /// The NUL, which names cannot contain.
    const NUL: Self;
    /// The native separator: a slash for bytes, a backslash for 16-bit units.
    const SEPARATOR: Self;

    /// Returns the unit of an ASCII character.
    fn ascii(character: u8) -> Self;

    /// Returns the character if it is ASCII, and otherwise an arbitrary non-ASCII value.
    fn to_ascii(self) -> u8;

    /// Returns whether two names are equal, ignoring case.
    ///
    /// Letters are compared by Unicode's simple case mappings, as Windows does.
    fn same_in_any_case(left: &[Self], right: &[Self]) -> bool;

    /// Returns whether this is a separator: `/` for bytes, and `/` or `\` for 16-bit units.
    fn is_separator(self) -> bool {
        self == Self::SEPARATOR || self == Self::ascii(b'/')
    }

    /// Returns the index of the first of these ASCII characters.
    #[inline]
    fn position<const N: usize>(text: &[Self], wanted: [u8; N]) -> Option<usize> {
        text.iter().position(|&unit| wanted.iter().any(|&wanted| unit == Self::ascii(wanted)))
    }

    /// Returns the index of the last unit equal to `wanted`.
    #[inline]
    fn rposition(text: &[Self], wanted: Self) -> Option<usize> {
        text.iter().rposition(|&unit| unit == wanted)
    }
}

/// Prevents other crates from implementing [`Unit`].
pub trait Internal: Copy + 'static {
    /// Superscript digits of port names, such as `COM²`.
    const SUPERSCRIPTS: &'static [&'static [Self]];

    /// Returns the length of a possible drive letter, which Windows limits to one 16-bit unit.
    /// Returns 0 if the text is empty or begins with a surrogate pair.
    fn letter(text: &[Self]) -> usize {
        usize::from(!text.is_empty())
    }

    fn to_lower(self) -> Self;

    /// Calls `see` with each non-ASCII character. Returns `false` if bytes are neither UTF-8 nor an
    /// encoded unpaired surrogate.
    fn characters(text: &[Self], see: impl FnMut(char)) -> bool;

    fn of(text: &PathText) -> Result<Cow<'_, [Self]>, ExpandError>;

    fn to_text(text: &[Self]) -> PathText;

    fn known(cache: &Cache) -> &Known<Self>;

    fn wide_length(text: &[Self]) -> usize {
        text.len()
    }

    fn run_end(text: &[Self], from: usize) -> usize
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
        scan::position(text, wanted)
    }

    #[inline]
    fn rposition(text: &[u8], wanted: u8) -> Option<usize> {
        scan::rposition(text, wanted)
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
    fn to_lower(self) -> u8 {
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
        Ok(text.to_bytes())
    }

    fn to_text(text: &[u8]) -> PathText {
        text.into()
    }

    fn known(cache: &Cache) -> &Known<u8> {
        &cache.bytes
    }

    fn wide_length(text: &[u8]) -> usize {
        // A character of four bytes takes two units. Any other character takes one.
        let units =
            text.iter().map(|&byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0));
        units.sum()
    }

    #[inline]
    fn run_end(text: &[u8], from: usize) -> usize {
        scan::run_end(text, from)
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
    fn to_lower(self) -> u16 {
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

    fn known(cache: &Cache) -> &Known<u16> {
        &cache.wide
    }
}

/// Returns the capital, or the letter itself if its capital consists of several letters. Only ASCII
/// letters have ASCII capitals, as in Windows' ordinal comparison.
fn upper(letter: char) -> char {
    let mut capitals = letter.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) if letter.is_ascii() || !capital.is_ascii() => capital,
        _ => letter,
    }
}

pub(crate) fn capital(unit: u16) -> u16 {
    let letter = char::from_u32(u32::from(unit)).map(upper);
    letter.and_then(|letter| u16::try_from(u32::from(letter)).ok()).unwrap_or(unit)
}

pub(crate) fn has_nul<U: Unit>(text: &[U]) -> bool {
    U::position(text, [0]).is_some()
}

/// An owned path, as bytes or as 16-bit units of Windows.
///
/// Pass it to an [`Expander`](crate::Expander) if the kind of units is known only at run time.
///
/// ```
/// use curt_paths::PathText;
/// let wide: Vec<u16> = r"C:\é".encode_utf16().collect();
/// let text = PathText::from(wide);
/// assert!(text.is_wide());
/// assert_eq!(*text.to_bytes(), *r"C:\é".as_bytes());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText {
    pub(crate) units: Units,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    /// Bytes of any encoding.
    Bytes(Vec<u8>),
    Wide(Vec<u16>),
}

impl PathText {
    /// Copies a path.
    pub fn from_units<U: Unit>(units: &[U]) -> PathText {
        U::to_text(units)
    }

    /// Returns the path as bytes: UTF-8 from 16-bit units, or WTF-8 with unpaired surrogates.
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match &self.units {
            Units::Bytes(bytes) => Cow::Borrowed(bytes),
            Units::Wide(units) => Cow::Owned(to_bytes(units)),
        }
    }

    /// Returns the path as 16-bit units.
    ///
    /// Fails with [`ExpandError::Encoding`] if bytes are not Unicode.
    pub fn to_units(&self) -> Result<Cow<'_, [u16]>, ExpandError> {
        match &self.units {
            Units::Bytes(bytes) => to_units(bytes).map(Cow::Owned),
            Units::Wide(units) => Ok(Cow::Borrowed(units)),
        }
    }

    /// Returns whether the path has 16-bit units.
    pub fn is_wide(&self) -> bool {
        matches!(self.units, Units::Wide(_))
    }
}

macro_rules! path_text_from {
    ($($from:ty: $text:ident => $units:expr),+ $(,)?) => {$(
        impl From<$from> for PathText {
            fn from($text: $from) -> Self {
                PathText { units: $units }
            }
        }
    )+};
}

path_text_from! {
    Vec<u8>: bytes => Units::Bytes(bytes),
    &[u8]: bytes => Units::Bytes(bytes.to_vec()),
    &str: text => Units::Bytes(text.into()),
    String: text => Units::Bytes(text.into_bytes()),
    Vec<u16>: units => Units::Wide(units),
    &[u16]: units => Units::Wide(units.to_vec()),
}

pub(crate) fn to_bytes(units: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.len());
    for character in char::decode_utf16(units.iter().copied()) {
        match character {
            Ok(character) => bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                let low = |shift: u16| 0x80 | (unit >> shift & 0x3F) as u8;
                bytes.extend([0xE0 | (unit >> 12) as u8, low(6), low(0)]);
            }
        }
    }
    bytes
}

/// Converts to 16-bit units. Accepts UTF-8 and the output of [`to_bytes`], and fails for other
/// bytes.
pub(crate) fn to_units(bytes: &[u8]) -> Result<Vec<u16>, ExpandError> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        units.extend(chunk.valid().encode_utf16());
        rest = match rest[chunk.valid().len()..] {
            [] => &[],
            [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ref rest @ ..] => {
                units.push(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
                rest
            }
            _ => return Err(ExpandError::Encoding),
        };
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::Unit;
    use crate::tests::wide;

    #[test]
    fn names_compare_by_simple_case_mappings() {
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
            assert_eq!(u16::same_in_any_case(&wide(left), &wide(right)), same, "{left} {right}");
            if left.len() == right.len() {
                assert_eq!(u8::same_in_any_case(left.as_bytes(), right.as_bytes()), same, "{left}");
            }
        }
        assert!(u16::same_in_any_case(&[0xd800, 0x61], &[0xd800, 0x41]));
        assert!(u8::same_in_any_case(b"\xff\xc3a", b"\xff\xc3A"));
    }
}
