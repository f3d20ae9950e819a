//! What was found, and why nothing was, as objects and as lines.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::Path;

use curt::{FindCause, FindError, Found, Looked, SearchExplanation};

use super::reason;
use crate::out::json::{self, Failure, Object};
use crate::quote::quote;

/// Adds what was found.
pub(super) fn found(object: Object, found: &Found) -> Object {
    let mut object = object
        .path("found", &found.path())
        .text("origin", &found.origin().to_string())
        .text("kind", found.program().word())
        .boolean("relative", found.is_relative());
    if let Some(interpreter) = found.interpreter() {
        object = object.path("interpreter", interpreter.path());
        if interpreter.is_missing() {
            let why = if interpreter.has_carriage_return() {
                "its interpreter is missing: the line ends in a carriage return"
            } else {
                "its interpreter is missing"
            };
            let failure = Failure::new("find", "interpreter-missing", why.to_owned());
            object = failure.path(&found.path()).add_to(object);
        }
    }
    object
}

/// Adds why nothing was found.
pub(super) fn failure(object: Object, error: &FindError) -> Object {
    let mut object = failure_of(error).add_to(object);
    if let Some(path) = error.path() {
        object = object.path("candidate", path);
    }
    let directories = error.unsearchable().iter();
    let directories: Vec<String> =
        directories.map(|directory| json::os_string(directory.as_os_str())).collect();
    object.raw("unsearchable", &format!("[{}]", directories.join(",")))
}

fn failure_of(error: &FindError) -> Failure {
    let failure = match error.cause() {
        FindCause::Os(error) => Failure::by_system("find", error),
        _ => Failure::new("find", error.word(), reason(error)),
    };
    failure.path(Path::new(error.name()))
}

/// Every step of a search, and what came of it, as an object.
pub(super) fn explanation(name: &OsStr, told: &SearchExplanation) -> Object {
    let object = Object::new().raw("name", &json::os_string(name));
    let object = match &told.result {
        Ok(one) => found(object, one),
        Err(error) => failure(object, error),
    };
    let looked = told.looked.iter().map(|looked| {
        let candidates = looked.candidates.iter().map(|(name, became)| {
            Object::new().raw("name", &json::os_string(name)).text("became", became)
        });
        let numbers: Vec<String> = looked.duplicates.iter().map(ToString::to_string).collect();
        Object::new()
            .path("directory", looked.directory())
            .text("origin", &looked.origin.to_string())
            .raw("duplicates", &format!("[{}]", numbers.join(",")))
            .boolean("relative", looked.relative)
            .text("outcome", looked.outcome)
            .objects("candidates", candidates)
            .number("calls", looked.calls)
    });
    let strings = |texts: &mut dyn Iterator<Item = &OsStr>| {
        format!("[{}]", texts.map(json::os_string).collect::<Vec<_>>().join(","))
    };
    let not_reached = strings(&mut told.not_reached.iter().map(|path| path.as_os_str()));
    let dropped = strings(&mut told.dropped_extensions.iter().map(OsString::as_os_str));
    let empty: Vec<String> = told.empty_entries.iter().map(ToString::to_string).collect();
    object
        .objects("looked", looked)
        .raw("not_reached", &not_reached)
        .raw("empty_entries", &format!("[{}]", empty.join(",")))
        .raw("dropped_extensions", &dropped)
        .object("calls", json::calls(&told.calls))
}

/// The same as lines.
pub(crate) fn explained(name: &OsStr, told: &SearchExplanation) -> String {
    let mut lines = match &told.result {
        Ok(found) => {
            let (path, origin, kind) = (found.path(), found.origin(), found.program().word());
            let relative = if found.is_relative() { ", relative" } else { "" };
            format!("{}: {} ({kind}, {origin}{relative})\n", quote(name), quote(&*path))
        }
        Err(error) => format!("{}: {}\n", quote(name), reason(error)),
    };
    // Writing into memory cannot fail.
    for looked in &told.looked {
        let _ = writeln!(lines, "  {}", directory(looked));
        for (name, became) in &looked.candidates {
            let _ = writeln!(lines, "    {} {became}", quote(name));
        }
    }
    for directory in &told.not_reached {
        let _ = writeln!(lines, "  {} not reached", quote(directory));
    }
    for entry in &told.empty_entries {
        let _ = writeln!(lines, "  path:{entry} is empty");
    }
    for item in &told.dropped_extensions {
        let _ = writeln!(lines, "  ignored PATHEXT entry {}: not a valid extension", quote(item));
    }
    let _ = writeln!(lines, "  {} calls in all", told.calls.total());
    lines
}

fn directory(looked: &Looked) -> String {
    let calls = if looked.calls == 1 { "call" } else { "calls" };
    let mut line = format!(
        "{} ({}): {}, {} {calls}",
        quote(looked.directory()),
        looked.origin,
        looked.outcome,
        looked.calls
    );
    if looked.relative {
        line += ", relative";
    }
    for entry in &looked.duplicates {
        let _ = write!(line, ", path:{entry} is the same");
    }
    line
}
