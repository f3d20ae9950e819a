//! `curt stat`: what is known of paths. One call for each, and one more for what a link holds.

mod batch;

use std::ffi::OsStr;
use std::path::{Component, Path};

use curt::{Fields, Follow, Plan, Stat};

use crate::args::StatOptions;
use crate::exit::Exit;
use crate::out::entry::{self, Shown, Style};
use crate::out::json::Object;
use crate::out::{self, text};
use crate::session::{Common, Ending, Session};
use crate::time::{LocalZone, Zone};

/// What is told where nobody says: all that one call tells, and what a link holds. The names of
/// owners would cost more.
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

/// Answers what the options ask.
pub(crate) fn run(options: &StatOptions) -> Exit {
    let common = Common { program: "curt stat", json: options.json, stats: options.stats };
    let session = Session::new(common);
    let fields = match options.fields.as_deref().map(entry::fields_named).transpose() {
        Ok(fields) => fields.unwrap_or_else(|| USUAL.to_vec()),
        Err(message) => return session.usage(&message),
    };
    if options.batch {
        batch::run(options, union(&fields), &session)
    } else {
        paths(options, &fields, &session)
    }
}

pub(crate) fn union(fields: &[Fields]) -> Fields {
    fields.iter().fold(Fields::NONE, |all, &field| all | field)
}

fn plan(options: &StatOptions, fields: Fields) -> Plan {
    Plan::new(fields).follow(if options.dereference { Follow::Links } else { Follow::Never })
}

/// Answers for the operands.
fn paths(options: &StatOptions, fields: &[Fields], session: &Session) -> Exit {
    let all = if options.json { union(fields) | Fields::NAME } else { union(fields) };
    let mut stat = Stat::new(plan(options, all));
    // Found only where a time is to be shown.
    let zone = LocalZone::new(Zone::local);
    let quoted = !options.json && out::is_terminal();
    let mut told = 0_u64;
    for operand in &options.operands {
        if session.is_over() {
            break;
        }
        let path = Path::new(operand);
        match stat.path(path) {
            Ok(metadata) => {
                told += 1;
                let shown = Shown { name: name(path), path, metadata: &metadata };
                if options.json {
                    session.object(entry::object(&shown, all));
                } else {
                    let style = Style { zone: &zone, quoted };
                    session.data(&block(&shown, fields, &style));
                }
                for (_, error) in metadata.failures() {
                    // In JSON, a field that could not be had says so itself.
                    session.count_errors(1);
                    if !options.json {
                        session.message(&text::failed(session.program(), error));
                    }
                }
            }
            Err(error) => session.fail(&error),
        }
    }
    session.end(Ending {
        summary: Object::new().number("entries", told).number("errors", session.errors()),
        done: text::counted(told, "path", "paths"),
        calls: stat.calls(),
        ..Ending::default()
    })
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
