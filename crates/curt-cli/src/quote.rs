//! Names in messages, quoted as the GNU tools quote them: in single quotes always, so that the text
//! can be pasted into a shell, and without a byte that a terminal would act upon.
//!
//! This is gnulib's `shell_escape_always_quoting_style` in a UTF-8 locale. Two things differ, both
//! towards caution: characters that reverse the direction of text are escaped too, and a locale is
//! never looked up (text is taken for UTF-8, and what is not is escaped byte by byte). A surrogate
//! without a partner, which names on Windows may have, is such a thing: the three bytes that UTF-8
//! would give its number.

mod style;

use std::ffi::OsStr;

use curt::is_printable;

pub(crate) use style::{Quoting, Style};

/// Quotes one name or path.
pub(crate) fn quote(name: impl AsRef<OsStr>) -> String {
    let bytes = name.as_ref().as_encoded_bytes();
    if let Some(text) = short_form(bytes) {
        return format!("\"{text}\"");
    }
    let mut quoted = Quoted { text: String::with_capacity(bytes.len() + 2), escaping: false };
    quoted.text.push('\'');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|character| quoted.character(character));
        chunk.invalid().iter().for_each(|&byte| quoted.octal(byte));
    }
    quoted.text.push('\'');
    quoted.text
}

/// The name as a listing on a terminal shows it: quoted only where a shell would read something
/// else, where a terminal would act upon it, or where it has one of the `special` characters. This
/// is gnulib's `shell_escape_quoting_style`.
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

/// The text, where it has a single quote and nothing that means something between double ones.
fn short_form(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let harmless = |(at, character): (usize, char)| match character {
        '#' | '~' => at == 0,
        ' ' | '\'' | '%' | '+' | ',' | '-' | '.' | '/' | ':' | ']' | '_' | '@' => true,
        _ if character.is_ascii() => character.is_ascii_alphanumeric(),
        _ => is_printable(character),
    };
    (text.contains('\'') && text.char_indices().all(harmless)).then_some(text)
}

/// The text of a message, without a character that a terminal would act upon or that would change
/// how the rest of the line looks: each of its bytes is an octal number instead. Line ends stay.
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
            let mut units = [0; 4];
            let bytes = character.encode_utf8(&mut units).bytes();
            shown.extend(bytes.flat_map(octal));
        }
    }
    shown
}

/// What was typed, so that no line end in it can begin a message of its making.
pub(crate) fn on_one_line(typed: &str) -> String {
    shield(typed).replace('\n', "\\012")
}

/// A name as GNU ls and find show it on a terminal where they do not quote: a question mark stands
/// for what a terminal would act upon.
pub(crate) fn masked(name: &[u8]) -> String {
    let mut shown = String::with_capacity(name.len());
    let mask = |character| if is_printable(character) { character } else { '?' };
    for chunk in name.utf8_chunks() {
        shown.extend(chunk.valid().chars().map(mask));
        shown.extend(chunk.invalid().iter().map(|_| '?'));
    }
    shown
}

/// A byte as an octal number behind a backslash.
fn octal(byte: u8) -> [char; 4] {
    let digit = |shift: u8| char::from(b'0' + (byte >> shift & 7));
    ['\\', digit(6), digit(3), digit(0)]
}

/// A quotation being written: between single quotes, or between `$'` and `'`.
struct Quoted {
    text: String,
    escaping: bool,
}

impl Quoted {
    fn character(&mut self, character: char) {
        let letter = match character {
            '\'' => {
                self.text.push_str("'\\''");
                self.escaping = false;
                return;
            }
            '\x07' => 'a',
            '\x08' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\x0b' => 'v',
            '\x0c' => 'f',
            '\r' => 'r',
            _ if is_printable(character) => {
                if self.escaping {
                    self.text.push_str("''");
                    self.escaping = false;
                }
                self.text.push(character);
                return;
            }
            _ => {
                let mut units = [0; 4];
                character.encode_utf8(&mut units).bytes().for_each(|byte| self.octal(byte));
                return;
            }
        };
        self.begin_escape();
        self.text.push('\\');
        self.text.push(letter);
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
    use super::{for_terminal, masked, quote, shield};

    #[test]
    fn as_the_gnu_tools_write_them() {
        for (name, quoted) in [
            ("", "''"),
            ("plain", "'plain'"),
            ("a b", "'a b'"),
            ("it's", "\"it's\""),
            ("it's $HOME", "'it'\\''s $HOME'"),
            ("x\ny", "'x'$'\\n''y'"),
            ("\n", "''$'\\n'"),
            ("a\t\r", "'a'$'\\t\\r'"),
            ("\n'", "''$'\\n'\\'''"),
            ("\u{1b}[31m", "''$'\\033''[31m'"),
            ("é", "'é'"),
            ("a\u{202e}b", "'a'$'\\342\\200\\256''b'"),
            ("\u{85}", "''$'\\302\\205'"),
            ("back\\slash", "'back\\slash'"),
        ] {
            assert_eq!(quote(name), quoted, "{name:?}");
        }
    }
    #[test]
    fn a_terminal_sees_quotes_where_they_matter() {
        for (name, shown) in [
            ("plain-1.2_3@+,:%]", "plain-1.2_3@+,:%]"),
            ("a b", "'a b'"),
            ("it's", "\"it's\""),
            ("~a", "'~a'"),
            ("a~", "a~"),
            ("{", "'{'"),
            ("{}", "{}"),
            ("a=b", "'a=b'"),
            ("b\\s", "'b\\s'"),
            ("x\ny", "'x'$'\\n''y'"),
            ("\u{1b}[31m", "''$'\\033''[31m'"),
            ("é漢", "é漢"),
            ("", "''"),
        ] {
            assert_eq!(for_terminal(name, ""), shown, "{name:?}");
        }
        assert_eq!(for_terminal("a:b", ":"), "'a:b'");
    }

    #[test]
    fn what_a_terminal_acts_upon_is_shown_as_something_else() {
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

    /// The library's messages and the command's escape the same characters.
    #[test]
    fn the_library_and_the_command_agree_on_every_character() {
        for character in (0..=0x0010_ffff).filter_map(char::from_u32) {
            let text = character.to_string();
            let is_shown = shield(&text) == text;
            assert_eq!(is_shown, curt::is_printable(character) || character == '\n', "{text:?}");
        }
    }
}
