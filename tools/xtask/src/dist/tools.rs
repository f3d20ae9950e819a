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

/// maturin, which packs wheels.
pub(super) fn maturin() -> Result<PathBuf, Failure> {
    Ok(environment("maturin", "1.16.0")?.join("bin/maturin"))
}

/// A virtual environment that holds what `pip` installs by this name.
pub(super) fn environment(name: &str, version: &str) -> Result<PathBuf, Failure> {
    let folder = host::cache()?.join("tools").join(format!("{name}-{version}"));
    let ready = folder.join("ready");
    if ready.exists() {
        return Ok(folder);
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(&folder);
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--only-binary=:all:", &format!("{name}=={version}")]);
    if host::check(&mut venv).and_then(|()| host::check(&mut pip)).is_err() {
        return Err(Failure::missing(format!("{name} {version} cannot be installed here")));
    }
    // Half of it must not be taken for the whole.
    fs::write(ready, "")?;
    Ok(folder)
}
