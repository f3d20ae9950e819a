//! `curt beneath`: untrusted paths that cannot leave a directory.

mod batch;
mod check;
mod verdict;

use std::io::{self, Read};
use std::path::Path;

use curt::paths::Aliases;
use curt::{Calls, Fields, Follow, OpenOptions, Operation, Plan, Root, Scope};

use self::verdict::Refused;
use crate::args::{BeneathOptions, Mode};
use crate::cmd::stat;
use crate::exit::Exit;
use crate::out::entry::{self, Shown, Style};
use crate::out::json::Object;
use crate::session::{Common, Ending, Session};
use crate::time::{LocalZone, Zone};

/// How much of a file is read at a time.
const READ: usize = 64 * 1024;

/// Answers what the options ask.
pub(crate) fn run(options: &BeneathOptions) -> Exit {
    let common = Common { program: "curt beneath", json: options.json, stats: options.stats };
    let session = Session::new(common);
    if !options.check_only && (options.flavor.is_some() || options.release.is_some()) {
        return session.usage("--flavor and --release go with --check-only");
    }
    let Some(path) = &options.root else {
        return check::run(options, &session);
    };
    let root = match Root::open_without(path, &options.without()) {
        Ok(root) => root.scope(scope(options.in_root)).aliases(aliases(options.mode)),
        Err(error) => {
            session.fail(&error);
            return session.close(false, Exit::FAILURE, Exit::FAILURE);
        }
    };
    if options.batch {
        batch::run(options, &root, &session)
    } else {
        paths(options, &root, &session)
    }
}

fn scope(in_root: bool) -> Scope {
    if in_root { Scope::InRoot } else { Scope::Beneath }
}

fn aliases(mode: Mode) -> Aliases {
    match mode {
        Mode::Open => Aliases::Open,
        Mode::Strict => Aliases::Strict,
    }
}

/// Answers for the operands.
fn paths(options: &BeneathOptions, root: &Root, session: &Session) -> Exit {
    // Found only where a time is to be shown.
    let zone = LocalZone::new(Zone::local);
    let mut counts = Counts::default();
    for operand in &options.operands {
        if session.is_over() {
            break;
        }
        let path = Path::new(operand);
        let answer = if options.cat {
            cat(root, path, session)
        } else if options.stat {
            tell(options, root, path, session, &zone)
        } else {
            name(options, root, path, session)
        };
        match answer {
            Ok(()) => counts.allowed += 1,
            Err(error) => counts.tell(error, path, session),
        }
    }
    counts.sum_up(&root.calls(), session)
}

/// What came of all paths.
#[derive(Default)]
struct Counts {
    allowed: u64,
    refused: u64,
    failed: u64,
}

impl Counts {
    /// Tells of a path that did not get what it asked for.
    fn tell(&mut self, error: Refused, path: &Path, session: &Session) {
        session.count_errors(1);
        if error.is_denied {
            self.refused += 1;
        } else {
            self.failed += 1;
        }
        if session.is_json() {
            session.object(error.answer(path));
        } else {
            session.message(&error.line(session.program(), path));
        }
    }

    fn sum_up(self, calls: &Calls, session: &Session) -> Exit {
        let summary = Object::new()
            .number("allowed", self.allowed)
            .number("refused", self.refused)
            .number("errors", self.failed);
        session.end(Ending { summary, calls: *calls, ..Ending::default() })
    }
}

/// Prints the name of a path.
fn name(
    options: &BeneathOptions,
    root: &Root,
    path: &Path,
    session: &Session,
) -> Result<(), Refused> {
    let name = verdict::name(root, path, options.name)?;
    if options.json {
        let answer = Object::new().path("path", path);
        session.object(answer.path("allow", &name));
    } else {
        let mut line = entry::name(name.as_os_str(), session.is_terminal());
        line.push(b'\n');
        session.data(&line);
    }
    Ok(())
}

/// Prints what a file holds. A pipe that nobody writes to is empty.
fn cat(root: &Root, path: &Path, session: &Session) -> Result<(), Refused> {
    let options = OpenOptions::new().read(true).nonblocking(true);
    let mut file = root.open_file(path, &options)?;
    let mut buffer = vec![0; READ];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => session.data(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Refused::by_system(Operation::ReadFile, &error)),
        }
        if session.is_over() {
            return Ok(());
        }
    }
}

/// Prints what is known of what a path leads to.
fn tell(
    options: &BeneathOptions,
    root: &Root,
    path: &Path,
    session: &Session,
    zone: &LocalZone,
) -> Result<(), Refused> {
    let fields = stat::union(&stat::USUAL).without(Fields::TARGET);
    let metadata = root.stat(path, Plan::new(fields).follow(Follow::Links))?;
    let shown = Shown { name: stat::name(path), path, metadata: &metadata };
    if options.json {
        session.object(entry::object(&shown, fields | Fields::NAME));
    } else {
        let style = Style { zone, quoted: session.is_terminal() };
        session.data(&stat::block(&shown, &stat::USUAL, &style));
    }
    Ok(())
}
