//! Prints entries.

use std::cell::Cell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use curt::{Fields, Metadata};

use super::git::Git;
use super::grid;
use super::hyperlinks::Hyperlinks;
use super::item::{Item, display_path};
use super::long::LineFormatter;
use super::names::NameFormatter;
use super::owners::Owners;
use super::settings::{Form, Settings};
use super::tree::Row;
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
    links: Option<Hyperlinks>,
}

/// Which entries are printed: those of a directory, or operands if there is none.
#[derive(Clone, Copy)]
pub(super) struct Printed<'a> {
    pub(super) dir: Option<&'a OsStr>,
    pub(super) owners: &'a Owners,
    pub(super) git: Option<&'a Git<'a>>,
}

impl Printed<'_> {
    /// Returns the state of an entry in git, and a space.
    fn git_column(&self, item: &Item) -> Vec<u8> {
        let Some(git) = self.git else { return Vec::new() };
        let [index, tree] = git.state(self.dir, &item.name).unwrap_or(*b"  ");
        vec![index, tree, b' ', b' ']
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, screen: &'a Screen) -> Self {
        let zone = LocalZone::new(Zone::local);
        let links = settings.has_links.then(Hyperlinks::new);
        Writer { settings, screen, zone, has_color: Cell::new(false), links }
    }

    /// Prints entries. Directories that will be opened only count for the widths of columns.
    pub(super) fn items(&self, items: &[&Item], printed: Printed<'_>) {
        match &self.settings.form {
            Form::Listing => self.listing(items, printed),
            Form::Fields(fields) => {
                shown(items).for_each(|item| self.fields(item, fields, printed));
            }
            Form::Json(fields) => {
                shown(items).for_each(|item| self.object(item, *fields, printed, None));
            }
        }
    }

    /// Prints parts of a tree.
    pub(super) fn rows(&self, rows: &[Row], printed: Printed<'_>) {
        if let Form::Json(fields) = &self.settings.form {
            for row in rows {
                let printed = Printed { dir: row.dir.as_deref(), ..printed };
                self.object(&row.item, *fields, printed, Some(row.depth));
            }
            return;
        }
        let items: Vec<&Item> = rows.iter().map(|row| &row.item).collect();
        let mut lines = LineFormatter::new(self.settings, printed.owners, &items);
        let mut names = NameFormatter::new(self.settings, &items, &self.has_color);
        names.is_aligned = false;
        let mut text = Vec::new();
        if !rows.is_empty() {
            self.column_names(&lines, printed, &mut text);
        }
        // The directory whose entries are linked now.
        let mut linked = None;
        for row in rows {
            let printed = Printed { dir: row.dir.as_deref(), ..printed };
            if let Some(links) = self.links.as_ref().filter(|_| linked != Some(printed.dir)) {
                names.links = Some(links.directory(printed.dir, self.settings.follows()));
                linked = Some(printed.dir);
            }
            let mut before = printed.git_column(&row.item);
            before.extend_from_slice(row.branch.as_bytes());
            self.entry(&row.item, &before, &mut lines, &names, &mut text);
            text.push(self.settings.end());
            if text.len() >= out::BUFFER {
                self.screen.data(&text);
                text.clear();
            }
        }
        self.screen.data(&text);
    }

    /// Adds the names of columns, if they are wanted.
    fn column_names(&self, lines: &LineFormatter<'_>, printed: Printed<'_>, text: &mut Vec<u8>) {
        if self.settings.is_long() && self.settings.options.header {
            lines.header(if printed.git.is_some() { "Git" } else { "" }, text);
            text.push(self.settings.end());
        }
    }

    /// Adds an entry, with some text before its name.
    fn entry(
        &self,
        item: &Item,
        before: &[u8],
        lines: &mut LineFormatter<'_>,
        names: &NameFormatter<'_>,
        text: &mut Vec<u8>,
    ) {
        if self.settings.is_long() {
            return lines.long(item, names, before, text);
        }
        names.normal(text);
        lines.prefix(item, text);
        text.extend_from_slice(before);
        names.add(item, 0, text);
    }

    /// Prints the path of a directory before its contents.
    pub(super) fn header(&self, path: &OsStr) {
        let (name, _) = self.settings.quoting.apply(path, ":");
        let mut line = match &self.links {
            Some(links) => links.link(Path::new(path), &name),
            None => name,
        };
        line.extend(b":\n");
        self.screen.data(&line);
    }

    /// Separates directories.
    pub(super) fn separate(&self) {
        self.screen.data(b"\n");
    }

    /// Prints the names of fields.
    pub(super) fn field_names(&self) {
        if let Form::Fields(fields) = &self.settings.form {
            let mut names: Vec<&str> =
                fields.iter().filter_map(|field| Some(field.iter().next()?.0)).collect();
            if self.settings.options.git {
                names.insert(0, "git");
            }
            self.line(names.join("\t").into_bytes());
        }
    }

    /// Prints the allocated space of all entries.
    pub(super) fn total(&self, items: &[&Item]) {
        let bytes =
            items.iter().filter_map(|item| item.columns.allocated).fold(0, u64::saturating_add);
        let mut line = format!("total {}", self.settings.block_unit.show(bytes)).into_bytes();
        line.push(self.settings.end());
        self.screen.data(&line);
    }

    fn listing(&self, items: &[&Item], printed: Printed<'_>) {
        let settings = self.settings;
        let mut lines = LineFormatter::new(settings, printed.owners, items);
        let mut names = NameFormatter::new(settings, items, &self.has_color);
        names.links =
            self.links.as_ref().map(|links| links.directory(printed.dir, settings.follows()));
        match settings.format {
            Format::Long | Format::OnePerLine => {
                names.is_aligned &= settings.is_long();
                if settings.options.header && shown(items).next().is_some() {
                    let mut header = Vec::new();
                    self.column_names(&lines, printed, &mut header);
                    self.screen.data(&header);
                }
                self.lines(items, |item, text| {
                    self.entry(item, &printed.git_column(item), &mut lines, &names, text);
                });
            }
            Format::Columns | Format::Across | Format::Commas => {
                let is_commas = settings.format == Format::Commas;
                names.is_aligned &= settings.width > 0 && !is_commas;
                let git = if printed.git.is_some() { 4 } else { 0 };
                let width = |item| lines.prefix_width(item) + git + names.width(item);
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
                    text.extend(printed.git_column(shown[index]));
                    text.extend(names.name(shown[index], column).bytes);
                };
                self.screen.data(&if is_commas {
                    grid::separate(&widths, layout, add)
                } else {
                    grid::lay_out(&widths, layout, add)
                });
            }
        }
    }

    fn fields(&self, item: &Item, fields: &[Fields], printed: Printed<'_>) {
        let nothing = Metadata::default();
        let metadata = item.metadata.as_deref().unwrap_or(&nothing);
        let path = PathBuf::new();
        let shown = Shown { name: &item.name, path: &path, metadata };
        let style = TextStyle { zone: &self.zone, is_quoted: self.settings.is_quoted };
        let git = printed.git.map(|_| printed.git_column(item)[..2].to_vec());
        let fields = fields.iter().map(|&field| entry::field(&shown, field, &style));
        let cells: Vec<Vec<u8>> = git.into_iter().chain(fields).collect();
        self.line(cells.join(&b'\t'));
    }

    /// Prints an object, in a tree with the depth.
    fn object(&self, item: &Item, fields: Fields, printed: Printed<'_>, depth: Option<usize>) {
        let dir = printed.dir;
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
        let mut object = entry::object(&shown, fields);
        if let Some(depth) = depth {
            object = object.number("depth", depth as u64);
        }
        if let Some(git) = printed.git {
            object = match git.state(dir, &item.name) {
                Some(state) => object.text("git", &String::from_utf8_lossy(&state)),
                None => object.raw("git", "null"),
            };
        }
        self.screen.data(object.line().as_bytes());
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
