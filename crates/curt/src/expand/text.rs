//! Text of either kind: bytes, and 16-bit units.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::encoding::Encoding;
use super::options::ExpandError;
use super::place::Settled;
use super::{Expander, eight};
use crate::sys::{Os, Sys};
use crate::win_path::WinUnit;

/// A path that an expansion is told of, in the units that it comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText(pub(super) Units);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Units {
    /// UTF-8, or bytes that a system took for a name; on Windows also what is like UTF-8 but for
    /// surrogates without their other half (WTF-8).
    Bytes(Vec<u8>),
    /// UTF-16, or units that Windows took for a name.
    Wide(Vec<u16>),
    /// Bytes in an encoding that is said.
    Encoded(Vec<u8>, Encoding),
}

impl From<Vec<u8>> for PathText {
    fn from(bytes: Vec<u8>) -> Self {
        PathText(Units::Bytes(bytes))
    }
}

impl From<&[u8]> for PathText {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<&str> for PathText {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl From<String> for PathText {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<Vec<u16>> for PathText {
    fn from(units: Vec<u16>) -> Self {
        PathText(Units::Wide(units))
    }
}

impl From<&[u16]> for PathText {
    fn from(units: &[u16]) -> Self {
        units.to_vec().into()
    }
}

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        <Os as Sys>::units(path).into()
    }
}

impl From<PathBuf> for PathText {
    fn from(path: PathBuf) -> Self {
        path.as_path().into()
    }
}

/// A unit that paths can be expanded in.
pub(super) trait ExpandUnit: WinUnit {
    /// A text in these units.
    fn of(text: &Units) -> Result<Cow<'_, [Self]>, ExpandError>;
    /// The reverse.
    fn to_text(text: &[Self]) -> PathText;
    /// What an expander has found out, in these units.
    fn settled(expander: &Expander) -> &Settled<Self>;
    /// How many 16-bit units the text takes.
    fn wide_length(text: &[Self]) -> usize;

    /// Where the first of these ASCII characters is.
    #[inline]
    fn position<const N: usize>(text: &[Self], wanted: [u8; N]) -> Option<usize> {
        text.iter().position(|&unit| wanted.iter().any(|&wanted| unit == Self::ascii(wanted)))
    }

    /// Where the last of these units is.
    #[inline]
    fn rposition(text: &[Self], wanted: Self) -> Option<usize> {
        text.iter().rposition(|&unit| unit == wanted)
    }

    /// Where the POSIX names that lie in a row from there on end: at a NUL, at a slash that is followed by a slash, a dot or
    /// nothing, or at the end.
    #[inline]
    fn row_end(text: &[Self], from: usize) -> usize {
        let (slash, dot) = (Self::ascii(b'/'), Self::ascii(b'.'));
        let stops = |at: usize| {
            let follows = text.get(at + 1).is_none_or(|&next| next == slash || next == dot);
            text[at] == Self::NUL || (text[at] == slash && follows)
        };
        (from..text.len()).find(|&at| stops(at)).unwrap_or(text.len())
    }
}

impl ExpandUnit for u8 {
    fn of(text: &Units) -> Result<Cow<'_, [u8]>, ExpandError> {
        match text {
            Units::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Units::Wide(units) => Ok(Cow::Owned(to_bytes(units))),
            Units::Encoded(bytes, _) if bytes.is_ascii() => Ok(Cow::Borrowed(bytes)),
            Units::Encoded(..) => Err(ExpandError::Encoding),
        }
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
    fn position<const N: usize>(text: &[u8], wanted: [u8; N]) -> Option<usize> {
        eight::position(text, wanted)
    }

    #[inline]
    fn rposition(text: &[u8], wanted: u8) -> Option<usize> {
        eight::rposition(text, wanted)
    }

    #[inline]
    fn row_end(text: &[u8], from: usize) -> usize {
        eight::row_end(text, from)
    }
}

impl ExpandUnit for u16 {
    fn of(text: &Units) -> Result<Cow<'_, [u16]>, ExpandError> {
        match text {
            Units::Wide(units) => Ok(Cow::Borrowed(units)),
            Units::Bytes(bytes) => to_units(bytes).map(Cow::Owned),
            Units::Encoded(bytes, _) if bytes.is_ascii() => to_units(bytes).map(Cow::Owned),
            Units::Encoded(..) => Err(ExpandError::Encoding),
        }
    }

