//! The public search: a builder.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

use super::directories::RelativeTo;
use super::engine::{Engine, Options, Variables};
use super::explain::{SearchExplanation, explain};
use super::found::Found;
use super::policy::{Policy, Rules};
use super::query::Query;
use crate::calls::{Calls, SharedCalls};
use crate::error::Error;
use crate::sys::{Os, Setup, Sys};
use curt_paths::Flavor;

/// A search for programs.
///
/// The first look-up splits `PATH` and resolves what is relative in it; later ones use that again.
/// The environment and the working directory are those at the first look-up.
///
/// Threads can share a search. A look-up that meets another one prepares everything anew, for
/// itself alone: the child of a fork would wait forever for a thread that it does not have.
///
/// ```
/// # #[cfg(unix)] {
/// use curt::which::FoundIn;
/// use curt::Search;
/// let search = Search::new().path("/nowhere:/bin:/usr/bin");
/// let found = search.find("sh")?;
/// assert!(found.path().ends_with("sh"));
/// assert_eq!(found.origin(), FoundIn::Path(1));
/// assert_eq!(search.find("no such program").unwrap_err().kind(), std::io::ErrorKind::NotFound);
/// # }
/// # Ok::<(), curt::Error>(())
/// ```
#[derive(Default)]
#[must_use = "a search does nothing until it is run"]
pub struct Search {
    options: Options,
    /// `None` until the first look-up.
    engine: Mutex<Option<Engine<Os>>>,
    /// The calls that threads made while another one used the engine.
    other_calls: SharedCalls,
}

impl Search {
    /// Creates a search by curt's own rules for this system, with the environment of this process.
    pub fn new() -> Search {
        Search::default()
    }

    /// Chooses whose rules are followed.
    pub fn policy(self, policy: Policy) -> Search {
        self.with(|options| options.policy = policy)
    }

    /// Chooses the system whose rules apply, where the policy has some for both: this one by
    /// default.
    pub fn rules(self, flavor: Flavor) -> Search {
        self.with(|options| options.flavor = Some(flavor))
    }

    /// Sets whether the working directory is searched implicitly, whatever the policy and
    /// `NoDefaultCurrentDirectoryInExePath` say: by Windows' rules before `PATH`, by those of POSIX
    /// for each empty entry of `PATH`. If it is not searched and only it contains the program, the
    /// error says so. An explicit `.` in `PATH` is an entry like any other.
    pub fn cwd(self, searched: bool) -> Search {
        self.with(|options| options.cwd = Some(searched))
    }

    /// Sets `PATH`, in the form of the rules: entries end at `:`, by Windows' rules at `;`.
    pub fn path(self, path: impl AsRef<OsStr>) -> Search {
        self.with(|options| options.path = Some(path.as_ref().to_owned()))
    }

    /// Sets `PATHEXT`, for Windows' rules.
    pub fn pathext(self, pathext: impl AsRef<OsStr>) -> Search {
        self.with(|options| options.pathext = Some(pathext.as_ref().to_owned()))
    }

    /// Sets the directory that relative names and entries begin at, and that is searched where a
    /// policy searches the working directory: the working directory of the process by default.
    pub fn base(self, directory: impl Into<PathBuf>) -> Search {
        self.with(|options| options.base = RelativeTo::Directory(directory.into()))
    }

    /// Sets no base: relative names and entries name nothing, and the working directory is not
    /// asked for.
    pub fn no_base(self) -> Search {
        self.with(|options| options.base = RelativeTo::Nothing)
    }

