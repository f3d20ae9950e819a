//! Removes one tree with the standard library's `std::fs::remove_dir_all`.
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(tree) = std::env::args_os().nth(1) else {
        eprintln!("usage: rm-rust-std TREE");
        return ExitCode::from(2);
    };
    match std::fs::remove_dir_all(&tree) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rm-rust-std: {}: {error}", tree.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}
