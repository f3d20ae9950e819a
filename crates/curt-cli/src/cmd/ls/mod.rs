//! `curt ls`: lists directories.
//!
//! `settings` derives fields and output form from the options. `lister` traverses operands and
//! directories (`tree` with `--tree`). `item` holds an entry, `order` sorts, and `writer` prints
//! lines (`long`) or columns (`grid`).

mod grid;
mod hyperlinks;
mod ignored;
mod item;
mod lister;
mod long;
mod names;
mod order;
mod owners;
mod settings;
mod times;
mod tree;
mod version;
mod writer;

use crate::args::LsOptions;
use crate::exit::Exit;
use crate::out::json::Object;
use crate::out::{entry, text};
use crate::session::Outcome;
use lister::Lister;
use settings::Settings;

pub(super) use settings::quoting_of_environment;

pub(crate) fn run(options: &LsOptions) -> Exit {
    let session = options.output.session("curt ls");
    let fields = match options.fields.as_deref().map(entry::fields_named).transpose() {
        Ok(fields) => fields,
        Err(message) => return session.refuse(&message),
    };
    let settings = match Settings::new(options, fields, &session) {
        Ok(settings) => settings,
        Err(message) => return session.usage(&message),
    };
    let mut lister = Lister::new(&settings, &session);
    lister.run(&options.operands);
    let totals = lister.totals();
    let done = || {
        let entries = text::counted(totals.entries, "entry", "entries");
        let directories = text::counted(totals.directories, "directory", "directories");
        format!("{entries}, {directories}")
    };
    let summary = || {
        let summary = Object::new()
            .number("entries", totals.entries)
            .number("directories", totals.directories)
            .number("errors", session.errors());
        if options.total { summary.number("size", totals.size) } else { summary }
    };
    session.finish(&Outcome {
        summary: Some(&summary),
        done: Some(&done),
        calls: totals.calls,
        ..Outcome::default()
    })
}
