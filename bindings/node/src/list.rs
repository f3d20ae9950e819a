//! Lists a tree, for `readdir`.
//!
//! Node lists breadth first, with the names of one directory sorted, but the walk visits
//! directories on several threads in any order. So each thread collects runs: consecutive entries
//! of one directory. At the end, the runs are looked up directory by directory, from the top down.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use curt::fields::Follow;
use curt::list::{Directory, NameBlock};
use curt::walk::Visited;
use curt::{Cancel, Cause, Error, Kind, Operation, Walk};
use napi::bindgen_prelude::{Buffer, Uint32Array};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

const SEPARATOR: u8 = MAIN_SEPARATOR as u8;

#[napi(object)]
pub struct ListOptions {
    pub kinds: bool,
    pub follow: bool,
    /// Prepended to paths below the top in errors.
    pub prefix: String,
    pub threads: u32,
}

/// A listing. All strings are NUL-terminated.
#[napi(object, object_from_js = false)]
pub struct Entries {
    /// Names; or paths below the top, if kinds are not requested.
    pub names: Buffer,
    pub kinds: Buffer,
    pub directories: Buffer,
    pub counts: Uint32Array,
}

pub struct Listing {
    path: PathBuf,
    options: ListOptions,
}

#[napi]
pub fn list(
    env: Env,
    path: PathArgument,
    options: ListOptions,
    control: Option<&Control>,
) -> Result<Outcome<Listing>> {
    work::start(env, Listing { path: text::path(path), options }, control)
}

impl Work for Listing {
    type Output = Entries;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Entries> {
        let parts = self.find(cancel).map_err(|error| self.failure(&error))?;
        if cancel.is_cancelled() {
            return Ok(Entries::from(Found::default()));
        }
        Ok(Entries::from(sorted(&parts, self.options.kinds)))
    }
}

impl Listing {
    fn find(&self, cancel: &Cancel) -> std::result::Result<Vec<Part>, Error> {
        let ListOptions { follow, threads, .. } = self.options;
        let follow = if follow { Follow::Links } else { Follow::CommandLine };
        let walk = Walk::new(&self.path).follow(follow).threads(work::threads(threads));
        let walk = walk.cancel(cancel);
        let (_, mut parts) = walk.visit_with(Part::default, |part, entry| match entry {
            Ok(entry) => part.visit(&entry),
            Err(error) => part.fail(self, error),
        });
        let failures = parts.iter_mut().filter_map(|part| part.failure.take());
        match failures.min_by(in_listing_order) {
            Some(error) => Err(error),
            // The walk accepts a file as top; Node fails with ENOTDIR.
            None if parts.iter().all(|part| part.entries.is_empty()) => {
                Directory::open(&self.path).map(|_| parts)
            }
            None => Ok(parts),
        }
    }

    fn below<'e>(&self, error: &'e Error) -> Option<&'e Path> {
        let path = error.path().strip_prefix(&self.path).ok()?;
        (!path.as_os_str().is_empty()).then_some(path)
    }

    fn failure(&self, error: &Error) -> Failure {
        match self.below(error) {
            None => Failure::new(error, "scandir"),
            Some(path) => Failure::from(error).at(format!(
                "{}{}",
                self.options.prefix,
                path.to_string_lossy()
            )),
        }
    }
}

#[derive(Default)]
struct Part {
    names: NameBlock<u8>,
    entries: Vec<Entry>,
    runs: Vec<Run>,
    failure: Option<Error>,
}

struct Entry {
    at: usize,
    kind: u8,
    /// Whether the walk descends into the entry, which may be a followed symlink.
    is_directory: bool,
}

/// Consecutive entries of one directory.
struct Run {
    directory: usize,
    first: usize,
}

impl Part {
    fn add(&mut self, directory: &[u8], name: &[u8], kind: u8, is_directory: bool) {
        let is_next = |run: &Run| self.text(run.directory) == directory;
        if !self.runs.last().is_some_and(is_next) {
            let directory = self.names.push(directory);
            self.runs.push(Run { directory, first: self.entries.len() });
        }
        let at = self.names.push(name);
        self.entries.push(Entry { at, kind, is_directory });
    }

    fn ends_with(&self, directory: &[u8], name: &[u8]) -> bool {
        let (Some(run), Some(entry)) = (self.runs.last(), self.entries.last()) else {
            return false;
        };
        self.text(run.directory) == directory && self.text(entry.at) == name
    }

