use std::path::Path;
use std::sync::Arc;

use curt_paths::{Environment, PathText, Release};

use crate::calls::{Calls, SharedCalls};
use crate::sys::{Os, Setup, Sys, host};

/// The environment of this process, for an [`Expander`](curt_paths::Expander).
///
/// Provides the working directory (one call, none on Windows), `HOME`, the hidden variables of the
/// drives, the user database, and the release of Windows. If `HOME` is not set on Windows,
/// `HOMEDRIVE` with `HOMEPATH` or else `USERPROFILE` replaces it. Clones share their call counts.
///
/// ```
/// use curt::paths::ThisProcess;
/// use curt::paths::Expander;
/// let expander = Expander::new(ThisProcess::new());
/// let full = expander.expand_path("Cargo.toml").unwrap();
/// assert_eq!(full, std::env::current_dir().unwrap().join("Cargo.toml"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ThisProcess {
    calls: Arc<SharedCalls>,
}

impl ThisProcess {
    /// Creates the environment. Nothing is queried yet.
    pub fn new() -> ThisProcess {
        ThisProcess::default()
    }

    /// Returns the calls made so far, without those of the user database.
    pub fn calls(&self) -> Calls {
        let mut calls = Os::start(&Setup::default()).calls();
        self.calls.add_to(&mut calls);
        calls
    }
}

impl Environment for ThisProcess {
    fn working_directory(&self) -> Option<PathText> {
        let sys = Os::start(&Setup::default());
        let path = sys.absolute(Path::new(""), false).ok();
        self.calls.add(&sys.calls());
        path.map(PathText::from)
    }

    fn drive_directory(&self, letter: &str) -> Option<PathText> {
        host::drive_directory(letter).map(PathText::from)
    }

    fn home(&self) -> Option<PathText> {
        host::home().map(|home| PathText::from(Path::new(&home)))
    }

    fn home_of(&self, user: &[u8]) -> Option<PathText> {
        host::home_of(user).map(PathText::from)
    }

    fn release(&self) -> Release {
        host::release()
    }
}
