//! Any calls of libcurt over a scratch directory, with sizes, flags, lengths, buffers and handles in
//! any order: nothing crashes, every result is one that is documented, nothing is written where the
//! caller has no room, callbacks come on the caller's thread, and no descriptor stays open.
//!
//! What C cannot tell from something valid is not tried: memory that is not there, handles that were
//! closed. Paths that are removed, opened or walked lie below the scratch directory; a length cuts
//! off no more than their last names.
#![no_main]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::fs::{self, File};
use std::ops::RangeInclusive;
use std::os::fd::IntoRawFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use libcurt::canonical::curt_canonical;
use libcurt::check::{curt_check_bytes, curt_check_units};
use libcurt::control::curt_control;
use libcurt::dir::*;
use libcurt::error::*;
use libcurt::expand::*;
use libcurt::metadata::curt_metadata;
use libcurt::names::*;
use libcurt::remove::*;
use libcurt::results::*;
use libcurt::root::*;
use libcurt::search::*;
use libcurt::stat::{curt_stat, curt_stat_many};
use libcurt::text::curt_str;
use libcurt::usage::{curt_totals, curt_usage};
use libcurt::walk::*;
use libfuzzer_sys::fuzz_target;

/// What is below the scratch directory, and what is not. None leads out of it.
const PATHS: [&str; 20] = [
    "", "/", "/a", "/a/", "/a/b", "/a/b/c", "/a/f", "/a/f/", "/a/f/x", "/link", "/link/",
    "/link/b", "/loop", "/loop/x", "/broken", "/missing", "/a/b/..", "/a/.", "/bin/x", "/a\0/f",
];
/// Names of one entry, and of none.
const NAMES: [&str; 10] = ["a", "f", "b", "link", "loop", "missing", "", ".", "a/b", "x\0y"];

/// Results: an inclusive range of them.
type Results = RangeInclusive<i32>;

const ARGUMENT: Results = CURT_E_ARGUMENT..=CURT_E_ARGUMENT;
/// `CURT_E_OS` and `CURT_E_ARGUMENT`.
const PLAIN: Results = CURT_E_ARGUMENT..=CURT_E_OS;
/// Those and `CURT_E_STOPPED`.
const STOPPABLE: Results = CURT_E_STOPPED..=CURT_E_OS;
const REPLACED: Results = CURT_E_REPLACED..=CURT_E_REPLACED;
const LOOP: Results = CURT_E_LOOP..=CURT_E_LOOP;
const OTHER: Results = CURT_E_OTHER..=CURT_E_OTHER;
const KEPT: Results = CURT_E_KEPT_LINK..=CURT_E_KEPT_MOUNT_POINT;
const FIND: Results = CURT_E_FIND_DENIED..=CURT_E_FIND_NOT_FOUND;
const REFUSED: Results = CURT_E_REFUSED_LINK..=CURT_E_REFUSED_EMPTY;
const EXPAND: Results = CURT_E_EXPAND_ENCODING..=CURT_E_EXPAND_EMPTY;

/// A directory with a small tree, gone when it is dropped.
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
        // Nothing that is relative by mistake leads elsewhere.
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

/// The bytes that choose. Where they end, zeros follow.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// Flags and numbers: small ones, single bits, and any others.
    fn number(&mut self) -> u32 {
        match self.byte() {
            small @ 0..128 => small.into(),
            bit @ 128..192 => 1 << (bit % 32),
            255 => u32::MAX,
            _ => u32::from_le_bytes([(); 4].map(|()| self.byte())),
        }
    }

    fn units<U: From<u8>>(&mut self) -> Vec<U> {
        let length = self.below(32);
        (0..length).map(|_| self.byte().into()).collect()
    }

    /// Lends a text with a length that may be another one: shorter, but for `least` units or all,
    /// or one that no memory has.
    fn lend<U>(&mut self, units: &[U], least: usize) -> (*const U, usize) {
        match self.byte() % 16 {
            1 => (null(), 0),
            2 => (null(), 1),
            3 => (units.as_ptr(), usize::MAX),
            4 => (units.as_ptr(), isize::MAX as usize + 1),
            5 => (units.as_ptr(), 0),
            6 => (units.as_ptr(), units.len().min(least + self.below(8))),
            _ => (units.as_ptr(), units.len()),
        }
    }

    fn lend_str(&mut self, units: &[u8], least: usize) -> curt_str {
        let (ptr, len) = self.lend(units, least);
        curt_str { ptr, len }
    }
}

/// A struct of libcurt that is all zero, as each may be.
fn zeros<T: Copy>() -> T {
    // SAFETY: it is used for such structs alone.
    unsafe { std::mem::zeroed() }
}

