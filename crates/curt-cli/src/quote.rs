//! Quotes names in messages, as the GNU tools do: always, safe to paste into a shell, and without
//! control characters.
//!
//! This is gnulib's `shell_escape_always_quoting_style`, always as in a UTF-8 locale. It also
//! escapes characters that change the direction of text. Invalid UTF-8 is escaped byte by byte, and
//! an unpaired surrogate on Windows as its three bytes in WTF-8.

mod style;

use std::ffi::OsStr;

use curt::is_printable;

pub(crate) use style::{Quoting, Style};

pub(crate) fn quote(name: impl AsRef<OsStr>) -> String {
    let bytes = name.as_ref().as_encoded_bytes();
    match for_double_quotes(bytes) {
        Some(text) => format!("\"{text}\""),
        None => in_escaped_quotes(bytes, false),
    }
}

/// Single-quotes a name and escapes unprintable characters. With `is_ascii`, only ASCII is
/// printable.
fn in_escaped_quotes(bytes: &[u8], is_ascii: bool) -> String {
    let mut quoted = Quoted { text: String::with_capacity(bytes.len() + 2), escaping: false };
    quoted.text.push('\'');
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_ascii && !character.is_ascii() {
                let mut units = [0; 4];
                character.encode_utf8(&mut units).bytes().for_each(|byte| quoted.octal(byte));
            } else {
                quoted.character(character);
            }
        }
        chunk.invalid().iter().for_each(|&byte| quoted.octal(byte));
    }
    quoted.text.push('\'');
    quoted.text
}

/// Quotes a name only if a shell would misread it, or if it has control or `special` characters.
/// This is gnulib's `shell_escape_quoting_style`.
pub(crate) fn for_terminal(name: impl AsRef<OsStr>, special: &str) -> String {
    let name = name.as_ref();
    let harmless = |(at, character): (usize, char)| match character {
        '#' | '~' => at > 0,
        ' ' | '!' | '"' | '$' | '&' | '\'' | '(' | ')' | '*' | ';' | '<' | '=' | '>' | '?'
        | '[' | '\\' | '^' | '`' | '|' => false,
        _ => is_printable(character) && !special.contains(character),
    };
    match name.to_str() {
        Some(text) if !matches!(text, "" | "{" | "}") && text.char_indices().all(harmless) => {
            text.to_owned()
        }
        _ => quote(name),
    }
}

/// Returns the name if it has a single quote, but no character that is special within double
/// quotes.
fn for_double_quotes(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let harmless = |(at, character): (usize, char)| match character {
        '#' | '~' => at == 0,
        ' ' | '\'' | '%' | '+' | ',' | '-' | '.' | '/' | ':' | ']' | '_' | '@' => true,
        _ if character.is_ascii() => character.is_ascii_alphanumeric(),
        _ => is_printable(character),
    };
    (text.contains('\'') && text.char_indices().all(harmless)).then_some(text)
}

/// Writes octal escapes for control characters except newlines, and for characters that change how
/// the rest of the line looks.
pub(crate) fn shield(text: &str) -> String {
    let is_harmless = |character| character == '\n' || is_printable(character);
    if text.chars().all(is_harmless) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_harmless(character) {
            shown.push(character);
        } else {
            shown.push_str(&octals(character));
        }
    }
    shown
}

/// Escapes user input, including newlines, so that it cannot fake another message.
pub(crate) fn on_one_line(typed: &str) -> String {
    shield(typed).replace('\n', "\\012")
}

/// Replaces control characters with `?`, as GNU find does on a terminal and GNU ls does in
/// unquoted names.
pub(crate) fn masked(name: &[u8]) -> String {
    let mut shown = String::with_capacity(name.len());
    let mask = |character| if is_printable(character) { character } else { '?' };
    for chunk in name.utf8_chunks() {
        shown.extend(chunk.valid().chars().map(mask));
        shown.extend(chunk.invalid().iter().map(|_| '?'));
    }
    shown
}

fn escape_letter(character: char) -> Option<char> {
    let index = ('\x07'..='\r').position(|known| known == character)?;
    "abtnvfr".chars().nth(index)
}

fn octals(character: char) -> String {
    let mut units = [0; 4];
    character.encode_utf8(&mut units).bytes().flat_map(octal).collect()
}

fn octal(byte: u8) -> [char; 4] {
    let digit = |shift: u8| char::from(b'0' + (byte >> shift & 7));
    ['\\', digit(6), digit(3), digit(0)]
}

/// A name while it is quoted. `escaping` means that `text` ends within `$'…'`.
struct Quoted {
    text: String,
    escaping: bool,
}

impl Quoted {
    fn character(&mut self, character: char) {
        if character == '\'' {
            self.text.push_str("'\\''");
            self.escaping = false;
        } else if is_printable(character) {
            if std::mem::take(&mut self.escaping) {
                self.text.push_str("''");
            }
            self.text.push(character);
        } else {
            self.begin_escape();
            match escape_letter(character) {
                Some(letter) => self.text.extend(['\\', letter]),
                None => self.text.push_str(&octals(character)),
            }
        }
    }

    fn octal(&mut self, byte: u8) {
        self.begin_escape();
        self.text.extend(octal(byte));
    }

    fn begin_escape(&mut self) {
        if !self.escaping {
            self.text.push_str("'$'");
            self.escaping = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{masked, shield};

    #[test]
    fn control_characters_are_escaped_or_masked() {
        for (text, shielded, masked_text) in [
            ("plain é漢", "plain é漢", "plain é漢"),
            ("a\u{1b}[2Jb", "a\\033[2Jb", "a?[2Jb"),
            ("\u{9b}", "\\302\\233", "?"),
            ("a\u{202e}b", "a\\342\\200\\256b", "a?b"),
            ("\u{61c}", "\\330\\234", "?"),
            ("one\ntwo", "one\ntwo", "one?two"),
        ] {
            assert_eq!(shield(text), shielded, "{text:?}");
            assert_eq!(masked(text.as_bytes()), masked_text, "{text:?}");
        }
        assert_eq!(masked(b"a\x9b\xff"), "a??");
    }

    #[test]
    fn the_library_and_the_command_agree_on_every_character() {
        for character in (0..=0x0010_ffff).filter_map(char::from_u32) {
            let text = character.to_string();
            let is_shown = shield(&text) == text;
            assert_eq!(is_shown, curt::is_printable(character) || character == '\n', "{text:?}");
        }
    }
}
