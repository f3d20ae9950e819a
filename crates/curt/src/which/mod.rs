//! Looking for programs: `PATH`, and on Windows `PATHEXT`, by named rules and in the fewest calls.
//!
//! # Promises
//!
//! - The rules are a value ([`Policy`]), with a preset for each authority, and run on every system.
//! - Everything that decides is a parameter: `PATH`, `PATHEXT`, the base directory, the environment. That
//!   of the process is only what is taken where none is named.
//! - What nobody named is not searched, unless the policy says so: a name that is only in the working
//!   directory is an error that says so. A relative entry of `PATH` is searched and flagged.
//! - A directory is asked once, however often `PATH` names it. A name that cannot be a program's costs
//!   nothing. A path touches no directory of `PATH`.
//! - What is found has the name that the disk has, never depends on the order of a listing, and is never a
//!   directory. Extensions match whole.
//! - After the first look-up, one by name that succeeds allocates nothing
//!   ([`Search::find_into`], into the caller's [`Found`]). On Windows names are UTF-16 from the
//!   environment to the kernel and back.
//!
//! # Call budget
//!
//! Of each directory of `PATH`; k is the number of candidates (names with extensions).
//!
//! | | POSIX rules, on Linux | Windows rules, on Windows |
//! |---|---|---|
//! | it is absent | 1 (`faccessat2`) | 1 |
//! | nothing matches | 1 | k where k ≤ 2, else 3: open, list, close |
//! | some names begin so, none matches | – | 4: the listing is read to its end |
//! | it is found | 2 (`statx`: no directory) | ≤ 4 |
//! | more names begin so than one buffer holds | – | 3 + k; 2 more where one is found, for its spelling |
//! | it may not be listed | – | 1 + k |
//! | many names at once ([`Search::find_many`]) | 1 for each name | 3 + the pages of the directory |
//! | in a [`Session`], after the first time | as above, 0 where it is absent | the same |
//!
//! Once for a search: 1 (`getcwd`) where something is relative and no absolute base was named. Where nothing
//! is found by Windows' rules: the working directory as a directory more, so that the error can tell; a
//! base directory that was named is asked for. Looking into what was found ([`Search::look_into`]): 3,
//! and 1 for the interpreter of a script. Windows' rules on other systems list directories to their end.
//!
//! # Races
//!
//! A search tells what was there when it asked. Between that and the start somebody may put another file
//! there, as with every search; who starts what was found must start that very path and not search again
//! ([`Command`](crate::Command) does, and says what that guarantees).
//! A directory that is replaced during the search is searched as one or the other, or both, never mixed
//! within one listing. Nothing is changed, so nothing can be lost.
//!
//! # Fallbacks
//!
//! Where `faccessat2` is missing or refused, the bits of the mode decide. Where a directory may be searched
//! and not listed, each candidate is asked for. Where a listing does not tell kinds, what matches is asked
//! for. Where the system does not tell how a file is spelled, it is as it was asked for.

mod directories;
mod engine;
mod explain;
mod failure;
mod found;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod lists;
mod look;
mod many;
mod names;
mod policy;
mod resolve;
mod script;
mod session;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use self::engine::{Engine, Position};
pub use self::explain::{Looked, SearchExplanation};
use self::found::Hit;
pub use self::found::{Found, FoundIn, Interpreter};
use self::names::Asked;
pub use self::policy::{Bare, Cwd, Extensions, LaunchFailure, Literal, Policy, Program};
pub use self::session::Session;
use crate::calls::Calls;
use crate::error::FindError;
use crate::sys::process::Variable;
use crate::sys::{Lookup, Os, Setup, Sys};
use curt_paths::Flavor;

type Unit = <Os as Sys>::Unit;

/// Where a variable comes from.
#[derive(Clone, Debug, Default)]
enum Setting<U> {
    /// The environment.
    #[default]
    Inherit,
    Unset,
    Is(Vec<U>),
}

/// What a search was asked for.
#[derive(Clone, Debug)]
struct Options<U> {
    path: Setting<U>,
    pathext: Setting<U>,
    base: Option<PathBuf>,
    /// `None` is that of the process.
    environment: Option<Vec<(OsString, OsString)>>,
    policy: Policy,
    keeps: bool,
}

