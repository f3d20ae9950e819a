//! The long format, and the columns before names in other formats.

use std::ffi::OsStr;

use curt::{Fields, Kind, Metadata};

use super::item::{Item, OwnerIds};
use super::names::{NameFormatter, width};
use super::owners::{OwnerName, Owners};
use super::settings::Settings;
use super::times::Times;
use crate::args::Format;
use crate::out::{column, entry};
use crate::sys;

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

/// One character for the kind and nine for the permissions.
const MODE: usize = 10;

impl Widths {
    fn with_labels(self) -> Widths {
        Widths {
            inode: self.inode.max("Inode".len()),
            blocks: self.blocks.max("Blocks".len()),
            links: self.links.max("Links".len()),
            user: self.user.max("Author".len()),
            group: self.group.max("Group".len()),
            size: self.size.max("Size".len()),
            ..self
        }
    }
}

pub(super) struct LineFormatter<'a> {
    settings: &'a Settings<'a>,
    owners: &'a Owners,
    widths: Widths,
    has_acl: bool,
    /// The previous entry's owners and their formatted columns, which most entries share.
    before: OwnerIds,
    owners_before: Vec<u8>,
}

enum Owner<'a> {
    Name(&'a OsStr, usize),
    Number(u32),
}

impl<'a> LineFormatter<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, owners: &'a Owners, items: &[&Item]) -> Self {
        let has_acl = items.iter().any(|item| item.get(Metadata::acl) == Some(true));
        let mut lines = LineFormatter {
            settings,
            owners,
            widths: Widths::default(),
            has_acl,
            before: OwnerIds::default(),
            owners_before: Vec::new(),
        };
        let has_columns = settings.is_long() || settings.shows_inode || settings.shows_blocks;
        if has_columns {
            lines.widths = lines.widths_of(items);
        }
        if settings.is_long() && settings.options.header {
            lines.widths = lines.widths.with_labels();
        }
        lines
    }

    fn widths_of(&self, items: &[&Item]) -> Widths {
        fn widen(to: &mut usize, needed: usize) {
            *to = needed.max(*to);
        }
        let Settings { block_unit, size_unit, .. } = self.settings;
        // An unknown value is printed as `?`.
        let mut widths = Widths { inode: 1, blocks: 1, links: 1, size: 1, ..Widths::default() };
        let mut before = OwnerIds::default();
        for &item in items.iter().filter(|item| !item.is_failed()) {
            let columns = &item.columns;
            if self.settings.shows_inode {
                let inode = item.get(Metadata::id).unwrap_or_default();
                widen(&mut widths.inode, column::width(inode));
            }
            widen(&mut widths.blocks, block_unit.width(columns.allocated));
            if !self.settings.is_long() {
                continue;
            }
            widen(&mut widths.links, column::width(columns.links.unwrap_or_default()));
            if differ(columns.owners(), before) {
                before = columns.owners();
                let (user, group) = self.owners_of(item);
                widen(&mut widths.user, user.width());
                widen(&mut widths.group, group.width());
            }
            if let Some((major, minor)) = device(item) {
                widen(&mut widths.major, column::width(major));
                widen(&mut widths.minor, column::width(minor));
                widen(&mut widths.size, widths.major + 2 + widths.minor);
            } else {
                widen(&mut widths.size, size_unit.width(columns.size));
            }
        }
        widths
    }

    pub(super) fn prefix_width(&self, item: &Item) -> usize {
        let (mut inode, mut blocks) = (self.widths.inode, self.widths.blocks);
        if self.settings.format == Format::Commas {
            let unit = &self.settings.block_unit;
            inode = item.get(Metadata::id).map_or(1, column::width);
            blocks = item.columns.allocated.map_or(1, |bytes| unit.width(Some(bytes)));
        }
        let inode = if self.settings.shows_inode { inode + 1 } else { 0 };
        inode + if self.settings.shows_blocks { blocks + 1 } else { 0 }
    }

    pub(super) fn header(&self, line: &mut Vec<u8>) {
        let (settings, widths) = (self.settings, &self.widths);
        let time = match settings.time() {
            Fields::ACCESSED => "Accessed",
            Fields::CHANGED => "Changed",
            Fields::CREATED => "Created",
            _ => "Modified",
        };
        let time_width = settings.times.as_ref().map_or(0, Times::width);
        // For each column: whether it is shown, label, width if right-aligned, width if
        // left-aligned.
        let columns = [
            (settings.shows_inode, "Inode", widths.inode, 0),
            (settings.shows_blocks, "Blocks", widths.blocks, 0),
            (true, "Mode", 0, MODE + usize::from(self.has_acl)),
            (true, "Links", widths.links, 0),
            (!settings.options.no_owner, "Owner", 0, widths.user),
            (!settings.options.hides_group, "Group", 0, widths.group),
            (settings.options.author, "Author", 0, widths.user),
            (true, "Size", widths.size, 0),
            (true, time, 0, time_width),
            (true, "Name", 0, 0),
        ];
        let shown = columns.into_iter().filter(|column| column.0);
        for (index, (_, name, right, left)) in shown.enumerate() {
            if index > 0 {
                line.push(b' ');
            }
            let blank = |width: usize| vec![b' '; width.saturating_sub(name.len())];
            line.extend(blank(right));
            match &settings.palette {
                Some(_) => line.extend(format!("\x1b[4m{name}\x1b[0m").into_bytes()),
                None => line.extend_from_slice(name.as_bytes()),
            }
            line.extend(blank(left));
        }
    }

    /// Adds the inode number and the allocated space.
    pub(super) fn prefix(&self, item: &Item, line: &mut Vec<u8>) {
        let is_aligned = self.settings.format != Format::Commas;
        let width = |width: usize| if is_aligned { width } else { 0 };
        if self.settings.shows_inode {
            column::add(item.get(Metadata::id), width(self.widths.inode), line);
            line.push(b' ');
        }
        if self.settings.shows_blocks {
            let blocks = width(self.widths.blocks);
            self.settings.block_unit.add(item.columns.allocated, blocks, line);
            line.push(b' ');
        }
    }

    /// Adds a line of the long format. In a tree, `branch` precedes the name.
    pub(super) fn long(
        &mut self,
        item: &Item,
        names: &NameFormatter<'_>,
        branch: &str,
        line: &mut Vec<u8>,
    ) {
        let settings = self.settings;
        names.normal(line);
        let mut begin = line.len();
        self.prefix(item, line);
        mode(item, line);
        if self.has_acl {
            line.push(if item.get(Metadata::acl) == Some(true) { b'+' } else { b' ' });
        }
        line.push(b' ');
        column::add(item.columns.links, self.widths.links, line);
        line.push(b' ');
        self.owner_columns(item, line);
        if !settings.options.no_owner || !settings.options.hides_group || settings.options.author {
            // GNU ls counts columns from here to decide whether a colored name wraps.
            begin = line.len();
        }
        self.size_column(item, line);
        if let Some(times) = &settings.times {
            match item.columns.time {
                Some(time) => times.add(time, line),
                None => line.extend(times.unknown().bytes()),
            }
            line.push(b' ');
        }
        line.extend_from_slice(branch.as_bytes());
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
        if differ(item.columns.owners(), self.before) {
            self.before = item.columns.owners();
            let mut columns = std::mem::take(&mut self.owners_before);
            columns.clear();
            let (user, group) = self.owners_of(item);
            if !self.settings.options.no_owner {
                user.write(self.widths.user, &mut columns);
            }
            if !self.settings.options.hides_group {
                group.write(self.widths.group, &mut columns);
            }
            if self.settings.options.author {
                user.write(self.widths.user, &mut columns);
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
            self.settings.size_unit.add(item.columns.size, widths.size, line);
        }
        line.push(b' ');
    }

    fn owners_of<'b>(&'b self, item: &'b Item) -> (Owner<'b>, Owner<'b>) {
        let (user, group) = item.columns.owners();
        let user_name = user.and_then(|id| self.owners.user(id));
        let group_name = group.and_then(|id| self.owners.group(id));
        (
            Owner::new(user, user_name, item.get(Metadata::user)),
            Owner::new(group, group_name, item.get(Metadata::group)),
        )
    }
}

