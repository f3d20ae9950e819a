//! `curt which`: the file that a program's name stands for.

mod answer;
mod batch;

pub(crate) use answer::explained;
use curt::{Calls, Cancel, FindCause, FindError, Found, Search};

use crate::args::WhichOptions;
use crate::exit::Exit;
use crate::out::json::{self, Object};
use crate::out::{self, Screen, entry, text};
use crate::quote::{for_terminal, quote};
use crate::sys;

/// What messages begin with.
const PROGRAM: &str = "curt which";

/// Set when the reader of the output went away.
static GONE: Cancel = Cancel::new();

/// Answers what the options ask.
pub(crate) fn run(options: &WhichOptions) -> Exit {
    let search = match options.look_up.search() {
        Ok(search) => search,
        Err(message) => return out::usage(PROGRAM, &message, options.json),
    };
    let screen = Screen::new(true, false, &GONE);
    let exit = if options.batch {
        batch::run(options, &screen)
    } else {
        Names { options, search, screen: &screen, found: 0, missing: 0 }.run()
    };
    screen.end(PROGRAM, exit, Exit::FAILURE)
}

/// The names of the command line.
struct Names<'a> {
    options: &'a WhichOptions,
    search: Search,
    screen: &'a Screen,
    found: u64,
    missing: u64,
}

impl Names<'_> {
    fn run(mut self) -> Exit {
        let names = &self.options.names;
        if self.options.explain {
            for name in names {
                let explanation = self.search.explain(name);
                let lines = if self.options.json {
                    answer::explanation(name, &explanation).line()
                } else {
                    answer::explained(name, &explanation)
                };
                self.count(explanation.result.is_ok());
                self.screen.data(lines.as_bytes());
            }
        } else if self.options.all {
            for name in names {
                let all: Vec<_> = self.search.find_all(name).collect();
                self.count(all.iter().any(Result::is_ok));
                for answer in all {
                    self.tell(name, answer);
                }
            }
        } else {
            let answers = self.search.find_many(names);
            for (name, answer) in names.iter().zip(answers) {
                self.count(answer.is_ok());
                self.tell(name, answer);
            }
        }
        self.sum_up();
        if self.missing == 0 { Exit::SUCCESS } else { Exit::FAILURE }
    }

    fn count(&mut self, is_found: bool) {
        *if is_found { &mut self.found } else { &mut self.missing } += 1;
    }

    /// Tells of one file, or of why there is none.
    fn tell(&mut self, name: &std::ffi::OsStr, answer: Result<Found, FindError>) {
        if GONE.is_cancelled() {
            return;
        }
        match answer {
            Ok(mut found) if self.options.json => {
                self.search.look_into(&mut found);
                let object = Object::new().raw("name", &json::os_string(name));
                self.screen.data(answer::found(object, &found).line().as_bytes());
            }
            Ok(found) => {
                let path = found.path();
                let is_shown = !self.options.null && self.screen.is_terminal();
                let mut line = entry::name(path.as_os_str(), is_shown);
                line.push(if self.options.null { 0 } else { b'\n' });
                self.screen.data(&line);
            }
            Err(error) if self.options.json => {
                let object = Object::new().raw("name", &json::os_string(name));
                self.screen.data(answer::failure(object, &error).line().as_bytes());
            }
            Err(error) => self.screen.message(&complaint(&error)),
        }
    }

    fn sum_up(&self) {
        let calls = self.search.calls();
        if self.options.json {
            let mut summary =
                Object::new().number("found", self.found).number("missing", self.missing);
            if self.options.stats {
                summary = summary.object("calls", json::calls(&calls));
            }
            self.screen.data(Object::new().object("summary", summary).line().as_bytes());
        } else if self.options.stats {
            self.screen.message(&stats(&calls));
        }
    }
}

fn stats(calls: &Calls) -> String {
    format!("{PROGRAM}: {} calls\n{}", calls.total(), text::calls(calls))
}

/// The name, and why it was not found.
pub(crate) fn not_found(error: &FindError) -> String {
    format!("{}: {}", for_terminal(error.name(), ":"), reason(error))
}

/// Why a name was not found, with the option that finds it.
pub(crate) fn reason(error: &FindError) -> String {
    let reason = match error.cause() {
        FindCause::OnlyInWorkingDirectory => {
            "it is only in the working directory, which --cwd always searches".to_owned()
        }
        FindCause::Os(error) => sys::error_text(error),
        _ => error.reason(),
    };
    match error.path() {
        Some(path) => format!("{reason}: {}", quote(path)),
        None => reason,
    }
}

fn complaint(error: &FindError) -> String {
    let first = format!("{PROGRAM}: {}\n", not_found(error));
    let more = |directory| format!("{PROGRAM}: could not search {}\n", quote(directory));
    first + &error.unsearchable().iter().map(more).collect::<String>()
}
