use std::borrow::Cow;

use crate::directory::{Cache, Cell, Directory, Known};
use crate::environment::Env;
use crate::options::{ExpandError, Flavor, Options, Style};
use crate::rule::{Rule, Trace};
use crate::unit::{PathText, Unit, has_nul};
use crate::windows::full_path;
use crate::windows::prefix::{Start, is_separator};
use crate::{posix, ruby};

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) options: Options,
    pub(crate) env: Env,
    pub(crate) base: Option<PathText>,
    /// Ruby refuses a base with NUL even if the path needs no base.
    pub(crate) has_nul_in_base: bool,
    pub(crate) cache: Cache,
}

#[derive(Clone, Copy)]
pub(crate) struct Expansion<'a> {
    world: &'a World,
    is_base: bool,
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(world: &'a World) -> Self {
        Expansion { world, is_base: false }
    }

    pub(crate) fn of_base(world: &'a World) -> Self {
        Expansion { world, is_base: true }
    }

    pub(crate) fn write<U: Unit>(
        self,
        text: &[U],
        out: &mut Vec<U>,
        trace: &mut impl Trace,
    ) -> Result<(), ExpandError> {
        let Options { flavor, style, .. } = self.world.options;
        if style == Style::Ruby && !self.is_base && self.world.has_nul_in_base {
            return Err(ExpandError::Nul);
        }
        let written = match (flavor, style) {
            (_, Style::Ruby) if has_nul(text) => Err(ExpandError::Nul),
            (Flavor::Posix, _) => self.posix(text, out, trace),
            (Flavor::Windows, Style::Native) if self.begins_at_home(text) => {
                self.at_home(text, trace).and_then(|joined| self.windows(&joined, out, trace))
            }
            (Flavor::Windows, Style::Native) => self.windows(text, out, trace),
            (Flavor::Windows, Style::Ruby) => {
                let joined = self.join(text, trace)?;
                Expansion::of_base(self.world).windows(&joined, out, trace)?;
                ruby::finish_windows(out, trace);
                Ok(())
            }
        };
        written.map_err(|error| if has_nul(text) { ExpandError::Nul } else { error })
    }

    fn posix<U: Unit>(
        self,
        text: &[U],
        out: &mut Vec<U>,
        trace: &mut impl Trace,
    ) -> Result<(), ExpandError> {
        let options = self.world.options;
        if text.is_empty() && options.keeps_meaning() {
            return Err(ExpandError::Empty);
        }
        let mut names = text;
        let directory = if text.first() == Some(&U::ascii(b'/')) {
            None
        } else if self.begins_at_home(text) {
            let (user, rest) = self.split_home(text);
            names = rest;
            let home = self.home(user, trace)?;
            Some(Cow::Owned(posix::directory(&home, options, trace)?))
        } else {
            Some(self.start(trace)?)
        };
        let directory = directory.as_deref();
        match options.style {
            Style::Native => posix::write(directory, names, options, out, trace),
            Style::Ruby => ruby::write_posix(directory, names, options.dot_dot(), out, trace),
        }
    }

    fn windows<U: Unit>(
        self,
        text: &[U],
        out: &mut Vec<U>,
        trace: &mut impl Trace,
    ) -> Result<(), ExpandError> {
        let directory = |start: Start, trace: &mut _| match start {
            Start::DriveRelative { letter } => self.drive(&text[..letter], trace),
            _ => self.start(trace),
        };
        full_path::write(text, self.world.options, directory, out, trace)
    }

    /// Joins the path and the base, as Ruby does before it calls Windows.
    fn join<U: Unit>(self, text: &[U], trace: &mut impl Trace) -> Result<Vec<U>, ExpandError> {
        if self.begins_at_home(text) {
            return self.at_home(text, trace);
        }
        let start = Start::of(text);
        let is_full = matches!(start, Start::DriveAbsolute { .. });
        let mut joined = Vec::with_capacity(text.len() + 4);
        if let Some(base) = self.world.base.as_ref().filter(|_| !is_full && !self.is_base) {
            let base = U::of(base)?;
            if has_nul(&base) {
                return Err(ExpandError::Nul);
            }
            if self.begins_at_home(&base) {
                // A rooted path starts from the home directory itself.
                let is_rooted = text.first().copied().is_some_and(is_separator);
                joined = self.at_home(if is_rooted { &base[..1] } else { &base }, trace)?;
            } else {
                ruby::join_base(&base, text, start, &mut joined, trace);
            }
        }
        ruby::join_path(text, start, &mut joined);
        Ok(joined)
    }

    fn start<U: Unit>(self, trace: &mut impl Trace) -> Result<Cow<'a, Directory<U>>, ExpandError> {
        if self.is_base || self.world.base.is_none() {
            trace.note(Rule::WorkingDirectory);
            self.cwd()
        } else {
            trace.note(Rule::Base);
            self.base()
        }
    }

    fn cwd<U: Unit>(self) -> Result<Cow<'a, Directory<U>>, ExpandError> {
        self.cached(
            |known| &known.cwd,
            || {
                let cwd = self.world.env.working_directory()?;
                self.directory(&U::of(&cwd)?)
            },
        )
    }

    fn base<U: Unit>(self) -> Result<Cow<'a, Directory<U>>, ExpandError> {
        let Some(base) = &self.world.base else { return self.cwd() };
        self.cached(
            |known| &known.base,
            || {
                let text = U::of(base)?;
                let mut full = Vec::with_capacity(text.len());
                Expansion::of_base(self.world).write(&text, &mut full, &mut ())?;
                self.directory(&full)
            },
        )
    }

    fn cached<U: Unit>(
        self,
        cell: impl FnOnce(&'a Known<U>) -> &'a Cell<Directory<U>>,
        find: impl FnOnce() -> Result<Directory<U>, ExpandError>,
    ) -> Result<Cow<'a, Directory<U>>, ExpandError> {
        cell(U::known(&self.world.cache)).get(find)
    }

    /// Returns the starting directory of a path on this drive: the base or the working directory if
    /// it is on the drive (with its spelling of the letter), otherwise the drive's working
    /// directory.
    fn drive<U: Unit>(
        self,
        letter: &[U],
        trace: &mut impl Trace,
    ) -> Result<Cow<'a, Directory<U>>, ExpandError> {
        let is_on_drive = |directory: &Cow<'a, Directory<U>>| {
            Start::of(&directory.text).drive() == Some(letter.len() + 1)
                && full_path::is_same_letter(&directory.text[..letter.len()], letter)
        };
        if !self.is_base && self.world.base.is_some() {
            if let Some(base) = self.base().ok().filter(is_on_drive) {
                trace.note(Rule::Base);
                return Ok(base);
            }
            trace.note(Rule::BaseIgnored);
        }
        if let Some(cwd) = self.cwd().ok().filter(is_on_drive) {
            trace.note(Rule::WorkingDirectory);
            return Ok(cwd);
        }
        if let Some(known) = self.world.env.drive_directory(&U::to_text(letter)) {
            trace.note(Rule::DriveDirectory);
            return self.directory(&U::of(&known)?).map(Cow::Owned);
        }
        trace.note(Rule::DriveRoot);
        let text = [letter, &[U::ascii(b':'), U::ascii(b'\\')]].concat();
        let root = text.len();
        Ok(Cow::Owned(Directory { text, root }))
    }

    fn directory<U: Unit>(self, text: &[U]) -> Result<Directory<U>, ExpandError> {
        match self.world.options.flavor {
            Flavor::Posix => posix::directory(text, self.world.options, &mut ()),
            Flavor::Windows => full_path::directory(text, self.world.options),
        }
    }

    /// `~:` is a drive, not a home directory.
    fn begins_at_home<U: Unit>(self, text: &[U]) -> bool {
        let is_drive = |text| match self.world.options.flavor {
            Flavor::Posix => false,
            Flavor::Windows => Start::of(text).drive().is_some(),
        };
        text.first() == Some(&U::ascii(b'~')) && self.world.options.tilde() && !is_drive(text)
    }

    fn split_home<U: Unit>(self, text: &[U]) -> (&[U], &[U]) {
        let ends = |unit: &U| match self.world.options.flavor {
            Flavor::Posix => *unit == U::ascii(b'/'),
            Flavor::Windows => is_separator(*unit),
        };
        let end = text.iter().position(ends).unwrap_or(text.len());
        (&text[1..end], &text[end..])
    }

    fn at_home<U: Unit>(self, text: &[U], trace: &mut impl Trace) -> Result<Vec<U>, ExpandError> {
        let (user, rest) = self.split_home(text);
        let mut path = self.home(user, trace)?;
        ruby::join_home(&mut path, rest);
        Ok(path)
    }

    /// An empty name means this process's user.
    fn home<U: Unit>(self, user: &[U], trace: &mut impl Trace) -> Result<Vec<U>, ExpandError> {
        let World { options: Options { flavor, .. }, env, .. } = self.world;
        let home = if user.is_empty() {
            trace.note(Rule::Home);
            let by_name = || (*flavor == Flavor::Posix).then(|| env.home_of(b""))?;
            env.home_directory().or_else(by_name).ok_or(ExpandError::NoHome)?
        } else {
            trace.note(Rule::UserHome);
            let name = (*flavor == Flavor::Posix).then(|| U::to_text(user));
            let home = name.and_then(|name| env.home_of(&name.to_bytes()));
            home.ok_or(ExpandError::NoUser)?
        };
        let home = U::of(&home)?;
        let is_full = match flavor {
            Flavor::Posix => home.first() == Some(&U::ascii(b'/')),
            Flavor::Windows => !has_nul(&home) && Start::of(&home).is_full(),
        };
        if is_full { Ok(home.into_owned()) } else { Err(ExpandError::HomeNotAbsolute) }
    }
}