    fn to_text(text: &[u16]) -> PathText {
        text.into()
    }

    fn settled(expander: &Expander) -> &Settled<u16> {
        &expander.wide
    }

    fn wide_length(text: &[u16]) -> usize {
        text.len()
    }
}

/// 16-bit units as bytes: UTF-8, and three bytes for a surrogate without its other half.
pub(super) fn to_bytes(units: &[u16]) -> Vec<u8> {
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

/// The reverse. Bytes that are no Unicode have no units.
pub(super) fn to_units(mut bytes: &[u8]) -> Result<Vec<u16>, ExpandError> {
    let mut units = Vec::with_capacity(bytes.len());
    loop {
        let (valid, rest) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, &[][..]),
            Err(error) => {
                let (valid, rest) = bytes.split_at(error.valid_up_to());
                (std::str::from_utf8(valid).unwrap_or_default(), rest)
            }
        };
        units.extend(valid.encode_utf16());
        match *rest {
            [] => return Ok(units),
            // A surrogate, and what makes a pair with the one before would have been one character.
            [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ref after @ ..] => {
                units.push(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
                bytes = after;
            }
            _ => return Err(ExpandError::Encoding),
        }
    }
}

impl PathText {
    /// A text in an encoding, as Ruby's strings are: [`Expander::expand_text`] and
    /// [`Expander::explain_text`] heed it, and answer in the encoding that Ruby's answer has. Of texts in
    /// different encodings all but one must be ASCII, else there is [`ExpandError::Encoding`]; so there is
    /// where ASCII is written otherwise, as in UTF-16 (as bytes), and for those who know no encodings.
    ///
    /// ```
    /// use curt::{Encoding, Env, Expander, Flavor, PathText, Style};
    /// let expander = Expander::with_env(Env::none().cwd("C:/")).flavor(Flavor::Windows).style(Style::Ruby);
    /// let japanese = Encoding::named("Windows-31J").unwrap();
    /// let full = expander.expand_text(&PathText::encoded(b"\x95\x5C\\x".to_vec(), japanese)).unwrap();
    /// assert_eq!(*full.to_bytes(), *b"C:/\x95\x5C/x");
    /// assert_eq!(full.encoding(), japanese);
    /// ```
    pub fn encoded(bytes: Vec<u8>, encoding: Encoding) -> PathText {
        if encoding == Encoding::UTF_8 {
            bytes.into()
        } else {
            PathText(Units::Encoded(bytes, encoding))
        }
    }

    /// The encoding that it says it is in; UTF-8 where it says nothing.
    pub fn encoding(&self) -> Encoding {
        match self.0 {
            Units::Encoded(_, encoding) => encoding,
            _ => Encoding::UTF_8,
        }
    }

    /// The text as bytes: those it was given as, or UTF-8 for 16-bit units (and three bytes for a
    /// surrogate without its other half).
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match &self.0 {
            Units::Bytes(bytes) | Units::Encoded(bytes, _) => Cow::Borrowed(bytes),
            Units::Wide(units) => Cow::Owned(to_bytes(units)),
        }
    }

    /// The text as 16-bit units; [`ExpandError::Encoding`] for bytes that are no Unicode, or may be none.
    pub fn to_units(&self) -> Result<Cow<'_, [u16]>, ExpandError> {
        u16::of(&self.0)
    }

    /// Whether it is made of 16-bit units.
    pub fn is_wide(&self) -> bool {
        matches!(self.0, Units::Wide(_))
    }

    /// The text as a path of this system; [`ExpandError::Encoding`] where it cannot be one.
    pub fn to_path(&self) -> Result<PathBuf, ExpandError> {
        // Whatever their encoding, bytes are a path where paths are bytes.
        let bytes = match &self.0 {
            Units::Encoded(bytes, _) => Some(Units::Bytes(bytes.clone())),
            _ => None,
        };
        let units = <Os as Sys>::Unit::of(bytes.as_ref().unwrap_or(&self.0))?;
        Ok(<Os as Sys>::path(units.into_owned()))
    }
}
