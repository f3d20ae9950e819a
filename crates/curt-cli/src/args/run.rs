//! The options of `curt run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};

use super::which::SEARCH;
use super::{LookUpOptions, RETRY_MS, WithoutOptions};

const LONG_ABOUT: &str = "\
Start a program, wait for it and exit as it does. On Linux the start takes one system call in curt \
and two in the program, the wait one, and the search one for each directory of PATH.

A NAME that contains a separator is a path relative to the directory of --chdir. Any other NAME is \
looked up as by curt which, in the PATH of the program's environment and from its directory: the \
working directory is not searched unless PATH names it.";

const NOTES: &str = "\
Exit status:
  that of the program, or 128 + N if signal N ended it
  124  the time limit was reached
  125  curt itself failed
  126  the program exists but cannot be executed
  127  the program was not found
  2    the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt run -- make -j4                            start a program
  curt run --chdir sub --env CC=clang -- ./build  in another directory, with one more variable
  curt run --timeout 2.5 -- ./slow                kill it, and what it started, after 2.5 seconds";

/// The options of `curt run`.
#[derive(Args)]
#[command(about = "Start a program and exit as it does", long_about = LONG_ABOUT,
          after_long_help = NOTES, after_help = EXAMPLES)]
pub(crate) struct RunOptions {
    /// The program and its arguments
    #[arg(value_name = "NAME", required = true, trailing_var_arg = true, num_args = 1..)]
    pub(crate) words: Vec<OsString>,

    /// First print each directory and candidate of the search
    #[arg(long)]
    pub(crate) explain: bool,

    /// Run the program in DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) chdir: Option<PathBuf>,

    /// Set an environment variable for the program; can be repeated
    #[arg(long, value_name = "NAME=VALUE", action = ArgAction::Append)]
    pub(crate) env: Vec<OsString>,

    /// Start with an empty environment, apart from --env
    ///
    /// On Windows SYSTEMROOT is kept, because programs need it to start.
    #[arg(long)]
    pub(crate) clear_env: bool,

    /// Kill the program and what it started after SECONDS
    ///
    /// The program gets its own process group, so it cannot read from a terminal.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true,
          value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Run a script without a '#!' line by /bin/sh, as execvp does
    #[arg(long)]
    pub(crate) shell_fallback: bool,

    /// Retry N times while the program is open for writing
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) retries: u32,

    /// Stop retrying after N milliseconds
    #[arg(long, value_name = "N", default_value_t = RETRY_MS)]
    pub(crate) retry_ms: u64,

    /// Print how many system calls were made
    #[arg(long)]
    pub(crate) stats: bool,

    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) look_up: LookUpOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,
}

/// Seconds, which may have a fraction.
fn parse_seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected a number of seconds, 0 or more".to_owned())
}
