//! The only functions in this crate that print. They ignore a closed pipe.

use std::fmt::Display;
use std::io::{self, Write};

pub(crate) fn out(text: impl Display) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

pub(crate) fn err(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
