//! The programs that make packages, installed at a fixed version into `curt/tools` of the user's
//! cache folder.

use crate::host::{self, Failure};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The version of cargo-deb.
const CARGO_DEB: &str = "3.6.2";

/// cargo-deb, built once. It has to be correct, not fast: without optimization it is built in a
/// third of the time.
pub(super) fn cargo_deb() -> Result<PathBuf, Failure> {
    let tools = host::cache()?.join("tools");
    let program = tools.join("bin/cargo-deb");
    let version = host::output_of(&program.to_string_lossy(), &["--version"]);
    if version.is_some_and(|text| text.trim().ends_with(CARGO_DEB)) {
        return Ok(program);
    }
    let mut install = host::cargo();
    install.args(["install", "--quiet", "--locked", "--debug", "--version", CARGO_DEB, "--root"]);
    install.arg(&tools).args(["--no-default-features", "cargo-deb"]);
    match host::check(&mut install) {
        Ok(()) => Ok(program),
        Err(_) => Err(Failure::missing(format!("cargo-deb {CARGO_DEB} cannot be installed here"))),
    }
}

/// A program that `pip` installs, in its own virtual environment.
pub(super) fn python(name: &str, version: &str) -> Result<PathBuf, Failure> {
    let folder = host::cache()?.join("tools").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if program.exists() {
        return Ok(program);
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(&folder);
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--only-binary=:all:", &format!("{name}=={version}")]);
    if host::check(&mut venv).and_then(|()| host::check(&mut pip)).is_err() {
        // Half of it must not be taken for the whole.
        let _ = fs::remove_dir_all(&folder);
        return Err(Failure::missing(format!("{name} {version} cannot be installed here")));
    }
    Ok(program)
}
