//! Finding programs, for `which` and `spawn`.

use curt::paths::Flavor;
use curt::which::{FindCause, Policy};
use curt::{Cancel, Cause, Search};

use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Answer, Failure};
use crate::work::{self, Control, Outcome, Work};

/// How a program is searched. What is missing here is not taken from the environment: JavaScript
/// may change that while it is read.
#[napi(object)]
pub struct Settings {
    /// `PATH`; without it the default of the system.
    pub path: Option<String>,
    /// `PATHEXT`; without it the extensions that cmd.exe knows.
    pub path_ext: Option<String>,
    /// Where relative paths begin; without it the working directory.
    pub cwd: Option<String>,
    /// Whether the rules are those of cmd.exe, and not of `execvp`.
    pub is_windows: bool,
    /// By those of cmd.exe: whether the working directory is searched before `PATH`.
    pub searches_cwd: bool,
}

pub struct Find {
    name: String,
    settings: Settings,
}

impl Work for Find {
    type Output = Option<String>;

    fn run(&mut self, _: &Cancel) -> Answer<Option<String>> {
        let settings = &self.settings;
        let mut search = Search::new().environment([("", ""); 0]);
        search = if settings.is_windows {
            search.policy(Policy::Cmd).rules(Flavor::Windows).cwd(settings.searches_cwd)
        } else {
            search.policy(Policy::Node).rules(Flavor::Posix)
        };
        if let Some(path) = &settings.path {
            search = search.path(path);
        }
        if let Some(extensions) = &settings.path_ext {
            search = search.pathext(extensions);
        }
        if let Some(directory) = &settings.cwd {
            search = search.base(directory);
        }
        match search.find(&self.name) {
            Ok(found) => Ok(Some(found.path().to_string_lossy().into_owned())),
            Err(error) => match error.cause() {
                Cause::Find(why) if !matches!(why.cause(), FindCause::Os(_)) => Ok(None),
                _ => Err(Failure::new(&error, "access")),
            },
        }
    }
}

/// Finds a program.
#[napi]
pub fn find(
    env: Env,
    name: String,
    settings: Settings,
    control: Option<&Control>,
) -> Result<Outcome<Find>> {
    work::start(env, Find { name, settings }, control)
}
