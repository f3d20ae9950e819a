use std::borrow::Cow;
use std::fmt;

use crate::directory::Cell;
use crate::options::{ExpandError, Release};
use crate::unit::PathText;

/// The parts of a process's state that expansions depend on.
///
/// Implement this trait to start from the real working directory, as `curt::paths::ThisProcess`
/// does.
///
/// ```
/// use curt_paths::{Environment, Expander, PathText};
/// struct Process;
/// impl Environment for Process {
///     fn working_directory(&self) -> Option<PathText> {
///         std::env::current_dir().ok().map(PathText::from)
///     }
/// }
/// let expander = Expander::new(Process);
/// # #[cfg(unix)]
/// let full = expander.expand(b"a").unwrap();
/// # #[cfg(unix)]
/// assert!(full.starts_with(b"/") && full.ends_with(b"/a"));
/// ```
pub trait Environment: Send + Sync {
    /// Returns the working directory.
    fn working_directory(&self) -> Option<PathText>;

    /// Returns the working directory of a drive, given its letter in upper case.
    ///
    /// Windows keeps these directories in hidden environment variables.
    fn drive_directory(&self, letter: &str) -> Option<PathText> {
        let _ = letter;
        None
    }

    /// Returns the home directory named by the environment: the value of `HOME`.
    fn home(&self) -> Option<PathText> {
        None
    }

    /// Returns a user's home directory from the user database. An empty name means this process's
    /// user.
    fn home_of(&self, user: &[u8]) -> Option<PathText> {
        let _ = user;
        None
    }

    /// Returns the release of Windows whose rules apply.
    fn release(&self) -> Release {
        Release::Windows11
    }
}

/// The working directories and home directories from which expansions start.
///
/// Values set here take precedence over those of an [`Environment`].
///
/// ```
/// use curt_paths::{Env, Expander, Flavor};
/// let env = Env::none().cwd(r"C:\work").drive("D", r"D:\data").home(r"C:\Users\me");
/// let expander = Expander::new(env).flavor(Flavor::Windows);
/// assert_eq!(*expander.expand(br"D:x\..\y").unwrap(), *br"D:\data\y");
/// ```
#[must_use]
#[derive(Default)]
pub struct Env {
    environment: Option<Box<dyn Environment>>,
    cwd: Option<PathText>,
    drives: Option<Vec<(PathText, PathText)>>,
    home: Option<PathText>,
    asked_cwd: Cell<PathText>,
}

impl<E: Environment + 'static> From<E> for Env {
    fn from(environment: E) -> Env {
        Env { environment: Some(Box::new(environment)), ..Env::default() }
    }
}

impl Env {
    /// Creates an empty environment.
    pub fn none() -> Env {
        Env::default()
    }

    /// Creates an `Env` that queries this environment (only once for the working directory).
    pub fn of(environment: impl Environment + 'static) -> Env {
        environment.into()
    }

    /// Sets the working directory, which must be a full path.
    pub fn cwd(self, path: impl Into<PathText>) -> Env {
        Env { cwd: Some(path.into()), ..self }
    }

    /// Sets the working directory of a drive. The environment is then not queried for any drive.
    pub fn drive(mut self, letter: impl Into<PathText>, path: impl Into<PathText>) -> Env {
        self.drives.get_or_insert_default().push((letter.into(), path.into()));
        self
    }

    /// Sets the home directory: the value of `HOME`.
    pub fn home(self, path: impl Into<PathText>) -> Env {
        Env { home: Some(path.into()), ..self }
    }

    pub(crate) fn release(&self) -> Release {
        self.environment.as_ref().map_or(Release::Windows11, |environment| environment.release())
    }

    pub(crate) fn working_directory(&self) -> Result<Cow<'_, PathText>, ExpandError> {
        let none = ExpandError::Drive;
        match (&self.cwd, &self.environment) {
            (Some(cwd), _) => Ok(Cow::Borrowed(cwd)),
            (None, Some(environment)) => {
                self.asked_cwd.get(|| environment.working_directory().ok_or(none))
            }
            (None, None) => Err(none),
        }
    }

    pub(crate) fn drive_directory(&self, letter: &PathText) -> Option<PathText> {
        let wanted = normal_letter(letter);
        if let Some(drives) = &self.drives {
            let found = drives.iter().rfind(|(drive, _)| normal_letter(drive) == wanted);
            return found.map(|(_, path)| path.clone());
        }
        self.environment.as_ref()?.drive_directory(std::str::from_utf8(&wanted).ok()?)
    }

    pub(crate) fn home_directory(&self) -> Option<PathText> {
        self.home.clone().or_else(|| self.environment.as_ref()?.home())
    }

    pub(crate) fn home_of(&self, user: &[u8]) -> Option<PathText> {
        self.environment.as_ref()?.home_of(user)
    }
}

fn normal_letter(letter: &PathText) -> Vec<u8> {
    let mut bytes = letter.to_bytes().into_owned();
    if bytes.len() > 1 && bytes.last() == Some(&b':') {
        bytes.pop();
    }
    bytes.make_ascii_uppercase();
    bytes
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("has_environment", &self.environment.is_some())
            .field("cwd", &self.cwd)
            .field("drives", &self.drives)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}
