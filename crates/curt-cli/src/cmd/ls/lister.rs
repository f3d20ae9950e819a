//! Goes through the operands and the directories below them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use curt::{Calls, Descent, Error, Fields, Follow, Kind, List, Metadata, Operation, Plan, Stat};

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

/// A step that is still to be done.
enum Pending {
    List {
        path: OsString,
        is_operand: bool,
    },
    /// Everything below the last of the ancestors is listed.
    Leave,
}

/// Device and inode number of a directory, if they are known.
type Identity = (Option<u64>, Option<u128>);

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
    /// Opens directories below paths that are too long for the system.
    descent: Descent,
    pending: Vec<Pending>,
    /// The length of the current operand, without slashes at its end.
    operand_length: usize,
    /// The directories that lead to the current one, if links are followed and may form a loop.
    ancestors: Vec<Identity>,
    has_headers: bool,
    is_first: bool,
    totals: Totals,
}

impl<'a> Lister<'a> {
    pub(super) fn new(settings: &'a Settings<'a>, session: &'a Session) -> Self {
        let follows = settings.follow_operands == FollowOperands::Always;
        let follow = if follows { Follow::Links } else { Follow::Never };
        let plan = settings.operand_plan();
        let descent = Descent::new();
        Lister {
            settings,
            session,
            writer: Writer::new(settings, session.screen()),
            owners: Owners::new(settings),
            collector: Collector::new(settings),
            stat: descent.asking(plan.follow(follow)),
            target_stat: descent.asking(plan.follow(Follow::Links)),
            descent,
            pending: Vec::new(),
            operand_length: 0,
            ancestors: Vec::new(),
            has_headers: true,
            is_first: true,
            totals: Totals::default(),
        }
    }

