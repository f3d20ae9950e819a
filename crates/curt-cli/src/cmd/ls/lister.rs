//! Goes through the operands and the directories below them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use curt::fields::Follow;
use curt::list::{Descent, Directory, List, Stat};
use curt::{Calls, Cause, Error, Kind, Metadata, Operation};

use super::item::{Collector, Detail, Item, display_path};
use super::order;
use super::owners::Owners;
use super::settings::{FollowOperands, Form, Settings};
use super::writer::Writer;
use crate::args::Hidden;
use crate::cmd::operands_or_here;
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::{for_terminal, quote};
use crate::session::Session;

/// The buffer of a directory whose entries are read by several threads, which share what it holds.
/// What a small directory leaves of it is never touched.
const BUFFER: usize = 256 << 10;

/// What was done in all.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) entries: u64,
    pub(super) directories: u64,
    pub(super) calls: Calls,
}

/// Lists operands and directories.
pub(super) struct Lister<'a> {
    settings: &'a Settings<'a>,
    session: &'a Session,
    writer: Writer<'a>,
    owners: Owners,
    collector: Collector,
    /// Reads operands, `.` and `..`.
    stat: Stat,
    /// Reads the targets of links.
    target_stat: Stat,
    /// Opens the operands and the directories below them.
    descent: Descent,
    /// The operands that are still to be listed, the last one first.
    pending: Vec<OsString>,
    has_headers: bool,
    is_first: bool,
    totals: Totals,
}

