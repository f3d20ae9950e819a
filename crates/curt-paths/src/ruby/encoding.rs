//! Texts in other encodings than Unicode's, as Ruby's strings carry theirs.
//!
//! What separates names is ASCII in all of them but those that are refused. Only in some is the
//! second byte of a character one that is ASCII elsewhere: in Windows-31J `5C` is a backslash or
//! the end of `表`. So such a text is read as characters, none of which is converted: what comes out
//! has the bytes that went in. Texts that are put together must be in one encoding, or be ASCII, as
//! in Ruby.

use std::borrow::Cow;

use crate::expander::{ExpandExplanation, Expander};
use crate::flavor::Flavor;
use crate::options::ExpandError;
use crate::place::{Places, Settled};
use crate::posix;
use crate::rule::Rule;
use crate::text::{self, PathText, Units};
use crate::unit::{Internal, Unit};
use crate::windows::full_path;
use crate::windows::prefix::Start;

/// How bytes make characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// UTF-8.
    Unicode,
    /// Read as Windows-1252, where superscripts stand that are digits in the names of ports.
    Western,
    /// No byte of a character beyond ASCII is one of ASCII.
    Apart,
    /// Two bytes, of which the second may be one of ASCII: the first is within this range, or the
    /// other.
    Pairs([(u8, u8); 2]),
    /// ASCII is written otherwise: no path.
    Wide,
}

const SHIFT_JIS: Kind = Kind::Pairs([(0x81, 0x9F), (0xE0, 0xFC)]);
const HIGH: Kind = Kind::Pairs([(0x81, 0xFE), (0x81, 0xFE)]);

/// The encoding of a text in bytes. Most texts need none: see [`PathText::encoded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    name: &'static str,
    kind: Kind,
}

/// Ruby's names for them.
const NAMED: [(Kind, &str); 6] = [
    (Kind::Unicode, "UTF-8"),
    (Kind::Western, "US-ASCII ASCII-8BIT Windows-1252 ISO-8859-1"),
    (
        Kind::Apart,
        "ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 \
     ISO-8859-9 ISO-8859-10 ISO-8859-11 ISO-8859-13 ISO-8859-14 ISO-8859-15 \
     ISO-8859-16 Windows-1250 Windows-1251 Windows-1253 Windows-1254 Windows-1255 \
     Windows-1256 Windows-1257 Windows-1258 Windows-874 IBM437 IBM850 IBM852 KOI8-R \
     KOI8-U EUC-JP CP51932 EUC-KR EUC-TW GB2312",
    ),
    (SHIFT_JIS, "Shift_JIS Windows-31J"),
    (HIGH, "CP949 GBK GB18030 Big5"),
    (Kind::Wide, "UTF-16LE UTF-16BE UTF-16 UTF-32LE UTF-32BE UTF-32"),
];

/// Other names, and those that Ruby has for them.
const ALIASES: [(&str, &str); 5] = [
    ("ASCII", "US-ASCII"),
    ("BINARY", "ASCII-8BIT"),
    ("CP932", "Windows-31J"),
    ("CP936", "GBK"),
    ("CP950", "Big5"),
];

impl Encoding {
    /// UTF-8, and whatever else a system took for a name: what texts are in that say nothing.
    pub const UTF_8: Encoding = Encoding { name: "UTF-8", kind: Kind::Unicode };
    /// ASCII, the weakest: with bytes beyond it, it goes with itself alone.
    pub const US_ASCII: Encoding = Encoding { name: "US-ASCII", kind: Kind::Western };

    /// By the name that Ruby has for it, in letters of any case.
    pub fn named(name: &str) -> Option<Encoding> {
        let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
        let name = alias.map_or(name, |&(_, name)| name);
        NAMED.iter().find_map(|&(kind, names)| {
            let name = names.split(' ').find(|known| known.eq_ignore_ascii_case(name))?;
            Some(Encoding { name, kind })
        })
    }

