//! Runs each fuzz target once on each file of its corpus. Any compiler suffices.

use crate::host::{self, Failure, Outcome};
use crate::say;
use std::fs;
use std::process::{Command, Stdio};

pub(crate) fn replay(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("fuzz-replay takes no arguments"));
    }
    let folder = host::checkout().join("fuzz");
    let (output, triple) = (folder.join("target"), host::triple());
    let mut build = host::cargo();
    // With an explicit target, the flag is not used for build scripts.
    build.args(["build", "--quiet", "--locked", "--bins", "--target", &triple]);
    build.current_dir(&folder).env("CARGO_TARGET_DIR", &output);
    host::check(build.env("CARGO_ENCODED_RUSTFLAGS", "--cfg=fuzzing"))?;
    let (mut targets, mut files) = (0, 0);
    for source in fs::read_dir(folder.join("fuzz_targets"))? {
        let source = source?.path();
        let target = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let corpus = folder.join("corpus").join(&target);
        let corpus: Vec<_> = fs::read_dir(corpus)?.flatten().map(|file| file.path()).collect();
        let mut replay = Command::new(output.join(&triple).join("debug").join(&target));
        // Without file arguments, the target would fuzz endlessly.
        let output = replay.arg("-runs=1").args(&corpus).stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(Failure::new(format!("{said}{target} ended with {}", output.status)));
        }
        for reason in said.lines().filter(|line| line.starts_with("skipped: ")) {
            say::out(format_args!("fuzz-replay: {target} {reason}"));
        }
        (targets, files) = (targets + 1, files + corpus.len());
    }
    say::out(format_args!("fuzz-replay: {targets} targets, {files} files"));
    Ok(())
}
