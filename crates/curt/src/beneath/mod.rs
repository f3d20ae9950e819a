//! Opens and changes files by untrusted paths without ever leaving a root directory.
//!
//! A file server:
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-serve-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("www/img"))?;
//! # std::fs::write(scratch.join("www/page.html"), "hello")?;
//! use curt::beneath::{Aliases, OpenOptions};
//! use curt::{Cause, Error, Root};
//! use std::fs::File;
//! use std::io::ErrorKind;
//!
//! /// The file with this name, which is decoded already, or the status to answer.
//! fn serve(root: &Root, name: &str) -> Result<File, u16> {
//!     // Without `nonblocking`, a FIFO would make the server wait until somebody writes to it.
//!     let file = root.open_file(name, OpenOptions::new().read(true).nonblocking(true));
//!     let file = file.map_err(|error| status(&error))?;
//!     let metadata = file.metadata().map_err(|_| 500_u16)?;
//!     // Directories, FIFOs and devices are not served.
//!     if metadata.is_file() { Ok(file) } else { Err(404) }
//! }
//!
//! fn status(error: &Error) -> u16 {
//!     match (error.cause(), error.kind()) {
//!         // Or 404, which does not tell the client what is refused.
//!         (Cause::Refused(_), _) | (_, ErrorKind::PermissionDenied) => 403,
//!         (_, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory) => 404,
//!         // Also a name that is too long, a loop of links and a socket.
//!         _ => 500,
//!     }
//! }
//!
//! // `Strict` also refuses links, and spellings that mean another name on some system.
//! let root = Root::open(scratch.join("www"))?.aliases(Aliases::Strict);
//! assert_eq!(serve(&root, "page.html").unwrap().metadata()?.len(), 5);
//! assert_eq!(serve(&root, "../secret").unwrap_err(), 403);
//! assert_eq!(serve(&root, "page.html.").unwrap_err(), 403);
//! assert_eq!(serve(&root, "missing").unwrap_err(), 404);
//! assert_eq!(serve(&root, "img").unwrap_err(), 404);
//! # drop(root);
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The error's message gives the reason, for a log. To hide files such as `.htpasswd`, compare the
//! name of the opened file ([`Root::name_of`]), not the requested one.
//!
//! To unpack an untrusted archive, create directories with [`Root::create_dir_all`], and other
//! entries with [`Root::remove_file`] followed by [`Root::open_file`] with
//! [`create_new`](OpenOptions::create_new), [`Root::symlink`] or [`Root::hard_link`], as in
//! `examples/unpack.rs`.
//!
//! # Promises
//!
//! - Operations only touch files beneath the root, **whatever other processes change meanwhile**.
//!   They return a handle or act relative to one, and never look up a checked path again.
//! - A refusal has exactly one reason ([`Refusal`]). Ordinary failures keep the system's error.
//! - POSIX paths reach the kernel unfolded: `link/../x` means what it means to the kernel.
//! - [`Scope::Beneath`] refuses paths that leave the root; [`Scope::InRoot`] clamps them to it.
//!   [`Aliases::Strict`] also refuses symlinks and alternative spellings.
//! - Mounts and hard links beneath the root belong to it.
//!
//! # Call ceiling
//!
//! For a path of any depth without symlinks:
//!
//! | | Linux | single steps (POSIX, `--without openat2`) through n names |
//! |---|---|---|
//! | open a file or directory | 1 (`openat2`), and its close | 2n - 1, and 1 per `..` |
//! | stat, read a link, create, remove, link, rename a name directly in the root | 1 | 1 |
//! | the same further down | 3 (`openat2`, the operation, `close`); two paths 5 | 2n - 1 |
//! | set permissions or times | 3 (`openat2`, the operation, `close`) | 2n + 4 |
//! | create a directory and its missing parents | 4 per directory created | – |
//! | name of an open file | 4 (`readlinkat` twice, `newfstatat`, `fstat`) | – |
//!
//! A canonical name:
//!
//! | Linux | last name missing | symlinks refused (strict) | single steps |
//! |---|---|---|---|
//! | 5, close | 7, close | 1, close; missing 2, close | 2n - 1, and 6 to 11 per symlink |
//!
//! `openat2` opens the file, and two `readlinkat` return its current name and the root's. Another
//! mount namespace or a later mount can make the difference wrong, so `newfstatat` and `fstat`
//! check that it leads to the same file. After `ENOENT` the last name can be missing or a broken
//! symlink; so the parent is opened, searched and named. Windows takes 4 calls, 6 if the last name
//! is missing.
//!
//! Symlinks are free where the kernel follows them. A refusal with several possible reasons
//! (`ELOOP`) adds single steps, which open only directories.
//!
//! # Races
//!
//! *Prevented*: swapping a directory for a symlink, retargeting a symlink, renaming any part of the
//! tree, creating a file through a broken symlink. `openat2(2)` checks the path during resolution.
//! Single steps open each name relative to its open parent, read symlinks themselves, and resolve
//! `..` to the directory they came from.
//!
//! *Not prevented*: a directory moved out of the root after it was opened remains accessible
//! through its handle. Between two operations the meaning of a path can change, but not of a
//! handle.
//!
//! # Fallbacks
//!
//! Without `openat2` (before Linux 5.6, behind a filter, and on other systems) paths are resolved
//! in single steps, with at most 32 directories open and 40 symlinks followed. The process
//! remembers that the kernel lacks the call (`ENOSYS`), and each root a filter (`EPERM` for the
//! root itself, too). Single steps follow symlinks by the rules of Linux: the mount option
//! `nosymfollow`, and `fs.protected_symlinks`, which only root can read and is otherwise taken to
//! be on.
//!
//! Any other refusal by `openat2` is final (ADR 36), so renaming cannot force single steps.
//! `EAGAIN`, caused by a rename or mount somewhere during `..`, is retried for some 10 ms and then
//! reported. A single step with contradictory answers is repeated up to 64 times. Without `/proc`,
//! or beyond the system's path limit, single steps collect canonical names. On Linux and FreeBSD,
//! entering a directory does not need read permission.

mod canonical;
mod confined;
mod options;
mod root;
mod steps;
#[cfg(test)]
pub(crate) mod tests;
mod text;

pub use self::options::{OpenOptions, Scope};
pub use self::root::{Canonical, Root};
pub use curt_paths::{Aliases, Refusal};
