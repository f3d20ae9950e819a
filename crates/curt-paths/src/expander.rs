//! Expansion: the full path that a path means, by the text alone.
//!
//! # Promises
//!
//! The answer is a pure function of the text, what an [`Env`] says of the world, and the choices of
//! an [`Expander`]: any [`Flavor`] on any system. Units that are no Unicode survive. What a link on
//! the way would change is not asked, and neither is whether anything exists.
//!
//! | flavor, style | authority |
//! |---|---|
//! | POSIX, native, [`DotDot::Keep`] | [`std::path::absolute`] |
//! | POSIX, native, [`DotDot::Clamp`] | Python's `normpath(join(cwd, path))` |
//! | POSIX, [`Style::Ruby`] | Ruby's `File.expand_path` |
//! | Windows, native | [`GetFullPathNameW`], whose rules Microsoft describes under [path normalization] |
//! | Windows, [`Style::Ruby`] | Ruby's `File.expand_path`, without its look at the last name's long form |
//!
//! [`GetFullPathNameW`]:
//! https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getfullpathnamew
//! [path normalization]:
//! https://learn.microsoft.com/dotnet/standard/io/file-path-formats#path-normalization
//!
//! # Call budget
//!
//! | what | calls to the file system | other calls |
//! |---|---|---|
//! | every expansion | 0 | 0 |
//! | the first relative path of an expander over the process's own working directory | 0 | 1 (`getcwd`; none on Windows) |
//! | `~user`, and `~` where `HOME` is not set, on POSIX | what the user database makes | |
//! | [`long_name()`], which is asked of an existing file and never by itself | 3 on Windows, else 0 | |
//!
//! A path that is full and clean is handed back as it is: nothing is allocated.
//!
//! # Races
//!
//! None: nothing is looked at. The working directory is that of the first relative path, until
//! [`Expander::refresh`]. A path that was expanded is not a path that was checked: who takes paths
//! from strangers opens them beneath a directory, and asks what was opened.
//!
//! # Fallbacks
//!
//! None are needed.

use std::borrow::Cow;

use crate::environment::Env;
use crate::flavor::{Flavor, Release};
use crate::options::{DotDot, ExpandError, Options, Style, Verbatim};
use crate::place::{Places, Settled};
use crate::rule::{Listener, Rule};
use crate::text::{PathText, Units};
use crate::unit::Unit;
use crate::windows::full_path;
use crate::{posix, ruby};

/// Makes paths full, by text alone: see [`Env`] for what it knows, and the methods for what can be
/// chosen. Made once and used for many paths, by any number of threads.
///
/// ```
/// use curt_paths::{DotDot, Env, Expander, Flavor};
/// let expander = Expander::new(Env::none().cwd("/here")).flavor(Flavor::Posix);
/// assert_eq!(*expander.expand(b"a//./b/../c").unwrap(), *b"/here/a/b/../c");
/// let expander = expander.dot_dot(DotDot::Clamp);
/// assert_eq!(*expander.expand(b"a//./b/../c").unwrap(), *b"/here/a/c");
/// ```
#[must_use]
#[derive(Debug)]
pub struct Expander {
    pub(crate) options: Options,
    pub(crate) env: Env,
    pub(crate) base: Option<PathText>,
    /// What Ruby finds wrong with the base, even where it is not needed.
    refusal: Option<ExpandError>,
    pub(crate) bytes: Settled<u8>,
    pub(crate) wide: Settled<u16>,
    #[cfg(feature = "ruby")]
    pub(crate) characters: Settled<crate::ruby::encoding::Character>,
}

/// What an expansion came to, and the rules that had a part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpandExplanation {
    /// The full path.
    pub result: Result<PathText, ExpandError>,
    /// The rules, each once, in the order in which they fired first.
    pub rules: Vec<Rule>,
}

impl Expander {
    /// In this world, by the rules of this system.
    pub fn new(env: impl Into<Env>) -> Expander {
        let env = env.into();
        let options = Options {
            flavor: Flavor::NATIVE,
            release: env.release(),
            style: Style::Native,
            dot_dot: None,
            verbatim: Verbatim::Keep,
            tilde: None,
        };
        Expander {
            options,
            env,
            base: None,
            refusal: None,
            bytes: Settled::default(),
            wide: Settled::default(),
            #[cfg(feature = "ruby")]
            characters: Settled::default(),
        }
    }

    /// Whose paths they are (this system's).
    pub fn flavor(self, flavor: Flavor) -> Expander {
        self.with(|options| options.flavor = flavor)
    }

    /// By the rules of which Windows (that of the environment; Windows 11 if it does not know).
    pub fn release(self, release: Release) -> Expander {
        self.with(|options| options.release = release)
    }

    /// In whose style (the system's own).
    pub fn style(self, style: Style) -> Expander {
        self.with(|options| options.style = style)
    }

    /// What becomes of `..` (`Keep` for POSIX paths in the native style, where a link may be on the
    /// way; `Clamp` for all others).
    pub fn dot_dot(self, dot_dot: DotDot) -> Expander {
        self.with(|options| options.dot_dot = Some(dot_dot))
    }

