//! Lines: the long format with its columns, and what other formats print before names.

use std::ffi::OsStr;

use curt::{Kind, Metadata};

use super::item::Item;
use super::names::{NameFormatter, width};
use super::owners::{OwnerName, Owners};
use super::settings::Settings;
use crate::out::blocks::Blocks;
use crate::out::{column, entry};
use crate::sys;

/// The widths of columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Widths {
    inode: usize,
    blocks: usize,
    links: usize,
    user: usize,
    group: usize,
    size: usize,
    major: usize,
    minor: usize,
}

/// The largest number of each column, whose digits are counted once.
#[derive(Default)]
struct Largest {
    inode: u128,
    blocks: u64,
    links: u64,
    size: u64,
    device: Option<(u64, u64)>,
    /// The owners of the entry before: most entries have the same.
    owners: Option<(Option<u32>, Option<u32>)>,
}

/// Formats lines.
pub(super) struct LineFormatter<'a> {
    settings: &'a Settings<'a>,
    owners: &'a Owners,
    widths: Widths,
    /// An entry has an access control list.
    has_acl: bool,
    /// The owners of the entry before, and their columns.
    before: Option<(Option<u32>, Option<u32>)>,
    owners_before: Vec<u8>,
}

/// The column of an owner.
enum Owner<'a> {
    Name(&'a OwnerName),
    Number(u32),
    /// A name that was read with the entry, on systems where owners have no IDs.
    Read(&'a OsStr),
    Unknown,
}

/// The names of owners that were read with an entry, on systems where owners have no IDs.
struct OwnerNames<'a> {
    user: Option<&'a OsStr>,
    group: Option<&'a OsStr>,
}

impl<'a> OwnerNames<'a> {
    fn of(item: &'a Item) -> Self {
        OwnerNames { user: item.get(Metadata::user), group: item.get(Metadata::group) }
    }

    fn is_any(&self) -> bool {
        self.user.is_some() || self.group.is_some()
    }
}

