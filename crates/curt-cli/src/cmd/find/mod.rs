//! `curt find`: finds entries as fd does, and prints them, removes them or runs commands for them.
//!
//! [`Find`] runs the walk, and each of its threads is a [`Finder`], which tests entries and acts on
//! matches. `matcher` combines the tests (`names`, `kinds`, `size`, `when`, `owner`,
//! `permissions`). `lines` and `template` format an entry, `results` sorts, `exec` runs commands,
//! and `hints` explains what a deletion skipped.

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
use curt::{Error, Fields, Kind, Next, Plan, SameFileSystem, Threads, Walk};

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

const FDIGNORE: &str = ".fdignore";

/// Times of a directory that change when an entry in it is removed.
const TIMES: Fields = Fields::MODIFIED.union(Fields::CHANGED).union(Fields::ACCESSED);

const QUEUE: usize = 1024;

/// Entries between two checks of the clock. They are few, because on a network each can take long.
const CLOCK_INTERVAL: u32 = 16;

/// Bytes that a thread collects before printing. They exceed the output buffer, so they bypass it.
const CHUNK: usize = 2 * out::BUFFER;

pub(crate) fn run(options: &FindOptions) -> Exit {
    let session = options.output.session("curt find");
    if let Some(directory) = &options.base_directory {
        if let Err(error) = sys::change_directory(directory) {
            let (directory, reason) = (quote(directory), sys::error_text(&error));
            return session.refuse(&format!("cannot change directory to {directory}: {reason}"));
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Count,
    Print,
    /// Removes the entry; in a dry run, prints it if it could be removed.
    Remove,
    Run,
    /// Collects the entry for a listing or for commands at the end.
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
    operands: Vec<PathBuf>,
    exclusions: Exclusions,
    matcher: Matcher,
    fields: Fields,
    action: Action,
    lines: Lines,
    results: Results<'a>,
    commands: Commands<'a>,
    hints: Hints,
    counted: AtomicU64,
    /// The totals of the threads that have ended.
    found: AtomicU64,
    removed: AtomicU64,
    directories: AtomicU64,
}

impl<'a> Find<'a> {
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
            counted: AtomicU64::new(0),
            found: AtomicU64::new(0),
            removed: AtomicU64::new(0),
            directories: AtomicU64::new(0),
        })
    }

    fn run(&self) -> Exit {
        let walk = self.walk();
        if !self.commands.is_empty() {
            sys::forward_signals(self.commands.runners);
        }
        let summary = if self.commands.runners > 1 {
            self.run_commands_in_threads(&walk)
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

    fn walk(&self) -> Walk<'_> {
        let options = self.options;
        let follow = match (options.follow, self.action) {
            (true, _) => Follow::Links,
            // As in GNU find, only a trailing slash makes `--delete` follow an operand.
            (false, Action::Remove) => Follow::Never,
            (false, _) => Follow::CommandLine,
        };
        let same_file_system =
            if options.has_own_boundary() { SameFileSystem::Mount } else { SameFileSystem::No };
        // Let the walk read all metadata if all entries match, or if removing a directory's
        // contents would change requested times. Otherwise, read only the metadata of possible
        // matches.
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
        if !self.exclusions.is_empty() {
            walk = walk.exclude(|entry| self.exclusions.match_entry(entry));
        }
        // Sorting reads each directory completely before removing its entries; otherwise `readdir`
        // might miss some.
        walk = walk.sort_by_name(self.action == Action::Remove);
        if let Some(budget) = sys::raise_descriptor_limit() {
            walk = walk.descriptors(budget);
        }
        options.without.features.iter().copied().fold(walk, Walk::without)
    }

    /// Searches while other threads run the commands.
    fn run_commands_in_threads(&self, walk: &Walk<'_>) -> Summary {
        let (sender, receiver) = mpsc::sync_channel::<PathBuf>(QUEUE);
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
            // Without any runner, the thread that finds an entry runs its commands.
            let sender = has_runners.then_some(sender);
            let summary = walk.visit_with(|| Finder::new(self, sender.clone()), Finder::take).0;
            drop(sender);
            summary
        })
    }

    /// Counts an entry. Returns whether it is beyond the limit, and whether the search can stop.
    fn count(&self) -> (bool, bool) {
        // Do not limit an ordered result: its first entries are known only at the end.
        let is_unlimited =
            self.results.is_ordered && matches!(self.action, Action::Print | Action::Keep);
        let most = self.options.max_results.filter(|&most| most > 0 && !is_unlimited);
        let most = if self.action == Action::Count { Some(1) } else { most };
        let Some(most) = most else { return (false, false) };
        let before = self.counted.fetch_add(1, Ordering::Relaxed);
        (before >= most, before + 1 >= most)
    }

    fn list(&self, found: Vec<Found>) {
        // Without operands, `ls` would list the working directory.
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
        // All matches of an ordered search were counted, but only the first ones are printed.
        let most = options.max_results.filter(|&most| most > 0).unwrap_or(u64::MAX);
        let found = self.found.load(Ordering::Relaxed).min(most);
        self.hints.show(session);
        let removed = self.removed.load(Ordering::Relaxed);
        if options.dry_run {
            let directories = self.directories.load(Ordering::Relaxed);
            let removed = text::files_and_directories(removed - directories, directories);
            let would = text::would_remove(&removed, summary.freed);
            // Print this to standard error, because standard output has only paths.
            if !is_cancelled {
                session.note(&would);
            }
        }
        let removes = self.action == Action::Remove && !options.dry_run;
        let done = || {
            let entries = text::counted(summary.entries, "entry", "entries");
            let removed = if removes { format!(", {removed} removed") } else { String::new() };
            text::with_threads(&format!("{found} of {entries} found{removed}"), summary.threads)
        };
        let fields = || {
            let mut fields =
                Object::new().number("found", found).number("visited", summary.entries);
            if options.dry_run {
                fields = fields.number("bytes", summary.freed);
            } else if removes {
                fields = fields.number("removed", removed);
            }
            fields
                .number("errors", session.errors())
                .boolean("interrupted", is_cancelled)
                .number("threads", summary.threads as u64)
        };
        let exit = session.finish(&Outcome {
            summary: Some(&fields),
            done: Some(&done),
            calls: summary.calls,
            is_cancelled,
        });
        match (options.quiet, found > 0) {
            // As in grep, a match means success, even if there were errors.
            (true, true) if exit == Exit::FAILURE => Exit::SUCCESS,
            (true, false) if exit == Exit::SUCCESS => Exit::FAILURE,
            _ => exit,
        }
    }
}

