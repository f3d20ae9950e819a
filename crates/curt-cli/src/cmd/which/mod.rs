//! `curt which`: the file that a program's name stands for.

mod answer;
mod batch;

pub(crate) use answer::explained;
use curt::{FindCause, FindError, Found, Search};

use crate::args::WhichOptions;
use crate::exit::Exit;
use crate::out::entry;
use crate::out::json::{self, Object};
use crate::quote::{for_terminal, quote};
use crate::session::{Common, Ending, Session};
use crate::sys;

/// Answers what the options ask.
pub(crate) fn run(options: &WhichOptions) -> Exit {
    let common = Common { program: "curt which", json: options.json, stats: options.stats };
    let session = &Session::new(common);
    match options.look_up.search() {
        Err(message) => session.usage(&message),
        Ok(_) if options.batch => batch::run(options, session),
        Ok(search) => Names { options, search, session, found: 0, missing: 0 }.run(),
    }
}

/// The names of the command line.
struct Names<'a> {
    options: &'a WhichOptions,
    search: Search,
    session: &'a Session,
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
                self.session.data(lines.as_bytes());
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
        self.session.count_errors(self.missing);
        let Names { found, missing, .. } = self;
        self.session.end(Ending {
            summary: Object::new().number("found", found).number("missing", missing),
            calls: self.search.calls(),
            ..Ending::default()
        })
    }

    fn count(&mut self, is_found: bool) {
        *if is_found { &mut self.found } else { &mut self.missing } += 1;
    }

    /// Tells of one file, or of why there is none.
    fn tell(&mut self, name: &std::ffi::OsStr, answer: Result<Found, FindError>) {
        if self.session.is_over() {
            return;
        }
        match answer {
            Ok(mut found) if self.options.json => {
                self.search.look_into(&mut found);
                let object = Object::new().raw("name", &json::os_string(name));
                self.session.object(answer::found(object, &found));
            }
            Ok(found) => {
                let path = found.path();
                let is_shown = !self.options.null && self.session.is_terminal();
                let mut line = entry::name(path.as_os_str(), is_shown);
                line.push(if self.options.null { 0 } else { b'\n' });
                self.session.data(&line);
            }
            Err(error) if self.options.json => {
                let object = Object::new().raw("name", &json::os_string(name));
                self.session.object(answer::failure(object, &error));
            }
            Err(error) => self.session.message(&complaint(self.session.program(), &error)),
        }
    }
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

fn complaint(program: &str, error: &FindError) -> String {
    let first = format!("{program}: {}\n", not_found(error));
    let more = |directory| format!("{program}: could not search {}\n", quote(directory));
    first + &error.unsearchable().iter().map(more).collect::<String>()
}
