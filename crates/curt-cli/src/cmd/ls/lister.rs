//! Goes through the operands and the directories below them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use curt::{
    Calls, Cause, Descent, Directory, Entry, Error, Fields, Follow, Kind, List, Metadata,
    Operation, Stat, Threads,
};

use super::PROGRAM;
use super::item::Item;
use super::order;
use super::owners::Owners;
use super::settings::{Form, Hidden, Marks, Operands, Settings};
use super::shown::Writer;
use crate::args::Clock;
use crate::exit::Exit;
use crate::out::json::Failure;
use crate::out::text;
use crate::quote::{for_terminal, quote};
use crate::session::Session;

/// The buffer of a listing whose entries several threads ask about: these share out what it holds,
/// and begin and end with it. What it does not need of it is never touched.
const BUFFER: usize = 256 << 10;

/// What was done in all.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) entries: u64,
    pub(super) directories: u64,
    pub(super) calls: Calls,
    pub(super) exit: Exit,
}

/// A listing under way.
pub(super) struct Lister<'a> {
    settings: &'a Settings,
    writer: Writer<'a>,
    session: &'a Session,
    owners: Owners,
    /// For operands, and for the two entries that listings leave out.
    stat: Stat,
    /// For what links lead to.
    follow: Stat,
    /// Opens the operands and the directories below them.
    descent: Descent,
    /// The operands that are still to be listed, the last one first.
    pending: Vec<OsString>,
    keeps: Keeps,
    has_headers: bool,
    is_first: bool,
    totals: Totals,
}

impl<'a> Lister<'a> {
    pub(super) fn new(settings: &'a Settings, session: &'a Session) -> Self {
        let follows = settings.operands == Operands::Followed || settings.follow;
        let follow = if follows { Follow::Links } else { Follow::Never };
        let plan = settings.operand_plan();
        let descent = Descent::new().follow_links(settings.follow && settings.recursive);
        Lister {
            keeps: Keeps::new(settings),
            settings,
            writer: Writer::new(settings, session.screen()),
            session,
            owners: Owners::new(settings),
            stat: descent.asking(plan.follow(follow)),
            follow: descent.asking(plan.follow(Follow::Links)),
            descent,
            pending: Vec::new(),
            has_headers: true,
            is_first: true,
            totals: Totals::default(),
        }
    }

    /// Lists the operands, files first; without any, the working directory.
    pub(super) fn run(&mut self, operands: &[OsString]) {
        let here = [OsString::from(".")];
        if operands.is_empty() && !self.settings.themselves {
            self.has_headers = false;
            self.pending.push(".".into());
        } else {
            self.operands(if operands.is_empty() { &here } else { operands });
        }
        while let Some(operand) = self.pending.pop() {
            self.tree(&operand);
            if self.session.is_over() {
                break;
            }
        }
        self.writer.finish();
    }

    /// Lists an operand, and the directories below it if they are wanted.
    fn tree(&mut self, operand: &OsStr) {
        let opened = self.descent.open(operand);
        self.directory(operand, opened, true);
        while !self.session.is_over() {
            let Some(opened) = self.descent.next() else { return };
            let path = opened.as_ref().map_or_else(Error::path, Directory::path);
            let path = match path.strip_prefix(operand) {
                Ok(relative) => below(operand, relative.as_os_str()).into_os_string(),
                Err(_) => path.as_os_str().to_owned(),
            };
            self.directory(&path, opened, false);
        }
    }

    /// What was done.
    pub(super) fn totals(mut self) -> Totals {
        self.totals.calls.add(&self.stat.calls());
        self.totals.calls.add(&self.follow.calls());
        self.totals.calls.add(&self.descent.finish());
        self.totals
    }

    fn operands(&mut self, operands: &[OsString]) {
        let items: Vec<Item> = operands.iter().filter_map(|name| self.operand(name)).collect();
        let items = order::sorted(&items, self.settings.order);
        let shown = items.iter().filter(|item| !item.is_opened).count();
        let opened = items.iter().rev().filter(|item| item.is_opened);
        self.pending.extend(opened.map(|item| item.name.clone()));
        if shown > 0 {
            self.totals.entries += shown as u64;
            // As in GNU ls, columns are wide enough for the directories too, which are not shown.
            self.write(&items, None);
            if !self.pending.is_empty() && !self.is_json() {
                self.session.data(b"\n");
            }
        } else if operands.len() <= 1 && self.pending.len() == 1 {
            self.has_headers = false;
        }
    }

