use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use curt::fields::Follow;
use curt::list::{Directory, DirectoryWalk, List, Stat};
use curt::{Calls, Cause, Error, Kind, Metadata, Operation};

use super::item::{Collector, Detail, Item, display_path};
use super::names::NameFormatter;
use super::order;
use super::settings::{FollowOperands, Settings};
use super::writer::Writer;
use crate::args::{Hidden, Sort};
use crate::cmd::operands_or_here;
use crate::exit::Exit;
use crate::out::blocks::Blocks;
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::{for_terminal, quote};
use crate::session::Session;

/// The size of the listing buffer if several threads share a directory. Small directories touch
/// only its first pages.
const BUFFER: usize = 256 << 10;

/// The largest vector that is reused for the next directory.
const MOST_SPARE: usize = 4096;

#[derive(Default)]
pub(super) struct Totals {
    pub(super) entries: u64,
    pub(super) directories: u64,
    folders: u64,
    others: u64,
    pub(super) size: u64,
    pub(super) calls: Calls,
}

impl Totals {
    pub(super) fn count(&mut self, item: &Item) {
        self.entries += 1;
        match item.kind {
            Kind::Directory if item.name == "." || item.name == ".." => {}
            Kind::Directory => self.folders += 1,
            kind => {
                self.others += 1;
                let size = item.columns.size.filter(|_| kind == Kind::File);
                self.size = self.size.saturating_add(size.unwrap_or(0));
            }
        }
    }

    pub(super) fn text(&self, unit: &Blocks) -> String {
        let folders = text::counted(self.folders, "directory", "directories");
        let others = text::counted(self.others, "file", "files");
        let size = match unit {
            unit if *unit == Blocks::BYTES => text::counted(self.size, "byte", "bytes"),
            unit => unit.show(self.size),
        };
        format!("\n{folders}, {others}, {size}")
    }
}

pub(super) struct Lister<'a> {
    pub(super) settings: &'a Settings<'a>,
    pub(super) session: &'a Session,
    pub(super) writer: Writer<'a>,
    collector: Collector,
    stat: Stat,
    target_stat: Stat,
    pub(super) walk: DirectoryWalk,
    /// Operands still to be listed, in reverse.
    pending: Vec<OsString>,
    /// An empty vector for the entries of the next directory.
    spare: Vec<Item>,
    has_headers: bool,
    is_first: bool,
    pub(super) totals: Totals,
}

