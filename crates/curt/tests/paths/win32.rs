//! Compares random paths of every kind with `GetFullPathNameW`.
//!
//! On Windows all results must be equal. Wine 10 differs in six cases; in all other cases its
//! results must be equal, too:
//!
//! | Wine | Windows, and here | known from |
//! |---|---|---|
//! | `com¹` is a file | it is a device | Microsoft's "Naming files, paths, and namespaces" |
//! | `a..\b` loses a dot | inner names keep two trailing dots | the tables of .NET's tests |
//! | `\\srv\\shr\\x` keeps the separators up to the first name, and a server or share at the end keeps its dots and spaces | runs become one, and the end is trimmed | the same |
//! | in `\\srv\\shr\..` the share is `shr` | the share has no name, and `shr` is the first name in it | the same |
//! | a name uncovered by a `.` or `..` at the end is trimmed again: `a \.` is `a` | only the last name as written is trimmed: `a ` | the same |
//! | a drive alone (`D:`) becomes its directory, from a hidden variable, with a separator at the end | without the separator; on the working directory's drive, Wine adds none either | the command processor's `%~f` |

use std::collections::BTreeMap;

use curt::paths::ThisProcess;
use curt::paths::{Env, Expander, Verbatim};
use curt_testkit::Choices;
use curt_testkit::windows::{full_path_name, is_wine, set_drive_directory};

use crate::oracle::WINDOWS;
use crate::{count, path};

#[test]
fn windows_paths_equal_the_systems() {
    // Drive `C:` gets no hidden variable, because the process's own drive never uses one.
    set_drive_directory('D', r"d:\data\sub.x");
    let expander = Expander::new(Env::of(ThisProcess::new())).verbatim(Verbatim::Normalize);
    let mut choices = Choices::new(10);
    let mut unknown = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..count() {
        let units = units(&mut choices);
        let theirs = full_path_name(&units);
        let ours = expander.expand(&units).ok();
        if ours.as_deref() == theirs.as_deref() {
            continue;
        }
        let [text, theirs, ours] =
            [Some(&*units), theirs.as_deref(), ours.as_deref()].map(|units| units.map(shown));
        let class = deviation(text.as_deref().unwrap_or(""), theirs.as_deref(), ours.as_deref());
        match class.filter(|_| is_wine()) {
            Some(class) => *known.entry(class).or_default() += 1,
            None => unknown.push(format!("{text:?}: {theirs:?}, not {ours:?}")),
        }
    }
    println!("Wine's own, of {}: {known:?}", count());
    let total = unknown.len();
    unknown.truncate(50);
    assert!(total == 0, "{total} differ:\n{}", unknown.join("\n"));
}

/// Returns a random path. One in four contains an unpaired surrogate or a control character.
fn units(choices: &mut Choices) -> Vec<u16> {
    const ODD: [u16; 6] = [0xD800, 0xDC00, 0xDFFF, 0x01, 0x1F, 0x7F];
    let mut units: Vec<u16> = path(choices, &WINDOWS, 8).encode_utf16().collect();
    if choices.below(4) == 0 {
        units.insert(choices.below(units.len() + 1), ODD[choices.below(ODD.len())]);
    }
    units
}

fn shown(units: &[u16]) -> String {
    let alone = |unit: u16| char::from_u32(0xF_0000 + u32::from(unit)).unwrap_or_default();
    let characters = char::decode_utf16(units.iter().copied());
    characters.map(|found| found.unwrap_or_else(|lone| alone(lone.unpaired_surrogate()))).collect()
}

/// Returns the name of Wine's known deviation from Windows if it fully explains the two results.
fn deviation(text: &str, theirs: Option<&str>, ours: Option<&str>) -> Option<&'static str> {
    let (theirs, ours) = (theirs?, ours?);
    let text = text.replace('/', r"\");
    let names: Vec<&str> = text.split('\\').collect();
    let (last, inside) = names.split_last()?;
    if text == "D:" {
        return (theirs.strip_suffix('\\') == Some(ours)).then_some("a drive alone");
    }
    let ends_in_dots = |name: &&str| name.len() > 2 && name.ends_with("..");
    let is_share = text.starts_with(r"\\");
    if !is_share && ours.starts_with(r"\\.\") && ours.to_lowercase().contains("com¹") {
        return (!text.ends_with('\\')).then_some("superscripts");
    }
    // Wine also merges a run of separators in the root.
    let has_empty_part = is_share && names.iter().skip(2).take(2).any(|name| name.is_empty());
    if has_empty_part && inside.iter().chain([last]).any(|&name| name == "..") {
        return Some("shares without a name");
    }
    if loose(theirs) != loose(ours) {
        return None;
    }
    if is_share && !theirs.starts_with(r"\\.\") && !theirs.starts_with(r"\\?\") {
        Some("shares")
    } else if inside.iter().any(ends_in_dots) {
        Some("two dots inside")
    } else if matches!(*last, "." | "..") {
        Some("uncovered ends")
    } else {
        None
    }
}

/// Ignores trailing dots and spaces, and runs of separators.
fn loose(path: &str) -> Vec<&str> {
    let trimmed = path.trim_end_matches(['\\', '.', ' ']);
    let names = trimmed.split('\\').map(|name| name.trim_end_matches('.'));
    names.filter(|name| !name.is_empty()).collect()
}
