//! Finds programs: `PATH`, and on Windows `PATHEXT`, by named rules and in few calls.
//!
//! # Promises
//!
//! - The rules are a value ([`Policy`]) with a preset for each authority, and all of them work on
//!   every system.
//! - Every input is a parameter: `PATH`, `PATHEXT`, the base directory, the environment. Those of
//!   the process are only the default.
//! - The working directory is not searched implicitly unless the policy says so. If only that
//!   contains the program, the error says so. A relative entry of `PATH` is searched, and what is
//!   found there is flagged.
//! - A directory is searched once, however often `PATH` names it. A name that no program can have
//!   costs no call. A name that is a path touches no directory of `PATH`.
//! - What is found is spelled as on the disk, never depends on the order of a listing, and is never
//!   a directory. An extension matches as a whole.
//! - After the first look-up, one by name that succeeds allocates nothing ([`Search::find_into`]).
//!
//! # Call ceiling
//!
//! For each directory of `PATH`, where k is the number of candidates (names with extensions):
//!
//! | | POSIX rules, on Linux | Windows rules, on Windows |
//! |---|---|---|
//! | the directory is absent | 1 (`faccessat2`) | 1 |
//! | nothing matches | 1 | k if k ≤ 2, else 3: open, list, close |
//! | names begin like the candidates, none matches | – | 4: the listing is read to its end |
//! | the program is found | 2 (`statx` rules out a directory) | ≤ 4 |
//! | more names begin so than one buffer holds | – | 3 + k; 2 more to spell what is found |
//! | the directory may not be listed | – | 1 + k |
//! | many names at once ([`Search::find_many`]) | 1 for each name | 3 + the pages of the directory |
//! | in a [`Session`], after the first time | as above, 0 if it is absent | the same |
//!
//! Once for a search: 1 (`getcwd`) if something is relative and no absolute base was named. If
//! nothing is found by Windows' rules, the working directory is searched too, so that the error can
//! name it, and a base directory that was named is asked for. [`Search::look_into`] takes 3 calls,
//! and 1 for the interpreter of a script. Windows' rules on other systems list directories to their
//! end.
//!
//! # Races
//!
//! A search says what existed when it asked. Another process can replace the file before it is
//! started, as with every search. A caller that starts what was found must start that very path and
//! not search again; [`Command`](crate::Command) does, and says what that guarantees. A directory
//! that is replaced during the search is searched as one or the other, or both, but one listing
//! never mixes them. A search changes nothing.
//!
//! # Fallbacks
//!
//! Without `faccessat2` the mode bits decide. If a directory may be searched but not listed, each
//! candidate is probed. If a listing does not give the kinds of its entries, those that match are
//! probed. If the system does not say how a file is spelled, it is spelled as it was asked for.

mod candidates;
mod directories;
mod engine;
mod explain;
mod found;
#[cfg(any(test, fuzzing))]
#[path = "tests/fuzzing.rs"]
pub mod fuzzing;
mod judge;
mod names;
mod options;
mod policy;
mod query;
mod search;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::PathBuf;

pub use self::directories::FoundIn;
pub use self::explain::{Looked, SearchExplanation};
pub use self::found::{Found, Interpreter};
pub use self::policy::{Bare, Cwd, Extensions, LaunchFailure, Literal, Policy, Program};
pub use self::search::{FindAll, Search, Session};
pub use crate::error::{FindCause, FindError};

/// Finds a program in `PATH` by the default rules of this system: a shorthand for [`Search::find`].
///
/// ```
/// # #[cfg(unix)] {
/// assert!(curt::which("sh")?.is_absolute());
/// # }
/// # Ok::<(), curt::which::FindError>(())
/// ```
pub fn which(name: impl AsRef<OsStr>) -> Result<PathBuf, FindError> {
    Ok(Search::new().find(name)?.path().into_owned())
}
