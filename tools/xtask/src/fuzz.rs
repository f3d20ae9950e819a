//! Runs a fuzz target of `fuzz/` with any compiler: what `cargo fuzz` tells a nightly one to do, a
//! stable one can be told to do as well. The sanitizers are left out; they look for what only
//! `unsafe` could do, and the tests of libcurt in C run with them.

use crate::host::{self, Failure, Outcome};
use crate::say;
use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;

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
    build(std::slice::from_ref(target), "release", FLAGS)?;
    fuzz(target, options)
}

/// The task `fuzz-all`: every target for that many seconds, from its committed corpus; as many
/// targets at a time as there are processors.
pub(crate) fn run_all(arguments: &[String]) -> Outcome {
    let usage = || Failure::usage("fuzz-all [SECONDS]: for each target, 60 if nothing is said");
    let seconds: u32 = match arguments {
        [] => 60,
        [seconds] => seconds.parse().map_err(|_| usage())?,
        _ => return Err(usage()),
    };
    let targets = targets()?;
    build(&targets, "release", FLAGS)?;
    let options = [format!("-max_total_time={seconds}"), "-verbosity=0".to_owned()];
    let at_a_time = thread::available_parallelism().map_or(1, NonZero::get);
    let waiting = Mutex::new(targets.iter());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..at_a_time.min(targets.len()) {
            scope.spawn(|| {
                while let Some(target) = next() {
                    say::out(format_args!("fuzz: {target}, {seconds} seconds"));
                    if let Err(failure) = fuzz_apart(target, &options) {
                        say::out(format_args!("fuzz: {target} failed\n{}", failure.text));
                        failures.lock().unwrap_or_else(PoisonError::into_inner).push(target);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failures.is_empty() {
        say::out(format_args!("fuzz: {} targets, nothing found", targets.len()));
        return Ok(());
    }
    let names: Vec<&str> = failures.into_iter().map(String::as_str).collect();
    Err(Failure::new(format!("these fuzz targets failed: {}", names.join(", "))))
}

/// The task `fuzz-replay`: what once made a target fail does not any more. Neither a search nor its
/// instruments are needed, and nothing is optimized.
pub(crate) fn replay(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("fuzz-replay takes no arguments"));
    }
    let targets = targets()?;
    build(&targets, "dev", &FLAGS[..1])?;
    let mut files = 0;
    for target in &targets {
        let corpus: Vec<_> = fs::read_dir(folder().join("corpus").join(target))?.collect();
        let mut replay = program(target, "debug");
        for file in corpus {
            replay.arg(file?.path());
            files += 1;
        }
        let output = replay.stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(Failure::new(format!("{said}{target} ended with {}", output.status)));
        }
        for reason in said.lines().filter(|line| line.starts_with("skipped: ")) {
            say::out(format_args!("fuzz-replay: {target} {reason}"));
        }
    }
    say::out(format_args!("fuzz-replay: {} targets, {files} files", targets.len()));
    Ok(())
}

/// Runs a target beside others; what it said belongs to its failure.
fn fuzz_apart(target: &str, options: &[String]) -> Outcome {
    let output = command(target, options)?.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!("{said}it ended with {}", output.status)))
}

/// Builds targets.
fn build(targets: &[String], profile: &str, flags: &[&str]) -> Outcome {
    let mut build = host::cargo();
    // With a target named, the flags do not reach what runs during the build.
    build.args(["build", "--quiet", "--profile", profile, "--locked"]);
    build.args(["--target", &host::triple()]);
    build.args(targets.iter().flat_map(|target| ["--bin", target]));
    build.current_dir(folder()).env("CARGO_TARGET_DIR", output());
    host::check(build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")))
}

/// The program of a target that was built.
fn program(target: &str, profile: &str) -> Command {
    Command::new(output().join(host::triple()).join(profile).join(target))
}

/// Runs a target that was built.
fn fuzz(target: &str, options: &[String]) -> Outcome {
    host::check(&mut command(target, options)?)
}

/// How a target that was built is run. What is new to its corpus, and what makes it fail, is
/// written to the folder `target`; `-merge=1` with the committed corpus first takes over what is
/// worth it.
fn command(target: &str, options: &[String]) -> Result<Command, Failure> {
    let found = output().join("found").join(target);
    let committed = folder().join("corpus").join(target);
    fs::create_dir_all(&found)?;
    fs::create_dir_all(&committed)?;
    let mut fuzz = program(target, "release");
    fuzz.arg(format!("-artifact_prefix={}/", output().join("found").display()));
    let is_merge = options.iter().any(|option| option.starts_with("-merge"));
    let folders = if is_merge { [committed, found] } else { [found, committed] };
    fuzz.current_dir(folder()).args(folders).args(options);
    Ok(fuzz)
}

fn folder() -> PathBuf {
    host::checkout().join("fuzz")
}

/// Where all of it is built; git ignores it.
fn output() -> PathBuf {
    folder().join("target")
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
    fn every_target_is_in_the_manifest_and_has_a_corpus() {
        let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
        let targets = targets().unwrap();
        assert_eq!(targets.len(), manifest.matches("[[bin]]").count());
        for target in targets {
            assert!(manifest.contains(&format!("fuzz_targets/{target}.rs")), "{target}");
            let corpus = fs::read_dir(folder().join("corpus").join(&target));
            assert!(corpus.is_ok_and(|corpus| corpus.count() > 0), "{target} has no corpus");
        }
    }
}
