//! `curt find`: finds entries, as fd does, and prints them, removes them or runs commands for them.
//! `matcher` decides which entries match, `lines` writes them, `results` puts them in order, and
//! `exec` runs commands.

mod exec;
mod lines;
mod matcher;
mod owner;
mod permissions;
mod results;
mod template;
mod when;

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use curt::fields::Follow;
use curt::filters::IgnoreRules;
use curt::walk::{OneFileSystem, Order, Summary, Visited};
use curt::{Error, Fields, Kind, Next, Threads, Walk};

use super::exclude::Exclusions;
use super::operands_or_here;
use crate::args::{FindOptions, LsOptions, When};
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::json::Object;
use crate::out::text;
use crate::quote::{for_terminal, quote};
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};
use exec::{CommandFailure, Exec};
use lines::Lines;
use matcher::Matcher;
use results::{Found, Results, Sorting};
use template::Template;

/// The name of fd's own ignore files.
const FDIGNORE: &str = ".fdignore";

/// How many paths may wait for commands.
const WAITING: usize = 1024;

/// How many entries a thread visits before it looks at the clock.
const PACE: u32 = 256;

/// Runs the command.
pub(crate) fn run(options: &FindOptions) -> Exit {
    let session = options.output.session("curt find");
    interrupt::listen();
    if let Some(directory) = &options.base_directory {
        if let Err(error) = sys::change_directory(directory) {
            let (directory, reason) = (quote(directory), sys::error_text(&error));
            return session.refuse(&format!("cannot change to {directory}: {reason}"));
        }
    }
    match Job::new(options, &session) {
        Ok(job) => job.run(),
        Err(message) => session.usage(&message),
    }
}

/// A search.
struct Job<'a> {
    options: &'a FindOptions,
    session: &'a Session,
    /// The operands, in full if full paths are printed.
    operands: Vec<PathBuf>,
    rules: Option<IgnoreRules>,
    exclusions: Exclusions,
    matcher: Matcher,
    lines: Lines,
    sorting: Sorting,
    results: Results<'a>,
    /// The metadata that is read of entries that may match.
    fields: Fields,
    /// Whether more is tested of them.
    has_more_tests: bool,
    /// Whether what matches is removed.
    removes: bool,
    removed: AtomicU64,
    commands: Vec<Exec>,
    /// Whether the commands, if there are any, are run at the end, for all that was found.
    is_batch: bool,
    /// How many threads run commands; 1 if the thread that found an entry does.
    runners: usize,
    /// How many entries were found, where their number is limited.
    taken: AtomicU64,
    /// How many were found by the threads that ended.
    found: AtomicU64,
    /// What was found, for a command that is run at the end.
    batch: Mutex<Vec<Found>>,
    /// The directories that a dry run knows to hold something that stays.
    kept: Mutex<HashSet<PathBuf>>,
    /// Whether a directory that matches is not empty.
    has_full: AtomicBool,
    /// Whether something other than a directory was to be searched.
    has_file: AtomicBool,
}

