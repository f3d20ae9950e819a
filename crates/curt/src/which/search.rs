//! The public searches: a builder, and a session that keeps directories open.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::Engine;
use super::explain::{SearchExplanation, explain};
use super::found::{Found, Hit};
use super::options::{Options, Setting};
use super::policy::Policy;
use super::query::Query;
use crate::calls::Calls;
use crate::error::FindError;
use crate::sys::process::Variable;
use crate::sys::{Os, Setup, Sys};
use curt_paths::Flavor;

/// A search for programs.
///
/// The first look-up splits `PATH` and resolves what is relative in it; later ones use that again.
/// The environment and the working directory are those at the first look-up.
///
/// Threads can share a search: their look-ups take turns.
///
/// ```
/// # #[cfg(unix)] {
/// use curt::which::FoundIn;
/// use curt::Search;
/// let search = Search::new().path("/nowhere:/bin:/usr/bin");
/// let found = search.find("sh")?;
/// assert!(found.path().ends_with("sh"));
/// assert_eq!(found.origin(), FoundIn::Path(1));
/// assert_eq!(search.find("no such program").unwrap_err().word(), "not-found");
/// # }
/// # Ok::<(), curt::which::FindError>(())
/// ```
#[derive(Default)]
#[must_use = "a search does nothing until it is run"]
pub struct Search {
    options: Options,
    /// `None` until the first look-up.
    engine: Mutex<Option<Engine<Os>>>,
}

impl Search {
    /// Creates a search by curt's own rules for this system, with the environment of this process.
    pub fn new() -> Search {
        Search::default()
    }

    /// Sets the rules.
    pub fn policy(self, policy: Policy) -> Search {
        self.with(|options| options.policy = policy)
    }

    /// Sets `PATH`, in the form of the rules: entries end at `:`, by Windows' rules at `;`.
    pub fn path(self, path: impl AsRef<OsStr>) -> Search {
        self.with(|options| options.path = Setting::Is(path.as_ref().to_owned()))
    }

    /// Searches as if `PATH` were not set.
    pub fn without_path(self) -> Search {
        self.with(|options| options.path = Setting::Unset)
    }

    /// Sets `PATHEXT`, for Windows' rules.
    pub fn pathext(self, pathext: impl AsRef<OsStr>) -> Search {
        self.with(|options| options.pathext = Setting::Is(pathext.as_ref().to_owned()))
    }

    /// Searches as if `PATHEXT` were not set.
    pub fn without_pathext(self) -> Search {
        self.with(|options| options.pathext = Setting::Unset)
    }

    /// Sets the directory that relative names and entries begin at, and that is searched where a
    /// policy searches the working directory: the working directory of the process by default.
    pub fn base(self, directory: impl Into<PathBuf>) -> Search {
        self.with(|options| options.base = Some(directory.into()))
    }

