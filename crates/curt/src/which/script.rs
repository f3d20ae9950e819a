//! What a file begins with: whether it is an image or a script, and what runs that.

use std::io;
use std::path::PathBuf;

use super::found::{Hit, Interpreter};
use super::policy::Program;
use crate::fields::Fields;
use crate::name::{Name, Unit};
use crate::sys::{Ask, Lookup, SystemUnit};

/// What Linux reads of a script (`BINPRM_BUF_SIZE`); others read no less than half of it.
const HEAD: usize = 256;

/// What images of the systems begin with: ELF, PE, and Mach-O of one and of several processors.
const IMAGES: [&[u8]; 6] = [
    b"\x7fELF",
    b"MZ",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xce",
];

/// Looks into a file, where it may be read; what may not be stays [`Program::Executable`].
pub(super) fn look_into<S: Lookup>(
    sys: &S,
    root: &S::Dir,
    path: Name<'_, S::Unit>,
    hit: &mut Hit<S::Unit>,
) {
    let mut room = [0; HEAD];
    let Ok(length) = sys.head(root, path, &mut room) else { return };
    let head = &room[..length];
    if IMAGES.iter().any(|image| head.starts_with(image)) {
        hit.program = Program::Image;
    } else if let Some((interpreter, argument)) = interpreter(head) {
        hit.program = Program::Script;
        hit.interpreter = Some(Interpreter {
            is_missing: is_missing(sys, root, interpreter),
            path: text::<S>(interpreter),
            argument: argument.map(|argument| text::<S>(argument).into_os_string()),
        });
    }
}

/// The interpreter and its one argument, as the kernel reads them.
fn interpreter(head: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let line = head.strip_prefix(b"#!")?;
    let end = line.iter().position(|&byte| byte == b'\n' || byte == 0).unwrap_or(line.len());
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let begin = line[..end].iter().position(|byte| !is_blank(byte))?;
    let last = line[..end].iter().rposition(|byte| !is_blank(byte))?;
    let words = &line[begin..=last];
    let Some(blank) = words.iter().position(is_blank) else { return Some((words, None)) };
    let (interpreter, rest) = words.split_at(blank);
    let argument = rest.iter().position(|byte| !is_blank(byte)).map(|begin| &rest[begin..]);
    Some((interpreter, argument))
}

/// Whether an absolute path leads nowhere, for one call. What is relative depends on who starts it.
fn is_missing<S: Lookup>(sys: &S, root: &S::Dir, interpreter: &[u8]) -> bool {
    if interpreter.first() != Some(&b'/') {
        return false;
    }
    let mut units: Vec<S::Unit> = interpreter.iter().map(|&byte| S::Unit::ascii(byte)).collect();
    units.push(S::Unit::NUL);
    let ask = Ask { fields: Fields::KIND, follow: true, cached: false };
    let found = sys.query(root, Name::of_terminated(&units), ask);
    found.is_err_and(|error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    })
}

fn text<S: Lookup>(bytes: &[u8]) -> PathBuf {
    S::Unit::path(bytes.iter().map(|&byte| S::Unit::ascii(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::interpreter;

    #[test]
    fn lines_are_read_as_the_kernel_reads_them() {
        let none: Option<&[u8]> = None;
        for (head, expected) in [
            (&b"#!/bin/sh\nexit"[..], Some((&b"/bin/sh"[..], none))),
            (b"#! \t/bin/sh", Some((b"/bin/sh", none))),
            (b"#!/usr/bin/env -S a b  \n", Some((b"/usr/bin/env", Some(&b"-S a b"[..])))),
            (b"#!/bin/sh\r\n", Some((b"/bin/sh\r", none))),
            (b"#!/bin/a\0b\n", Some((b"/bin/a", none))),
            (b"#!\n", None),
            (b"#!   ", None),
            (b"#", None),
            (b"", None),
            (b"exit 0\n", None),
        ] {
            assert_eq!(interpreter(head), expected, "{}", head.escape_ascii());
        }
    }
}
