//! `curt beneath`: untrusted paths that cannot leave a directory.

mod batch;
mod check;
mod verdict;

use std::io::{self, Read};
use std::path::Path;

use curt::paths::Aliases;
use curt::{Calls, Cancel, Fields, Follow, OpenOptions, Operation, Plan, Root, Scope};

use self::verdict::Refused;
use crate::args::{BeneathOptions, Mode};
use crate::cmd::stat;
use crate::exit::Exit;
use crate::out::entry::{self, Shown, Style};
use crate::out::json::{self, Object};
use crate::out::{self, Screen, text};
use crate::time::{LocalZone, Zone};

/// What messages begin with.
const PROGRAM: &str = "curt beneath";

/// How much of a file is read at a time.
const READ: usize = 64 * 1024;

/// Set when the reader of the output went away.
static GONE: Cancel = Cancel::new();

/// Answers what the options ask.
pub(crate) fn run(options: &BeneathOptions) -> Exit {
    if !options.check_only && (options.flavor.is_some() || options.release.is_some()) {
        return out::usage(PROGRAM, "--flavor and --release go with --check-only", options.json);
    }
    let screen = Screen::new(true, false, &GONE);
    let Some(path) = &options.root else {
        return screen.end(PROGRAM, check::run(options, &screen), Exit::FAILURE);
    };
    let root = match Root::open_without(path, &options.without()) {
        Ok(root) => root.scope(scope(options.in_root)).aliases(aliases(options.mode)),
        Err(error) if options.json => {
            screen.data(json::failure(&error).as_bytes());
            return screen.end(PROGRAM, Exit::FAILURE, Exit::FAILURE);
        }
        Err(error) => {
            out::complain(&text::failed(PROGRAM, &error));
            return Exit::FAILURE;
        }
    };
    let exit = if options.batch {
        batch::run(options, &root, &screen)
    } else {
        paths(options, &root, &screen)
    };
    screen.end(PROGRAM, exit, Exit::FAILURE)
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
fn paths(options: &BeneathOptions, root: &Root, screen: &Screen) -> Exit {
    // Found only where a time is to be shown.
    let zone = LocalZone::new(Zone::local);
    let mut counts = Counts::default();
    for operand in &options.operands {
        if GONE.is_cancelled() {
            break;
        }
        let path = Path::new(operand);
        let answer = if options.cat {
            cat(root, path, screen)
        } else if options.stat {
            tell(options, root, path, screen, &zone)
        } else {
            name(options, root, path, screen)
        };
        match answer {
            Ok(()) => counts.allowed += 1,
            Err(error) => counts.tell(error, path, options.json, screen),
        }
    }
    counts.sum_up(options, &root.calls(), screen)
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
    fn tell(&mut self, error: Refused, path: &Path, is_json: bool, screen: &Screen) {
        if error.is_denied {
            self.refused += 1;
        } else {
            self.failed += 1;
        }
        if is_json {
            screen.data(error.answer(path).line().as_bytes());
        } else {
            screen.message(&error.line(PROGRAM, path));
        }
    }

    fn sum_up(self, options: &BeneathOptions, calls: &Calls, screen: &Screen) -> Exit {
        if options.json {
            let mut summary = Object::new()
                .number("allowed", self.allowed)
                .number("refused", self.refused)
                .number("errors", self.failed);
            if options.stats {
                summary = summary.object("calls", json::calls(calls));
            }
            screen.data(Object::new().object("summary", summary).line().as_bytes());
        } else {
            stats(options, calls, screen);
        }
        if self.refused + self.failed == 0 { Exit::SUCCESS } else { Exit::FAILURE }
    }
}

fn stats(options: &BeneathOptions, calls: &Calls, screen: &Screen) {
    if options.stats {
        screen.message(&format!("{PROGRAM}: {} calls\n{}", calls.total(), text::calls(calls)));
    }
}

/// Prints the name of a path.
fn name(
    options: &BeneathOptions,
    root: &Root,
    path: &Path,
    screen: &Screen,
) -> Result<(), Refused> {
    let name = verdict::name(root, path, options.name)?;
    if options.json {
        let answer = Object::new().path("path", path);
        screen.data(answer.path("allow", &name).line().as_bytes());
    } else {
        let mut line = entry::name(name.as_os_str(), screen.is_terminal());
        line.push(b'\n');
        screen.data(&line);
    }
    Ok(())
}

/// Prints what a file holds. A pipe that nobody writes to is empty.
fn cat(root: &Root, path: &Path, screen: &Screen) -> Result<(), Refused> {
    let options = OpenOptions::new().read(true).nonblocking(true);
    let mut file = root.open_file(path, &options)?;
    let mut buffer = vec![0; READ];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => screen.data(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Refused::by_system(Operation::ReadFile, &error)),
        }
        if GONE.is_cancelled() {
            return Ok(());
        }
    }
}

/// Prints what is known of what a path leads to.
fn tell(
    options: &BeneathOptions,
    root: &Root,
    path: &Path,
    screen: &Screen,
    zone: &LocalZone,
) -> Result<(), Refused> {
    let fields = stat::union(&stat::USUAL).without(Fields::TARGET);
    let metadata = root.stat(path, Plan::new(fields).follow(Follow::Links))?;
    let shown = Shown { name: stat::name(path), path, metadata: &metadata };
    if options.json {
        screen.data(entry::object(&shown, fields | Fields::NAME).line().as_bytes());
    } else {
        let style = Style { zone, quoted: screen.is_terminal() };
        screen.data(&stat::block(&shown, &stat::USUAL, &style));
    }
    Ok(())
}
