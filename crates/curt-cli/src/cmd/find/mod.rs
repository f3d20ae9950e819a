//! `curt find`: finds entries, as fd does, and prints them, removes them or runs commands for them.
//!
//! [`run`] makes a [`Find`], which walks; each of its threads is a [`Finder`], which tests an
//! entry and acts on it. `matcher` holds the tests (`names`, `kinds`, `size`, `when`,
//! `owner`, `permissions`); `lines` writes an entry (`template`), `results` puts entries in order,
//! `exec` runs commands, and `hints` says how to delete what was left.

mod exec;
mod hints;
mod kinds;
mod lines;
mod matcher;
mod names;
mod owner;
mod permissions;
mod results;
mod size;
mod template;
mod when;

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use curt::fields::Follow;
use curt::filters::IgnoreRules;
use curt::walk::{Summary, Visited};
use curt::{Error, Fields, Kind, Next, SameFileSystem, Threads, Walk};

use super::exclude::Exclusions;
use super::operands_or_here;
use crate::args::{FindOptions, LsOptions, When};
use crate::exit::Exit;
use crate::out;
use crate::out::failure::Failure;
use crate::out::json::Object;
use crate::out::text;
use crate::quote::quote;
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};
use exec::Commands;
use hints::Hints;
use lines::Lines;
use matcher::Matcher;
use results::{Found, Results};

/// The name of fd's own ignore files.
const FDIGNORE: &str = ".fdignore";

/// What a removal changes of the directory around it.
const TIMES: Fields = Fields::MODIFIED.union(Fields::CHANGED).union(Fields::ACCESSED);

/// How many paths may wait for commands.
const WAITING: usize = 1024;

/// How many entries a thread visits before it looks at the clock: few, because each can take long
/// on a network.
const PACE: u32 = 16;

/// How many bytes a thread collects before it prints them: enough to be written as they are.
const CHUNK: usize = 2 * out::BUFFER;

/// Runs the command.
pub(crate) fn run(options: &FindOptions) -> Exit {
    let session = options.output.session("curt find");
    if let Some(directory) = &options.base_directory {
        if let Err(error) = sys::change_directory(directory) {
            let (directory, reason) = (quote(directory), sys::error_text(&error));
            return session.refuse(&format!("cannot change to {directory}: {reason}"));
        }
    }
    match Find::new(options, &session) {
        Ok(find) => {
            interrupt::listen();
            find.run()
        }
        Err(message) => session.refuse(&message),
    }
}

/// The action for an entry that is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    /// It is only counted.
    Count,
    Print,
    /// It is removed or, in a dry run, printed if it would be.
    Remove,
    /// Commands are run for it.
    Run,
    /// It is kept, for commands or a listing at the end.
    Keep,
}

impl Action {
    fn new(options: &FindOptions) -> Action {
        if options.quiet {
            Action::Count
        } else if options.delete {
            Action::Remove
        } else if !options.exec.is_empty() {
            Action::Run
        } else if !options.exec_batch.is_empty() || options.list_details {
            Action::Keep
        } else {
            Action::Print
        }
    }
}

/// A search, shared by its threads.
struct Find<'a> {
    options: &'a FindOptions,
    session: &'a Session,
    /// The operands, in full if full paths are printed.
    operands: Vec<PathBuf>,
    exclusions: Exclusions,
    matcher: Matcher,
    /// The metadata that is read of entries that may match.
    fields: Fields,
    action: Action,
    lines: Lines,
    results: Results<'a>,
    commands: Commands<'a>,
    hints: Hints,
    /// How many entries were found, where their number is limited.
    taken: AtomicU64,
    /// How many were found and removed by the threads that ended.
    found: AtomicU64,
    removed: AtomicU64,
    /// Of those that were removed, the directories.
    directories: AtomicU64,
}

