//! Characters in bytes and in 16-bit units, and those that have a second name somewhere.

use crate::win_path::WinUnit;

/// A unit that untrusted paths come in.
pub(super) trait CheckUnit: WinUnit {
    /// With the bit that makes a letter small.
    fn small(self) -> Self;
    /// Hands over each character that is not ASCII. `false` for what is no text: bytes that are neither
    /// UTF-8 nor a surrogate without its other half.
    fn characters(text: &[Self], see: impl FnMut(char)) -> bool;
}

impl CheckUnit for u8 {
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
}

impl CheckUnit for u16 {
    fn small(self) -> u16 {
        self | 0x20
    }

    fn characters(text: &[u16], see: impl FnMut(char)) -> bool {
        let characters = char::decode_utf16(text.iter().copied()).filter_map(Result::ok);
        characters.filter(|character| !character.is_ascii()).for_each(see);
        true
    }
}

/// Characters that a system passes over where it compares names without regard to case (HFS+, and ext4
/// and F2FS with that feature): the ignorable ones of Unicode.
const IGNORABLE: [(u32, u32); 17] = [
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
];

/// Characters that Windows maps to separators, dots, colons and tildes for programs that ask in a code
/// page: the yen and won signs, and the full-width forms.
const MAPPED: [char; 7] =
    ['\u{A5}', '\u{20A9}', '\u{FF0E}', '\u{FF0F}', '\u{FF1A}', '\u{FF3C}', '\u{FF5E}'];

/// Whether a name with this character has another without it, somewhere.
pub(super) fn is_aliasing(character: char) -> bool {
    let number = u32::from(character);
    IGNORABLE.iter().any(|&(first, last)| (first..=last).contains(&number))
        || MAPPED.contains(&character)
}
