//! Prints the entries of a directory in order, each with its kind, size and time.
//!
//! `cargo run --example list_with_times -- FOLDER`
#![allow(clippy::print_stdout, reason = "an example prints")]

use curt::Fields;
use curt::fields::Value;

fn main() -> Result<(), curt::Error> {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let list = curt::list(folder)?.fields(Fields::SIZE | Fields::MODIFIED);
    let mut entries = list.into_iter().collect::<Result<Vec<_>, _>>()?;
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    for entry in &entries {
        let (kind, name) = (entry.kind().name(), entry.name().to_string_lossy());
        let (size, time) = (shown(entry.metadata.size()), shown(entry.metadata.modified()));
        println!("{kind:9} {size:>10} {time:30} {name}");
    }
    Ok(())
}

/// A value as text; `?` if there is none.
fn shown<T: ToString>(value: Value<'_, T>) -> String {
    value.known().map_or_else(|| "?".into(), |value| value.to_string())
}