impl<'a> Find<'a> {
    /// The error is a message about the options.
    fn new(options: &'a FindOptions, session: &'a Session) -> Result<Find<'a>, String> {
        hints::check_pattern(options)?;
        let matcher = Matcher::new(options)?;
        let action = Action::new(options);
        let lines = Lines::new(options, session)?;
        let prints = action == Action::Print || options.dry_run;
        let printed = if prints { lines.fields() } else { Fields::NONE };
        let results = Results::new(options, session, action == Action::Keep);
        let commands = Commands::new(options, session)?;
        let mut operands = operands(options, session);
        let exclusions = Exclusions::new(&options.exclude)?;
        operands.retain(|operand| !exclusions.match_whole(operand));
        Ok(Find {
            options,
            session,
            operands,
            exclusions,
            fields: matcher.fields() | printed | results.fields(),
            matcher,
            action,
            lines,
            results,
            commands,
            hints: Hints::default(),
            taken: AtomicU64::new(0),
            found: AtomicU64::new(0),
            removed: AtomicU64::new(0),
            directories: AtomicU64::new(0),
        })
    }

    fn run(&self) -> Exit {
        let walk = self.walk();
        if !self.commands.are_none() {
            sys::pass_signals_on(self.commands.runners);
        }
        let summary = if self.commands.runners > 1 {
            self.run_commands_beside(&walk)
        } else {
            walk.visit_with(|| Finder::new(self, None), Finder::take).0
        };
        let held = self.results.sorted();
        match self.action {
            Action::Keep if self.options.list_details => self.list(held),
            Action::Keep => self.commands.run_for_all(held),
            _ => held.iter().for_each(|found| self.session.data(&found.line)),
        }
        self.finish(&summary)
    }

    /// Builds the library's `Walk`.
    fn walk(&self) -> Walk<'_> {
        let options = self.options;
        let follow = match (options.follow, self.action) {
            (true, _) => Follow::Links,
            // Only a slash says that an operand is meant to be followed, as in GNU find.
            (false, Action::Remove) => Follow::Never,
            (false, _) => Follow::CommandLine,
        };
        let same_file_system =
            if options.has_own_boundary() { SameFileSystem::Mount } else { SameFileSystem::No };
        // Where every entry is printed, its metadata is read with its name; elsewhere only if it
        // may match. The times of a directory are read before its contents are removed.
        let is_any = self.matcher.matches_all() && options.min_depth.is_none()
            || self.action == Action::Remove && self.fields.intersects(TIMES);
        let mut walk = Walk::new(self.operands.as_slice())
            .fields(if is_any { self.fields } else { Fields::NAME })
            .follow(follow)
            .max_depth(options.max_depth.unwrap_or(usize::MAX))
            .same_file_system(options.one_file_system.unwrap_or(same_file_system))
            .contents_first(options.contents_first)
            .dry_run(options.dry_run)
            .threads(options.threads.unwrap_or(Threads::Automatic))
            .cancel(self.session.cancel());
        if let Some(rules) = rules(options) {
            walk = walk.ignore(rules);
        }
        if !self.exclusions.are_empty() {
            walk = walk.exclude(|entry| self.exclusions.match_entry(entry));
        }
        // Removing entries while they are listed might hide later ones.
        walk = walk.sort_by_name(self.action == Action::Remove);
        if let Some(budget) = sys::raise_descriptor_limit() {
            walk = walk.descriptors(budget);
        }
        options.without.features.iter().copied().fold(walk, Walk::without)
    }

    /// Searches, while other threads run commands for the entries found so far.
    fn run_commands_beside(&self, walk: &Walk<'_>) -> Summary {
        let (sender, receiver) = mpsc::sync_channel::<PathBuf>(WAITING);
        let receiver = Mutex::new(receiver);
        let run = || {
            loop {
                let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                match next {
                    Ok(path) if !self.session.is_cancelled() => self.commands.run(path),
                    Ok(_) => {}
                    Err(mpsc::RecvError) => return,
                }
            }
        };
        thread::scope(|scope| {
            let start = |_: &usize| thread::Builder::new().spawn_scoped(scope, run).is_ok();
            let has_runners = (0..self.commands.runners).take_while(start).count() > 0;
            // Without one, whoever finds an entry runs its commands.
            let sender = has_runners.then_some(sender);
            let summary = walk.visit_with(|| Finder::new(self, sender.clone()), Finder::take).0;
            drop(sender);
            summary
        })
    }

    /// Counts an entry. Returns whether it is one too many, and whether it is the last.
    fn count(&self) -> (bool, bool) {
        // The first ones of an order are known at the end.
        let is_open =
            self.results.is_ordered && matches!(self.action, Action::Print | Action::Keep);
        let most = self.options.max_results.filter(|&most| most > 0 && !is_open);
        let most = if self.action == Action::Count { Some(1) } else { most };
        let Some(most) = most else { return (false, false) };
        let before = self.taken.fetch_add(1, Ordering::Relaxed);
        (before >= most, before + 1 >= most)
    }

    /// Prints a long listing of the entries found.
    fn list(&self, found: Vec<Found>) {
        // Without operands, the working directory would be listed.
        if found.is_empty() || interrupt::signal().is_some() {
            return;
        }
        let operands = found.into_iter().map(|found| found.path.into_os_string()).collect();
        let FindOptions { color, hyperlink, output, .. } = *self.options;
        let color = color.unwrap_or(When::Auto);
        let options = LsOptions::details(operands, color, hyperlink, output);
        if super::ls::run(&options) != Exit::SUCCESS {
            self.session.count_failure();
        }
    }

    fn finish(&self, summary: &Summary) -> Exit {
        let Find { options, session, .. } = self;
        let is_done =
            self.commands.have_given_up() || options.max_results.is_some() || options.quiet;
        let is_cut = session.screen().is_cut();
        let is_cancelled = is_cut || interrupt::signal().is_some() || summary.stopped && !is_done;
        // Of an order, only the first ones were printed.
        let most = options.max_results.filter(|&most| most > 0).unwrap_or(u64::MAX);
        let found = self.found.load(Ordering::Relaxed).min(most);
        self.hints.show(session);
        let entries = text::counted(summary.entries, "entry", "entries");
        let mut done = format!("{found} of {entries} found");
        let mut fields = Object::new().number("found", found).number("visited", summary.entries);
        let removed = self.removed.load(Ordering::Relaxed);
        if options.dry_run {
            let directories = self.directories.load(Ordering::Relaxed);
            let removed = text::files_and_directories(removed - directories, directories);
            let would = text::would_remove(&removed, summary.freed);
            // Standard output holds paths alone.
            if !is_cancelled {
                session.note(&would);
            }
            fields = fields.number("bytes", summary.freed);
        } else if self.action == Action::Remove {
            done = format!("{done}, {removed} removed");
            fields = fields.number("removed", removed);
        }
        let fields = fields
            .number("errors", session.errors())
            .boolean("interrupted", is_cancelled)
            .number("threads", summary.threads as u64);
        let exit = session.finish(Outcome {
            summary: Some(fields),
            done: text::with_threads(&done, summary.threads),
            calls: summary.calls,
            is_cancelled,
        });
        match (options.quiet, found > 0) {
            // As in grep, the answer counts, and not failures beside it.
            (true, true) if exit == Exit::FAILURE => Exit::SUCCESS,
            (true, false) if exit == Exit::SUCCESS => Exit::FAILURE,
            _ => exit,
        }
    }
}

