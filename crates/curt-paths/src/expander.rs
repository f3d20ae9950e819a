//! Makes paths full: the public face of expansion.

use std::borrow::Cow;

use crate::directory::Cache;
use crate::environment::Env;
use crate::expansion::{Expansion, World};
use crate::options::{DotDot, ExpandError, Flavor, Options, Release, Style, Verbatim};
use crate::posix;
use crate::rule::Rule;
use crate::unit::{PathText, Unit, Units};
use crate::windows::full_path;

/// Makes paths full by their text alone.
///
/// The answer is a function of the path, an [`Env`], and the choices made by the methods here: any
/// [`Flavor`] on any system. Whether anything exists, and where symbolic links lead, is not looked
/// at. Units that are not Unicode are kept. An expander is made once and used for many paths, by
/// any number of threads.
///
/// | flavor, style | authority |
/// |---|---|
/// | POSIX, native, [`DotDot::Keep`] | [`std::path::absolute`] |
/// | POSIX, native, [`DotDot::Clamp`] | Python's `normpath(join(cwd, path))` |
/// | POSIX, [`Style::Ruby`] | Ruby's `File.expand_path` |
/// | Windows, native | [`GetFullPathNameW`], described under [path normalization] |
/// | Windows, [`Style::Ruby`] | Ruby's `File.expand_path`, without the long form of the last name |
///
/// [`GetFullPathNameW`]:
/// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getfullpathnamew
/// [path normalization]:
/// https://learn.microsoft.com/dotnet/standard/io/file-path-formats#path-normalization
///
/// # Cost
///
/// No system calls, except what an [`Environment`](crate::Environment) makes: it is asked for the
/// working directory once, and for the user database for each `~user`, and for `~` if `HOME` is not
/// set. A path that is full and clean is returned without a copy.
///
/// An expanded path is not a checked path: open paths from others beneath a directory.
///
/// ```
/// use curt_paths::{DotDot, Env, Expander, Flavor};
/// let expander = Expander::new(Env::none().cwd("/here")).flavor(Flavor::Posix);
/// assert_eq!(*expander.expand(b"a//./b/../c").unwrap(), *b"/here/a/b/../c");
/// let expander = expander.dot_dot(DotDot::Clamp);
/// assert_eq!(*expander.expand(b"a//./b/../c").unwrap(), *b"/here/a/c");
/// ```
///
/// [`expand_str`](Expander::expand_str) takes a `&str`, and [`tilde`](Expander::tilde) makes `~`
/// the home directory:
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

/// The result of an expansion, and the rules it applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpandExplanation {
    /// The full path.
    pub result: Result<PathText, ExpandError>,
    /// The rules, each once, in the order in which they were first applied.
    pub rules: Vec<Rule>,
}

impl Expander {
    /// Creates an expander for the paths of this system.
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

    /// Sets the flavor of the paths; that of this system by default.
    pub fn flavor(self, flavor: Flavor) -> Expander {
        self.with(|world| world.options.flavor = flavor)
    }

    /// Sets the release of Windows; that of the environment by default, or Windows 11 if it has
    /// none.
    pub fn release(self, release: Release) -> Expander {
        self.with(|world| world.options.release = release)
    }

    /// Sets the style; the system's own by default.
    pub fn style(self, style: Style) -> Expander {
        self.with(|world| world.options.style = style)
    }

    /// Sets how `..` is treated; by default it is kept in POSIX paths of the native style, where a
    /// symbolic link can come before it, and otherwise clamped.
    pub fn dot_dot(self, dot_dot: DotDot) -> Expander {
        self.with(|world| world.options.dot_dot = Some(dot_dot))
    }

    /// Sets how `\\?\…` and `\??\…` are treated; they are kept by default. In Ruby's style they are
    /// always normalized.
    pub fn verbatim(self, verbatim: Verbatim) -> Expander {
        self.with(|world| world.options.verbatim = verbatim)
    }

    /// Sets whether a leading tilde is a home directory; by default it is in Ruby's style only.
    /// Without it, Ruby's style is that of `File.absolute_path`. `~` is the home directory of the
    /// [`Env`], and `~user` that of a user in its user database.
    pub fn tilde(self, tilde: bool) -> Expander {
        self.with(|world| world.options.tilde = Some(tilde))
    }

    /// Sets the directory that relative paths start from instead of the working directory. It is
    /// expanded itself when it is first needed.
    pub fn base(self, base: impl Into<PathText>) -> Expander {
        let base = base.into();
        self.with(|world| {
            world.has_nul_in_base = base.to_bytes().contains(&0);
            world.base = Some(base);
        })
    }

    /// Changes what an expansion depends on.
    fn with(mut self, change: impl FnOnce(&mut World)) -> Expander {
        change(&mut self.world);
        self.world.cache = Cache::default();
        self
    }

    /// Returns the full path of a text, borrowed if it is the text itself.
    pub fn expand<'t, U: Unit>(&self, text: &'t [U]) -> Result<Cow<'t, [U]>, ExpandError> {
        if self.is_clean(text) {
            return Ok(Cow::Borrowed(text));
        }
        let mut full = Vec::new();
        Expansion::new(&self.world).write(text, &mut full, &mut ())?;
        Ok(if full == text { Cow::Borrowed(text) } else { Cow::Owned(full) })
    }

    /// Returns the full path of a string, borrowed if it is the string itself.
    /// [`ExpandError::Encoding`] if the result is not Unicode: if the path starts from a directory
    /// that is not.
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

    /// Replaces the content of a buffer with the full path of a text, and allocates only if the
    /// buffer is too small. After an error its content is unspecified.
    pub fn expand_into<U: Unit>(&self, text: &[U], buffer: &mut Vec<U>) -> Result<(), ExpandError> {
        buffer.clear();
        if self.is_clean(text) {
            buffer.extend_from_slice(text);
            return Ok(());
        }
        Expansion::new(&self.world).write(text, buffer, &mut ())
    }

    /// Returns the full path of a text in either kind of units, in the same units.
    pub fn expand_text(&self, text: &PathText) -> Result<PathText, ExpandError> {
        match &text.units {
            Units::Bytes(bytes) => Ok(self.expand(bytes)?.into_owned().into()),
            Units::Wide(units) => Ok(self.expand(units)?.into_owned().into()),
        }
    }

    /// Returns what [`expand`](Expander::expand) does, and the rules that were applied. Takes
    /// longer.
    pub fn explain<U: Unit>(&self, text: &[U]) -> ExpandExplanation {
        let (mut full, mut rules) = (Vec::new(), Vec::new());
        let written = Expansion::new(&self.world).write(text, &mut full, &mut rules);
        if written.is_ok() && full == text && !rules.contains(&Rule::Verbatim) {
            rules.push(Rule::Clean);
        }
        ExpandExplanation { result: written.map(|()| U::to_text(&full)), rules }
    }

    /// Returns what [`expand_text`](Expander::expand_text) does, and the rules that were applied.
    pub fn explain_text(&self, text: &PathText) -> ExpandExplanation {
        match &text.units {
            Units::Bytes(bytes) => self.explain(bytes),
            Units::Wide(units) => self.explain(units),
        }
    }

    /// Returns whether a path is its own expansion. `false` can also mean that only expanding it
    /// can tell.
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
