//! `curt stat`: what is known of paths. One call for each, and one more for what a link holds.

mod batch;

use std::ffi::OsStr;
use std::path::{Component, Path};

use curt::{Cancel, Fields, Follow, Metadata, Plan, Stat};

use crate::args::StatOptions;
use crate::exit::Exit;
use crate::out::entry::{self, Shown, Style};
use crate::out::json::Object;
use crate::out::{self, Screen, json, text};
use crate::quote::quote;
use crate::time::{LocalZone, Zone};

/// What messages begin with.
const PROGRAM: &str = "curt stat";

/// What is told where nobody says: all that one call tells, and what a link holds. The names of owners
/// would cost more.
pub(crate) const USUAL: [Fields; 15] = [
    Fields::KIND,
    Fields::SIZE,
    Fields::ALLOCATED,
    Fields::MODE,
    Fields::LINKS,
    Fields::USER_ID,
    Fields::GROUP_ID,
    Fields::ID,
    Fields::DEVICE,
    Fields::DEVICE_NUMBER,
    Fields::MODIFIED,
    Fields::ACCESSED,
    Fields::CHANGED,
    Fields::CREATED,
    Fields::TARGET,
];

/// Set when the reader of the output went away.
static GONE: Cancel = Cancel::new();

/// Answers what the options ask.
pub(crate) fn run(options: &StatOptions) -> Exit {
    let fields = match options.fields.as_deref().map(entry::fields_named).transpose() {
        Ok(fields) => fields.unwrap_or_else(|| USUAL.to_vec()),
        Err(message) => {
            return out::usage(PROGRAM, &message, options.json);
        }
    };
    let screen = Screen::new(true, false, &GONE);
    let exit = if options.batch {
        batch::run(options, union(&fields), &screen)
    } else {
        paths(options, &fields, &screen)
    };
    screen.end(PROGRAM, exit, Exit::FAILURE)
}

pub(crate) fn union(fields: &[Fields]) -> Fields {
    fields.iter().fold(Fields::NONE, |all, &field| all | field)
}

fn plan(options: &StatOptions, fields: Fields) -> Plan {
    Plan::new(fields).follow(if options.dereference { Follow::Links } else { Follow::Never })
}

/// Answers for the operands.
fn paths(options: &StatOptions, fields: &[Fields], screen: &Screen) -> Exit {
    let all = if options.json { union(fields) | Fields::NAME } else { union(fields) };
    let mut stat = Stat::new(plan(options, all));
    // Found only where a time is to be shown.
    let zone = LocalZone::new(Zone::local);
    let quoted = !options.json && out::is_terminal();
    let (mut told, mut errors) = (0_u64, 0_u64);
    for operand in &options.operands {
        if GONE.is_cancelled() {
            break;
        }
        let path = Path::new(operand);
        match stat.path(path) {
            Ok(metadata) => {
                told += 1;
                let shown = Shown { name: name(path), path, metadata: &metadata };
                if options.json {
                    screen.data(entry::object(&shown, all).line().as_bytes());
                } else {
                    let style = Style { zone: &zone, quoted };
                    screen.data(&block(&shown, fields, &style));
                }
                errors += failures(&metadata, path, options.json, screen);
            }
            Err(error) => {
                errors += 1;
                if options.json {
                    screen.data(json::failure(&error).as_bytes());
                } else {
                    screen.message(&complaint(&error, path));
                }
            }
        }
    }
    let calls = stat.calls();
    if options.json {
        let mut summary = Object::new().number("entries", told).number("errors", errors);
        if options.stats {
            summary = summary.object("calls", json::calls(&calls));
        }
        screen.data(Object::new().object("summary", summary).line().as_bytes());
    } else if options.stats {
        let total = calls.total();
        screen.message(&format!("{PROGRAM}: {told} paths, {total} calls\n{}", text::calls(&calls)));
    }
    if errors == 0 { Exit::SUCCESS } else { Exit::FAILURE }
}

/// Says which fields could not be had; in JSON they say so themselves.
fn failures(metadata: &Metadata, path: &Path, is_json: bool, screen: &Screen) -> u64 {
    let mut count = 0;
    for (_, error) in metadata.failures() {
        count += 1;
        if !is_json {
            screen.message(&complaint(error, path));
        }
    }
    count
}

fn complaint(error: &curt::Error, path: &Path) -> String {
    let verb = error.operation().verb();
    format!("{PROGRAM}: cannot {verb} {}: {}\n", quote(path), text::reason(error.cause()))
}

/// The last part of a path, without separators behind it; a root is its own.
pub(crate) fn name(path: &Path) -> &OsStr {
    path.components().next_back().map_or(path.as_os_str(), Component::as_os_str)
}

/// A path and what is known of it, one field in a line.
pub(crate) fn block(shown: &Shown<'_>, fields: &[Fields], style: &Style<'_>) -> Vec<u8> {
    let mut block = b"path: ".to_vec();
    block.extend(entry::name(shown.path.as_os_str(), style.quoted));
    block.push(b'\n');
    for &field in fields {
        let value = entry::field(shown, field, style);
        if field == Fields::TARGET && value == b"-" {
            continue;
        }
        for (name, _) in field.iter() {
            block.extend(name.bytes());
        }
        block.extend(b": ");
        block.extend(value);
        block.push(b'\n');
    }
    block
}
