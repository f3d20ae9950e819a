//! Arguments, environment and paths as `execve` takes them.

use std::ffi::{CString, c_char};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::ptr;

use crate::sys::process::{Failure, Launch, Stage};

/// All that a start passes by pointer.
pub(crate) struct Words {
    pub(super) program: CString,
    pub(super) directory: Option<CString>,
    arguments: Pointers,
    environment: Pointers,
}

/// A null-terminated list of C strings, all in one allocation.
struct Pointers {
    /// The pointers point into it, so it is never changed.
    _text: Vec<u8>,
    pointers: Vec<*const c_char>,
}

impl Words {
    pub(crate) fn new<P>(launch: &Launch<'_, P>) -> Result<Words, Failure> {
        let arguments = launch.arguments.iter().map(|word| word.as_bytes());
        let arguments = std::iter::once(launch.zeroth.as_bytes()).chain(arguments);
        let arguments = Pointers::new(arguments.map(|word| (word, None)));
        let environment = match launch.environment {
            Some(given) => Pointers::new(
                given.iter().map(|(name, value)| (name.as_bytes(), Some(value.as_bytes()))),
            ),
            // A copy: another thread may change the environment while the system reads it, and only
            // the standard library has the lock that prevents that.
            None => Pointers::new(
                std::env::vars_os().map(|(name, value)| (name.into_vec(), Some(value.into_vec()))),
            ),
        };
        let wrong = |at| Failure { at, error: io::ErrorKind::InvalidInput.into() };
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes());
        let directory = launch.directory.map(text).transpose();
        Ok(Words {
            program: text(launch.program).map_err(|_| wrong(Stage::Program))?,
            directory: directory.map_err(|_| wrong(Stage::Directory))?,
            arguments: arguments.ok_or_else(|| wrong(Stage::Child))?,
            environment: environment.ok_or_else(|| wrong(Stage::Child))?,
        })
    }

    pub(super) fn arguments(&self) -> *const *const c_char {
        self.arguments.pointers.as_ptr()
    }

    pub(super) fn environment(&self) -> *const *const c_char {
        self.environment.pointers.as_ptr()
    }
}

impl Pointers {
    /// Each text is a word, or a name and its value; `None` if one contains a NUL.
    fn new<T: AsRef<[u8]>>(texts: impl Iterator<Item = (T, Option<T>)>) -> Option<Pointers> {
        let mut all = Vec::with_capacity(1024);
        let mut begins = Vec::with_capacity(32);
        for (name, value) in texts {
            let begin = all.len();
            begins.push(begin);
            all.extend_from_slice(name.as_ref());
            if let Some(value) = value {
                all.push(b'=');
                all.extend_from_slice(value.as_ref());
            }
            if all[begin..].contains(&0) {
                return None;
            }
            all.push(0);
        }
        let text = all;
        let pointers = begins.iter().map(|&begin| text[begin..].as_ptr().cast());
        let pointers = pointers.chain([ptr::null()]).collect();
        Some(Pointers { _text: text, pointers })
    }
}