/// A struct of the caller, which begins with its size, and memory behind it that is not its.
struct Struct {
    words: Vec<u64>,
    before: Vec<u64>,
    size: usize,
}

impl Struct {
    /// A struct with these fields and a size that may be wrong, and the pointer to pass, which may
    /// be NULL or odd.
    fn new<T: Copy>(input: &mut Input<'_>, value: T) -> (Struct, *mut T) {
        let whole = size_of::<T>();
        let choice = input.byte() % 16;
        let size = match choice {
            2 => 0,
            3 => whole - 1,
            4 => whole - 8,
            5 | 6 => whole + 8,
            7 => 4096,
            8 => 4097,
            9 => usize::MAX,
            _ => whole,
        };
        let mut words = vec![0xA5A5_A5A5_A5A5_A5A5; 520];
        let known = size.min(4096).max(whole).div_ceil(8);
        words[..known].fill(0);
        // SAFETY: there is room for it, and a word is aligned for every struct.
        unsafe { words.as_mut_ptr().cast::<T>().write(value) };
        words[0] = size as u64;
        if choice == 6 {
            words[whole / 8] = 1 << (input.byte() % 64);
        }
        let pointer: *mut T = words.as_mut_ptr().cast();
        let pointer = match choice {
            0 => null_mut(),
            1 => pointer.wrapping_byte_add(1),
            _ => pointer,
        };
        (Struct { before: words.clone(), words, size }, pointer)
    }

    /// Nothing was written behind its size, nor the size itself.
    fn check(&self) {
        let behind = self.size.min(4096).div_ceil(8);
        assert_eq!(self.words[0], self.before[0], "the size was written");
        assert_eq!(self.words[behind..], self.before[behind..], "written behind a struct");
    }
}

/// An array of structs of a size that may be wrong, with memory behind it that is not its.
struct Array {
    words: Vec<u64>,
    size: usize,
    count: usize,
}

impl Array {
    const BEHIND: u64 = 0x5A5A_5A5A_5A5A_5A5A;

    fn new<T>(input: &mut Input<'_>, count: usize) -> (Array, *mut T) {
        let whole = size_of::<T>();
        let (size, is_null) = match input.byte() % 8 {
            1 => (0, false),
            2 => (whole - 8, false),
            3 => (whole + 8, false),
            4 => (whole + 1, false),
            5 => (usize::MAX, false),
            6 => (whole, true),
            _ => (whole, false),
        };
        let room = count * size.min(whole + 8).max(whole).div_ceil(8);
        let mut words = vec![0; room];
        words.extend([Array::BEHIND; 4]);
        let pointer = if is_null { null_mut() } else { words.as_mut_ptr().cast() };
        (Array { words, size, count }, pointer)
    }

    /// The elements that were filled in.
    fn check<T: Copy>(&self, filled: usize) -> Vec<T> {
        assert!(filled <= self.count && self.words.ends_with(&[Array::BEHIND; 4]));
        let first = self.words.as_ptr();
        // SAFETY: they were filled in.
        let element = |at: usize| unsafe { first.byte_add(at * self.size).cast::<T>().read() };
        (0..filled).map(element).collect()
    }
}

/// What callbacks are called with.
struct Asked {
    thread: ThreadId,
    /// How often they say to go on.
    left: Cell<u8>,
}

unsafe extern "C" fn answer(context: *mut c_void) -> c_int {
    // SAFETY: it is what was passed.
    let asked = unsafe { &*context.cast::<Asked>() };
    assert_eq!(thread::current().id(), asked.thread, "a callback on another thread");
    let left = asked.left.get();
    asked.left.set(left.saturating_sub(1));
    c_int::from(left == 0)
}

unsafe extern "C" fn hear(context: *mut c_void, error: *const curt_error) -> c_int {
    assert!(said(error) < 0);
    // SAFETY: as above.
    unsafe { answer(context) }
}

unsafe extern "C" fn progress(context: *mut c_void, files: u64, directories: u64) -> c_int {
    assert!(files + directories < 200);
    // SAFETY: as above.
    unsafe { answer(context) }
}

unsafe extern "C" fn see(context: *mut c_void, path: curt_str, found: *const curt_found) -> c_int {
    // SAFETY: it lives, and a NUL follows the text.
    let (found, last) = unsafe { (&*found, *path.ptr.add(path.len)) };
    assert!(found.program <= CURT_PROGRAM_ASSOCIATION && found.relative <= 1 && last == 0);
    // SAFETY: as above.
    unsafe { answer(context) }
}

