//! What to remove: the operands, or the names in a list.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;

use crate::args::RmOptions;
use crate::out;
use crate::quote::quote;
use crate::sys;

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

/// Finds the names. The error says why the list cannot be read.
pub(super) fn gather(options: &RmOptions) -> Result<Gathered, String> {
    let Some(path) = &options.files0_from else {
        let names = options.operands.iter().map(|name| with_one_slash(name)).collect();
        return Ok(Gathered { names, refused: 0 });
    };
    let list = if are_from_input(options) { read_input() } else { sys::read_file(path) };
    let shown = if are_from_input(options) { "standard input".to_owned() } else { quote(path) };
    let list = list.map_err(|error| format!("cannot read {shown}: {}", sys::error_text(&error)))?;
    Ok(split(&list, &shown))
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

fn read_input() -> io::Result<Vec<u8>> {
    let mut list = Vec::new();
    io::stdin().lock().read_to_end(&mut list)?;
    Ok(list)
}

/// Takes a list apart. The NUL behind the last name may be missing, as in the GNU tools.
fn split(list: &[u8], shown: &str) -> Gathered {
    let list = list.strip_suffix(b"\0").unwrap_or(list);
    let mut gathered = Gathered { names: Vec::new(), refused: 0 };
    if list.is_empty() {
        return gathered;
    }
    for (at, bytes) in list.split(|&byte| byte == 0).enumerate() {
        let name = sys::name_from_bytes(bytes).filter(|name| !name.is_empty());
        if let Some(name) = name {
            gathered.names.push(name);
        } else {
            let what = if bytes.is_empty() { "zero-length " } else { "" };
            out::complain(&format!(
                "{}: {shown}:{}: invalid {what}file name\n",
                super::PROGRAM,
                at + 1
            ));
            gathered.refused += 1;
        }
    }
    gathered
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
            let gathered = split(list, "list");
            assert_eq!(gathered.names, names);
            assert_eq!(gathered.refused, 0);
        }
        let gathered = split(b"\0a\0\0", "list");
        assert_eq!((gathered.names.len(), gathered.refused), (1, 2));
    }
}