/// Returns the directories to search. One without a full path, if that is wanted, is reported.
fn operands(options: &FindOptions, session: &Session) -> Vec<PathBuf> {
    let operands = operands_or_here(&options.operands).into_iter();
    if !options.absolute_path {
        return operands.map(PathBuf::from).collect();
    }
    let full = |operand: &OsStr| match full_operand(operand.as_ref(), options) {
        Ok(path) => Some(path),
        Err(error) => {
            let (path, reason) = (quote(operand), sys::error_text(&error));
            let failure = Failure::os("search", &error).path(operand);
            session.fail_as(failure, &format!("cannot search {path}: {reason}"));
            None
        }
    };
    operands.filter_map(full).collect()
}

/// Returns an operand in full. Where links among the operands are not followed, its last name stays
/// as it is.
fn full_operand(operand: &Path, options: &FindOptions) -> io::Result<PathBuf> {
    let is_last =
        |name: &&OsStr| operand.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
    let name = operand.file_name().filter(is_last).filter(|_| options.delete && !options.follow);
    match (name, operand.parent()) {
        (Some(name), Some(parent)) => {
            let here = Path::new(".");
            let parent = if parent.as_os_str().is_empty() { here } else { parent };
            Ok(crate::cmd::address(parent)?.join(name))
        }
        _ => crate::cmd::address(operand),
    }
}

