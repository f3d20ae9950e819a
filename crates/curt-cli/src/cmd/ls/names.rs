//! Formats names: quoted, colored, and with an indicator of the kind.

use std::cell::Cell;
use std::ffi::OsStr;
use std::ops::Range;

use curt::{Kind, Metadata};
use unicode_width::UnicodeWidthStr;

use super::hyperlinks::LinkedDirectory;
use super::item::Item;
use super::settings::Settings;
use crate::args::Marks;
use crate::out::colors::{ColorKey, Palette};
use crate::quote::Style;

pub(super) struct NameFormatter<'a> {
    settings: &'a Settings<'a>,
    /// Whether to indent unquoted names by one column, so that they align with quoted names.
    pub(super) is_aligned: bool,
    /// Whether a color was used. A reset precedes the first one.
    has_color: &'a Cell<bool>,
    pub(super) links: Option<LinkedDirectory<'a>>,
}

pub(super) struct StyledName {
    pub(super) bytes: Vec<u8>,
    pub(super) width: usize,
}

impl<'a> NameFormatter<'a> {
    pub(super) fn new(
        settings: &'a Settings<'a>,
        items: &[&Item],
        has_color: &'a Cell<bool>,
    ) -> Self {
        let is_quoted = |item: &&Item| text(settings, &item.name).1;
        let is_aligned = settings.quoting.style.varies() && items.iter().any(is_quoted);
        NameFormatter { settings, is_aligned, has_color, links: None }
    }

    pub(super) fn name(&self, item: &Item, column: usize) -> StyledName {
        let mut name = self.link(item, column);
        if let Some(mark) = mark(self.settings.marks, item.kind, item.columns.mode) {
            name.bytes.push(mark);
            name.width += 1;
        }
        name
    }

    pub(super) fn width(&self, item: &Item) -> usize {
        let mark = mark(self.settings.marks, item.kind, item.columns.mode);
        self.width_of_name(item) + usize::from(mark.is_some())
    }

    pub(super) fn width_of_name(&self, item: &Item) -> usize {
        let (shown, is_quoted) = text(self.settings, &item.name);
        width(&shown) + usize::from(self.is_aligned && !is_quoted)
    }

    pub(super) fn add(&self, item: &Item, column: usize, line: &mut Vec<u8>) {
        let is_plain = self.settings.quoting.is_none() && self.links.is_none();
        if !is_plain || self.settings.palette.is_some() {
            return line.extend(self.name(item, column).bytes);
        }
        line.extend_from_slice(item.name.as_encoded_bytes());
        line.extend(mark(self.settings.marks, item.kind, item.columns.mode));
    }

    /// Returns the name without an indicator.
    pub(super) fn link(&self, item: &Item, column: usize) -> StyledName {
        let (shown, is_quoted) = text(self.settings, &item.name);
        let is_shifted = self.is_aligned && !is_quoted;
        let mut bytes = Vec::with_capacity(shown.len() + 16);
        if is_shifted {
            bytes.push(b' ');
        }
        let end = column + bytes.len() + shown.len();
        let width = bytes.len() + width(&shown);
        let linked = self.linked(item, shown, is_quoted);
        self.colored(self.color(item), &linked, column..end, &mut bytes);
        StyledName { bytes, width }
    }

    /// Returns the text after `->`, with the indicator of the target.
    pub(super) fn target(&self, item: &Item, target: &OsStr, column: usize) -> Vec<u8> {
        let (shown, is_quoted) = text(self.settings, target);
        let mut bytes = Vec::new();
        let target_kind = item.target.as_deref();
        let palette = self.settings.palette.as_ref();
        let color = palette.and_then(|palette| match target_kind {
            Some(&(kind, mode)) => {
                palette.color(ColorKey::new(target.as_encoded_bytes(), kind, mode))
            }
            None => palette.missing(),
        });
        let columns = column..column + shown.len();
        self.colored(color, &self.linked(item, shown, is_quoted), columns, &mut bytes);
        if let Some(&(kind, mode)) = target_kind {
            bytes.extend(mark(self.settings.marks, kind, mode));
        }
        bytes
    }

    fn linked(&self, item: &Item, shown: Vec<u8>, is_quoted: bool) -> Vec<u8> {
        let Some(links) = &self.links else { return shown };
        // As in GNU ls, if only some names are quoted, the quotes remain outside the link.
        let quotes = usize::from(self.is_aligned && is_quoted);
        let inner = quotes..shown.len().saturating_sub(quotes);
        let link = links.link(item, &shown[inner.clone()]);
        [&shown[..inner.start], &link, &shown[inner.end..]].concat()
    }

    /// Starts the palette's color for text other than names.
    pub(super) fn normal(&self, line: &mut Vec<u8>) {
        let Some(palette) = &self.settings.palette else { return };
        if let Some(color) = palette.normal() {
            self.reset(palette, line);
            palette.begin(color, line);
        }
    }

    fn color(&self, item: &Item) -> Option<&[u8]> {
        let palette = self.settings.palette.as_ref()?;
        let name = item.name.as_encoded_bytes();
        match item.target.as_deref() {
            Some(&(kind, mode)) if palette.links_are_targets() => {
                palette.color(ColorKey::new(name, kind, mode))
            }
            Some(_) => palette.link(),
            None => {
                let (mode, links) = (item.columns.mode, item.columns.links);
                let has_capability = item.get(Metadata::capability) == Some(true);
                palette.color(ColorKey { name, kind: item.kind, mode, links, has_capability })
            }
        }
    }

    fn colored(&self, color: Option<&[u8]>, shown: &[u8], columns: Range<usize>, to: &mut Vec<u8>) {
        let palette = self.settings.palette.as_ref();
        let palette = palette.filter(|palette| color.is_some() || palette.normal().is_some());
        let Some(palette) = palette else {
            return to.extend_from_slice(shown);
        };
        self.reset(palette, to);
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

    fn reset(&self, palette: &Palette, to: &mut Vec<u8>) {
        if !self.has_color.replace(true) {
            palette.end(to);
        }
    }
}

/// Returns the name as shown, and whether it is quoted. Also quotes characters that look like an
/// indicator.
fn text(settings: &Settings<'_>, name: &OsStr) -> (Vec<u8>, bool) {
    if settings.quoting.is_none() {
        return (name.as_encoded_bytes().to_vec(), false);
    }
    let marks = match settings.marks {
        Marks::None | Marks::Slash => "",
        Marks::Kinds => "*=>@|",
        Marks::All => "=>@|",
    };
    match settings.quoting.style {
        // This style escapes spaces, because it has no quotes.
        Style::Escape => settings.quoting.apply(name, &format!(" {marks}")),
        _ => settings.quoting.apply(name, marks),
    }
}

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
    fn wide_and_combining_characters_have_their_width() {
        for (text, columns) in
            [("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("a\u{1b}b", 2), ("", 0)]
        {
            assert_eq!(width(text.as_bytes()), columns, "{text:?}");
        }
        assert_eq!(width(b"a\xffb"), 3);
    }

    #[test]
    fn marks_show_the_kind() {
        assert_eq!(mark(Marks::All, Kind::File, Some(0o755)), Some(b'*'));
        assert_eq!(mark(Marks::Kinds, Kind::File, Some(0o755)), None);
        assert_eq!(mark(Marks::Slash, Kind::Symlink, None), None);
        assert_eq!(mark(Marks::Slash, Kind::Directory, None), Some(b'/'));
        assert_eq!(mark(Marks::Kinds, Kind::Fifo, None), Some(b'|'));
    }
}
