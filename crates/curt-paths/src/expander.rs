use std::borrow::Cow;

use crate::directory::Cache;
use crate::environment::Env;
use crate::expansion::{Expansion, World};
use crate::options::{DotDot, ExpandError, Flavor, Options, Release, Style, Verbatim};
use crate::posix;
use crate::rule::Rule;
use crate::unit::{PathText, Unit, Units};
use crate::windows::full_path;

/// Makes paths full, from their text alone.
///
/// Paths of any [`Flavor`] work on any system. Symlinks are not resolved. One expander can serve
/// many paths and threads.
///
/// | flavor, style | authority |
/// |---|---|
/// | POSIX, native, [`DotDot::Keep`] | [`std::path::absolute`] |
/// | POSIX, native, [`DotDot::Clamp`] | Python's `normpath(join(cwd, path))` |
/// | POSIX, [`Style::Ruby`] | Ruby's `File.expand_path` |
/// | Windows, native | [`GetFullPathNameW`], described under [path normalization] |
/// | Windows, [`Style::Ruby`] | Ruby's `File.expand_path`, but a short name in the last component is not expanded |
///
/// [`GetFullPathNameW`]:
/// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getfullpathnamew
/// [path normalization]:
/// https://learn.microsoft.com/dotnet/standard/io/file-path-formats#path-normalization
///
/// # Cost
///
/// Only an [`Environment`](crate::Environment) makes system calls: one query of the working
/// directory, and one query of the user database for each `~user` (or `~` if `HOME` is not set). A
/// full and clean path is returned without a copy.
///
/// ```
/// use curt_paths::{DotDot, Env, Expander, Flavor};
/// let expander = Expander::new(Env::none().cwd("/here")).flavor(Flavor::Posix);
/// assert_eq!(*expander.expand(b"a//./b/../c").unwrap(), *b"/here/a/b/../c");
/// let expander = expander.dot_dot(DotDot::Clamp);
/// assert_eq!(*expander.expand(b"a//./b/../c").unwrap(), *b"/here/a/c");
/// ```
///
/// [`expand_str`](Expander::expand_str) takes a `&str`, and [`tilde`](Expander::tilde) expands `~`:
///
/// ```
/// use curt_paths::{Env, Expander, Flavor};
/// let expander = Expander::new(Env::none().cwd(r"C:\work")).flavor(Flavor::Windows);
/// assert_eq!(expander.expand_str("a/../b")?, r"C:\work\b");
///
/// let env = Env::none().cwd("/here").home("/home/me");
/// let expander = Expander::new(env).flavor(Flavor::Posix).tilde(true);
/// assert_eq!(expander.expand_str("~/notes")?, "/home/me/notes");
/// assert_eq!(expander.expand_str("./~/notes")?, "/here/~/notes");
/// # Ok::<(), curt_paths::ExpandError>(())
/// ```
#[must_use]
#[derive(Debug)]
pub struct Expander {
    world: World,
}

/// The result of an expansion, with the rules applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpandExplanation {
    /// The full path.
    pub result: Result<PathText, ExpandError>,
    /// The rules, each listed once, in order of first use.
    pub rules: Vec<Rule>,
}

