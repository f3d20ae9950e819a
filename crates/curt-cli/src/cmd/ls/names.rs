//! How names are shown: quoted, coloured, marked with what they are.

use std::cell::Cell;
use std::ffi::OsStr;

use curt::Kind;
use unicode_width::UnicodeWidthStr;

use super::item::Item;
use super::settings::{Marks, Settings};
use crate::quote::for_terminal;

/// Writes names.
pub(super) struct Names<'a> {
    settings: &'a Settings,
    /// Unquoted names begin one column further right, where there are quoted ones beside them.
    pub(super) is_aligned: bool,
    /// A colour was used; before the first one the terminal is brought into a known state.
    pub(super) has_color: &'a Cell<bool>,
}

/// A name as it is shown, and how many columns it takes.
pub(super) struct Name {
    pub(super) bytes: Vec<u8>,
    pub(super) width: usize,
}

impl<'a> Names<'a> {
    pub(super) fn new(settings: &'a Settings, items: &[&Item], has_color: &'a Cell<bool>) -> Self {
        let is_quoted = |item: &&Item| text(settings, &item.name) != item.name.as_encoded_bytes();
        let is_aligned = settings.quoted && items.iter().any(is_quoted);
        Names { settings, is_aligned, has_color }
    }

    /// The name of an entry, with its mark.
    pub(super) fn name(&self, item: &Item) -> Name {
        let mut name = self.marked(item, self.is_aligned);
        if let Some(mark) = mark(self.settings.marks, item.kind, item.columns.mode()) {
            name.bytes.push(mark);
            name.width += 1;
        }
        name
    }

    /// Adds the name of an entry, with its mark.
    pub(super) fn add(&self, item: &Item, line: &mut Vec<u8>) {
        if self.settings.quoted || self.settings.palette.is_some() {
            line.extend(self.name(item).bytes);
            return;
        }
        line.extend_from_slice(item.name.as_encoded_bytes());
        line.extend(mark(self.settings.marks, item.kind, item.columns.mode()));
    }

    /// The name without a mark, as it stands before an arrow.
    pub(super) fn link(&self, item: &Item) -> Name {
        self.marked(item, self.is_aligned)
    }

    /// What a link holds, with the mark of what it leads to.
    pub(super) fn target(&self, item: &Item, target: &OsStr) -> Vec<u8> {
        let mut bytes = text(self.settings, target);
        if let Some(&(kind, mode)) = item.target.as_deref() {
            bytes.extend(mark(self.settings.marks, kind, mode));
        }
        bytes
    }

    fn marked(&self, item: &Item, is_aligned: bool) -> Name {
        let shown = text(self.settings, &item.name);
        let width = width(&shown);
        let is_moved = is_aligned && shown == item.name.as_encoded_bytes();
        let mut bytes = Vec::with_capacity(shown.len() + 16);
        if is_moved {
            bytes.push(b' ');
        }
        let palette = self.settings.palette.as_ref();
        let color = palette.and_then(|palette| {
            palette.color(item.name.as_encoded_bytes(), item.kind, item.columns.mode())
        });
        match color {
            Some(color) => {
                if !self.has_color.replace(true) {
                    bytes.extend(b"\x1b[0m");
                }
                bytes.extend(format!("\x1b[{color}m").bytes());
                bytes.extend(&shown);
                bytes.extend(b"\x1b[0m");
            }
            None => bytes.extend(&shown),
        }
        Name { bytes, width: width + usize::from(is_moved) }
    }
}

/// A name as it is, or as a terminal may show it: quoted, too, where it has what may be a mark.
fn text(settings: &Settings, name: &OsStr) -> Vec<u8> {
    if !settings.quoted {
        return name.as_encoded_bytes().to_vec();
    }
    let special = if settings.marks >= Marks::Kinds { "@" } else { "" };
    for_terminal(name, special).into_bytes()
}

/// What is appended to the name of such an entry.
fn mark(marks: Marks, kind: Kind, mode: Option<u32>) -> Option<u8> {
    match kind {
        _ if marks == Marks::None => None,
        Kind::Directory => Some(b'/'),
        _ if marks == Marks::Slash => None,
        Kind::File if marks == Marks::All && mode.is_some_and(|mode| mode & 0o111 != 0) => {
            Some(b'*')
        }
        Kind::Fifo => Some(b'|'),
        Kind::Socket => Some(b'='),
        kind if kind.is_link() => Some(b'@'),
        _ => None,
    }
}

/// How many columns a terminal needs for it.
pub(super) fn width(bytes: &[u8]) -> usize {
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return bytes.len();
    }
    let shown =
        |text: &str| text.split(char::is_control).map(UnicodeWidthStr::width).sum::<usize>();
    bytes.utf8_chunks().map(|chunk| shown(chunk.valid()) + chunk.invalid().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::{Marks, mark, width};
    use curt::Kind;

    #[test]
    fn wide_and_combining_characters_take_their_room() {
        for (text, columns) in
            [("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("a\u{1b}b", 2), ("", 0)]
        {
            assert_eq!(width(text.as_bytes()), columns, "{text:?}");
        }
        assert_eq!(width(b"a\xffb"), 3);
    }

    #[test]
    fn marks_say_what_an_entry_is() {
        assert_eq!(mark(Marks::All, Kind::File, Some(0o755)), Some(b'*'));
        assert_eq!(mark(Marks::Kinds, Kind::File, Some(0o755)), None);
        assert_eq!(mark(Marks::Slash, Kind::Symlink, None), None);
        assert_eq!(mark(Marks::Slash, Kind::Directory, None), Some(b'/'));
        assert_eq!(mark(Marks::Kinds, Kind::Fifo, None), Some(b'|'));
    }
}
