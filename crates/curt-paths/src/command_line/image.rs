//! The line for a program that takes it apart by the rules of the C runtime.

use super::{BACKSLASH, CommandLineError, LONGEST_LINE, NUL, QUOTE, SPACE, TAB, limited};

/// The line for a program, without a NUL at its end.
///
/// The program's name is quoted always: it has no escapes. An argument is quoted where it is empty
/// or holds a space, a tab or a quote; backslashes are doubled before a quote only, as that is the
/// only place where they mean something.
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
        append(&mut line, argument, is_quoted);
    }
    if line.contains(&NUL) {
        return Err(CommandLineError::Nul);
    }
    limited(line, LONGEST_LINE - 1)
}

fn append(line: &mut Vec<u16>, argument: &[u16], is_quoted: bool) {
    if is_quoted {
        line.push(QUOTE);
    }
    let mut backslashes = 0;
    for &unit in argument {
        if unit == QUOTE {
            line.extend(std::iter::repeat_n(BACKSLASH, backslashes + 1));
        }
        backslashes = if unit == BACKSLASH { backslashes + 1 } else { 0 };
        line.push(unit);
    }
    if is_quoted {
        line.extend(std::iter::repeat_n(BACKSLASH, backslashes));
        line.push(QUOTE);
    }
}

/// Takes a line apart as the C runtime does: the program, then its arguments. The other direction
/// of [`image`].
///
/// In the program's name a quote switches quoting and nothing else has a meaning. Elsewhere
/// backslashes before a quote count by pairs, and two quotes within quotes are one.
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
                        word.extend(std::iter::repeat_n(BACKSLASH, backslashes));
                        continue;
                    }
                    word.extend(std::iter::repeat_n(BACKSLASH, backslashes / 2));
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
