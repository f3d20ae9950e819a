//! What was found.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use super::policy::Program;
use crate::sys::{Os, Sys, SystemUnit};

type Unit = <Os as Sys>::Unit;

/// Where a program was looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FoundIn {
    /// In the place that nobody named: the working directory on Windows, an empty entry of `PATH` on
    /// POSIX.
    Cwd,
    /// Where the name itself says: it has a separator, or a drive.
    #[default]
    Given,
    /// In an entry of `PATH`, counted from 0, the empty ones too.
    Path(usize),
    /// In a directory of the system that the policy searches before `PATH`.
    System,
}

impl fmt::Display for FoundIn {
    /// `cwd`, `given`, `path:3` or `system`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FoundIn::Cwd => f.write_str("cwd"),
            FoundIn::Given => f.write_str("given"),
            FoundIn::Path(index) => write!(f, "path:{index}"),
            FoundIn::System => f.write_str("system"),
        }
    }
}

/// What was found, in the units of a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit<U> {
    /// The absolute path.
    pub(super) units: Vec<U>,
    pub(super) origin: FoundIn,
    pub(super) relative: bool,
    pub(super) program: Program,
    pub(super) interpreter: Option<Interpreter>,
}

impl<U> Default for Hit<U> {
    fn default() -> Self {
        let program = Program::default();
        Hit {
            units: Vec::new(),
            origin: FoundIn::Given,
            relative: false,
            program,
            interpreter: None,
        }
    }
}

/// A program that was found.
///
/// It keeps its memory, so that one value serves [`Search::find_into`](super::Search::find_into) again
/// and again without an allocation.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Found(pub(super) Hit<Unit>);

/// What runs a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    pub(super) path: PathBuf,
    pub(super) argument: Option<OsString>,
    pub(super) is_missing: bool,
}

impl Interpreter {
    /// Its path, as the script has it; with a carriage return at its end where the line has one.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The one argument that stands behind it.
    pub fn argument(&self) -> Option<&OsStr> {
        self.argument.as_deref()
    }

    /// Whether nothing is there, so that the script cannot be started.
    pub fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// Whether the line ends as those of Windows do, which is why nothing is there.
    pub fn has_carriage_return(&self) -> bool {
        let last = self.argument.as_deref().unwrap_or(self.path.as_os_str());
        last.as_encoded_bytes().last() == Some(&b'\r')
    }
}

impl Found {
    /// The absolute path: the directory as it was named, and the name as the disk has it. Borrowed on Unix;
    /// put together from UTF-16 on Windows, where `os::windows::Units` has the units.
    pub fn path(&self) -> Cow<'_, Path> {
        match SystemUnit::text(self.raw_units()) {
            Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
            Cow::Owned(text) => Cow::Owned(text.into()),
        }
    }

    /// The path, of its own.
    pub fn into_path(self) -> PathBuf {
        SystemUnit::path(self.0.units)
    }

    /// Where it was looked for.
    pub fn origin(&self) -> FoundIn {
        self.0.origin
    }

    /// Whether only a relative name, a relative entry of `PATH` or the place that nobody named led to it, so
    /// that another base directory may give another program.
    pub fn is_relative(&self) -> bool {
        self.0.relative
    }

    /// What it is. By POSIX' rules [`Program::Executable`], until it was looked into
    /// ([`Search::look_into`](super::Search::look_into)).
    pub fn program(&self) -> Program {
        self.0.program
    }

    /// What runs it, where it is a script that was looked into.
    pub fn interpreter(&self) -> Option<&Interpreter> {
        self.0.interpreter.as_ref()
    }

    pub(crate) fn raw_units(&self) -> &[Unit] {
        &self.0.units
    }
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found")
            .field("path", &self.path())
            .field("origin", &self.0.origin)
            .field("relative", &self.0.relative)
            .field("program", &self.0.program)
            .field("interpreter", &self.0.interpreter)
            .finish()
    }
}
