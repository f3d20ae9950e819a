//! Calls the functions of libcurt on a scratch directory, in any order and with any arguments. No
//! call may crash, return an undocumented result, write outside the caller's buffers, run a
//! callback on another thread, or leak a descriptor.
//!
//! [`FUNCTIONS`] has one row per function. The methods of [`Run`] build the arguments from the
//! input, and keep them until the call has been checked. Dangling pointers and closed objects are
//! not tried, because libcurt cannot detect them.
#![no_main]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::fs::{self, File};
use std::ops::{Range, RangeInclusive};
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::ptr::{dangling_mut, null, null_mut};
use std::sync::OnceLock;
use std::thread::{self, ThreadId};
use std::{mem, slice};

use libcurt::usage::*;
use libcurt::{canonical::*, control::*, dir::*, error::*, expand::*, metadata::*};
use libcurt::{lookup::*, remove::*, results::*, root::*, search::*, text::*, tree::*};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 20] = [
    "", "/", "/a", "/a/", "/a/b", "/a/b/c", "/a/f", "/a/f/", "/a/f/x", "/link", "/link/",
    "/link/b", "/loop", "/loop/x", "/broken", "/missing", "/a/b/..", "/a/.", "/bin/x", "/a\0/f",
];
const NAMES: [&str; 10] = ["a", "f", "b", "link", "loop", "missing", "", ".", "a/b", "x\0y"];

type Results = RangeInclusive<i32>;

const ARGUMENT: Results = CURT_E_ARGUMENT..=CURT_E_ARGUMENT;
const PLAIN: Results = CURT_E_ARGUMENT..=CURT_E_OS;
const STOPPABLE: Results = CURT_E_STOPPED..=CURT_E_OS;
const REPLACED: Results = CURT_E_REPLACED..=CURT_E_REPLACED;
const LOOP: Results = CURT_E_LOOP..=CURT_E_LOOP;
const OTHER: Results = CURT_E_OTHER..=CURT_E_OTHER;
const KEPT: Results = CURT_E_KEPT_LINK..=CURT_E_KEPT_MOUNT_POINT;
const FIND: Results = CURT_E_FIND_DENIED..=CURT_E_FIND_NOT_FOUND;
const REFUSED: Results = CURT_E_REFUSED_LINK..=CURT_E_REFUSED_EMPTY;
const EXPAND: Results = CURT_E_EXPAND_ENCODING..=CURT_E_EXPAND_EMPTY;

