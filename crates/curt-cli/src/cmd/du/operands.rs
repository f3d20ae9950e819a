use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use curt::filters::Globs;

use super::lines::OptionError;
use crate::args::DuOptions;
use crate::cmd::operands_or_here;
use crate::cmd::rm::operands::read_list;
use crate::out::failure::Failure;
use crate::quote::{for_terminal, quote};
use crate::session::Session;
use crate::sys;

/// Returns the operands, or `None` after reporting a list that cannot be opened.
pub(super) fn gather(options: &DuOptions, session: &Session) -> Option<Vec<OsString>> {
    let Some(file) = &options.files0_from else {
        return Some(
            operands_or_here(&options.operands).into_iter().map(OsStr::to_owned).collect(),
        );
    };
    let path = Path::new(file);
    let is_input = file == "-";
    let shown = for_terminal(file, ":");
    let names = read_list(path, &shown, session)
        .map_err(|error| {
            let reason = sys::error_text(&error);
            let message = format!("cannot open {} for reading: {reason}", quote(file));
            session.fail_as(Failure::os("read_file", &error).path(path), &message);
        })
        .ok()?;
    let mut names = names.unwrap_or_else(|error| {
        let message = format!("{shown}: read error: {}", sys::error_text(&error));
        session.fail_as(Failure::os("read_file", &error).path(path), &message);
        Vec::new()
    });
    names.retain(|name| {
        let is_input_again = is_input && name == "-";
        if is_input_again {
            let why = "when reading file names from stdin, no file name of '-' allowed";
            let failure = Failure::new("read_file", "invalid", why.to_owned());
            session.fail_as(failure.path(path), why);
        }
        !is_input_again
    });
    Some(names)
}

pub(super) fn patterns(options: &DuOptions) -> Result<Globs, OptionError> {
    let mut patterns = options.exclude.clone();
    for file in &options.exclude_from {
        read_patterns(file, &mut patterns).map_err(|error| {
            OptionError::Usage(format!("{}: {}", for_terminal(file, ":"), sys::error_text(&error)))
        })?;
    }
    for pattern in &mut patterns {
        // GNU du compares a pattern without wildcards literally, so double a trailing backslash.
        let bytes = pattern.as_encoded_bytes();
        let backslashes = bytes.iter().rev().take_while(|&&byte| byte == b'\\').count();
        if backslashes % 2 == 1 && !bytes.iter().any(|byte| b"*?[".contains(byte)) {
            pattern.push("\\");
        }
    }
    Ok(Globs::gnu(patterns))
}

fn read_patterns(file: &OsStr, patterns: &mut Vec<OsString>) -> io::Result<()> {
    if file == "-" {
        return add_lines(io::stdin().lock(), patterns);
    }
    add_lines(BufReader::new(sys::open_list(Path::new(file))?), patterns)
}

fn add_lines(file: impl BufRead, patterns: &mut Vec<OsString>) -> io::Result<()> {
    for line in file.split(b'\n') {
        let line = line?;
        let line = line.trim_ascii_end();
        if !line.is_empty() {
            let name = sys::name_from_bytes(line).ok_or(io::ErrorKind::InvalidData)?;
            patterns.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::add_lines;

    #[test]
    fn each_line_is_a_pattern() {
        let mut patterns = Vec::new();
        add_lines(&b"a*\n\n  b \t\n \nc\r\nlast"[..], &mut patterns).unwrap();
        assert_eq!(patterns, ["a*", "  b", "c", "last"]);
    }
}
