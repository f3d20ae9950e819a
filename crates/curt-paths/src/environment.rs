//! What an expansion knows of the world.

use std::fmt;
use std::sync::OnceLock;

use crate::flavor::Release;
use crate::text::PathText;

/// What an expansion asks of the world, at most once for what it keeps. A program that wants its
/// own working directory implements this for it, as `curt::ThisProcess` does: this crate makes no
/// call to the system.
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
    /// The working directory.
    fn working_directory(&self) -> Option<PathText>;

    /// The working directory of a drive, by its letter in upper case. Windows keeps them in hidden
    /// variables.
    fn drive_directory(&self, letter: &str) -> Option<PathText> {
        let _ = letter;
        None
    }

    /// The home directory that the environment names: the value of `HOME`.
    fn home(&self) -> Option<PathText> {
        None
    }

    /// The home directory of a user, as the user database has it; an empty name stands for the user
    /// whose process this is.
    fn home_of(&self, user: &[u8]) -> Option<PathText> {
        let _ = user;
        None
    }

    /// The release of Windows whose rules hold; the newest one if this is not Windows.
    fn release(&self) -> Release {
        Release::Windows11
    }
}

/// Finds the home directory of a user by name.
type Users = Box<dyn Fn(&[u8]) -> Option<PathText> + Send + Sync>;

/// What an expansion knows of the world: the working directory, those of other drives, home, and
/// who the users are. Given, or asked of an [`Environment`]; what is given takes precedence.
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
    /// Asked for what was not given.
    asked: Option<Box<dyn Environment>>,
    cwd: Given,
    drives: Option<Vec<(PathText, PathText)>>,
    home: Given,
    users: Option<Users>,
    /// The working directory that was asked for.
    asked_cwd: OnceLock<Option<PathText>>,
}

/// What was given for a directory.
#[derive(Debug, Default)]
enum Given {
    #[default]
    Nothing,
    None,
    Path(PathText),
}

impl Given {
    fn path(&self) -> Option<&PathText> {
        match self {
            Given::Path(path) => Some(path),
            Given::Nothing | Given::None => None,
        }
    }
}

impl<E: Environment + 'static> From<E> for Env {
    fn from(environment: E) -> Env {
        Env { asked: Some(Box::new(environment)), ..Env::default() }
    }
}

impl Env {
    /// Nothing is known.
    pub fn none() -> Env {
        Env::default()
    }

    /// What this environment says. Its working directory is asked for when first needed, and kept
    /// until [`Expander::refresh`](crate::Expander::refresh).
    pub fn of(environment: impl Environment + 'static) -> Env {
        environment.into()
    }

    /// The working directory: a full path.
    pub fn cwd(self, path: impl Into<PathText>) -> Env {
        Env { cwd: Given::Path(path.into()), ..self }
    }

    /// No working directory: paths that need one are errors.
    pub fn no_cwd(self) -> Env {
        Env { cwd: Given::None, ..self }
    }

    /// The working directory of a drive, by its letter. From the first one on, the environment is
    /// not asked about drives.
    pub fn drive(mut self, letter: impl Into<PathText>, path: impl Into<PathText>) -> Env {
        self.drives.get_or_insert_default().push((letter.into(), path.into()));
        self
    }

    /// No drive has a working directory.
    pub fn no_drives(self) -> Env {
        Env { drives: Some(Vec::new()), ..self }
    }

    /// The home directory: the value of `HOME`.
    pub fn home(self, path: impl Into<PathText>) -> Env {
        Env { home: Given::Path(path.into()), ..self }
    }

    /// `HOME` is not set. On POSIX the user database is asked then, if there is one.
    pub fn no_home(self) -> Env {
        Env { home: Given::None, ..self }
    }

    /// The user database: finds home directories by the names of users, and by an empty name that
    /// of the user whose process this is.
    pub fn users(self, find: impl Fn(&[u8]) -> Option<PathText> + Send + Sync + 'static) -> Env {
        Env { users: Some(Box::new(find)), ..self }
    }

    /// Forgets the working directory that was asked for.
    pub(crate) fn refresh(&mut self) {
        self.asked_cwd = OnceLock::new();
    }

    pub(crate) fn release(&self) -> Release {
        self.asked.as_ref().map_or(Release::Windows11, |asked| asked.release())
    }

    pub(crate) fn working_directory(&self) -> Option<&PathText> {
        match (&self.cwd, &self.asked) {
            (Given::Nothing, Some(asked)) => {
                self.asked_cwd.get_or_init(|| asked.working_directory()).as_ref()
            }
            (given, _) => given.path(),
        }
    }

    /// The working directory of a drive, by its letter.
    pub(crate) fn drive_directory(&self, letter: &PathText) -> Option<PathText> {
        let wanted = letter_of(letter);
        if let Some(given) = &self.drives {
            let found = given.iter().rfind(|(drive, _)| letter_of(drive) == wanted);
            return found.map(|(_, path)| path.clone());
        }
        self.asked.as_ref()?.drive_directory(std::str::from_utf8(&wanted).ok()?)
    }

    /// Whether something that was given is in an encoding.
    #[cfg(feature = "ruby")]
    pub(crate) fn is_encoded(&self) -> bool {
        let drives = self.drives.iter().flatten().map(|(_, path)| path);
        let mut given = self.cwd.path().into_iter().chain(self.home.path()).chain(drives);
        given.any(PathText::is_encoded)
    }

    /// The value of `HOME`.
    pub(crate) fn home_directory(&self) -> Option<PathText> {
        match (&self.home, &self.asked) {
            (Given::Nothing, Some(asked)) => asked.home(),
            (given, _) => given.path().cloned(),
        }
    }

    /// The home directory of a user; an empty name is this user's.
    pub(crate) fn home_of(&self, user: &[u8]) -> Option<PathText> {
        match (&self.users, &self.asked) {
            (Some(find), _) => find(user),
            (None, Some(asked)) => asked.home_of(user),
            (None, None) => None,
        }
    }
}

/// A drive's letter as it is compared: without a colon, in upper case.
fn letter_of(letter: &PathText) -> Vec<u8> {
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
            .field("asks", &self.asked.is_some())
            .field("cwd", &self.cwd)
            .field("drives", &self.drives)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}
