//! The variables of this process, where they lie.

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;

use crate::sys::process::Variable;

/// The variables of this process: where they lie if nobody can change them before this thread goes on, and else
/// copies of them.
///
/// # Safety
///
/// While what it returns is there, this thread changes no variable, starts no other thread, and calls nobody who
/// might do so.
pub(crate) unsafe fn own<'a>() -> Vec<Variable<'a>> {
    let Some(list) = undisturbed() else {
        return std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
    };
    let mut all = Vec::with_capacity(64);
    let mut place = list;
    while !place.is_null() {
        // SAFETY: it is a place of the list, which ends with null.
        let text = unsafe { place.read() };
        if text.is_null() {
            break;
        }
        // SAFETY: it is a C string, which stays as long as nobody changes the variables, as the caller promises.
        let text: &'a CStr = unsafe { CStr::from_ptr(text) };
        let text = text.to_bytes();
        // As the standard library reads them: what comes first is of the name even if it is the sign that ends it.
        let equals = text.iter().skip(1).position(|&byte| byte == b'=').map(|at| at + 1);
        if let Some(at) = equals {
            let (name, value) =
                (OsStr::from_bytes(&text[..at]), OsStr::from_bytes(&text[at + 1..]));
            all.push((name.into(), value.into()));
        }
        place = place.wrapping_add(1);
    }
    all
}

/// The list of this process's variables, as `execve` takes it, if nobody can change it before this thread goes on.
///
/// Any thread may change the variables, and only the standard library knows the lock that keeps that out. A thread
/// that is alone needs none: until it starts another one or returns, nothing else runs.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn undisturbed() -> Option<*const *const c_char> {
    is_alone().then(list)
}

/// Nobody says whether another thread may.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn undisturbed() -> Option<*const *const c_char> {
    None
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn list() -> *const *const c_char {
    // SAFETY: every C library of POSIX has this variable, and its type is a pointer to such a list.
    unsafe extern "C" {
        static mut environ: *const *const c_char;
    }
    let list = &raw const environ;
    // SAFETY: it is a pointer of the C library's, and nobody writes to it: this thread is alone.
    unsafe { list.read() }
}

/// Whether this process has one thread only, as the GNU C library says since 2.32: it knows all threads that may
/// use it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn is_alone() -> bool {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU8, Ordering};

    static ALONE: OnceLock<Option<&AtomicU8>> = OnceLock::new();
    let alone = ALONE.get_or_init(|| {
        let name = c"__libc_single_threaded";
        // SAFETY: the name is a C string; looking it up runs nothing.
        let place = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        // SAFETY: it is null, or a `char` of the C library, which is never unloaded. The library writes to it only
        // where one thread begins to be many, and by no other thread than that one.
        unsafe { place.cast::<AtomicU8>().as_ref() }
    });
    alone.is_some_and(|alone| alone.load(Ordering::Relaxed) != 0)
}
