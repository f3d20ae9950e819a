//! Prints the sorted entries of a directory with kind, size and time.
//!
//! `cargo run -p curt --example list_with_times -- FOLDER`
#![allow(clippy::print_stdout, reason = "an example prints")]

use curt::Fields;
use curt::fields::Value;

fn main() -> Result<(), curt::Error> {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let mut list = curt::list(folder)?.fields(Fields::SIZE | Fields::MODIFIED);
    let mut entries = Vec::new();
    while let Some(entry) = list.next() {
        let entry = entry?;
        entries.push((entry.to_name(), entry.into_metadata()));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (name, metadata) in &entries {
        let (kind, name) = (metadata.kind().name(), name.to_string_lossy());
        let (size, time) = (shown(metadata.size()), shown(metadata.modified()));
        println!("{kind:9} {size:>10} {time:30} {name}");
    }
    Ok(())
}

fn shown<T: ToString>(value: Value<'_, T>) -> String {
    value.known().map_or_else(|| "?".into(), |value| value.to_string())
}
