//! Names in the messages of errors.

use std::ffi::OsStr;
use std::fmt::{self, Write};

/// A name or a path in which no character acts upon a terminal or changes how the text around it
/// looks: those are escaped as in Rust's string literals. Quotes and backslashes stay as they are;
/// a program that needs the exact name has the error's path.
pub(crate) struct Printable<'a>(pub(crate) &'a OsStr);

/// The same, between single quotes.
pub(crate) struct Quoted<'a>(pub(crate) &'a OsStr);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_encoded_bytes().utf8_chunks() {
            for character in chunk.valid().chars() {
                if is_printable(character) {
                    f.write_char(character)?;
                } else {
                    write!(f, "{}", character.escape_unicode())?;
                }
            }
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

/// Whether a terminal shows a character as itself, and does nothing else.
///
/// The messages of this library's errors and everything that the command prints escape what is not
/// printable: control characters (C0 and C1), which a terminal acts upon; what ends a line, or
/// turns the direction of the text around it; and what nobody sees, so that two names look the
/// same. The joiners of scripts and of pictures (U+200C, U+200D) and the variation selectors of 16
/// bits are printable, since names in many languages have them.
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