impl Expander {
    /// Creates an expander for native paths.
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
        let cache = Cache::default();
        Expander { world: World { options, env, base: None, has_nul_in_base: false, cache } }
    }

    /// Sets the flavor of the paths; by default [`Flavor::NATIVE`].
    pub fn flavor(self, flavor: Flavor) -> Expander {
        self.with(|world| world.options.flavor = flavor)
    }

    /// Sets the release of Windows; by default the environment's, or Windows 11 without one.
    pub fn release(self, release: Release) -> Expander {
        self.with(|world| world.options.release = release)
    }

    /// Sets the style; by default [`Style::Native`].
    pub fn style(self, style: Style) -> Expander {
        self.with(|world| world.options.style = style)
    }

    /// Sets how to treat `..`; by default [`DotDot::Keep`] for POSIX paths in the native style,
    /// because a symlink can precede `..`, and otherwise [`DotDot::Clamp`].
    pub fn dot_dot(self, dot_dot: DotDot) -> Expander {
        self.with(|world| world.options.dot_dot = Some(dot_dot))
    }

    /// Sets how to treat `\\?\…` and `\??\…`; by default [`Verbatim::Keep`]. Ruby's style always
    /// normalizes them.
    pub fn verbatim(self, verbatim: Verbatim) -> Expander {
        self.with(|world| world.options.verbatim = verbatim)
    }

    /// Sets whether a leading tilde means a home directory; by default only in Ruby's style.
    ///
    /// `~user` is looked up in the user database of the [`Env`]. With `false`, Ruby's style follows
    /// `File.absolute_path`.
    pub fn tilde(self, tilde: bool) -> Expander {
        self.with(|world| world.options.tilde = Some(tilde))
    }

    /// Sets the directory that relative paths start from, instead of the working directory.
    ///
    /// A directory that is not full is itself expanded, on first use.
    pub fn base(self, base: impl Into<PathText>) -> Expander {
        let base = base.into();
        self.with(|world| {
            world.has_nul_in_base = base.to_bytes().contains(&0);
            world.base = Some(base);
        })
    }

    fn with(mut self, change: impl FnOnce(&mut World)) -> Expander {
        change(&mut self.world);
        self.world.cache = Cache::default();
        self
    }

    /// Returns the full path, borrowed if unchanged.
    pub fn expand<'t, U: Unit>(&self, text: &'t [U]) -> Result<Cow<'t, [U]>, ExpandError> {
        if self.is_clean(text) {
            return Ok(Cow::Borrowed(text));
        }
        let mut full = Vec::new();
        Expansion::new(&self.world).write(text, &mut full, &mut ())?;
        Ok(if full == text { Cow::Borrowed(text) } else { Cow::Owned(full) })
    }

    /// Returns the full path of a string, borrowed if unchanged.
    ///
    /// Fails with [`ExpandError::Encoding`] if the path starts from a directory that is not
    /// Unicode.
    ///
    /// ```
    /// use curt_paths::{Env, Expander, Flavor};
    /// let expander = Expander::new(Env::none().cwd(r"C:\work")).flavor(Flavor::Windows);
    /// let full: String = expander.expand_str("grün.txt")?.into_owned();
    /// assert_eq!(full, r"C:\work\grün.txt");
    /// # Ok::<(), curt_paths::ExpandError>(())
    /// ```
    pub fn expand_str<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, ExpandError> {
        Ok(match self.expand(text.as_bytes())? {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(full) => {
                Cow::Owned(String::from_utf8(full).map_err(|_| ExpandError::Encoding)?)
            }
        })
    }

    /// Writes the full path into a buffer, replacing its content.
    ///
    /// Allocates only if the buffer is too small. After an error the content of the buffer is
    /// unspecified.
    pub fn expand_into<U: Unit>(&self, text: &[U], buffer: &mut Vec<U>) -> Result<(), ExpandError> {
        buffer.clear();
        if self.is_clean(text) {
            buffer.extend_from_slice(text);
            return Ok(());
        }
        Expansion::new(&self.world).write(text, buffer, &mut ())
    }

    /// Returns the full path in the same units as the text: bytes or 16-bit units.
    pub fn expand_text(&self, text: &PathText) -> Result<PathText, ExpandError> {
        match &text.units {
            Units::Bytes(bytes) => Ok(self.expand(bytes)?.into_owned().into()),
            Units::Wide(units) => Ok(self.expand(units)?.into_owned().into()),
        }
    }

    /// Expands as [`expand`](Expander::expand) does, and also returns the applied rules. Slower.
    pub fn explain<U: Unit>(&self, text: &[U]) -> ExpandExplanation {
        let (mut full, mut rules) = (Vec::new(), Vec::new());
        let written = Expansion::new(&self.world).write(text, &mut full, &mut rules);
        if written.is_ok() && full == text && !rules.contains(&Rule::Verbatim) {
            rules.push(Rule::Clean);
        }
        ExpandExplanation { result: written.map(|()| U::to_text(&full)), rules }
    }

    /// Expands as [`expand_text`](Expander::expand_text) does, and also returns the applied rules.
    pub fn explain_text(&self, text: &PathText) -> ExpandExplanation {
        match &text.units {
            Units::Bytes(bytes) => self.explain(bytes),
            Units::Wide(units) => self.explain(units),
        }
    }

    /// Fast check that misses some clean paths.
    #[inline]
    pub(crate) fn is_clean<U: Unit>(&self, text: &[U]) -> bool {
        let options = self.world.options;
        match options.flavor {
            _ if self.world.has_nul_in_base => false,
            Flavor::Posix => posix::is_clean(text, options),
            Flavor::Windows if options.style == Style::Ruby => false,
            Flavor::Windows => full_path::is_clean(text, options),
        }
    }
}
