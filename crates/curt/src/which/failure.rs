//! Why nothing was found.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use super::directories::Directories;
use super::engine::{Engine, join};
use super::found::Hit;
use super::look::Rules;
use super::names::{Asked, Refusal};
use crate::error::{FindCause, FindError};
use crate::fields::Fields;
use crate::name::{Name, Unit};
use crate::sys::{Ask, Lookup, SystemUnit};
use curt_paths::Flavor;

impl<S: Lookup> Engine<S> {
    /// Why nothing was found.
    pub(super) fn failure(&mut self, asked: Asked) -> FindError {
        if let Some(error) = self.known_failure(asked) {
            return error;
        }
        if let Some(base) = self.missing_base(asked) {
            return self.base_is_missing(base);
        }
        let left_out = if asked == Asked::Bare { self.left_out() } else { None };
        self.not_found(left_out)
    }

    /// Why nothing was found, where something was passed over that says it.
    pub(super) fn known_failure(&mut self, asked: Asked) -> Option<FindError> {
        let path = |units: &Vec<S::Unit>| Some(S::Unit::path(units.clone()));
        let is_given = asked != Asked::Bare;
        if let Some(error) = self.left_unsearched(asked) {
            return Some(error);
        }
        let missed = &self.look.missed;
        let is_unfit = self.policy.rules == Flavor::Posix && !missed.unfit.is_empty();
        let is_looped = !missed.looped.is_empty();
        let is_too_long = missed.is_too_long && (is_given || self.policy.stops_at_faults);
        let denies = is_given || self.policy.denied_if_unsearchable;
        let denied = missed.unsearchable.first().copied().filter(|_| denies);
        let (cause, path) = if is_looped && (self.policy.stops_at_faults || !is_unfit) {
            (FindCause::LinkLoop, path(&missed.looped))
        } else if is_unfit {
            (FindCause::NotExecutable, path(&missed.unfit))
        } else if is_too_long {
            (FindCause::NameTooLong, None)
        } else if let Some(at) = denied {
            let place =
                self.directory(asked, at).map(|directory| S::Unit::path(directory.shown.clone()));
            (FindCause::PermissionDenied, place)
        } else {
            return None;
        };
        Some(self.error(cause, path))
    }

    /// The first directory that the system failed to search, though it may be searched.
    pub(super) fn left_unsearched(&mut self, asked: Asked) -> Option<FindError> {
        let (at, error) = self.look.missed.other.take()?;
        let place =
            self.directory(asked, at).map(|directory| S::Unit::path(directory.shown.clone()));
        Some(self.error(FindCause::Os(error), place))
    }

    pub(super) fn base_is_missing(&self, base: PathBuf) -> FindError {
        self.error(FindCause::DirectoryMissing, Some(base))
    }

    /// That nothing was found, or something in the place that is left out alone.
    pub(super) fn not_found(&self, left_out: Option<PathBuf>) -> FindError {
        if left_out.is_some() {
            return self.error(FindCause::OnlyInWorkingDirectory, left_out);
        }
        let unfit = &self.look.missed.unfit;
        let path = (!unfit.is_empty()).then(|| S::Unit::path(unfit.clone()));
        self.error(FindCause::NotFound, path)
    }

    fn error(&self, cause: FindCause, path: Option<PathBuf>) -> FindError {
        let shown = |&at: &usize| Some(S::Unit::path(self.directories.all.get(at)?.shown.clone()));
        let unsearchable = match cause {
            FindCause::NotFound
            | FindCause::OnlyInWorkingDirectory
            | FindCause::PermissionDenied => {
                self.look.missed.unsearchable.iter().filter_map(shown).collect()
            }
            _ => Vec::new(),
        };
        let is_path = self.look.stem.len() != self.look.name.len();
        FindError::new(self.asked_name(), is_path, cause, path, unsearchable)
    }

    fn asked_name(&self) -> OsString {
        S::Unit::path(self.look.name.clone()).into_os_string()
    }

    pub(super) fn relative(&self, hit: &Hit<S::Unit>) -> FindError {
        self.error(FindCause::RelativeResult, Some(S::Unit::path(hit.units.clone())))
    }

    /// The base directory, where one was named, something depends on it, and it is not there.
    pub(super) fn missing_base(&mut self, asked: Asked) -> Option<PathBuf> {
        let base = self.base.given.clone()?;
        let depends = match asked {
            Asked::Given(_) => self.given.relative,
            Asked::Bare => {
                let Directories { all, left_out, .. } = &self.directories;
                left_out.is_some() || all.iter().any(|directory| directory.relative)
            }
        };
        let units = self.base.units(&self.sys);
        let mut native = S::native(&units).ok().filter(|_| depends)?.unwrap_or(units);
        native.push(S::Unit::NUL);
        let ask = Ask { fields: Fields::KIND, follow: true, cached: false };
        let found = self.sys.query(&self.root, Name::of_terminated(&native), ask);
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound).then_some(base)
    }

    /// The program that only the place holds which is not searched.
    fn left_out(&mut self) -> Option<PathBuf> {
        let directory = self.directories.left_out.as_ref()?;
        let rules = Rules { policy: &self.policy, extensions: &self.extensions, all: false };
        self.look.look_in(&self.sys, &self.root, directory, &rules);
        let rank = self.look.best(0)?;
        let mut path = Vec::new();
        join(&mut path, &directory.shown, self.look.called(rank));
        Some(S::Unit::path(path))
    }
}

/// That a name cannot be that of a program.
pub(super) fn refused(name: &OsStr, refusal: Refusal) -> FindError {
    let cause = match refusal {
        Refusal::TooLong => FindCause::NameTooLong,
        Refusal::Invalid(why) => FindCause::InvalidName(why),
    };
    FindError::new(name.to_owned(), false, cause, None, Vec::new())
}
