//! Trees, a directory at a time.

use std::path::PathBuf;

use curt::fields::Follow;
use curt::list::{Descent, Directory, Entry, List};
#[cfg(unix)]
use curt::os::unix::Units as _;
#[cfg(windows)]
use curt::os::windows::Units as _;
use curt::{Error, Next, Plan};

use crate::dir::{self, curt_entry};
use crate::error::curt_error;
use crate::guard::{Failure, guard, int, plain};
use crate::handle;
use crate::metadata::Wanted;
use crate::structs::{self, Versioned, check_size};
use crate::text::{self, Texts, curt_str, to_units};
use crate::tree::{CURT_TREE_FOLLOW, CURT_TREE_SAME_FILE_SYSTEM};

/// A walk of trees, a directory at a time. It may move between threads; one uses it at a time.
#[derive(Debug)]
pub struct curt_walk {
    descent: Descent,
    plan: Plan,
    wanted: Wanted,
    /// The paths that were not begun, the last one first.
    waiting: Vec<PathBuf>,
    /// The directory that was handed over last, until it is entered.
    list: Option<List>,
    /// Why it could not be read to its end: the next answer.
    failed: Option<Error>,
    entries: Entries,
    /// The position and the name of each of its subdirectories, or no name if it was pruned.
    subdirectories: Vec<(usize, Option<curt_str>)>,
    /// The path of the directory, the names of its entries, and the texts of their metadata.
    texts: Texts,
}

/// Entries for the caller, each of the size that the caller was compiled with.
#[derive(Debug, Default)]
struct Entries {
    /// For the alignment. What lies beyond the entries is from other directories.
    words: Vec<u64>,
    entry_size: usize,
    count: usize,
}

impl Entries {
    fn clear(&mut self, entry_size: usize) {
        *self = Entries { words: std::mem::take(&mut self.words), entry_size, count: 0 };
    }

    /// Returns the place for one more. It is gone when the next is asked for.
    fn add(&mut self) -> *mut curt_entry {
        let at = self.count * self.entry_size;
        self.count += 1;
        let words = (at + self.entry_size).div_ceil(size_of::<u64>());
        if words > self.words.len() {
            self.words.resize(words.max(2 * self.words.len()), 0);
        }
        // SAFETY: it lies within the vector, which was made long enough.
        unsafe { self.words.as_mut_ptr().byte_add(at) }.cast()
    }
}

/// One directory of a walk.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_walk_dir {
    /// `sizeof(curt_walk_dir)`, set by the caller.
    pub size: usize,
    /// The path as it was given, and the names below it. A NUL follows it.
    pub path: curt_str,
    /// How deep it lies below that path: 0 for the path itself.
    pub depth: u32,
    /// `sizeof(curt_entry)`, set by the caller.
    pub entry_size: u32,
    /// All entries of the directory, without `.` and `..`, in the order of the system. A NUL follows
    /// each name.
    pub entries: *const curt_entry,
    /// How many there are.
    pub count: usize,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_walk_dir {}

/// Prepares to walk through `count` trees, one after the other: each directory with all its entries,
/// before those that lie in it. `fields` are those of each entry (`CURT_FIELD_…`); the kind is
/// always among them. `flags`: `CURT_TREE_FOLLOW`, `CURT_TREE_SAME_FILE_SYSTEM`.
///
/// A path that is a link to a directory is followed; one that is no directory is a failure of
/// `curt_walk_next`.
///
/// Nothing is opened yet. The caller closes `*walk` by `curt_walk_close`.
///
/// Returns 0, or `CURT_E_ARGUMENT`; then `*walk` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_walk_open(
    paths: *const curt_str,
    count: usize,
    fields: u32,
    flags: u32,
    walk: *mut *mut curt_walk,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: the caller's array and its texts can be read.
        let paths = unsafe { text::paths(paths, count) }?;
        let wanted = Wanted::new(fields)?.and_kind();
        if flags & !(CURT_TREE_FOLLOW | CURT_TREE_SAME_FILE_SYSTEM) != 0 {
            return Err(Failure::Argument("`flags` has one that this function does not know"));
        }
        let follows = flags & CURT_TREE_FOLLOW != 0;
        let follow = if follows { Follow::Links } else { Follow::Never };
        let one = flags & CURT_TREE_SAME_FILE_SYSTEM != 0;
        Ok(curt_walk {
            descent: Descent::new().follow_links(follows).one_file_system(one),
            plan: wanted.plan(0)?.follow(follow),
            wanted,
            waiting: paths.into_iter().rev().map(std::borrow::Cow::into_owned).collect(),
            list: None,
            failed: None,
            entries: Entries::default(),
            subdirectories: Vec::new(),
            texts: Texts::default(),
        })
    };
    // SAFETY: as required of the caller.
    unsafe { handle::open("curt_walk_open", walk, error, body) }
}

