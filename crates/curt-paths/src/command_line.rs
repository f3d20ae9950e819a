//! Command lines and environment blocks of Windows.
//!
//! A program on Windows is given one line of text, which it splits itself. Nearly all do so by the
//! rules of Microsoft's C runtime ("Parsing C command-line arguments"): write their line with
//! [`image`]. Batch files are run by cmd.exe, which has other rules, under which the same line can
//! run other programs (CVE-2024-24576): write their line with [`batch`]. Choose by the name that
//! the file has on disk ([`is_batch`]), never by the name that was asked for.
//!
//! Text is UTF-16 as Windows has it, and can contain unpaired surrogates. Nothing here makes a
//! system call.
//!
//! ```
//! use curt_paths::command_line::{batch, image, is_batch, split};
//!
//! let wide = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
//! let line = image(&wide("x.exe"), [wide("a b")])?;
//! assert_eq!(line, wide(r#""x.exe" "a b""#));
//! assert_eq!(split(&line), [wide("x.exe"), wide("a b")]);
//!
//! assert!(is_batch(&wide(r"C:\build.bat")));
//! let line = batch(&wide(r"C:\build.bat"), [wide("&calc")])?;
//! assert!(String::from_utf16(&line).unwrap().ends_with(r#""C:\build.bat" "&calc"""#));
//! # Ok::<(), curt_paths::command_line::CommandLineError>(())
//! ```

#[cfg(test)]
mod tests;

use std::fmt;
use std::iter::repeat_n;

use crate::unit::{Unit, capital};
use crate::windows::{is_separator, is_verbatim};

/// The longest line that a program can be given (`CreateProcessW`), including its NUL.
pub const LONGEST_LINE: usize = 32_767;

/// The longest line that cmd.exe takes ("Command prompt line string limitation").
pub const LONGEST_BATCH_LINE: usize = 8_191;

const NUL: u16 = 0;
const TAB: u16 = b'\t' as u16;
const SPACE: u16 = b' ' as u16;
const QUOTE: u16 = b'"' as u16;
const BACKSLASH: u16 = b'\\' as u16;
const PERCENT: u16 = b'%' as u16;
const EQUALS: u16 = b'=' as u16;

/// Why a line or block cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandLineError {
    /// A NUL would end it early.
    Nul,
    /// A line break would end it early for cmd.exe, which drops the rest.
    EndOfLine,
    /// The name of a program contains a quote, for which there is no escape.
    QuoteInProgram,
    /// A batch file needs a path with a separator, so that cmd.exe does not search for it, and not
    /// one that begins with `\\?\`, which cmd.exe does not understand.
    ScriptPath,
    /// The name of a variable is empty or contains `=`.
    VariableName,
    /// The line is longer than the system allows.
    TooLong {
        /// Its length in units.
        units: usize,
        /// The longest length allowed.
        most: usize,
    },
}

impl fmt::Display for CommandLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CommandLineError::Nul => "it contains a NUL",
            CommandLineError::EndOfLine => "an argument of a batch file contains a line break",
            CommandLineError::QuoteInProgram => "the program's name contains a quote",
            CommandLineError::ScriptPath => "a batch file needs a plain path with a separator",
            CommandLineError::VariableName => "a variable's name is empty or contains '='",
            CommandLineError::TooLong { units, most } => {
                return write!(f, "the command line has {units} units, more than {most}");
            }
        })
    }
}

impl std::error::Error for CommandLineError {}

impl From<CommandLineError> for std::io::Error {
    /// [`InvalidInput`](std::io::ErrorKind::InvalidInput) with this error inside.
    fn from(error: CommandLineError) -> std::io::Error {
        std::io::Error::new(std::io::ErrorKind::InvalidInput, error)
    }
}

/// Returns the line for a program that follows the rules of the C runtime, without a NUL at its
/// end.
///
/// The program's name is always quoted, because it has no escapes. An argument is quoted if it is
/// empty or contains a space, a tab or a quote. Backslashes are doubled before a quote only, the
/// one place where they have a meaning.
pub fn image<A: AsRef<[u16]>>(
    program: &[u16],
    arguments: impl IntoIterator<Item = A>,
) -> Result<Vec<u16>, CommandLineError> {
    if program.contains(&QUOTE) {
        return Err(CommandLineError::QuoteInProgram);
    }
    let mut line = Vec::with_capacity(program.len() + 64);
    line.push(QUOTE);
    line.extend_from_slice(program);
    line.push(QUOTE);
    for argument in arguments {
        line.push(SPACE);
        let argument = argument.as_ref();
        let is_quoted =
            argument.is_empty() || argument.iter().any(|unit| [SPACE, TAB, QUOTE].contains(unit));
        push_argument(&mut line, argument, is_quoted, Reader::Runtime);
    }
    if line.contains(&NUL) {
        return Err(CommandLineError::Nul);
    }
    limited(line, LONGEST_LINE - 1)
}

