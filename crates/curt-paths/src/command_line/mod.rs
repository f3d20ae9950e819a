//! Command lines and environment blocks of Windows: pure text, on every system.
//!
//! A program on Windows is given one line, which it takes apart itself. Nearly all do so by the
//! rules of Microsoft's C runtime ("Parsing C command-line arguments"); cmd.exe, which runs batch
//! files, has rules of its own, under which the same line may run other programs (CVE-2024-24576).
//! So there are two ways to write a line, and the caller must know which file it will be given to:
//! decide by the name that the file has on disk, never by the name that was asked for.
//!
//! Nothing here makes a call. Text is UTF-16 as Windows has it, surrogates without a partner
//! included.

mod batch;
mod block;
mod image;
#[cfg(test)]
mod tests;

use std::fmt;

pub use batch::{batch, is_batch};
pub use block::{environment_block, variable_key};
pub use image::{image, split};

/// How long a line may be that a program is given, its NUL included (`CreateProcessW`).
pub const LONGEST_LINE: usize = 32_767;

/// How long a line may be that cmd.exe takes ("Command prompt line string limitation").
pub const LONGEST_BATCH_LINE: usize = 8_191;

/// Why there is no such line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandLineError {
    /// A NUL would end it early.
    Nul,
    /// An end of line would end it early for cmd.exe, which then drops the rest.
    EndOfLine,
    /// There is no way to write a quote in the name of a program.
    QuoteInProgram,
    /// A batch file must be given by a path with a separator, so that cmd.exe does not search for
    /// it, and not by one that begins with `\\?\`, which it does not know.
    ScriptPath,
    /// The name of a variable is empty or holds `=`.
    VariableName,
    /// It is longer than the system takes.
    TooLong {
        /// Its length in units.
        units: usize,
        /// The most that are allowed.
        most: usize,
    },
}

impl fmt::Display for CommandLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CommandLineError::Nul => "it holds a NUL",
            CommandLineError::EndOfLine => "an argument for a batch file holds an end of line",
            CommandLineError::QuoteInProgram => "the program's name holds a quote",
            CommandLineError::ScriptPath => "a batch file needs a plain path with a separator",
            CommandLineError::VariableName => "a variable's name is empty or holds '='",
            CommandLineError::TooLong { units, most } => {
                return write!(f, "the command line has {units} units, and {most} is the most");
            }
        })
    }
}

impl std::error::Error for CommandLineError {}

const NUL: u16 = 0;
const TAB: u16 = b'\t' as u16;
const SPACE: u16 = b' ' as u16;
const QUOTE: u16 = b'"' as u16;
const BACKSLASH: u16 = b'\\' as u16;
const PERCENT: u16 = b'%' as u16;
const EQUALS: u16 = b'=' as u16;

fn push(line: &mut Vec<u16>, ascii: &str) {
    line.extend(ascii.encode_utf16());
}

fn limited(line: Vec<u16>, most: usize) -> Result<Vec<u16>, CommandLineError> {
    if line.len() > most {
        return Err(CommandLineError::TooLong { units: line.len(), most });
    }
    Ok(line)
}
