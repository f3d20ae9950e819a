//! Finds programs in `PATH` under a choice of rules, on Windows with the extensions of `PATHEXT`.
//!
//! ```
//! # #[cfg(unix)] {
//! use curt::which::{Policy, Search};
//! let search = Search::new().policy(Policy::Posix).path("/nowhere:/bin:/usr/bin");
//! let found = search.find("sh")?;
//! println!("{} from {}", found.path().display(), found.origin());
//! for found in search.find_all("sh") {
//!     assert!(found?.path().ends_with("sh"));
//! }
//! # }
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! # Start what was found
//!
//! Start the path that was found like any other path, or let [`Command`](crate::Command) look the
//! name up under the rules of a [`Search`]:
//!
//! ```
//! # #[cfg(unix)] {
//! use curt::{Command, Search};
//!
//! let search = Search::new().path("/nowhere:/bin:/usr/bin");
//! let found = search.find("sh")?;
//! println!("starting {}", found.path().display());
//! let status = Command::new(found.into_path()).args(["-c", "exit 3"]).status()?;
//! assert_eq!(status.code(), Some(3));
//!
//! let status = Command::new("sh").search(search).args(["-c", "exit 3"]).status()?;
//! assert_eq!(status.code(), Some(3));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! - The rules follow an authority ([`Policy`]). Every policy is available on every system.
//! - Every input is a parameter: `PATH`, `PATHEXT`, the base directory, the environment. By default
//!   they are those of the process.
//! - The working directory is searched only if the policy says so. If only the working directory
//!   has the program, the error mentions this. A program found through a relative entry of `PATH`
//!   is marked ([`Found::is_relative`]).
//! - A directory is searched once, however often `PATH` names it. A name that no program can have
//!   costs no call. If the name is a path, no directory of `PATH` is searched.
//! - The result is spelled as on the disk, and is never a directory. It does not depend on the
//!   order of a listing. An extension matches only as a whole.
//!
//! # Call ceiling
//!
//! System calls for each directory of `PATH`, with k candidates (names with extensions):
//!
//! | | POSIX rules, on Linux | Windows rules, on Windows |
//! |---|---|---|
//! | the directory is absent | 1 (`faccessat2`) | 1 |
//! | no match | 1 | k if k ≤ 2, else 3: open, list, close |
//! | names with the same prefix, but no match | – | 4: the listing is read to its end |
//! | the program is found | 2 (`statx` rules out a directory) | ≤ 4 |
//! | more names with the same prefix than one buffer holds | – | 3 + k; 2 more for the spelling of the result |
//! | the directory cannot be listed for lack of permission | – | 1 + k |
//!
//! Each search also costs 1 call (`getcwd`) if a path is relative and no absolute base was set. On
//! Unix, 2 more calls verify that the path from `getcwd` still leads to the working directory.
//! [`Search::no_base`] saves these calls. If Windows rules find no program, the working directory
//! is searched too, so that the error can name it, and 1 more call checks whether a given base
//! exists. [`Search::look_into`] takes 3 calls, and 1 more if the file names an interpreter. On
//! other systems, Windows rules list directories to their end.
//!
//! # Races
//!
//! A result says which programs existed during the search. Another process can replace the file
//! before it is started, so start exactly the path that was found, as [`Command`](crate::Command)
//! does. If a directory is replaced during the search, the old directory, the new one or both are
//! searched, but one listing never mixes them. A search changes nothing.
//!
//! # Fallbacks
//!
//! Without `faccessat2` the mode bits decide. If a directory may be searched but not listed, or its
//! listing carries no kinds, each candidate is queried. If the system does not report the spelling
//! of a file, the path has the name as given.

// How `search.find("ls")` works on Linux: on first use, `search.rs` creates the `Engine` from the
// options, the rules of the policy (`policy.rs`) and the entries of `PATH` (`directories.rs`).
// `Engine::find` begins a `Query` with the candidates for the name (`names.rs`, `candidates.rs`).
// It searches directory by directory (`judge.rs`, then `Which::executable`) until it finds a
// program, which becomes a `Found`. The `Query` also records why directories failed.
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
mod policy;
mod query;
mod search;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::PathBuf;

pub use self::directories::FoundIn;
pub(crate) use self::engine::{Variables, is_same_variable};
pub use self::explain::{Looked, SearchExplanation};
pub use self::found::{Found, Interpreter, Program};
pub use self::policy::Policy;
pub(crate) use self::policy::Rules;
pub use self::search::{FindAll, Search};
use crate::error::Error;
pub use crate::error::{FindCause, NotFound};

/// Returns the path of a program in `PATH`, under the default rules of this system.
/// [`Search::find`] also returns the directory in which it was found.
///
/// ```
/// # #[cfg(unix)] {
/// assert!(curt::which("sh")?.is_absolute());
/// # }
/// # Ok::<(), curt::Error>(())
/// ```
pub fn which(name: impl AsRef<OsStr>) -> Result<PathBuf, Error> {
    Ok(Search::new().find(name)?.into_path())
}
