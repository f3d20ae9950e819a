//! Opens and changes files by untrusted paths without ever leaving a root directory.
//!
//! A file server:
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-serve-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("www/img"))?;
//! # std::fs::write(scratch.join("www/page.html"), "hello")?;
//! use curt::beneath::{Aliases, OpenOptions};
//! use curt::{Error, Root};
//! use std::fs::File;
//! use std::io::ErrorKind;
//!
//! /// Opens the file with this decoded name, or returns an HTTP status.
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
//!     match error.kind() {
//!         // Includes refused paths. 404 would hide from the client that the path was refused.
//!         ErrorKind::PermissionDenied => 403,
//!         // Includes the empty path.
//!         ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => 404,
//!         // For example, a name that is too long, a symlink loop or a socket.
//!         _ => 500,
//!     }
//! }
//!
//! // `scratch` is a directory with www/page.html and www/img/.
//! // `Strict` also refuses symlinks, and spellings that mean a different name on some system.
//! let root = Root::open(scratch.join("www"))?.aliases(Aliases::Strict);
//! assert_eq!(serve(&root, "page.html").unwrap().metadata()?.len(), 5);
//! assert_eq!(serve(&root, "../secret").unwrap_err(), 403);
//! assert_eq!(serve(&root, "page.html.").unwrap_err(), 403);
//! assert_eq!(serve(&root, "missing").unwrap_err(), 404);
//! assert_eq!(serve(&root, "img").unwrap_err(), 404);
//! assert_eq!(serve(&root, "").unwrap_err(), 404);
//! # drop(root);
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The error's message gives the reason, for a log. To hide files such as `.htpasswd`, compare
//! [`Root::name_of`], not the requested path.
//!
//! To unpack an untrusted archive, create directories with [`Root::create_dir_all`]. Create other
//! entries with [`Root::remove_file`] followed by [`Root::open_file`] with
//! [`create_new`](OpenOptions::create_new), [`Root::symlink`] or [`Root::hard_link`], as in
//! `examples/unpack.rs`.
//!
//! # Promises
//!
//! - Operations only touch files beneath the root, **whatever other processes change meanwhile**.
//!   They return a handle or act relative to one, and never look up a checked path again.
//! - Each refusal has exactly one reason ([`Refusal`]). Ordinary failures keep the system's error.
//! - POSIX paths are passed to the kernel unchanged: `link/../x` means what it means to the kernel.
//! - [`Scope`] and [`Aliases`] choose what is refused.
//! - Mounts and hard links beneath the root belong to it.
//!
//! # Call ceiling
//!
//! System calls for a path of any depth without symlinks:
//!
//! | | Linux | single steps (POSIX, `--without openat2`) for a path of n names |
//! |---|---|---|
//! | open a file or directory | 1 (`openat2`), and 1 to close it | 2n - 1, and 1 per `..` |
//! | stat, read a symlink, create, remove, link, rename a name directly in the root | 1 | 1 |
//! | the same in a subdirectory | 3 (`openat2`, the operation, `close`), or 5 for two paths | 2n - 1 |
//! | set permissions or times | 3 (`openat2`, the operation, `close`) | 2n + 4 |
//! | create a directory and its missing parents | 4 per directory created | – |
//! | name of an open file | 4 (`readlinkat` twice, `newfstatat`, `fstat`) | – |
//!
//! System calls for a canonical path:
//!
//! | Linux | last component missing | symlinks refused (strict) | single steps |
//! |---|---|---|---|
//! | 5, and 1 to close | 7, and 1 to close | 1, and 1 to close; if missing 2, and 1 to close | 2n - 1, and 6 to 11 per symlink |
//!
//! The 5 calls are `openat2`, two `readlinkat` for the current paths of file and root, and
//! `newfstatat` and `fstat`. The last two check that the file's path relative to the root leads to
//! the same file. In another mount namespace, or after a later mount, it may not. Windows takes 4
//! calls (6 if the last component is missing).
//!
//! Symlinks cost no calls if the kernel follows them. If an error can have several reasons
//! (`ELOOP`), single steps find the reason. They open only directories.
//!
//! # Races
//!
//! *Prevented*: swapping a directory for a symlink, retargeting a symlink, renaming any part of the
//! tree, creating a file through a broken symlink. `openat2(2)` checks the path during resolution.
//! Single steps open each name relative to its open parent, read symlinks themselves, and never
//! open `..`.
//!
//! *Not prevented*: a directory moved out of the root after it was opened remains accessible
//! through its handle. Between two operations the meaning of a path can change, but the meaning of
//! a handle cannot.
//!
//! # Fallbacks
//!
//! Without `openat2` (before Linux 5.6, behind a filter, and on other systems) paths are resolved
//! in single steps, with at most 32 directories open and 40 symlinks followed. If the kernel lacks
//! the call (`ENOSYS`), the whole process stops trying it. If a filter refuses the call (`EPERM`
//! even for the root itself), this root stops trying it. Single steps follow symlinks under the
//! rules of Linux, the mount option `nosymfollow` and `fs.protected_symlinks`. Only the superuser
//! can read that setting, so other users assume that it is on.
//!
//! Any other refusal by `openat2` is final (ADR 36), so an attacker cannot force single steps by
//! renaming. A rename or mount anywhere while `..` is resolved causes `EAGAIN`, which is retried
//! for some 10 ms and then reported. A single step with contradictory results is repeated up to 64
//! times. Without `/proc`, or for paths beyond the system's limit, single steps collect canonical
//! paths. On Linux and FreeBSD, entering a directory does not need read permission.

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
