//! Colors from `LS_COLORS`. A color depends on the kind, and on mode and link count if the command
//! reads them. `ls` reads metadata for a color only if `LS_COLORS` sets an indicator that needs it.

use curt::{Fields, Kind};

use super::entry::fields_if;
use crate::quote::quote;

/// GNU's indicators and their default values.
const DEFAULT: [(&str, Option<&str>); 24] = [
    ("lc", Some("\x1b[")),
    ("rc", Some("m")),
    ("ec", None),
    ("rs", Some("0")),
    ("no", None),
    ("fi", None),
    ("di", Some("01;34")),
    ("ln", Some("01;36")),
    ("pi", Some("33")),
    ("so", Some("01;35")),
    ("bd", Some("01;33")),
    ("cd", Some("01;33")),
    ("mi", None),
    ("or", None),
    ("ex", Some("01;32")),
    ("do", Some("01;35")),
    ("su", Some("37;41")),
    ("sg", Some("30;43")),
    ("st", Some("37;44")),
    ("ow", Some("34;42")),
    ("tw", Some("30;42")),
    ("ca", None),
    ("mh", None),
    ("cl", Some("\x1b[K")),
];

/// Terminals whose names begin with these words have colors, as in `dircolors`.
const TERMINALS: [&str; 4] = ["rxvt", "screen", "tmux", "xterm"];

const OTHER_TERMINALS: &str = "\
    Eterm alacritty ansi cons25 console cygwin dtterm gnome hurd jfbterm konsole kterm \
    linux linux-c mlterm putty st terminator tmux vt100";

#[derive(Debug)]
pub(crate) struct Palette {
    indicators: Vec<(&'static str, Option<Vec<u8>>)>,
    /// The indicators that `LS_COLORS` sets.
    named: Vec<&'static str>,
    /// Suffixes of names and their colors. The last match wins.
    suffixes: Vec<(Vec<u8>, Vec<u8>)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorKey<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) kind: Kind,
    pub(crate) mode: Option<u32>,
    pub(crate) links: Option<u64>,
    pub(crate) has_capability: bool,
}

impl<'a> ColorKey<'a> {
    pub(crate) fn new(name: &'a [u8], kind: Kind, mode: Option<u32>) -> ColorKey<'a> {
        ColorKey { name, kind, mode, links: None, has_capability: false }
    }
}

/// Metadata that `LS_COLORS` needs besides kinds and names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) of_files: Fields,
    pub(crate) of_directories: Fields,
    /// Whether to check that symlink targets exist, in general and in the long format.
    pub(crate) targets: bool,
    pub(crate) long_targets: bool,
}

impl Palette {
    /// Returns the palette from the environment, or `None` if the terminal has no colors or, after
    /// calling `warn`, if `LS_COLORS` is invalid.
    pub(crate) fn from_environment(warn: impl Fn(String)) -> Option<Palette> {
        let value = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let Some(text) = value("LS_COLORS") else {
            let terminal = value("TERM").unwrap_or_default();
            let is_known = value("COLORTERM").is_some() || has_colors(&terminal.to_string_lossy());
            return is_known.then(Palette::default_colors);
        };
        match Palette::new(text.as_encoded_bytes()) {
            Ok(palette) => Some(palette),
            Err(Unparsable { prefix }) => {
                if let Some(prefix) = prefix {
                    let prefix = String::from_utf8_lossy(&prefix);
                    warn(format!("unrecognized prefix: {}", quote(&*prefix)));
                }
                warn("unparsable value for LS_COLORS environment variable".to_owned());
                None
            }
        }
    }

    fn default_colors() -> Palette {
        let owned = |(name, value): (&'static str, Option<&str>)| (name, value.map(Into::into));
        Palette {
            indicators: DEFAULT.into_iter().map(owned).collect(),
            named: Vec::new(),
            suffixes: Vec::new(),
        }
    }

    fn new(text: &[u8]) -> Result<Palette, Unparsable> {
        let mut palette = Palette::default_colors();
        for (name, value) in parse(text)? {
            if let Some(suffix) = name.strip_prefix(b"*") {
                // Only the last color of each spelling counts.
                palette.suffixes.retain(|(known, _)| known != suffix);
                palette.suffixes.push((suffix.to_vec(), value));
                continue;
            }
            let known = palette.indicators.iter_mut().find(|(known, _)| known.as_bytes() == name);
            match known {
                Some((name, known)) => {
                    *known = Some(value);
                    palette.named.push(*name);
                }
                None => return Err(Unparsable { prefix: Some(name) }),
            }
        }
        Ok(palette)
    }

    fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.indicators.iter().find(|(known, _)| *known == name);
        found.and_then(|(_, value)| value.as_deref())
    }