/// The options for cmd.exe: no command from the registry first (`/d`), the usual extensions, which
/// the escape for `%` needs (`/e:ON`), and no meaning of `!` (`/v:OFF`). It removes the outer
/// quotes.
const CMD: &str = "cmd.exe /d /e:ON /v:OFF /c \"";

/// Follows every `%`, so that it begins no variable: an empty part of a variable that is always
/// set. `^%` is not an escape within quotes, and `%%` is none outside of a file.
const NO_VARIABLE: &str = "%cd:~,%";

/// The characters that need no quotes, besides letters and digits.
const PLAIN: &[u8] = br"#$*+-./:?@\_";

/// Returns the line for cmd.exe to run a batch file, without a NUL at its end.
///
/// Give it to the cmd.exe in the system directory; `COMSPEC` and `PATH` must not choose another
/// one. Within the file `%*`, `%1` and `"%~1"` are what was given, with two exceptions that no line
/// can avoid: an argument with special characters has quotes around it in `%1`, and a quote in it
/// is doubled.
pub fn batch<A: AsRef<[u16]>>(
    script: &[u16],
    arguments: impl IntoIterator<Item = A>,
) -> Result<Vec<u16>, CommandLineError> {
    let has_separator = script.iter().any(|&unit| is_separator(unit));
    let is_literal = is_verbatim(script) && script[1] == BACKSLASH;
    if !has_separator || is_literal || script.contains(&QUOTE) {
        return Err(CommandLineError::ScriptPath);
    }
    let mut line = Vec::with_capacity(script.len() + 96);
    push(&mut line, CMD);
    // Always quoted: `%` can be part of a name.
    check_for_batch(script)?;
    push_argument(&mut line, script, true, Reader::Cmd);
    for argument in arguments {
        let argument = argument.as_ref();
        check_for_batch(argument)?;
        line.push(SPACE);
        push_argument(&mut line, argument, !is_plain(argument), Reader::Cmd);
    }
    line.push(QUOTE);
    limited(line, LONGEST_BATCH_LINE)
}

/// Returns whether cmd.exe runs a file of this name: it ends in `.bat` or `.cmd`, in any case.
/// Windows drops trailing dots and spaces, so they do not hide it (CVE-2024-43402).
pub fn is_batch(name: &[u16]) -> bool {
    let end = name.iter().rposition(|unit| !matches!(unit.to_ascii(), b'.' | b' '));
    let name = &name[..end.map_or(0, |last| last + 1)];
    let extension = name.len().checked_sub(4).map(|begin| &name[begin..]);
    extension.is_some_and(|extension| {
        [b".bat", b".cmd"].iter().any(|known| {
            let mut units = extension.iter().zip(*known);
            units.all(|(unit, letter)| unit.to_ascii().eq_ignore_ascii_case(letter))
        })
    })
}

/// Who splits a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Runtime,
    Cmd,
}

/// Appends an argument. A quote is escaped by a backslash for the C runtime, and doubled for
/// cmd.exe. For both, backslashes before a quote are doubled: a batch file can pass its arguments
/// on to a program.
fn push_argument(line: &mut Vec<u16>, argument: &[u16], is_quoted: bool, reader: Reader) {
    if is_quoted {
        line.push(QUOTE);
    }
    let mut backslashes = 0;
    for &unit in argument {
        if unit == QUOTE {
            line.extend(repeat_n(BACKSLASH, backslashes));
            line.push(if reader == Reader::Cmd { QUOTE } else { BACKSLASH });
        }
        backslashes = if unit == BACKSLASH { backslashes + 1 } else { 0 };
        line.push(unit);
        if unit == PERCENT && reader == Reader::Cmd {
            push(line, NO_VARIABLE);
        }
    }
    if is_quoted {
        line.extend(repeat_n(BACKSLASH, backslashes));
        line.push(QUOTE);
    }
}

