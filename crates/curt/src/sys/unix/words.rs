//! Arguments, variables and paths as `execve` takes them.

use std::ffi::{CString, c_char};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::sys::process::{Failure, Launch, Stage};

/// Everything that a start hands over by pointer.
pub(crate) struct Words {
    pub(super) program: CString,
    pub(super) directory: Option<CString>,
    arguments: Pointers,
    environment: Pointers,
}

/// Texts in one piece of memory, each with a NUL behind it, and pointers to them, the last one null.
struct Pointers {
    /// What the pointers point into; it is never touched again.
    _text: Vec<u8>,
    pointers: Vec<*const c_char>,
}

impl Words {
    pub(crate) fn new<P>(launch: &Launch<'_, P>) -> Result<Words, Failure> {
        let arguments = launch.arguments.iter().map(|word| word.as_bytes());
        let arguments = std::iter::once(launch.zeroth.as_bytes()).chain(arguments);
        let arguments = Pointers::new(arguments.map(|word| [word, b"", b""]));
        // A copy: `environ` itself may be changed by another thread while the system reads it, and only the
        // standard library knows the lock that keeps that out.
        let own: Vec<_> =
            launch.environment.is_none().then(std::env::vars_os).into_iter().flatten().collect();
        let variables = launch.environment.unwrap_or(&own).iter();
        let environment = Pointers::new(
            variables.map(|(name, value)| [name.as_bytes(), b"=".as_slice(), value.as_bytes()]),
        );
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
    /// Each text in three parts; `None` where one holds a NUL.
    fn new<'a>(texts: impl Iterator<Item = [&'a [u8]; 3]>) -> Option<Pointers> {
        let mut all = Vec::with_capacity(1024);
        let mut begins = Vec::with_capacity(32);
        for parts in texts {
            begins.push(all.len());
            for part in parts {
                all.extend_from_slice(part);
            }
            let begin = begins.last().copied().unwrap_or_default();
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
