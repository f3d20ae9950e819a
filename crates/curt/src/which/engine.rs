//! One search: its places, its candidates, and what it missed on the way.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::directories::{Base, Directories, Directory, Known, Sources};
use super::explain::Looked;
use super::failure::refused;
use super::found::{FoundIn, Hit};
use super::lists::{Extension, extensions, program_of};
use super::look::{Look, Outcome, Rank, Rules, Verdict};
use super::names::{Asked, extension_at};
use super::policy::{Cwd, Policy, Program};
use super::{Options, Setting};
use crate::error::FindError;
use crate::name::{Name, Unit};
use crate::sys::process::Variable;
use crate::sys::{Lookup, Opened, SystemUnit, is_loop};
use curt_paths::Flavor;

/// How many directories a session keeps open.
const KEPT: usize = 256;

/// A search that is ready to look.
pub(super) struct Engine<S: Lookup> {
    pub(super) sys: S,
    pub(super) root: S::Dir,
    pub(super) policy: Policy,
    pub(super) base: Base<S::Unit>,
    pub(super) directories: Directories<S::Unit, S::Dir>,
    /// Where a name that is a path leads.
    pub(super) given: Directory<S::Unit, S::Dir>,
    pub(super) extensions: Vec<Extension<S::Unit>>,
    pub(super) dropped: Vec<Vec<S::Unit>>,
    pub(super) look: Look<S>,
    /// Whether directories are kept open, and how many are.
    pub(super) keeps: Option<usize>,
    pub(super) trace: Option<Vec<Looked>>,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// The next place.
    place: usize,
    /// The next rank in the place before, whose answers are still there.
    rank: Option<usize>,
}

impl<S: Lookup> Engine<S> {
    pub(super) fn new(sys: S, options: &Options<S::Unit>) -> Engine<S> {
        Engine::for_child(sys, options, None, None)
    }

