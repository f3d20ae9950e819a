//! Goes through the operands and the directories below them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use curt::{
    Calls, Descent, Entry, Error, Fields, Follow, Kind, List, Metadata, Operation, Plan, Stat,
    Threads,
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

/// A directory that waits to be listed.
enum Pending {
    Directory {
        path: OsString,
        is_operand: bool,
    },
    /// Everything below the last directory on the way is listed.
    Leave,
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
    /// Opens what lies deeper than a path may be long.
    descent: Descent,
    pending: Vec<Pending>,
    /// How long the path of the operand is that is being listed, without slashes at its end.
    operand: usize,
    /// The directories that lead to the one being listed, where links may make a circle.
    way: Vec<(Option<u64>, Option<u128>)>,
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
        let descent = Descent::new();
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
            operand: 0,
            way: Vec::new(),
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
            self.pending.push(Pending::Directory { path: ".".into(), is_operand: true });
        } else {
            self.operands(if operands.is_empty() { &here } else { operands });
        }
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Directory { path, is_operand } => self.directory(&path, is_operand),
                Pending::Leave => drop(self.way.pop()),
            }
            if self.session.is_over() {
                break;
            }
        }
        self.writer.finish();
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
        self.pending.extend(
            opened.map(|item| Pending::Directory { path: item.name.clone(), is_operand: true }),
        );
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
        if item.kind.is_link() && follows && self.leads_nowhere(path, true) {
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
            self.complete(&mut item, path);
        }
        Some(item)
    }

    /// Finds out the rest that is to be shown of an operand, or of one of the two entries that
    /// listings leave out.
    fn complete(&mut self, item: &mut Item, path: &Path) {
        if let Some(metadata) = &item.metadata {
            for (_, error) in metadata.failures() {
                report(&mut self.totals, self.session, error, path, true);
            }
        }
        self.find_target(item, path);
    }

    /// Finds out what a link leads to, if that is to be shown.
    fn find_target(&mut self, item: &mut Item, path: &Path) {
        if !item.kind.is_link() || !self.settings.asks_for_targets() {
            return;
        }
        let followed = self.descent.stat(&mut self.follow, path).ok();
        let kind = |metadata: &Metadata| metadata.kind().known().unwrap_or_default();
        item.target = followed
            .filter(|metadata| !kind(metadata).is_link())
            .map(|metadata| Box::new((kind(&metadata), metadata.mode().known())));
    }

    fn directory(&mut self, path: &OsStr, is_operand: bool) {
        if is_operand {
            let trimmed = path.as_encoded_bytes().iter().rposition(|&byte| byte != b'/');
            self.operand = trimmed.map_or(1, |last| last + 1);
        }
        // Below an operand, what was listed as a directory must not lead anywhere else by now.
        let opened = if is_operand || self.settings.follow {
            self.descent.open(path).map(|directory| (directory, false))
        } else {
            self.descent.open_below(path)
        };
        let opened = opened.and_then(|(directory, is_mounted)| match self.keeps {
            Keeps::Columns if !self.settings.streams() => {
                Ok((directory.buffer(BUFFER)?, is_mounted))
            }
            _ => Ok((directory, is_mounted)),
        });
        let (mut list, is_mounted) = match opened {
            Ok((directory, is_mounted)) => (directory.list(self.settings.plan()), is_mounted),
            Err(error) => return self.fail(&error, Path::new(path), is_operand),
        };
        if is_mounted && self.is_above(&mut list, path) {
            return self.listed_already(path);
        }
        if self.settings.recursive && self.settings.follow && !self.enter(&mut list, path) {
            return;
        }
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
        let mut items = self.dots(path);
        self.read(&mut list, path, is_operand, &mut items);
        if self.settings.recursive && !self.settings.follow && (is_operand || is_mounted) {
            self.totals.calls.add(&list.calls());
            self.descent.keep(list);
        } else {
            self.totals.calls.add(&list.close());
        }
        for item in &mut items {
            if item.kind.is_link() && self.settings.asks_for_targets() {
                let path = attach(path, &item.name);
                self.find_target(item, &path);
            }
        }
        let sorted = order::sorted(&items, self.settings.order);
        self.totals.entries += sorted.len() as u64;
        if self.settings.has_total() && self.settings.form == Form::Listing {
            self.writer.total(&sorted);
        }
        self.write(&sorted, Some(path));
        if self.settings.recursive {
            self.descend(&sorted, path);
        }
        if self.pending.is_empty() {
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
            self.settle(item, path);
        }
        if let Err(error) = read {
            self.fail(&error, Path::new(path), is_operand);
        }
    }

    /// Shows each entry of a directory at once, where nothing has to be waited for.
    fn stream(&mut self, list: &mut List, path: &OsStr, is_operand: bool) {
        for item in self.dots(path) {
            self.show(item, path);
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
                        self.settle(&mut item, path);
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

    fn teller(&self) -> Teller {
        let Settings { clock, marks, .. } = *self.settings;
        Teller { wants_mode: marks == Marks::All, clock, keeps: self.keeps }
    }

    /// Shows an entry of a directory by itself.
    fn show(&mut self, mut item: Item, dir: &OsStr) {
        let path = attach(dir, &item.name);
        self.find_target(&mut item, &path);
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
    fn settle(&mut self, item: &mut Item, dir: &OsStr) {
        for (_, error) in item.metadata.iter().flat_map(|metadata| metadata.failures()) {
            let path = attach(dir, &item.name);
            report(&mut self.totals, self.session, error, &path, false);
        }
        if self.settings.follow && item.kind.is_link() {
            let path = attach(dir, &item.name);
            if self.leads_nowhere(&path, false) {
                *item = Item::unknown(std::mem::take(&mut item.name), item.kind);
            }
        }
    }

    /// The two entries that listings leave out, if they are to be shown.
    fn dots(&mut self, dir: &OsStr) -> Vec<Item> {
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
            match self.descent.stat(&mut self.stat, &path) {
                Ok(metadata) => {
                    let mut item = Item::new(name.into(), metadata, self.settings.clock);
                    self.complete(&mut item, &path);
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

    /// Puts the directories among the entries at the head of those that wait.
    fn descend(&mut self, items: &[&Item], dir: &OsStr) {
        if self.settings.follow {
            self.pending.push(Pending::Leave);
        }
        let is_below =
            |item: &&&Item| item.kind == Kind::Directory && item.name != "." && item.name != "..";
        for item in items.iter().rev().filter(is_below) {
            let path = below(dir, &item.name).into_os_string();
            self.pending.push(Pending::Directory { path, is_operand: false });
        }
    }

    /// Notes that a directory is being listed; `false`, said aloud, if it is listed already and a
    /// link led back to it.
    fn enter(&mut self, list: &mut List, path: &OsStr) -> bool {
        let Ok(metadata) = list.directory(Fields::DEVICE | Fields::ID) else {
            // Without an identity nothing can be compared; paths have an end all the same.
            self.way.push((None, None));
            return true;
        };
        let identity = (metadata.device().known(), metadata.id().known());
        if self.way.contains(&identity) {
            self.listed_already(path);
            return false;
        }
        self.way.push(identity);
        true
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

    /// Whether what is mounted at a path is one of the directories above it.
    fn is_above(&mut self, list: &mut List, path: &OsStr) -> bool {
        let fields = Fields::DEVICE | Fields::ID;
        let identity = |metadata: &Metadata| (metadata.device().known(), metadata.id().known());
        let Ok(mounted) = list.directory(fields).map(|metadata| identity(&metadata)) else {
            return false;
        };
        let mut stat = Stat::new(Plan::new(fields).follow(Follow::Links));
        let above = Path::new(path).ancestors().skip(1);
        let operand = self.operand;
        let mut above = above.take_while(|above| above.as_os_str().len() >= operand);
        let is_above = above
            .any(|above| stat.path(above).is_ok_and(|metadata| identity(&metadata) == mounted));
        self.totals.calls.add(&stat.calls());
        is_above
    }

    fn is_json(&self) -> bool {
        matches!(self.settings.form, Form::Json(_))
    }

    /// A link that was to be followed leads nowhere: says why. With a slash behind it, it is not
    /// told of as the link that it is.
    fn leads_nowhere(&mut self, path: &Path, is_operand: bool) -> bool {
        let Err(error) = self.descent.stat(&mut self.follow, path.join("")) else {
            return false;
        };
        self.fail(&error, path, is_operand);
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
