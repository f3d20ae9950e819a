//! curt beside the GNU tools. Removals: the same command on two equal trees must print the same,
//! end with the same code and leave the same entries. Listings: the same bytes. Searches (folder
//! `find`): the same paths as find.
//!
//! `harness` builds, runs and compares; the other files hold tables of cases, modelled on what
//! coreutils' own `tests/rm` cover, and `ls` has listings. Differences that are meant are named in
//! the case, with the reason, and are checked to be there still.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod du;
mod environment;
mod find;
mod globs;
mod harness;
mod loops;
mod ls;
mod mounts;
mod options;
mod permissions;
mod prompts;
mod quoting;
mod realpath;
mod run;
mod stat;
mod trees;

use std::process::Command;

/// Nothing, said aloud, where a tool is missing or not GNU's.
fn has_gnu(tool: &str) -> Option<()> {
    let version = Command::new(tool).arg("--version").output();
    let start = format!("{tool} (GNU coreutils) ");
    let is_gnu = version.is_ok_and(|output| output.stdout.starts_with(start.as_bytes()));
    if !is_gnu {
        curt_testkit::skip(&format!("GNU {tool} is not installed"));
    }
    is_gnu.then_some(())
}
