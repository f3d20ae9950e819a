//! `curt ls`.
//!
//! `settings` says what the options come to, and what has to be asked for them; `lister` goes
//! through operands and directories; `item` holds what was found, `order` sorts it; `shown` writes
//! it, in lines (`long`) or in columns (`grid`).

mod colors;
mod grid;
mod item;
mod lister;
mod long;
mod ls_colors;
mod names;
mod order;
mod owners;
mod settings;
mod shown;
mod times;

use crate::args::LsOptions;
use crate::exit::Exit;
use crate::out::json::Object;
use crate::out::text;
use crate::session::{Common, Ending, Session};
use lister::Lister;
use settings::Settings;

/// What messages begin with.
const PROGRAM: &str = "curt ls";

/// Lists what the options say.
pub(crate) fn run(options: &LsOptions) -> Exit {
    let common = Common { program: PROGRAM, json: options.json, stats: options.stats };
    let session = Session::new(common);
    let settings = match Settings::new(options) {
        Ok(settings) => settings,
        Err(message) => return session.usage(&message),
    };
    if options.explain_cost {
        session.data(explanation(&settings, options.json).as_bytes());
        return session.close(false, Exit::SUCCESS, Exit::USAGE);
    }
    let mut lister = Lister::new(&settings, &session);
    lister.run(&options.operands);
    let totals = lister.totals();
    let entries = text::counted(totals.entries, "entry", "entries");
    let directories = text::counted(totals.directories, "directory", "directories");
    let ending = Ending {
        summary: Object::new()
            .number("entries", totals.entries)
            .number("directories", totals.directories)
            .number("errors", session.errors()),
        done: format!("{entries}, {directories}"),
        calls: totals.calls,
        ..Ending::default()
    };
    session.end_as(ending, totals.exit, Exit::USAGE)
}

/// What the options cost.
fn explanation(settings: &Settings, is_json: bool) -> String {
    let plan = settings.plan();
    let cost = plan.cost();
    if is_json {
        let cost = Object::new()
            .text("fields", &plan.fields().to_string())
            .number("directory", cost.directory)
            .number("entry", cost.entry)
            .number("link", cost.link);
        return Object::new().object("cost", cost).line();
    }
    format!("{}: {cost}\n", plan.fields())
}
