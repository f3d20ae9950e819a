//! Operations beneath a directory: untrusted paths are opened, and nothing outside can be reached.
//!
//! Serving a file whose name comes from a client:
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
//! The message of the error has the reason, for a log. A server that hides some files, such as
//! `.htpasswd`, compares their names with that of the file it has opened ([`Root::name_of`]), and
//! not with the name that was asked for.
//!
//! To unpack an untrusted archive, each entry is made beneath the root whatever was unpacked before
//! it: [`Root::create_dir_all`] for directories, [`Root::remove_file`] and then
//! [`Root::open_file`] with [`create_new`](OpenOptions::create_new), [`Root::symlink`] or
//! [`Root::hard_link`] for the others. No order of links and no `..` leads out.
//! `examples/unpack.rs` does it for tar archives.
//!
//! # Promises
//!
//! - What is opened, created, removed, renamed, changed or examined is beneath the root, **whatever
//!   other processes change in the meantime**. The answer is a handle (or the operation done
//!   relative to one), never a path that is looked up again.
//! - A refusal has one reason ([`Refusal`]). An ordinary failure is never reported as a refusal:
//!   the system's own error is passed on.
//! - The path is not folded before the system has seen it: on POSIX `link/../x` means what the
//!   kernel says. There the check of the text alone can differ from an open.
//! - Two scopes: [`Scope::Beneath`] refuses what leaves the root, [`Scope::InRoot`] keeps it
//!   inside. Two ways to treat aliases: [`Aliases::Open`] and [`Aliases::Strict`].
//! - Mounts and hard links beneath the root belong to it, wherever else they can be reached from.
//!
//! # Call ceiling
//!
//! For a path of any depth that leads through no link:
//!
//! | | Linux | single steps (POSIX, `--without openat2`) of n names |
//! |---|---|---|
//! | open a file or directory | 1 (`openat2`), and its close | 2n - 1, and 1 for each `..` |
//! | stat, read a link, create, remove, link, rename one name in the root | 1 | 1 |
//! | the same deeper down | 3 (`openat2`, the operation, `close`); two paths 5 | 2n - 1 |
//! | set permissions or times | 3 (`openat2`, the operation, `close`) | 2n + 4 |
//! | create a directory and those on the way | 4 for each one created | – |
//! | name of something open | 4 (`readlinkat` twice, `newfstatat`, `fstat`) | – |
//!
//! A canonical name, its close counted separately:
//!
//! | Linux | last name missing | no links followed (strict) | single steps |
//! |---|---|---|---|
//! | 5, close | 7, close | 1, close; missing 2, close | 2n - 1, and 6 to 11 for each link |
//!
//! `openat2` finds what the path leads to, and two `readlinkat` return its name and the root's,
//! wherever the root was moved. `newfstatat` and `fstat` check that the rest of the name leads to
//! the same, which text alone does not prove (another mount namespace, a later mount). A missing last name takes more because `ENOENT` leaves open whether
//! the name is missing or a broken link, whose name is that of its target: the directory must be
//! opened, searched and named. On Windows: 4 calls, last name missing 6.
//!
//! Links cost nothing more where the kernel follows them. A refusal can cost single steps on top,
//! which open directories only, if the kernel's answer leaves the reason open (`ELOOP`).
//!
//! # Races
//!
//! *Prevented*: a directory on the way swapped for a link, a link that changes its target, a rename
//! of any part of the tree, an exchange of parents, a file created through a broken link. The
//! kernel checks the path while it resolves it. Single steps open each name relative to the
//! directory opened before, follow nothing, and go back for `..` over the directories they came
//! through.
//!
//! *Not prevented*: a directory that is moved out of the root after it was opened is still that
//! directory. What a path means can change between two operations; a handle cannot. A name that
//! [`Root::canonical`] returns is true at that moment.
//!
//! A link whose target is untrusted text is stored as it is by [`Root::symlink`], and is followed
//! only as far as the root, like any other.
//!
//! # Fallbacks
//!
//! Without `openat2` (Linux before 5.6, or a filter) and on other systems: single steps, with at
//! most 32 directories open and 40 links followed. The process remembers that the kernel lacks the
//! call (`ENOSYS`). The root remembers that a filter refuses it (`EPERM`, for the root itself as
//! well); a thread that uses the root at the same time as another asks again. The steps follow
//! links by the rules of Linux: those of the mount (`nosymfollow`) and of the system
//! (`fs.protected_symlinks`, which only root can read; for other users it is taken to be on). Other
//! systems do not report such options of a mount, so there they are not noticed.
//!
//! Any other refusal of `openat2` is the answer. `EAGAIN`, which says that a rename or a mount
//! somewhere made `..` unprovable, is retried for some 10 ms and then reported: nobody can force
//! the single steps by renaming. A step whose answers contradict each other is repeated, at most 64
//! times. Without `/proc`, or where the full name is longer than the system returns, single steps
//! gather the names of canonical paths. Entering a directory needs no permission to read it where
//! the system has a flag for that (Linux, FreeBSD).

// One run, from the public function to the system call:
//
// - `Root::open_file` (`root.rs`; `options.rs`: how) calls `Root::run`.
// - `Confined::text` (`confined.rs`) checks the text of the path (`text.rs`).
// - `Confined::open_file` asks for the whole path at once, by `Beneath::open_whole` (on Linux
//   `openat2`), and `Confined::opened` makes a file or a refusal of the answer.
// - Where the system has no such call, `steps::resolve` (`steps.rs`) goes one name at a time:
//   `Beneath::enter` opens each directory on the way, `Beneath::open` the last name.
//
// `canonical.rs` finds the full name of something.

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
