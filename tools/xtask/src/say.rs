//! The one place in this crate that prints. A closed pipe is not an error of a chore.

use std::fmt::Display;
use std::io::{self, Write};

/// A line on standard output.
pub(crate) fn out(text: impl Display) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// A line on standard error.
pub(crate) fn err(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