/// Returns the directories to search. With `--absolute-path`, reports and omits those without an
/// absolute path.
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

/// Returns the absolute path of an operand. Does not resolve the last component if `--delete` must
/// not follow it.
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

fn rules(options: &FindOptions) -> Option<IgnoreRules> {
    let mut rules = IgnoreRules::new()
        .files(options.reads_ignore_files())
        .skip_hidden(!options.finds_hidden())
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

struct Finder<'s, 'a> {
    find: &'s Find<'a>,
    sender: Option<mpsc::SyncSender<PathBuf>>,
    lines: Vec<u8>,
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
        if self.visited == CLOCK_INTERVAL {
            self.visited = 0;
            find.results.check_time();
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

    fn check_operand(&self, entry: &Visited<'_>) {
        let find = self.find;
        match entry.kind() {
            Kind::Directory => {}
            Kind::VolumeMount if find.action != Action::Remove => {}
            kind if kind.is_link() => self.refuse_link(entry),
            _ => self.not_searched(entry, "not-a-directory", "it is not a directory"),
        }
    }

    fn refuse_link(&self, entry: &Visited<'_>) {
        let path = entry.path();
        // The kind of the target, or of the symlink if that is broken.
        let target = curt::stat(&*path, Plan::new(Fields::KIND).follow(Follow::Links));
        match target.map(|target| target.kind()) {
            Ok(kind) if kind.is_dir() => {
                let mut directory = path.into_owned().into_os_string();
                directory.push(MAIN_SEPARATOR_STR);
                let directory = quote(&directory);
                let reason = format!("it is a symlink; write {directory} to search its target");
                self.not_searched(entry, "is-a-link", &reason);
            }
            Ok(kind) if kind.is_link() => {
                self.not_searched(entry, "not-a-directory", "it is a broken symlink");
            }
            _ => self.not_searched(entry, "not-a-directory", "it is not a directory"),
        }
    }

    fn report_boundary(&self, entry: &Visited<'_>) {
        self.find.hints.note_mount();
        if entry.is_followed_link() {
            self.not_searched(entry, "other-file-system", "its target is on another filesystem");
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
                        find.hints.note_nonempty();
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
                    // Sending cannot fail, because the receiver outlives the search.
                    Some(sender) => _ = sender.send(path),
                    None => find.commands.run(path),
                }
            }
        }
    }

    fn print(&mut self, mut entry: Visited<'_>) {
        let find = self.find;
        find.lines.fetch_color(&mut entry);
        find.lines.add(&entry, &mut self.lines);
        if !find.results.are_unsorted() {
            // Unlike `mem::take`, this keeps the capacity for the next line.
            let line = self.lines.split_off(0);
            find.results.hold(entry.metadata(), entry.path().into_owned(), line);
        } else if self.lines.len() >= CHUNK || find.session.is_terminal() {
            self.print_lines();
        }
    }

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