type Function = (&'static str, &'static [Results], fn(&mut Run<'_>) -> isize);

macro_rules! functions {
    ($($allowed:tt $function:ident($($make:ident $(($($what:expr),*))?),*);)*) => {
        &[$((stringify!($function), &$allowed, |run| {
            // SAFETY: buffers are valid for every length that libcurt accepts, and objects are
            // open.
            unsafe { $function($(run.$make($($($what),*)?)),*) as isize }
        })),*]
    };
}

const FUNCTIONS: &[Function] = functions! {
    [ARGUMENT] curt_search_open(search_options, place(SEARCH), error);
    [PLAIN, OTHER, FIND] curt_search_find(pick(SEARCH), name, buffer(0), len, filled, error);
    [PLAIN, OTHER, FIND] curt_find_once(search_options, name, buffer(0), len, filled, error);
    [STOPPABLE, OTHER, FIND] curt_search_all(pick(SEARCH), name, each, context, error);
    [ARGUMENT] curt_expander_open(expand_options, place(EXPANDER), error);
    [ARGUMENT, EXPAND] curt_expand_bytes(pick(EXPANDER), text, len, buffer(0), len);
    [ARGUMENT, EXPAND] curt_expand_units(pick(EXPANDER), text, len, buffer(0), len);
    [PLAIN] curt_dir_open(path, number, number, place(DIR), error);
    [PLAIN] curt_dir_next(pick(DIR), entries, len, count, error);
    [PLAIN] curt_stat(path, number, number, metadata, len, error);
    [STOPPABLE, REPLACED, OTHER, KEPT]
        curt_remove(no_fd, path, remove_options, control, filled, error);
    [STOPPABLE, REPLACED, OTHER, KEPT]
        curt_remove(fd, entry, remove_options, control, filled, error);
    [STOPPABLE, REPLACED, OTHER, KEPT]
        curt_remove_many(paths, len, remove_options, control, filled, error);
    [ARGUMENT] curt_tree_open(path, number, place(TREE), error);
    [PLAIN, REPLACED, LOOP, OTHER] curt_tree_next(pick(TREE), tree_entry, error);
    [ARGUMENT] curt_tree_prune(pick(TREE));
    [STOPPABLE, LOOP, OTHER] curt_usage(paths, len, number, control, filled, error);
    [PLAIN, LOOP, OTHER] curt_canonical(path, number, buffer(0), len, error);
    [PLAIN, OTHER] curt_root_open(path, number, place(ROOT), error);
    [PLAIN, REPLACED, OTHER, REFUSED]
        curt_root_open_file(pick(ROOT), name, open_options, place_of_fd, error);
    [] close(object);
    [ARGUMENT] curt_lookup_open(paths, len, number, place(LOOKUP), error);
    [ARGUMENT] curt_lookup_set_roots(pick(LOOKUP), paths, len, error);
    [ARGUMENT] curt_lookup_revalidate(pick(LOOKUP));
    [ARGUMENT]
        curt_lookup_find(pick(LOOKUP), name, extensions, len, buffer(1), len, error);
};

const DIR: usize = 0;
const SEARCH: usize = 1;
const EXPANDER: usize = 2;
const ROOT: usize = 3;
const TREE: usize = 4;
const LOOKUP: usize = 5;

unsafe fn close((kind, object): (usize, *mut c_void)) -> i32 {
    // SAFETY: the object is NULL or of this kind, and the caller does not use it again.
    unsafe {
        match kind {
            DIR => curt_dir_close(object.cast()),
            SEARCH => curt_search_close(object.cast()),
            EXPANDER => curt_expander_close(object.cast()),
            TREE => curt_tree_close(object.cast()),
            ROOT => curt_root_close(object.cast()),
            _ => curt_lookup_close(object.cast()),
        }
    }
    0
}

type Check = Box<dyn FnOnce(isize)>;

/// One run. After the end of the input, it reads zeros, which mostly choose valid arguments.
struct Run<'a> {
    input: &'a [u8],
    tree: String,
    asked: Asked,
    cancel: c_int,
    len: usize,
    count: usize,
    /// Checks to make after the call. They own its arguments.
    checks: Vec<Check>,
    error: Option<*mut curt_error>,
    object: Option<(usize, *mut c_void)>,
    objects: [Vec<*mut c_void>; 6],
}

impl Run<'_> {
    fn run(&mut self) {
        for _ in 0..64 {
            if self.input.is_empty() {
                return;
            }
            let (name, allowed, call) = FUNCTIONS[self.below(FUNCTIONS.len())];
            let result = call(self);
            check(name, result, allowed);
            self.checks.drain(..).rev().for_each(|check| check(result));
            if let Some(error) = self.error.take() {
                assert_eq!(error.is_null(), result >= 0, "{name}");
                if result < 0 {
                    assert_eq!(said(error) as isize, result, "{name}");
                    // SAFETY: the error is open and not used again.
                    unsafe { curt_error_free(error) };
                }
            }
            if let Some((kind, object)) = self.object.take() {
                assert_eq!(!object.is_null(), result == 0, "{name}");
                self.objects[kind].extend((result == 0).then_some(object));
            }
        }
    }

    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.input.split_first() else { return 0 };
        self.input = rest;
        first
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    fn number(&mut self) -> u32 {
        match self.byte() {
            small @ 0..128 => small.into(),
            bit @ 128..192 => 1 << (bit % 32),
            255 => u32::MAX,
            _ => u32::from_le_bytes([(); 4].map(|()| self.byte())),
        }
    }

    fn after(&mut self, check: impl FnOnce(isize) + 'static) {
        self.checks.push(Box::new(check));
    }

    fn len(&self) -> usize {
        self.len
    }

    fn count(&self) -> usize {
        self.count
    }

    /// Keeps values, with `room` bytes behind them, until the check. `writable` returns the bytes
    /// that a call with this result may write.
    fn keep<T: Copy>(
        &mut self,
        values: &[T],
        room: usize,
        writable: impl FnOnce(isize) -> Range<usize> + 'static,
    ) -> *mut T {
        let mut words = vec![FILLER; (size_of_val(values) + room).div_ceil(8) + 4];
        let kept: *mut T = words.as_mut_ptr().cast();
        // SAFETY: the buffer is large enough, and aligned for every type of libcurt.
        unsafe { kept.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        let before = words.clone();
        self.after(move |result| {
            let [now, before] = [&words, &before].map(|words| bytes(words));
            let Range { start, end } = writable(result);
            assert!(
                now[..start] == before[..start] && now[end..] == before[end..],
                "written where the caller has no room"
            );
        });
        kept
    }

    /// Lends an array or a string, possibly with a wrong length: shorter, down to `least`, or
    /// larger than memory.
    fn lend<T: Copy>(&mut self, values: &[T], least: usize) -> *const T {
        let kept = self.keep(values, 0, |_| 0..0);
        let (is_null, len) = match self.byte() % 16 {
            1 => (true, 0),
            2 => (true, 1),
            3 => (false, usize::MAX),
            4 => (false, isize::MAX as usize + 1),
            5 => (false, 0),
            6 => (false, values.len().min(least + self.below(8))),
            _ => (false, values.len()),
        };
        self.len = len;
        if is_null { null() } else { kept }
    }

    fn text<U: Copy>(&mut self) -> *const U {
        let units: Vec<u16> = (0..self.below(32)).map(|_| self.byte().into()).collect();
        let narrow = |unit: &u16| {
            // SAFETY: `U` is an integer of at most two bytes.
            unsafe { mem::transmute_copy(unit) }
        };
        let units: Vec<U> = units.iter().map(narrow).collect();
        self.lend(&units, 0)
    }

    fn lend_str(&mut self, text: &[u8], least: usize) -> curt_str {
        curt_str { ptr: self.lend(text, least).cast(), len: self.len }
    }

    fn any_str(&mut self) -> curt_str {
        curt_str { ptr: self.text(), len: self.len }
    }

    /// Returns a path that, even with a wrong length, does not leave the scratch directory.
    fn path(&mut self) -> curt_str {
        let below = PATHS[self.below(PATHS.len())];
        let path = format!("{}{below}", self.tree);
        self.lend_str(path.as_bytes(), self.tree.len())
    }

    fn paths(&mut self) -> *const curt_str {
        let paths: Vec<_> = (0..self.below(4)).map(|_| self.path()).collect();
        self.lend(&paths, 0)
    }

    fn entry(&mut self) -> curt_str {
        let name = NAMES[self.below(NAMES.len())];
        self.lend_str(name.as_bytes(), 0)
    }

    fn name(&mut self) -> curt_str {
        match self.byte() % 4 {
            0 => self.lend_str(b"bin/x", 0),
            1 => self.path(),
            2 => self.entry(),
            _ => self.any_str(),
        }
    }

    fn extensions(&mut self) -> *const curt_str {
        let extensions: Vec<_> = (0..self.below(4))
            .map(|_| if self.byte() % 2 == 0 { self.lend_str(b"", 0) } else { self.any_str() })
            .collect();
        self.lend(&extensions, 0)
    }

    fn size<T>(&mut self) -> usize {
        let whole = size_of::<T>();
        let others = [whole, 0, whole - 8, whole - 1, whole + 1, whole + 8, 4096, 4097, usize::MAX];
        others.get(self.below(16)).copied().unwrap_or(whole)
    }

    /// The pointer may be NULL or misaligned, and the size wrong.
    fn structure<T: Copy>(&mut self, value: T, is_filled_in: bool) -> *mut T {
        let size = self.size::<T>();
        let mut words = [0_u64; 513];
        // SAFETY: the buffer is large enough, and aligned for every struct.
        unsafe { words.as_mut_ptr().cast::<T>().write(value) };
        words[0] = size as u64;
        let choice = self.below(16);
        if choice == 1 {
            words[size_of::<T>() / 8] = 1;
        }
        let writable = if is_filled_in && size > 8 && size <= 4096 { 8..size } else { 0..0 };
        let known = size.clamp(size_of::<T>() + 8, 4096).div_ceil(8);
        let kept: *mut T = self.keep(&words[..known], 4096, |_| writable).cast();
        match choice {
            2 => null_mut(),
            3 => kept.wrapping_byte_add(1),
            _ => kept,
        }
    }

    fn filled<T: Copy>(&mut self) -> *mut T {
        self.structure(zeros(), true)
    }

    fn array<T: Copy + 'static>(
        &mut self,
        most: usize,
        filled: impl FnOnce(isize) -> usize + 'static,
        check: fn(&T),
    ) -> *mut T {
        let size = self.size::<T>();
        let room = most * size.clamp(size_of::<T>(), 4096);
        let kept = self.keep::<T>(&[], room, move |_| 0..room);
        // SAFETY: the call filled in as many elements as `filled` returns.
        let after = move |result| unsafe { each(kept, size, filled(result), check) };
        self.after(after);
        self.len = size;
        if self.below(8) == 7 { null_mut() } else { kept }
    }

    fn entries(&mut self) -> *mut curt_entry {
        let most = self.below(5);
        self.count = most;
        let filled = move |result| usize::try_from(result).unwrap_or(0);
        self.array(most, filled, check_entry)
    }

    fn metadata(&mut self) -> *mut curt_metadata {
        self.array(1, |result| usize::from(result == 0), check_metadata)
    }

    /// Returns a buffer. If it is shorter than `least`, the call must not write to it.
    fn buffer<U: Copy>(&mut self, least: usize) -> *mut U {
        let capacity = [512, 0, 1, self.below(64)].get(self.below(8)).copied().unwrap_or(512);
        let unit = size_of::<U>();
        let written = move |result: isize| {
            let is_written = |len: &usize| (least..capacity).contains(len);
            usize::try_from(result).ok().filter(is_written).map(|len| (len + 1) * unit)
        };
        let room = capacity * unit;
        let kept = self.keep::<u8>(&[], room, move |result| 0..written(result).unwrap_or(0));
        self.after(move |result| {
            for at in written(result).map_or(0..0, |end| end - unit..end) {
                // SAFETY: the call wrote this element.
                assert_eq!(unsafe { kept.add(at).read() }, 0, "no NUL");
            }
        });
        self.len = capacity;
        if self.below(16) == 15 { null_mut() } else { kept.cast() }
    }

    fn error(&mut self) -> *mut *mut curt_error {
        self.error = (self.below(8) != 7).then_some(dangling_mut());
        self.error.as_mut().map_or(null_mut(), |error| &raw mut *error)
    }

    fn place<T>(&mut self, kind: usize) -> *mut *mut T {
        self.object = (self.below(16) != 15).then_some((kind, dangling_mut()));
        self.object.as_mut().map_or(null_mut(), |(_, object)| (&raw mut *object).cast())
    }

    fn pick<T>(&mut self, kind: usize) -> *mut T {
        let at = self.below(self.objects[kind].len() + 1);
        self.objects[kind].get(at).map_or(null_mut(), |object| object.cast())
    }

    fn object(&mut self) -> (usize, *mut c_void) {
        let kind = self.below(self.objects.len());
        let object = self.pick(kind);
        self.objects[kind].retain(|&other| other != object);
        (kind, object)
    }

    fn fd(&mut self) -> c_int {
        let below = ["", "/a/f", "/missing"][self.below(3)];
        let fd = File::open(format!("{}{below}", self.tree)).map_or(-1, IntoRawFd::into_raw_fd);
        self.after(move |_| {
            if fd >= 0 {
                close_file(fd);
            }
        });
        fd
    }

    fn no_fd(&mut self) -> c_int {
        if self.below(8) == 7 { -1 } else { -100 }
    }

    fn place_of_fd(&mut self) -> *mut c_int {
        let place = self.keep(&[-1], 0, |_| 0..4);
        self.after(move |result| {
            // SAFETY: `place` is alive until the check.
            let fd = unsafe { place.read() };
            assert_eq!(fd >= 0, result == 0, "a descriptor and a failure");
            if fd >= 0 {
                close_file(fd);
            }
        });
        if self.below(16) == 15 { null_mut() } else { place }
    }

    fn context(&mut self) -> *mut c_void {
        self.asked.left = Cell::new(!self.byte());
        (&raw mut self.asked).cast()
    }

    fn each(&mut self) -> Option<See> {
        (self.below(16) != 15).then_some(see as See)
    }

    fn control(&mut self) -> *const curt_control {
        let (context, choice) = (self.context(), self.byte());
        self.cancel = c_int::from(choice & 3 == 3);
        let cancel = if choice & 1 != 0 { &raw const self.cancel } else { null() };
        let is_odd = choice & 0xF0 == 0x10;
        let value = curt_control {
            size: 0,
            // Few, because starting threads is the slowest part of a call.
            threads: self.number() % 4,
            reserved: if choice & 0xC0 == 0xC0 { self.number() } else { 0 },
            cancel: if is_odd { cancel.wrapping_byte_add(1) } else { cancel },
            poll: (choice & 4 != 0).then_some(answer),
            on_error: (choice & 8 != 0).then_some(hear),
            context,
        };
        self.structure(value, false)
    }

    fn remove_options(&mut self) -> *const curt_remove_options {
        let (flags, directories) = (self.number(), self.number() % 8);
        let on_progress = (self.byte() % 2 == 1).then_some(progress as _);
        let context = (&raw mut self.asked).cast();
        let glob = self.any_str();
        let value = curt_remove_options {
            size: 0,
            flags,
            directories,
            on_progress,
            context,
            exclude: None,
            retries: self.number(),
            retry_ms: u32::from(self.byte()),
            exclude_globs: self.lend(&[glob], 0),
            exclude_globs_count: usize::from(self.byte() % 2 == 1),
        };
        self.structure(value, false)
    }

    fn search_options(&mut self) -> *const curt_search_options {
        let path = match self.byte() % 4 {
            0 => self.lend_str(format!("{0}/none:{0}/bin:{0}/a", self.tree).as_bytes(), 0),
            1 => self.lend_str(format!("{0}/bin;{0}/a", self.tree).as_bytes(), 0),
            _ => self.any_str(),
        };
        let (pathext, base) = (self.any_str(), self.path());
        let (policy, flags) = (self.number(), self.number());
        let value = curt_search_options { size: 0, policy, flags, path, pathext, base };
        self.structure(value, false)
    }

    fn expand_options(&mut self) -> *const curt_expand_options {
        let mut value: curt_expand_options = zeros();
        for (text, len) in [
            (&mut value.base, &mut value.base_len),
            (&mut value.cwd, &mut value.cwd_len),
            (&mut value.home, &mut value.home_len),
        ] {
            (*text, *len) = (self.text::<u16>().cast(), self.len);
        }
        value.flavor = self.number() % 4;
        value.style = self.number() % 4;
        value.dot_dot = self.number() % 8;
        value.flags = self.number();
        value.width = self.number() % 4;
        value.reserved = u32::from(self.byte() == 255);
        self.structure(value, false)
    }

    fn open_options(&mut self) -> *const curt_open_options {
        let (flags, mode, system_flags, reserved) = (self.number(), self.number(), 0, 0);
        let value = curt_open_options { size: 0, flags, mode, system_flags, reserved };
        self.structure(value, false)
    }

    fn tree_entry(&mut self) -> *mut curt_tree_entry {
        let entry = self.structure(curt_tree_entry { ..zeros() }, true);
        let tree = self.tree.clone();
        self.after(move |result| {
            if result > 0 {
                // SAFETY: a positive result means that the entry was filled in.
                let filled = unsafe { entry.read() };
                assert!(with_nul(filled.path).starts_with(tree.as_bytes()));
            }
        });
        entry
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        for (kind, objects) in self.objects.iter().enumerate() {
            // SAFETY: each object is closed once and not used again.
            objects.iter().for_each(|&object| _ = unsafe { close((kind, object)) });
        }
    }
}

