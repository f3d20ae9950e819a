//! A type is written in one file, at most in two: an `impl` that is spread over more has state
//! without an owner.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Code, is_word};
use super::{File, Problem, places};

/// The most files with `impl` blocks of one type. Conversions lie beside the type that they take,
/// and the traits of one system, with their blocks, in `os/`: neither counts.
const FILES: usize = 2;

/// Types with more, each with the file that it is defined in and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/curt/src/sys/memory/mod.rs", "Memory", "part of tests alone"),
    ("crates/curt/src/sys/memory/tree.rs", "World", "part of tests alone"),
    ("crates/curt/src/sys/unix/door.rs", "Door", "calls that only Linux has, and those of a child"),
    ("crates/curt/src/sys/unix/mod.rs", "Unix", "one file for each trait, twice: Linux and others"),
    ("crates/curt/src/sys/windows/mod.rs", "Windows", "one file for each trait of the contract"),
];

/// Types with `impl` blocks in too many files, and exceptions that are none any more.
pub(super) fn files(files: &[File]) -> Vec<(String, Problem)> {
    let mut exceptions: Vec<_> = EXCEPTIONS.iter().map(|(path, name, _)| (*path, *name)).collect();
    let mut found = Vec::new();
    for ((path, line, name), mut places) in spread(files) {
        if let Some(at) = exceptions.iter().position(|known| *known == (path, name)) {
            exceptions.swap_remove(at);
            continue;
        }
        places.remove(path);
        let places: Vec<&str> = places.into_iter().collect();
        let text = format!(
            "`impl {name}` lies in more than {FILES} files: split the type until each part owns \
             its state ({})",
            places.join(", ")
        );
        found.push((path.to_owned(), (line, text)));
    }
    let useless = |(path, name): (&str, _)| {
        (path.to_owned(), (1, format!("`{name}` is no exception any more: see impls.rs")))
    };
    found.extend(exceptions.into_iter().map(useless));
    found
}

/// A type: its file, line and name.
type Type<'a> = (&'a str, usize, &'a str);

/// The types whose `impl` blocks lie in too many files, and those files.
fn spread(files: &[File]) -> BTreeMap<Type<'_>, BTreeSet<&str>> {
    let types: Vec<Type<'_>> = files.iter().flat_map(definitions).collect();
    let mut places = BTreeMap::<_, BTreeSet<_>>::new();
    for file in files {
        let is_of_system = places::is_in(&file.path, "os");
        for (name, of_trait) in (0..file.code.tokens.len()).filter_map(|at| block(&file.code, at)) {
            let is_conversion = matches!(of_trait, Some("From" | "TryFrom"));
            if is_conversion || is_of_system && of_trait.is_some() {
                continue;
            }
            // The nearest of its name: platforms have types of the same names.
            let same = types
                .iter()
                .filter(|(path, _, other)| *other == name && package(path) == package(&file.path));
            if let Some(owner) = same.max_by_key(|(path, ..)| nearness(path, &file.path)) {
                places.entry(*owner).or_default().insert(&*file.path);
            }
        }
    }
    places.retain(|_, files| files.len() > FILES);
    places
}

/// The structures and enums of a file.
fn definitions(file: &File) -> impl Iterator<Item = Type<'_>> {
    let code = &file.code;
    let is_type = |&at: &usize| matches!(code.text(at), "struct" | "enum");
    let types = (0..code.tokens.len()).filter(is_type);
    types.map(|at| (&*file.path, code.line(at), code.text(at + 1)))
}

/// The name of the type whose `impl` block begins at this token, and of the trait, if it is of one.
fn block(code: &Code, at: usize) -> Option<(&str, Option<&str>)> {
    let before = at.checked_sub(1).map_or("", |before| code.text(before));
    if code.text(at) != "impl" || !matches!(before, "" | "}" | ";" | "]" | "{") {
        return None;
    }
    let mut depth = 0_usize;
    let (mut name, mut of_trait) = (None, None);
    for at in at + 1.. {
        match code.text(at) {
            "<" => depth += 1,
            ">" if code.text(at - 1) != "-" => depth = depth.saturating_sub(1),
            "" if depth == 0 => return None,
            "for" if depth == 0 => of_trait = name.take(),
            "{" | "where" if depth == 0 => return Some((name?, of_trait)),
            word if depth == 0 && is_word(word) => name = Some(word),
            _ => {}
        }
    }
    None
}

/// The folder of a file's crate.
fn package(path: &str) -> &str {
    path.split("/src/").next().unwrap_or_default()
}

/// How many parts two paths have in common from their beginning, those of modules as of folders.
fn nearness(one: &str, other: &str) -> usize {
    let parts = |path| str::split(path, ['/', '.']);
    let common = parts(one).zip(parts(other)).take_while(|(one, other)| one == other).count();
    common + usize::from(one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_a_type_and_may_have_a_trait() {
        let names = |text| {
            let code = Code::new(text);
            let mut found = (0..code.tokens.len()).filter_map(|at| block(&code, at));
            found.next().map(|(name, of)| format!("{name} {}", of.unwrap_or("-")))
        };
        assert_eq!(names("impl A {}").as_deref(), Some("A -"));
        let long = "impl<F: Fn() -> u8> super::b::A<'_, F> where F: Sync {}";
        assert_eq!(names(long).as_deref(), Some("A -"));
        assert_eq!(names("impl<T> From<T> for A {}").as_deref(), Some("A From"));
        assert_eq!(names("fn f(a: impl A) -> impl B { a }"), None);
    }

    #[test]
    fn blocks_of_traits_count_but_for_conversions_and_traits_of_one_system() {
        let file = |name: &str, text| File::new(&format!("crates/x/src/{name}.rs"), text);
        let spread_with = |name, text| {
            let all = [file("a", "struct A; impl A {}"), file("b", "impl A {}"), file(name, text)];
            spread(&all).len()
        };
        assert_eq!(spread_with("c", "impl Debug for A {}"), 1);
        assert_eq!(spread_with("c", "impl From<C> for A {}"), 0);
        assert_eq!(spread_with("os/c", "impl Extension for A {}"), 0);
        assert_eq!(spread_with("os/c", "impl A {}"), 1);
    }

    #[test]
    fn types_in_three_files_are_found() {
        let block = "impl<'a> Engine<'a> {}";
        let file = |name: &str, text| File::new(&format!("crates/x/src/{name}.rs"), text);
        let engine = || file("remove/mod", "\nstruct Engine<'a>(&'a u8);");
        let two = [engine(), file("remove/a", block), file("remove/b", block)];
        assert!(spread(&two).is_empty());
        let three = [engine(), file("a", block), file("remove/b", block), file("remove/c", block)];
        let found = spread(&three);
        let path = "crates/x/src/remove/mod.rs";
        assert_eq!(found.keys().collect::<Vec<_>>(), [&(path, 2, "Engine")]);
        let another = file("walk", "struct Engine<'a>(&'a u8); impl<'a> Engine<'a> {}");
        let apart = [engine(), file("remove/b", block), file("remove/c", block), another];
        assert!(spread(&apart).is_empty());
    }
}
