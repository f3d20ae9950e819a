//! What `curt run` can be asked.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};

use super::{LookUpOptions, feature_names, features};

const ABOUT: &str = "Start a program and end as it ends";

const LONG_ABOUT: &str = "\
Start a program and end as it ends, in the fewest calls: on Linux one of this process and two of \
the program's before it begins.

A NAME with a separator in it is a path, relative to the directory of --chdir. Any other is looked for as by curt which, in the PATH that the program gets, and from its directory: the directory that nobody named is not searched.";

const AFTER: &str = "\
Examples:
  curt run -- /usr/bin/make -j4                   start a program
  curt run --chdir sub --env CC=clang -- ./build  in another directory, with a variable more
  curt run --timeout 2.5 -- ./slow                end it, and what it started, after so many seconds

Exit status:
  that of the program, and 128 + N after signal N
  124  the time was over
  125  curt itself failed
  126  it is there and cannot be executed
  127  it is not there
  2    the command line was wrong";

/// What `curt run` was asked.
#[derive(Args)]
#[command(about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER)]
pub(crate) struct RunOptions {
    /// The program, and its arguments
    #[arg(value_name = "NAME", required = true, trailing_var_arg = true, num_args = 1..)]
    pub(crate) words: Vec<OsString>,

    #[command(flatten)]
    pub(crate) look_up: LookUpOptions,

    /// Say first how it was looked for: every directory and candidate, why it was passed over
    #[arg(long)]
    pub(crate) explain: bool,

    /// Run it in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) chdir: Option<PathBuf>,

    /// Set a variable for it; can be repeated
    #[arg(long, value_name = "NAME=VALUE", action = ArgAction::Append)]
    pub(crate) env: Vec<OsString>,

    /// Give it no variables but those of --env (on Windows also `SystemRoot`, which programs need
    /// to start)
    #[arg(long)]
    pub(crate) clear_env: bool,

    /// End it and what it started after so many seconds; it gets a process group of its own, and so
    /// cannot read from a terminal
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Have /bin/sh run it where the system does not know its format, as execvp does: a script
    /// without a first line that names what runs it
    #[arg(long)]
    pub(crate) shell_fallback: bool,

    /// How often to try again where somebody has it open for writing
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) retries: u32,

    /// For how long, in milliseconds
    #[arg(long, value_name = "N", default_value_t = super::RETRY_MS)]
    pub(crate) retry_ms: u64,

    /// Say how many operating-system calls were made
    #[arg(long)]
    pub(crate) stats: bool,

    /// Do without a feature of the system, as where it is missing
    #[arg(long, value_name = "FEATURE", hide = true, value_parser = feature_names(),
          action = ArgAction::Append)]
    without: Vec<String>,
}

impl RunOptions {
    /// The features to do without.
    pub(crate) fn without(&self) -> impl Iterator<Item = curt::Feature> + '_ {
        features(&self.without)
    }
}

/// Seconds, which may have a fraction.
fn parse_seconds(word: &str) -> Result<Duration, String> {
    let seconds: f64 = word.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "not a length of time".to_owned())
}