    fn text(&self, at: usize) -> &[u8] {
        self.names.get(at).unwrap_or_default()
    }

    fn runs(&self) -> impl Iterator<Item = (&[u8], &[Entry])> {
        let ends = self.runs.iter().skip(1).map(|run| run.first).chain([self.entries.len()]);
        self.runs
            .iter()
            .zip(ends)
            .map(|(run, end)| (self.text(run.directory), &self.entries[run.first..end]))
    }

    fn visit(&mut self, entry: &Visited<'_>) {
        if entry.depth() > 0 {
            let kind = if entry.is_followed_link() { Kind::Symlink } else { entry.kind() };
            let path = entry.relative_path();
            let (directory, name) = split(&path);
            self.add(directory, name, number(kind), entry.kind().is_dir());
        }
    }

    fn fail(&mut self, listing: &Listing, error: Error) {
        if matches!(error.cause(), Cause::Loop(_)) {
            return;
        }
        let is_unfollowed = listing.options.follow && error.operation() == Operation::Stat;
        if let (true, Some(path)) = (is_unfollowed, listing.below(&error)) {
            let (directory, name) = split(path);
            if !self.ends_with(directory, name) {
                self.add(directory, name, number(Kind::Symlink), false);
            }
            return;
        }
        let failures = [self.failure.take(), Some(error)];
        self.failure = failures.into_iter().flatten().min_by(in_listing_order);
    }
}

/// Orders errors by depth, then by path, to report the first.
fn in_listing_order(a: &Error, b: &Error) -> Ordering {
    let depth = |error: &'_ Error| error.path().components().count();
    depth(a).cmp(&depth(b)).then_with(|| a.path().cmp(b.path()))
}

fn split(path: &Path) -> (&[u8], &[u8]) {
    let path = path.as_os_str().as_encoded_bytes();
    match path.iter().rposition(|&byte| byte == SEPARATOR) {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// Returns Node's number `UV_DIRENT_…` for a kind.
pub fn number(kind: Kind) -> u8 {
    match kind {
        Kind::File => 1,
        Kind::Directory => 2,
        kind if kind.is_link() => 3,
        Kind::Fifo => 4,
        Kind::Socket => 5,
        Kind::CharacterDevice => 6,
        Kind::BlockDevice => 7,
        _ => 0,
    }
}

#[derive(Default)]
pub struct Found {
    pub names: NameBlock<u8>,
    pub kinds: Vec<u8>,
    pub directories: NameBlock<u8>,
    pub counts: Vec<u32>,
}

impl From<Found> for Entries {
    fn from(found: Found) -> Entries {
        let Found { names, kinds, directories, counts } = found;
        Entries {
            names: names.into_units().into(),
            kinds: kinds.into(),
            directories: directories.into_units().into(),
            counts: counts.into(),
        }
    }
}

type Runs<'p> = Vec<(&'p Part, &'p [Entry])>;

fn sorted(parts: &[Part], has_kinds: bool) -> Found {
    let mut runs_of: HashMap<&[u8], Runs<'_>> = HashMap::new();
    for part in parts {
        for (directory, entries) in part.runs() {
            runs_of.entry(directory).or_default().push((part, entries));
        }
    }
    let mut found = Found::default();
    let mut next: VecDeque<_> = runs_of.remove_entry(&b""[..]).into_iter().collect();
    let mut path = Vec::new();
    while let Some((directory, runs)) = next.pop_front() {
        path.clear();
        if !directory.is_empty() {
            path.extend_from_slice(directory);
            path.push(SEPARATOR);
        }
        let above = path.len();
        let entries = in_order(runs);
        if has_kinds {
            found.directories.push(directory);
            found.counts.push(entries.len() as u32);
            found.kinds.extend(entries.iter().map(|(_, entry)| entry.kind));
        }
        for (name, entry) in entries {
            path.truncate(above);
            path.extend_from_slice(name);
            found.names.push(if has_kinds { name } else { &path });
            if entry.is_directory {
                next.extend(runs_of.remove_entry(&path[..]));
            }
        }
    }
    found
}

fn in_order<'p>(runs: Runs<'p>) -> Vec<(&'p [u8], &'p Entry)> {
    let names = |(part, entries): (&'p Part, &'p [Entry])| {
        entries.iter().map(|entry| (part.text(entry.at), entry))
    };
    let mut entries: Vec<_> = runs.into_iter().flat_map(names).collect();
    if cfg!(unix) {
        entries.sort_unstable_by_key(|&(name, _)| name);
    }
    entries
}