/// Refuses text that would end a line for cmd.exe.
fn check_for_batch(text: &[u16]) -> Result<(), CommandLineError> {
    match u16::position(text, *b"\0\n\r").map(|at| text[at]) {
        None => Ok(()),
        Some(NUL) => Err(CommandLineError::Nul),
        Some(_) => Err(CommandLineError::EndOfLine),
    }
}

/// Returns whether cmd.exe takes an argument literally without quotes.
fn is_plain(argument: &[u16]) -> bool {
    let is_plain = |unit: &u16| {
        let byte = unit.to_ascii();
        byte.is_ascii_alphanumeric() || PLAIN.contains(&byte)
    };
    !argument.is_empty() && argument.last() != Some(&BACKSLASH) && argument.iter().all(is_plain)
}

fn push(line: &mut Vec<u16>, ascii: &str) {
    line.extend(ascii.encode_utf16());
}

fn limited(line: Vec<u16>, most: usize) -> Result<Vec<u16>, CommandLineError> {
    if line.len() > most {
        return Err(CommandLineError::TooLong { units: line.len(), most });
    }
    Ok(line)
}

/// Splits a line as the C runtime does: the program, then its arguments. This reverses [`image`].
///
/// In the program's name a quote switches quoting and nothing else has a meaning. Elsewhere
/// backslashes before a quote count in pairs, and two quotes within quotes are one.
pub fn split(line: &[u16]) -> Vec<Vec<u16>> {
    let mut rest = line.iter().copied().peekable();
    let mut program = Vec::new();
    let mut is_quoted = false;
    for unit in rest.by_ref() {
        match unit {
            QUOTE => is_quoted = !is_quoted,
            SPACE | TAB if !is_quoted => break,
            unit => program.push(unit),
        }
    }
    let mut words = vec![program];
    loop {
        while rest.next_if(|unit| matches!(*unit, SPACE | TAB)).is_some() {}
        if rest.peek().is_none() {
            return words;
        }
        let mut word = Vec::new();
        let mut is_quoted = false;
        while let Some(unit) = rest.next() {
            match unit {
                SPACE | TAB if !is_quoted => break,
                BACKSLASH => {
                    let mut backslashes = 1;
                    while rest.next_if_eq(&BACKSLASH).is_some() {
                        backslashes += 1;
                    }
                    if rest.peek() != Some(&QUOTE) {
                        word.extend(repeat_n(BACKSLASH, backslashes));
                        continue;
                    }
                    word.extend(repeat_n(BACKSLASH, backslashes / 2));
                    if backslashes % 2 == 1 {
                        word.extend(rest.next());
                    }
                }
                QUOTE if is_quoted && rest.next_if_eq(&QUOTE).is_some() => word.push(QUOTE),
                QUOTE => is_quoted = !is_quoted,
                unit => word.push(unit),
            }
        }
        words.push(word);
    }
}

/// Returns the environment block that `CreateProcessW` takes: `NAME=VALUE` and a NUL for each
/// variable, sorted by name without regard to case, as programs expect, and a NUL at the end. Of
/// names that differ in case only, the last one is used.
pub fn environment_block<T: AsRef<[u16]>>(
    variables: impl IntoIterator<Item = (T, T)>,
) -> Result<Vec<u16>, CommandLineError> {
    let mut sorted: Vec<(Vec<u16>, T, T)> = Vec::new();
    for (name, value) in variables {
        let units = name.as_ref();
        // The system's own variables, such as `=C:`, begin with it.
        if units.is_empty() || units[1..].contains(&EQUALS) {
            return Err(CommandLineError::VariableName);
        }
        if units.contains(&NUL) || value.as_ref().contains(&NUL) {
            return Err(CommandLineError::Nul);
        }
        sorted.push((variable_key(units), name, value));
    }
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    let mut block = Vec::new();
    let mut variables = sorted.iter().peekable();
    while let Some((key, name, value)) = variables.next() {
        if variables.peek().is_some_and(|next| next.0 == *key) {
            continue;
        }
        block.extend_from_slice(name.as_ref());
        block.push(EQUALS);
        block.extend_from_slice(value.as_ref());
        block.push(NUL);
    }
    if block.is_empty() {
        // An empty block is two NULs.
        block.push(NUL);
    }
    block.push(NUL);
    Ok(block)
}

/// Returns the name of a variable in capitals, unit by unit, as the system's ordinal comparison
/// does: variables with equal keys are the same.
pub fn variable_key(name: &[u16]) -> Vec<u16> {
    name.iter().map(|&unit| capital(unit)).collect()
}
