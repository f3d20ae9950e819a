//! A naive oracle for random paths, and properties that hold for all of them.

use curt::paths::{DotDot, Env, ExpandError, Expander, Flavor, Release, Style, Verbatim};

use crate::{Maker, POSIX, count};

/// Expands a POSIX path by a list of names.
fn posix(cwd: &str, text: &str, policy: DotDot) -> Result<String, ExpandError> {
    if text.is_empty() && policy == DotDot::Keep {
        return Err(ExpandError::Empty);
    }
    let whole = if text.starts_with('/') {
        text.to_owned()
    } else {
        format!("{}/{text}", cwd.trim_end_matches('/'))
    };
    let root = if whole.starts_with("//") && !whole.starts_with("///") { "//" } else { "/" };
    let mut names: Vec<&str> = Vec::new();
    for name in whole.split('/') {
        match name {
            "" | "." => {}
            ".." if policy != DotDot::Keep => {
                if names.pop().is_none() && policy == DotDot::Refuse {
                    return Err(ExpandError::Escape);
                }
            }
            name => names.push(name),
        }
    }
    let mut full = root.to_owned() + &names.join("/");
    if policy == DotDot::Keep && text.ends_with('/') && !full.ends_with('/') {
        full.push('/');
    }
    Ok(full)
}

#[test]
fn posix_paths_equal_the_oracle() {
    let mut maker = Maker::new(8);
    for policy in [DotDot::Keep, DotDot::Clamp, DotDot::Refuse] {
        for cwd in ["/w/o/r/k", "/"] {
            let expander =
                Expander::new(Env::none().cwd(cwd)).flavor(Flavor::Posix).dot_dot(policy);
            for _ in 0..count() {
                // Long enough for every branch of the scanner.
                let text = maker.path(&POSIX, 40);
                let full = expander.expand(text.as_bytes()).map(std::borrow::Cow::into_owned);
                let full = full.map(|full| String::from_utf8(full).unwrap());
                assert_eq!(full, posix(cwd, &text, policy), "{text:?} {policy:?}");
                let units: Vec<u16> = text.encode_utf16().collect();
                let wide = expander.expand(&units).map(|full| String::from_utf16(&full).unwrap());
                assert_eq!(full, wide, "{text:?}");
            }
        }
    }
}

/// Pieces of Windows paths of every kind.
pub(crate) const WINDOWS: [&str; 44] = [
    r"\", r"\", r"\", "/", r"\\", ".", "..", "...", r"\.", r"\..", " ", ". ", " .", "a", "bc",
    ".h", "a.", "a ", "é", ":", "C:", "c:", "D:", r"C:\", "nul", "CON", "aux.c", "com1", "COM¹",
    "lpt9", "conin$", r"\\.\", r"\\?\", r"\??\", r"\\s\shr", "*", "x", "$", "com0", r"UNC\", "😀",
    "\u{a0}", "~", "PRN",
];

/// Expanding a full path again changes nothing, and bytes and units give the same answer.
#[test]
fn full_windows_paths_are_unchanged() {
    let mut maker = Maker::new(9);
    for (release, policy) in [Release::Windows10, Release::Windows11]
        .into_iter()
        .flat_map(|release| [DotDot::Keep, DotDot::Clamp].map(|policy| (release, policy)))
    {
        let env = Env::none().cwd(r"C:\dir\sub").drive("D", r"D:\data");
        let expander = Expander::new(env)
            .flavor(Flavor::Windows)
            .release(release)
            .dot_dot(policy)
            .verbatim(Verbatim::Normalize);
        for _ in 0..count() {
            let text = maker.path(&WINDOWS, 12);
            let full = expander.expand(text.as_bytes()).map(std::borrow::Cow::into_owned);
            let units: Vec<u16> = text.encode_utf16().collect();
            let wide = expander.expand(&units).map(|full| String::from_utf16(&full).unwrap());
            let full = full.map(|full| String::from_utf8(full).unwrap());
            assert_eq!(full, wide, "{text:?}");
            let Ok(full) = full else { continue };
            assert!(!full.contains('/'), "{text:?}: {full:?}");
            // After the names behind it were removed, a name can end in dots and spaces (`x. \..\`)
            // or be a device, so that expanding again changes it.
            let again = expander.expand(full.as_bytes()).unwrap();
            let is_settled = again == full.as_bytes();
            let last = full.trim_end_matches('\\').rsplit('\\').next().unwrap_or("");
            let is_left_over = last.ends_with(['.', ' ']) || last.contains(':') || is_device(last);
            assert!(is_settled || is_left_over || full.contains(".\\"), "{text:?}: {full:?}");
        }
    }
}

/// Wherever the NUL is, and whatever else is wrong.
#[test]
fn a_nul_is_always_refused() {
    let mut maker = Maker::new(11);
    let env = || Env::none().no_cwd();
    for _ in 0..count() {
        let mut text: Vec<char> = maker.path(&WINDOWS, 6).chars().collect();
        text.insert(maker.below(text.len() + 1), '\0');
        let text = String::from_iter(text);
        for (flavor, style) in [Flavor::Posix, Flavor::Windows]
            .into_iter()
            .flat_map(|flavor| [Style::Native, Style::Ruby].map(|style| (flavor, style)))
        {
            let expander = Expander::new(env()).flavor(flavor).style(style);
            let refusing = Expander::new(env()).flavor(flavor).dot_dot(DotDot::Refuse);
            for expander in [expander, refusing] {
                let full = expander.expand(text.as_bytes());
                assert_eq!(full, Err(ExpandError::Nul), "{text:?} {flavor:?} {style:?}");
            }
        }
    }
}

#[test]
fn a_home_directory_with_a_nul_is_refused() {
    for (flavor, home, error) in [
        (Flavor::Posix, "/home/a\0b", ExpandError::Nul),
        (Flavor::Windows, "C:/a\0b", ExpandError::HomeNotAbsolute),
    ] {
        for style in [Style::Native, Style::Ruby] {
            let expander = Expander::new(Env::none().home(home)).flavor(flavor).style(style);
            assert_eq!(expander.tilde(true).expand(b"~/x"), Err(error), "{flavor:?} {style:?}");
        }
    }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or("").trim_end().to_lowercase();
    ["nul", "con", "aux", "prn", "com1", "com¹", "lpt9", "conin$"].contains(&stem.as_str())
}
