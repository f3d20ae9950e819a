//! Characters in bytes and in 16-bit units, and those that have a second name somewhere.

/// Characters that a system passes over where it compares names without regard to case (HFS+, and
/// ext4 and F2FS with that feature): the ignorable ones of Unicode.
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

/// Characters that Windows maps to separators, dots, colons and tildes for programs that ask in a
/// code page: the yen and won signs, and the full-width forms.
const MAPPED: [char; 7] =
    ['\u{A5}', '\u{20A9}', '\u{FF0E}', '\u{FF0F}', '\u{FF1A}', '\u{FF3C}', '\u{FF5E}'];

/// Whether a name with this character has another without it, somewhere.
pub(super) fn is_aliasing(character: char) -> bool {
    let number = u32::from(character);
    IGNORABLE.iter().any(|&(first, last)| (first..=last).contains(&number))
        || MAPPED.contains(&character)
}
