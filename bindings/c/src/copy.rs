//! Copying trees.
//!
//!     curt_str source = curt_z("tree");
//!     curt_copy_options options = CURT_COPY_OPTIONS_INIT;
//!     curt_copy_report report = CURT_COPY_REPORT_INIT;
//!     options.flags = CURT_COPY_PRESERVE_MODE | CURT_COPY_PRESERVE_TIMES;
//!     if (curt_copy(&source, 1, curt_z("copy"), &options, NULL, &report, NULL) == 0)
//!         printf("%lu bytes copied\n", (unsigned long)report.bytes);

use std::ffi::{c_int, c_void};
use std::path::Path;

use curt::copy::{Existing, Method, Preserve, Totals};
use curt::fields::{Follow, Kind};
use curt::{Copy, Next};

use crate::control::{Control, curt_control, excludes, next, outcome};
use crate::error::{curt_error, guard};
use crate::guard::{Failure, int};
use crate::structs::{self, Versioned};
use crate::text::{self, curt_str};

/// The destination is an existing directory, in which each source keeps its name. The contents of a
/// source that ends in `.` go into the directory itself.
pub const CURT_COPY_INTO: u32 = 1;
/// Refuses directories, and copies the content of devices and named pipes.
pub const CURT_COPY_NO_DIRECTORIES: u32 = 2;
/// Follows symlinks that are themselves sources.
pub const CURT_COPY_FOLLOW_SOURCES: u32 = 4;
/// Follows all symlinks.
pub const CURT_COPY_FOLLOW: u32 = 8;
/// Copies directories on filesystems other than that of their source as empty ones.
pub const CURT_COPY_SAME_FILE_SYSTEM: u32 = 16;
/// Replaces even files that the process may not write.
pub const CURT_COPY_REPLACE_READ_ONLY: u32 = 32;
/// Only reports what a copy would do.
pub const CURT_COPY_DRY_RUN: u32 = 64;
/// The umask alone decides the permissions of new directories, unless they are preserved.
pub const CURT_COPY_DIRECTORIES_BY_UMASK: u32 = 128;
/// Preserves permissions and access rules (ACLs), on Windows attributes.
pub const CURT_COPY_PRESERVE_MODE: u32 = 256;
/// Preserves owner and group, as far as permitted.
pub const CURT_COPY_PRESERVE_OWNER: u32 = 512;
/// Preserves the times of access and modification.
pub const CURT_COPY_PRESERVE_TIMES: u32 = 1024;
/// Preserves extended attributes.
pub const CURT_COPY_PRESERVE_ATTRIBUTES: u32 = 2048;
/// Preserves hard links among the copied files.
pub const CURT_COPY_PRESERVE_LINKS: u32 = 4096;
/// Makes a copy another name for the same file, if possible. Such files share all later changes.
/// Of the methods given, the next one applies to files for which one fails.
pub const CURT_COPY_BY_HARD_LINK: u32 = 8192;
/// Lets a copy share its blocks with the source, if possible, until one of the files is written.
pub const CURT_COPY_BY_REFLINK: u32 = 16384;
/// Copies content. Without any method, reflinks are tried first.
pub const CURT_COPY_BY_DATA: u32 = 32768;

/// An existing destination is a failure, even a directory.
pub const CURT_EXISTING_FAIL: u32 = 0;
/// Copies into existing directories, as with all constants below. Other entries are failures.
pub const CURT_EXISTING_MERGE: u32 = 1;
/// Keeps existing files.
pub const CURT_EXISTING_KEEP: u32 = 2;
/// Replaces existing files and symlinks by renaming complete copies over them.
pub const CURT_EXISTING_REPLACE: u32 = 3;
/// Replaces existing files that are older than their source.
pub const CURT_EXISTING_REPLACE_OLDER: u32 = 4;
/// Replaces existing files that differ from their source in size or time of modification.
pub const CURT_EXISTING_REPLACE_CHANGED: u32 = 5;

