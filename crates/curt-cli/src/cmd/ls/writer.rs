use std::cell::Cell;
use std::ffi::OsStr;
use std::path::Path;

use curt::Fields;

use super::grid;
use super::hyperlinks::Hyperlinks;
use super::item::{Item, Row, display_path};
use super::long::LineFormatter;
use super::names::NameFormatter;
use super::owners::Owners;
use super::settings::{Form, Settings};
use crate::args::Format;
use crate::out::entry::{self, Shown, TextStyle};
use crate::out::{self, Screen};
use crate::session::Session;
use crate::time::{LocalZone, Zone};

pub(super) struct Writer<'a> {
    settings: &'a Settings<'a>,
    screen: &'a Screen,
    zone: LocalZone,
    has_color: Cell<bool>,
    links: Option<Hyperlinks>,
    owners: Owners,
}

impl<'a> Writer<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, session: &'a Session) -> Self {
        Writer {
            settings,
            screen: session.screen(),
            zone: LocalZone::new(Zone::local),
            has_color: Cell::new(false),
            links: settings.has_links.then(Hyperlinks::new),
            owners: Owners::new(settings),
        }
    }

    /// Prints the entries of a directory, or operands if `dir` is `None`. Operands to be listed
    /// later only affect the column widths.
    pub(super) fn items(&mut self, items: &[&Item], dir: Option<&OsStr>) {
        self.owners.resolve(items);
        let shown = items.iter().copied().filter(|item| !item.is_opened);
        match &self.settings.form {
            Form::Listing => self.listing(items, &shown.collect::<Vec<_>>(), dir),
            Form::Fields(fields) => shown.for_each(|item| self.fields(item, fields)),
            Form::Json(fields) => shown.for_each(|item| self.object(item, *fields, dir, None)),
        }
    }

    pub(super) fn rows(&mut self, rows: &[Row]) {
        let items: Vec<&Item> = rows.iter().map(|row| &row.item).collect();
        self.owners.resolve(&items);
        if let Form::Json(fields) = self.settings.form {
            let objects = rows.iter();
            return objects.for_each(|row| {
                self.object(&row.item, fields, row.dir.as_deref(), Some(row.depth));
            });
        }
        let mut lines = LineFormatter::new(self.settings, &self.owners, &items);
        let mut names = NameFormatter::new(self.settings, &items, &self.has_color);
        names.is_aligned = false;
        let mut linked = None;
        self.lines(rows, |row, text| {
            let dir = row.dir.as_deref();
            if let Some(links) = self.links.as_ref().filter(|_| linked != Some(dir)) {
                names.links = Some(links.directory(dir, self.settings.follows()));
                linked = Some(dir);
            }
            self.entry(&row.item, &row.branch, &mut lines, &names, text);
        });
    }

    fn entry(
        &self,
        item: &Item,
        branch: &str,
        lines: &mut LineFormatter<'_>,
        names: &NameFormatter<'_>,
        text: &mut Vec<u8>,
    ) {
        if self.settings.is_long() {
            return lines.long(item, names, branch, text);
        }
        names.normal(text);
        lines.prefix(item, text);
        text.extend_from_slice(branch.as_bytes());
        names.add(item, 0, text);
    }

    pub(super) fn header(&self, path: &OsStr) {
        let (name, _) = self.settings.quoting.apply(path, ":");
        let mut line = match &self.links {
            Some(links) => links.link(Path::new(path), &name),
            None => name,
        };
        line.extend(b":\n");
        self.screen.data(&line);
    }

    pub(super) fn separate(&self) {
        self.screen.data(b"\n");
    }

    pub(super) fn field_names(&self) {
        if let Form::Fields(fields) = &self.settings.form {
            let names: Vec<&str> =
                fields.iter().filter_map(|field| Some(field.iter().next()?.0)).collect();
            self.line(names.join("\t").into_bytes());
        }
    }

    pub(super) fn total(&self, items: &[&Item]) {
        let bytes =
            items.iter().filter_map(|item| item.columns.allocated).fold(0, u64::saturating_add);
        self.line(format!("total {}", self.settings.block_unit.show(bytes)).into_bytes());
    }

    /// Prints `shown` in GNU's formats. The column widths are those of `items`.
    fn listing(&self, items: &[&Item], shown: &[&Item], dir: Option<&OsStr>) {
        let settings = self.settings;
        let mut lines = LineFormatter::new(settings, &self.owners, items);
        let mut names = NameFormatter::new(settings, items, &self.has_color);
        names.links = self.links.as_ref().map(|links| links.directory(dir, settings.follows()));
        match settings.format {
            Format::Long | Format::OnePerLine => {
                names.is_aligned &= settings.is_long();
                if settings.is_long() && settings.options.header && !shown.is_empty() {
                    let mut header = Vec::new();
                    lines.header(&mut header);
                    self.line(header);
                }
                self.lines(shown, |item, text| {
                    self.entry(item, "", &mut lines, &names, text);
                });
            }
            Format::Columns | Format::Across | Format::Commas => {
                let is_commas = settings.format == Format::Commas;
                names.is_aligned &= settings.width > 0 && !is_commas;
                let width = |item: &&Item| lines.prefix_width(item) + names.width(item);
                let widths: Vec<usize> = shown.iter().map(width).collect();
                let layout = grid::Layout {
                    line: settings.width,
                    across: settings.format == Format::Across,
                    // A terminal does not color the columns that a tab skips.
                    tab: if settings.palette.is_some() { 0 } else { settings.tab },
                    end: settings.end(),
                };
                let add = |index: usize, column: usize, text: &mut Vec<u8>| {
                    names.normal(text);
                    lines.prefix(shown[index], text);
                    text.extend(names.name(shown[index], column).bytes);
                };
                self.screen.data(&if is_commas {
                    grid::separate(&widths, b',', layout, add)
                } else {
                    grid::lay_out(&widths, layout, add)
                });
            }
        }
    }

    fn fields(&self, item: &Item, fields: &[Fields]) {
        let metadata = item.all_metadata();
        let shown = Shown { name: &item.name, path: Path::new(""), metadata: &metadata };
        let style = TextStyle { zone: &self.zone, is_quoted: self.settings.is_quoted };
        let fields = fields.iter().map(|&field| entry::field(&shown, field, &style));
        self.line(fields.collect::<Vec<Vec<u8>>>().join(&b'\t'));
    }

    fn object(&self, item: &Item, fields: Fields, dir: Option<&OsStr>, depth: Option<usize>) {
        let metadata = item.all_metadata();
        let fields = if item.metadata.is_some() { fields } else { fields & Fields::NAME };
        let (path, name) = if let Some(dir) = dir {
            (display_path(dir, &item.name), &*item.name)
        } else {
            let path = Path::new(&item.name);
            (path.to_owned(), path.file_name().unwrap_or(&item.name))
        };
        let mut object = entry::object(&Shown { name, path: &path, metadata: &metadata }, fields);
        if let Some(depth) = depth {
            object = object.number("depth", depth as u64);
        }
        self.screen.data(object.line().as_bytes());
    }

    pub(super) fn finish(&self) {
        if let Some(palette) = self.settings.palette.as_ref().filter(|_| self.has_color.get()) {
            self.screen.data(&palette.restore());
        }
    }

    fn lines<'t, T>(&self, items: &'t [T], mut add: impl FnMut(&'t T, &mut Vec<u8>)) {
        let mut text = Vec::new();
        for item in items {
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
