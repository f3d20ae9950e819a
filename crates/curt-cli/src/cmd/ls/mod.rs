//! `curt ls`.
//!
//! `settings` says what the options come to, and what has to be asked for them; `lister` goes through
//! operands and directories; `item` holds what was found, `order` sorts it; `shown` writes it, in lines
//! (`long`) or in columns (`grid`).

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

use curt::Cancel;

use crate::args::LsOptions;
use crate::exit::Exit;
use crate::out::json::Object;
use crate::out::{self, Screen, json, text};
use lister::{Lister, Totals};
use settings::{Form, Settings};

/// What messages begin with.
const PROGRAM: &str = "curt ls";

/// Set when the reader of the output went away.
static GONE: Cancel = Cancel::new();

/// Lists what the options say.
pub(crate) fn run(options: &LsOptions) -> Exit {
    let settings = match Settings::new(options) {
        Ok(settings) => settings,
        Err(message) => return out::usage(PROGRAM, &message, options.json),
    };
    let screen = Screen::new(true, false, &GONE);
    let totals = if options.explain_cost {
        screen.data(explanation(&settings, options.json).as_bytes());
        Totals::default()
    } else {
        let mut lister = Lister::new(&settings, &screen, &GONE);
        lister.run(&options.operands);
        lister.totals()
    };
    finish(options, &settings, &screen, &totals)
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

/// Says how it went, and turns it into an exit code.
fn finish(options: &LsOptions, settings: &Settings, screen: &Screen, totals: &Totals) -> Exit {
    let is_json = matches!(settings.form, Form::Json(_));
    if is_json && !options.explain_cost {
        let mut summary = Object::new()
            .number("entries", totals.entries)
            .number("directories", totals.directories)
            .number("errors", totals.errors);
        if options.stats {
            summary = summary.object("calls", json::calls(&totals.calls));
        }
        screen.data(Object::new().object("summary", summary).line().as_bytes());
    } else if options.stats {
        screen.message(&format!(
            "{PROGRAM}: {}, {}, {}\n{}",
            text::counted(totals.entries, "entry", "entries"),
            text::counted(totals.directories, "directory", "directories"),
            text::counted(totals.calls.total(), "call", "calls"),
            text::calls(&totals.calls)
        ));
    }
    screen.end(PROGRAM, totals.exit, Exit::USAGE)
}
