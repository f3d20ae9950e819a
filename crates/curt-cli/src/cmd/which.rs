use std::ffi::OsStr;
use std::fmt::Write;

use curt::which::{FindCause, Found, Looked, SearchExplanation};
use curt::{Cause, Error, Search};

use crate::args::WhichOptions;
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::json::{self, Object};
use crate::out::text;
use crate::quote::quote;
use crate::session::{Outcome, Session};

pub(crate) fn run(options: &WhichOptions) -> Exit {
    let session = options.output.session("curt which");
    match options.look_up.search() {
        Err(message) => session.usage(&message),
        Ok(search) => Printer { options, search, session: &session, found: 0, missing: 0 }.run(),
    }
}

struct Printer<'a> {
    options: &'a WhichOptions,
    search: Search,
    session: &'a Session,
    found: u64,
    missing: u64,
}

impl Printer<'_> {
    fn run(mut self) -> Exit {
        for name in &self.options.names {
            if self.options.explain {
                self.explain(name);
                continue;
            }
            let results = if self.options.all {
                self.search.find_all(name).collect()
            } else {
                vec![self.search.find(name)]
            };
            self.count(results.iter().any(Result::is_ok));
            for result in results {
                self.print(name, result);
            }
        }
        if let Some(hint) = self.options.look_up.hint().filter(|_| self.missing > 0) {
            self.session.note(&hint);
        }
        let Printer { session, mut search, found, missing, .. } = self;
        session.finish(&Outcome {
            summary: Some(&|| Object::new().number("found", found).number("missing", missing)),
            calls: search.calls(),
            ..Outcome::default()
        })
    }

    fn count(&mut self, is_found: bool) {
        if is_found {
            self.found += 1;
        } else {
            self.missing += 1;
            self.session.count_failure();
        }
    }

    fn explain(&mut self, name: &OsStr) {
        let explanation = self.search.explain(name);
        let is_found = explanation.result.is_ok();
        self.count(is_found);
        if self.session.is_json() {
            self.print_object(explanation_object(name, &explanation), is_found);
        } else {
            self.session.data(explanation_lines(name, &explanation).as_bytes());
        }
    }

    fn print_object(&self, object: Object, is_found: bool) {
        if is_found { self.session.object(object) } else { self.session.report(object) }
    }

    fn print(&self, name: &OsStr, mut result: Result<Found, Error>) {
        if self.session.is_cancelled() {
            return;
        }
        match result {
            _ if self.session.is_json() => {
                // The first bytes of the file determine its kind.
                if let Ok(found) = &mut result {
                    self.search.look_into(found);
                }
                self.print_object(result_object(name, &result), result.is_ok());
            }
            Ok(found) => self.session.name(found.path().as_os_str(), self.options.null),
            Err(error) => {
                self.session.warn(&text::failure(&error));
                let Cause::Find(why) = error.cause() else { return };
                let others = why.unsearchable().iter();
                for directory in others.filter(|other| Some(other.as_path()) != why.path()) {
                    self.session.warn(&format!("could not search {}", quote(directory)));
                }
            }
        }
    }
}

fn result_object(name: &OsStr, result: &Result<Found, Error>) -> Object {
    let object = Object::new().path("name", name);
    match result {
        Ok(found) => add_found(object, found),
        Err(error) => add_error(object, error),
    }
}

fn add_found(object: Object, found: &Found) -> Object {
    let mut object = object
        .path("path", found.path())
        .text("origin", &found.origin().to_string())
        .text("kind", found.program().word())
        .boolean("relative", found.is_relative());
    if let Some(interpreter) = found.interpreter() {
        object = object.path("interpreter", interpreter.path());
        if interpreter.is_missing() {
            let message = if interpreter.has_carriage_return() {
                "its interpreter is missing: the line ends in a carriage return"
            } else {
                "its interpreter is missing"
            };
            let failure = Failure::new("find", "interpreter-missing", message.to_owned());
            object = failure.path(found.path()).add_to(object);
        }
    }
    object
}