impl<'a> Lister<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, session: &'a Session) -> Self {
        let follows = settings.follow_operands == FollowOperands::Always;
        let follow = if follows { Follow::Links } else { Follow::Never };
        let plan = settings.operand_plan();
        let all = if settings.is_recursive() { settings.options.follow } else { None };
        let mut walk = DirectoryWalk::new().follow(all.unwrap_or_default());
        let collector = Collector::new(settings);
        if collector.detail == Detail::Columns && !settings.streams() {
            walk = walk.buffer(BUFFER);
        }
        Lister {
            settings,
            session,
            writer: Writer::new(settings, session),
            collector,
            stat: walk.stat(plan.follow(follow)),
            target_stat: walk.stat(plan.follow(Follow::Links)),
            walk,
            pending: Vec::new(),
            spare: Vec::new(),
            has_headers: true,
            is_first: true,
            totals: Totals::default(),
        }
    }

    /// Lists the operands, files first, or the working directory.
    pub(super) fn run(&mut self, operands: &[OsString]) {
        if self.settings.options.header {
            self.writer.field_names();
        }
        if self.settings.options.tree {
            let items = self.read_operands(operands);
            for item in self.sort(items) {
                if !self.session.is_cancelled() {
                    self.list_as_tree(item);
                }
            }
        } else if operands.is_empty() && !self.settings.options.directory {
            self.has_headers = false;
            self.pending.push(".".into());
        } else {
            self.list_operands(operands);
        }
        while let Some(operand) = self.pending.pop().filter(|_| !self.session.is_cancelled()) {
            self.list_operand(&operand);
        }
        if self.settings.options.total && !self.settings.is_json() {
            let mut line = self.totals.text(&self.settings.size_unit).into_bytes();
            line.push(self.settings.end());
            self.session.data(&line);
        }
        self.writer.finish();
    }

    fn indices(&self, items: &[Item]) -> Vec<usize> {
        let settings = self.settings;
        let mut widths = Vec::new();
        if settings.order.by == Sort::Width {
            let (all, has_color) = (items.iter().collect::<Vec<_>>(), Cell::new(false));
            let mut names = NameFormatter::new(settings, &all, &has_color);
            names.is_aligned &= settings.aligns_names();
            widths.extend(items.iter().map(|item| names.width_of_name(item)));
        }
        order::indices(items, settings.order, &widths)
    }

    fn sorted<'i>(&self, items: &'i [Item]) -> Vec<&'i Item> {
        self.indices(items).into_iter().map(|index| &items[index]).collect()
    }

    pub(super) fn sort(&self, items: Vec<Item>) -> Vec<Item> {
        let indices = self.indices(&items);
        let mut items: Vec<Option<Item>> = items.into_iter().map(Some).collect();
        indices.into_iter().filter_map(|index| items[index].take()).collect()
    }

    fn list_operand(&mut self, operand: &OsStr) {
        let opened = self.walk.open(operand);
        self.list_directory(operand, opened, true);
        while !self.session.is_cancelled() {
            let Some(opened) = self.walk.next() else { return };
            let path = opened.as_ref().map_or_else(Error::path, Directory::path);
            let path = match path.strip_prefix(operand) {
                Ok(relative) => header_path(operand, relative.as_os_str()).into_os_string(),
                Err(_) => path.as_os_str().to_owned(),
            };
            self.list_directory(&path, opened, false);
        }
    }

    pub(super) fn totals(mut self) -> Totals {
        self.totals.calls.add(&self.stat.calls());
        self.totals.calls.add(&self.target_stat.calls());
        self.totals.calls.add(&self.walk.finish());
        self.totals
    }

    fn list_operands(&mut self, operands: &[OsString]) {
        let items = self.read_operands(operands);
        let items = self.sorted(&items);
        let shown = items.iter().filter(|item| !item.is_opened).count();
        let opened = items.iter().rev().filter(|item| item.is_opened);
        self.pending.extend(opened.map(|item| item.name.clone()));
        if shown > 0 {
            let shown = items.iter().filter(|item| !item.is_opened);
            shown.for_each(|item| self.totals.count(item));
            // As in GNU ls, directories affect the column widths, too.
            self.writer.items(&items, None);
            if !self.pending.is_empty() && !self.settings.is_json() {
                self.writer.separate();
            }
        } else if operands.len() <= 1 && self.pending.len() == 1 {
            self.has_headers = false;
        }
    }

    fn read_operands(&mut self, operands: &[OsString]) -> Vec<Item> {
        let operands = operands_or_here(operands).into_iter();
        operands.filter_map(|name| self.read_operand(name)).collect()
    }

    fn read_operand(&mut self, name: &OsStr) -> Option<Item> {
        let settings = self.settings;
        let path = Path::new(name);
        let metadata = match self.stat.path(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.fail(&error, path, true);
                return None;
            }
        };
        let mut item = Item::new(name.to_owned(), metadata, settings.time());
        let follows = settings.follow_operands == FollowOperands::Always;
        if item.kind.is_link() && follows && self.is_broken(None, path, path) {
            return None;
        }
        if item.kind.is_link() && settings.follow_operands == FollowOperands::Directories {
            let target = self.target_stat.path(path).and_then(|target| {
                // If this is still a symlink, following it failed. GNU ls lists a broken symlink,
                // but not one whose target denies access.
                let is_link = target.kind().is_link();
                let denied = is_link.then(|| self.target_stat.path(path.join("")).err()).flatten();
                let denied = denied.filter(|it| it.kind() == io::ErrorKind::PermissionDenied);
                denied.map_or(Ok(target), Err)
            });
            match target {
                Ok(target) if target.kind().is_dir() => {
                    item = Item::new(name.to_owned(), target, settings.time());
                }
                Ok(_) => {}
                Err(error) => {
                    self.fail(&error, path, true);
                    return None;
                }
            }
        }
        item.is_opened = item.kind == Kind::Directory && !settings.options.directory;
        if !item.is_opened {
            self.complete(&mut item, None, path);
        }
        Some(item)
    }

    /// Reports failed fields of an operand, `.` or `..`, and reads the target of a symlink.
    pub(super) fn complete(&mut self, item: &mut Item, list: Option<&List>, path: &Path) {
        for (_, error) in item.metadata.iter().flat_map(|metadata| metadata.failures()) {
            self.fail(error, path, true);
        }
        self.read_target(item, list);
    }

    fn read_target(&mut self, item: &mut Item, list: Option<&List>) {
        if !item.kind.is_link() || !self.settings.needs_targets() {
            return;
        }
        let target = stat_in(&mut self.target_stat, list, Path::new(&item.name)).ok();
        item.target = target
            .filter(|metadata| !metadata.kind().is_link())
            .map(|metadata| Box::new((metadata.kind(), metadata.mode().known())));
    }

    fn list_directory(&mut self, path: &OsStr, opened: Result<Directory, Error>, is_operand: bool) {
        let Some(mut list) = self.start(path, opened, is_operand) else { return };
        let is_recursive = self.settings.options.recursive;
        if (is_recursive || self.has_headers) && !self.settings.is_json() {
            if !std::mem::take(&mut self.is_first) {
                self.writer.separate();
            }
            self.writer.header(path);
        }
        if self.settings.streams() {
            self.stream(&mut list, path, is_operand);
            return self.totals.calls.add(&list.close());
        }
        let mut items = self.dots(&list, path);
        self.read(&mut list, path, is_operand, &mut items);
        let sorted = self.sorted(&items);
        for item in &sorted {
            self.totals.count(item);
        }
        if self.settings.has_total() {
            self.writer.total(&sorted);
        }
        self.writer.items(&sorted, Some(path));
        if is_recursive {
            self.descend(list, &sorted, path);
        } else {
            self.totals.calls.add(&list.close());
        }
        if self.pending.is_empty() && !is_recursive {
            // Leak the entries: the process is about to end, and freeing the names would take
            // longer than listing a small directory.
            return std::mem::forget(items);
        }
        if items.capacity() <= MOST_SPARE {
            items.clear();
            self.spare = items;
        }
    }

    fn start(
        &mut self,
        path: &OsStr,
        opened: Result<Directory, Error>,
        is_operand: bool,
    ) -> Option<List> {
        match opened {
            Ok(directory) => {
                self.totals.directories += 1;
                return Some(directory.list(self.settings.plan()));
            }
            Err(error) if matches!(error.cause(), Cause::Loop(_)) => self.fail_loop(path),
            Err(error) => self.fail(&error, Path::new(path), is_operand),
        }
        None
    }

    pub(super) fn read_directory(
        &mut self,
        path: &OsStr,
        opened: Result<Directory, Error>,
        is_operand: bool,
    ) -> Option<(List, Vec<Item>)> {
        let mut list = self.start(path, opened, is_operand)?;
        let mut items = Vec::new();
        self.read(&mut list, path, is_operand, &mut items);
        Some((list, items))
    }

    fn read(&mut self, list: &mut List, path: &OsStr, is_operand: bool, items: &mut Vec<Item>) {
        let begin = items.len();
        let (settings, collector) = (self.settings, &self.collector);
        let result = list.gather(
            collector.threads(settings),
            items,
            |name| settings.shows(name).then(|| Item::unknown(name.to_owned(), Kind::Unknown)),
            |item, entry| collector.collect(item, entry),
        );
        for item in &mut items[begin..] {
            self.check(item, list, path);
        }
        if let Err(error) = result {
            self.fail(&error, Path::new(path), is_operand);
        }
    }

    fn stream(&mut self, list: &mut List, path: &OsStr, is_operand: bool) {
        for item in self.dots(list, path) {
            self.show(&item, path);
        }
        while !self.session.is_cancelled() {
            let failed = match list.next() {
                None => break,
                Some(Err(error)) => Some(error),
                Some(Ok(entry)) => {
                    let name = entry.to_name();
                    if self.settings.shows(&name) {
                        let mut item = Item::unknown(name, Kind::Unknown);
                        self.collector.collect(&mut item, entry);
                        self.check(&mut item, list, path);
                        self.show(&item, path);
                    }
                    None
                }
            };
            if let Some(error) = failed {
                self.fail(&error, Path::new(path), is_operand);
            }
        }
    }

    fn show(&mut self, item: &Item, dir: &OsStr) {
        self.totals.count(item);
        self.writer.items(&[item], Some(dir));
    }

    /// Reports failed fields of an entry, and reads the target of a symlink. Keeps only name and
    /// kind of a broken symlink that must be followed.
    fn check(&mut self, item: &mut Item, list: &List, dir: &OsStr) {
        for (_, error) in item.metadata.iter().flat_map(|metadata| metadata.failures()) {
            self.fail(error, &display_path(dir, &item.name), false);
        }
        if self.settings.follows() && item.kind.is_link() {
            let path = display_path(dir, &item.name);
            if self.is_broken(Some(list), Path::new(&item.name), &path) {
                *item = Item::unknown(std::mem::take(&mut item.name), item.kind);
            }
        }
        self.read_target(item, Some(list));
    }

    /// Returns `.` and `..` if they are shown; the library never lists them.
    fn dots(&mut self, list: &List, dir: &OsStr) -> Vec<Item> {
        let mut items = std::mem::take(&mut self.spare);
        if self.settings.options.hidden != Hidden::Nothing {
            return items;
        }
        for name in [".", ".."] {
            if self.settings.ignored.contains(OsStr::new(name)) {
                continue;
            }
            let mut item = Item::unknown(name.into(), Kind::Directory);
            if self.collector.detail != Detail::Kind {
                let path = Path::new(dir).join(name);
                // Query the path, as GNU ls does. If that fails, for example because the path is
                // too long, query the name relative to the open directory.
                let result = self.stat.path(&path);
                match result.or_else(|error| list.stat(&mut self.stat, name).map_err(|_| error)) {
                    Ok(metadata) => {
                        item = Item::new(name.into(), metadata, self.settings.time());
                        self.complete(&mut item, Some(list), &path);
                    }
                    Err(error) => self.fail(&error, &path, false),
                }
            }
            items.push(item);
        }
        items
    }

    pub(super) fn descend(&mut self, list: List, items: &[&Item], dir: &OsStr) {
        self.totals.calls.add(&list.calls());
        let is_below =
            |item: &&&Item| item.kind == Kind::Directory && item.name != "." && item.name != "..";
        let names = items.iter().filter(is_below).map(|item| &item.name);
        if let Err(error) = self.walk.enter(list, names) {
            self.fail(&error, Path::new(dir), false);
        }
    }

    fn fail_loop(&mut self, path: &OsStr) {
        const MESSAGE: &str = "not listing already-listed directory";
        let failure = Failure::new("read_directory", "loop", MESSAGE.to_owned()).path(path);
        self.session.fail_as(failure, &format!("{}: {MESSAGE}", for_terminal(path, ":")));
        self.session.worsen(Exit::USAGE);
    }

    /// Returns whether a symlink that must be followed is broken, and reports it if so. A trailing
    /// slash forces following. `shown` is the path in messages.
    fn is_broken(&mut self, list: Option<&List>, path: &Path, shown: &Path) -> bool {
        let result = stat_in(&mut self.target_stat, list, &path.join(""));
        if let Err(error) = &result {
            self.fail(error, shown, list.is_none());
        }
        result.is_err()
    }

    /// Reports an error. As in GNU ls, the exit code is 2 for an operand, and 1 for an entry within
    /// it.
    fn fail(&self, error: &Error, path: &Path, is_operand: bool) {
        let (path, reason) = (quote(path), text::reason(error.cause()));
        let message = match error.operation() {
            Operation::ReadDirectory => format!("reading directory {path}: {reason}"),
            operation => format!("cannot {} {path}: {reason}", operation.verb()),
        };
        self.session.fail_as(error, &message);
        if is_operand {
            self.session.worsen(Exit::USAGE);
        }
    }
}

