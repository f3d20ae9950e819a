//! `--exclude` as in GNU du: a pattern is matched against the path as it would be printed, with the
//! operand, and against each part of it that follows a slash.

use std::ffi::{OsStr, OsString};
use std::path::MAIN_SEPARATOR;

use crate::cmd::patterns::{DIRECTORIES, Patterns};

/// The patterns of paths that are skipped.
pub(super) struct Excluded(Patterns);

impl Excluded {
    /// The error says what is wrong with a pattern.
    pub(super) fn new(patterns: &[OsString]) -> Result<Excluded, String> {
        Patterns::new(patterns, DIRECTORIES).map(Excluded)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.are_empty()
    }

    /// Whether a path is skipped.
    pub(super) fn contains(&self, path: &OsStr) -> bool {
        let bytes = path.as_encoded_bytes();
        if MAIN_SEPARATOR == '/' || self.is_empty() {
            return self.0.match_bytes(bytes);
        }
        let slashes = |&byte: &u8| if char::from(byte) == MAIN_SEPARATOR { b'/' } else { byte };
        self.0.match_bytes(&bytes.iter().map(slashes).collect::<Vec<u8>>())
    }
}

#[cfg(test)]
mod tests {
    use std::path::MAIN_SEPARATOR;

    use super::Excluded;

    /// The rest is compared with GNU du.
    #[test]
    fn patterns_match_paths_and_their_parts() {
        for (pattern, path, expected) in [
            ("x", "a/x", true),
            ("x", "ax", false),
            ("?", "\u{e9}", true),
            ("a.b", "axb", false),
            // On Windows a backslash is a separator.
            ("a\\", "a\\", MAIN_SEPARATOR == '/'),
            ("x/a", "y\\x\\a", MAIN_SEPARATOR == '\\'),
        ] {
            let excluded = Excluded::new(&[pattern.into()]).unwrap();
            assert_eq!(excluded.contains(path.as_ref()), expected, "{pattern} {path}");
        }
    }
}