    /// Sets the environment that `PATH`, `PATHEXT` and other variables are taken from, for example
    /// that of a child.
    pub fn environment<N: Into<OsString>, V: Into<OsString>>(
        self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Search {
        let pairs = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.with(|options| options.environment = Some(pairs.collect()))
    }

    /// Turns this into a search that keeps directories open and remembers which are absent.
    pub fn session(self) -> Session {
        Session(self.with(|options| options.keeps = true))
    }

    fn with(self, change: impl FnOnce(&mut Options)) -> Search {
        let mut options = self.options;
        change(&mut options);
        Search { options, engine: Mutex::new(None) }
    }

    /// Returns the same search, ready for a child: what was left open is taken from its variables
    /// (`None` for those of this process), and relative paths begin at its directory.
    pub(crate) fn for_child(
        &self,
        variables: Option<&[Variable<'_>]>,
        directory: Option<&Path>,
    ) -> Search {
        let options = self.options.clone();
        let sys = Os::start(&Setup::default());
        let engine = Mutex::new(Some(Engine::new(sys, &options, variables, directory)));
        Search { options, engine }
    }

    pub(crate) fn current_policy(&self) -> &Policy {
        &self.options.policy
    }

    fn lock(&self) -> MutexGuard<'_, Option<Engine<Os>>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a look-up, by one thread at a time.
    fn run<T>(&self, look_up: impl FnOnce(&mut Engine<Os>) -> T) -> T {
        look_up(self.lock().get_or_insert_with(|| prepare(&self.options)))
    }

    /// Finds the first program of this name.
    ///
    /// See the [module documentation](super) for the calls it takes. The error names what is to
    /// blame.
    pub fn find(&self, name: impl AsRef<OsStr>) -> Result<Found, FindError> {
        let mut found = Found::default();
        self.find_into(name, &mut found)?;
        Ok(found)
    }

    /// Finds the first program of this name, as [`Search::find`], into a value whose memory is used
    /// again. After the first look-up, one by name that succeeds allocates nothing.
    pub fn find_into(&self, name: impl AsRef<OsStr>, found: &mut Found) -> Result<(), FindError> {
        self.run(|engine| engine.find(name.as_ref(), &mut found.0))
    }

    /// Finds all programs of this name, each when it is asked for: those that come next if the
    /// first cannot be started. By Windows' rules all candidates of a directory count.
    ///
    /// If there is none, the iterator yields one error. After the programs that were found it
    /// yields an error if the system failed to search a directory.
    ///
    /// Other look-ups may run between its steps.
    pub fn find_all(&self, name: impl AsRef<OsStr>) -> FindAll<'_> {
        let mut query = Query::default();
        let begun = self.run(|engine| engine.begin(&mut query, name.as_ref(), true));
        let refused = begun.err();
        let query = refused.is_none().then_some(query);
        FindAll { search: self, query, refused, is_first: true }
    }

    /// Finds the first program of each of many names, and returns the answers in the order of the
    /// names. By Windows' rules each directory is listed once, whole.
    pub fn find_many<N: AsRef<OsStr>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Vec<Result<Found, FindError>> {
        let names: Vec<N> = names.into_iter().collect();
        let names: Vec<&OsStr> = names.iter().map(AsRef::as_ref).collect();
        let answers = self.run(|engine| engine.find_many(&names));
        answers.into_iter().map(|answer| answer.map(Found)).collect()
    }

    /// Finds the first program of this name, and records every step.
    pub fn explain(&self, name: impl AsRef<OsStr>) -> SearchExplanation {
        self.run(|engine| explain(engine, name.as_ref()))
    }

    /// Reads the first bytes of a program that was found by the rules of POSIX, so that
    /// [`Found::program`] and [`Found::interpreter`] say more. What cannot be read stays as it is.
    /// 3 calls, and 1 more for an interpreter.
    pub fn look_into(&self, found: &mut Found) {
        if self.options.policy.rules == Flavor::Posix {
            self.run(|engine| found.0.read_head(&engine.judge.sys));
        }
    }

    /// The calls made since an option was set last.
    pub fn calls(&self) -> Calls {
        self.lock().as_ref().map_or_else(Calls::default, |engine| engine.judge.sys.calls())
    }
}

fn prepare(options: &Options) -> Engine<Os> {
    Engine::new(Os::start(&Setup::default()), options, None, None)
}

/// The clone has the same options. It looks at the environment and the working directory again at
/// its own first look-up.
impl Clone for Search {
    fn clone(&self) -> Search {
        Search { options: self.options.clone(), engine: Mutex::new(None) }
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the environment, which may hold secrets.
        let Options { path, pathext, base, policy, .. } = &self.options;
        let mut shown = f.debug_struct("Search");
        shown.field("path", path).field("pathext", pathext).field("base", base);
        shown.field("policy", policy).finish_non_exhaustive()
    }
}

/// The programs of one name: see [`Search::find_all`].
#[must_use = "iterators do nothing until they are used"]
pub struct FindAll<'a> {
    search: &'a Search,
    /// `None` when all was yielded.
    query: Option<Query<Os>>,
    /// The error of a name that was refused, until it is yielded.
    refused: Option<FindError>,
    is_first: bool,
}

impl Iterator for FindAll<'_> {
    type Item = Result<Found, FindError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.refused.take() {
            return Some(Err(error));
        }
        let query = self.query.as_mut()?;
        let is_first = std::mem::replace(&mut self.is_first, false);
        let mut hit = Hit::default();
        if let Some(answer) = self.search.run(|engine| engine.next(query, &mut hit)) {
            return Some(answer.map(|()| Found(hit)));
        }
        let mut query = self.query.take()?;
        let error = self.search.run(|engine| {
            if is_first {
                Some(engine.failure(&mut query))
            } else {
                engine.take_failure(&mut query)
            }
        });
        error.map(Err)
    }
}

impl fmt::Debug for FindAll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindAll").finish_non_exhaustive()
    }
}

/// A search that keeps what it learns about directories: each directory of `PATH` is opened once
/// and searched through its handle, and one that was absent is not asked for again.
///
/// **What may be stale.** Files are asked for every time. A directory that was absent when it was
/// first searched stays absent, and one that was moved or replaced since is searched where it was
/// opened, until [`Session::refresh`]. On Windows nobody can rename a directory that is kept open,
/// or one that contains it. At most 256 directories are kept; others are searched as without a
/// session.
#[derive(Debug)]
#[must_use = "a session does nothing until a name is looked up"]
pub struct Session(Search);

impl Session {
    /// See [`Search::find`].
    pub fn find(&self, name: impl AsRef<OsStr>) -> Result<Found, FindError> {
        self.0.find(name)
    }

    /// See [`Search::find_into`].
    pub fn find_into(&self, name: impl AsRef<OsStr>, found: &mut Found) -> Result<(), FindError> {
        self.0.find_into(name, found)
    }

    /// See [`Search::find_all`].
    pub fn find_all(&self, name: impl AsRef<OsStr>) -> FindAll<'_> {
        self.0.find_all(name)
    }

    /// See [`Search::look_into`].
    pub fn look_into(&self, found: &mut Found) {
        self.0.look_into(found);
    }

    /// Forgets what is known about directories, and closes them. The environment stays as it was at
    /// the first look-up.
    pub fn refresh(&mut self) {
        let engine = self.0.engine.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = engine {
            engine.refresh();
        }
    }

    pub(crate) fn current_policy(&self) -> &Policy {
        self.0.current_policy()
    }

    /// The calls made so far.
    pub fn calls(&self) -> Calls {
        self.0.calls()
    }
}
