//! curt beside the GNU tools. Removals: the same command on two equal trees must print the same,
//! end with the same code and leave the same entries. Listings: the same bytes. Searches (folder
//! `find`): the same paths as find.
//!
//! For each command a property compares random trees and command lines, and prints the smallest
//! that differs as a script for the shell; `CURT_TREES` says how many are tried. Tables hold what
//! chance does not meet: values, the environment, mounts, terminals, and the differences that are
//! meant, with the reason, which are checked to be there still.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod dry_runs;
mod du;
mod find;
mod harness;
mod loops;
mod ls;
mod mounts;
mod realpath;
mod rm;
mod run;
mod stat;
mod tree;
mod values;