/// Returns whether the owners differ from the previous ones, or are unknown.
fn differ(owners: OwnerIds, before: OwnerIds) -> bool {
    owners == (None, None) || owners != before
}

impl<'a> Owner<'a> {
    /// Returns the owner to show. `known` is the name looked up for the ID, `read` the name in the
    /// metadata.
    fn new(id: Option<u32>, known: Option<&'a OwnerName>, read: Option<&'a OsStr>) -> Self {
        match (id, known, read) {
            (_, Some(name), _) => Owner::Name(&name.text, name.width),
            (Some(id), None, _) => Owner::Number(id),
            (None, None, Some(name)) => Owner::Name(name, width(name.as_encoded_bytes())),
            (None, None, None) => Owner::Name("?".as_ref(), 1),
        }
    }

    fn width(&self) -> usize {
        match *self {
            Owner::Name(_, width) => width,
            Owner::Number(id) => column::width(id),
        }
    }

    fn write(&self, column: usize, line: &mut Vec<u8>) {
        match *self {
            Owner::Name(name, width) => {
                line.extend_from_slice(name.as_encoded_bytes());
                line.resize(line.len() + column.saturating_sub(width), b' ');
            }
            Owner::Number(id) => column::add(Some(id), column, line),
        }
        line.push(b' ');
    }
}

fn mode(item: &Item, line: &mut Vec<u8>) {
    if let Some(mode) = item.columns.mode {
        entry::add_mode(mode, item.kind, line);
    } else {
        line.push(entry::kind_letter(item.kind));
        line.extend(b"?????????");
    }
}

fn device(item: &Item) -> Option<(u64, u64)> {
    let is_device = matches!(item.kind, Kind::CharacterDevice | Kind::BlockDevice | Kind::Whiteout);
    item.columns.device_number.filter(|_| is_device).map(sys::device_parts)
}
