//! Path text: full paths, Windows rules on any system, checks of untrusted paths, Windows command lines.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod check;
pub mod command_line;
mod environment;
mod expander;
mod flavor;
mod fold;
mod options;
mod os;
mod place;
mod posix;
mod refusal;
mod ruby;
mod rule;
mod text;
mod unit;
pub mod windows;

pub use check::{Aliases, PathCheck, check_path};
pub use environment::{Env, Environment};
pub use expander::{ExpandExplanation, Expander};
pub use flavor::{Flavor, Release};
pub use fold::{Fold, is_folded};
pub use options::{DotDot, ExpandError, Style, Verbatim};
pub use refusal::Refusal;
#[cfg(feature = "ruby")]
pub use ruby::encoding::Encoding;
pub use rule::Rule;
pub use text::PathText;
pub use unit::Unit;