fn add_error(object: Object, error: &Error) -> Object {
    let Cause::Find(why) = error.cause() else { return Failure::from(error).add_to(object) };
    let failure = match why.cause() {
        FindCause::Os(system) => Failure::os("find", system).path(error.path()),
        _ => Failure::from(error),
    };
    let mut object = failure.add_to(object);
    if let Some(path) = why.path() {
        object = object.path("candidate", path);
    }
    object.list("unsearchable", why.unsearchable().iter().map(json_path))
}

fn explanation_object(name: &OsStr, explanation: &SearchExplanation) -> Object {
    let looked = explanation.looked.iter().map(|looked| {
        let candidates = looked
            .candidates
            .iter()
            .map(|(name, outcome)| Object::new().path("name", name).text("became", outcome));
        Object::new()
            .path("directory", &looked.directory)
            .text("origin", &looked.origin.to_string())
            .list("duplicates", looked.duplicates.iter().map(ToString::to_string))
            .boolean("relative", looked.relative)
            .text("outcome", looked.outcome)
            .objects("candidates", candidates)
            .number("calls", looked.calls)
    });
    result_object(name, &explanation.result)
        .objects("looked", looked)
        .list("not_reached", explanation.not_reached.iter().map(json_path))
        .list("empty_entries", explanation.empty_entries.iter().map(ToString::to_string))
        .list("dropped_extensions", explanation.dropped_extensions.iter().map(json_path))
        .object("calls", json::calls(&explanation.calls))
}

fn json_path(path: impl AsRef<OsStr>) -> String {
    json::os_string(path.as_ref())
}

/// Returns the steps of a search and its result, one sentence per line.
pub(super) fn explanation_lines(name: &OsStr, explanation: &SearchExplanation) -> String {
    let (name, is_found) = (quote(name), explanation.result.is_ok());
    let mut lines = match &explanation.result {
        Ok(found) => {
            let (path, origin, kind) = (found.path(), found.origin(), found.program().word());
            let relative = if found.is_relative() { ", by a relative path" } else { "" };
            format!("{name} is {} ({kind}, {origin}){relative}\n", quote(path))
        }
        Err(error) => format!("{name}: {}\n", text::reason(error.cause())),
    };
    for looked in &explanation.looked {
        let _ = writeln!(lines, "  {}", directory_line(looked));
        for (candidate, outcome) in &looked.candidates {
            let _ = writeln!(lines, "    {} {}", quote(candidate), candidate_words(outcome));
        }
    }
    let why = if is_found { ": the program was found before" } else { "" };
    for directory in &explanation.not_reached {
        let _ = writeln!(lines, "  {} was not searched{why}", quote(directory));
    }
    for entry in &explanation.empty_entries {
        let _ = writeln!(lines, "  path:{entry} is empty");
    }
    for item in &explanation.dropped_extensions {
        let item = quote(item);
        let _ = writeln!(lines, "  the entry {item} of PATHEXT was ignored: no valid extension");
    }
    if lines.contains("path:") {
        lines.push_str("  path:N is the entry N of PATH, counted from 0\n");
    }
    let calls = text::counted(explanation.calls.total(), "call was", "calls were");
    let _ = writeln!(lines, "  {calls} made in all");
    lines
}

fn directory_line(looked: &Looked) -> String {
    let words = match looked.outcome {
        "searched" => "was searched",
        "absent" => "does not exist",
        "unsearchable" => "may not be searched",
        "unlistable" => "may not be listed",
        _ => "could not be searched",
    };
    let calls = text::counted(looked.calls, "call", "calls");
    let mut line = format!("{} ({}) {words}, in {calls}", quote(&looked.directory), looked.origin);
    if looked.relative {
        line += "; its entry is relative";
    }
    for entry in &looked.duplicates {
        let _ = write!(line, "; path:{entry} is the same directory");
    }
    line
}

fn candidate_words(outcome: &str) -> &str {
    match outcome {
        "found" => "is the program",
        "absent" => "is not there",
        "directory" => "is a directory",
        "not executable" => "is not executable",
        "not asked" => "was not looked for",
        other => other,
    }
}
