use crate::debian_root;
use crate::host::{Failure, Outcome};
use crate::skips::{self, Skip};

const NO_SOURCE: i32 = 77;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let filter = match arguments {
        [] => "",
        [filter] if !filter.starts_with('-') => filter,
        _ => return Err(Failure::usage("gnu-tests takes one part of the names of tests")),
    };
    let skipped = |reason: &str| {
        let [suite, test, reason] = ["xtask", "gnu-tests", reason].map(str::to_owned);
        skips::chore(&Skip { suite, test, reason })
    };
    let status =
        debian_root::command("linux,gnu", &["bash", "tools/gnu/run.sh", filter]).status()?;
    match status.code() {
        Some(0) => Ok(()),
        Some(3) => skipped("the Debian root cannot be used here"),
        Some(NO_SOURCE) => skipped("the source of Debian's coreutils cannot be had here"),
        _ => Err(Failure::new(format!("GNU's tests ended with {status}"))),
    }
}
