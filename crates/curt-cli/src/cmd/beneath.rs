//! `curt beneath`: resolves untrusted paths beneath a root directory.

use std::io::{self, Read};
use std::path::Path;

use curt::beneath::{OpenOptions, Scope};
use curt::fields::Follow;
use curt::paths::{Flavor, PathCheck, PathText, Refusal, Release};
use curt::{Calls, Cause, Error, Fields, Operation, Plan, Root};

use super::{base_name, stat};
use crate::args::BeneathOptions;
use crate::exit::Exit;
use crate::out::entry::{self, Shown};
use crate::out::failure::Failure;
use crate::out::json::{self, Object};
use crate::quote::quote;
use crate::session::{self, Outcome, Session};
use crate::sys;
use crate::time::{LocalZone, Zone};

const READ: usize = 64 * 1024;

pub(crate) fn run(options: &BeneathOptions) -> Exit {
    let session = &options.output.session("curt beneath");
    let Some(path) = &options.root else {
        return check_texts(options, session);
    };
    let mut root = match Root::open_without(path, &options.without.features) {
        Ok(root) => root
            .scope(if options.in_root { Scope::InRoot } else { Scope::Beneath })
            .aliases(options.mode),
        Err(error) => {
            session.fail(&error);
            return session.close(false);
        }
    };
    let zone = LocalZone::new(Zone::local);
    let mut counts = Counts::default();
    for operand in session.until_cancelled(&options.operands) {
        let path = Path::new(operand);
        let result = if options.cat {
            print_contents(&root, path, session)
        } else if options.stat {
            print_metadata(&root, path, session, &zone)
        } else {
            name(&root, path, options.name)
                .map(|name| print_name(path, &PathText::from(name.as_path()), options, session))
        };
        counts.count(result, path, session);
    }
    counts.finish(&root.calls(), session)
}

#[derive(Default)]
struct Counts {
    allowed: u64,
    refused: u64,
    failed: u64,
}

impl Counts {
    fn count(&mut self, result: Result<(), Denied>, path: &Path, session: &Session) {
        let Err(denied) = result else {
            self.allowed += 1;
            return;
        };
        *if denied.is_refused { &mut self.refused } else { &mut self.failed } += 1;
        let Denied { verb, failure, .. } = denied;
        let message = format!("cannot {verb} {}: {}", quote(path), failure.message());
        session.fail_as(failure.path(path), &message);
    }

    fn finish(self, calls: &Calls, session: &Session) -> Exit {
        let summary = || {
            Object::new()
                .number("allowed", self.allowed)
                .number("refused", self.refused)
                .number("errors", self.failed)
        };
        session.finish(&Outcome { summary: Some(&summary), calls: *calls, ..Outcome::default() })
    }
}

struct Denied {
    verb: &'static str,
    failure: Failure,
    is_refused: bool,
}

impl Denied {
    fn os(operation: Operation, error: &io::Error) -> Denied {
        let failure = Failure::os(operation.name(), error);
        Denied { verb: verb(operation), failure, is_refused: false }
    }

    fn not_a_regular_file() -> Denied {
        let operation = Operation::ReadFile;
        let reason = "not a regular file".to_owned();
        let failure = Failure::new(operation.name(), "invalid", reason);
        Denied { verb: verb(operation), failure, is_refused: false }
    }
}

impl From<Refusal> for Denied {
    fn from(refusal: Refusal) -> Denied {
        let operation = Operation::Canonicalize.name();
        let failure = Failure::new(operation, refusal.name(), refusal.to_string());
        Denied { verb: "accept", failure, is_refused: true }
    }
}

impl From<Error> for Denied {
    fn from(error: Error) -> Denied {
        Denied {
            verb: verb(error.operation()),
            failure: Failure::from(&error),
            is_refused: matches!(error.cause(), Cause::Refused(_)),
        }
    }
}

/// Returns the verb for messages: `open` for canonicalizing, which is only a step of opening.
fn verb(operation: Operation) -> &'static str {
    match operation {
        Operation::Canonicalize => "open",
        operation => operation.verb(),
    }
}

fn name(root: &Root, path: &Path, may_be_missing: bool) -> Result<std::path::PathBuf, Denied> {
    let found = root.canonical(path)?;
    if found.missing && !may_be_missing {
        return Err(Denied::os(Operation::Canonicalize, &io::ErrorKind::NotFound.into()));
    }
    Ok(found.path)
}

/// Prints an allowed name, which might be a path in the syntax of another system.
fn print_name(path: &Path, name: &PathText, options: &BeneathOptions, session: &Session) {
    if session.is_json() {
        let name = json::path(name, options.flavor.unwrap_or(Flavor::NATIVE));
        return session.object(Object::new().path("path", path).raw("allow", &name));
    }
    match name.to_path() {
        Ok(name) => session.name(name.as_os_str(), options.null),
        Err(_) => session.data(&[&*name.to_bytes(), session::end(options.null)].concat()),
    }
}

/// Prints a regular file. Refuses other kinds: a pipe might never end, or look like an empty file.
fn print_contents(root: &Root, path: &Path, session: &Session) -> Result<(), Denied> {
    let mut file = root.open_file(path, OpenOptions::new().read(true).nonblocking(true))?;
    if sys::HAS_SPECIAL_FILES {
        let metadata = file.metadata().map_err(|error| Denied::os(Operation::ReadFile, &error))?;
        // Do not refuse a directory here: reading it returns the system's error.
        if !metadata.is_file() && !metadata.is_dir() {
            return Err(Denied::not_a_regular_file());
        }
    }
    let mut buffer = vec![0; READ];
    while !session.is_cancelled() {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => session.data(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Denied::os(Operation::ReadFile, &error)),
        }
    }
    Ok(())
}

fn print_metadata(
    root: &Root,
    path: &Path,
    session: &Session,
    zone: &LocalZone,
) -> Result<(), Denied> {
    let fields = entry::union(&stat::DEFAULT).without(Fields::TARGET);
    let metadata = root.stat(path, Plan::new(fields).follow(Follow::Links))?;
    let shown = Shown { name: base_name(path), path, metadata: &metadata };
    if session.is_json() {
        session.object(entry::object(&shown, fields | Fields::NAME));
    } else {
        let mut text = Vec::new();
        stat::add_block(&shown, &stat::DEFAULT, zone, &mut text);
        session.data(&text);
    }
    Ok(())
}

fn check_texts(options: &BeneathOptions, session: &Session) -> Exit {
    let check = PathCheck::new(options.flavor.unwrap_or(Flavor::NATIVE))
        .release(options.release.unwrap_or(Release::Windows10))
        .aliases(options.mode)
        .in_root(options.in_root);
    let mut counts = Counts::default();
    for operand in &options.operands {
        let path = Path::new(operand);
        let result = check_text(check, &PathText::from(path))
            .map(|name| print_name(path, &name, options, session));
        counts.count(result.map_err(Denied::from), path, session);
    }
    counts.finish(&Calls::default(), session)
}

fn check_text(check: PathCheck, path: &PathText) -> Result<PathText, Refusal> {
    if path.is_wide() {
        // `to_units` cannot fail for a wide path.
        let units = path.to_units().map_err(|_| Refusal::Encoding)?;
        return Ok(PathText::from(check.name(&units)?.into_owned()));
    }
    Ok(PathText::from(check.name(&path.to_bytes())?.into_owned()))
}
