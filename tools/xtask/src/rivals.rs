//! Builds the small programs around other people's libraries that the benchmark compares with.
//!
//! Each folder under `tools/bench/rivals/` is one program with its own toolchain and lock file,
//! never a part of the workspace. What comes out lies in `target/rivals/NAME/`. A folder says how
//! it is built:
//!
//! 1. `build.sh` is run in the folder with `OUT` set to the absolute folder for the result;
//! 2. else a `Cargo.toml`: `cargo build --release --locked`, its target folder being that folder;
//! 3. else a `go.mod`: `go build`, the program being `NAME` in that folder.
//!
//! A rival that cannot be built here is named with its reason and skipped.

use crate::host::{self, Failure, Outcome};
use crate::say;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Where they are, from the top of the checkout.
const FOLDER: &str = "tools/bench/rivals";

/// The task `rivals`: all of them, or those named.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let top = host::checkout();
    let mut names = names(&top.join(FOLDER));
    if let Some(unknown) = arguments.iter().find(|name| !names.contains(name)) {
        return Err(Failure::usage(format!("no folder '{FOLDER}/{unknown}'")));
    }
    names.retain(|name| arguments.is_empty() || arguments.contains(name));
    if names.is_empty() {
        say::out("rivals: none here");
        return Ok(());
    }
    let mut table = Vec::new();
    for name in &names {
        say::err(format_args!("rivals: building {name}"));
        let start = Instant::now();
        let verdict = match build(name, &top.join("target/rivals").join(name)) {
            Ok(how) => format!("built    {how}"),
            Err(reason) => format!("skipped  {reason}"),
        };
        table.push(format!("  {name:<20} {:>6.1} s  {verdict}", start.elapsed().as_secs_f64()));
    }
    say::out("rivals:");
    table.iter().for_each(say::out);
    Ok(())
}

/// The rivals, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<_> =
        folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Builds one rival into a folder: how, or why not. Its whole output is kept beside the result.
fn build(name: &str, out: &Path) -> Result<&'static str, String> {
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let folder = host::checkout().join(FOLDER).join(name);
    let (how, mut command) = recipe(&folder, name, out)
        .ok_or("the folder has neither build.sh nor Cargo.toml nor go.mod")?;
    // The toolchain of this program's own build is not the rival's choice.
    for variable in ["CARGO", "CARGO_TARGET_DIR", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(variable);
    }
    let output = command.current_dir(&folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{how}: {error}"))?;
    let mut log = output.stdout;
    log.extend_from_slice(&output.stderr);
    let kept = PathBuf::from(format!("{}.log", out.display()));
    fs::write(&kept, &log).map_err(|error| format!("{}: {error}", kept.display()))?;
    if output.status.success() {
        return Ok(how);
    }
    Err(format!("{how}: {}", reason(&String::from_utf8_lossy(&log))))
}

/// How the folder wants to be built.
fn recipe(folder: &Path, name: &str, out: &Path) -> Option<(&'static str, Command)> {
    let has = |file: &str| folder.join(file).is_file();
    if has("build.sh") {
        let mut command = Command::new("sh");
        command.arg("./build.sh").env("OUT", out);
        return Some(("build.sh", command));
    }
    if has("Cargo.toml") {
        let mut command = Command::new("cargo");
        command.args(["build", "--release", "--locked", "--target-dir"]).arg(out);
        return Some(("cargo", command));
    }
    if has("go.mod") {
        let mut command = Command::new("go");
        command.args(["build", "-o"]).arg(out.join(name)).arg(".");
        return Some(("go", command));
    }
    None
}

/// The line of a failed build that says most: the first error, else the last line.
fn reason(log: &str) -> &str {
    let mut lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.starts_with("error"));
    error.or_else(|| lines.next_back()).unwrap_or("no output")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_the_reason() {
        assert_eq!(
            reason("Compiling\nerror: no such crate\nerror: aborting\n"),
            "error: no such crate"
        );
        assert_eq!(reason("one\nzig: not found\n\n"), "zig: not found");
        assert_eq!(reason(""), "no output");
    }

    #[test]
    fn a_folder_without_a_recipe_has_none() {
        let sources = host::checkout().join("tools/xtask/src");
        assert!(recipe(&sources, "src", Path::new("out")).is_none());
        let program = |folder: &str| {
            let folder = host::checkout().join(folder);
            recipe(&folder, "x", Path::new("out")).map(|(how, _)| how)
        };
        assert_eq!(program("tools/xtask"), Some("cargo"));
    }
}
