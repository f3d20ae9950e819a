//! Prints the entries of a directory in order, each with its kind, size and time.
//!
//! `cargo run --example list_with_times -- FOLDER`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::PathBuf;

use curt::Fields;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| ".".into(), PathBuf::from);
    let mut entries = Vec::new();
    for entry in curt::list(folder)?.fields(Fields::SIZE | Fields::MODIFIED) {
        entries.push(entry?);
    }
    entries.sort_by_key(|entry| entry.name().to_owned());
    for entry in &entries {
        let metadata = &entry.metadata;
        let seconds = metadata.modified().known().map_or(0, |time| time.seconds);
        let size = metadata.size().known().unwrap_or_default();
        let (kind, name) = (entry.kind().name(), entry.name().to_string_lossy());
        println!("{kind:9} {size:>10} {seconds:>11} {name}");
    }
    Ok(())
}