/// Reads all of an error, and returns its result.
fn said(error: *const curt_error) -> i32 {
    let mut info = curt_error_info { size: size_of::<curt_error_info>(), ..zeros() };
    // SAFETY: the error lives.
    assert_eq!(unsafe { curt_error_get(error, &raw mut info) }, 0);
    // SAFETY: the text ends in a NUL.
    let text = unsafe { CStr::from_ptr(info.text) };
    assert!(text.count_bytes() == info.text_len && text.to_str().is_ok() && !text.is_empty());
    // SAFETY: the path lives as long as the error.
    let path = unsafe { std::slice::from_raw_parts(info.path.ptr, info.path.len) };
    // Only the path of a stranger may have one.
    let may_have_nul = REFUSED.contains(&info.result) || info.result == CURT_E_ARGUMENT;
    assert!(may_have_nul || !path.contains(&0), "{text:?}");
    assert!((0..=CURT_OP_FIND).contains(&info.operation));
    assert_eq!(info.os_error != 0, info.result == CURT_E_OS);
    info.result
}

/// Checks that a result is documented, for this function and at all.
fn check(name: &str, result: isize, allowed: &[Results]) {
    if result < 0 {
        let result = i32::try_from(result).expect("a result is a small number");
        assert!(allowed.iter().any(|range| range.contains(&result)), "{name}: {result}");
        // SAFETY: it is a text that ends in NUL.
        let (text, done) =
            unsafe { (CStr::from_ptr(curt_text(result)), CStr::from_ptr(curt_text(0))) };
        assert_ne!(text, done, "{name}: {result}");
    }
}

/// Calls a function with a place for its error, or without, and checks what it says.
fn call(
    input: &mut Input<'_>,
    name: &str,
    allowed: &[Results],
    call: impl FnOnce(*mut *mut curt_error) -> isize,
) -> isize {
    let mut error = std::ptr::dangling_mut();
    let is_told = input.byte() % 8 != 7;
    let result = call(if is_told { &raw mut error } else { null_mut() });
    check(name, result, allowed);
    if is_told {
        assert_eq!(error.is_null(), result >= 0, "{name}");
        if !error.is_null() {
            assert_eq!(said(error) as isize, result, "{name}");
            // SAFETY: it is not used any more.
            unsafe { curt_error_free(error) };
        }
    }
    result
}

/// Calls a function that writes a text with a buffer, and checks what it has written.
fn write<U: Copy + PartialEq + From<u8>>(
    input: &mut Input<'_>,
    write: impl FnOnce(&mut Input<'_>, *mut U, usize) -> isize,
) {
    let filler = U::from(0xA5);
    let mut buffer = vec![filler; 600];
    let capacity = match input.byte() % 8 {
        1 => 0,
        2 => 1,
        3 => input.below(64),
        _ => 512,
    };
    let pointer = if input.byte() % 16 == 15 { null_mut() } else { buffer.as_mut_ptr() };
    let length = write(input, pointer, capacity);
    let written = usize::try_from(length).ok().filter(|&length| length < capacity);
    let rest = written.map_or(&buffer[..], |length| {
        assert!(buffer[length] == U::from(0), "no NUL behind the text");
        &buffer[length + 1..]
    });
    assert!(rest.iter().all(|unit| *unit == filler), "written beyond the text");
}

/// The objects that are open.
#[derive(Default)]
struct Objects {
    dirs: Vec<*mut curt_dir>,
    searches: Vec<*mut curt_search>,
    expanders: Vec<*mut curt_expander>,
    walks: Vec<*mut curt_walk>,
    roots: Vec<*mut curt_root>,
}

/// One of them, or NULL.
fn pick<T>(input: &mut Input<'_>, objects: &[*mut T]) -> *mut T {
    let at = input.below(objects.len() + 1);
    objects.get(at).copied().unwrap_or(null_mut())
}

/// One of them, which is to be closed, or NULL.
fn take<T>(input: &mut Input<'_>, objects: &mut Vec<*mut T>) -> *mut T {
    let at = input.below(objects.len() + 1);
    if at < objects.len() { objects.swap_remove(at) } else { null_mut() }
}

/// Opens an object, which is kept, by a function with a place for it.
fn open<T>(
    input: &mut Input<'_>,
    name: &str,
    allowed: &[Results],
    objects: &mut Vec<*mut T>,
    open: impl FnOnce(*mut *mut T, *mut *mut curt_error) -> i32,
) -> isize {
    let mut object = std::ptr::dangling_mut();
    let place = if input.byte() % 16 == 15 { null_mut() } else { &raw mut object };
    let result = call(input, name, allowed, |error| open(place, error) as isize);
    if place.is_null() {
        assert_eq!(result, CURT_E_ARGUMENT as isize, "{name}");
        return result;
    }
    assert_eq!(object.is_null(), result < 0, "{name}");
    objects.extend(Some(object).filter(|object| !object.is_null()));
    result
}

/// One run: calls until the input ends.
struct Run<'a> {
    input: Input<'a>,
    tree: String,
    asked: Asked,
    /// What `cancel` points to.
    cancel: c_int,
    objects: Objects,
}

