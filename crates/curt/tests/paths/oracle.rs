//! Compares random paths with a naive oracle, and checks properties of all expansions.

use curt::paths::{DotDot, Env, ExpandError, Expander, Flavor, Release, Style, Verbatim};
use curt_testkit::Choices;

use crate::{POSIX, paths};

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
    for policy in [DotDot::Keep, DotDot::Clamp, DotDot::Refuse] {
        for cwd in ["/w/o/r/k", "/"] {
            let expander =
                Expander::new(Env::none().cwd(cwd)).flavor(Flavor::Posix).dot_dot(policy);
            for text in paths(8 + cwd.len() as u64, &POSIX, 40) {
                let full = expander.expand_str(&text).map(std::borrow::Cow::into_owned);
                assert_eq!(full, posix(cwd, &text, policy), "{text:?} {policy:?}");
                let units: Vec<u16> = text.encode_utf16().collect();
                let wide = expander.expand(&units).map(|full| String::from_utf16(&full).unwrap());
                assert_eq!(full, wide, "{text:?}");
            }
        }
    }
}

pub(crate) const WINDOWS: [&str; 44] = [
    r"\", r"\", r"\", "/", r"\\", ".", "..", "...", r"\.", r"\..", " ", ". ", " .", "a", "bc",
    ".h", "a.", "a ", "é", ":", "C:", "c:", "D:", r"C:\", "nul", "CON", "aux.c", "com1", "COM¹",
    "lpt9", "conin$", r"\\.\", r"\\?\", r"\??\", r"\\s\shr", "*", "x", "$", "com0", r"UNC\", "😀",
    "\u{a0}", "~", "PRN",
];

/// curt refuses every NUL, but may report another fault of the path.
#[test]
fn windows_paths_are_stable_and_the_same_in_all_units() {
    let mut choices = Choices::new(9);
    for (release, policy) in [Release::Windows10, Release::Windows11]
        .into_iter()
        .flat_map(|release| [DotDot::Keep, DotDot::Clamp].map(|policy| (release, policy)))
    {
        let env = Env::none().cwd(r"C:\dir\sub").drive("D", r"D:\data").home("C:/\u{fc}");
        let windows = Expander::new(env).flavor(Flavor::Windows).release(release).dot_dot(policy);
        let expander = windows.verbatim(Verbatim::Normalize).tilde(choices.below(2) == 0);
        for text in paths(choices.below(1 << 20) as u64, &WINDOWS, 12) {
            let full = expander.expand_str(&text).map(std::borrow::Cow::into_owned);
            let bytes = expander.expand(text.as_bytes()).map(std::borrow::Cow::into_owned);
            assert_eq!(full.clone().map(String::into_bytes), bytes, "{text:?}");
            let units: Vec<u16> = text.encode_utf16().collect();
            let wide = expander.expand(&units).map(|full| String::from_utf16(&full).unwrap());
            assert_eq!(full, wide, "{text:?}");
            let Ok(full) = full else { continue };
            assert!(!full.contains('/'), "{text:?}: {full:?}");
            // A `..` can uncover a device, or a name that ends in dots and spaces (`x. \b\..`).
            // Expanding the result again changes it.
            let is_settled = expander.expand_str(&full).unwrap() == full;
            let last = full.trim_end_matches('\\').rsplit('\\').next().unwrap_or("");
            let is_left_over = last.ends_with(['.', ' ']) || last.contains(':') || is_device(last);
            assert!(is_settled || is_left_over || full.contains(".\\"), "{text:?}: {full:?}");
        }
    }
    for mut text in paths(11, &WINDOWS, 6) {
        let places: Vec<usize> =
            text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        text.insert(places[choices.below(places.len())], '\0');
        for flavor in [Flavor::Posix, Flavor::Windows] {
            let expander = || Expander::new(Env::none()).flavor(flavor);
            let ruby = expander().style(Style::Ruby);
            for expander in [expander(), ruby, expander().dot_dot(DotDot::Refuse)] {
                let full = expander.expand(text.as_bytes());
                assert_eq!(full, Err(ExpandError::Nul), "{text:?} {flavor:?}");
            }
        }
    }
}

#[test]
fn strings_have_full_paths_that_are_strings() {
    let posix = |cwd: &[u8]| Expander::new(Env::none().cwd(cwd)).flavor(Flavor::Posix);
    let elsewhere = posix(b"/\xff");
    assert_eq!(elsewhere.expand_str("a"), Err(ExpandError::Encoding));
    assert!(matches!(elsewhere.expand_str("/a"), Ok(std::borrow::Cow::Borrowed("/a"))));
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