/// Returns the rules by which entries are skipped, if there are any.
fn rules(options: &FindOptions) -> Option<IgnoreRules> {
    let mut rules = IgnoreRules::new()
        .files(options.reads_ignore_files())
        .leave_out_dot_names(!options.finds_hidden())
        .git(!options.no_ignore_vcs)
        .global(true)
        .require_git(!options.no_require_git)
        .custom_file(FDIGNORE);
    for file in options.ignore_file.iter().rev() {
        rules = rules.extra_file(file);
    }
    let is_any =
        options.reads_ignore_files() || !options.finds_hidden() || !options.ignore_file.is_empty();
    is_any.then_some(rules)
}

/// A thread that searches.
struct Finder<'s, 'a> {
    find: &'s Find<'a>,
    /// Where paths wait for commands, if other threads run these.
    sender: Option<mpsc::SyncSender<PathBuf>>,
    lines: Vec<u8>,
    /// How many entries were visited since the clock was read.
    visited: u32,
    found: u64,
    removed: u64,
    directories: u64,
}

impl<'s, 'a> Finder<'s, 'a> {
    fn new(find: &'s Find<'a>, sender: Option<mpsc::SyncSender<PathBuf>>) -> Self {
        let lines = Vec::new();
        Finder { find, sender, lines, visited: 0, found: 0, removed: 0, directories: 0 }
    }

    /// Takes an entry, or a failure.
    fn take(&mut self, entry: Result<Visited<'_>, Error>) -> Next {
        match entry {
            Ok(entry) => self.visit(entry),
            Err(error) => {
                self.print_lines();
                self.find.session.fail(&error);
                Next::Continue
            }
        }
    }

    fn visit(&mut self, mut entry: Visited<'_>) -> Next {
        let find = self.find;
        if entry.depth() == 0 {
            self.check_operand(&entry);
            return Next::Continue;
        }
        self.visited += 1;
        if self.visited == PACE {
            self.visited = 0;
            find.results.keep_pace();
        }
        if find.options.has_own_boundary() && entry.is_boundary() {
            self.report_boundary(&entry);
            return Next::Continue;
        }
        if !self.matches(&mut entry) {
            return Next::Continue;
        }
        let (is_too_many, is_last) = find.count();
        let next = match entry.kind() {
            _ if is_last => Next::Stop,
            kind if find.options.prune && kind.is_dir() => Next::Skip,
            _ => Next::Continue,
        };
        if !is_too_many {
            self.found += 1;
            self.act(entry);
        }
        next
    }

