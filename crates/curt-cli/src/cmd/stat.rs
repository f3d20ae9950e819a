//! `curt stat`: prints metadata, by field or as GNU stat does. Costs one system call per file, and
//! another for the target of a symlink.

mod file_systems;
mod format;
mod gnu;

use std::io::Write as _;
use std::path::Path;

use curt::fields::{Follow, Value};
use curt::list::Stat;
use curt::{Error, Fields, Kind, Metadata, Plan};

use super::base_name;
use crate::args::StatOptions;
use crate::exit::Exit;
use crate::out::entry::{self, Shown, TextStyle};
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::quote;
use crate::session::Session;
use crate::time::{LocalZone, Zone};

/// The fields of one system call, and the target of a symlink. Owner names would cost more calls.
pub(super) const DEFAULT: [Fields; 15] = [
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

pub(crate) fn run(options: &StatOptions) -> Exit {
    let session = options.output.session("curt stat");
    let fields = match options.fields.as_deref().map(entry::fields_named).transpose() {
        Ok(fields) => fields.unwrap_or_else(|| DEFAULT.to_vec()),
        Err(message) => return session.refuse(&message),
    };
    if options.is_gnu() { gnu::run(options, &session) } else { print(options, &fields, &session) }
}

fn plan(options: &StatOptions, fields: Fields) -> Plan {
    if options.dereference {
        // The kind shows whether a symlink was followed.
        Plan::new(fields | Fields::KIND).follow(Follow::Links)
    } else {
        Plan::new(fields)
    }
}

/// Reads metadata. As in GNU stat, `-L` makes a broken symlink an error; the library would return
/// the symlink itself.
fn query(stat: &mut Stat, path: &Path, options: &StatOptions) -> Result<Metadata, Error> {
    let metadata = stat.path(path)?;
    let is_link = matches!(metadata.kind(), Kind::Symlink | Kind::Junction);
    if options.dereference && is_link {
        // The trailing slash forces the symlink to be followed.
        return stat.path(path.join(""));
    }
    Ok(metadata)
}

fn print(options: &StatOptions, fields: &[Fields], session: &Session) -> Exit {
    let all = entry::union(fields);
    let all = if session.is_json() { all | Fields::NAME } else { all };
    let mut stat = Stat::new(plan(options, all));
    let zone = LocalZone::new(Zone::local);
    let mut text = Vec::new();
    let mut count = 0_u64;
    for operand in session.until_cancelled(&options.operands) {
        let path = Path::new(operand);
        let metadata = match query(&mut stat, path, options) {
            Ok(metadata) => metadata,
            Err(error) => {
                let reason = text::reason(error.cause());
                let message = format!("cannot access {}: {reason}", quote(path));
                session.fail_as(Failure::from(&error).path(path), &message);
                continue;
            }
        };
        count += 1;
        let shown = Shown { name: base_name(path), path, metadata: &metadata };
        if session.is_json() {
            // The JSON object already includes these errors.
            metadata.failures().for_each(|_| session.count_failure());
            session.object(entry::object(&shown, all));
        } else {
            text.clear();
            add_block(&shown, fields, &zone, &mut text);
            session.data(&text);
            metadata.failures().for_each(|(_, error)| session.fail(error));
        }
    }
    session.finish_counted("entries", (count, "path", "paths"), &stat.calls())
}

/// Adds a path and its metadata, one field per line. Always quotes unusual names, because a newline
/// in one could fake a field.
pub(super) fn add_block(
    shown: &Shown<'_>,
    fields: &[Fields],
    zone: &LocalZone,
    text: &mut Vec<u8>,
) {
    let style = &TextStyle { zone, is_quoted: true };
    text.extend(b"path: ");
    text.extend(entry::name(shown.path.as_os_str(), true));
    text.push(b'\n');
    for &field in fields {
        let is_absent =
            || matches!(shown.metadata.target(), Value::Unsupported | Value::NotRequested);
        if field == Fields::TARGET && is_absent() {
            continue;
        }
        let _ = write!(text, "{field}: ");
        entry::add_field(shown, field, style, text);
        text.push(b'\n');
    }
}
