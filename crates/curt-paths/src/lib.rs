//! Path text by the rules of any system, on any system.
//!
//! Linux and Windows read the same text in different ways, and both are hard to get right: which
//! directory `C:x` starts from, that `nul.txt` is a device, that `a/../b` can leave a directory.
//! The functions here know these rules. They are functions of their input: they make no system
//! call, so a cross compiler, an archive tool or a linter gets the answer of the system that it
//! works for, and Windows rules can be tested on Linux. There are no dependencies and no `unsafe`.
//!
//! Text is a slice of bytes or of 16-bit units ([`Unit`]), and need not be Unicode.
//!
//! | task | item | authority |
//! |---|---|---|
//! | make a path full | [`Expander`] | `GetFullPathNameW`, [`std::path::absolute`], Python's `normpath`, Ruby's `File.expand_path` |
//! | check an untrusted path | [`PathCheck`] | the kernel's `RESOLVE_BENEATH`; Win32's names, devices and streams |
//! | fold `.` and `..` | [`Fold`] | Python's `normpath`; Go's and Node's for drives |
//! | classify a Windows path, recognise device names | [`windows`] | `RtlDetermineDosPathNameType_U`, `RtlIsDosDeviceName_U` |
//!
//! # Full paths
//!
//! An [`Expander`] is given the working directory, drives and home directory ([`Env`]), or asks an
//! [`Environment`] for them:
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
//! [`Expander::expand_str`] takes a `&str`, [`Expander::expand_path`] a path of this system. A
//! leading `~` is a home directory if [`Expander::tilde`] says so:
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
//! [`Expander::explain`] also returns the rules that were applied:
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
//! [`PathCheck`] says whether the text of a path stays beneath a directory, and if not, why. A
//! symbolic link can still lead out, so open the path with something that cannot leave the
//! directory, such as `curt::Root`.
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

// From the bottom up: `scan` finds characters; `unit` is the trait over bytes and 16-bit units;
// `fold`, `posix`, `windows` and `ruby` are the rules, pure functions of a path and the directory
// it starts from; `expansion` finds that directory; `expander` is the public interface. `check`
// stands beside them.
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

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
