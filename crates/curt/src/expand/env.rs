//! What an expansion knows of the world.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use super::text::{PathText, Units};
use crate::calls::Calls;
use crate::sys::surroundings::Surroundings;
use crate::sys::{Os, Sys};

/// Finds the home directory of a user by name.
type Users = Box<dyn Fn(&[u8]) -> Option<PathText> + Send + Sync>;

/// What an expansion knows of the world: the working directory, those of other drives, home, and who
/// the users are. Of the process, or made up.
///
/// ```
/// use curt::{Env, Expander, Flavor};
/// let env = Env::none().cwd(r"C:\work").drive("D", r"D:\data").home(r"C:\Users\me");
/// let expander = Expander::with_env(env).flavor(Flavor::Windows);
/// assert_eq!(*expander.expand(br"D:x\..\y").unwrap(), *br"D:\data\y");
/// ```
#[derive(Default)]
pub struct Env {
    /// Whether what was not given is that of the process.
    of_process: bool,
    cwd: Said,
    drives: Option<Vec<(PathText, PathText)>>,
    home: Said,
    users: Option<Users>,
    /// The process's working directory, once it was asked for.
    asked: OnceLock<(Option<PathText>, Calls)>,
}

/// What was said of a directory.
#[derive(Debug, Default)]
enum Said {
    #[default]
    Nothing,
    ThatThereIsNone,
    This(PathText),
}

impl Said {
    fn path(&self) -> Option<&PathText> {
        match self {
            Said::This(path) => Some(path),
            _ => None,
        }
    }
}

impl Env {
    /// Nothing is known, and nothing is asked.
    pub fn none() -> Env {
        Env::default()
    }

    /// That of this process: its working directory (asked when first needed: one call, none on
    /// Windows), the environment variables `HOME` (on Windows `HOME`, else `HOMEDRIVE` and `HOMEPATH`,
    /// else `USERPROFILE`) and the hidden ones of the drives, and the user database. What is given
    /// besides takes the place of the process's.
    pub fn of_process() -> Env {
        Env { of_process: true, ..Env::default() }
    }

    /// The working directory: a full path.
    pub fn cwd(self, path: impl Into<PathText>) -> Env {
        Env { cwd: Said::This(path.into()), ..self }
    }

    /// No working directory: paths that need one are errors.
    pub fn no_cwd(self) -> Env {
        Env { cwd: Said::ThatThereIsNone, ..self }
    }

    /// The working directory of a drive, by its letter. From the first on, those of the process do not
    /// count any more.
    pub fn drive(mut self, letter: impl Into<PathText>, path: impl Into<PathText>) -> Env {
        self.drives.get_or_insert_default().push((letter.into(), path.into()));
        self
    }

    /// No drive has a working directory of its own.
    pub fn no_drives(self) -> Env {
        Env { drives: Some(Vec::new()), ..self }
    }

    /// The home directory: the value of `HOME`.
    pub fn home(self, path: impl Into<PathText>) -> Env {
        Env { home: Said::This(path.into()), ..self }
    }

    /// `HOME` is not set. On POSIX the user database is asked then, if there is one.
    pub fn no_home(self) -> Env {
        Env { home: Said::ThatThereIsNone, ..self }
    }

    /// Who finds home directories by the names of users; it is given an empty name for the home of the
    /// user whose process this is.
    pub fn users(self, find: impl Fn(&[u8]) -> Option<PathText> + Send + Sync + 'static) -> Env {
        Env { users: Some(Box::new(find)), ..self }
    }

    /// The system's user database says where users live whose names are in paths. That of the process
    /// does so anyway, and also where its own user lives.
    pub fn user_database(self) -> Env {
        self.users(|user| match user {
            b"" => None,
            user => Os::home_of(user).map(PathText::from),
        })
    }

    /// Forgets the process's working directory.
    pub(super) fn refresh(&mut self) {
        self.asked = OnceLock::new();
    }

    pub(super) fn calls(&self) -> Calls {
        self.asked.get().map(|(_, calls)| *calls).unwrap_or_default()
    }

    pub(super) fn working_directory(&self) -> Option<&PathText> {
        match &self.cwd {
            Said::Nothing if self.of_process => {
                let (path, _) = self.asked.get_or_init(|| {
                    let sys = Os::start(&<Os as Sys>::Setup::default());
                    let path = sys.working_directory().ok();
                    (path.map(PathText::from), sys.calls())
                });
                path.as_ref()
            }
            said => said.path(),
        }
    }

    /// The working directory of a drive, by its letter.
    pub(super) fn drive_directory(&self, letter: &Units) -> Option<PathText> {
        match &self.drives {
            Some(given) => {
                let wanted = letter_of(letter);
                let found = given.iter().rfind(|(drive, _)| letter_of(&drive.0) == wanted);
                found.map(|(_, path)| path.clone())
            }
            None if self.of_process => {
                let name = String::from_utf8(letter_of(letter)).ok()?;
                Os::drive_directory(&name).map(PathText::from)
            }
            None => None,
        }
    }

    /// Whether something that was given is so.
    pub(super) fn has(&self, is_so: impl Fn(&PathText) -> bool) -> bool {
        let drives = self.drives.iter().flatten().map(|(_, path)| path);
        self.cwd.path().into_iter().chain(self.home.path()).chain(drives).any(is_so)
    }

    /// The value of `HOME`.
    pub(super) fn home_directory(&self) -> Option<PathText> {
        match &self.home {
            Said::Nothing if self.of_process => {
                Os::home().map(|home| PathText::from(Path::new(&home)))
            }
            said => said.path().cloned(),
        }
    }

    /// The home directory of a user; an empty name is this user's.
    pub(super) fn home_of(&self, user: &[u8]) -> Option<PathText> {
        match &self.users {
            Some(find) => find(user),
            None if self.of_process => Os::home_of(user).map(PathText::from),
            None => None,
        }
    }
}

/// A drive's letter as it is compared: without a colon, in upper case.
fn letter_of(letter: &Units) -> Vec<u8> {
    let mut bytes = PathText(letter.clone()).to_bytes().into_owned();
    if bytes.len() > 1 && bytes.last() == Some(&b':') {
        bytes.pop();
    }
    bytes.make_ascii_uppercase();
    bytes
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("of_process", &self.of_process)
            .field("cwd", &self.cwd)
            .field("drives", &self.drives)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}