    fn operand(&mut self, name: &OsStr) -> Option<Item> {
        let settings = self.settings;
        let path = Path::new(name);
        let metadata = match self.stat.path(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.fail(&error, path, true);
                return None;
            }
        };
        let mut item = Item::new(name.to_owned(), metadata, settings.clock);
        let follows = settings.operands == Operands::Followed;
        if item.kind.is_link() && follows && self.is_broken(None, path, path) {
            return None;
        }
        if item.kind.is_link() && settings.operands == Operands::Directories {
            // A link to a directory stands for the directory. Others are what they are.
            let followed = self.follow.path(path).ok();
            let followed =
                followed.map(|metadata| Item::new(name.to_owned(), metadata, settings.clock));
            item = followed.filter(|item| item.kind == Kind::Directory).unwrap_or(item);
        }
        item.is_opened = item.kind == Kind::Directory && !settings.themselves;
        if !item.is_opened {
            self.complete(&mut item, None, path);
        }
        Some(item)
    }

    /// Finds out the rest that is to be shown of an operand, or of one of the two entries that
    /// listings leave out. `path` is for messages.
    fn complete(&mut self, item: &mut Item, list: Option<&List>, path: &Path) {
        if let Some(metadata) = &item.metadata {
            for (_, error) in metadata.failures() {
                report(&mut self.totals, self.session, error, path, true);
            }
        }
        self.find_target(item, list);
    }

    /// Finds out what a link leads to, if that is to be shown.
    fn find_target(&mut self, item: &mut Item, list: Option<&List>) {
        if !item.kind.is_link() || !self.settings.asks_for_targets() {
            return;
        }
        let followed = ask(&mut self.follow, list, Path::new(&item.name)).ok();
        let kind = |metadata: &Metadata| metadata.kind().known().unwrap_or_default();
        item.target = followed
            .filter(|metadata| !kind(metadata).is_link())
            .map(|metadata| Box::new((kind(&metadata), metadata.mode().known())));
    }

    fn directory(&mut self, path: &OsStr, opened: Result<Directory, Error>, is_operand: bool) {
        let opened = opened.and_then(|directory| match self.keeps {
            Keeps::Columns if !self.settings.streams() => directory.buffer(BUFFER),
            _ => Ok(directory),
        });
        let mut list = match opened {
            Ok(directory) => directory.list(self.settings.plan()),
            Err(error) if matches!(error.cause(), Cause::Loop) => return self.listed_already(path),
            Err(error) => return self.fail(&error, Path::new(path), is_operand),
        };
        self.totals.directories += 1;
        if (self.settings.recursive || self.has_headers) && !self.is_json() {
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
            self.find_target(item, Some(&list));
        }
        let sorted = order::sorted(&items, self.settings.order);
        self.totals.entries += sorted.len() as u64;
        if self.settings.has_total() && self.settings.form == Form::Listing {
            self.writer.total(&sorted);
        }
        self.write(&sorted, Some(path));
        if self.settings.recursive {
            self.descend(list, &sorted, path);
        } else {
            self.totals.calls.add(&list.close());
        }
        if self.pending.is_empty() && !self.settings.recursive {
            // The command is about to end. Giving back each name by itself takes longer than
            // listing a small directory.
            std::mem::forget(items);
        }
    }

    /// Reads the entries of a directory.
    fn read(&mut self, list: &mut List, path: &OsStr, is_operand: bool, items: &mut Vec<Item>) {
        let begin = items.len();
        let (settings, teller) = (self.settings, self.teller());
        let read = list.gather(
            self.keeps.threads(settings),
            items,
            |name| settings.shows(name).then(|| Item::unknown(name.to_owned(), Kind::Unknown)),
            |item, entry| teller.tell(item, entry),
        );
        for item in &mut items[begin..] {
            self.settle(item, list, path);
        }
        if let Err(error) = read {
            self.fail(&error, Path::new(path), is_operand);
        }
    }

    /// Shows each entry of a directory at once, where nothing has to be waited for.
    fn stream(&mut self, list: &mut List, path: &OsStr, is_operand: bool) {
        for item in self.dots(list, path) {
            self.show(item, list, path);
        }
        while !self.session.is_over() {
            let failed = match list.next() {
                None => break,
                Some(Err(error)) => Some(error),
                Some(Ok(entry)) => {
                    let name = entry.to_name();
                    if self.settings.shows(&name) {
                        let mut item = Item::unknown(name, Kind::Unknown);
                        self.teller().tell(&mut item, entry);
                        self.settle(&mut item, list, path);
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

    fn teller(&self) -> Teller {
        let Settings { clock, marks, .. } = *self.settings;
        Teller { wants_mode: marks == Marks::All, clock, keeps: self.keeps }
    }

    /// Shows an entry of a directory by itself.
    fn show(&mut self, mut item: Item, list: &List, dir: &OsStr) {
        self.find_target(&mut item, Some(list));
        self.totals.entries += 1;
        self.write(&[&item], Some(dir));
    }

    /// Shows entries, with the names of their owners.
    fn write(&mut self, items: &[&Item], dir: Option<&OsStr>) {
        self.owners.learn(items);
        self.writer.items(items, dir, &self.owners);
    }

    /// Says what failed of an entry of a directory, and leaves of a link that was to be followed
    /// and leads nowhere only its name and its kind.
    fn settle(&mut self, item: &mut Item, list: &List, dir: &OsStr) {
        for (_, error) in item.metadata.iter().flat_map(|metadata| metadata.failures()) {
            let path = attach(dir, &item.name);
            report(&mut self.totals, self.session, error, &path, false);
        }
        if self.settings.follow && item.kind.is_link() {
            let path = attach(dir, &item.name);
            if self.is_broken(Some(list), Path::new(&item.name), &path) {
                *item = Item::unknown(std::mem::take(&mut item.name), item.kind);
            }
        }
    }

    /// The two entries that listings leave out, if they are to be shown.
    fn dots(&mut self, list: &List, dir: &OsStr) -> Vec<Item> {
        let mut items = Vec::new();
        if self.settings.hidden != Hidden::Nothing {
            return items;
        }
        for name in [".", ".."] {
            let path = Path::new(dir).join(name);
            if self.keeps == Keeps::Nothing {
                items.push(Item::unknown(name.into(), Kind::Directory));
                continue;
            }
            // By its path, as GNU ls does; below a path that is too long, from the open directory.
            let asked = self.stat.path(&path);
            match asked.or_else(|error| list.stat(&mut self.stat, name).map_err(|_| error)) {
                Ok(metadata) => {
                    let mut item = Item::new(name.into(), metadata, self.settings.clock);
                    self.complete(&mut item, Some(list), &path);
                    items.push(item);
                }
                Err(error) => {
                    self.fail(&error, &path, false);
                    items.push(Item::unknown(name.into(), Kind::Directory));
                }
            }
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

    fn listed_already(&mut self, path: &OsStr) {
        const WHAT: &str = "not listing already-listed directory";
        if self.is_json() {
            let failure = Failure::new("read_directory", "loop", WHAT.to_owned());
            self.session.object(failure.path(Path::new(path)).alone());
        } else {
            let shown = for_terminal(path, ":");
            self.session.message(&format!("{PROGRAM}: {shown}: {WHAT}\n"));
        }
        self.session.count_errors(1);
        self.totals.exit = Exit::USAGE;
    }

    fn is_json(&self) -> bool {
        matches!(self.settings.form, Form::Json(_))
    }

    /// Whether a link that was to be followed cannot be; if so, reports why. With a slash behind
    /// it, it does not stand for itself. `shown` is its path in messages.
    fn is_broken(&mut self, list: Option<&List>, path: &Path, shown: &Path) -> bool {
        let Err(error) = ask(&mut self.follow, list, &path.join("")) else {
            return false;
        };
        self.fail(&error, shown, list.is_none());
        true
    }

    fn fail(&mut self, error: &Error, path: &Path, is_operand: bool) {
        report(&mut self.totals, self.session, error, path, is_operand);
    }
}

/// What several threads at once need in order to tell of the entries of a directory.
struct Teller {
    /// Files are marked by their mode.
    wants_mode: bool,
    clock: Clock,
    keeps: Keeps,
}

impl Teller {
    /// Adds what was found out about an entry.
    fn tell(&self, item: &mut Item, mut entry: Entry<'_>) {
        item.kind = entry.metadata().kind().known().unwrap_or_default();
        if self.wants_mode && item.kind == Kind::File {
            entry.fetch(Fields::MODE);
        }
        let metadata = entry.metadata();
        if self.keeps != Keeps::Nothing {
            item.columns.take(metadata, self.clock);
        }
        let has_more = metadata.target().known().is_some()
            || metadata.user().known().is_some()
            || metadata.group().known().is_some()
            || metadata.failures().next().is_some();
        if self.keeps == Keeps::All || has_more {
            item.metadata = Some(Box::new(entry.into_metadata()));
        }
    }
}

/// What is kept of an entry beside its name and its kind, and beside what few entries have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    Nothing,
    Columns,
    All,
}

impl Keeps {
    fn new(settings: &Settings) -> Keeps {
        let fields = settings.plan().fields();
        if settings.form != Form::Listing || fields.intersects(Fields::ID | Fields::ACL) {
            return Keeps::All;
        }
        let is_plain = fields.without(Fields::NAME | Fields::KIND).is_empty();
        if is_plain && settings.marks != Marks::All { Keeps::Nothing } else { Keeps::Columns }
    }

    /// How many threads ask. What they allocate for each entry, their allocator gets from the
    /// system in so small pieces that it costs more than they bring.
    fn threads(self, settings: &Settings) -> Threads {
        match settings.threads {
            Threads::Automatic if self == Keeps::All => Threads::AtMost(1),
            threads => threads,
        }
    }
}

/// Says what failed. What was asked for by name counts for more than what lies below it.
fn report(totals: &mut Totals, session: &Session, error: &Error, path: &Path, is_operand: bool) {
    if is_operand {
        totals.exit = Exit::USAGE;
    } else if totals.exit == Exit::SUCCESS {
        totals.exit = Exit::FAILURE;
    }
    session.fail_as(error, || {
        let (path, reason) = (quote(path), text::reason(error.cause()));
        match error.operation() {
            Operation::ReadDirectory => format!("{PROGRAM}: reading directory {path}: {reason}\n"),
            operation => format!("{PROGRAM}: cannot {} {path}: {reason}\n", operation.verb()),
        }
    });
}

/// Asks about an entry of a directory that is being listed, or about an operand.
fn ask(stat: &mut Stat, list: Option<&List>, path: &Path) -> Result<Metadata, Error> {
    match list {
        Some(list) => list.stat(stat, path),
        None => stat.path(path),
    }
}

/// The path of an entry as messages show it: in the working directory, its name alone.
pub(super) fn attach(dir: &OsStr, name: &OsStr) -> PathBuf {
    if dir == "." { PathBuf::from(name) } else { Path::new(dir).join(name) }
}

/// The path of a directory in another one, as headers show it.
fn below(dir: &OsStr, name: &OsStr) -> PathBuf {
    let trimmed = dir.as_encoded_bytes();
    let end = trimmed.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let components = Path::new(dir);
    if end == 0 || end == trimmed.len() {
        return components.join(name);
    }
    crate::sys::name_from_bytes(&trimmed[..end])
        .map_or_else(|| components.join(name), |dir| Path::new(&dir).join(name))
}

#[cfg(test)]
mod tests {
    use super::{attach, below};
    use std::path::Path;

    #[test]
    fn paths_are_put_together_as_gnu_does() {
        assert_eq!(attach(".".as_ref(), "a".as_ref()), Path::new("a"));
        assert_eq!(attach("d".as_ref(), "a".as_ref()), Path::new("d/a"));
        for (dir, path) in
            [(".", "./a"), ("d", "d/a"), ("d//", "d/a"), ("/", "/a"), ("b/d/", "b/d/a")]
        {
            let joined = below(dir.as_ref(), "a".as_ref());
            assert_eq!(joined, Path::new(path));
            // The separator itself is the system's.
            let is_own = std::path::MAIN_SEPARATOR == '/';
            assert!(!is_own || joined.as_os_str() == path, "{joined:?}");
        }
    }
}
