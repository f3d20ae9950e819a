//! Checks that dependencies between the library's layers point in one direction.

use super::{Problem, code::Code};

const LIBRARY: &str = "crates/curt/src/";

const OPERATIONS: &[&str] = &[
    "beneath",
    "canonical",
    "copy",
    "list",
    "lookup",
    "process",
    "remove",
    "usage",
    "walk",
    "which",
];

const BELOW: &[&str] = &[
    "querier", "calls", "control", "error", "fields", "filters", "gone", "name", "notifier",
    "pause", "quoted", "sys", "tree",
];

const ABOVE: [&str; 4] = ["lib", "os", "tests", "this_process"];

/// An operation, and another operation that it may use: `process` searches for a program before it
/// starts it, `beneath` lists directories and removes trees, and `usage` adds up a walk.
const ALLOWED: [(&str, &str); 4] =
    [("process", "which"), ("beneath", "list"), ("beneath", "remove"), ("usage", "walk")];

const CALLING: &[&str] = &["env", "fs", "io", "net", "process", "thread", "time"];

fn part(path: &str) -> Option<&str> {
    let first = path.strip_prefix(LIBRARY)?.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

/// An operation may use itself, the operations that `ALLOWED` permits, and lower modules, which may
/// use only each other. Imports must name the module: a re-exported name could belong to an
/// operation.
pub(super) fn directions(path: &str, code: &Code<'_>) -> Vec<Problem> {
    let Some(own) = part(path) else { return Vec::new() };
    if ABOVE.contains(&own) {
        return Vec::new();
    }
    let is_below = BELOW.contains(&own);
    if !is_below && !OPERATIONS.contains(&own) {
        return vec![(1, format!("'{own}' has no layer in tools/xtask/src/lint/layers.rs"))];
    }
    let below_root = path.strip_prefix(LIBRARY).unwrap_or_default();
    let depth = below_root.split('/').count() - usize::from(below_root.ends_with("/mod.rs"));
    let mut found = code.below(&["crate"]);
    found.extend(code.below(&vec!["super"; depth]));
    found.retain(|(other, _)| {
        let is_right = *other == own || ALLOWED.contains(&(own, *other));
        if is_below { !BELOW.contains(other) } else { OPERATIONS.contains(other) && !is_right }
    });
    let text = |other| format!("'{own}' must not take '{other}' from the library's root");
    found.into_iter().map(|(other, at)| (code.line(at), text(other))).collect()
}

pub(super) fn path_text(path: &str, code: &Code<'_>) -> Vec<Problem> {
    if !path.starts_with("crates/curt-paths/src/") {
        return Vec::new();
    }
    let is_error =
        |at| ["Error", "ErrorKind"].iter().any(|name| code.starts(at, &["io", "::", name]));
    let uses = code.below(&["std"]).into_iter();
    let uses = uses.filter(|(part, at)| CALLING.contains(part) && !is_error(*at));
    let text = |part| format!("path text makes no calls, and needs no 'std::{part}'");
    uses.map(|(part, at)| (code.line(at), text(part))).collect()
}

/// Checks that only `time` determines the user's time zone.
pub(super) fn time_zone(path: &str, code: &Code<'_>) -> Vec<Problem> {
    let command = path.strip_prefix("crates/curt-cli/src/");
    if command.is_none_or(|path| path.starts_with("time/") || path.ends_with("/zone.rs")) {
        return Vec::new();
    }
    let uses = code.all().filter(|&at| code.is(at, "jiff"));
    uses.map(|at| (code.line(at), "times are those of 'crate::time'".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMOVE: &str = "crates/curt/src/remove/order.rs";
    const UNIX: &str = "crates/curt/src/sys/unix/syscalls.rs";

    fn lines(path: &str, text: &str) -> Vec<usize> {
        directions(path, &Code::new(text)).iter().map(|(line, _)| *line).collect()
    }

    #[test]
    fn operations_use_only_themselves_and_what_is_allowed() {
        assert_eq!(lines(REMOVE, "use crate::{error::Error,\n list::List};"), [2]);
        assert_eq!(lines(REMOVE, "use crate::{error::Error, remove::Plan};"), [0; 0]);
        assert_eq!(lines(REMOVE, "use crate::walk::Cursor;"), [1]);
        assert_eq!(lines("crates/curt/src/usage/sum.rs", "use crate::walk::Visited;"), [0; 0]);
        assert_eq!(lines("crates/curt/src/lib.rs", "use crate::list;"), [0; 0]);
        assert_eq!(lines("crates/curt/src/process/mod.rs", "use crate::which::Search;"), [0; 0]);
        assert_eq!(lines("crates/curt/src/process/mod.rs", "use crate::list::List;"), [1]);
    }

    #[test]
    fn every_part_has_a_layer() {
        assert_eq!(lines("crates/curt/src/sync.rs", ""), [1]);
        assert_eq!(lines("crates/curt/src/sync/plan.rs", ""), [1]);
        assert_eq!(lines("crates/curt/src/os/unix.rs", "use crate::list::List;"), [0; 0]);
    }

    #[test]
    fn the_way_over_the_root_is_seen() {
        assert_eq!(lines(REMOVE, "use super::super::list;"), [1]);
        assert_eq!(lines(REMOVE, "use super::list;"), [0; 0], "its own part");
        assert_eq!(lines("crates/curt/src/remove/mod.rs", "use super::{list, walk};"), [1, 1]);
        assert_eq!(lines("crates/curt/src/remove.rs", "fn f() { super::list::g() }"), [1]);
        assert_eq!(lines(REMOVE, "use crate::Walk;"), [0; 0], "a public type");
    }

    #[test]
    fn what_lies_below_knows_no_operation() {
        assert_eq!(lines(UNIX, "fn f() { crate::walk::g() }"), [1]);
        assert_eq!(lines(UNIX, "use crate::{calls, error::Error, name};"), [0; 0]);
        assert_eq!(lines(UNIX, "use crate::{Walk, error};"), [1]);
        assert_eq!(lines("crates/curt/src/sys/mod.rs", "use super::Walk;"), [1]);
        assert_eq!(lines("crates/curt/src/error.rs", "use crate::which::NotFound;"), [1]);
        let own = "mod which; pub use which::NotFound;";
        assert_eq!(lines("crates/curt/src/error.rs", own), [0; 0]);
    }

    #[test]
    fn path_text_makes_no_calls() {
        let lines = |path, text| path_text(path, &Code::new(text)).len();
        assert_eq!(lines("crates/curt-paths/src/text.rs", "use std::{borrow::Cow, env};"), 1);
        assert_eq!(lines("crates/curt-paths/src/text.rs", "use std::path::Path;"), 0);
        assert_eq!(lines("crates/curt-paths/src/text.rs", "fn f(_: std::io::ErrorKind) {}"), 0);
        assert_eq!(lines("crates/curt-paths/src/text.rs", "use std::io; use std::io::stdin;"), 2);
        assert_eq!(lines("crates/curt/src/name.rs", "use std::env;"), 0);
    }

    #[test]
    fn only_one_module_knows_time_zones() {
        let lines = |path, text| time_zone(path, &Code::new(text)).len();
        let text = "fn f() { jiff::Zoned::now() }";
        assert_eq!(lines("crates/curt-cli/src/cmd/find/when.rs", text), 1);
        assert_eq!(lines("crates/curt-cli/src/time/mod.rs", text), 0);
        assert_eq!(lines("crates/curt-cli/src/sys/unix/zone.rs", text), 0);
        assert_eq!(lines("tools/bench/src/main.rs", text), 0);
    }
}