impl<'a> LineFormatter<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, owners: &'a Owners, items: &[&Item]) -> Self {
        let has_acl = items.iter().any(|item| item.get(Metadata::has_acl) == Some(true));
        let (widths, owners_before) = (Widths::default(), Vec::new());
        let mut lines =
            LineFormatter { settings, owners, widths, has_acl, before: None, owners_before };
        let has_columns = settings.is_long() || settings.shows_inode || settings.has_total();
        if has_columns {
            lines.widths = lines.widths_of(items);
        }
        lines
    }

    fn widths_of(&self, items: &[&Item]) -> Widths {
        let (mut widths, mut largest) = (Widths::default(), Largest::default());
        for item in items.iter().filter(|item| !item.is_failed()) {
            self.widen(&mut widths, &mut largest, item);
        }
        widths.inode = column::width(largest.inode);
        widths.links = column::width(largest.links);
        widths.blocks = widths.blocks.max(column::width(largest.blocks));
        widths.size = widths.size.max(column::width(largest.size));
        if let Some((major, minor)) = largest.device {
            (widths.major, widths.minor) = (column::width(major), column::width(minor));
            widths.size = widths.size.max(widths.major + 2 + widths.minor);
        }
        widths
    }

    fn widen(&self, widths: &mut Widths, largest: &mut Largest, item: &Item) {
        fn widen<T: Ord + Copy>(to: &mut T, needed: T) {
            *to = needed.max(*to);
        }
        let text =
            |blocks: &Blocks, bytes: Option<u64>| bytes.map_or(1, |bytes| blocks.show(bytes).len());
        let Settings { block_unit, size_unit, .. } = self.settings;
        let columns = &item.columns;
        if self.settings.shows_inode {
            widen(&mut largest.inode, item.get(Metadata::id).unwrap_or_default());
        }
        if block_unit.are_text() {
            widen(&mut widths.blocks, text(block_unit, columns.allocated()));
        } else {
            widen(
                &mut largest.blocks,
                columns.allocated().map_or(0, |bytes| block_unit.count(bytes)),
            );
        }
        if !self.settings.is_long() {
            return;
        }
        widen(&mut largest.links, columns.links().unwrap_or_default());
        let (user, group) = columns.owners();
        let names = OwnerNames::of(item);
        if names.is_any() || largest.owners.replace((user, group)) != Some((user, group)) {
            widen(&mut widths.user, self.user(user, names.user).width());
            widen(&mut widths.group, self.group(group, names.group).width());
        }
        if let Some((major, minor)) = device(item) {
            let device = largest.device.get_or_insert_default();
            widen(&mut device.0, major);
            widen(&mut device.1, minor);
        } else if size_unit.are_text() {
            widen(&mut widths.size, text(size_unit, columns.size()));
        } else {
            widen(&mut largest.size, size_unit.count(columns.size().unwrap_or_default()));
        }
    }

    /// Returns the width of what is printed before a name in other formats.
    pub(super) fn prefix_width(&self) -> usize {
        let inode = if self.settings.shows_inode { self.widths.inode + 1 } else { 0 };
        inode + if self.settings.shows_blocks { self.widths.blocks + 1 } else { 0 }
    }

    /// Adds what is printed before a name in all formats: inode number and allocated space.
    pub(super) fn prefix(&self, item: &Item, line: &mut Vec<u8>) {
        if self.settings.shows_inode {
            column::add(item.get(Metadata::id), self.widths.inode, line);
            line.push(b' ');
        }
        if self.settings.shows_blocks {
            let unit = &self.settings.block_unit;
            match item.columns.allocated() {
                Some(bytes) if unit.are_text() => {
                    column::add_text(&unit.show(bytes), self.widths.blocks, line);
                }
                bytes => {
                    column::add(bytes.map(|bytes| unit.count(bytes)), self.widths.blocks, line);
                }
            }
            line.push(b' ');
        }
    }

    /// Adds a line of the long format.
    pub(super) fn long(&mut self, item: &Item, names: &NameFormatter<'_>, line: &mut Vec<u8>) {
        let settings = self.settings;
        names.normal(line);
        let mut begin = line.len();
        self.prefix(item, line);
        mode(item, line);
        if self.has_acl {
            line.push(if item.get(Metadata::has_acl) == Some(true) { b'+' } else { b' ' });
        }
        line.push(b' ');
        column::add(item.columns.links(), self.widths.links, line);
        line.push(b' ');
        self.owner_columns(item, line);
        if !settings.options.no_owner || !settings.options.hides_group {
            // GNU ls counts columns from here to see whether a colored name is wrapped.
            begin = line.len();
        }
        self.size_column(item, line);
        if let Some(times) = &settings.times {
            match item.columns.time() {
                Some(time) => times.add(time, line),
                None => line.extend(times.unknown().bytes()),
            }
            line.push(b' ');
        }
        let column = line.len() - begin;
        match item.get(Metadata::target) {
            Some(target) => {
                let name = names.link(item, column);
                line.extend(name.bytes);
                line.extend(b" -> ");
                let column = column + name.width + b" -> ".len();
                line.extend(names.target(item, target.as_os_str(), column));
            }
            None if item.kind.is_link() => line.extend(names.link(item, column).bytes),
            None => names.add(item, column, line),
        }
    }

    fn owner_columns(&mut self, item: &Item, line: &mut Vec<u8>) {
        let (user, group) = item.columns.owners();
        let names = OwnerNames::of(item);
        if names.is_any() || self.before != Some((user, group)) {
            self.before = (!names.is_any()).then_some((user, group));
            let mut columns = std::mem::take(&mut self.owners_before);
            columns.clear();
            if !self.settings.options.no_owner {
                self.user(user, names.user).write(self.widths.user, &mut columns);
            }
            if !self.settings.options.hides_group {
                self.group(group, names.group).write(self.widths.group, &mut columns);
            }
            self.owners_before = columns;
        }
        line.extend_from_slice(&self.owners_before);
    }

    fn size_column(&self, item: &Item, line: &mut Vec<u8>) {
        let widths = self.widths;
        if let Some((major, minor)) = device(item) {
            let blank = widths.size.saturating_sub(widths.major + 2 + widths.minor);
            column::add(Some(major), widths.major + blank, line);
            line.extend(b", ");
            column::add(Some(minor), widths.minor, line);
        } else {
            let unit = &self.settings.size_unit;
            match item.columns.size() {
                Some(bytes) if unit.are_text() => {
                    column::add_text(&unit.show(bytes), widths.size, line);
                }
                bytes => column::add(bytes.map(|bytes| unit.count(bytes)), widths.size, line),
            }
        }
        line.push(b' ');
    }

    fn user<'b>(&'b self, id: Option<u32>, name: Option<&'b OsStr>) -> Owner<'b> {
        Owner::new(id, id.and_then(|id| self.owners.user(id)), name)
    }

    fn group<'b>(&'b self, id: Option<u32>, name: Option<&'b OsStr>) -> Owner<'b> {
        Owner::new(id, id.and_then(|id| self.owners.group(id)), name)
    }
}

impl<'a> Owner<'a> {
    fn new(id: Option<u32>, known: Option<&'a OwnerName>, read: Option<&'a OsStr>) -> Self {
        match (id, known, read) {
            (_, Some(name), _) => Owner::Name(name),
            (Some(id), None, _) => Owner::Number(id),
            (None, None, Some(name)) => Owner::Read(name),
            (None, None, None) => Owner::Unknown,
        }
    }

    fn width(&self) -> usize {
        match self {
            Owner::Name(name) => name.width,
            Owner::Read(name) => width(name.as_encoded_bytes()),
            Owner::Number(id) => column::width(*id),
            Owner::Unknown => 1,
        }
    }

    /// Adds the column: names are left-aligned, IDs right-aligned.
    fn write(&self, column: usize, line: &mut Vec<u8>) {
        let bytes = match self {
            Owner::Number(id) => {
                column::add(Some(*id), column, line);
                line.push(b' ');
                return;
            }
            Owner::Name(name) => name.text.as_encoded_bytes(),
            Owner::Read(name) => name.as_encoded_bytes(),
            Owner::Unknown => b"?",
        };
        line.extend_from_slice(bytes);
        line.resize(line.len() + column.saturating_sub(self.width()) + 1, b' ');
    }
}

fn mode(item: &Item, line: &mut Vec<u8>) {
    if let Some(mode) = item.columns.mode() {
        entry::add_mode(mode, item.kind, line);
    } else {
        line.push(entry::kind_letter(item.kind));
        line.extend(b"?????????");
    }
}

/// Returns the number of a device.
fn device(item: &Item) -> Option<(u64, u64)> {
    let is_device = matches!(item.kind, Kind::CharacterDevice | Kind::BlockDevice | Kind::Whiteout);
    item.columns.device_number().filter(|_| is_device).map(sys::device_parts)
}
