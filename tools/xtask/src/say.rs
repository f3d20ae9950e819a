//! The only functions of this crate that print. If the pipe is closed, they do nothing.

use std::fmt::Display;
use std::io::{self, Write};

pub(crate) fn out(text: impl Display) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

pub(crate) fn err(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
