use std::process::ExitCode;
use walkdir::WalkDir;

fn main() -> ExitCode {
    rival_tree_crates::run("tree-walkdir", |tree, answer| {
        for entry in WalkDir::new(tree) {
            let entry = entry?;
            answer.entry(entry.path(), || entry.metadata())?;
        }
        Ok(())
    })
}