impl<'a> Job<'a> {
    /// The error says what is wrong with the options.
    fn new(options: &'a FindOptions, session: &'a Session) -> Result<Job<'a>, String> {
        check_pattern(options)?;
        let matcher = Matcher::new(options)?;
        let lines = Lines::new(options, session)?;
        let sorting = Sorting::new(options);
        let removes = options.delete && !options.dry_run;
        let prints =
            !removes && options.commands.is_empty() && !options.list_details && !options.quiet;
        let printed = if prints { lines.fields() } else { Fields::NONE };
        let is_batch = options.exec.is_empty();
        let runners = match options.threads {
            Some(Threads::AtMost(threads)) => threads,
            _ if is_batch => 1,
            _ => sys::processors(),
        };
        let most_paths = if options.batch_size == 0 { usize::MAX } else { options.batch_size };
        // A command for all has the terminal to itself.
        let is_collected = !is_batch && runners > 1;
        let commands = options.commands.iter().map(|command| {
            let exec = Exec::new(Template::new(command)?, is_batch);
            Ok(exec.most_paths(most_paths).collect(is_collected))
        });
        let commands = commands.collect::<Result<_, String>>()?;
        let mut operands = Vec::new();
        for operand in operands_or_here(&options.operands) {
            if options.absolute_path {
                match crate::cmd::address(operand.as_ref()) {
                    Ok(path) => operands.push(path),
                    Err(error) => {
                        let reason = sys::error_text(&error);
                        session.fail_as(
                            Failure::os("search", &error).path(operand),
                            &format!("cannot search {}: {reason}", quote(operand)),
                        );
                    }
                }
            } else {
                operands.push(operand.into());
            }
        }
        let exclusions = Exclusions::new(&options.exclude)?;
        operands.retain(|operand| !exclusions.match_whole(operand));
        Ok(Job {
            options,
            session,
            operands,
            rules: rules(options),
            exclusions,
            fields: matcher.fields() | printed | sorting.fields(),
            has_more_tests: !matcher.fields().is_empty(),
            matcher,
            lines,
            sorting,
            results: Results::new(session, sorting),
            removes,
            removed: AtomicU64::new(0),
            commands,
            is_batch,
            runners,
            taken: AtomicU64::new(0),
            found: AtomicU64::new(0),
            batch: Mutex::default(),
            kept: Mutex::default(),
            has_full: AtomicBool::new(false),
            has_file: AtomicBool::new(false),
        })
    }

    fn run(&self) -> Exit {
        let walk = self.walk();
        if !self.commands.is_empty() {
            sys::pass_signals_on(self.runners);
        }
        let is_parallel = !self.is_batch && self.runners > 1;
        let summary = if is_parallel {
            self.run_commands_beside(&walk)
        } else {
            walk.visit_with(|| Finder::new(self, None).visitor())
        };
        self.finish(&summary)
    }

    /// Searches, while other threads run commands for what was found.
    fn run_commands_beside(&self, walk: &Walk<'_>) -> Summary {
        let (sender, receiver) = mpsc::sync_channel::<PathBuf>(WAITING);
        let receiver = Mutex::new(receiver);
        let run = || {
            loop {
                let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                match next {
                    Ok(path) if !self.session.is_cancelled() => self.run_commands(&path),
                    Ok(_) => {}
                    Err(mpsc::RecvError) => return,
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.runners {
                scope.spawn(run);
            }
            let summary = walk.visit_with(|| Finder::new(self, Some(sender.clone())).visitor());
            drop(sender);
            summary
        })
    }

    /// Builds the library's `Walk`.
    fn walk(&self) -> Walk<'_> {
        let options = self.options;
        let follow = if options.follow { Follow::Links } else { Follow::CommandLine };
        // Where every entry is printed, its metadata is read with its name; elsewhere only if it
        // may match.
        let is_any = self.matcher.matches_all() && options.min_depth.is_none();
        let mut walk = Walk::new(self.operands.as_slice())
            .fields(if is_any { self.fields } else { Fields::NAME })
            .follow(follow)
            .max_depth(options.max_depth.unwrap_or(usize::MAX))
            .one_file_system(options.one_file_system.unwrap_or(OneFileSystem::No))
            .contents_first(options.contents_first)
            .threads(options.threads.unwrap_or(Threads::Automatic))
            .cancel(self.session.cancel());
        if let Some(rules) = &self.rules {
            walk = walk.ignore(rules.clone());
        }
        if !self.exclusions.are_empty() {
            walk = walk.exclude(|entry| self.exclusions.match_entry(entry));
        }
        if self.removes {
            // Removing entries while they are listed might hide later ones.
            walk = walk.sort(Order::default());
        }
        if let Some(budget) = sys::raise_descriptor_limit() {
            walk = walk.descriptors(budget);
        }
        options.without.features.iter().copied().fold(walk, Walk::without)
    }

    /// Counts an entry. Returns whether it is one too many, and whether it is the last.
    fn count(&self) -> (bool, bool) {
        // The first ones of an order are known at the end.
        let is_open = self.sorting.is_asked_for && !self.removes && self.is_batch;
        let most = self.options.max_results.filter(|&most| most > 0 && !is_open);
        let most = if self.options.quiet { Some(1) } else { most };
        let Some(most) = most else { return (false, false) };
        let before = self.taken.fetch_add(1, Ordering::Relaxed);
        (before >= most, before + 1 >= most)
    }

    /// Runs the commands for an entry, until one fails. What they write is printed together.
    fn run_commands(&self, path: &Path) {
        let mut outputs = Vec::new();
        let run = |exec: &Exec| match exec.add(path, &mut outputs) {
            Ok(()) if !exec.has_given_up() => None,
            result => Some(result),
        };
        let failed = self.commands.iter().find_map(run);
        self.session.screen().outputs(&outputs);
        self.check(failed.unwrap_or(Ok(())));
        if self.has_given_up() {
            self.session.cancel().cancel();
        }
    }

    /// Whether no command is started any more.
    fn has_given_up(&self) -> bool {
        self.commands.iter().any(Exec::has_given_up)
    }

    fn check(&self, result: Result<(), CommandFailure>) {
        if let Err(failure) = result {
            failure.report(self.session);
        }
    }

    /// Runs the commands of `-X`.
    fn run_for(&self, batch: &[Found]) {
        let goes_on = || interrupt::signal().is_none() && !self.has_given_up();
        for found in batch.iter().take_while(|_| goes_on()) {
            for exec in &self.commands {
                self.check(exec.add(&found.path, &mut Vec::new()));
            }
        }
        for exec in self.commands.iter().take_while(|_| goes_on()) {
            self.check(exec.finish());
        }
    }

    /// Lists what was found.
    fn list(&self, batch: Vec<Found>) {
        // Without operands, the working directory would be listed.
        if batch.is_empty() || interrupt::signal().is_some() {
            return;
        }
        let operands = batch.into_iter().map(|found| found.path.into_os_string()).collect();
        let FindOptions { color, hyperlink, output, .. } = *self.options;
        let color = color.unwrap_or(When::Auto);
        let options = LsOptions::details(operands, color, hyperlink, output);
        if super::ls::run(&options) != Exit::SUCCESS {
            self.session.count_failure();
        }
    }

    /// Says what may be wrong if nothing was found.
    fn explain_nothing(&self) {
        let is_searched = |pattern: &&str| self.options.operands.iter().any(|it| it == *pattern);
        let note = if let Some(pattern) = directory(self.options).filter(|it| !is_searched(it)) {
            let skipped = match (self.options.finds_hidden(), self.options.reads_ignore_files()) {
                (true, false) => "",
                (false, true) => "; hidden and ignored entries are skipped without -u",
                (true, true) => "; ignored entries are skipped without -I",
                (false, false) => "; hidden entries are skipped without -H",
            };
            format!(
                "{} is the PATTERN, and nothing matches; write 'curt find . {}' to search in the \
                 directory of that name{skipped}",
                quote(pattern),
                for_terminal(pattern, "")
            )
        } else if let Some(pattern) = matcher::likely_glob(self.options) {
            let pattern = quote(pattern);
            format!("nothing matches the regular expression {pattern}; -g takes globs")
        } else if let Some(pattern) = matcher::likely_hidden(self.options) {
            format!("hidden entries such as {} are skipped without --hidden", quote(pattern))
        } else if let Some(size) = matcher::likely_limit(self.options) {
            format!("nothing has exactly the size {size}; +{size} is at least, -{size} at most")
        } else {
            return;
        };
        self.note(&note);
    }

    fn note(&self, note: &str) {
        if self.session.is_json() {
            self.session.report(Object::new().text("note", note));
        } else {
            self.session.warn(note);
        }
    }

    /// Notes what a dry run knows to stay. A directory stays if anything in it does.
    fn check_kept(&self, entry: &Visited<'_>, is_found: bool) {
        let path = entry.path();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = kept.contains(&*path);
        if is_full && is_found {
            self.has_full.store(true, Ordering::Relaxed);
        }
        if is_full || !is_found {
            kept.extend(path.parent().map(Path::to_owned));
        }
    }

    fn finish(&self, summary: &Summary) -> Exit {
        self.results.finish();
        let mut batch =
            std::mem::take(&mut *self.batch.lock().unwrap_or_else(PoisonError::into_inner));
        self.sorting.sort(&mut batch);
        if self.options.list_details {
            self.list(batch);
        } else {
            self.run_for(&batch);
        }
        let is_interrupted = interrupt::signal().is_some();
        // Of an order, only the first ones were printed.
        let most = self.options.max_results.filter(|&most| most > 0).unwrap_or(u64::MAX);
        let found = self.found.load(Ordering::Relaxed).min(most);
        let is_done =
            self.has_given_up() || self.options.max_results.is_some() || self.options.quiet;
        let is_cancelled = is_interrupted || summary.stopped && !is_done;
        if found == 0 && !is_cancelled {
            self.explain_nothing();
        }
        if self.has_full.load(Ordering::Relaxed) {
            self.note(
                "a directory is deleted only if it is empty by then; '--prune -X curt rm -r' in \
                 place of '--delete' removes it with its contents",
            );
        }
        let pattern =
            self.options.pattern.as_ref().filter(|_| self.has_file.load(Ordering::Relaxed));
        if pattern.is_some_and(|name| curt::stat(name, Fields::KIND).is_ok()) {
            self.note("the shell may have expanded a pattern; quote it");
        }
        let errors = self.session.errors();
        let entries = text::counted(summary.entries, "entry", "entries");
        let mut done = format!("{found} of {entries} found");
        let mut fields = Object::new().number("found", found).number("visited", summary.entries);
        if self.removes {
            let removed = self.removed.load(Ordering::Relaxed);
            done = format!("{done}, {removed} removed");
            fields = fields.number("removed", removed);
        }
        let fields = fields
            .number("errors", errors)
            .boolean("interrupted", is_cancelled)
            .number("threads", summary.threads as u64);
        let exit = self.session.finish(Outcome {
            summary: Some(fields),
            done: text::with_threads(&done, summary.threads),
            calls: summary.calls,
            is_cancelled,
        });
        match (self.options.quiet, found > 0) {
            // As of grep, the answer counts, and not what failed beside it.
            (true, true) if exit == Exit::FAILURE => Exit::SUCCESS,
            (true, false) if exit == Exit::SUCCESS => Exit::FAILURE,
            _ => exit,
        }
    }
}