    fn is_colored(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value, b"" | b"0" | b"00"))
    }

    pub(crate) fn needs(&self) -> Needs {
        let is_named = |name: &&str| self.named.contains(name) && self.is_colored(name);
        let any = |names: &[&str]| names.iter().any(is_named);
        let targets = any(&["or"]) || self.links_are_targets();
        Needs {
            of_files: fields_if(&[
                (any(&["su", "sg", "ex"]), Fields::MODE),
                (any(&["mh"]), Fields::LINKS),
                (any(&["ca"]), Fields::CAPABILITY),
            ]),
            of_directories: fields_if(&[(any(&["tw", "ow", "st"]), Fields::MODE)]),
            targets,
            long_targets: targets || any(&["mi"]),
        }
    }

    pub(crate) fn begin(&self, color: &[u8], to: &mut Vec<u8>) {
        for part in [self.get("lc").unwrap_or_default(), color, self.get("rc").unwrap_or_default()]
        {
            to.extend_from_slice(part);
        }
    }

    pub(crate) fn end(&self, to: &mut Vec<u8>) {
        match self.get("ec") {
            Some(end) => to.extend_from_slice(end),
            None => self.begin(self.get("rs").unwrap_or_default(), to),
        }
    }

    pub(crate) fn normal(&self) -> Option<&[u8]> {
        self.get("no").filter(|_| self.is_colored("no"))
    }

    /// Clears the rest of the line, which the background color of a wrapped name might have filled.
    pub(crate) fn clear(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.get("cl").unwrap_or_default());
    }

    /// Returns the text to print at the end: empty unless `LS_COLORS` changes the escape sequences.
    pub(crate) fn restore(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if (self.get("lc"), self.get("rc")) != (Some(&b"\x1b["[..]), Some(&b"m"[..])) {
            self.begin(b"", &mut text);
        }
        text
    }

    pub(crate) fn links_are_targets(&self) -> bool {
        self.get("ln") == Some(b"target")
    }

    pub(crate) fn link(&self) -> Option<&[u8]> {
        self.get("ln")
    }

    pub(crate) fn missing(&self) -> Option<&[u8]> {
        self.get(if self.is_colored("mi") { "mi" } else { "or" })
    }

    pub(crate) fn color(&self, key: ColorKey<'_>) -> Option<&[u8]> {
        let indicator = match key.kind {
            Kind::Directory => self.directory(key.mode),
            Kind::File => self.file(key),
            Kind::Fifo => "pi",
            Kind::Socket => "so",
            Kind::BlockDevice => "bd",
            Kind::CharacterDevice | Kind::Whiteout => "cd",
            // The target of this symlink is missing or unknown.
            kind if kind.is_link() && (self.links_are_targets() || self.is_colored("or")) => "or",
            kind if kind.is_link() => "ln",
            _ => return None,
        };
        let suffix = if indicator == "fi" { self.suffix(key.name) } else { None };
        suffix.or_else(|| self.get(indicator))
    }

    fn directory(&self, mode: Option<u32>) -> &'static str {
        let has = |bits: u32, indicator| {
            mode.is_some_and(|mode| mode & bits == bits) && self.is_colored(indicator)
        };
        if has(0o1002, "tw") {
            "tw"
        } else if has(0o002, "ow") {
            "ow"
        } else if has(0o1000, "st") {
            "st"
        } else {
            "di"
        }
    }

    fn file(&self, key: ColorKey<'_>) -> &'static str {
        let has = |bits: u32, indicator| {
            key.mode.is_some_and(|mode| mode & bits != 0) && self.is_colored(indicator)
        };
        if has(0o4000, "su") {
            "su"
        } else if has(0o2000, "sg") {
            "sg"
        } else if key.has_capability && self.is_colored("ca") {
            "ca"
        } else if has(0o111, "ex") {
            "ex"
        } else if key.links.is_some_and(|links| links > 1) && self.is_colored("mh") {
            "mh"
        } else {
            "fi"
        }
    }

    /// Returns the color of a name's suffix. Ignores case, unless `LS_COLORS` has different colors
    /// for different spellings.
    fn suffix(&self, name: &[u8]) -> Option<&[u8]> {
        let fits = |(suffix, color): &&(Vec<u8>, Vec<u8>)| {
            let Some(end) = name.len().checked_sub(suffix.len()).and_then(|at| name.get(at..))
            else {
                return false;
            };
            let is_ambiguous = || {
                self.suffixes.iter().any(|(other, another)| {
                    other != suffix && other.eq_ignore_ascii_case(suffix) && another != color
                })
            };
            end == suffix.as_slice() || end.eq_ignore_ascii_case(suffix) && !is_ambiguous()
        };
        self.suffixes.iter().rev().find(fits).map(|(_, color)| color.as_slice())
    }
}

fn has_colors(terminal: &str) -> bool {
    // Names such as `con80x25`.
    let is_console = || {
        let size = terminal.strip_prefix("con").and_then(|size| size.split_once('x'));
        let is_number = |text: &str| text.starts_with(|digit: char| digit.is_ascii_digit());
        size.is_some_and(|(columns, rows)| is_number(columns) && is_number(rows))
    };
    TERMINALS.iter().any(|known| terminal.starts_with(known))
        || is_console()
        || OTHER_TERMINALS.split(' ').any(|known| known == terminal)
        || terminal.contains("color")
        || terminal.contains("direct")
}

