//! Removes one tree with the `remove_dir_all` crate. Two programs, because its serial and its
//! parallel form are different contenders: the crate's own default is serial.
use std::process::ExitCode;

/// Removes the tree named by the first argument.
pub fn run(name: &str, parallel: bool) -> ExitCode {
    let Some(tree) = std::env::args_os().nth(1) else {
        eprintln!("usage: {name} TREE");
        return ExitCode::from(2);
    };
    let builder = remove_dir_all::RemoverBuilder::new();
    let remover = if parallel { builder.parallel() } else { builder.serial() }.build();
    match remover.remove_dir_all(&tree) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {}: {error}", tree.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}