    /// Ruby's name for it.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether these two bytes may be one character.
    fn is_pair(self, first: u8, second: u8) -> bool {
        let Kind::Pairs(ranges) = self.kind else { return false };
        let is_first = ranges.iter().any(|&(low, high)| (low..=high).contains(&first));
        is_first && matches!(second, 0x30..=0x7E | 0x80..=0xFE)
    }

    /// The characters of bytes in this encoding.
    fn characters(self, bytes: &[u8]) -> Vec<Character> {
        let mut characters = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match bytes.get(at + 1) {
                Some(&second) if self.is_pair(byte, second) => {
                    characters.push(Character::pair(byte, second));
                    at += 1;
                }
                _ => characters.push(Character::single(byte, self.kind == Kind::Western)),
            }
            at += 1;
        }
        characters
    }
}

/// A character of any encoding: a 16-bit unit of Unicode, or one or two bytes that are not
/// converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Character(u32);

/// Behind all of Unicode.
const SINGLE: u32 = 0x11_0000;
const WESTERN: u32 = 0x12_0000;
const PAIR: u32 = 0x13_0000;

impl Character {
    fn single(byte: u8, is_western: bool) -> Character {
        Character(match byte {
            0..0x80 => u32::from(byte),
            _ if is_western => WESTERN | u32::from(byte),
            _ => SINGLE | u32::from(byte),
        })
    }

    fn pair(first: u8, second: u8) -> Character {
        Character(PAIR | u32::from(u16::from_be_bytes([first, second])))
    }

    /// Adds the bytes it stands for.
    fn add_to(self, bytes: &mut Vec<u8>, units: &mut Vec<u16>) {
        if let Ok(unit) = u16::try_from(self.0) {
            units.push(unit);
            return;
        }
        bytes.extend(text::to_bytes(units));
        units.clear();
        let [.., first, second] = self.0.to_be_bytes();
        if self.0 >= PAIR {
            bytes.push(first);
        }
        bytes.push(second);
    }
}

/// The bytes of characters.
fn bytes_of(characters: &[Character]) -> Vec<u8> {
    let (mut bytes, mut units) = (Vec::with_capacity(characters.len()), Vec::new());
    for character in characters {
        character.add_to(&mut bytes, &mut units);
    }
    bytes.extend(text::to_bytes(&units));
    bytes
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

    fn small(self) -> Character {
        Character(self.0 | 0x20)
    }

    /// Only expanded, never checked.
    fn characters(_: &[Character], _: impl FnMut(char)) -> bool {
        false
    }

    fn of(text: &PathText) -> Result<Cow<'_, [Character]>, ExpandError> {
        let from_units = |units: &[u16]| units.iter().map(|&unit| Character(unit.into())).collect();
        let characters: Vec<Character> = match &text.units {
            Units::Wide(units) => from_units(units),
            Units::Bytes(bytes) if text.is_encoded() => text.encoding.characters(bytes),
            Units::Bytes(bytes) => match text::to_units(bytes) {
                Ok(units) => from_units(&units),
                Err(_) => Encoding { kind: Kind::Apart, ..Encoding::UTF_8 }.characters(bytes),
            },
        };
        Ok(Cow::Owned(characters))
    }

    fn to_text(text: &[Character]) -> PathText {
        bytes_of(text).into()
    }

    fn settled(expander: &Expander) -> &Settled<Character> {
        &expander.characters
    }
}

/// What matters of a text where it is put together with others.
#[derive(Clone, Copy)]
struct Label {
    encoding: Encoding,
    is_ascii: bool,
}

impl Label {
    fn of(text: &PathText) -> Result<Label, ExpandError> {
        let encoding = text.encoding();
        if encoding.kind == Kind::Wide {
            return Err(ExpandError::Encoding);
        }
        Ok(Label { encoding, is_ascii: text.to_bytes().is_ascii() })
    }

