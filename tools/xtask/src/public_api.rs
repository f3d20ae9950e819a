//! Compares the public API of the published libraries with the committed lists, and with the last
//! release.
//!
//! `crates/NAME/public-api.txt` has one line for every public item, as a build for Linux with all
//! features sees them, so that a change of the API is seen in the diff of a commit. The program
//! under `tools/public-api` writes it from the JSON of rustdoc. What breaks users of the last
//! release, the newest tag `v*`, is found by cargo-semver-checks, which is installed once, into
//! `curt/tools` in the user's cache folder.

use crate::host::{self, Failure, Outcome};
use crate::say;
use crate::skips::{self, Skip};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The crates with a list.
const CRATES: [&str; 2] = ["curt", "curt-paths"];

/// The format of the JSON that `tools/public-api` reads: that of Rust 1.95.
const FORMAT: &str = "57";

/// The version of cargo-semver-checks that is installed.
const CHECKS: &str = "0.51.0";

/// The task `public-api`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_update = match arguments {
        [] => false,
        [option] if option == "--update" => true,
        _ => return Err(Failure::usage("public-api takes --update only")),
    };
    if !cfg!(target_os = "linux") {
        return skipped("public-api", "the lists are those of Linux");
    }
    let mut differences = 0;
    for name in CRATES {
        let json = json(name)?;
        let format = format_of(&fs::read_to_string(&json)?).to_owned();
        if format != FORMAT {
            let reason = format!("rustdoc writes format {format} of its JSON, not {FORMAT}");
            return skipped("public-api", &reason);
        }
        let current = list(&json)?;
        let path = host::checkout().join("crates").join(name).join("public-api.txt");
        if is_update {
            fs::write(&path, current)?;
            continue;
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        for line in difference(&committed, &current) {
            say::out(line);
            differences += 1;
        }
    }
    if differences > 0 {
        let text = "lines of the public API differ: `cargo xtask public-api --update` writes them";
        return Err(Failure::new(format!("{differences} {text}")));
    }
    if is_update { Ok(()) } else { semver() }
}

/// What rustdoc says of a crate, as JSON. A stable compiler writes it if it is told to.
fn json(name: &str) -> Result<PathBuf, Failure> {
    let target = target();
    let mut cargo = host::cargo();
    cargo.env("RUSTC_BOOTSTRAP", "1").arg("rustdoc").arg("--target-dir").arg(&target);
    cargo.args(["--quiet", "--locked", "--lib", "--all-features", "--package", name]);
    host::check(cargo.args(["--", "-Zunstable-options", "--output-format", "json"]))?;
    Ok(target.join("doc").join(name.replace('-', "_")).with_extension("json"))
}

/// Where all this is built: apart, because the switch for unstable options makes other builds.
fn target() -> PathBuf {
    host::checkout().join("target/public-api")
}

/// The format that a JSON file says it has.
fn format_of(json: &str) -> &str {
    let (_, rest) = json.rsplit_once("\"format_version\":").unwrap_or_default();
    rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default()
}

/// The public items, one a line.
fn list(json: &Path) -> Result<String, Failure> {
    let target = target();
    let mut cargo = host::cargo();
    cargo.args(["run", "--quiet", "--locked", "--manifest-path", "tools/public-api/Cargo.toml"]);
    cargo.arg("--target-dir").arg(target.join("tools")).arg("--").arg(json);
    let output = cargo.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(Failure::new(format!("no list of {}: {}", json.display(), output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The lines that only one of two lists has, marked as diff does.
pub(crate) fn difference(committed: &str, current: &str) -> Vec<String> {
    let only = |one: &str, other: &str, mark: &str| -> Vec<String> {
        let known: HashSet<&str> = other.lines().collect();
        let lines = one.lines().filter(|line| !known.contains(line));
        lines.map(|line| format!("{mark} {line}")).collect()
    };
    [only(committed, current, "-"), only(current, committed, "+")].concat()
}

/// Compares with the last release what breaks its users. Before the first one nobody is broken.
fn semver() -> Outcome {
    let top = host::checkout();
    let folder = top.to_string_lossy();
    let newest = ["tag", "--list", "v[0-9]*", "--sort=-version:refname", "--merged"];
    let git = [&["-c", "safe.directory=*", "-C", &folder], &newest[..]].concat();
    let tags = host::output_of("git", &git).unwrap_or_default();
    let Some(tag) = tags.lines().next() else {
        say::out("public-api: no tag v*: nothing was released that semver-checks could compare");
        return Ok(());
    };
    let tools = host::cache()?.join("tools");
    let program = tools.join("bin/cargo-semver-checks");
    let version = host::output_of(&program.to_string_lossy(), &["semver-checks", "--version"]);
    if !version.is_some_and(|text| text.trim().ends_with(CHECKS)) {
        let mut install = host::cargo();
        install.args(["install", "--quiet", "--locked", "--version", CHECKS, "--root"]);
        if host::check(install.arg(&tools).arg("cargo-semver-checks")).is_err() {
            return skipped("semver-checks", "cargo-semver-checks cannot be installed here");
        }
    }
    let mut checks = Command::new(program);
    checks.current_dir(&top).env("CARGO_TARGET_DIR", target());
    checks.args(["semver-checks", "--all-features", "--baseline-rev", tag]);
    host::check(checks.args(CRATES.iter().flat_map(|name| ["--package", name])))
}

fn skipped(test: &str, reason: &str) -> Outcome {
    let [suite, test, reason] = ["xtask", test, reason].map(str::to_owned);
    skips::chore(&Skip { suite, test, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_shows_what_went_and_what_came() {
        assert_eq!(difference("a\nb\n", "b\nc\n"), ["- a", "+ c"]);
        assert_eq!(difference("a\nb\n", "a\nb\n"), [""; 0]);
    }

    #[test]
    fn format_is_read_from_the_end_of_the_json() {
        assert_eq!(format_of("{\"a\":\"x\",\"format_version\":57}"), "57");
        assert_eq!(format_of("{}"), "");
    }
}
