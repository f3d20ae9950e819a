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
/// The first look-up splits `PATH` and resolves its relative entries. Later look-ups reuse the
/// result, so later changes of the environment or the working directory have no effect.
///
/// Threads can share a search. Concurrent look-ups do not wait for one another, but prepare their
/// own state. Waiting could hang a child process after `fork`, because the other thread does not
/// exist there.
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
    engine: Mutex<Option<Engine<Os>>>,
    /// System calls of look-ups that used a temporary engine, because another thread held the lock.
    other_calls: SharedCalls,
}

impl Search {
    /// Creates a search under curt's own rules, with the environment of this process.
    pub fn new() -> Search {
        Search::default()
    }

    /// Sets whose rules to follow; [`Policy::Native`] by default.
    pub fn policy(self, policy: Policy) -> Search {
        self.with(|options| options.policy = policy)
    }

    /// Sets the system whose rules apply, if the policy has rules for it; this system by default.
    pub fn rules(self, flavor: Flavor) -> Search {
        self.with(|options| options.flavor = Some(flavor))
    }

    /// Sets whether to search the working directory implicitly, which overrides the policy and
    /// `NoDefaultCurrentDirectoryInExePath`. Under Windows rules it comes before `PATH`. Under
    /// POSIX rules it replaces each empty entry. A `.` in `PATH` is always searched.
    pub fn cwd(self, searched: bool) -> Search {
        self.with(|options| options.cwd = Some(searched))
    }

    /// Sets `PATH`. Its entries are separated by `:`, or by `;` under Windows rules.
    pub fn path(self, path: impl AsRef<OsStr>) -> Search {
        self.with(|options| options.path = Some(path.as_ref().to_owned()))
    }

    /// Sets `PATHEXT`, for Windows rules.
    pub fn pathext(self, pathext: impl AsRef<OsStr>) -> Search {
        self.with(|options| options.pathext = Some(pathext.as_ref().to_owned()))
    }

    /// Sets the directory from which relative names and entries are resolved, and which policies
    /// search as the working directory; that of the process by default.
    pub fn base(self, directory: impl Into<PathBuf>) -> Search {
        self.with(|options| options.base = RelativeTo::Directory(directory.into()))
    }

    /// Ignores relative names and entries, which saves querying the working directory.
    pub fn no_base(self) -> Search {
        self.with(|options| options.base = RelativeTo::Nothing)
    }

    /// Sets the environment that supplies `PATH`, `PATHEXT` and other variables, for example that
    /// of a child; that of the process by default.
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

    /// Returns a search for a child process. Options that were not set come from the child's
    /// variables (`None` if it inherits ours) and its working directory.
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

    /// Finds the first program with this name.
    pub fn find(&self, name: impl AsRef<OsStr>) -> Result<Found, Error> {
        self.run(|engine| engine.find(name.as_ref()))
    }

    /// Finds all programs with this name, lazily. Under Windows rules a directory can yield several
    /// candidates.
    ///
    /// If there is no program, the iterator yields one error. If a system failure kept it from
    /// searching a directory, it yields that error last. Other look-ups may run while the iterator
    /// is in use.
    pub fn find_all(&self, name: impl AsRef<OsStr>) -> FindAll<'_> {
        let begun = self.run(|engine| engine.begin(name.as_ref(), true));
        FindAll { search: self, query: Some(begun), is_first: true }
    }

    /// Finds the first program with this name, and records every step.
    pub fn explain(&self, name: impl AsRef<OsStr>) -> SearchExplanation {
        self.run(|engine| explain(engine, name.as_ref()))
    }

    /// Reads the first bytes of a program found under POSIX rules, for [`Found::program`] and
    /// [`Found::interpreter`]. Ignores an unreadable program. Costs 3 calls, and 1 more for an
    /// interpreter.
    pub fn look_into(&self, found: &mut Found) {
        if self.options.rules().flavor == Flavor::Posix {
            self.run(|engine| found.read_head(&engine.judge.sys));
        }
    }

    /// Returns the system calls made since the last change of an option.
    pub fn calls(&mut self) -> Calls {
        let engine = self.engine.get_mut().unwrap_or_else(PoisonError::into_inner);
        let used = engine.as_ref().map(|engine| engine.judge.sys.calls());
        let mut calls = used.unwrap_or_default();
        self.other_calls.add_to(&mut calls);
        calls
    }
}

/// The first look-up of a clone reads the environment and the working directory again.
impl Clone for Search {
    fn clone(&self) -> Search {
        Search { options: self.options.clone(), ..Search::default() }
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omit the environment, which may hold secrets.
        let Options { policy, flavor, cwd, path, pathext, base, .. } = &self.options;
        let mut shown = f.debug_struct("Search");
        shown.field("policy", policy).field("rules", flavor).field("cwd", cwd);
        shown.field("path", path).field("pathext", pathext).field("base", base);
        shown.finish_non_exhaustive()
    }
}

/// An iterator over programs (see [`Search::find_all`]).
#[must_use = "iterators do nothing until they are used"]
pub struct FindAll<'a> {
    search: &'a Search,
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