/// Opens and reads the next directory, and fills in `dir`, whose `size` and `entry_size` are set.
/// Texts and entries live until the next call of this function with this handle. At most one
/// directory is kept in memory, and the names of directories that are still to be read; at most 64
/// are open.
///
/// Each directory is opened below its parent, so the tree may be deeper than a path may be long, and
/// nothing that is swapped meanwhile leads out of it. Links below a path are not followed without
/// `CURT_TREE_FOLLOW`. What could not be asked about an entry is in its metadata.
///
/// Cost: 4 calls for a directory of up to about 2,000 entries; 1 more with a flag of
/// `curt_walk_open`, and on Windows. For each entry as with `curt_dir_next`.
///
/// Returns 1, or 0 at the end. After a failure the walk goes on with the next call: `CURT_E_OS`,
/// `CURT_E_LOOP` if the directory is one of those above it, `CURT_E_OTHER`. A directory that cannot
/// be read to its end comes with what was read, and the failure after it. `CURT_E_ARGUMENT` changes
/// nothing, so a loop ends there, as after `CURT_E_INTERNAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_walk_next(
    walk: *mut curt_walk,
    dir: *mut curt_walk_dir,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let walk = unsafe { handle::exclusive(walk) }?;
        // SAFETY: the caller's struct can be read.
        let asked = unsafe { structs::read(dir) }?.ok_or(Failure::Argument("`dir` is NULL"))?;
        check_size::<curt_entry>(asked.entry_size as usize)?;
        let Some((path, depth)) = walk.next(asked.entry_size as usize)? else { return Ok(0) };
        let Entries { words, count, .. } = &walk.entries;
        let (entries, count) = (words.as_ptr().cast(), *count);
        // SAFETY: the caller's struct can be written.
        unsafe { structs::write(dir, curt_walk_dir { path, depth, entries, count, ..asked }) }?;
        Ok(1)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_walk_next", error, body) })
}

impl curt_walk {
    /// Returns the path and the depth of the next directory, whose entries are in their place.
    fn next(&mut self, entry_size: usize) -> Result<Option<(curt_str, u32)>, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let opened = self.open_next();
        // What was handed over before is gone.
        self.entries.clear(entry_size);
        self.subdirectories.clear();
        self.texts.clear();
        let Some(directory) = opened? else { return Ok(None) };
        let path = self.texts.add(&to_units(directory.path().as_os_str()));
        let depth = u32::try_from(self.descent.depth()).unwrap_or(u32::MAX);
        let mut list = directory.list(self.plan);
        let read = list.visit(|entry| {
            self.add(&entry);
            Next::Continue
        });
        self.failed = match read {
            Err(error) if self.entries.count == 0 => return Err(error),
            read => read.err(),
        };
        self.list = Some(list);
        Ok(Some((path, depth)))
    }

    /// Enters the directory that was handed over last, and opens the next.
    fn open_next(&mut self) -> Result<Option<Directory>, Error> {
        if let Some(list) = self.list.take() {
            let names = self.subdirectories.iter().filter_map(|(_, name)| *name);
            // SAFETY: the names are in the texts, which were not cleared since.
            let names = names.filter_map(|name| unsafe { name.path() }.ok());
            let names: Vec<_> = names.collect();
            self.descent.enter(list, names.iter().map(|name| name.as_os_str()))?;
        }
        if let Some(opened) = self.descent.next() {
            return opened.map(Some);
        }
        self.waiting.pop().map(|path| self.descent.open(path)).transpose()
    }

    fn add(&mut self, entry: &Entry<'_>) {
        let index = self.entries.count;
        let name = self.texts.add(entry.units());
        if entry.kind().is_dir() {
            self.subdirectories.push((index, Some(name)));
        }
        // SAFETY: the place is for an entry, and is used at once.
        let place = unsafe { dir::put(self.entries.add(), name) };
        place.fill(entry.metadata(), self.wanted, &mut self.texts);
    }
}

/// Leaves out everything below an entry of the last directory. No call.
///
/// Returns 0, also if it is no directory, or `CURT_E_ARGUMENT` if the directory has no such entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_walk_prune(walk: *mut curt_walk, index: usize) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let walk = unsafe { handle::exclusive(walk) }?;
        if index >= walk.entries.count {
            return Err(Failure::Argument("the last directory has no such entry"));
        }
        let found = walk.subdirectories.binary_search_by_key(&index, |(at, _)| *at);
        if let Ok(at) = found {
            walk.subdirectories[at].1 = None;
        }
        Ok(0)
    };
    int(plain(body))
}

/// Closes a walk, at its end or before: its texts and entries are gone. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_walk_close(walk: *mut curt_walk) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(walk) };
}
