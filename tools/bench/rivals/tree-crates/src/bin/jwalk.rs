//! Walks with the `jwalk` crate on its default number of threads.
use jwalk::WalkDir;
use std::process::ExitCode;

fn main() -> ExitCode {
    rival_tree_crates::run("tree-jwalk", |tree, answer| {
        for entry in WalkDir::new(tree).skip_hidden(false) {
            let entry = entry?;
            answer.entry(&entry.path(), || entry.metadata())?;
        }
        Ok(())
    })
}
