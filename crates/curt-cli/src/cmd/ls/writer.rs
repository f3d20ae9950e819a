//! Prints entries.

use std::cell::Cell;
use std::ffi::OsStr;
use std::path::PathBuf;

use curt::{Fields, Metadata};

use super::grid;
use super::item::{Item, display_path};
use super::long::LineFormatter;
use super::names::NameFormatter;
use super::owners::Owners;
use super::settings::{Form, Settings};
use crate::args::Format;
use crate::out::entry::{self, Shown, TextStyle};
use crate::out::{self, Screen};
use crate::time::{LocalZone, Zone};

/// Prints entries.
pub(super) struct Writer<'a> {
    settings: &'a Settings<'a>,
    screen: &'a Screen,
    /// For times in fields.
    zone: LocalZone,
    /// A color was used.
    has_color: Cell<bool>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, screen: &'a Screen) -> Self {
        let zone = LocalZone::new(Zone::local);
        Writer { settings, screen, zone, has_color: Cell::new(false) }
    }

    /// Prints the entries of a directory, or operands if there is none. Directories that will be
    /// opened only count for the widths of columns.
    pub(super) fn items(&self, items: &[&Item], dir: Option<&OsStr>, owners: &Owners) {
        match &self.settings.form {
            Form::Listing => self.listing(items, owners),
            Form::Fields(fields) => shown(items).for_each(|item| self.fields(item, fields)),
            Form::Json(fields) => shown(items).for_each(|item| self.object(item, *fields, dir)),
        }
    }

    /// Prints the path of a directory before its contents.
    pub(super) fn header(&self, path: &OsStr) {
        let (mut line, _) = self.settings.quoting.apply(path, ":");
        line.extend(b":\n");
        self.screen.data(&line);
    }

    /// Prints the allocated space of all entries.
    pub(super) fn total(&self, items: &[&Item]) {
        let bytes =
            items.iter().filter_map(|item| item.columns.allocated).fold(0, u64::saturating_add);
        let mut line = format!("total {}", self.settings.block_unit.show(bytes)).into_bytes();
        line.push(self.settings.end());
        self.screen.data(&line);
    }

    fn listing(&self, items: &[&Item], owners: &Owners) {
        let settings = self.settings;
        let mut lines = LineFormatter::new(settings, owners, items);
        let mut names = NameFormatter::new(settings, items, &self.has_color);
        match settings.format {
            Format::Long => {
                self.lines(items, |item, text| lines.long(item, &names, text));
            }
            Format::OnePerLine => {
                names.is_aligned = false;
                self.lines(items, |item, text| {
                    names.normal(text);
                    lines.prefix(item, text);
                    names.add(item, 0, text);
                });
            }
            Format::Columns | Format::Across => {
                names.is_aligned &= settings.width > 0;
                let width = |item| lines.prefix_width() + names.width(item);
                let widths: Vec<usize> = shown(items).map(width).collect();
                let layout = grid::Layout {
                    line: settings.width,
                    across: settings.format == Format::Across,
                    // A terminal does not color what a tab skips.
                    tab: if settings.palette.is_some() { 0 } else { settings.tab },
                    end: settings.end(),
                };
                let shown: Vec<&Item> = shown(items).collect();
                let add = |index: usize, column: usize, text: &mut Vec<u8>| {
                    names.normal(text);
                    lines.prefix(shown[index], text);
                    text.extend(names.name(shown[index], column).bytes);
                };
                self.screen.data(&grid::lay_out(&widths, layout, add));
            }
        }
    }

    fn fields(&self, item: &Item, fields: &[Fields]) {
        let nothing = Metadata::default();
        let metadata = item.metadata.as_deref().unwrap_or(&nothing);
        let path = PathBuf::new();
        let shown = Shown { name: &item.name, path: &path, metadata };
        let style = TextStyle { zone: &self.zone, is_quoted: self.settings.is_quoted };
        let cells: Vec<Vec<u8>> =
            fields.iter().map(|&field| entry::field(&shown, field, &style)).collect();
        self.line(cells.join(&b'\t'));
    }

    fn object(&self, item: &Item, fields: Fields, dir: Option<&OsStr>) {
        let nothing = Metadata::default();
        let metadata = item.metadata.as_deref().unwrap_or(&nothing);
        let path = match dir {
            Some(dir) => display_path(dir, &item.name),
            None => PathBuf::from(&item.name),
        };
        let name = match dir {
            Some(_) => item.name.as_os_str(),
            None => path.file_name().unwrap_or(&item.name),
        };
        let shown = Shown { name, path: &path, metadata };
        self.screen.data(entry::object(&shown, fields).line().as_bytes());
    }

    /// Ends the output: restores the color of the terminal.
    pub(super) fn finish(&self) {
        if let Some(palette) = self.settings.palette.as_ref().filter(|_| self.has_color.get()) {
            self.screen.data(&palette.restore());
        }
    }

    /// Prints a line for each entry, many at a time.
    fn lines(&self, items: &[&Item], mut add: impl FnMut(&Item, &mut Vec<u8>)) {
        let mut text = Vec::new();
        for item in shown(items) {
            add(item, &mut text);
            text.push(self.settings.end());
            if text.len() >= out::BUFFER {
                self.screen.data(&text);
                text.clear();
            }
        }
        self.screen.data(&text);
    }

    fn line(&self, mut line: Vec<u8>) {
        line.push(self.settings.end());
        self.screen.data(&line);
    }
}

fn shown<'a>(items: &[&'a Item]) -> impl Iterator<Item = &'a Item> {
    items.iter().copied().filter(|item| !item.is_opened)
}