    /// Sets the environment that `PATH`, `PATHEXT` and other variables are taken from, for example
    /// that of a child. With an empty one no variable of the process is read.
    pub fn environment<N: Into<OsString>, V: Into<OsString>>(
        self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Search {
        let pairs = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.with(|options| options.environment = Some(pairs.collect()))
    }

    fn with(self, change: impl FnOnce(&mut Options)) -> Search {
        let mut options = self.options;
        change(&mut options);
        Search { options, ..Search::default() }
    }

    /// Returns the same search for a child: what was left open is taken from its variables, if it
    /// has not those of this process, and relative paths begin at its directory.
    pub(crate) fn for_child(
        &self,
        variables: Option<Variables>,
        directory: Option<&Path>,
    ) -> Search {
        let mut options = self.options.clone();
        options.environment = options.environment.or(variables);
        if let (RelativeTo::WorkingDirectory, Some(directory)) = (&options.base, directory) {
            options.base = RelativeTo::Directory(directory.to_owned());
        }
        Search { options, ..Search::default() }
    }

    pub(crate) fn current_rules(&self) -> Rules {
        self.options.rules()
    }

    /// Runs a look-up with the search's engine, or if another thread is using it, with a new one.
    fn run<T>(&self, look_up: impl FnOnce(&mut Engine<Os>) -> T) -> T {
        let prepare = || Engine::new(Os::start(&Setup::default()), &self.options);
        match self.engine.try_lock() {
            Ok(mut engine) => look_up(engine.get_or_insert_with(prepare)),
            Err(TryLockError::Poisoned(poisoned)) => {
                look_up(poisoned.into_inner().get_or_insert_with(prepare))
            }
            Err(TryLockError::WouldBlock) => {
                let mut engine = prepare();
                let answer = look_up(&mut engine);
                self.other_calls.add(&engine.judge.sys.calls());
                answer
            }
        }
    }

    /// Finds the first program of this name.
    ///
    /// See the [module documentation](super) for the calls it takes. The error names what is to
    /// blame.
    pub fn find(&self, name: impl AsRef<OsStr>) -> Result<Found, Error> {
        self.run(|engine| engine.find(name.as_ref()))
    }

    /// Finds all programs of this name, each when it is asked for: those that come next if the
    /// first cannot be started. By Windows' rules all candidates of a directory count.
    ///
    /// If there is none, the iterator yields one error. After the programs that were found it
    /// yields an error if the system failed to search a directory.
    ///
    /// Other look-ups may run between its steps.
    pub fn find_all(&self, name: impl AsRef<OsStr>) -> FindAll<'_> {
        let begun = self.run(|engine| engine.begin(name.as_ref(), true));
        FindAll { search: self, query: Some(begun), is_first: true }
    }

    /// Finds the first program of this name, and records every step.
    pub fn explain(&self, name: impl AsRef<OsStr>) -> SearchExplanation {
        self.run(|engine| explain(engine, name.as_ref()))
    }

    /// Reads the first bytes of a program that was found by the rules of POSIX, so that
    /// [`Found::program`] and [`Found::interpreter`] say more. What cannot be read stays as it is.
    /// 3 calls, and 1 more for an interpreter.
    pub fn look_into(&self, found: &mut Found) {
        if self.options.rules().flavor == Flavor::Posix {
            self.run(|engine| found.read_head(&engine.judge.sys));
        }
    }

    /// The calls made since an option was set last.
    pub fn calls(&mut self) -> Calls {
        let engine = self.engine.get_mut().unwrap_or_else(PoisonError::into_inner);
        let used = engine.as_ref().map(|engine| engine.judge.sys.calls());
        let mut calls = used.unwrap_or_default();
        self.other_calls.add_to(&mut calls);
        calls
    }
}

/// The clone has the same options. It looks at the environment and the working directory again at
/// its own first look-up.
impl Clone for Search {
    fn clone(&self) -> Search {
        Search { options: self.options.clone(), ..Search::default() }
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the environment, which may hold secrets.
        let Options { policy, flavor, cwd, path, pathext, base, .. } = &self.options;
        let mut shown = f.debug_struct("Search");
        shown.field("policy", policy).field("rules", flavor).field("cwd", cwd);
        shown.field("path", path).field("pathext", pathext).field("base", base);
        shown.finish_non_exhaustive()
    }
}

/// The programs of one name: see [`Search::find_all`].
#[must_use = "iterators do nothing until they are used"]
pub struct FindAll<'a> {
    search: &'a Search,
    /// `None` when all was yielded.
    query: Option<Result<Query<Os>, Error>>,
    is_first: bool,
}

impl Iterator for FindAll<'_> {
    type Item = Result<Found, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut query = match self.query.take()? {
            Ok(query) => query,
            Err(refused) => return Some(Err(refused)),
        };
        let is_first = std::mem::replace(&mut self.is_first, false);
        self.search.run(|engine| match engine.next(&mut query) {
            Some(answer) => {
                self.query = Some(Ok(query));
                Some(answer)
            }
            None if is_first => Some(Err(engine.failure(&mut query))),
            None => engine.take_failure(&mut query).map(Err),
        })
    }
}

impl fmt::Debug for FindAll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindAll").finish_non_exhaustive()
    }
}
