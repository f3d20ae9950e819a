//! How names are shown: quoted, coloured, marked with what they are.

use std::cell::Cell;
use std::ffi::OsStr;

use curt::Kind;
use unicode_width::UnicodeWidthStr;

use super::colors::{Palette, Subject};
use super::item::Item;
use super::settings::{Marks, Settings};
use crate::quote::Style;

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
        let is_quoted = |item: &&Item| text(settings, &item.name).1;
        let is_aligned = settings.quoting.style.varies() && items.iter().any(is_quoted);
        Names { settings, is_aligned, has_color }
    }

    /// The name of an entry that begins in this column, with its mark.
    pub(super) fn name(&self, item: &Item, column: usize) -> Name {
        let mut name = self.link(item, column);
        if let Some(mark) = mark(self.settings.marks, item.kind, item.columns.mode()) {
            name.bytes.push(mark);
            name.width += 1;
        }
        name
    }

    /// How many columns the name of an entry takes, with its mark.
    pub(super) fn width(&self, item: &Item) -> usize {
        let (shown, is_quoted) = text(self.settings, &item.name);
        let is_moved = self.is_aligned && !is_quoted;
        let mark = mark(self.settings.marks, item.kind, item.columns.mode());
        width(&shown) + usize::from(is_moved) + usize::from(mark.is_some())
    }

    /// Adds the name of an entry, with its mark, to a line.
    pub(super) fn add(&self, item: &Item, column: usize, line: &mut Vec<u8>) {
        if !self.settings.quoting.is_none() || self.settings.palette.is_some() {
            line.extend(self.name(item, column).bytes);
            return;
        }
        line.extend_from_slice(item.name.as_encoded_bytes());
        line.extend(mark(self.settings.marks, item.kind, item.columns.mode()));
    }

    /// The name without a mark, as it stands before an arrow.
    pub(super) fn link(&self, item: &Item, column: usize) -> Name {
        let (shown, is_quoted) = text(self.settings, &item.name);
        let width = width(&shown);
        let is_moved = self.is_aligned && !is_quoted;
        let mut bytes = Vec::with_capacity(shown.len() + 16);
        if is_moved {
            bytes.push(b' ');
        }
        let end = column + shown.len() + usize::from(is_moved);
        self.colored(self.color(item), &shown, column..end, &mut bytes);
        Name { bytes, width: width + usize::from(is_moved) }
    }

    /// What a link holds, with the mark of what it leads to.
    pub(super) fn target(&self, item: &Item, target: &OsStr, column: usize) -> Vec<u8> {
        let (shown, _) = text(self.settings, target);
        let mut bytes = Vec::new();
        let leads_to = item.target.as_deref();
        let color = self.settings.palette.as_ref().zip(leads_to).and_then(|(palette, leads_to)| {
            palette.color(subject(target.as_encoded_bytes(), *leads_to))
        });
        self.colored(color, &shown, column..column + shown.len(), &mut bytes);
        if let Some(&(kind, mode)) = leads_to {
            bytes.extend(mark(self.settings.marks, kind, mode));
        }
        bytes
    }

    /// Begins the colour of what is no name, if it has one.
    pub(super) fn normal(&self, line: &mut Vec<u8>) {
        let Some(palette) = &self.settings.palette else { return };
        if let Some(color) = palette.normal() {
            self.first(palette, line);
            palette.begin(color, line);
        }
    }

    fn color(&self, item: &Item) -> Option<&[u8]> {
        let palette = self.settings.palette.as_ref()?;
        let name = item.name.as_encoded_bytes();
        match item.target.as_deref() {
            Some(&leads_to) if palette.links_are_targets() => {
                palette.color(subject(name, leads_to))
            }
            _ => {
                let (mode, links) = (item.columns.mode(), item.columns.links());
                palette.color(Subject { name, kind: item.kind, mode, links })
            }
        }
    }

    /// Adds a name, in its colour, that takes these columns.
    fn colored(
        &self,
        color: Option<&[u8]>,
        shown: &[u8],
        columns: std::ops::Range<usize>,
        to: &mut Vec<u8>,
    ) {
        let palette = self.settings.palette.as_ref();
        let palette = palette.filter(|palette| color.is_some() || palette.normal().is_some());
        let Some(palette) = palette else {
            return to.extend_from_slice(shown);
        };
        self.first(palette, to);
        if let Some(color) = color {
            if palette.normal().is_some() {
                palette.begin(b"", to);
            }
            palette.begin(color, to);
        }
        to.extend_from_slice(shown);
        palette.end(to);
        let line = |column: usize| column.checked_div(self.settings.width);
        if line(columns.start) != line(columns.end.saturating_sub(1)) {
            palette.clear(to);
        }
    }

    /// Before the first colour the terminal is brought into a known state.
    fn first(&self, palette: &Palette, to: &mut Vec<u8>) {
        if !self.has_color.replace(true) {
            palette.end(to);
        }
    }
}

/// What the target of a link is coloured by.
fn subject(name: &[u8], (kind, mode): (Kind, Option<u32>)) -> Subject<'_> {
    Subject { name, kind, mode, links: None }
}

/// A name as it is shown, and whether it is quoted: also where it has what may be a mark.
fn text(settings: &Settings, name: &OsStr) -> (Vec<u8>, bool) {
    if settings.quoting.is_none() {
        return (name.as_encoded_bytes().to_vec(), false);
    }
    let marks = match settings.marks {
        Marks::None | Marks::Slash => "",
        Marks::Kinds => "*=>@|",
        Marks::All => "=>@|",
    };
    match settings.quoting.style {
        // Without quotes a blank would end the name.
        Style::Escape => settings.quoting.apply(name, &format!(" {marks}")),
        _ => settings.quoting.apply(name, marks),
    }
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
