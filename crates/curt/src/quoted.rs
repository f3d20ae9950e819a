//! Names in the messages of errors.

use std::ffi::OsStr;
use std::fmt::{self, Write};

/// A name or a path in which no character acts upon a terminal or changes how the text around it looks:
/// those are escaped as in Rust's string literals. Quotes and backslashes stay as they are; a program
/// that needs the exact name has the error's path.
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

/// Whether a terminal shows this as itself and does nothing else.
fn is_printable(character: char) -> bool {
    let is_formatting = matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    );
    !character.is_control() && !is_formatting
}
