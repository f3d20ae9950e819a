//! The quoting styles of GNU ls, as in gnulib's `quotearg`. Letters of all scripts are printable,
//! unlike invalid UTF-8 and control characters.

use std::ffi::OsStr;

use curt::is_printable;

use super::{
    escape_letter, for_double_quotes, for_terminal, in_escaped_quotes, masked, octal, octals, quote,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Literal,
    Shell,
    ShellAlways,
    ShellEscape,
    ShellEscapeAlways,
    C,
    CMaybe,
    Escape,
    Locale,
    CLocale,
}

impl Style {
    pub(crate) const WORDS: [(&'static str, Style); 10] = [
        ("literal", Style::Literal),
        ("shell", Style::Shell),
        ("shell-always", Style::ShellAlways),
        ("shell-escape", Style::ShellEscape),
        ("shell-escape-always", Style::ShellEscapeAlways),
        ("c", Style::C),
        ("c-maybe", Style::CMaybe),
        ("escape", Style::Escape),
        ("locale", Style::Locale),
        ("clocale", Style::CLocale),
    ];

    pub(crate) fn varies(self) -> bool {
        matches!(self, Style::Shell | Style::ShellEscape | Style::CMaybe)
    }
}

impl Quoting {
    /// Returns the name in this style. `special` characters require quoting, too.
    fn quoted(self, name: &OsStr, special: &str) -> Vec<u8> {
        let Quoting { style, is_ascii, .. } = self;
        let bytes = name.as_encoded_bytes();
        let escaped = |bytes: &[u8], quotes: &str, special: &str, closing: &str| {
            let right = if quotes == LEFT { RIGHT } else { quotes };
            escaped(bytes, [quotes, right], [special, closing], is_ascii)
        };
        match style {
            Style::Literal => bytes.to_vec(),
            Style::Shell if !is_special_to_shells(bytes, special) => bytes.to_vec(),
            Style::Shell | Style::ShellAlways => in_single_quotes(bytes),
            Style::ShellEscape | Style::ShellEscapeAlways if is_ascii && !bytes.is_ascii() => {
                in_escaped_quotes(bytes, true).into_bytes()
            }
            Style::ShellEscape => for_terminal(name, special).into_bytes(),
            Style::ShellEscapeAlways => quote(name).into_bytes(),
            Style::Locale | Style::CLocale if self.has_utf8_quotes => {
                escaped(bytes, LEFT, special, RIGHT)
            }
            Style::C | Style::CLocale => escaped(bytes, "\"", special, "\""),
            Style::CMaybe => {
                // A backslash alone requires no quotes, but it is doubled within quotes.
                let others: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != b'\\').collect();
                let is_plain = escaped(&others, "", special, "\"") == others;
                if is_plain { bytes.to_vec() } else { escaped(bytes, "\"", "", "\"") }
            }
            Style::Escape => escaped(bytes, "", special, ""),
            Style::Locale => escaped(bytes, "'", special, "'"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quoting {
    pub(crate) style: Style,
    /// Whether `?` replaces unprintable characters that the style does not escape.
    pub(crate) is_masked: bool,
    /// Whether only ASCII is printable, as in the C locale.
    pub(crate) is_ascii: bool,
    pub(crate) has_utf8_quotes: bool,
}

impl Quoting {
    pub(crate) fn is_none(self) -> bool {
        self == Quoting::default()
    }

    /// Returns the name as shown, and whether the style changed it.
    pub(crate) fn apply(self, name: &OsStr, special: &str) -> (Vec<u8>, bool) {
        let quoted = self.quoted(name, special);
        let is_quoted = quoted != name.as_encoded_bytes();
        let leaves = matches!(self.style, Style::Literal | Style::Shell | Style::ShellAlways);
        let mask = |byte: u8| if matches!(byte, b' '..=b'~') { byte } else { b'?' };
        let shown = match self.is_masked && leaves {
            true if self.is_ascii => quoted.into_iter().map(mask).collect(),
            true => masked(&quoted).into_bytes(),
            false => quoted,
        };
        (shown, is_quoted)
    }
}

fn is_special_to_shells(bytes: &[u8], special: &str) -> bool {
    matches!(bytes, b"" | b"{" | b"}")
        || matches!(bytes.first(), Some(b'#' | b'~'))
        || bytes.iter().any(|byte| {
            b" !\"$&'()*;<=>?[\\^`|\n\r\t".contains(byte) || special.as_bytes().contains(byte)
        })
}

fn in_single_quotes(bytes: &[u8]) -> Vec<u8> {
    if let Some(text) = for_double_quotes(bytes) {
        return format!("\"{text}\"").into_bytes();
    }
    let parts: Vec<&[u8]> = bytes.split(|&byte| byte == b'\'').collect();
    [b"'", &parts.join(&b"'\\''"[..])[..], b"'"].concat()
}

/// The quotes of the locale styles in UTF-8 locales.
const LEFT: &str = "\u{2018}";
const RIGHT: &str = "\u{2019}";

/// Escapes a name as in C, and the `marked` characters, and puts it between `quotes`.
fn escaped(bytes: &[u8], quotes: [&str; 2], marked: [&str; 2], is_ascii: bool) -> Vec<u8> {
    let mut text = quotes[0].to_owned();
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let is_marked =
                character == '\\' || marked.iter().any(|marked| marked.contains(character));
            let is_shown = is_printable(character) && (!is_ascii || character.is_ascii());
            match escape_letter(character) {
                Some(letter) => text.extend(['\\', letter]),
                None if is_marked => text.extend(['\\', character]),
                None if is_shown => text.push(character),
                None => text.push_str(&octals(character)),
            }
        }
        text.extend(chunk.invalid().iter().copied().flat_map(octal));
    }
    text.push_str(quotes[1]);
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{Quoting, Style};

    /// Tests only UTF-8 quotes. Other tests compare the other quotes with GNU.
    #[test]
    fn a_locale_may_have_other_quotes() {
        for (name, is_ascii, shown) in [
            ("\u{e9}x", true, "\u{2018}\\303\\251x\u{2019}"),
            ("it's \"\u{2019}", false, "\u{2018}it's \"\\\u{2019}\u{2019}"),
        ] {
            let style = Style::Locale;
            let quoting = Quoting { style, is_masked: is_ascii, is_ascii, has_utf8_quotes: true };
            let (name, _) = quoting.apply(name.as_ref(), "");
            assert_eq!(String::from_utf8(name).unwrap(), shown);
        }
    }
}