    /// What becomes of `\\?\…` and `\??\…` (`Keep`). In Ruby's style they are always normalized.
    pub fn verbatim(self, verbatim: Verbatim) -> Expander {
        self.with(|options| options.verbatim = verbatim)
    }

    /// Whether a tilde at the beginning stands for a home (in Ruby's style). Without it, Ruby's
    /// style is that of `File.absolute_path`.
    pub fn tilde(self, tilde: bool) -> Expander {
        self.with(|options| options.tilde = Some(tilde))
    }

    /// What relative paths go on from, instead of the working directory. It is expanded itself,
    /// when first needed.
    pub fn base(self, base: impl Into<PathText>) -> Expander {
        let base = base.into();
        let refusal = ruby::refusal_of_base(&base);
        Expander { base: Some(base), refusal, ..self }.with(|_| {})
    }

    /// Changes the options, and forgets what followed from them.
    fn with(mut self, change: impl FnOnce(&mut Options)) -> Expander {
        change(&mut self.options);
        self.forget();
        self
    }

    fn forget(&mut self) {
        self.bytes = Settled::default();
        self.wide = Settled::default();
        #[cfg(feature = "ruby")]
        {
            self.characters = Settled::default();
        }
    }

    /// Forgets the working directory, which is asked again when next needed.
    pub fn refresh(&mut self) {
        self.env.refresh();
        self.forget();
    }

    /// The full path of a text; borrowed if it is that already.
    pub fn expand<'t, U: Unit>(&self, text: &'t [U]) -> Result<Cow<'t, [U]>, ExpandError> {
        if self.is_clean(text) {
            return Ok(Cow::Borrowed(text));
        }
        let mut full = Vec::new();
        self.write(text, &mut full, &mut ())?;
        Ok(if full == text { Cow::Borrowed(text) } else { Cow::Owned(full) })
    }

    /// Writes the full path of a text into a buffer, in place of what it holds; on an error it
    /// holds nothing of use. Allocates only if the buffer has no room.
    pub fn expand_into<U: Unit>(&self, text: &[U], buffer: &mut Vec<U>) -> Result<(), ExpandError> {
        buffer.clear();
        if self.is_clean(text) {
            buffer.extend_from_slice(text);
            return Ok(());
        }
        self.write(text, buffer, &mut ())
    }

    /// The full path of a text of either kind, in the units that it has.
    pub fn expand_text(&self, text: &PathText) -> Result<PathText, ExpandError> {
        match &text.units {
            #[cfg(feature = "ruby")]
            _ if self.is_encoded(text) => crate::ruby::encoding::explain(self, text).result,
            Units::Bytes(bytes) => Ok(self.expand(bytes)?.into_owned().into()),
            Units::Wide(units) => Ok(self.expand(units)?.into_owned().into()),
        }
    }

    /// What [`expand`](Expander::expand) answers, and why. Takes longer.
    pub fn explain<U: Unit>(&self, text: &[U]) -> ExpandExplanation {
        let (mut full, mut rules) = (Vec::new(), Vec::new());
        let written = self.write(text, &mut full, &mut rules);
        if written.is_ok() && full == text && !rules.contains(&Rule::Verbatim) {
            rules.push(Rule::Clean);
        }
        ExpandExplanation { result: written.map(|()| U::to_text(&full)), rules }
    }

    /// What [`expand_text`](Expander::expand_text) answers, and why.
    pub fn explain_text(&self, text: &PathText) -> ExpandExplanation {
        match &text.units {
            #[cfg(feature = "ruby")]
            _ if self.is_encoded(text) => crate::ruby::encoding::explain(self, text),
            Units::Bytes(bytes) => self.explain(bytes),
            Units::Wide(units) => self.explain(units),
        }
    }

    /// Whether one of the texts says which encoding it is in.
    #[cfg(feature = "ruby")]
    fn is_encoded(&self, text: &PathText) -> bool {
        text.is_encoded()
            || self.base.as_ref().is_some_and(PathText::is_encoded)
            || self.env.is_encoded()
    }

    #[inline]
    pub(crate) fn is_clean<U: Unit>(&self, text: &[U]) -> bool {
        match self.options.flavor {
            _ if self.refusal.is_some() => false,
            Flavor::Posix => posix::is_clean(text, self.options),
            Flavor::Windows if self.options.style == Style::Ruby => false,
            Flavor::Windows => full_path::is_clean(text, self.options),
        }
    }

    fn write<U: Unit>(
        &self,
        text: &[U],
        full: &mut Vec<U>,
        listener: &mut impl Listener,
    ) -> Result<(), ExpandError> {
        let places = Places::of(self);
        if let (Style::Ruby, Some(error)) = (self.options.style, self.refusal) {
            return Err(error);
        }
        match self.options.flavor {
            Flavor::Posix => posix::expand(text, places, full, listener),
            Flavor::Windows => full_path::expand(text, places, full, listener),
        }
    }
}
