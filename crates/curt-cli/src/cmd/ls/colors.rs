//! Colours, as `LS_COLORS` has them. They go by what is known anyway: the kind of an entry, and its
//! permissions and links where these are shown. No file is asked about for the sake of its colour.

use curt::Kind;

use super::ls_colors::{self, Unparsable};

/// The names of GNU's indicators, with their usual values; one without is not set.
const USUAL: [(&str, Option<&str>); 24] = [
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

/// The beginnings of the names of terminals that have colours, as `dircolors` knows them.
const TERMINALS: [&str; 4] = ["rxvt", "screen", "tmux", "xterm"];

/// Others, by their whole names.
const OTHER_TERMINALS: [&str; 20] = [
    "Eterm",
    "alacritty",
    "ansi",
    "cons25",
    "console",
    "cygwin",
    "dtterm",
    "gnome",
    "hurd",
    "jfbterm",
    "konsole",
    "kterm",
    "linux",
    "linux-c",
    "mlterm",
    "putty",
    "st",
    "terminator",
    "tmux",
    "vt100",
];

/// Which colours there are.
#[derive(Debug)]
pub(super) struct Palette {
    indicators: Vec<(&'static str, Option<Vec<u8>>)>,
    /// Endings of names; the last one that fits is taken.
    endings: Vec<(Vec<u8>, Vec<u8>)>,
}

/// What the colour of an entry goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: Kind,
    /// Where it is known.
    pub(super) mode: Option<u32>,
    /// Where it is known.
    pub(super) links: Option<u64>,
}

impl Palette {
    /// The colours that the environment chooses; `None` where the terminal has none, and where they
    /// cannot be read, which `warn` is called with.
    pub(super) fn from_environment(warn: impl Fn(&Unparsable)) -> Option<Palette> {
        let value = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let Some(text) = value("LS_COLORS") else {
            let terminal = value("TERM").unwrap_or_default();
            let is_known = value("COLORTERM").is_some() || has_colors(&terminal.to_string_lossy());
            return is_known.then(Palette::usual);
        };
        match Palette::new(text.as_encoded_bytes()) {
            Ok(palette) => Some(palette),
            Err(unparsable) => {
                warn(&unparsable);
                None
            }
        }
    }

    fn usual() -> Palette {
        let owned = |(name, value): (&'static str, Option<&str>)| (name, value.map(Into::into));
        Palette { indicators: USUAL.into_iter().map(owned).collect(), endings: Vec::new() }
    }

    fn new(text: &[u8]) -> Result<Palette, Unparsable> {
        let mut palette = Palette::usual();
        for (name, value) in ls_colors::parse(text)? {
            if let Some(ending) = name.strip_prefix(b"*") {
                // The last colour of an ending counts, also where others have other cases.
                palette.endings.retain(|(known, _)| known != ending);
                palette.endings.push((ending.to_vec(), value));
                continue;
            }
            let known = palette.indicators.iter_mut().find(|(known, _)| known.as_bytes() == name);
            match known {
                Some((_, known)) => *known = Some(value),
                None => return Err(Unparsable { prefix: Some(name) }),
            }
        }
        Ok(palette)
    }

    fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.indicators.iter().find(|(known, _)| *known == name);
        found.and_then(|(_, value)| value.as_deref())
    }

    /// Whether an indicator is one that shows.
    fn is_colored(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !matches!(value, b"" | b"0" | b"00"))
    }

    /// Begins a colour.
    pub(super) fn begin(&self, color: &[u8], to: &mut Vec<u8>) {
        for part in [self.get("lc").unwrap_or_default(), color, self.get("rc").unwrap_or_default()]
        {
            to.extend_from_slice(part);
        }
    }

    /// Ends a colour.
    pub(super) fn end(&self, to: &mut Vec<u8>) {
        match self.get("ec") {
            Some(end) => to.extend_from_slice(end),
            None => self.begin(self.get("rs").unwrap_or_default(), to),
        }
    }

    /// The colour of what is no name, if it has one.
    pub(super) fn normal(&self) -> Option<&[u8]> {
        self.get("no").filter(|_| self.is_colored("no"))
    }

    /// Clears the rest of the line, which a colour that went around its end may have filled.
    pub(super) fn clear(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.get("cl").unwrap_or_default());
    }

    /// What is written at the very end, where the sequences are not those of every terminal.
    pub(super) fn restore(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if (self.get("lc"), self.get("rc")) != (Some(&b"\x1b["[..]), Some(&b"m"[..])) {
            self.begin(b"", &mut text);
        }
        text
    }

    /// Whether links look like what they lead to.
    pub(super) fn links_are_targets(&self) -> bool {
        self.get("ln") == Some(b"target")
    }

    /// The colour of an entry, if it has one.
    pub(super) fn color(&self, subject: Subject<'_>) -> Option<&[u8]> {
        let indicator = match subject.kind {
            Kind::Directory => self.directory(subject.mode),
            Kind::File => self.file(subject),
            Kind::Fifo => "pi",
            Kind::Socket => "so",
            Kind::BlockDevice => "bd",
            Kind::CharacterDevice | Kind::Whiteout => "cd",
            kind if kind.is_link() && !self.links_are_targets() => "ln",
            _ => return None,
        };
        let ending = if indicator == "fi" { self.ending(subject.name) } else { None };
        ending.or_else(|| self.get(indicator))
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

    fn file(&self, subject: Subject<'_>) -> &'static str {
        let has = |bits: u32, indicator| {
            subject.mode.is_some_and(|mode| mode & bits != 0) && self.is_colored(indicator)
        };
        if has(0o4000, "su") {
            "su"
        } else if has(0o2000, "sg") {
            "sg"
        } else if has(0o111, "ex") {
            "ex"
        } else if subject.links.is_some_and(|links| links > 1) && self.is_colored("mh") {
            "mh"
        } else {
            "fi"
        }
    }

    /// The colour of the ending of a name, whatever the case of its letters, unless another
    /// spelling of that ending has another colour.
    fn ending(&self, name: &[u8]) -> Option<&[u8]> {
        let fits = |(ending, color): &&(Vec<u8>, Vec<u8>)| {
            let Some(end) = name.len().checked_sub(ending.len()).and_then(|at| name.get(at..))
            else {
                return false;
            };
            let is_contested = || {
                self.endings.iter().any(|(other, another)| {
                    other != ending && other.eq_ignore_ascii_case(ending) && another != color
                })
            };
            end == ending.as_slice() || end.eq_ignore_ascii_case(ending) && !is_contested()
        };
        self.endings.iter().rev().find(fits).map(|(_, color)| color.as_slice())
    }
}

/// Whether a terminal of this kind has colours.
fn has_colors(terminal: &str) -> bool {
    // Such as con80x25.
    let is_console = || {
        let size = terminal.strip_prefix("con").and_then(|size| size.split_once('x'));
        let is_number = |text: &str| text.starts_with(|digit: char| digit.is_ascii_digit());
        size.is_some_and(|(columns, rows)| is_number(columns) && is_number(rows))
    };
    TERMINALS.iter().any(|known| terminal.starts_with(known))
        || is_console()
        || OTHER_TERMINALS.contains(&terminal)
        || terminal.contains("color")
        || terminal.contains("direct")
}

#[cfg(test)]
mod tests {
    use super::{Palette, Subject, has_colors};
    use curt::Kind;

    #[test]
    fn kinds_endings_and_permissions_have_colors() {
        let text = b"di=34:*.rs=01;31:*.tar.gz=35:fi=0:mh=44:*.jpg=1:*.JPG=1:*.jpg=2:*.png=3";
        let palette = Palette::new(text).ok().unwrap();
        let color = |name: &str, kind, mode, links| {
            let color = palette.color(Subject { name: name.as_bytes(), kind, mode, links });
            color.map(|color| String::from_utf8_lossy(color).into_owned())
        };
        for (name, kind, mode, links, expected) in [
            ("d", Kind::Directory, None, None, Some("34")),
            ("d", Kind::Directory, Some(0o1777), None, Some("30;42")),
            ("a.rs", Kind::File, None, None, Some("01;31")),
            ("a.RS", Kind::File, None, None, Some("01;31")),
            ("a.rs", Kind::File, Some(0o755), None, Some("01;32")),
            ("a.rs", Kind::File, Some(0o644), Some(2), Some("44")),
            ("a.tar.gz", Kind::File, Some(0o644), Some(1), Some("35")),
            ("a.JPG", Kind::File, None, None, Some("1")),
            ("a.jpg", Kind::File, None, None, Some("2")),
            ("a.Jpg", Kind::File, None, None, Some("0")),
            ("a.PNG", Kind::File, None, None, Some("3")),
            ("a", Kind::File, None, None, Some("0")),
            ("l", Kind::Symlink, None, None, Some("01;36")),
            ("u", Kind::Unknown, None, None, None),
        ] {
            assert_eq!(color(name, kind, mode, links).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn terminals_are_known_by_name() {
        for (terminal, expected) in [
            ("xterm-256color", true),
            ("dumb", false),
            ("", false),
            ("st", true),
            ("vt220", false),
            ("con80x25", true),
        ] {
            assert_eq!(has_colors(terminal), expected, "{terminal}");
        }
    }
}