impl<'a> Lister<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, session: &'a Session) -> Self {
        let follows = settings.follow_operands == FollowOperands::Always;
        let follow = if follows { Follow::Links } else { Follow::Never };
        let plan = settings.operand_plan();
        let mut descent =
            Descent::new().follow_links(settings.follows() && settings.options.recursive);
        let collector = Collector::new(settings);
        if collector.detail == Detail::Columns && !settings.streams() {
            descent = descent.buffer(BUFFER);
        }
        Lister {
            settings,
            session,
            writer: Writer::new(settings, session.screen()),
            owners: Owners::new(settings),
            collector,
            stat: descent.asking(plan.follow(follow)),
            target_stat: descent.asking(plan.follow(Follow::Links)),
            descent,
            pending: Vec::new(),
            has_headers: true,
            is_first: true,
            totals: Totals::default(),
        }
    }

    /// Lists the operands, files first; without any, the working directory.
    pub(super) fn run(&mut self, operands: &[OsString]) {
        if operands.is_empty() && !self.settings.options.directory {
            self.has_headers = false;
            self.pending.push(".".into());
        } else {
            self.list_operands(&operands_or_here(operands));
        }
        while let Some(operand) = self.pending.pop() {
            self.list_tree(&operand);
            if self.session.is_cancelled() {
                break;
            }
        }
        self.writer.finish();
    }

    /// Lists an operand, and the directories below it that were entered.
    fn list_tree(&mut self, operand: &OsStr) {
        let opened = self.descent.open(operand);
        self.list_directory(operand, opened, true);
        while !self.session.is_cancelled() {
            let Some(opened) = self.descent.next() else { return };
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
        self.totals.calls.add(&self.descent.finish());
        self.totals
    }

    fn list_operands(&mut self, operands: &[&OsStr]) {
        let items: Vec<Item> = operands.iter().filter_map(|name| self.read_operand(name)).collect();
        let items = order::sorted(&items, self.settings.order);
        let shown = items.iter().filter(|item| !item.is_opened).count();
        let opened = items.iter().rev().filter(|item| item.is_opened);
        self.pending.extend(opened.map(|item| item.name.clone()));
        if shown > 0 {
            self.totals.entries += shown as u64;
            // As in GNU ls, columns are wide enough for the directories too, which are not shown.
            self.write(&items, None);
            if !self.pending.is_empty() && !self.settings.is_json() {
                self.session.data(b"\n");
            }
        } else if operands.len() <= 1 && self.pending.len() == 1 {
            self.has_headers = false;
        }
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
        let mut item = Item::new(name.to_owned(), metadata, settings.clock());
        let follows = settings.follow_operands == FollowOperands::Always;
        if item.kind.is_link() && follows && self.is_broken(None, path, path) {
            return None;
        }
        if item.kind.is_link() && settings.follow_operands == FollowOperands::Directories {
            let target = self.target_stat.path(path).ok();
            let target =
                target.map(|metadata| Item::new(name.to_owned(), metadata, settings.clock()));
            item = target.filter(|target| target.kind == Kind::Directory).unwrap_or(item);
        }
        item.is_opened = item.kind == Kind::Directory && !settings.options.directory;
        if !item.is_opened {
            self.complete(&mut item, None, path);
        }
        Some(item)
    }

    /// Reports what could not be read of an operand, `.` or `..`, and reads the target of a link.
    fn complete(&mut self, item: &mut Item, list: Option<&List>, path: &Path) {
        for (_, error) in item.metadata.iter().flat_map(|metadata| metadata.failures()) {
            self.fail(error, path, true);
        }
        self.read_target(item, list);
    }

    /// Reads the target of a link, if it is shown.
    fn read_target(&mut self, item: &mut Item, list: Option<&List>) {
        if !item.kind.is_link() || !self.settings.needs_targets() {
            return;
        }
        let target = stat_in(&mut self.target_stat, list, Path::new(&item.name)).ok();
        let kind = |metadata: &Metadata| metadata.kind().known().unwrap_or_default();
        item.target = target
            .filter(|metadata| !kind(metadata).is_link())
            .map(|metadata| Box::new((kind(&metadata), metadata.mode().known())));
    }

    fn list_directory(&mut self, path: &OsStr, opened: Result<Directory, Error>, is_operand: bool) {
        let mut list = match opened {
            Ok(directory) => directory.list(self.settings.plan()),
            Err(error) if matches!(error.cause(), Cause::Loop(_)) => return self.fail_loop(path),
            Err(error) => return self.fail(&error, Path::new(path), is_operand),
        };
        self.totals.directories += 1;
        let is_recursive = self.settings.options.recursive;
        if (is_recursive || self.has_headers) && !self.settings.is_json() {
            if !std::mem::take(&mut self.is_first) {
                self.session.data(b"\n");
            }
            self.writer.header(path);
        }
        if self.settings.streams() {
            self.stream(&mut list, path, is_operand);
            return self.totals.calls.add(&list.close());
        }
        let mut items = self.dots(&list, path);
        self.read(&mut list, path, is_operand, &mut items);
        for item in &mut items {
            self.read_target(item, Some(&list));
        }
        let sorted = order::sorted(&items, self.settings.order);
        self.totals.entries += sorted.len() as u64;
        if self.settings.has_total() && self.settings.form == Form::Listing {
            self.writer.total(&sorted);
        }
        self.write(&sorted, Some(path));
        if is_recursive {
            self.descend(list, &sorted, path);
        } else {
            self.totals.calls.add(&list.close());
        }
        if self.pending.is_empty() && !is_recursive {
            // The command is about to end. Freeing each name takes longer than listing a small
            // directory.
            std::mem::forget(items);
        }
    }

    /// Reads the entries of a directory.
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

    /// Prints each entry of a directory as soon as it is read.
    fn stream(&mut self, list: &mut List, path: &OsStr, is_operand: bool) {
        for item in self.dots(list, path) {
            self.show(item, list, path);
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
                        self.show(item, list, path);
                    }
                    None
                }
            };
            if let Some(error) = failed {
                self.fail(&error, Path::new(path), is_operand);
            }
        }
    }

    /// Prints one entry of a directory.
    fn show(&mut self, mut item: Item, list: &List, dir: &OsStr) {
        self.read_target(&mut item, Some(list));
        self.totals.entries += 1;
        self.write(&[&item], Some(dir));
    }

    /// Prints entries, with the names of their owners.
    fn write(&mut self, items: &[&Item], dir: Option<&OsStr>) {
        self.owners.learn(items);
        self.writer.items(items, dir, &self.owners);
    }

    /// Reports what could not be read of an entry of a directory. A broken link that was followed
    /// keeps only its name and its kind.
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
    }

    /// Returns `.` and `..`, which the library does not list, if they are shown.
    fn dots(&mut self, list: &List, dir: &OsStr) -> Vec<Item> {
        let mut items = Vec::new();
        if self.settings.options.hidden != Hidden::Nothing {
            return items;
        }
        for name in [".", ".."] {
            let mut item = Item::unknown(name.into(), Kind::Directory);
            if self.collector.detail != Detail::Kind {
                let path = Path::new(dir).join(name);
                // By path, as GNU ls does; from the open directory if the path is too long.
                let result = self.stat.path(&path);
                match result.or_else(|error| list.stat(&mut self.stat, name).map_err(|_| error)) {
                    Ok(metadata) => {
                        item = Item::new(name.into(), metadata, self.settings.clock());
                        self.complete(&mut item, Some(list), &path);
                    }
                    Err(error) => self.fail(&error, &path, false),
                }
            }
            items.push(item);
        }
        items
    }

    /// Lists the directories among the entries next.
    fn descend(&mut self, list: List, items: &[&Item], dir: &OsStr) {
        self.totals.calls.add(&list.calls());
        let is_below =
            |item: &&&Item| item.kind == Kind::Directory && item.name != "." && item.name != "..";
        let names = items.iter().filter(is_below).map(|item| &item.name);
        if let Err(error) = self.descent.enter(list, names) {
            self.fail(&error, Path::new(dir), false);
        }
    }

    fn fail_loop(&mut self, path: &OsStr) {
        const MESSAGE: &str = "not listing already-listed directory";
        let failure = Failure::new("read_directory", "loop", MESSAGE.to_owned()).path(path);
        self.session.fail_as(failure, &format!("{}: {MESSAGE}", for_terminal(path, ":")));
        self.session.worsen(Exit::USAGE);
    }

    /// Whether a link that was to be followed is broken, which is reported. The slash makes sure
    /// that it is followed. `shown` is its path in messages.
    fn is_broken(&mut self, list: Option<&List>, path: &Path, shown: &Path) -> bool {
        let result = stat_in(&mut self.target_stat, list, &path.join(""));
        if let Err(error) = &result {
            self.fail(error, shown, list.is_none());
        }
        result.is_err()
    }

    /// Reports a failure. An operand that cannot be listed is worse than something below it.
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

/// Reads the metadata of an entry of a directory that is being listed, or of an operand.
fn stat_in(stat: &mut Stat, list: Option<&List>, path: &Path) -> Result<Metadata, Error> {
    match list {
        Some(list) => list.stat(stat, path),
        None => stat.path(path),
    }
}

/// Returns the path of a subdirectory, as headers show it.
fn header_path(dir: &OsStr, name: &OsStr) -> PathBuf {
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
    fn paths_are_joined_as_gnu_joins_them() {
        assert_eq!(display_path(".".as_ref(), "a".as_ref()), Path::new("a"));
        assert_eq!(display_path("d".as_ref(), "a".as_ref()), Path::new("d/a"));
        for (dir, path) in
            [(".", "./a"), ("d", "d/a"), ("d//", "d/a"), ("/", "/a"), ("b/d/", "b/d/a")]
        {
            let joined = header_path(dir.as_ref(), "a".as_ref());
            assert_eq!(joined, Path::new(path));
            // Elsewhere the separator is another one.
            let has_slashes = std::path::MAIN_SEPARATOR == '/';
            assert!(!has_slashes || joined.as_os_str() == path, "{joined:?}");
        }
    }
}
