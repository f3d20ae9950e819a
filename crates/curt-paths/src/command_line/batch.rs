//! The line for a batch file, which cmd.exe takes apart: twice, first as a command of its own and
//! then as the arguments of the file.

use super::{
    BACKSLASH, CommandLineError, LONGEST_BATCH_LINE, NUL, PERCENT, QUOTE, SPACE, limited, push,
};

/// What the line begins with: no command of the registry first (`/d`), the usual extensions, which
/// the escape for `%` needs (`/e:ON`), and no meaning of `!` (`/v:OFF`). The outer quotes are taken
/// away by cmd.exe.
const BEGIN: &str = "cmd.exe /d /e:ON /v:OFF /c \"";

/// What a `%` is followed by so that it begins no variable: a piece of no length of a variable that
/// always is. `^%` is no escape within quotes, and `%%` none outside of a file.
const NO_VARIABLE: &str = "%cd:~,%";

/// What is safe without quotes, beside letters and digits.
const PLAIN: &[u8] = br"#$*+-./:?@\_";

/// Whether a file of this name is run by cmd.exe: it ends in `.bat` or `.cmd`, in any case of
/// letters. Dots and spaces behind that, which the system drops, do not hide it (CVE-2024-43402).
pub fn is_batch(name: &[u16]) -> bool {
    let end = name
        .iter()
        .rposition(|unit| !matches!(u8::try_from(*unit), Ok(b'.' | b' ')))
        .map_or(0, |last| last + 1);
    let name = &name[..end];
    [".bat", ".cmd"].iter().any(|extension| {
        let Some(begin) = name.len().checked_sub(extension.len()) else { return false };
        name[begin..].iter().zip(extension.bytes()).all(|(&unit, byte)| {
            u8::try_from(unit).is_ok_and(|unit| unit.eq_ignore_ascii_case(&byte))
        })
    })
}

/// The line that has cmd.exe run a batch file, without a NUL at its end. It is for the cmd.exe of
/// the system's directory; `COMSPEC` and `PATH` must not choose another one.
///
/// Within the file `%*`, `%1` and `"%~1"` have what was given, with two exceptions that no line can
/// avoid: an argument with special characters has quotes around it in `%1`, and a quote in it is
/// doubled.
pub fn batch<A: AsRef<[u16]>>(
    script: &[u16],
    arguments: impl IntoIterator<Item = A>,
) -> Result<Vec<u16>, CommandLineError> {
    let verbatim: Vec<u16> = r"\\?\".encode_utf16().collect();
    let has_separator = script.iter().any(|unit| matches!(u8::try_from(*unit), Ok(b'\\' | b'/')));
    if !has_separator || script.starts_with(&verbatim) || script.contains(&QUOTE) {
        return Err(CommandLineError::ScriptPath);
    }
    let mut line = Vec::with_capacity(script.len() + 96);
    push(&mut line, BEGIN);
    // `%` may be part of a name, and would be a variable here too.
    append(&mut line, script, true)?;
    for argument in arguments {
        let argument = argument.as_ref();
        line.push(SPACE);
        append(&mut line, argument, !is_plain(argument))?;
    }
    line.push(QUOTE);
    limited(line, LONGEST_BATCH_LINE)
}

fn is_plain(argument: &[u16]) -> bool {
    let is_plain = |unit: u16| {
        u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || PLAIN.contains(&byte))
    };
    !argument.is_empty()
        && argument.last() != Some(&BACKSLASH)
        && argument.iter().all(|&unit| is_plain(unit))
}

fn append(line: &mut Vec<u16>, argument: &[u16], is_quoted: bool) -> Result<(), CommandLineError> {
    if is_quoted {
        line.push(QUOTE);
    }
    let mut backslashes = 0;
    for &unit in argument {
        match unit {
            NUL => return Err(CommandLineError::Nul),
            0x0a | 0x0d => return Err(CommandLineError::EndOfLine),
            // For a program that the file hands its arguments on to, which counts them by pairs.
            QUOTE => line.extend(std::iter::repeat_n(BACKSLASH, backslashes).chain([QUOTE])),
            _ => {}
        }
        backslashes = if unit == BACKSLASH { backslashes + 1 } else { 0 };
        line.push(unit);
        if unit == PERCENT {
            push(line, NO_VARIABLE);
        }
    }
    if is_quoted {
        line.extend(std::iter::repeat_n(BACKSLASH, backslashes));
        line.push(QUOTE);
    }
    Ok(())
}