    /// Lists the operands, files first; without any, the working directory.
    pub(super) fn run(&mut self, operands: &[OsString]) {
        if operands.is_empty() && !self.settings.options.directory {
            self.has_headers = false;
            self.pending.push(Pending::List { path: ".".into(), is_operand: true });
        } else {
            self.list_operands(&operands_or_here(operands));
        }
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::List { path, is_operand } => self.list_directory(&path, is_operand),
                Pending::Leave => drop(self.ancestors.pop()),
            }
            if self.session.is_cancelled() {
                break;
            }
        }
        self.writer.finish();
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
        self.pending
            .extend(opened.map(|item| Pending::List { path: item.name.clone(), is_operand: true }));
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
        if item.kind.is_link() && follows && self.is_broken(path, true) {
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
            self.complete(&mut item, path, true);
        }
        Some(item)
    }

    /// Reports what could not be read of an entry, and reads the target of a link.
    fn complete(&mut self, item: &mut Item, path: &Path, is_operand: bool) {
        for (_, error) in item.metadata.iter().flat_map(|metadata| metadata.failures()) {
            self.fail(error, path, is_operand);
        }
        self.read_target(item, path);
    }

    /// Reads the target of a link, if it is shown.
    fn read_target(&mut self, item: &mut Item, path: &Path) {
        if !item.kind.is_link() || !self.settings.needs_targets() {
            return;
        }
        let target = self.descent.stat(&mut self.target_stat, path).ok();
        let kind = |metadata: &Metadata| metadata.kind().known().unwrap_or_default();
        item.target = target
            .filter(|metadata| !kind(metadata).is_link())
            .map(|metadata| Box::new((kind(&metadata), metadata.mode().known())));
    }

    fn list_directory(&mut self, path: &OsStr, is_operand: bool) {
        if is_operand {
            let last = path.as_encoded_bytes().iter().rposition(|&byte| byte != b'/');
            self.operand_length = last.map_or(1, |last| last + 1);
        }
        let (mut list, is_mounted) = match self.open(path, is_operand) {
            Ok(opened) => opened,
            Err(error) => return self.fail(&error, Path::new(path), is_operand),
        };
        if is_mounted && self.is_mounted_ancestor(&mut list, path) {
            return self.fail_loop(path);
        }
        if self.settings.options.recursive
            && self.settings.follows()
            && !self.enter(&mut list, path)
        {
            return;
        }
        self.totals.directories += 1;
        if (self.settings.options.recursive || self.has_headers) && !self.settings.is_json() {
            if !std::mem::take(&mut self.is_first) {
                self.session.data(b"\n");
            }
            self.writer.header(path);
        }
        if self.settings.streams() {
            self.stream(&mut list, path, is_operand);
            return self.totals.calls.add(&list.close());
        }
        let mut items = self.dots(path);
        self.read(&mut list, path, is_operand, &mut items);
        if self.settings.options.recursive && !self.settings.follows() && (is_operand || is_mounted)
        {
            self.totals.calls.add(&list.calls());
            self.descent.keep(list);
        } else {
            self.totals.calls.add(&list.close());
        }
        if self.settings.needs_targets() {
            for item in items.iter_mut().filter(|item| item.kind.is_link()) {
                let path = display_path(path, &item.name);
                self.read_target(item, &path);
            }
        }
        let sorted = order::sorted(&items, self.settings.order);
        self.totals.entries += sorted.len() as u64;
        if self.settings.has_total() && self.settings.form == Form::Listing {
            self.writer.total(&sorted);
        }
        self.write(&sorted, Some(path));
        if self.settings.options.recursive {
            self.descend(&sorted, path);
        }
        if self.pending.is_empty() {
            // The command is about to end. Freeing each name takes longer than listing a small
            // directory.
            std::mem::forget(items);
        }
    }

    /// Opens a directory. Also returns whether it is a mount point.
    fn open(&mut self, path: &OsStr, is_operand: bool) -> Result<(List, bool), Error> {
        // Below an operand, what was listed as a directory must not have become a link.
        let (directory, is_mounted) = if is_operand || self.settings.follows() {
            (self.descent.open(path)?, false)
        } else {
            self.descent.open_below(path)?
        };
        let is_shared = self.collector.detail == Detail::Columns && !self.settings.streams();
        let directory = if is_shared { directory.buffer(BUFFER)? } else { directory };
        Ok((directory.list(self.settings.plan()), is_mounted))
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
            self.check(item, path);
        }
        if let Err(error) = result {
            self.fail(&error, Path::new(path), is_operand);
        }
    }

    /// Prints each entry of a directory as soon as it is read.
    fn stream(&mut self, list: &mut List, path: &OsStr, is_operand: bool) {
        for item in self.dots(path) {
            self.show(item, path);
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
                        self.check(&mut item, path);
                        self.show(item, path);
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
    fn show(&mut self, mut item: Item, dir: &OsStr) {
        let path = display_path(dir, &item.name);
        self.read_target(&mut item, &path);
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
    fn check(&mut self, item: &mut Item, dir: &OsStr) {
        for (_, error) in item.metadata.iter().flat_map(|metadata| metadata.failures()) {
            self.fail(error, &display_path(dir, &item.name), false);
        }
        if self.settings.follows() && item.kind.is_link() {
            let path = display_path(dir, &item.name);
            if self.is_broken(&path, false) {
                *item = Item::unknown(std::mem::take(&mut item.name), item.kind);
            }
        }
    }

    /// Returns `.` and `..`, which the library does not list, if they are shown.
    fn dots(&mut self, dir: &OsStr) -> Vec<Item> {
        let mut items = Vec::new();
        if self.settings.options.hidden != Hidden::Nothing {
            return items;
        }
        for name in [".", ".."] {
            let mut item = Item::unknown(name.into(), Kind::Directory);
            if self.collector.detail != Detail::Kind {
                let path = Path::new(dir).join(name);
                match self.descent.stat(&mut self.stat, &path) {
                    Ok(metadata) => {
                        item = Item::new(name.into(), metadata, self.settings.clock());
                        self.complete(&mut item, &path, true);
                    }
                    Err(error) => self.fail(&error, &path, false),
                }
            }
            items.push(item);
        }
        items
    }

    /// Puts the directories among the entries before those that are pending.
    fn descend(&mut self, items: &[&Item], dir: &OsStr) {
        if self.settings.follows() {
            self.pending.push(Pending::Leave);
        }
        let is_below =
            |item: &&&Item| item.kind == Kind::Directory && item.name != "." && item.name != "..";
        for item in items.iter().rev().filter(is_below) {
            let path = header_path(dir, &item.name).into_os_string();
            self.pending.push(Pending::List { path, is_operand: false });
        }
    }

    /// Adds a directory to the ancestors. Returns `false`, and reports it, if a link led back to
    /// one of them.
    fn enter(&mut self, list: &mut List, path: &OsStr) -> bool {
        // Without an identity nothing can be compared, but paths have a longest length anyway.
        let identity = identity_of(list).unwrap_or_default();
        if identity != Identity::default() && self.ancestors.contains(&identity) {
            self.fail_loop(path);
            return false;
        }
        self.ancestors.push(identity);
        true
    }

    /// Whether what is mounted at a path is one of the directories above it.
    fn is_mounted_ancestor(&mut self, list: &mut List, path: &OsStr) -> bool {
        let Some(mounted) = identity_of(list) else {
            return false;
        };
        let mut stat = Stat::new(Plan::new(IDENTITY).follow(Follow::Links));
        let ancestors = Path::new(path).ancestors().skip(1);
        let is_ancestor =
            ancestors.take_while(|ancestor| ancestor.as_os_str().len() >= self.operand_length).any(
                |ancestor| stat.path(ancestor).is_ok_and(|metadata| identity(&metadata) == mounted),
            );
        self.totals.calls.add(&stat.calls());
        is_ancestor
    }

    fn fail_loop(&mut self, path: &OsStr) {
        const MESSAGE: &str = "not listing already-listed directory";
        self.session.fail_as(
            || Failure::new("read_directory", "loop", MESSAGE.to_owned()).path(path),
            || format!("{}: {MESSAGE}", for_terminal(path, ":")),
        );
        self.session.worsen(Exit::USAGE);
    }

    /// Whether a link that was to be followed is broken, which is reported. The slash makes sure
    /// that it is followed.
    fn is_broken(&mut self, path: &Path, is_operand: bool) -> bool {
        let result = self.descent.stat(&mut self.target_stat, path.join(""));
        if let Err(error) = &result {
            self.fail(error, path, is_operand);
        }
        result.is_err()
    }

    /// Reports a failure. An operand that cannot be listed is worse than something below it.
    fn fail(&self, error: &Error, path: &Path, is_operand: bool) {
        let message = || {
            let (path, reason) = (quote(path), text::reason(error.cause()));
            match error.operation() {
                Operation::ReadDirectory => format!("reading directory {path}: {reason}"),
                operation => format!("cannot {} {path}: {reason}", operation.verb()),
            }
        };
        self.session.fail_as(|| Failure::from(error), message);
        if is_operand {
            self.session.worsen(Exit::USAGE);
        }
    }
}

const IDENTITY: Fields = Fields::DEVICE.union(Fields::ID);

fn identity(metadata: &Metadata) -> Identity {
    (metadata.device().known(), metadata.id().known())
}

fn identity_of(list: &mut List) -> Option<Identity> {
    list.directory(IDENTITY).ok().map(|metadata| identity(&metadata))
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