fn stat_in(stat: &mut Stat, list: Option<&List>, path: &Path) -> Result<Metadata, Error> {
    match list {
        Some(list) => list.stat(stat, path),
        None => stat.path(path),
    }
}

pub(super) fn header_path(dir: &OsStr, name: &OsStr) -> PathBuf {
    let bytes = dir.as_encoded_bytes();
    let end = bytes.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let whole = Path::new(dir);
    if end == 0 || end == bytes.len() {
        return whole.join(name);
    }
    crate::sys::name_from_bytes(&bytes[..end])
        .map_or_else(|| whole.join(name), |dir| Path::new(&dir).join(name))
}

#[cfg(test)]
mod tests {
    use super::{display_path, header_path};
    use std::path::Path;

    #[test]
    fn joins_paths_like_gnu() {
        assert_eq!(display_path(".".as_ref(), "a".as_ref()), Path::new("a"));
        assert_eq!(display_path("d".as_ref(), "a".as_ref()), Path::new("d/a"));
        for (dir, path) in
            [(".", "./a"), ("d", "d/a"), ("d//", "d/a"), ("/", "/a"), ("b/d/", "b/d/a")]
        {
            let joined = header_path(dir.as_ref(), "a".as_ref());
            assert_eq!(joined, Path::new(path));
            // On Windows, `join` adds a backslash.
            let has_slashes = std::path::MAIN_SEPARATOR == '/';
            assert!(!has_slashes || joined.as_os_str() == path, "{joined:?}");
        }
    }
}