    /// The encoding of a text behind a directory of another: that of the one which is not ASCII,
    /// else that of the `stronger` one. What calls itself ASCII is the weakest, whatever it is.
    fn behind(self, directory: Label, stronger: Encoding) -> Result<Encoding, ExpandError> {
        match (self.is_ascii, directory.is_ascii) {
            _ if self.encoding == directory.encoding => Ok(self.encoding),
            (false, false) => Err(ExpandError::Encoding),
            _ if self.encoding == Encoding::US_ASCII => Ok(directory.encoding),
            _ if directory.encoding == Encoding::US_ASCII => Ok(self.encoding),
            (false, true) => Ok(self.encoding),
            (true, false) => Ok(directory.encoding),
            (true, true) => Ok(stronger),
        }
    }
}

/// What a text comes to where encodings matter, and why.
pub(crate) fn explain(expander: &Expander, text: &PathText) -> ExpandExplanation {
    let characters = Label::of(text).and_then(|_| Character::of(text));
    let mut explanation = match characters {
        Ok(characters) => expander.explain(&characters),
        Err(error) => ExpandExplanation { result: Err(error), rules: Vec::new() },
    };
    explanation.result = explanation.result.and_then(|full| {
        let full = full.to_bytes().into_owned();
        let label = label(expander, text, &full, &explanation.rules, false)?;
        Ok(PathText::encoded(full, label.encoding))
    });
    explanation
}

/// The label of what a text came to by these rules.
fn label(
    expander: &Expander,
    text: &PathText,
    full: &[u8],
    rules: &[Rule],
    is_base: bool,
) -> Result<Label, ExpandError> {
    let own = Label::of(text)?;
    let fired = |rule| rules.contains(&rule);
    let is_home = fired(Rule::Home) || fired(Rule::UserHome);
    let base = expander.base.as_ref().filter(|_| !is_base && (is_home || fired(Rule::Base)));
    let encoding = if is_home && text.to_bytes().starts_with(b"~") {
        expander.env.home_directory().map_or(Encoding::UTF_8, |home| home.encoding())
    } else if let Some(base) = base {
        let base = label_of_base(expander, base)?;
        own.behind(base, base.encoding)?
    } else if fired(Rule::WorkingDirectory) || fired(Rule::DriveDirectory) {
        let directory = if fired(Rule::DriveDirectory) {
            drive_directory(expander, text)?
        } else {
            expander.env.working_directory().cloned()
        };
        let directory = directory.as_ref().map_or(Ok(own), Label::of)?;
        own.behind(directory, own.encoding)?
    } else {
        own.encoding
    };
    let is_ascii = full.is_ascii();
    if encoding != own.encoding && !own.is_ascii && !is_ascii {
        return Err(ExpandError::Encoding);
    }
    Ok(Label { encoding, is_ascii })
}

fn label_of_base(expander: &Expander, base: &PathText) -> Result<Label, ExpandError> {
    let (characters, places) = (Character::of(base)?, Places::<Character>::of(expander));
    let (mut full, mut rules) = (Vec::new(), Vec::new());
    let places = places.of_base();
    match expander.options.flavor {
        Flavor::Posix => posix::expand(&characters, places, &mut full, &mut rules)?,
        Flavor::Windows => full_path::expand(&characters, places, &mut full, &mut rules)?,
    }
    label(expander, base, &bytes_of(&full), &rules, true)
}

/// The working directory of the drive that a text begins with.
fn drive_directory(expander: &Expander, text: &PathText) -> Result<Option<PathText>, ExpandError> {
    let characters = Character::of(text)?;
    let letter = Start::of(&characters).drive().map_or(0, |drive| drive - 1);
    Ok(expander.env.drive_directory(&Character::to_text(&characters[..letter])))
}

/// Whether Ruby refuses a base that is in this encoding, whatever the path is.
pub(super) fn is_refused(base: &PathText) -> bool {
    Label::of(base).is_err()
}
