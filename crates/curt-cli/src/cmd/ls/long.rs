//! Lines: the long form, with its columns, and names with numbers before them.

use std::ffi::OsStr;

use curt::{Kind, Metadata};

use super::item::Item;
use super::names::{Names, width};
use super::owners::Owners;
use super::settings::Settings;
use crate::out::{entry, human};
use crate::sys;

/// How wide the columns are.
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

/// Writes lines.
pub(super) struct Lines<'a> {
    settings: &'a Settings,
    owners: &'a Owners,
    widths: Widths,
    /// Something here has access rules beyond its mode.
    has_acl: bool,
}

/// What stands in the column of an owner.
enum Owner<'a> {
    Name(&'a OsStr),
    Number(u32),
    Unknown,
}

impl<'a> Lines<'a> {
    pub(super) fn new(settings: &'a Settings, owners: &'a Owners, items: &[Item]) -> Self {
        let has_acl = items.iter().any(|item| item.get(Metadata::has_acl) == Some(true));
        let mut lines = Lines { settings, owners, widths: Widths::default(), has_acl };
        let mut widths = Widths::default();
        for item in items.iter().filter(|item| !item.is_failed()) {
            lines.widen(&mut widths, item);
        }
        lines.widths = widths;
        lines
    }

    fn widen(&self, widths: &mut Widths, item: &Item) {
        let widen = |width: &mut usize, needed: usize| *width = needed.max(*width);
        if self.settings.inode {
            widen(&mut widths.inode, inode(item).len());
        }
        if self.settings.has_total() {
            widen(&mut widths.blocks, self.blocks(item).len());
        }
        if !self.settings.is_long() {
            return;
        }
        widen(&mut widths.links, links(item).len());
        widen(&mut widths.user, self.user(item).width());
        widen(&mut widths.group, self.group(item).width());
        if let Some((major, minor)) = device(item) {
            widen(&mut widths.major, major.to_string().len());
            widen(&mut widths.minor, minor.to_string().len());
            widen(&mut widths.size, widths.major + 2 + widths.minor);
        } else {
            widen(&mut widths.size, self.size(item).len());
        }
    }

    /// How many columns stand before a name that is not in long form.
    pub(super) fn frills_width(&self) -> usize {
        let inode = if self.settings.inode { self.widths.inode + 1 } else { 0 };
        inode + if self.settings.blocks { self.widths.blocks + 1 } else { 0 }
    }

    /// What stands before a name: its number, the room it takes.
    pub(super) fn frills(&self, item: &Item) -> String {
        let number = |wanted: bool, text: &dyn Fn() -> String, width: usize| {
            if wanted { format!("{:>width$} ", text()) } else { String::new() }
        };
        let inode = number(self.settings.inode, &|| inode(item), self.widths.inode);
        let blocks = || self.blocks(item);
        inode + &number(self.settings.blocks, &blocks, self.widths.blocks)
    }

    /// The long form.
    pub(super) fn long(&self, item: &Item, names: &Names<'_>) -> Vec<u8> {
        let settings = self.settings;
        let mut line = self.frills(item).into_bytes();
        line.extend(mode(item).bytes());
        if self.has_acl {
            line.push(if item.get(Metadata::has_acl) == Some(true) { b'+' } else { b' ' });
        }
        line.extend(format!(" {:>1$} ", links(item), self.widths.links).bytes());
        if settings.owner {
            self.user(item).write(self.widths.user, &mut line);
        }
        if settings.group {
            self.group(item).write(self.widths.group, &mut line);
        }
        line.extend(self.size_column(item).bytes());
        if let Some(times) = &settings.times {
            let time = item.time(settings.clock);
            line.extend(time.map_or_else(|| times.unknown(), |time| times.text(time)).bytes());
            line.push(b' ');
        }
        match item.get(Metadata::target) {
            Some(target) => {
                line.extend(names.link(item).bytes);
                line.extend(b" -> ");
                line.extend(names.target(item, target.as_os_str()));
            }
            None if item.kind.is_link() => line.extend(names.link(item).bytes),
            None => line.extend(names.name(item).bytes),
        }
        line
    }

    fn size_column(&self, item: &Item) -> String {
        let widths = self.widths;
        let Some((major, minor)) = device(item) else {
            return format!("{:>1$} ", self.size(item), widths.size);
        };
        let blank = widths.size.saturating_sub(widths.major + 2 + widths.minor);
        format!("{major:>0$}, {minor:>1$} ", widths.major + blank, widths.minor)
    }

    fn blocks(&self, item: &Item) -> String {
        match item.allocated() {
            Some(bytes) => self.room(bytes),
            None => "?".to_owned(),
        }
    }

    /// An amount of room: in blocks, or as people read it.
    pub(super) fn room(&self, bytes: u64) -> String {
        if self.settings.human { human::size(bytes) } else { bytes.div_ceil(1024).to_string() }
    }

    fn size(&self, item: &Item) -> String {
        match item.get(Metadata::size) {
            Some(bytes) if self.settings.human => human::size(bytes),
            Some(bytes) => bytes.to_string(),
            None => "?".to_owned(),
        }
    }

    fn user(&self, item: &Item) -> Owner<'a> {
        let id = item.get(Metadata::user_id);
        Owner::new(id, id.and_then(|id| self.owners.user(id)))
    }

    fn group(&self, item: &Item) -> Owner<'a> {
        let id = item.get(Metadata::group_id);
        Owner::new(id, id.and_then(|id| self.owners.group(id)))
    }
}

impl<'a> Owner<'a> {
    fn new(id: Option<u32>, name: Option<&'a OsStr>) -> Self {
        match (id, name) {
            (_, Some(name)) => Owner::Name(name),
            (Some(id), None) => Owner::Number(id),
            (None, None) => Owner::Unknown,
        }
    }

    fn width(&self) -> usize {
        match self {
            Owner::Name(name) => width(name.as_encoded_bytes()),
            Owner::Number(id) => id.to_string().len(),
            Owner::Unknown => 1,
        }
    }

    /// Names begin at the left of their column, numbers end at its right.
    fn write(&self, column: usize, line: &mut Vec<u8>) {
        let bytes = match self {
            Owner::Number(id) => {
                line.extend(format!("{id:>column$} ").bytes());
                return;
            }
            Owner::Name(name) => name.as_encoded_bytes(),
            Owner::Unknown => b"?",
        };
        line.extend(bytes);
        line.resize(line.len() + column.saturating_sub(self.width()) + 1, b' ');
    }
}

fn mode(item: &Item) -> String {
    match item.mode() {
        Some(mode) => entry::mode_string(mode, item.kind),
        None => format!("{}?????????", entry::kind_letter(item.kind)),
    }
}

fn inode(item: &Item) -> String {
    item.get(Metadata::id).map_or_else(|| "?".to_owned(), |id| id.to_string())
}

fn links(item: &Item) -> String {
    item.get(Metadata::links).map_or_else(|| "?".to_owned(), |links| links.to_string())
}

/// The number of a device, for what is one.
fn device(item: &Item) -> Option<(u64, u64)> {
    let is_device = matches!(item.kind, Kind::CharacterDevice | Kind::BlockDevice | Kind::Whiteout);
    item.get(Metadata::device_number).filter(|_| is_device).map(sys::device_parts)
}
