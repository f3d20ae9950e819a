//! Processes the text of paths, following the rules of any system on any system.
//!
//! Linux and Windows read the same path differently, and both have traps: `C:x` starts from the
//! working directory of a drive, `nul.txt` is a device, `a/../../b` leaves its directory. The
//! functions here depend only on their input and make no system calls.
//!
//! A path is a slice of bytes or of 16-bit units ([`Unit`]), and need not be Unicode.
//!
//! | task | item | authority |
//! |---|---|---|
//! | make a path full | [`Expander`] | `GetFullPathNameW`, [`std::path::absolute`], Python's `normpath`, Ruby's `File.expand_path` |
//! | check an untrusted path | [`PathCheck`] | the kernel's `RESOLVE_BENEATH`; Win32's names, devices and streams |
//! | fold `.` and `..` | [`Fold`] | Python's `normpath`; Go's and Node's for drives |
//! | classify a Windows path, recognize device names | [`windows`] | `RtlDetermineDosPathNameType_U`, `RtlIsDosDeviceName_U` |
//!
//! # Full paths
//!
//! An [`Expander`] gets the working directory, drives and home directory from an [`Env`] or an
//! [`Environment`]:
//!
//! ```
//! use curt_paths::{DotDot, Env, Expander, Flavor, Release};
//!
//! let windows = Expander::new(Env::none().cwd(r"C:\work").drive("D", r"D:\data"))
//!     .flavor(Flavor::Windows);
//! assert_eq!(*windows.expand(br"..\a.\b. ").unwrap(), *br"C:\a\b");
//! assert_eq!(*windows.expand(b"D:x").unwrap(), *br"D:\data\x");
//!
//! // Device names depend on the release.
//! assert_eq!(*windows.expand(b"con.txt").unwrap(), *br"C:\work\con.txt");
//! let older = windows.release(Release::Windows10);
//! assert_eq!(*older.expand(b"con.txt").unwrap(), *br"\\.\con");
//!
//! // On POSIX a symbolic link can come before `..`, so it is kept by default.
//! let posix = Expander::new(Env::none().cwd("/home/me")).flavor(Flavor::Posix);
//! assert_eq!(*posix.expand(b"a/../b").unwrap(), *b"/home/me/a/../b");
//! let posix = posix.dot_dot(DotDot::Clamp);
//! assert_eq!(*posix.expand(b"a/../b").unwrap(), *b"/home/me/b");
//! ```
//!
//! [`Expander::expand_str`] takes a `&str`, [`Expander::expand_path`] a native path.
//! [`Expander::tilde`] expands a leading `~`:
//!
//! ```
//! use curt_paths::{Env, Expander, Flavor};
//!
//! let env = Env::none().cwd(r"C:\work").home(r"C:\Users\me");
//! let windows = Expander::new(env).flavor(Flavor::Windows).tilde(true);
//! let full: String = windows.expand_str("../grün.txt").unwrap().into_owned();
//! assert_eq!(full, r"C:\grün.txt");
//! assert_eq!(windows.expand_str("~/notes").unwrap(), r"C:\Users\me\notes");
//!
//! let posix = Expander::new(Env::none().home("/home/me")).flavor(Flavor::Posix).tilde(true);
//! assert_eq!(posix.expand_str("~/notes").unwrap(), "/home/me/notes");
//! ```
//!
//! [`Expander::explain`] also returns the applied rules:
//!
//! ```
//! use curt_paths::{Env, Expander, Flavor, Rule};
//!
//! let expander = Expander::new(Env::none().cwd(r"C:\work")).flavor(Flavor::Windows);
//! let explanation = expander.explain(b"x/..");
//! assert_eq!(*explanation.result.unwrap().to_bytes(), *br"C:\work");
//! assert_eq!(explanation.rules, [Rule::WorkingDirectory, Rule::Backslashes, Rule::DotDot]);
//! ```
//!
//! # Untrusted paths
//!
//! [`PathCheck`] decides whether the text of a path remains beneath a directory. It cannot see
//! symlinks, so open the path with an API that cannot leave the directory, such as `curt::Root`.
//!
//! ```
//! use curt_paths::{Flavor, PathCheck, Refusal};
//!
//! let check = PathCheck::new(Flavor::Windows);
//! assert_eq!(*check.name(b"img/./logo.png").unwrap(), *br"img\logo.png");
//! assert_eq!(check.check(b"../secret"), Err(Refusal::Escape));
//! assert_eq!(check.check(b"img/nul.png"), Err(Refusal::Device));
//! assert_eq!(check.check(b".htaccess::$DATA"), Err(Refusal::Stream));
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic))]

// From the bottom up: `scan` finds characters; `unit` abstracts over bytes and 16-bit units;
// `fold`, `posix`, `windows` and `ruby` implement the rules; `expansion` finds the starting
// directory.
mod check;
mod directory;
mod environment;
mod expander;
mod expansion;
mod fold;
mod options;
mod os;
mod posix;
mod ruby;
mod rule;
mod scan;
#[cfg(test)]
mod tests;
mod unit;
pub mod windows;

pub use check::{Aliases, PathCheck, Refusal};
pub use environment::{Env, Environment};
pub use expander::{ExpandExplanation, Expander};
pub use fold::Fold;
pub use options::{DotDot, ExpandError, Flavor, Release, Style, Verbatim};
pub use rule::Rule;
pub use unit::{PathText, Unit};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