impl Run<'_> {
    fn run(&mut self) {
        for _ in 0..64 {
            match self.input.byte() % 24 {
                0 => return,
                1 => self.check_text(),
                2 | 3 => self.open_search(),
                4 | 5 => self.find(),
                6 => self.find_all(),
                7 => self.open_expander(),
                8 => self.expand(),
                9 => self.open_dir(),
                10 => self.next(),
                11 => self.stat_in_dir(),
                12 => self.stat(),
                13 => self.remove(),
                14 => self.remove_many(),
                15 => self.close(),
                16 => self.open_walk(),
                17 => self.next_of_walk(),
                18 => self.prune(),
                19 => self.names_below(),
                20 => self.usage(),
                21 => self.canonical(),
                22 => self.open_root(),
                _ => self.open_file(),
            }
        }
    }

    /// A path of the tree, and how many units of it no length may cut off.
    fn path(&mut self) -> (Vec<u8>, usize) {
        let below = PATHS[self.input.below(PATHS.len())];
        ([&self.tree, below].concat().into_bytes(), self.tree.len())
    }

    fn paths(&mut self) -> (Vec<Vec<u8>>, Vec<curt_str>) {
        let count = self.input.below(4);
        let paths: Vec<_> = (0..count).map(|_| self.path()).collect();
        let lent = paths.iter().map(|(path, least)| self.input.lend_str(path, *least)).collect();
        (paths.into_iter().map(|(path, _)| path).collect(), lent)
    }

    fn control(&mut self) -> (Struct, *mut curt_control) {
        self.asked.left.set(self.input.byte());
        let choice = self.input.byte();
        self.cancel = c_int::from(choice & 1 != 0 && choice & 2 != 0);
        let mut value = curt_control {
            size: 0,
            // What is started costs more than all else.
            threads: self.input.number() % 4,
            reserved: if choice & 0xC0 == 0xC0 { self.input.number() } else { 0 },
            cancel: if choice & 1 != 0 { &raw const self.cancel } else { null() },
            poll: (choice & 4 != 0).then_some(answer),
            on_error: (choice & 8 != 0).then_some(hear),
            context: (&raw mut self.asked).cast(),
        };
        if choice & 0xF0 == 0x10 {
            value.cancel = value.cancel.wrapping_byte_add(1);
        }
        Struct::new(&mut self.input, value)
    }

    fn check_text(&mut self) {
        let rules = self.input.number();
        let bytes = self.input.units::<u8>();
        let (ptr, len) = self.input.lend(&bytes, 0);
        // SAFETY: the text can be read as far as it is lent.
        let result = unsafe { curt_check_bytes(ptr, len, rules) };
        check("curt_check_bytes", result as isize, &[ARGUMENT, REFUSED]);
        let units: Vec<u16> = self.input.units();
        let (ptr, len) = self.input.lend(&units, 0);
        // SAFETY: as above.
        let result = unsafe { curt_check_units(ptr, len, rules) };
        check("curt_check_units", result as isize, &[ARGUMENT, REFUSED]);
    }

    /// Passes options of a search to a function.
    fn with_search<T>(
        &mut self,
        run: impl FnOnce(&mut Self, *const curt_search_options) -> T,
    ) -> T {
        let (policy, flags) = (self.input.number(), self.input.number());
        let path = match self.input.byte() % 4 {
            0 => format!("{0}/none:{0}/bin:{0}/a", self.tree).into_bytes(),
            1 => format!("{0}/bin;{0}/a", self.tree).into_bytes(),
            _ => self.input.units(),
        };
        let (pathext, (base, _)) = (self.input.units(), self.path());
        let path_str = self.input.lend_str(&path, 0);
        let pathext_str = self.input.lend_str(&pathext, 0);
        let base_str = self.input.lend_str(&base, 0);
        let (path, pathext, base) = (path_str, pathext_str, base_str);
        let value = curt_search_options { size: 0, policy, flags, path, pathext, base };
        let (options, pointer) = Struct::new(&mut self.input, value);
        let result = run(self, pointer);
        options.check();
        result
    }

    fn open_search(&mut self) {
        self.with_search(|run, options| {
            let Run { input, objects, .. } = run;
            open(input, "curt_search_open", &[ARGUMENT], &mut objects.searches, |object, error| {
                // SAFETY: all can be read as far as they are lent.
                unsafe { curt_search_open(options, object, error) }
            });
        });
    }

    fn name(&mut self) -> Vec<u8> {
        match self.input.byte() % 4 {
            0 => b"x".to_vec(),
            1 => b"bin/x".to_vec(),
            2 => self.path().0,
            _ => self.input.units(),
        }
    }

    fn find(&mut self) {
        let name = self.name();
        let lent = self.input.lend_str(&name, 0);
        let (found, pointer) = Struct::new::<curt_found>(&mut self.input, zeros());
        let allowed = [PLAIN, OTHER, FIND];
        if self.input.byte() % 2 == 0 {
            let search = pick(&mut self.input, &self.objects.searches);
            write(&mut self.input, |input, buffer, capacity| {
                call(input, "curt_search_find", &allowed, |error| {
                    // SAFETY: all can be read and written as far as they are lent.
                    unsafe { curt_search_find(search, lent, buffer, capacity, pointer, error) }
                })
            });
        } else {
            self.with_search(|run, options| {
                write(&mut run.input, |input, buffer, capacity| {
                    call(input, "curt_find_once", &allowed, |error| {
                        // SAFETY: as above.
                        unsafe { curt_find_once(options, lent, buffer, capacity, pointer, error) }
                    })
                });
            });
        }
        found.check();
    }

    fn find_all(&mut self) {
        let name = self.name();
        let lent = self.input.lend_str(&name, 0);
        let search = pick(&mut self.input, &self.objects.searches);
        self.asked.left.set(self.input.byte() % 4);
        let each = (self.input.byte() % 16 != 15).then_some(see as _);
        let context = (&raw mut self.asked).cast();
        call(&mut self.input, "curt_search_all", &[STOPPABLE, OTHER, FIND], |error| {
            // SAFETY: all can be read as far as they are lent.
            unsafe { curt_search_all(search, lent, each, context, error) as isize }
        });
    }

    fn open_expander(&mut self) {
        // Half of the widths are right, and no text is read with a wrong one.
        let width = self.input.number() % 4;
        let texts = [(); 3].map(|()| self.input.units::<u16>());
        let [base, cwd, home] = [0, 1, 2].map(|at| {
            let (ptr, len) = self.input.lend(&texts[at], 0);
            // As bytes it is longer than as units.
            (ptr.cast::<c_void>(), len)
        });
        let value = curt_expand_options {
            flavor: self.input.number() % 4,
            style: self.input.number() % 4,
            dot_dot: self.input.number() % 8,
            flags: self.input.number(),
            width,
            reserved: u32::from(self.input.byte() == 255),
            base: base.0,
            base_len: base.1,
            cwd: cwd.0,
            cwd_len: cwd.1,
            home: home.0,
            home_len: home.1,
            ..zeros()
        };
        let (options, pointer) = Struct::new(&mut self.input, value);
        let Run { input, objects, .. } = self;
        open(input, "curt_expander_open", &[ARGUMENT], &mut objects.expanders, |object, error| {
            // SAFETY: all can be read as far as they are lent.
            unsafe { curt_expander_open(pointer, object, error) }
        });
        options.check();
    }

    fn expand(&mut self) {
        let expander = pick(&mut self.input, &self.objects.expanders);
        let allowed = [ARGUMENT, EXPAND];
        if self.input.byte() % 2 == 0 {
            let text: Vec<u8> = self.input.units();
            let (ptr, len) = self.input.lend(&text, 0);
            write(&mut self.input, |_, buffer, capacity| {
                // SAFETY: all can be read and written as far as they are lent.
                let length = unsafe { curt_expand_bytes(expander, ptr, len, buffer, capacity) };
                check("curt_expand_bytes", length, &allowed);
                length
            });
        } else {
            let text: Vec<u16> = self.input.units();
            let (ptr, len) = self.input.lend(&text, 0);
            write(&mut self.input, |_, buffer, capacity| {
                // SAFETY: as above.
                let length = unsafe { curt_expand_units(expander, ptr, len, buffer, capacity) };
                check("curt_expand_units", length, &allowed);
                length
            });
        }
    }

    fn open_dir(&mut self) {
        let (fields, flags) = (self.input.number(), self.input.number());
        let (path, least) = self.path();
        let lent = self.input.lend_str(&path, least);
        let descriptor = match self.input.byte() % 4 {
            0 => File::open(&self.tree).map_or(-1, IntoRawFd::into_raw_fd),
            1 => File::open(format!("{}/a/f", self.tree)).map_or(-1, IntoRawFd::into_raw_fd),
            _ => {
                let Run { input, objects, .. } = self;
                open(input, "curt_dir_open", &[PLAIN], &mut objects.dirs, |object, error| {
                    // SAFETY: all can be read as far as they are lent.
                    unsafe { curt_dir_open(lent, fields, flags, object, error) }
                });
                return;
            }
        };
        let Run { input, objects, .. } = self;
        let opened =
            open(input, "curt_dir_from_fd", &[PLAIN], &mut objects.dirs, |object, error| {
                // SAFETY: the descriptor is open, and given up.
                unsafe { curt_dir_from_fd(descriptor, fields, flags, object, error) }
            });
        if opened == CURT_E_ARGUMENT as isize && descriptor >= 0 {
            // SAFETY: it is still open.
            drop(unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(descriptor) });
        }
    }

    fn next(&mut self) {
        let dir = pick(&mut self.input, &self.objects.dirs);
        let count = self.input.below(5);
        let (array, pointer) = Array::new::<curt_entry>(&mut self.input, count);
        let result = call(&mut self.input, "curt_dir_next", &[PLAIN], |error| {
            // SAFETY: there is room for the entries.
            unsafe { curt_dir_next(dir, pointer, array.size, count, error) as isize }
        });
        for entry in array.check::<curt_entry>(usize::try_from(result).unwrap_or(0)) {
            check_entry(&entry);
        }
    }

    fn stat_in_dir(&mut self) {
        let dir = pick(&mut self.input, &self.objects.dirs);
        let (fields, flags) = (self.input.number(), self.input.number());
        let (path, least) = match self.input.byte() % 2 {
            0 => self.path(),
            _ => (NAMES[self.input.below(NAMES.len())].into(), 0),
        };
        let lent = self.input.lend_str(&path, least);
        let (array, pointer) = Array::new::<curt_metadata>(&mut self.input, 1);
        let allowed = [PLAIN, OTHER];
        let result = call(&mut self.input, "curt_dir_stat", &allowed, |error| {
            // SAFETY: all can be read and written as far as they are lent.
            unsafe { curt_dir_stat(dir, lent, fields, flags, pointer, array.size, error) as isize }
        });
        array.check(usize::from(result == 0)).iter().for_each(check_metadata);
    }

    fn stat(&mut self) {
        let (fields, flags) = (self.input.number(), self.input.number());
        if self.input.byte() % 2 == 0 {
            let (path, least) = self.path();
            let lent = self.input.lend_str(&path, least);
            let (array, pointer) = Array::new::<curt_metadata>(&mut self.input, 1);
            let result = call(&mut self.input, "curt_stat", &[PLAIN], |error| {
                // SAFETY: all can be read and written as far as they are lent.
                unsafe { curt_stat(lent, fields, flags, pointer, array.size, error) as isize }
            });
            array.check(usize::from(result == 0)).iter().for_each(check_metadata);
            return;
        }
        let (_paths, lent) = self.paths();
        let (ptr, count) = self.input.lend(&lent, 0);
        let (array, pointer) = Array::new::<curt_metadata>(&mut self.input, lent.len());
        let (control, asked) = self.control();
        let allowed = [STOPPABLE];
        let result = call(&mut self.input, "curt_stat_many", &allowed, |error| {
            // SAFETY: as above.
            unsafe {
                curt_stat_many(ptr, count, fields, flags, asked, pointer, array.size, error)
                    as isize
            }
        });
        array.check(if result == 0 { count } else { 0 }).iter().for_each(check_metadata);
        control.check();
    }

    /// Passes the options, the control and the report of a removal to a function.
    fn with_removal(
        &mut self,
        name: &str,
        run: impl FnOnce(
            *const curt_remove_options,
            *const curt_control,
            *mut curt_remove_report,
            *mut *mut curt_error,
        ) -> i32,
    ) {
        let (control, asked) = self.control();
        let value = curt_remove_options {
            size: 0,
            flags: self.input.number(),
            directories: self.input.number() % 8,
            on_progress: (self.input.byte() % 2 == 1).then_some(progress),
            context: (&raw mut self.asked).cast(),
        };
        let (options, wanted) = Struct::new(&mut self.input, value);
        let (report, told) = Struct::new::<curt_remove_report>(&mut self.input, zeros());
        let allowed = [STOPPABLE, REPLACED, OTHER, KEPT];
        call(&mut self.input, name, &allowed, |error| run(wanted, asked, told, error) as isize);
        control.check();
        options.check();
        report.check();
    }

    fn remove(&mut self) {
        let directory = match self.input.byte() % 4 {
            0 => File::open(&self.tree).ok(),
            1 => File::open(format!("{}/a/f", self.tree)).ok(),
            _ => None,
        };
        let (path, least) = match directory {
            Some(_) => (NAMES[self.input.below(NAMES.len())].into(), 0),
            None => self.path(),
        };
        let lent = self.input.lend_str(&path, least);
        // `CURT_CWD`, or no descriptor.
        let none = if self.input.byte() % 8 == 7 { -1 } else { -100 };
        let dir = directory.as_ref().map_or(none, std::os::fd::AsRawFd::as_raw_fd);
        self.with_removal("curt_remove", |options, control, report, error| {
            // SAFETY: all can be read and written as far as they are lent.
            unsafe { curt_remove(dir, lent, options, control, report, error) }
        });
    }

    fn remove_many(&mut self) {
        let (_paths, lent) = self.paths();
        let (ptr, count) = self.input.lend(&lent, 0);
        self.with_removal("curt_remove_many", |options, control, report, error| {
            // SAFETY: as above.
            unsafe { curt_remove_many(ptr, count, options, control, report, error) }
        });
    }

    fn open_walk(&mut self) {
        let (fields, flags) = (self.input.number(), self.input.number());
        let (_paths, lent) = self.paths();
        let (ptr, count) = self.input.lend(&lent, 0);
        // Nothing is walked that is not below: an empty path is one that does not exist.
        let Run { input, objects, .. } = self;
        open(input, "curt_walk_open", &[ARGUMENT], &mut objects.walks, |object, error| {
            // SAFETY: all can be read as far as they are lent.
            unsafe { curt_walk_open(ptr, count, fields, flags, object, error) }
        });
    }

    fn next_of_walk(&mut self) {
        let walk = pick(&mut self.input, &self.objects.walks);
        let whole = size_of::<curt_entry>() as u32;
        let entry_size = match self.input.byte() % 8 {
            1 => 0,
            2 => whole - 8,
            3 => whole + 8,
            4 => whole + 1,
            5 => u32::MAX,
            _ => whole,
        };
        let value = curt_walk_dir { entry_size, ..zeros() };
        let (dir, pointer) = Struct::new(&mut self.input, value);
        let allowed = [PLAIN, LOOP, OTHER];
        let result = call(&mut self.input, "curt_walk_next", &allowed, |error| {
            // SAFETY: the struct can be read and written.
            unsafe { curt_walk_next(walk, pointer, error) as isize }
        });
        dir.check();
        if result <= 0 {
            return;
        }
        // SAFETY: it was filled in.
        let filled = unsafe { pointer.read() };
        // SAFETY: a NUL follows the path.
        let path = unsafe { std::slice::from_raw_parts(filled.path.ptr, filled.path.len + 1) };
        assert!(path.starts_with(self.tree.as_bytes()) && path.ends_with(&[0]));
        for at in 0..filled.count {
            // SAFETY: there are as many entries of this size.
            let entry = unsafe { filled.entries.byte_add(at * entry_size as usize).read() };
            check_entry(&entry);
        }
    }

    fn prune(&mut self) {
        let walk = pick(&mut self.input, &self.objects.walks);
        let index = match self.input.byte() {
            255 => usize::MAX,
            index => usize::from(index) % 8,
        };
        // SAFETY: the walk is open, or NULL.
        let result = unsafe { curt_walk_prune(walk, index) };
        check("curt_walk_prune", result as isize, &[ARGUMENT]);
    }

    fn names_below(&mut self) {
        let (path, least) = self.path();
        let lent = self.input.lend_str(&path, least);
        let flags = self.input.number();
        let (control, asked) = self.control();
        let mut names = std::ptr::dangling_mut();
        let place = if self.input.byte() % 16 == 15 { null_mut() } else { &raw mut names };
        let allowed = [STOPPABLE, LOOP, OTHER];
        let result = call(&mut self.input, "curt_names_below", &allowed, |error| {
            // SAFETY: all can be read as far as they are lent.
            unsafe { curt_names_below(lent, flags, asked, place, error) as isize }
        });
        control.check();
        if place.is_null() || names.is_null() {
            assert_eq!(result, CURT_E_ARGUMENT as isize);
            return;
        }
        let (info, pointer) = Struct::new::<curt_names_info>(&mut self.input, zeros());
        // SAFETY: the names are not freed yet.
        let got = unsafe { curt_names_get(names, pointer) };
        check("curt_names_get", got as isize, &[ARGUMENT]);
        info.check();
        if got == 0 {
            // SAFETY: it was filled in.
            let info = unsafe { pointer.read() };
            // SAFETY: there are as many units.
            let block = unsafe { std::slice::from_raw_parts(info.block, info.units) };
            // SAFETY: there are as many kinds.
            let kinds = unsafe { std::slice::from_raw_parts(info.kinds, info.count) };
            let paths: Vec<_> = block.split_inclusive(|&unit| unit == 0).collect();
            assert_eq!(paths.len(), kinds.len());
            assert!(paths.iter().all(|path| path.len() > 1 && path.ends_with(&[0])));
            assert!(result != 0 || info.errors == 0);
        }
        // SAFETY: they are not used any more.
        unsafe { curt_names_free(names) };
    }

    fn usage(&mut self) {
        let flags = self.input.number();
        let (_paths, lent) = self.paths();
        let (ptr, count) = self.input.lend(&lent, 0);
        let (control, asked) = self.control();
        let (totals, pointer) = Struct::new::<curt_totals>(&mut self.input, zeros());
        let allowed = [STOPPABLE, LOOP, OTHER];
        call(&mut self.input, "curt_usage", &allowed, |error| {
            // SAFETY: all can be read and written as far as they are lent.
            unsafe { curt_usage(ptr, count, flags, asked, pointer, error) as isize }
        });
        control.check();
        totals.check();
    }

    fn canonical(&mut self) {
        let flags = self.input.number();
        let (path, least) = self.path();
        let lent = self.input.lend_str(&path, least);
        write(&mut self.input, |input, buffer, capacity| {
            call(input, "curt_canonical", &[PLAIN, LOOP, OTHER], |error| {
                // SAFETY: all can be read and written as far as they are lent.
                unsafe { curt_canonical(lent, flags, buffer, capacity, error) }
            })
        });
    }

    fn open_root(&mut self) {
        let flags = self.input.number();
        let (path, least) = self.path();
        let lent = self.input.lend_str(&path, least);
        let Run { input, objects, .. } = self;
        open(input, "curt_root_open", &[PLAIN, OTHER], &mut objects.roots, |object, error| {
            // SAFETY: all can be read as far as they are lent.
            unsafe { curt_root_open(lent, flags, object, error) }
        });
    }

    fn open_file(&mut self) {
        let root = pick(&mut self.input, &self.objects.roots);
        let path = match self.input.byte() % 4 {
            0 => PATHS[self.input.below(PATHS.len())].into(),
            1 => NAMES[self.input.below(NAMES.len())].into(),
            2 => self.path().0,
            _ => self.input.units(),
        };
        let lent = self.input.lend_str(&path, 0);
        let (flags, mode) = (self.input.number(), self.input.number());
        let (options, pointer) =
            Struct::new(&mut self.input, curt_open_options { size: 0, flags, mode });
        let mut opened = -1;
        let place = if self.input.byte() % 16 == 15 { null_mut() } else { &raw mut opened };
        let allowed = [PLAIN, REPLACED, OTHER, REFUSED];
        let result = call(&mut self.input, "curt_root_open_file", &allowed, |error| {
            // SAFETY: all can be read and written as far as they are lent.
            unsafe { curt_root_open_file(root, lent, pointer, place, error) as isize }
        });
        options.check();
        assert_eq!(opened >= 0, result == 0, "a descriptor and a failure");
        if opened >= 0 {
            // SAFETY: it is the caller's.
            drop(unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(opened) });
        }
    }

    fn close(&mut self) {
        let Run { input, objects, .. } = self;
        // SAFETY: they are not used any more.
        unsafe {
            match input.byte() % 5 {
                0 => curt_dir_close(take(input, &mut objects.dirs)),
                1 => curt_search_close(take(input, &mut objects.searches)),
                2 => curt_expander_close(take(input, &mut objects.expanders)),
                3 => curt_walk_close(take(input, &mut objects.walks)),
                _ => curt_root_close(take(input, &mut objects.roots)),
            }
        }
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let Objects { dirs, searches, expanders, walks, roots } = std::mem::take(&mut self.objects);
        // SAFETY: they are not used any more.
        unsafe {
            dirs.into_iter().for_each(|dir| curt_dir_close(dir));
            searches.into_iter().for_each(|search| curt_search_close(search));
            expanders.into_iter().for_each(|expander| curt_expander_close(expander));
            walks.into_iter().for_each(|walk| curt_walk_close(walk));
            roots.into_iter().for_each(|root| curt_root_close(root));
        }
    }
}

fn check_entry(entry: &curt_entry) {
    // SAFETY: a NUL follows the name.
    let name = unsafe { std::slice::from_raw_parts(entry.name.ptr, entry.name.len + 1) };
    assert!(name.len() > 1 && name.ends_with(&[0]) && !name.contains(&b'/'));
    assert!(!matches!(name, b".\0" | b"..\0"));
    check_metadata(&entry.metadata);
}

fn check_metadata(metadata: &curt_metadata) {
    assert_eq!(metadata.known & metadata.failed, 0, "known and failed");
    assert!(metadata.failed == 0 || metadata.result != 0, "failed without a reason");
    check("metadata", metadata.result as isize, &[STOPPABLE, REPLACED, OTHER]);
}

/// The number of open descriptors.
fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fuzz_target!(|data: &[u8]| {
    let ground = Ground::new();
    let before = open_files();
    let tree = ground.tree().into_os_string().into_string().expect("it is Unicode");
    let asked = Asked { thread: thread::current().id(), left: Cell::new(0) };
    let (input, objects) = (Input(data), Objects::default());
    let mut run = Run { input, tree, asked, cancel: 0, objects };
    run.run();
    drop(run);
    assert_eq!(open_files(), before, "a descriptor was left open");
});