/// Refuses what is a directory to whoever types it, and a pattern to curt, if that would find or
/// delete something else.
fn check_pattern(options: &FindOptions) -> Result<(), String> {
    if !options.operands.is_empty() {
        return Ok(());
    }
    if options.pattern.as_deref() == Some("..") && !options.glob && !options.fixed_strings {
        let instead = "write 'curt find . ..' to search in the directory";
        return Err(format!("'..' is a PATTERN that matches any two characters; {instead}"));
    }
    match options.delete.then(|| directory(options)).flatten() {
        None => Ok(()),
        Some(pattern) => Err(format!(
            "{} is the PATTERN, and a directory has that name: write '.' before it to delete the \
             contents of the directory, or after it to delete all matches",
            quote(pattern)
        )),
    }
}

/// Returns the pattern if a directory has that name, and may be meant.
fn directory(options: &FindOptions) -> Option<&str> {
    let pattern = options.pattern.as_deref().filter(|pattern| *pattern != ".")?;
    let plan = curt::Plan::new(Fields::KIND).follow(Follow::Links);
    curt::stat(pattern, plan).is_ok_and(|found| found.kind().is_dir()).then_some(pattern)
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
struct Finder<'j, 'a> {
    job: &'j Job<'a>,
    /// Where paths wait for commands.
    sender: Option<mpsc::SyncSender<PathBuf>>,
    lines: Vec<u8>,
    /// How many entries were visited since the clock was read.
    visited: u32,
    found: u64,
    removed: u64,
}

impl<'j, 'a> Finder<'j, 'a> {
    fn new(job: &'j Job<'a>, sender: Option<mpsc::SyncSender<PathBuf>>) -> Self {
        Finder { job, sender, lines: Vec::new(), visited: 0, found: 0, removed: 0 }
    }

    /// Returns the closure that visits entries.
    fn visitor(mut self) -> impl FnMut(Result<Visited<'_>, Error>) -> Next {
        move |entry: Result<Visited<'_>, Error>| match entry {
            Ok(entry) => self.entry(entry),
            Err(error) => self.error(&error),
        }
    }

    fn entry(&mut self, mut entry: Visited<'_>) -> Next {
        if entry.depth() == 0 {
            if !matches!(entry.kind(), Kind::Directory | Kind::VolumeMount) {
                self.job.has_file.store(true, Ordering::Relaxed);
                let (path, reason) = (entry.path(), "it is not a directory");
                self.job.session.fail_as(
                    Failure::new("search", "not-a-directory", reason.to_owned()).path(&*path),
                    &format!("cannot search {}: {reason}", quote(&*path)),
                );
            }
            return Next::Continue;
        }
        self.visited += 1;
        if self.visited == PACE {
            self.visited = 0;
            self.job.results.keep_pace();
        }
        let begin = self.lines.len();
        let is_found = self.matches(&mut entry);
        if self.job.options.dry_run {
            self.job.check_kept(&entry, is_found);
        }
        if is_found { self.found(entry, begin) } else { Next::Continue }
    }

    fn error(&mut self, error: &Error) -> Next {
        self.job.results.hand_over(&mut self.lines);
        self.job.session.fail(error);
        Next::Continue
    }

    /// Returns whether an entry matches.
    fn matches(&mut self, entry: &mut Visited<'_>) -> bool {
        let job = self.job;
        if entry.depth() < job.options.min_depth.unwrap_or(1) || !job.matcher.may_match(entry) {
            return false;
        }
        if !job.fields.is_empty() {
            entry.fetch(job.fields);
            for (_, error) in entry.metadata().failures() {
                job.session.fail(error);
            }
        }
        !job.has_more_tests
            || job.matcher.matches(entry).unwrap_or_else(|error| {
                job.session.fail(&error);
                false
            })
    }

    /// Hands over an entry that matches, whose line begins there.
    fn found(&mut self, mut entry: Visited<'_>, begin: usize) -> Next {
        let job = self.job;
        let (is_too_many, is_last) = job.count();
        let next = match entry.kind() {
            _ if is_last => Next::Stop,
            kind if job.options.prune && kind.is_dir() => Next::Skip,
            _ => Next::Continue,
        };
        if is_too_many {
            return next;
        }
        self.found += 1;
        if job.options.quiet {
            return next;
        }
        if job.removes {
            match entry.remove() {
                Ok(removed) => self.removed += u64::from(removed),
                Err(error) => {
                    if error.kind() == ErrorKind::DirectoryNotEmpty {
                        job.has_full.store(true, Ordering::Relaxed);
                    }
                    job.session.fail(&error);
                }
            }
        } else if job.commands.is_empty() && !job.options.list_details {
            job.lines.fetch_color(&mut entry);
            job.lines.add(&entry, &mut self.lines);
            job.results.add(&entry, &mut self.lines, begin);
        } else if let Some(sender) = &self.sender {
            // The receivers live as long as the search.
            let _ = sender.send(job.lines.path(&entry).into_owned());
        } else if job.is_batch {
            let path = job.lines.path(&entry).into_owned();
            let found = job.sorting.found(&entry, path, Vec::new());
            job.batch.lock().unwrap_or_else(PoisonError::into_inner).push(found);
        } else {
            job.run_commands(&job.lines.path(&entry));
        }
        next
    }
}

impl Drop for Finder<'_, '_> {
    fn drop(&mut self) {
        self.job.results.hand_over(&mut self.lines);
        self.job.found.fetch_add(self.found, Ordering::Relaxed);
        self.job.removed.fetch_add(self.removed, Ordering::Relaxed);
    }
}
