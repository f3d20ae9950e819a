use curt::paths::Flavor;
use curt::which::{FindCause, Policy};
use curt::{Cancel, Cause, Search};

use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::work::{self, Control, Outcome, Work};

/// The variables and rules of a search, which never reads the environment, because JavaScript may
/// change it concurrently.
#[napi(object)]
pub struct Settings {
    pub path: Option<String>,
    pub path_ext: Option<String>,
    /// The base directory, by default the working directory.
    pub cwd: Option<String>,
    pub is_windows: bool,
    /// Whether cmd.exe's rules search the working directory before `PATH`.
    pub searches_cwd: bool,
}

pub struct Find {
    name: String,
    settings: Settings,
    all: bool,
}

impl Work for Find {
    type Output = Vec<String>;

    fn run(&mut self, _: &Cancel) -> Fallible<Vec<String>> {
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
        let answers = if self.all {
            search.find_all(&self.name).collect()
        } else {
            vec![search.find(&self.name)]
        };
        let mut paths = Vec::new();
        for answer in answers {
            match answer {
                Ok(found) => paths.push(found.path().to_string_lossy().into_owned()),
                Err(error) => match error.cause() {
                    Cause::Find(why) if !matches!(why.cause(), FindCause::Os(_)) => {}
                    _ => return Err(Failure::new(&error, "access")),
                },
            }
        }
        Ok(paths)
    }
}

#[napi]
pub fn find(
    env: Env,
    name: String,
    settings: Settings,
    all: bool,
    control: Option<&Control>,
) -> Result<Outcome<Find>> {
    work::start(env, Find { name, settings, all }, control)
}
