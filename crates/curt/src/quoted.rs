use std::ffi::OsStr;
use std::fmt;

/// Escapes characters that control a terminal or change the look of surrounding text, but not
/// quotes and backslashes.
pub(crate) struct Printable<'a>(pub(crate) &'a OsStr);

pub(crate) struct Quoted<'a>(pub(crate) &'a OsStr);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_encoded_bytes().utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some((at, character)) = rest.char_indices().find(|&(_, c)| !is_printable(c)) {
                write!(f, "{}{}", &rest[..at], character.escape_unicode())?;
                rest = &rest[at + character.len_utf8()..];
            }
            f.write_str(rest)?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", Printable(self.0))
    }
}

/// Returns whether a terminal shows this character as itself, without side effects.
///
/// Other characters are escaped in error messages and in the command's output: control characters
/// (C0 and C1), line separators, characters that change text direction, and invisible characters.
/// The joiners of scripts and emoji (U+200C, U+200D) and 16-bit variation selectors are printable,
/// because names in many languages use them.
///
/// ```
/// assert!("né 漢字 👩\u{200d}🚒".chars().all(curt::is_printable));
/// assert!(!curt::is_printable('\u{1b}'));
/// assert!(!curt::is_printable('\u{202e}'), "turns text around");
/// assert!(!curt::is_printable('\u{200b}'), "has no width");
/// ```
#[must_use]
pub fn is_printable(character: char) -> bool {
    let is_formatting = matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    );
    !character.is_control() && !is_formatting
}
