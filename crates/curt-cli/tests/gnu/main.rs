//! Compares curt with the GNU tools.
//!
//! For each command, a property compares random trees and command lines, and prints the smallest
//! difference as a shell script. `CURT_TREES` sets the number of trials. Tables test values, the
//! environment, mounts, terminals, and intended differences.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cp;
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
