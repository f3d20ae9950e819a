//! Directories that a path goes on from: the base, the working directory, those of drives, homes.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::environment::Env;
use crate::expander::Expander;
use crate::flavor::Flavor;
use crate::options::{ExpandError, Options};
use crate::posix;
use crate::unit::Unit;
use crate::windows::full_path;

/// A full path that another goes on from.
#[derive(Clone, Debug)]
pub(crate) struct Place<U> {
    pub(crate) text: Vec<U>,
    /// How much of it `..` cannot take away, and a path keeps that begins with one separator.
    pub(crate) root: usize,
}

type Known<U> = OnceLock<Result<Place<U>, ExpandError>>;

/// What an expander found out once, in one kind of units.
#[derive(Debug)]
pub struct Settled<U> {
    cwd: Known<U>,
    base: Known<U>,
}

impl<U> Default for Settled<U> {
    fn default() -> Self {
        Settled { cwd: OnceLock::new(), base: OnceLock::new() }
    }
}

/// Where an expansion learns of places.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a, U> {
    expander: &'a Expander,
    settled: &'a Settled<U>,
    /// What is expanded is the base itself.
    is_base: bool,
}

impl<'a, U: Unit> Places<'a, U> {
    pub(crate) fn of(expander: &'a Expander) -> Self {
        Places { expander, settled: U::settled(expander), is_base: false }
    }

    /// The same for the base itself, which goes on from the working directory.
    pub(crate) fn of_base(self) -> Self {
        Places { is_base: true, ..self }
    }

    /// Whether what is expanded is the base itself.
    pub(crate) fn is_base(self) -> bool {
        self.is_base
    }

    pub(crate) fn options(self) -> Options {
        self.expander.options
    }

    pub(crate) fn env(self) -> &'a Env {
        &self.expander.env
    }

    /// The base as it was given.
    pub(crate) fn base_text(self) -> Option<Result<Cow<'a, [U]>, ExpandError>> {
        self.expander.base.as_ref().map(|base| U::of(base))
    }

    /// The working directory.
    pub(crate) fn cwd(self) -> Result<&'a Place<U>, ExpandError> {
        let known = self.settled.cwd.get_or_init(|| {
            let cwd = self.env().working_directory().ok_or(ExpandError::Drive)?;
            self.place(&U::of(cwd)?)
        });
        known.as_ref().map_err(|&error| error)
    }

    /// The base, or the working directory where there is none.
    pub(crate) fn from(self) -> Result<&'a Place<U>, ExpandError> {
        let Some(base) = self.base_text() else {
            return self.cwd();
        };
        let known = self.settled.base.get_or_init(|| {
            let text = base?;
            let mut full = Vec::with_capacity(text.len());
            let places = self.of_base();
            match self.options().flavor {
                Flavor::Posix => posix::expand(&text, places, &mut full, &mut ())?,
                Flavor::Windows => full_path::expand(&text, places, &mut full, &mut ())?,
            }
            self.place(&full)
        });
        known.as_ref().map_err(|&error| error)
    }

    pub(crate) fn has_base(self) -> bool {
        self.expander.base.is_some()
    }

    /// A full path as a place. One that is not full is an error.
    pub(crate) fn place(self, text: &[U]) -> Result<Place<U>, ExpandError> {
        match self.options().flavor {
            Flavor::Posix => posix::place(text, self.options()),
            Flavor::Windows => full_path::place(text, self.options()),
        }
    }

    /// The home directory as it is known.
    pub(crate) fn home(self) -> Result<Vec<U>, ExpandError> {
        let home = self.env().home_directory();
        let home = home.or_else(|| match self.options().flavor {
            Flavor::Posix => self.env().home_of(b""),
            Flavor::Windows => None,
        });
        self.checked_home(&U::of(&home.ok_or(ExpandError::NoHome)?)?)
    }

    /// The home directory of a user. Windows has no way to find one.
    pub(crate) fn home_of(self, user: &[U]) -> Result<Vec<U>, ExpandError> {
        if self.options().flavor == Flavor::Windows {
            return Err(ExpandError::NoUser);
        }
        let name = U::to_text(user);
        let home = self.env().home_of(&name.to_bytes()).ok_or(ExpandError::NoUser)?;
        self.checked_home(&U::of(&home)?)
    }

    fn checked_home(self, home: &[U]) -> Result<Vec<U>, ExpandError> {
        let is_full = match self.options().flavor {
            Flavor::Posix => home.first() == Some(&U::ascii(b'/')),
            Flavor::Windows => full_path::is_full_home(home),
        };
        if is_full { Ok(home.to_vec()) } else { Err(ExpandError::HomeNotAbsolute) }
    }
}
