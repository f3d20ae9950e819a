//! Prints the files below directories with their sizes, except files that git ignores.
//!
//! `cargo run -p curt --example walk_with_ignore -- FOLDER…`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use curt::filters::IgnoreRules;
use curt::{Fields, Walk};

fn main() {
    let folders: Vec<_> = std::env::args_os().skip(1).collect();
    // Several threads call the closure in parallel.
    let summary = Walk::new(folders).ignore(IgnoreRules::new()).visit(|entry| match entry {
        Ok(mut entry) if entry.kind().is_file() => {
            // On Linux a size costs a call, so query it only for files.
            let size = entry.fetch(Fields::SIZE).size().known();
            let size = size.map_or_else(|| "?".into(), |size| size.to_string());
            println!("{size:>10} {}", entry.path().display());
        }
        Ok(_) => {}
        Err(error) => eprintln!("{error}"),
    });
    eprintln!("{} entries, {} calls", summary.entries, summary.calls.total());
}
