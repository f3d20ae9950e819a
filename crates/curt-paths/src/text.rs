//! Text of either kind: bytes, and 16-bit units.

use std::borrow::Cow;

use crate::options::ExpandError;
use crate::ruby::encoding::Encoding;
use crate::unit::Unit;

/// An owned path in the units that it came in: bytes, or the 16-bit units of Windows. What an
/// [`Expander`](crate::Expander) is given and answers where the kind of units is not known
/// beforehand.
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
    /// What the bytes are in; units are in no encoding but UTF-16.
    pub(crate) encoding: Encoding,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    /// UTF-8, or bytes that a system took for a name; on Windows also what is like UTF-8 but for
    /// surrogates without their other half (WTF-8).
    Bytes(Vec<u8>),
    /// UTF-16, or units that Windows took for a name.
    Wide(Vec<u16>),
}

impl From<Units> for PathText {
    fn from(units: Units) -> Self {
        PathText { units, encoding: Encoding::UTF_8 }
    }
}

impl From<Vec<u8>> for PathText {
    fn from(bytes: Vec<u8>) -> Self {
        Units::Bytes(bytes).into()
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
        Units::Wide(units).into()
    }
}

impl From<&[u16]> for PathText {
    fn from(units: &[u16]) -> Self {
        units.to_vec().into()
    }
}

/// 16-bit units as bytes: UTF-8, and three bytes for a surrogate without its other half.
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

/// The reverse. Bytes that are no Unicode have no units.
pub(crate) fn to_units(mut bytes: &[u8]) -> Result<Vec<u16>, ExpandError> {
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
    /// A text in either kind of units.
    pub fn from_units<U: Unit>(units: &[U]) -> PathText {
        U::to_text(units)
    }

    /// The text as bytes: those it was made of, or UTF-8 for 16-bit units (and three bytes for a
    /// surrogate without its other half).
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match &self.units {
            Units::Bytes(bytes) => Cow::Borrowed(bytes),
            Units::Wide(units) => Cow::Owned(to_bytes(units)),
        }
    }

    /// The text as 16-bit units. [`ExpandError::Encoding`] for bytes that are not Unicode, or may
    /// be something else.
    pub fn to_units(&self) -> Result<Cow<'_, [u16]>, ExpandError> {
        self.check_encoding()?;
        match &self.units {
            Units::Bytes(bytes) => to_units(bytes).map(Cow::Owned),
            Units::Wide(units) => Ok(Cow::Borrowed(units)),
        }
    }

    /// Whether it is made of 16-bit units.
    pub fn is_wide(&self) -> bool {
        matches!(self.units, Units::Wide(_))
    }

    /// A text in an encoding, as Ruby's strings are:
    /// [`Expander::expand_text`](crate::Expander::expand_text) and
    /// [`Expander::explain_text`](crate::Expander::explain_text) heed it, and answer in the
    /// encoding that Ruby's answer has. Of texts in different encodings all but one must be ASCII,
    /// else there is [`ExpandError::Encoding`]; so there is where ASCII is written otherwise, as in
    /// UTF-16 (as bytes), and for those who know no encodings.
    ///
    /// ```
    /// use curt_paths::{Encoding, Env, Expander, Flavor, PathText, Style};
    /// let expander = Expander::new(Env::none().cwd("C:/"));
    /// let expander = expander.flavor(Flavor::Windows).style(Style::Ruby);
    /// let japanese = Encoding::named("Windows-31J").unwrap();
    /// let text = PathText::encoded(b"\x95\x5C\\x".to_vec(), japanese);
    /// let full = expander.expand_text(&text).unwrap();
    /// assert_eq!(*full.to_bytes(), *b"C:/\x95\x5C/x");
    /// assert_eq!(full.encoding(), japanese);
    /// ```
    #[cfg(feature = "ruby")]
    pub fn encoded(bytes: Vec<u8>, encoding: Encoding) -> PathText {
        PathText { units: Units::Bytes(bytes), encoding }
    }

    /// The encoding that it says it is in; UTF-8 where it says nothing.
    #[cfg(feature = "ruby")]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether it says which encoding it is in.
    pub(crate) fn is_encoded(&self) -> bool {
        self.encoding != Encoding::UTF_8
    }

    /// Refuses bytes of another encoding, unless they are ASCII.
    pub(crate) fn check_encoding(&self) -> Result<(), ExpandError> {
        let is_known = !self.is_encoded() || self.to_bytes().is_ascii();
        is_known.then_some(()).ok_or(ExpandError::Encoding)
    }
}
