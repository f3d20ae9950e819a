//! What to remove: the operands, or the names in a list.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::PROGRAM;
use crate::args::RmOptions;
use crate::exit::Exit;
use crate::out;
use crate::out::json::Failure;
use crate::quote::quote;
use crate::sys;

/// No system takes a name this long, with the NUL behind it.
const LONGEST_NAME: u64 = 128 << 10;

/// The names that were given.
pub(super) struct Gathered {
    pub(super) names: Vec<OsString>,
    /// How many were refused, and said to be, because they are no names.
    pub(super) refused: u64,
}

/// Whether standard input holds the names.
pub(super) fn are_from_input(options: &RmOptions) -> bool {
    options.files0_from.as_deref() == Some(Path::new("-"))
}

/// A list of names that cannot be read.
pub(super) struct Unread {
    shown: String,
    error: io::Error,
}

impl Unread {
    /// Says why, and ends the command.
    pub(super) fn report(&self, options: &RmOptions) -> Exit {
        let Unread { shown, error } = self;
        if let (true, Some(path)) = (options.json, &options.files0_from) {
            let failure = Failure::by_system("read_file", error).path(path);
            return out::print_failure(PROGRAM, failure, Exit::FAILURE);
        }
        let reason = sys::error_text(error);
        out::complain(&format!("{PROGRAM}: cannot read {shown}: {reason}\n"));
        Exit::FAILURE
    }
}

/// Finds the names.
pub(super) fn gather(options: &RmOptions) -> Result<Gathered, Unread> {
    let Some(path) = &options.files0_from else {
        let names = options.operands.iter().map(|name| with_one_slash(name)).collect();
        return Ok(Gathered { names, refused: 0 });
    };
    let shown = if are_from_input(options) { "standard input".to_owned() } else { quote(path) };
    let refuse = |number: usize, what: &str| {
        let what = format!("{shown}:{number}: {what}");
        if options.json {
            // The list is finished before anything else is written.
            let failure = Failure::new("read_file", "invalid", what).path(path);
            out::print_failure(PROGRAM, failure, Exit::SUCCESS);
        } else {
            out::complain(&format!("{PROGRAM}: {what}\n"));
        }
    };
    let gathered = if are_from_input(options) {
        split(io::stdin().lock(), refuse)
    } else {
        sys::open_list(path).and_then(|list| split(BufReader::new(list), refuse))
    };
    gathered.map_err(|error| Unread { shown, error })
}

/// The name with no more than one slash at its end, which is how GNU rm shows it.
fn with_one_slash(name: &OsStr) -> OsString {
    let mut bytes = name.as_encoded_bytes();
    // Two slashes alone may mean something else than one, says POSIX.
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

/// Takes a list apart as it is read. The NUL behind the last name may be missing, as in the GNU
/// tools.
fn split(mut list: impl BufRead, refuse: impl Fn(usize, &str)) -> io::Result<Gathered> {
    let mut gathered = Gathered { names: Vec::new(), refused: 0 };
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        list.by_ref().take(LONGEST_NAME).read_until(0, &mut bytes)?;
        if bytes.is_empty() {
            break;
        }
        let is_whole = bytes.last() == Some(&0) || (bytes.len() as u64) < LONGEST_NAME;
        if !is_whole {
            pass_over_name(&mut list)?;
        }
        let text = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
        let name = sys::name_from_bytes(text).filter(|name| is_whole && !name.is_empty());
        if let Some(name) = name {
            gathered.names.push(name);
            continue;
        }
        let what = match text {
            [] => "invalid zero-length file name",
            _ if is_whole => "invalid file name",
            _ => "file name too long",
        };
        refuse(number, what);
        gathered.refused += 1;
    }
    Ok(gathered)
}

/// Reads to the end of a name, and keeps nothing.
fn pass_over_name(list: &mut impl BufRead) -> io::Result<()> {
    loop {
        let room = match list.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            room => room?,
        };
        let end = room.iter().position(|&byte| byte == 0);
        let length = end.map_or(room.len(), |end| end + 1);
        list.consume(length);
        if end.is_some() || length == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{split, with_one_slash};

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
            let gathered = split(list, |_, _| {}).unwrap();
            assert_eq!(gathered.names, names);
            assert_eq!(gathered.refused, 0);
        }
        let gathered = split(&b"\0a\0\0"[..], |_, _| {}).unwrap();
        assert_eq!((gathered.names.len(), gathered.refused), (1, 2));
        let long = [vec![b'x'; 1 << 20], b"\0short\0".to_vec(), vec![b'y'; 1 << 20]].concat();
        let gathered = split(&long[..], |_, _| {}).unwrap();
        assert_eq!((gathered.names, gathered.refused), (vec!["short".into()], 2));
    }
}
