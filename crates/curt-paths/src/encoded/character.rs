//! Text in other encodings than Unicode's, as characters.
//!
//! In some encodings the second byte of a character can be an ASCII byte: in Windows-31J `5C` is a
//! backslash or the end of `表`. So such a text is read as characters, none of which is converted:
//! the result has the bytes of the input.

use std::borrow::Cow;

use crate::directory::{Cache, Known};
use crate::encoding::Kind;
use crate::options::ExpandError;
use crate::unit::{self, Internal, PathText, Unit, Units};

/// A character in any encoding: a 16-bit unit of Unicode, or one or two bytes that are not
/// converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Character(u32);

// Numbers above Unicode's.
const SINGLE: u32 = 0x11_0000;
const WESTERN: u32 = 0x12_0000;
const PAIR: u32 = 0x13_0000;

impl Character {
    /// Reads bytes in an encoding.
    fn read(bytes: &[u8], kind: Kind) -> Vec<Character> {
        let mut characters = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let number = match bytes.get(at + 1) {
                Some(&second) if is_pair(kind, byte, second) => {
                    at += 1;
                    PAIR | u32::from(u16::from_be_bytes([byte, second]))
                }
                _ if byte < 0x80 => u32::from(byte),
                _ if kind == Kind::Western => WESTERN | u32::from(byte),
                _ => SINGLE | u32::from(byte),
            };
            characters.push(Character(number));
            at += 1;
        }
        characters
    }

    /// Returns the bytes that characters were read from.
    pub(super) fn to_bytes(characters: &[Character]) -> Vec<u8> {
        let (mut bytes, mut units) = (Vec::with_capacity(characters.len()), Vec::new());
        for character in characters {
            if let Ok(unit) = u16::try_from(character.0) {
                units.push(unit);
                continue;
            }
            bytes.extend(unit::to_bytes(&units));
            units.clear();
            let [.., first, second] = character.0.to_be_bytes();
            bytes.extend((character.0 >= PAIR).then_some(first));
            bytes.push(second);
        }
        bytes.extend(unit::to_bytes(&units));
        bytes
    }
}

/// Returns whether two bytes make one character.
fn is_pair(kind: Kind, first: u8, second: u8) -> bool {
    let Kind::Pairs(ranges) = kind else { return false };
    let is_first = ranges.iter().any(|&(low, high)| (low..=high).contains(&first));
    is_first && matches!(second, 0x30..=0x7E | 0x80..=0xFE)
}

impl Unit for Character {
    const NUL: Character = Character(0);
    const SEPARATOR: Character = Character(b'/' as u32);

    fn ascii(character: u8) -> Character {
        Character(u32::from(character))
    }

    fn to_ascii(self) -> u8 {
        u8::try_from(self.0).unwrap_or(u8::MAX)
    }

    fn same_in_any_case(left: &[Character], right: &[Character]) -> bool {
        let lower = |character: &Character| match character.0 {
            letter @ 0x41..=0x5A => letter | 0x20,
            other => other,
        };
        left.iter().map(lower).eq(right.iter().map(lower))
    }
}

impl Internal for Character {
    const SUPERSCRIPTS: &'static [&'static [Character]] = &[
        &[Character(0xB9)],
        &[Character(0xB2)],
        &[Character(0xB3)],
        &[Character(WESTERN | 0xB9)],
        &[Character(WESTERN | 0xB2)],
        &[Character(WESTERN | 0xB3)],
    ];

    fn to_lower(self) -> Character {
        Character(self.0 | 0x20)
    }

    /// Characters are only expanded, never checked.
    fn characters(_: &[Character], _: impl FnMut(char)) -> bool {
        false
    }

    fn of(text: &PathText) -> Result<Cow<'_, [Character]>, ExpandError> {
        let from_units = |units: &[u16]| units.iter().map(|&unit| Character(unit.into())).collect();
        let characters = match &text.units {
            Units::Wide(units) => from_units(units),
            Units::Bytes(bytes) if text.is_encoded() => Character::read(bytes, text.encoding.kind),
            Units::Bytes(bytes) => match unit::to_units(bytes) {
                Ok(units) => from_units(&units),
                Err(_) => Character::read(bytes, Kind::Apart),
            },
        };
        Ok(Cow::Owned(characters))
    }

    fn to_text(text: &[Character]) -> PathText {
        Character::to_bytes(text).into()
    }

    /// Not kept: expansions in encodings are rare.
    fn known(_: &Cache) -> Option<&Known<Character>> {
        None
    }
}
