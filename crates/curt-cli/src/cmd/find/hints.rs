//! Guesses at the meaning of a command line: refusals before a search, and hints after it.

use std::sync::atomic::{AtomicBool, Ordering};

use curt::fields::Follow;
use curt::{Fields, Plan};

use crate::args::FindOptions;
use crate::out::json::Object;
use crate::quote::{for_terminal, quote};
use crate::session::Session;

/// The reasons for hints that a search notices on its way.
#[derive(Default)]
pub(super) struct Hints {
    /// Something other than a directory was to be searched.
    has_file: AtomicBool,
    /// A directory that was to be deleted is not empty.
    has_full: AtomicBool,
    /// A directory was not searched because of the filesystem it is on.
    left_mounts: AtomicBool,
}

impl Hints {
    pub(super) fn notice_file(&self) {
        self.has_file.store(true, Ordering::Relaxed);
    }

    pub(super) fn notice_full(&self) {
        self.has_full.store(true, Ordering::Relaxed);
    }

    pub(super) fn notice_boundary(&self) {
        self.left_mounts.store(true, Ordering::Relaxed);
    }

    pub(super) fn show(&self, options: &FindOptions, session: &Session, found_nothing: bool) {
        let note = |note: &str| {
            if session.is_json() {
                session.report(Object::new().text("note", note));
            } else {
                session.warn(note);
            }
        };
        if let Some(text) = found_nothing.then(|| about_nothing(options)).flatten() {
            note(&text);
        }
        if self.has_full.load(Ordering::Relaxed) {
            note(
                "a directory is deleted only if it is empty by then; '--prune -X curt rm -r' in \
                 place of '--delete' removes it with its contents",
            );
        }
        if self.left_mounts.load(Ordering::Relaxed) {
            note(
                "--delete does not enter other mounts; name them as PATH to delete there too, or add \
                 --one-file-system=mount to report only those that match",
            );
        }
        let is_file = |name: &String| curt::stat(name, Fields::KIND).is_ok();
        if self.has_file.load(Ordering::Relaxed) && options.pattern.as_ref().is_some_and(is_file) {
            note("the shell may have expanded a pattern; quote it");
        }
    }
}

/// Refuses a pattern that is probably meant as a directory, if it would find or delete something
/// else.
pub(super) fn check_pattern(options: &FindOptions) -> Result<(), String> {
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

/// Returns why nothing may have been found.
fn about_nothing(options: &FindOptions) -> Option<String> {
    let is_searched = |pattern: &&str| options.operands.iter().any(|it| it == *pattern);
    if let Some(pattern) = directory(options).filter(|it| !is_searched(it)) {
        let skipped = match (options.finds_hidden(), options.reads_ignore_files()) {
            (true, false) => "",
            (false, true) => "; hidden and ignored entries are skipped without -u",
            (true, true) => "; ignored entries are skipped without -I",
            (false, false) => "; hidden entries are skipped without -H",
        };
        return Some(format!(
            "{} is the PATTERN, and nothing matches; write 'curt find . {}' to search in the \
             directory of that name{skipped}",
            quote(pattern),
            for_terminal(pattern, "")
        ));
    }
    if let Some(pattern) = likely_glob(options) {
        let pattern = quote(pattern);
        return Some(format!("nothing matches the regular expression {pattern}; -g takes globs"));
    }
    if let Some(pattern) = likely_hidden(options) {
        let pattern = quote(pattern);
        return Some(format!("hidden entries such as {pattern} are skipped without --hidden"));
    }
    likely_limit(options).map(|size| {
        format!("nothing has exactly the size {size}; +{size} is at least, -{size} at most")
    })
}

/// Returns the pattern if a directory has that name, and may be meant.
fn directory(options: &FindOptions) -> Option<&str> {
    let pattern = options.pattern.as_deref().filter(|pattern| *pattern != ".")?;
    let plan = Plan::new(Fields::KIND).follow(Follow::Links);
    curt::stat(pattern, plan).is_ok_and(|found| found.kind().is_dir()).then_some(pattern)
}

/// Returns the regular expression that is likely to be meant as a glob: in one, the letter before
/// a star is seldom meant to come any number of times.
fn likely_glob(options: &FindOptions) -> Option<&String> {
    let text = options.pattern.as_ref().filter(|_| !options.glob && !options.fixed_strings)?;
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_ ".contains(&byte);
    let mut pairs = text.as_bytes().windows(2);
    pairs.any(|pair| is_letter(pair[0]) && pair[1] == b'*').then_some(text)
}

/// Returns the pattern if it is likely to name a hidden entry, and these are skipped.
fn likely_hidden(options: &FindOptions) -> Option<&String> {
    let is_skipped = !options.full_path && !options.finds_hidden();
    let text = options.pattern.as_ref().filter(|_| is_skipped)?;
    let name = text.strip_prefix('\\').unwrap_or(text).strip_prefix('.')?;
    name.starts_with(char::is_alphanumeric).then_some(text)
}

/// Returns the size that is likely to be meant as the least or the greatest: a round one.
fn likely_limit(options: &FindOptions) -> Option<&String> {
    let is_round = |text: &str| text.trim_end_matches(['b', 'B']).ends_with(char::is_alphabetic);
    options.size.iter().find(|text| !text.starts_with(['+', '-']) && is_round(text))
}
