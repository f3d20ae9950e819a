//! Path text, by the rules of any system on any system: full paths, what Windows makes of a path,
//! checks of untrusted paths, and Windows command lines.
//!
//! Nothing here makes a call to the system, and nothing needs one: every answer is a function of
//! its input. So Windows rules can be used, and tested, on Linux. There are no dependencies and
//! there is no `unsafe`. Text is bytes or 16-bit units ([`Unit`]); what is not Unicode survives.
//!
//! | to… | use | authority |
//! |---|---|---|
//! | make a path full | [`Expander`] | `GetFullPathNameW`, [`std::path::absolute`], Python's `normpath`, Ruby's `File.expand_path` |
//! | check a path from somebody else | [`PathCheck`] | the kernel's `RESOLVE_BENEATH`; Win32's names, devices and streams |
//! | fold `.` and `..` | [`Fold`] | Python's `normpath` |
//! | tell what a Windows path begins with, or whether a name is a device | [`windows`] | `RtlDetermineDosPathNameType_U`, `RtlIsDosDeviceName_U` |
//! | quote arguments for a Windows program or batch file | [`command_line`] | Microsoft's C runtime; cmd.exe |
//!
//! # Full paths
//!
//! An [`Expander`] knows what it was told of the world ([`Env`]) or asks an [`Environment`]:
//!
//! ```
//! use curt_paths::{DotDot, Env, Expander, Flavor, Release};
//!
//! let windows = Expander::new(Env::none().cwd(r"C:\work").drive("D", r"D:\data"))
//!     .flavor(Flavor::Windows);
//! assert_eq!(*windows.expand(br"..\a.\b. ").unwrap(), *br"C:\a\b");
//! assert_eq!(*windows.expand(b"D:x").unwrap(), *br"D:\data\x");
//! // The names of devices are those of the release.
//! assert_eq!(*windows.expand(b"con.txt").unwrap(), *br"C:\work\con.txt");
//! let older = windows.release(Release::Windows10);
//! assert_eq!(*older.expand(b"con.txt").unwrap(), *br"\\.\con");
//!
//! // On POSIX a link may be on the way, so `..` stays unless it is told not to.
//! let posix = Expander::new(Env::none().cwd("/home/me")).flavor(Flavor::Posix);
//! assert_eq!(*posix.expand(b"a/../b").unwrap(), *b"/home/me/a/../b");
//! let posix = posix.dot_dot(DotDot::Clamp);
//! assert_eq!(*posix.expand(b"a/../b").unwrap(), *b"/home/me/b");
//! ```
//!
//! # Untrusted paths
//!
//! [`PathCheck`] says whether the text of a path stays beneath a directory, and why not. Text is
//! all that it sees: a link may still lead out, so the file must be opened in a way that cannot
//! leave the directory, as `curt::Root` does.
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
//!
//! # Command lines
//!
//! ```
//! use curt_paths::command_line::{image, split};
//!
//! let wide = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
//! let line = image(&wide(r"C:\tool.exe"), [wide("a b"), wide(r#"say "hi""#)]).unwrap();
//! assert_eq!(line, wide(r#""C:\tool.exe" "a b" "say \"hi\"""#));
//! assert_eq!(split(&line)[1..], [wide("a b"), wide(r#"say "hi""#)]);
//! ```
//!
//! # Features
//!
//! - `ruby`: texts in the encodings that Ruby's strings have (`Encoding`, `PathText::encoded`).
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic))]

mod check;
pub mod command_line;
mod directory;
mod encoding;
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
mod unit;
pub mod windows;

pub use check::{Aliases, PathCheck, Refusal, check_path};
#[cfg(feature = "ruby")]
pub use encoding::Encoding;
pub use environment::{Env, Environment};
pub use expander::{ExpandExplanation, Expander};
pub use fold::{Fold, is_folded};
pub use options::{DotDot, ExpandError, Flavor, Release, Style, Verbatim};
pub use rule::Rule;
pub use unit::{PathText, Unit};

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
