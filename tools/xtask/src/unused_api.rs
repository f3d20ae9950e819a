//! Finds public items of the libraries that no command, binding, example or benchmark uses.
//!
//! A search by name: each function, constant and type of `crates/NAME/public-api.txt` must be
//! named in the sources of a caller, a method behind a dot or a colon, another function of a type
//! behind the name of the type. Two items of one name hide each other. Implementations of traits
//! are left out, and so are types that the signature of another item has. `unused-api.txt` lists
//! the exceptions, each below its reason; one that is used or gone is an error.

use crate::host::{self, Failure, Outcome};
use crate::say;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

/// The libraries, and where their callers' sources are, beside [`CALLERS`].
const CRATES: [(&str, &[&str]); 2] = [("curt", &[]), ("curt-paths", &["crates/curt/src"])];
const CALLERS: [&str; 4] =
    ["bindings", "crates/curt-cli/src", "crates/curt/examples", "tools/bench/src"];

/// The task `unused-api`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("unused-api takes no arguments"));
    }
    let top = host::checkout();
    let mut found = BTreeSet::new();
    for (name, more) in CRATES {
        let api = fs::read_to_string(top.join("crates").join(name).join("public-api.txt"))?;
        let mut uses = HashSet::new();
        for folder in CALLERS.iter().chain(more) {
            read_uses(&top.join(folder), &mut uses)?;
        }
        found.extend(unused(&api, &uses));
    }
    let exceptions = include_str!("unused-api.txt").lines();
    let exceptions = exceptions.filter(|line| !line.starts_with('#') && !line.is_empty());
    let exceptions: BTreeSet<String> = exceptions.map(str::to_owned).collect();
    let unused = found.difference(&exceptions).map(|item| format!("{item} has no caller"));
    let stale = exceptions.difference(&found);
    let stale = stale.map(|item| format!("{item} is used or gone: it is no exception any more"));
    let complaints: Vec<String> = unused.chain(stale).collect();
    complaints.iter().for_each(say::out);
    match complaints.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!("{count} items: see tools/xtask/src/unused-api.txt"))),
    }
}

/// Adds the names in the Rust files below a folder.
fn read_uses(folder: &Path, uses: &mut HashSet<String>) -> Result<(), Failure> {
    let entries = fs::read_dir(folder)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            read_uses(&path, uses)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            uses_in(&fs::read_to_string(&path)?, uses);
        }
    }
    Ok(())
}

/// Adds the names in a source: each by itself, behind a dot or a colon, and behind its type.
fn uses_in(source: &str, uses: &mut HashSet<String>) {
    for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let (mut rest, mut owner) = (line, "");
        for name in words(line).filter(|name| !name.is_empty()) {
            let (before, after) = rest.split_once(name).unwrap_or_default();
            uses.insert(name.to_owned());
            if before.ends_with(['.', ':']) {
                uses.insert(format!(".{name}"));
                uses.insert(format!("{owner}::{name}"));
            }
            (rest, owner) = (after, name);
        }
    }
}

/// The functions, constants and types of a list of the public API that are not used, each as
/// `Type::name` or `name`.
fn unused(api: &str, uses: &HashSet<String>) -> BTreeSet<String> {
    let mut is_trait_impl = false;
    let mut found = BTreeSet::new();
    for line in api.lines() {
        if line.starts_with("impl") {
            is_trait_impl = line.contains(" for ");
        }
        let Some((kind, path)) = item(line) else { continue };
        let mut names = path.rsplit("::");
        let name = names.next().unwrap_or_default();
        let owner = names.next().filter(|owner| owner.starts_with(char::is_uppercase));
        let is_used = match (kind, owner) {
            (_, Some(_)) if is_trait_impl => true,
            ("fn", Some(_)) if line.contains("self") => uses.contains(&format!(".{name}")),
            ("fn" | "const", Some(owner)) => uses.contains(&format!("{owner}::{name}")),
            ("fn", None) => uses.contains(name),
            ("struct" | "enum" | "trait", _) => uses.contains(name) || is_in_signature(name, api),
            _ => true,
        };
        if !is_used {
            found.insert(owner.map_or(name.to_owned(), |owner| format!("{owner}::{name}")));
        }
    }
    found
}

/// The kind and the path, without type parameters, of the item that a line of the list is about.
/// None for what is implemented for a type that is not ours.
fn item(line: &str) -> Option<(&str, String)> {
    let (_, line) = line.split_once("pub ")?;
    let line = line.strip_prefix("const ").filter(|rest| rest.starts_with("fn ")).unwrap_or(line);
    let (kind, rest) = line.split_once(' ').filter(|(kind, _)| !kind.contains("::"))?;
    let mut depth = 0;
    let mut path = String::new();
    for letter in rest.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' | ' ' if depth == 0 => break,
            _ if depth == 0 => path.push(letter),
            _ => {}
        }
    }
    let is_ours = path.starts_with("curt");
    is_ours.then(|| (kind, path.trim_end_matches(':').to_owned()))
}

/// Whether a signature, a field or a variant of something else has the type.
fn is_in_signature(name: &str, api: &str) -> bool {
    api.lines().filter(|line| !line.starts_with("impl")).any(|line| {
        let data = line.split('(').next().and_then(|path| path.split(": ").next());
        let path = item(line).map_or(data.unwrap_or_default().to_owned(), |(_, path)| path);
        let mut own = words(&path);
        !own.any(|word| word == name) && words(line).any(|word| word == name)
    })
}

/// The names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_no_caller_names() {
        let api = "pub struct curt::Tree\n\
                   impl curt::Tree\n\
                   pub fn curt::Tree::grow(&self) -> curt::Leaf\n\
                   pub fn curt::Tree::new() -> curt::Tree\n\
                   pub fn curt::Tree::fell(self)\n\
                   impl core::clone::Clone for curt::Tree\n\
                   pub fn curt::Tree::clone(&self) -> curt::Tree\n\
                   pub fn curt::plant<T: curt::Seed>(T)\n\
                   pub struct curt::Leaf\n\
                   pub struct curt::Stone\n";
        let mut uses = HashSet::new();
        uses_in("let tree = curt::Tree::new();\n    .grow();\n// tree.fell() plant", &mut uses);
        let found: Vec<String> = unused(api, &uses).into_iter().collect();
        assert_eq!(found, ["Stone", "Tree::fell", "plant"]);
    }
}