/// How to copy. By default existing destinations are failures, symlinks are copied as they are, and
/// permissions follow the umask, without set-id bits.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_copy_options {
    /// Size of this struct.
    pub size: usize,
    /// `CURT_COPY_…`.
    pub flags: u32,
    /// One of `CURT_EXISTING_…`.
    pub existing: u32,
    /// NULL, or a callback for each entry inside a source. Any result but 0 skips the entry. The
    /// path lives until the callback returns; `kind` is `CURT_KIND_…`. Only one thread works then.
    pub exclude:
        Option<unsafe extern "C" fn(context: *mut c_void, path: curt_str, kind: u32) -> c_int>,
    /// NULL, or a callback that gets the totals every few hundred entries and 16 MiB, and at the
    /// end unless the copy was stopped; otherwise as `on_progress` of `curt_remove_options`.
    pub on_progress: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            files: u64,
            directories: u64,
            bytes: u64,
        ) -> c_int,
    >,
    /// Passed to `exclude` and `on_progress`.
    pub context: *mut c_void,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_copy_options {}

/// What a copy has done, even if it failed or was stopped.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_copy_report {
    /// Size of this struct.
    pub size: usize,
    /// Entries copied, except directories.
    pub files: u64,
    /// Directories created.
    pub directories: u64,
    /// Bytes of content copied or shared.
    pub bytes: u64,
    /// How many of `files` are hard links to their source.
    pub hard_links: u64,
    /// How many of `files` share blocks with their source.
    pub reflinks: u64,
    /// Entries excluded or kept.
    pub skipped: u64,
    /// Failures.
    pub errors: u64,
    /// System calls made.
    pub calls: u64,
    /// Threads used, including the caller's.
    pub threads: u32,
    /// 1 if `cancel`, `poll` or a callback stopped the copy, else 0.
    pub stopped: u32,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_copy_report {}

/// Copies a source, which becomes `destination`; with `CURT_COPY_INTO`, copies `count` sources into
/// the directory `destination`. `report` can be NULL.
///
/// Both trees are walked by open directories, and each file is created new. So a swapped symlink
/// cannot lead the copy out of either tree, and an existing symlink is never written through.
/// Continues after a failure and returns as `curt_remove` does, but removes a file that it could
/// not complete.
///
/// Cost on Linux: 7 calls per file, 2 per symlink, 9 per directory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_copy(
    sources: *const curt_str,
    count: usize,
    destination: curt_str,
    options: *const curt_copy_options,
    control: *const curt_control,
    report: *mut curt_copy_report,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `sources` points to `count` readable texts.
        let sources = unsafe { text::paths(sources, count) }?;
        // SAFETY: `destination` is readable.
        let destination = unsafe { destination.path() }?;
        // SAFETY: `control` is NULL or valid during the call.
        let control = unsafe { Control::new(control) }?;
        // SAFETY: `options` is NULL or valid during the call.
        let options = unsafe { structs::read(options) }?;
        // SAFETY: zeros are valid.
        let options = options.unwrap_or_else(|| unsafe { std::mem::zeroed() });
        // SAFETY: `report` is NULL or readable.
        unsafe { structs::check(report) }?;
        let callbacks = Callbacks(options);
        let has_callbacks = options.exclude.is_some() || options.on_progress.is_some();
        let mut copy = set(&options)?
            .threads(control.threads())
            // Set even if the caller has none, so that the report stores only one failure.
            .on_error(|error| control.report(error))
            .callbacks_on_caller_thread(control.reports() || has_callbacks);
        if control.polls() {
            copy = copy.poll(|| control.poll());
        }
        if options.on_progress.is_some() {
            copy = copy.on_progress(|totals| callbacks.show(totals));
        }
        if options.exclude.is_some() {
            copy = copy.exclude(|entry| callbacks.excludes(entry.path(), entry.kind()));
        }
        let done = match &sources[..] {
            sources if options.flags & CURT_COPY_INTO != 0 => copy.run_into(sources, &*destination),
            [source] => copy.run(source, &*destination),
            _ => return Err(Failure::Argument("`count` is not 1, but CURT_COPY_INTO is not set")),
        };
        let filled = curt_copy_report {
            size: 0,
            files: done.files,
            directories: done.directories,
            bytes: done.bytes,
            hard_links: done.hard_links,
            reflinks: done.reflinks,
            skipped: done.skipped,
            errors: done.error_count,
            calls: done.calls.total(),
            threads: u32::try_from(done.threads).unwrap_or(u32::MAX),
            stopped: done.stopped.into(),
        };
        // SAFETY: `report` is NULL or writable.
        unsafe { structs::write(report, filled) }?;
        outcome(done.errors.into_iter().next(), done.stopped)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_copy", error, body) })
}