const FILLER: u64 = 0xA5A5_A5A5_A5A5_A5A5;

fn bytes(words: &[u64]) -> &[u8] {
    // SAFETY: any initialized `u64` can be read as bytes.
    unsafe { slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

fn zeros<T: Copy>() -> T {
    // SAFETY: callers ask only for structs of libcurt, for which all zeros are valid.
    unsafe { mem::zeroed() }
}

unsafe fn each<T>(first: *const T, size: usize, count: usize, check: fn(&T)) {
    for at in 0..count {
        // SAFETY: the caller guarantees `count` elements of `size` bytes.
        check(&unsafe { first.byte_add(at * size).read() });
    }
}

fn close_file(fd: c_int) {
    // SAFETY: the descriptor is open, and this is its only owner.
    drop(unsafe { File::from_raw_fd(fd) });
}

fn with_nul<'a>(text: curt_str) -> &'a [u8] {
    // SAFETY: libcurt keeps the string alive until it is checked.
    let units = unsafe { slice::from_raw_parts(text.ptr.cast::<u8>(), text.len + 1) };
    assert!(units.ends_with(&[0]), "no NUL behind a text");
    units
}

fn check_entry(entry: &curt_entry) {
    let name = with_nul(entry.name);
    assert!(!name.contains(&b'/') && !matches!(name, b"\0" | b".\0" | b"..\0"));
    check_metadata(&entry.metadata);
}

fn check_metadata(metadata: &curt_metadata) {
    assert_eq!(metadata.known & metadata.failed, 0, "known and failed");
    assert!(metadata.failed == 0 || metadata.result != 0, "failed without a reason");
    check("metadata", metadata.result as isize, &[STOPPABLE, REPLACED, OTHER]);
}

struct Asked {
    thread: ThreadId,
    left: Cell<u8>,
}

unsafe extern "C" fn answer(context: *mut c_void) -> c_int {
    // SAFETY: `context` points to this run's `Asked`.
    let asked = unsafe { &*context.cast::<Asked>() };
    assert_eq!(thread::current().id(), asked.thread, "a callback on another thread");
    let left = asked.left.get();
    asked.left.set(left.saturating_sub(1));
    c_int::from(left == 0)
}

unsafe extern "C" fn hear(context: *mut c_void, error: *const curt_error) -> c_int {
    assert!(said(error) < 0);
    // SAFETY: `context` points to this run's `Asked`.
    unsafe { answer(context) }
}

unsafe extern "C" fn progress(context: *mut c_void, files: u64, directories: u64) -> c_int {
    assert!(files + directories < 200);
    // SAFETY: `context` points to this run's `Asked`.
    unsafe { answer(context) }
}

type See = unsafe extern "C" fn(*mut c_void, curt_str, *const curt_found) -> c_int;

unsafe extern "C" fn see(context: *mut c_void, path: curt_str, found: *const curt_found) -> c_int {
    // SAFETY: `found` is valid during the callback.
    let found = unsafe { &*found };
    assert!(found.program <= CURT_PROGRAM_ASSOCIATION && found.relative <= 1);
    assert!(with_nul(path).len() > 1);
    // SAFETY: `context` points to this run's `Asked`.
    unsafe { answer(context) }
}

fn said(error: *const curt_error) -> i32 {
    let mut info = curt_error_info { size: size_of::<curt_error_info>(), ..zeros() };
    // SAFETY: the error is alive.
    assert_eq!(unsafe { curt_error_get(error, &raw mut info) }, 0);
    // SAFETY: the string is alive and ends with NUL.
    let text = unsafe { CStr::from_ptr(info.text) };
    assert!(text.count_bytes() == info.text_len && text.to_str().is_ok() && !text.is_empty());
    // SAFETY: the path is valid as long as the error.
    let path = unsafe { slice::from_raw_parts(info.path.ptr.cast::<u8>(), info.path.len) };
    // Only an untrusted path may contain NUL.
    let may_have_nul = REFUSED.contains(&info.result) || info.result == CURT_E_ARGUMENT;
    assert!(may_have_nul || !path.contains(&0), "{text:?}");
    assert_eq!(info.os_error != 0, !info.operation.is_null());
    info.result
}

fn check(name: &str, result: isize, allowed: &[Results]) {
    if result < 0 {
        let result = i32::try_from(result).expect("a result is a small number");
        assert!(allowed.iter().any(|range| range.contains(&result)), "{name}: {result}");
        // SAFETY: `curt_text` returns a string that ends with NUL.
        let (text, done) =
            unsafe { (CStr::from_ptr(curt_text(result)), CStr::from_ptr(curt_text(0))) };
        assert_ne!(text, done, "{name}: {result}");
    }
}

struct Ground(PathBuf);

impl Ground {
    fn new() -> Ground {
        static PLACE: OnceLock<PathBuf> = OnceLock::new();
        let place = PLACE.get_or_init(|| {
            let memory = Path::new("/dev/shm");
            let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
            place.join(format!("curt-fuzz-boundary-{}", std::process::id()))
        });
        let _ = fs::remove_dir_all(place);
        let tree = place.join("tree");
        fs::create_dir_all(tree.join("a/b/c")).expect("it can be made");
        fs::create_dir(tree.join("bin")).expect("it can be made");
        fs::write(tree.join("a/f"), b"text").expect("it can be written");
        fs::write(tree.join("bin/x"), b"").expect("it can be written");
        let program = fs::Permissions::from_mode(0o755);
        fs::set_permissions(tree.join("bin/x"), program).expect("it can be changed");
        for (link, target) in
            [("link", "a"), ("loop", "loop"), ("broken", "none"), ("a/b/up", "..")]
        {
            symlink(target, tree.join(link)).expect("it can be made");
        }
        // Relative paths must not reach anything outside the scratch directory.
        std::env::set_current_dir(place).expect("it can be entered");
        Ground(place.clone())
    }

    fn tree(&self) -> PathBuf {
        self.0.join("tree")
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fuzz_target!(|data: &[u8]| {
    let ground = Ground::new();
    let before = open_files();
    let tree = ground.tree().into_os_string().into_string().expect("it is Unicode");
    let asked = Asked { thread: thread::current().id(), left: Cell::new(0) };
    let (cancel, checks, objects) = (0, Vec::new(), Default::default());
    let (len, count, error, object) = (0, 0, None, None);
    let input = data;
    let mut run = Run { input, tree, asked, cancel, len, count, checks, error, object, objects };
    run.run();
    drop(run);
    assert_eq!(open_files(), before, "a descriptor was left open");
});
