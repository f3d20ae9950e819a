//! curt beside the GNU tools. Removals: the same command on two equal trees must print the same,
//! end with the same code and leave the same entries. Listings: the same bytes. Walks (folder
//! `walk`): the same paths as find.
//!
//! `harness` builds, runs and compares; the other files hold tables of cases, modelled on what
//! coreutils' own `tests/rm` cover, and `ls` has listings. Differences that are meant are named in
//! the case, with the reason, and are checked to be there still.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod du;
mod environment;
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
mod walk;