#[derive(Debug, PartialEq, Eq)]
struct Unparsable {
    prefix: Option<Vec<u8>>,
}

/// An indicator, or an asterisk and a suffix, and its value.
type Pair = (Vec<u8>, Vec<u8>);

fn parse(mut text: &[u8]) -> Result<Vec<Pair>, Unparsable> {
    let broken = || Unparsable { prefix: None };
    let mut pairs = Vec::new();
    loop {
        let name = match text {
            [] => return Ok(pairs),
            [b':', rest @ ..] => {
                text = rest;
                continue;
            }
            [b'*', rest @ ..] => {
                text = rest;
                let suffix = take(&mut text, true).ok_or_else(broken)?;
                [b"*", suffix.as_slice()].concat()
            }
            [one, other, rest @ ..] => {
                text = rest;
                vec![*one, *other]
            }
            _ => return Err(broken()),
        };
        text = text.strip_prefix(b"=").ok_or_else(broken)?;
        pairs.push((name, take(&mut text, false).ok_or_else(broken)?));
    }
}

/// Takes and decodes the text up to the next colon or, with `equals_ends`, equals sign. Returns
/// `None` if an escape is invalid.
fn take(text: &mut &[u8], equals_ends: bool) -> Option<Vec<u8>> {
    let mut decoded = Vec::new();
    loop {
        let (&byte, rest) = match text.split_first() {
            None | Some((b':', _)) => return Some(decoded),
            Some((b'=', _)) if equals_ends => return Some(decoded),
            Some(split) => split,
        };
        *text = rest;
        decoded.push(match byte {
            b'\\' => escaped(text)?,
            b'^' => {
                let (&letter, rest) = text.split_first()?;
                *text = rest;
                match letter {
                    b'?' => 0x7f,
                    b'@'..=b'~' => letter & 0x1f,
                    _ => return None,
                }
            }
            byte => byte,
        });
    }
}

/// Decodes an escape. `text` begins after the backslash.
fn escaped(text: &mut &[u8]) -> Option<u8> {
    let (&letter, rest) = text.split_first()?;
    let (digits, base) = match letter {
        b'0'..=b'7' => (*text, 8),
        b'x' | b'X' => (rest, 16),
        _ => {
            *text = rest;
            return Some(match letter {
                b'a' => 0x07,
                b'b' => 0x08,
                b'e' => 0x1b,
                b'f' => 0x0c,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 0x0b,
                b'?' => 0x7f,
                b'_' => b' ',
                other => other,
            });
        }
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(base);
    let count = digits.iter().take_while(|byte| digit(byte).is_some()).count();
    *text = &digits[count..];
    let value = digits[..count]
        .iter()
        .filter_map(digit)
        .fold(0_u32, |value, digit| (value * base + digit) & 0xff);
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::{ColorKey, Needs, Palette, Unparsable, parse};
    use curt::{Fields, Kind};

    #[test]
    fn only_named_colors_need_more_than_the_kind() {
        let needs = |text: &str| Palette::new(text.as_bytes()).ok().unwrap().needs();
        assert_eq!(needs("di=1:fi=2:ln=3:*.x=4:ex=00:or="), Needs::default());
        let found = needs("ex=1:mh=1:ca=1:ow=1:or=1");
        assert_eq!(found.of_files, Fields::MODE | Fields::LINKS | Fields::CAPABILITY);
        assert_eq!(found.of_directories, Fields::MODE);
        assert!(found.targets && found.long_targets);
        assert!(needs("ln=target").targets);
        assert_eq!(needs("mi=1"), Needs { long_targets: true, ..Needs::default() });
        assert_eq!(Palette::default_colors().needs(), Needs::default());
    }

    #[test]
    fn indicators_suffixes_and_escapes_are_parsed() {
        let pair = |name: &str, value: &str| (name.into(), value.into());
        assert_eq!(
            parse(b":di=34:*.x\\=y=1;2:ln=\\e[\\033\\x41^A^?\\_"),
            Ok(vec![pair("di", "34"), pair("*.x=y", "1;2"), pair("ln", "\x1b[\x1bA\x01\x7f ")])
        );
        assert_eq!(parse(b""), Ok(vec![]));
        for wrong in [&b"*"[..], b"di", b"d", b"dir=1", b"di=\\", b"di=^", b"*.x:di=1", b"di=^1"] {
            assert_eq!(parse(wrong), Err(Unparsable { prefix: None }), "{wrong:?}");
        }
    }

    /// Coreutils do this only since 9.2.
    #[test]
    fn suffixes_ignore_case_unless_colors_differ() {
        let palette = Palette::new(b"*.jpg=1:*.JPG=1:*.jpg=2:*.png=3").ok().unwrap();
        for (name, color) in [("a.JPG", "1"), ("a.jpg", "2"), ("a.PNG", "3")] {
            let key = ColorKey::new(name.as_bytes(), Kind::File, None);
            assert_eq!(palette.color(key), Some(color.as_bytes()), "{name}");
        }
        let key = ColorKey::new(b"a.Jpg", Kind::File, None);
        assert_eq!(palette.color(key), None);
    }
}