impl<U> Default for Options<U> {
    fn default() -> Self {
        Options {
            path: Setting::Inherit,
            pathext: Setting::Inherit,
            base: None,
            environment: None,
            policy: Policy::default(),
            keeps: false,
        }
    }
}

impl<U: Clone> Options<U> {
    /// What a variable holds. By Windows' rules the case of its name does not count, and of two that are
    /// one by that the last is taken.
    ///
    /// `usual` are the variables where none were named; `None` for those of this process.
    fn variable<S: Lookup<Unit = U>>(
        &self,
        setting: &Setting<U>,
        name: &str,
        usual: Option<&[Variable<'_>]>,
    ) -> Option<Vec<U>> {
        match setting {
            Setting::Unset => return None,
            Setting::Is(text) => return Some(text.clone()),
            Setting::Inherit => {}
        }
        let is_it = |other: &OsStr| match self.policy.rules {
            Flavor::Posix => other == name,
            Flavor::Windows => other.eq_ignore_ascii_case(name),
        };
        let value: &OsStr = match (&self.environment, usual) {
            (None, None) => return S::variable(name),
            (Some(variables), _) => &variables.iter().rfind(|(other, _)| is_it(other))?.1,
            (None, Some(variables)) => &variables.iter().rfind(|(other, _)| is_it(other))?.1,
        };
        let mut units = Vec::new();
        S::put(value, &mut units);
        Some(units)
    }
}

fn setting<U, S: Lookup<Unit = U>>(text: impl AsRef<OsStr>) -> Setting<U> {
    let mut units = Vec::new();
    S::put(text.as_ref(), &mut units);
    Setting::Is(units)
}

/// A search for programs.
///
/// The first look-up takes `PATH` apart and settles what is relative; later ones use that again. The
/// environment and the working directory are those of the first look-up.
///
/// ```
/// # #[cfg(unix)] {
/// use curt::{FoundIn, Search};
/// let mut search = Search::new().path("/nowhere:/bin:/usr/bin");
/// let found = search.find("sh")?;
/// assert!(found.path().ends_with("sh"));
/// assert_eq!(found.origin(), FoundIn::Path(1));
/// assert_eq!(search.find("no such program").unwrap_err().word(), "not-found");
/// # }
/// # Ok::<(), curt::FindError>(())
/// ```
#[derive(Default)]
#[must_use = "a search does nothing until it is run"]
pub struct Search {
    options: Options<Unit>,
    engine: Option<Engine<Os>>,
}

impl Search {
    /// A search by curt's own rules for this system, with the environment of this process.
    pub fn new() -> Search {
        Search::default()
    }

    /// By whose rules.
    pub fn policy(mut self, policy: Policy) -> Search {
        self.options.policy = policy;
        self.anew()
    }

    /// `PATH`, in the form of the rules: entries end at `:`, or at `;` by Windows' rules.
    pub fn path(mut self, path: impl AsRef<OsStr>) -> Search {
        self.options.path = setting::<Unit, Os>(path);
        self.anew()
    }

    /// As where `PATH` is not set.
    pub fn without_path(mut self) -> Search {
        self.options.path = Setting::Unset;
        self.anew()
    }

    /// `PATHEXT`, for Windows' rules.
    pub fn pathext(mut self, pathext: impl AsRef<OsStr>) -> Search {
        self.options.pathext = setting::<Unit, Os>(pathext);
        self.anew()
    }

    /// As where `PATHEXT` is not set.
    pub fn without_pathext(mut self) -> Search {
        self.options.pathext = Setting::Unset;
        self.anew()
    }

    /// The directory that relative names and entries begin from, and that is the place which nobody named.
    /// The process's working directory where none is given.
    pub fn base(mut self, directory: impl Into<PathBuf>) -> Search {
        self.options.base = Some(directory.into());
        self.anew()
    }

    /// The environment that `PATH`, `PATHEXT` and the rest is taken from: that of a child, say.
    pub fn environment<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Search {
        let pairs = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.options.environment = Some(pairs.collect());
        self.anew()
    }

    /// A search that keeps directories open, and remembers which are absent.
    pub fn session(mut self) -> Session {
        self.options.keeps = true;
        Session::new(self.anew())
    }

