//! How the library is built: each operation says what it promises, and dependencies point one way.

use super::door::first_test;
use super::{File, Finding, places};

/// The library's sources.
const LIBRARY: &str = "crates/curt/src/";

/// One operation each, in a file or a folder of that name.
const OPERATIONS: &[&str] =
    &["beneath", "list", "load_path", "process", "remove", "usage", "walk", "which"];

/// What lies below the operations, in a file or a folder of that name.
const BELOW: &[&str] =
    &["calls", "control", "error", "fields", "name", "pause", "quoted", "sys", "tree"];

/// The operation whose directory cursor all others may use.
const SHARED: &str = "walk";

/// Who else uses whom: a program to be started is looked for by its name.
const ALLOWED: (&str, &str) = ("process", "which");

/// The headings an operation's documentation must have.
const HEADINGS: &[&str] = &["# Promises", "# Call budget", "# Races", "# Fallbacks"];

/// The operation a file belongs to.
fn operation(path: &str) -> Option<&'static str> {
    let part = part(path)?;
    OPERATIONS.iter().copied().find(|operation| *operation == part)
}

/// The part of the library that a file belongs to: the name of its file or folder.
fn part(path: &str) -> Option<&str> {
    let first = path.strip_prefix(LIBRARY)?.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

/// Whether a file lies below the operations.
fn is_below(path: &str) -> bool {
    part(path).is_some_and(|part| BELOW.contains(&part)) && !places::is_test(path)
}

/// An operation's file begins with what it promises.
pub(super) fn headers(file: &File) -> Vec<Finding> {
    let Some(name) = operation(&file.path) else {
        return Vec::new();
    };
    let main = [format!("{LIBRARY}{name}.rs"), format!("{LIBRARY}{name}/mod.rs")];
    if !main.contains(&file.path) {
        return Vec::new();
    }
    let header: Vec<&str> =
        file.text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let missing: Vec<_> = HEADINGS
        .iter()
        .filter(|heading| !header.iter().any(|line| line.eq_ignore_ascii_case(heading)))
        .map(|heading| format!("`{heading}`"))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let text = format!("the operation's header lacks {}", missing.join(", "));
    vec![Finding::problem(&file.path, 1, "operation-header", text)]
}

/// Operations do not import each other, but for the shared one and the pair that is allowed.
pub(super) fn operations(file: &File) -> Vec<Finding> {
    let Some(own) = operation(&file.path) else {
        return Vec::new();
    };
    if places::is_test(&file.path) {
        return Vec::new();
    }
    imports(
        file,
        |other| is_wrong(own, other),
        |other| format!("the operation '{own}' must not import the operation '{other}'"),
    )
}

/// What lies below the operations does not know them.
pub(super) fn below(file: &File) -> Vec<Finding> {
    if !is_below(&file.path) {
        return Vec::new();
    }
    imports(
        file,
        |_| true,
        |other| format!("this must not know the operation '{other}': dependencies point one way"),
    )
}

/// What lies below the operations names the module of what it takes from the library. Past the names
/// that the library re-exports, it could take something of an operation's unseen.
pub(super) fn modules(files: &[File]) -> Vec<Finding> {
    let Some(root) = files.iter().find(|file| file.path == format!("{LIBRARY}lib.rs")) else {
        return Vec::new();
    };
    let own =
        |name: &str| (0..root.source.tokens.len()).any(|at| root.source.starts(at, &["mod", name]));
    let below = files.iter().filter(|file| is_below(&file.path));
    let paths = below.flat_map(|file| {
        let above = file.source.below_supers(depth(&file.path));
        let tests = first_test(file);
        let all = file.source.below("crate").chain(above).filter(move |&(_, at)| at < tests);
        all.map(move |(name, at)| (file, name, at))
    });
    paths
        .filter(|(_, name, _)| !own(name))
        .map(|(file, name, at)| {
            let text = format!("the module that '{name}' is in must be named here");
            Finding::problem(&file.path, file.source.tokens[at].line, "layers", text)
        })
        .collect()
}

/// Whether an operation must not import another one.
fn is_wrong(own: &str, other: &str) -> bool {
    other != own && other != SHARED && (own, other) != ALLOWED
}

/// How many `super` lead from a file to the library's root.
fn depth(path: &str) -> usize {
    let below = path.strip_prefix(LIBRARY).unwrap_or_default();
    below.split('/').count() - usize::from(below.ends_with("/mod.rs"))
}

/// Every path through the library's root to an operation that is `wrong`.
fn imports(
    file: &File,
    wrong: impl Fn(&str) -> bool,
    text: impl Fn(&str) -> String,
) -> Vec<Finding> {
    let above = file.source.below_supers(depth(&file.path));
    let found = file.source.below("crate").chain(above);
    found
        .filter(|(part, _)| OPERATIONS.contains(part))
        .filter(|(part, _)| wrong(part))
        .map(|(part, at)| {
            Finding::problem(&file.path, file.source.tokens[at].line, "layers", text(part))
        })
        .collect()
}

/// The library does not know the command.
pub(super) fn library(file: &File) -> Vec<Finding> {
    if !file.path.starts_with("crates/curt/") {
        return Vec::new();
    }
    let code = file.source.tokens.iter().filter(|token| token.text == "curt_cli");
    let code = code.map(|token| token.line);
    let manifest = places::has_ending(&file.path, "toml");
    let manifest = (1..).zip(file.text.lines()).filter(|(_, text)| {
        manifest && text.trim_start().starts_with(['c', '"']) && text.contains("curt-cli")
    });
    code.chain(manifest.map(|(line, _)| line))
        .map(|line| {
            let text = "the library must not know the command";
            Finding::problem(&file.path, line, "layers", text)
        })
        .collect()
}

/// Path text makes no call to the system.
pub(super) fn path_text(file: &File) -> Vec<Finding> {
    if !file.path.starts_with("crates/curt-paths/src/") || places::is_test(&file.path) {
        return Vec::new();
    }
    let calls = ["env", "fs", "io", "net", "process", "thread", "time"];
    let uses = file.source.below("std").filter(|(part, _)| calls.contains(part));
    uses.map(|(part, at)| {
        let text = format!("path text makes no calls, and needs no 'std::{part}'");
        Finding::problem(&file.path, file.source.tokens[at].line, "layers", text)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMOVE: &str = "crates/curt/src/remove/order.rs";
    const LINUX: &str = "crates/curt/src/sys/unix/door.rs";

    #[test]
    fn an_operation_is_a_file_or_a_folder() {
        assert_eq!(operation("crates/curt/src/remove.rs"), Some("remove"));
        assert_eq!(operation("crates/curt/src/load_path/mod.rs"), Some("load_path"));
        assert_eq!(operation("crates/curt/src/error.rs"), None);
        assert_eq!(operation("crates/curt-cli/src/list.rs"), None);
    }

    #[test]
    fn headings_are_asked_of_the_first_file_only() {
        let whole = format!("//! {}\n", HEADINGS.join("\n//!\n//! "));
        assert_eq!(headers(&File::new("crates/curt/src/walk.rs", &whole)), []);
        let found = headers(&File::new("crates/curt/src/walk/mod.rs", "//! # Races\n"));
        assert!(found[0].text.contains("# Promises") && !found[0].text.contains("# Races"));
        assert_eq!(headers(&File::new("crates/curt/src/walk/frame.rs", "")), []);
    }

    #[test]
    fn operations_use_only_themselves_and_the_shared_one() {
        let wrong = File::new(REMOVE, "use crate::{error::Error,\n list::List};");
        assert_eq!(operations(&wrong)[0].line, 2);
        let right = "use crate::{error::Error, walk::Cursor};\nuse crate::remove::Plan;";
        assert_eq!(operations(&File::new(REMOVE, right)), []);
        assert_eq!(operations(&File::new("crates/curt/src/lib.rs", "use crate::list;")), []);
        let start = |text| operations(&File::new("crates/curt/src/process/mod.rs", text));
        assert_eq!(start("use crate::which::Search;"), []);
        assert_eq!(start("use crate::list::List;").len(), 1);
    }

    #[test]
    fn the_way_over_the_root_is_seen() {
        let lines = |path, text| operations(&File::new(path, text)).len();
        assert_eq!(lines(REMOVE, "use super::super::list;"), 1);
        assert_eq!(lines(REMOVE, "use super::list;"), 0, "a part of its own");
        assert_eq!(lines("crates/curt/src/remove/mod.rs", "use super::{list, walk};"), 1);
        assert_eq!(lines("crates/curt/src/remove.rs", "fn f() { super::list::g() }"), 1);
        let root = || File::new("crates/curt/src/lib.rs", "mod error; pub use error::Walk;");
        let found = |path, text| modules(&[root(), File::new(path, text)]).len();
        assert_eq!(found(LINUX, "use crate::{Walk, error};"), 1);
        assert_eq!(found(LINUX, "use crate::error::Error;"), 0);
        assert_eq!(found("crates/curt/src/sys/mod.rs", "use super::Walk;"), 1);
        assert_eq!(found(REMOVE, "use crate::Walk;"), 0, "a public type");
    }

    #[test]
    fn what_lies_below_knows_no_operation() {
        assert_eq!(below(&File::new(LINUX, "fn f() { crate::walk::g() }")).len(), 1);
        assert_eq!(below(&File::new(LINUX, "use crate::{calls, name};")), []);
        let error = |text| below(&File::new("crates/curt/src/error.rs", text)).len();
        assert_eq!(error("use crate::which::FindError;"), 1);
        assert_eq!(error("mod which; pub use which::FindError;"), 0, "a part of its own");
    }

    #[test]
    fn the_library_does_not_know_the_command() {
        assert_eq!(library(&File::new(REMOVE, "use curt_cli::x;")).len(), 1);
        let manifest = File::new("crates/curt/Cargo.toml", "[x]\ncurt-cli = 1\n# curt-cli");
        assert_eq!(library(&manifest)[0].line, 2);
        assert_eq!(library(&File::new(REMOVE, "/// curt_cli\nfn f() {}")), []);
    }

    #[test]
    fn path_text_makes_no_calls() {
        let lines = |path, text| path_text(&File::new(path, text)).len();
        assert_eq!(lines("crates/curt-paths/src/text.rs", "use std::{borrow::Cow, env};"), 1);
        assert_eq!(lines("crates/curt-paths/src/text.rs", "use std::path::Path;"), 0);
        assert_eq!(lines("crates/curt/src/name.rs", "use std::env;"), 0);
    }
}