/// In the order of the constants.
const EXISTING: [Existing; 6] = [
    Existing::Fail,
    Existing::Merge,
    Existing::Keep,
    Existing::Replace,
    Existing::ReplaceOlder,
    Existing::ReplaceChanged,
];
const PRESERVED: [Preserve; 5] =
    [Preserve::MODE, Preserve::OWNER, Preserve::TIMES, Preserve::ATTRIBUTES, Preserve::LINKS];
const METHODS: [Method; 3] = [Method::HardLink, Method::Reflink, Method::Data];

fn set(options: &curt_copy_options) -> Result<Copy<'static>, Failure> {
    let flags = options.flags;
    if flags >= 2 * CURT_COPY_BY_DATA {
        return Err(Failure::Argument("`flags` of the options has an unknown bit"));
    }
    let existing = EXISTING.get(options.existing as usize);
    let existing = existing.ok_or(Failure::Argument("`existing` of the options is unknown"))?;
    let has = |flag| flags & flag != 0;
    let follow = match (has(CURT_COPY_FOLLOW), has(CURT_COPY_FOLLOW_SOURCES)) {
        (true, _) => Follow::Links,
        (false, true) => Follow::CommandLine,
        (false, false) => Follow::Never,
    };
    let preserved = chosen(flags / CURT_COPY_PRESERVE_MODE, PRESERVED);
    let methods: Vec<_> = chosen(flags / CURT_COPY_BY_HARD_LINK, METHODS).collect();
    let copy = if methods.is_empty() { Copy::new() } else { Copy::new().methods(&methods) };
    Ok(copy
        .existing(*existing)
        .follow(follow)
        .preserve(preserved.fold(Preserve::NONE, |all, one| all | one))
        .recursive(!has(CURT_COPY_NO_DIRECTORIES))
        .same_file_system(has(CURT_COPY_SAME_FILE_SYSTEM))
        .replace_read_only(has(CURT_COPY_REPLACE_READ_ONLY))
        .directories_by_umask(has(CURT_COPY_DIRECTORIES_BY_UMASK))
        .dry_run(has(CURT_COPY_DRY_RUN)))
}

/// Returns the elements whose bits are set, the first of which is 1.
fn chosen<T, const N: usize>(bits: u32, all: [T; N]) -> impl Iterator<Item = T> {
    (0..).zip(all).filter(move |(at, _)| bits >> at & 1 != 0).map(|(_, one)| one)
}

struct Callbacks(curt_copy_options);

// SAFETY: `curt_copy` requests callbacks on the caller's thread.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl Callbacks {
    /// Must be called on the caller's thread.
    fn show(&self, totals: &Totals) -> Next {
        let Some(on_progress) = self.0.on_progress else { return Next::Continue };
        let Totals { files, directories, bytes, .. } = *totals;
        // SAFETY: `on_progress` accepts the caller's `context`.
        next(unsafe { on_progress(self.0.context, files, directories, bytes) })
    }

    /// Must be called on the caller's thread.
    fn excludes(&self, path: &Path, kind: Kind) -> bool {
        // SAFETY: `exclude` accepts the caller's `context`.
        unsafe { excludes(self.0.exclude, self.0.context, path, kind) }
    }
}