    /// The same search, ready for a child: what was not named is taken from its variables (`None` for those of
    /// this process), and begins from its directory.
    pub(crate) fn for_child(
        &self,
        variables: Option<&[Variable<'_>]>,
        directory: Option<&Path>,
    ) -> Search {
        let options = self.options.clone();
        let sys = Os::start(&Setup::default());
        let engine = Engine::for_child(sys, &options, variables, directory);
        Search { engine: Some(engine), options }
    }

    pub(crate) fn policy_in_force(&self) -> &Policy {
        &self.options.policy
    }

    fn anew(mut self) -> Search {
        self.engine = None;
        self
    }

    fn engine(&mut self) -> &mut Engine<Os> {
        let Search { options, engine } = self;
        engine.get_or_insert_with(|| Engine::new(Os::start(&Setup::default()), options))
    }

    /// The first program of that name.
    ///
    /// Cost: see the table of the module; the error names what is to blame.
    pub fn find(&mut self, name: impl AsRef<OsStr>) -> Result<Found, FindError> {
        let mut found = Found::default();
        self.find_into(name, &mut found)?;
        Ok(found)
    }

    /// The same into a value that keeps its memory. After the first look-up, one by name that succeeds
    /// allocates nothing.
    pub fn find_into(
        &mut self,
        name: impl AsRef<OsStr>,
        found: &mut Found,
    ) -> Result<(), FindError> {
        self.engine().find(name.as_ref(), &mut found.0)
    }

    /// All programs of that name, one at a time, each looked for when it is asked for: those that come next
    /// where the first cannot be started. By Windows' rules all candidates of a directory count. A name
    /// that is nowhere is one error; so is a directory that the system failed to search, behind what was
    /// found.
    pub fn find_all(&mut self, name: impl AsRef<OsStr>) -> FindAll<'_> {
        let engine = self.engine();
        let (asked, refused) = match engine.begin(name.as_ref()) {
            Ok(asked) => (Some(asked), None),
            Err(error) => (None, Some(error)),
        };
        FindAll { engine, asked, refused, position: Position::default(), is_first: true }
    }

    /// Looks for many names, the directories in turn: the answers in the order of the names. By Windows'
    /// rules each directory is listed once, whole.
    pub fn find_many<N: AsRef<OsStr>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Vec<Result<Found, FindError>> {
        let names: Vec<N> = names.into_iter().collect();
        let names: Vec<&OsStr> = names.iter().map(AsRef::as_ref).collect();
        let answers = many::find_many(self.engine(), &names);
        answers.into_iter().map(|answer| answer.map(Found)).collect()
    }

    /// Looks for a name, and tells of every step.
    pub fn explain(&mut self, name: impl AsRef<OsStr>) -> SearchExplanation {
        explain::explain(self.engine(), name.as_ref())
    }

    /// Looks into a program that was found by POSIX' rules, so that [`Found::program`] and
    /// [`Found::interpreter`] tell more: 3 calls, and 1 more for an interpreter. What may not be read stays
    /// as it is.
    pub fn look_into(&mut self, found: &mut Found) {
        self.engine().read_head(&mut found.0);
    }

    /// The calls made since an option was set last.
    pub fn calls(&self) -> Calls {
        self.engine.as_ref().map_or_else(Calls::default, |engine| engine.sys.calls())
    }
}

/// The programs of one name, as [`Search::find_all`] finds them.
#[must_use = "iterators do nothing until they are used"]
pub struct FindAll<'a> {
    engine: &'a mut Engine<Os>,
    asked: Option<Asked>,
    refused: Option<FindError>,
    position: Position,
    is_first: bool,
}

impl Iterator for FindAll<'_> {
    type Item = Result<Found, FindError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.refused.take() {
            return Some(Err(error));
        }
        let asked = self.asked?;
        let engine = &mut *self.engine;
        let mut hit = Hit::default();
        let is_first = std::mem::replace(&mut self.is_first, false);
        if let Some(answer) = engine.next(asked, &mut self.position, true, &mut hit) {
            return Some(answer.map(|()| Found(hit)));
        }
        self.asked = None;
        if is_first {
            Some(Err(engine.failure(asked)))
        } else {
            engine.left_unsearched(asked).map(Err)
        }
    }
}
