use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::args::RmOptions;
use crate::out::failure::Failure;
use crate::quote::quote;
use crate::session::Session;
use crate::sys;

/// An upper bound of path lengths on all systems, including the NUL.
const LONGEST_NAME: u64 = 128 << 10;

/// Returns the operands, or `None` after reporting a `--files0-from` list that cannot be read.
pub(super) fn gather(options: &RmOptions, session: &Session) -> Option<Vec<OsString>> {
    let Some(path) = &options.files0_from else {
        return Some(options.operands.iter().map(|name| with_one_slash(name)).collect());
    };
    let is_input = path == Path::new("-");
    let shown = if is_input { "standard input".to_owned() } else { quote(path) };
    read_list(path, &shown, session)
        .and_then(|names| names)
        .map_err(|error| {
            let message = format!("cannot read {shown}: {}", sys::error_text(&error));
            session.fail_as(Failure::os("read_file", &error).path(path), &message);
        })
        .ok()
}

/// Reads a list of names and reports invalid ones. The outer error is about opening the list, the
/// inner error about reading it.
pub(in crate::cmd) fn read_list(
    path: &Path,
    shown: &str,
    session: &Session,
) -> io::Result<io::Result<Vec<OsString>>> {
    let refuse = |number: usize, what: &str| {
        let message = format!("{shown}:{number}: {what}");
        let failure = Failure::new("read_file", "invalid", message.clone());
        session.fail_as(failure.path(path), &message);
    };
    if path == Path::new("-") {
        return Ok(split(io::stdin().lock(), refuse));
    }
    sys::open_list(path).map(|list| split(BufReader::new(list), refuse))
}

/// Reduces trailing slashes to one, as GNU rm prints names.
fn with_one_slash(name: &OsStr) -> OsString {
    let mut bytes = name.as_encoded_bytes();
    // POSIX gives `//` a special meaning.
    if bytes.len() > 2 {
        while bytes.ends_with(b"//") {
            bytes = &bytes[..bytes.len() - 1];
        }
    }
    if bytes.len() == name.len() {
        return name.to_owned();
    }
    sys::name_from_bytes(bytes).unwrap_or_else(|| name.to_owned())
}

/// Splits NUL-terminated names. As in the GNU tools, the last NUL is optional.
fn split(mut list: impl BufRead, refuse: impl Fn(usize, &str)) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        list.by_ref().take(LONGEST_NAME).read_until(0, &mut bytes)?;
        if bytes.is_empty() {
            break;
        }
        let is_whole = bytes.last() == Some(&0) || (bytes.len() as u64) < LONGEST_NAME;
        if !is_whole {
            list.skip_until(0)?;
        }
        let text = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
        match sys::name_from_bytes(text).filter(|name| is_whole && !name.is_empty()) {
            Some(name) => names.push(name),
            None if text.is_empty() => refuse(number, "invalid zero-length file name"),
            None if is_whole => refuse(number, "invalid file name"),
            None => refuse(number, "file name too long"),
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::{split, with_one_slash};
    use std::cell::Cell;
    use std::ffi::OsString;

    fn read(list: &[u8]) -> (Vec<OsString>, usize) {
        let refused = Cell::new(0);
        let names = split(list, |_, _| refused.set(refused.get() + 1)).unwrap();
        (names, refused.get())
    }

    #[test]
    fn slashes_at_the_end_become_one() {
        for (name, shown) in [
            ("d", "d"),
            ("d/", "d/"),
            ("d///", "d/"),
            ("//", "//"),
            ("////", "/"),
            ("a//b//", "a//b/"),
        ] {
            assert_eq!(with_one_slash(name.as_ref()), shown);
        }
    }

    #[test]
    fn names_end_with_a_nul_or_with_the_list() {
        for (list, names) in [
            (&b""[..], &[][..]),
            (b"a", &["a"]),
            (b"a\0", &["a"]),
            (b"a\0b c\n\0", &["a", "b c\n"]),
        ] {
            assert_eq!(read(list), (names.iter().map(OsString::from).collect(), 0));
        }
        assert_eq!(read(b"\0a\0\0"), (vec!["a".into()], 2));
        let long = [vec![b'x'; 1 << 20], b"\0short\0".to_vec(), vec![b'y'; 1 << 20]].concat();
        assert_eq!(read(&long), (vec!["short".into()], 2));
    }
}
