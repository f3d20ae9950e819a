use std::io;
use std::path::{Path, PathBuf};

use super::directories::{FoundIn, SearchDirectory};
use super::names::{ascii, extension_at};
use crate::fields::Fields;
use crate::sys::{Request, SystemUnit, Which, script_interpreter};
use curt_paths::{Flavor, Unit};

/// The kind of a program, which decides how it is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Program {
    /// An executable file that was not read, so it may be an image or a script. Under Windows
    /// rules, a file without an extension.
    #[default]
    Executable,
    /// An image that the system runs itself.
    Image,
    /// A batch file, run by cmd.exe.
    Batch,
    /// A text file that begins with `#!` and the path of its interpreter.
    Script,
    /// A file to be opened by the program registered for its extension.
    Association,
}

impl Program {
    /// Returns the kind in one word: `executable`, `image`, `batch`, `script` or `association`.
    pub fn word(self) -> &'static str {
        match self {
            Program::Executable => "executable",
            Program::Image => "image",
            Program::Batch => "batch",
            Program::Script => "script",
            Program::Association => "association",
        }
    }

    /// Determines the kind by extension, as Microsoft's page on `CreateProcessW` says
    /// (`lpApplicationName`, and the remark on batch files). Registered programs open other files
    /// (`ShellExecute`).
    pub(super) fn of_extension<U: Unit>(extension: &[U]) -> Program {
        let is_it = |known: &str| U::same_in_any_case(&ascii::<U>(known), extension);
        if is_it(".com") || is_it(".exe") {
            Program::Image
        } else if is_it(".bat") || is_it(".cmd") {
            Program::Batch
        } else {
            Program::Association
        }
    }
}

/// A program that was found.
///
/// ```
/// # #[cfg(unix)] {
/// let found = curt::Search::new().find("sh")?;
/// let status = std::process::Command::new(found.path()).args(["-c", "exit 3"]).status()?;
/// assert_eq!(status.code(), Some(3));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    path: PathBuf,
    origin: FoundIn,
    is_relative: bool,
    program: Program,
    interpreter: Option<Interpreter>,
}

/// The interpreter named in the first line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    pub(super) path: PathBuf,
    pub(super) has_carriage_return: bool,
    pub(super) is_missing: bool,
}

impl Interpreter {
    /// Returns the path as written in the script, including a carriage return.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the interpreter does not exist, so that the script cannot be started.
    pub fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// Returns whether the line ends in a carriage return. The system treats it as part of the path
    /// or the argument.
    pub fn has_carriage_return(&self) -> bool {
        self.has_carriage_return
    }
}

impl Found {
    pub(super) fn new<S: Which>(
        directory: &SearchDirectory<S>,
        name: &[S::Unit],
        rules: Flavor,
    ) -> Found {
        Found {
            path: S::Unit::path(directory.join(name)),
            origin: directory.origin,
            is_relative: directory.is_relative,
            program: match (rules, extension_at(name)) {
                (Flavor::Windows, Some(dot)) => Program::of_extension(&name[dot..]),
                _ => Program::Executable,
            },
            interpreter: None,
        }
    }

    /// Returns the absolute path: the directory as given, and the file name as spelled on the disk.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the owned path.
    pub fn into_path(self) -> PathBuf {
        self.path
    }

    /// Returns in which search directory the program was found.
    pub fn origin(&self) -> FoundIn {
        self.origin
    }

    /// Returns whether the directory was searched implicitly or was named only by relative paths.
    pub fn is_relative(&self) -> bool {
        self.is_relative
    }

    /// Returns the kind of program. Under POSIX rules it is [`Program::Executable`] until
    /// [`Search::look_into`](super::Search::look_into) reads the file.
    pub fn program(&self) -> Program {
        self.program
    }

    /// Returns the interpreter of a script, if [`Search::look_into`](super::Search::look_into) has
    /// read it.
    pub fn interpreter(&self) -> Option<&Interpreter> {
        self.interpreter.as_ref()
    }

    /// Reads the start of the file. If that fails, the kind remains [`Program::Executable`].
    pub(super) fn read_head<S: Which>(&mut self, sys: &S) {
        let mut head = [0; HEAD];
        let located = sys.locate(&self.path);
        let read = located.and_then(|(dir, name)| sys.head(&dir, name.as_name(), &mut head));
        let Ok(length) = read else { return };
        let head = &head[..length];
        if IMAGES.iter().any(|image| head.starts_with(image)) {
            self.program = Program::Image;
        } else if let Some((interpreter, argument)) = script_interpreter(head) {
            let last = argument.unwrap_or(interpreter).last();
            let units = interpreter.iter().map(|&byte| S::Unit::ascii(byte)).collect();
            let path = S::Unit::path(units);
            self.program = Program::Script;
            self.interpreter = Some(Interpreter {
                is_missing: is_missing(sys, &path),
                path,
                has_carriage_return: last == Some(&b'\r'),
            });
        }
    }
}

/// The number of bytes to read: `BINPRM_BUF_SIZE` of Linux. Other systems read at least half of
/// that.
const HEAD: usize = 256;

/// The first bytes of ELF, PE, and Mach-O for one and for several processors.
const IMAGES: [&[u8]; 6] = [
    b"\x7fELF",
    b"MZ",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xce",
];

/// Returns whether the interpreter is missing. Checks only an absolute path, with one call, because
/// a relative path depends on the directory in which the program starts.
fn is_missing<S: Which>(sys: &S, interpreter: &Path) -> bool {
    if interpreter.as_os_str().as_encoded_bytes().first() != Some(&b'/') {
        return false;
    }
    let request = Request { fields: Fields::KIND, follow: true };
    let located = sys.locate(interpreter);
    let found = located.and_then(|(dir, name)| sys.query(&dir, name.as_name(), request));
    found.is_err_and(|error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    })
}
