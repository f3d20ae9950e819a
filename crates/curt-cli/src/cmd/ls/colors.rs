//! Colours, as `LS_COLORS` has them. They go by what the listing told, and by permissions only where
//! these are at hand: no file is asked about for the sake of its colour.

use curt::Kind;

/// The kinds of entries that may have a colour, by their names in `LS_COLORS`, with GNU's colours.
const USUAL: [(&str, &str); 13] = [
    ("di", "01;34"),
    ("ln", "01;36"),
    ("pi", "33"),
    ("so", "01;35"),
    ("bd", "01;33"),
    ("cd", "01;33"),
    ("ex", "01;32"),
    ("su", "37;41"),
    ("sg", "30;43"),
    ("st", "37;44"),
    ("ow", "34;42"),
    ("tw", "30;42"),
    ("fi", ""),
];

/// Which colours there are.
#[derive(Debug)]
pub(super) struct Palette {
    kinds: Vec<(String, String)>,
    /// Endings of names; the last one that fits is taken.
    endings: Vec<(String, String)>,
}

impl Palette {
    pub(super) fn from_environment() -> Palette {
        Palette::new(&std::env::var("LS_COLORS").unwrap_or_default())
    }

    fn new(text: &str) -> Palette {
        let owned = |(name, color): (&str, &str)| (name.to_owned(), color.to_owned());
        let mut palette =
            Palette { kinds: USUAL.into_iter().map(owned).collect(), endings: Vec::new() };
        // Only what can be a colour gets to the terminal.
        let is_color =
            |color: &str| color.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'));
        for (name, color) in text.split(':').filter_map(|item| item.split_once('=')) {
            if !is_color(color) {
                continue;
            }
            if let Some(ending) = name.strip_prefix('*') {
                palette.endings.push(owned((ending, color)));
            } else if let Some((_, known)) = palette.kinds.iter_mut().find(|(kind, _)| kind == name)
            {
                color.clone_into(known);
            }
        }
        palette
    }

    /// The colour of an entry, if it has one. The mode is that which is known already.
    pub(super) fn color(&self, name: &[u8], kind: Kind, mode: Option<u32>) -> Option<&str> {
        let by_kind = match kind {
            Kind::Directory => mode.map_or("di", directory),
            Kind::File => mode.map_or("fi", file),
            Kind::Fifo => "pi",
            Kind::Socket => "so",
            Kind::BlockDevice => "bd",
            Kind::CharacterDevice | Kind::Whiteout => "cd",
            kind if kind.is_link() => "ln",
            _ => return None,
        };
        let ending = || {
            let fits = |(ending, _): &&(String, String)| name.ends_with(ending.as_bytes());
            self.endings.iter().rev().find(fits)
        };
        let by_kind = || self.kinds.iter().find(|(known, _)| known == by_kind);
        let found = if by_kind_is_plain(by_kind()) { ending().or_else(by_kind) } else { by_kind() };
        found.map(|(_, color)| color.as_str()).filter(|color| !matches!(*color, "" | "0" | "00"))
    }
}

/// Endings matter for files that are nothing special.
fn by_kind_is_plain(kind: Option<&(String, String)>) -> bool {
    kind.is_some_and(|(name, _)| name == "fi")
}

fn directory(mode: u32) -> &'static str {
    match (mode & 0o1000 != 0, mode & 0o002 != 0) {
        (true, true) => "tw",
        (false, true) => "ow",
        (true, false) => "st",
        (false, false) => "di",
    }
}

fn file(mode: u32) -> &'static str {
    if mode & 0o4000 != 0 {
        "su"
    } else if mode & 0o2000 != 0 {
        "sg"
    } else if mode & 0o111 != 0 {
        "ex"
    } else {
        "fi"
    }
}

#[cfg(test)]
mod tests {
    use super::Palette;
    use curt::Kind;

    #[test]
    fn kinds_endings_and_permissions_have_colors() {
        let palette = Palette::new("di=34:*.rs=01;31:*.tar.gz=35:fi=0:ex=\u{1b}[2J:xx=1:bad");
        let color = |name: &str, kind, mode| palette.color(name.as_bytes(), kind, mode);
        assert_eq!(color("d", Kind::Directory, None), Some("34"));
        assert_eq!(color("d", Kind::Directory, Some(0o1777)), Some("30;42"));
        assert_eq!(color("a.rs", Kind::File, None), Some("01;31"));
        assert_eq!(color("a.rs", Kind::File, Some(0o755)), Some("01;32"));
        assert_eq!(color("a.tar.gz", Kind::File, Some(0o644)), Some("35"));
        assert_eq!(color("a", Kind::File, None), None);
        assert_eq!(color("l", Kind::Symlink, None), Some("01;36"));
        assert_eq!(color("u", Kind::Unknown, None), None);
    }
}
