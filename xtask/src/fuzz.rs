//! Runs a fuzz target of `fuzz/` with any compiler: what `cargo fuzz` tells a nightly one to do, a stable one
//! can be told to do as well. The sanitizers are left out; they look for what only `unsafe` could do.

use crate::host::{self, Failure, Outcome};
use std::fs;
use std::process::Command;

/// What makes libFuzzer see which way a program goes.
const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Cdebug-assertions",
    "-Ccodegen-units=1",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The task `fuzz`: what follows the target is libFuzzer's.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let targets = targets()?;
    let Some((target, options)) =
        arguments.split_first().filter(|(name, _)| targets.contains(name))
    else {
        return Err(Failure::usage(format!(
            "fuzz TARGET [OPTION…]: one of {}",
            targets.join(", ")
        )));
    };
    let folder = host::checkout().join("fuzz");
    let corpus = folder.join("corpus").join(target);
    fs::create_dir_all(&corpus)?;
    let triple = host::output_of("rustc", &["-vV"]).unwrap_or_default();
    let triple = triple.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    // With a target named, the flags do not reach what runs during the build.
    build.args(["build", "--quiet", "--release", "--locked", "--bin", target, "--target", triple]);
    build.current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
    host::check(build.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f")))?;
    let mut fuzz = Command::new(folder.join("target").join(triple).join("release").join(target));
    host::check(fuzz.current_dir(&folder).arg(&corpus).args(options))
}

/// The targets, by their files.
fn targets() -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for file in fs::read_dir(host::checkout().join("fuzz/fuzz_targets"))? {
        names.extend(file?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_built() {
        let manifest = fs::read_to_string(host::checkout().join("fuzz/Cargo.toml")).unwrap();
        let targets = targets().unwrap();
        assert_eq!(targets.len(), manifest.matches("[[bin]]").count());
        for target in targets {
            assert!(manifest.contains(&format!("fuzz_targets/{target}.rs")), "{target}");
        }
    }
}
