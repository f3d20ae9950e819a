//! The option `--perm`, like `-perm` of GNU find.

use crate::quote::quote;

const ALL: u32 = 0o7777;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permissions {
    Exactly(u32),
    All(u32),
    /// Any of these bits; zero matches every mode, as in GNU find.
    Any(u32),
}

impl Permissions {
    pub(super) fn parse(text: &str) -> Result<Permissions, String> {
        let (make, mode): (fn(u32) -> Permissions, &str) = match text.split_at_checked(1) {
            Some(("-", mode)) => (Permissions::All, mode),
            Some(("/", mode)) => (Permissions::Any, mode),
            _ => (Permissions::Exactly, text),
        };
        let is_octal = !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit());
        let bits = if is_octal {
            u32::from_str_radix(mode, 8).ok().filter(|&bits| bits <= ALL)
        } else {
            symbolic(mode)
        };
        bits.map(make).ok_or_else(|| {
            let expected = "expected octal digits, or bits as in u=rw,go=r or u+x";
            format!("invalid mode {}: {expected}", quote(text))
        })
    }

    pub(super) fn has(self, mode: u32) -> bool {
        let mode = mode & ALL;
        match self {
            Permissions::Exactly(bits) => mode == bits,
            Permissions::All(bits) => mode & bits == bits,
            Permissions::Any(bits) => bits == 0 || mode & bits != 0,
        }
    }
}

/// Parses clauses such as `u=rw` and `go+x`, starting from mode 0. A clause without `u`, `g` or `o`
/// applies to all three.
fn symbolic(text: &str) -> Option<u32> {
    let mut mode = 0;
    for clause in text.split(',') {
        let at = clause.find(['=', '+'])?;
        let (who, permissions) = (&clause[..at], &clause[at + 1..]);
        let (mut classes, mut special) = (0, 0);
        for letter in who.chars() {
            let (class, bit) = match letter {
                'u' => (0o700, 0o4000),
                'g' => (0o070, 0o2000),
                'o' => (0o007, 0),
                'a' => (0o777, 0o6000),
                _ => return None,
            };
            (classes, special) = (classes | class, special | bit);
        }
        if who.is_empty() {
            (classes, special) = (0o777, 0o6000);
        }
        for letter in permissions.chars() {
            mode |= match letter {
                'r' => 0o444 & classes,
                'w' => 0o222 & classes,
                'x' => 0o111 & classes,
                's' => special,
                't' => 0o1000,
                _ => return None,
            };
        }
    }
    Some(mode)
}

#[cfg(test)]
mod tests {
    use super::Permissions::{self, All, Any, Exactly};

    #[test]
    fn modes_are_parsed() {
        for (text, expected) in [
            ("644", Exactly(0o644)),
            ("-4000", All(0o4000)),
            ("/222", Any(0o222)),
            ("u=rw,go=r", Exactly(0o644)),
            ("-u+x", All(0o100)),
            ("/a+x", Any(0o111)),
            ("-ug+s", All(0o6000)),
            ("-+t", All(0o1000)),
            ("0", Exactly(0)),
        ] {
            assert_eq!(Permissions::parse(text), Ok(expected), "{text}");
        }
        for text in ["", "-", "888", "77777", "u", "q+x", "u+y", "u-x", "rwx"] {
            assert!(Permissions::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn modes_match_exactly_all_or_any() {
        assert!(Exactly(0o644).has(0o100_644) && !Exactly(0o644).has(0o100_645));
        assert!(All(0o600).has(0o644) && !All(0o611).has(0o644));
        assert!(Any(0o611).has(0o644) && !Any(0o111).has(0o644));
        assert!(Any(0).has(0o644));
    }
}