    /// Reports an operand that cannot be searched.
    fn check_operand(&self, entry: &Visited<'_>) {
        let find = self.find;
        match entry.kind() {
            Kind::Directory => {}
            Kind::VolumeMount if find.action != Action::Remove => {}
            // With -L, a link that is not followed is broken.
            kind if find.action == Action::Remove && kind.is_link() && !find.options.follow => {
                let mut directory = entry.path().into_owned().into_os_string();
                directory.push(MAIN_SEPARATOR_STR);
                let directory = quote(&directory);
                let reason =
                    format!("it is a link; write {directory} if what it leads to is meant");
                self.not_searched(entry, "is-a-link", &reason);
            }
            _ => self.not_searched(entry, "not-a-directory", "it is not a directory"),
        }
    }

    /// Reports a directory that removal does not enter, because curt itself chose a boundary.
    fn report_boundary(&self, entry: &Visited<'_>) {
        self.find.hints.notice_boundary();
        if entry.is_followed_link() {
            self.not_searched(entry, "other-file-system", "it leads to another filesystem");
        } else {
            self.not_searched(entry, "mount-point", "it is a mount point");
        }
    }

    fn not_searched(&self, entry: &Visited<'_>, kind: &'static str, reason: &str) {
        let path = entry.path();
        let failure = Failure::new("search", kind, reason.to_owned());
        let message = format!("cannot search {}: {reason}", quote(&*path));
        self.find.session.fail_as(failure.path(&*path), &message);
    }

    /// Returns whether an entry matches.
    fn matches(&mut self, entry: &mut Visited<'_>) -> bool {
        let Find { options, session, matcher, fields, .. } = self.find;
        if entry.depth() < options.min_depth.unwrap_or(1) || !matcher.may_match(entry) {
            return false;
        }
        if !fields.is_empty() {
            entry.fetch(*fields);
            entry.metadata().failures().for_each(|(_, error)| session.fail(error));
        }
        matcher.matches(entry).unwrap_or_else(|error| {
            session.fail(&error);
            false
        })
    }

    /// Acts on an entry that is found.
    fn act(&mut self, mut entry: Visited<'_>) {
        let find = self.find;
        match find.action {
            Action::Count => {}
            Action::Remove => match entry.remove() {
                Ok(removed) => {
                    self.removed += u64::from(removed);
                    self.directories += u64::from(removed && entry.kind().is_dir());
                    if removed && find.options.dry_run {
                        self.print(entry);
                    }
                }
                Err(error) => {
                    if error.kind() == ErrorKind::DirectoryNotEmpty {
                        find.hints.notice_full();
                    }
                    find.session.fail(&error);
                }
            },
            Action::Print => self.print(entry),
            Action::Keep => {
                let path = find.lines.path(&entry).into_owned();
                find.results.hold(entry.metadata(), path, Vec::new());
            }
            Action::Run => {
                let path = find.lines.path(&entry).into_owned();
                match &self.sender {
                    // The receivers live as long as the search.
                    Some(sender) => _ = sender.send(path),
                    None => find.commands.run(path),
                }
            }
        }
    }

    /// Prints an entry, or holds it back to be sorted.
    fn print(&mut self, mut entry: Visited<'_>) {
        let find = self.find;
        find.lines.fetch_color(&mut entry);
        find.lines.add(&entry, &mut self.lines);
        if !find.results.are_flowing() {
            // The next line gets the same capacity.
            let line = self.lines.split_off(0);
            find.results.hold(entry.metadata(), entry.path().into_owned(), line);
        } else if self.lines.len() >= CHUNK || find.session.is_terminal() {
            self.print_lines();
        }
    }

    /// Prints the lines so far.
    fn print_lines(&mut self) {
        if !self.lines.is_empty() {
            self.find.session.data(&self.lines);
            self.lines.clear();
        }
    }
}

impl Drop for Finder<'_, '_> {
    fn drop(&mut self) {
        self.print_lines();
        self.find.found.fetch_add(self.found, Ordering::Relaxed);
        self.find.removed.fetch_add(self.removed, Ordering::Relaxed);
        self.find.directories.fetch_add(self.directories, Ordering::Relaxed);
    }
}