    /// The same for a child: what was not named is taken from its variables (`None` for those of this process),
    /// and begins from its directory.
    pub(super) fn for_child(
        sys: S,
        options: &Options<S::Unit>,
        variables: Option<&[Variable<'_>]>,
        directory: Option<&Path>,
    ) -> Engine<S> {
        let root = sys.root();
        let policy = options.policy.clone();
        let variable = |setting, name| options.variable::<S>(setting, name, variables);
        let path = variable(&options.path, "PATH");
        // The rest means nothing by the rules of POSIX.
        let of_windows = |setting, name| match policy.rules {
            Flavor::Posix => None,
            Flavor::Windows => variable(setting, name),
        };
        let system_root = of_windows(&Setting::Inherit, "SystemRoot");
        let forbids = of_windows(&Setting::Inherit, "NoDefaultCurrentDirectoryInExePath");
        let sources = Sources { path, system_root, forbids_cwd: forbids.is_some() };
        let given = options.base.as_deref().or(directory).map(Path::to_owned);
        let mut base = Base::new(policy.rules, given);
        let directories = Directories::of(&sources, &policy, &mut base, &sys);
        let list = extensions(of_windows(&options.pathext, "PATHEXT").as_deref(), &policy);
        Engine {
            sys,
            root,
            policy,
            base,
            directories,
            given: Directory::given(),
            extensions: list.extensions,
            dropped: list.dropped,
            look: Look::default(),
            keeps: options.keeps.then_some(0),
            trace: None,
        }
    }

    /// Begins a look-up.
    pub(super) fn begin(&mut self, name: &OsStr) -> Result<Asked, FindError> {
        let begun = self.look.begin(name, &self.policy, &self.extensions);
        begun.map_err(|refusal| refused(name, refusal))
    }

    /// Finds the first program of that name.
    pub(super) fn find(&mut self, name: &OsStr, hit: &mut Hit<S::Unit>) -> Result<(), FindError> {
        let asked = self.begin(name)?;
        match self.next(asked, &mut Position::default(), false, hit) {
            Some(answer) => answer,
            None => Err(self.failure(asked)),
        }
    }

    /// The next program; `None` where there is no more.
    pub(super) fn next(
        &mut self,
        asked: Asked,
        position: &mut Position,
        all: bool,
        hit: &mut Hit<S::Unit>,
    ) -> Option<Result<(), FindError>> {
        loop {
            if let Some(rank) = position.rank.and_then(|rank| self.look.best(rank)) {
                position.rank = Some(rank + 1);
                let place = self.directory(asked, position.place - 1)?;
                fill(hit, place, self.look.called(rank), self.policy.rules);
                let refused = self.policy.cwd == Cwd::Report && hit.relative;
                let refused = refused && hit.origin != FoundIn::Given;
                return Some(if refused { Err(self.relative(hit)) } else { Ok(()) });
            }
            position.rank = None;
            match asked {
                Asked::Given(begin) if position.place == 0 => self.aim(begin),
                Asked::Bare if position.place < self.directories.all.len() => {}
                _ => return None,
            }
            let at = position.place;
            position.place += 1;
            if self.look_into(asked, at, all) {
                position.rank = Some(0);
            } else {
                // A fault that ends the search.
                position.place = usize::MAX;
            }
        }
    }

    pub(super) fn directory(&self, asked: Asked, at: usize) -> Option<&Directory<S::Unit, S::Dir>> {
        match asked {
            Asked::Given(_) => Some(&self.given),
            Asked::Bare => self.directories.all.get(at),
        }
    }

    /// Takes the directory that a path names.
    fn aim(&mut self, begin: usize) {
        let Engine { sys, base, given, look, .. } = self;
        given.aim(look.name.get(..begin).unwrap_or_default(), base, sys);
    }

    /// Looks into a place, and notes what became of it; whether the search may go on.
    fn look_into(&mut self, asked: Asked, at: usize, all: bool) -> bool {
        if asked == Asked::Bare && self.keeps.is_some() {
            self.keep(at);
        }
        let rules = Rules { policy: &self.policy, extensions: &self.extensions, all };
        let directory = match asked {
            Asked::Given(_) => Some(&self.given),
            Asked::Bare => self.directories.all.get(at),
        };
        let Some(directory) = directory else { return true };
        let before = self.trace.as_ref().map(|_| self.sys.calls().total());
        let outcome = self.look.look_in(&self.sys, &self.root, directory, &rules);
        if let Some(trace) = &mut self.trace {
            let calls = self.sys.calls().total() - before.unwrap_or_default();
            trace.push(Looked::new(directory, &outcome, &self.look, &rules, calls));
        }
        take_note(&mut self.look, at, directory, outcome, &self.policy)
    }

    /// Opens a directory of a session, or learns that there is none.
    pub(super) fn keep(&mut self, at: usize) {
        let Engine { sys, root, directories, keeps, policy, .. } = self;
        let count = keeps.unwrap_or(KEPT);
        let Some(directory) = directories.all.get_mut(at) else { return };
        if count >= KEPT || !matches!(directory.known, Known::Nothing) {
            return;
        }
        let mut native = directory.native().to_vec();
        directory.known = match policy.rules {
            Flavor::Windows => {
                native.push(S::Unit::NUL);
                match sys.open_search(root, Name::of_terminated(&native)) {
                    Opened::Dir(dir) => Known::Open(dir),
                    Opened::Gone | Opened::NotDirectory => Known::Absent,
                    _ => Known::Nothing,
                }
            }
            Flavor::Posix => match sys.open_parent(&S::Unit::path(native)) {
                Ok(dir) => Known::Open(dir),
                Err(error) if is_absence(&error) => Known::Absent,
                Err(_) => Known::Nothing,
            },
        };
        *keeps = Some(count + usize::from(matches!(directory.known, Known::Open(_))));
    }

    /// Looks into what was found, for what begins a script: 3 calls, and 1 more for its interpreter.
    pub(super) fn read_head(&mut self, hit: &mut Hit<S::Unit>) {
        if self.policy.rules != Flavor::Posix {
            return;
        }
        let Ok(native) = S::native(&hit.units) else { return };
        let mut native = native.unwrap_or_else(|| hit.units.clone());
        native.push(S::Unit::NUL);
        super::script::look_into(&self.sys, &self.root, Name::of_terminated(&native), hit);
    }

    /// Forgets what a session keeps.
    pub(super) fn refresh(&mut self) {
        for directory in &mut self.directories.all {
            if let Some(dir) = directory.forget() {
                self.sys.close(dir);
            }
        }
        self.keeps = self.keeps.map(|_| 0);
    }
}

impl<S: Lookup> Drop for Engine<S> {
    fn drop(&mut self) {
        self.refresh();
    }
}

/// Notes what was passed over in a place; whether the search may go on.
pub(super) fn take_note<S: Lookup>(
    look: &mut Look<S>,
    at: usize,
    directory: &Directory<S::Unit, S::Dir>,
    outcome: Outcome,
    policy: &Policy,
) -> bool {
    let is_unfit =
        |rank: &Rank| matches!(rank.verdict, Verdict::Directory | Verdict::NotExecutable);
    if look.missed.unfit.is_empty() {
        if let Some(rank) = look.ranks.iter().position(is_unfit) {
            let mut unfit = std::mem::take(&mut look.missed.unfit);
            join(&mut unfit, &directory.shown, look.called(rank));
            look.missed.unfit = unfit;
        }
    }
    match outcome {
        Outcome::Searched | Outcome::Absent => return true,
        Outcome::Unsearchable | Outcome::Unlistable => {
            look.missed.unsearchable.push(at);
            return true;
        }
        Outcome::Failed(error) if is_loop(&error) => {
            join(&mut look.missed.looped, &directory.shown, &look.stem);
        }
        Outcome::Failed(error) if S::is_too_long(&error) => look.missed.is_too_long = true,
        // What else fails is one directory's fault; it is told where nothing is found behind it.
        Outcome::Failed(error) => {
            look.missed.other.get_or_insert((at, error));
            return true;
        }
        // The others could not be searched either, or only some of them: that would be a guess.
        Outcome::Shortage(error) => {
            look.missed.other = Some((at, error));
            return false;
        }
    }
    !policy.stops_at_faults
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn fill<U: Unit, D>(
    hit: &mut Hit<U>,
    directory: &Directory<U, D>,
    called: &[U],
    rules: Flavor,
) {
    join(&mut hit.units, &directory.shown, called);
    (hit.origin, hit.relative, hit.interpreter) = (directory.origin, directory.relative, None);
    hit.program = match rules {
        Flavor::Posix => Program::Executable,
        Flavor::Windows => match extension_at(called) {
            Some(dot) => program_of(&called[dot..]),
            None => Program::Executable,
        },
    };
}

pub(super) fn join<U: Unit>(into: &mut Vec<U>, directory: &[U], name: &[U]) {
    into.clear();
    into.extend_from_slice(directory);
    if into.last().is_none_or(|&unit| unit != U::SEPARATOR) {
        into.push(U::SEPARATOR);
    }
    into.extend_from_slice(name);
}
