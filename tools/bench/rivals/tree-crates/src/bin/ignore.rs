//! Walks with the `ignore` crate on one thread, with its filters off.
use ignore::WalkBuilder;
use std::process::ExitCode;

fn main() -> ExitCode {
    rival_tree_crates::run("tree-ignore", |tree, answer| {
        for entry in WalkBuilder::new(tree).standard_filters(false).build() {
            let entry = entry?;
            answer.entry(entry.path(), || entry.metadata())?;
        }
        Ok(())
    })
}
