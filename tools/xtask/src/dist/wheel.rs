//! The wheels for `pip` and `uvx`, by maturin; `crates/curt-cli/pyproject.toml` says what is in
//! them. Cargo has built the binaries before, in the same way, so that maturin only packs them.

use super::cases::Cases;
use super::linux::Machine;
use super::{Release, Scratch, VERSION, quiet, tools};
use crate::debian_root::{PYTHON, Root};
use crate::host::{self, Failure, Outcome};
use std::path::PathBuf;
use std::process::Command;

/// Brings `uvx`.
const UV: (&str, &str) = ("uv", "0.13.8");

/// What a static binary runs on: GNU's C library of any age that Rust supports, and musl.
const SYSTEMS: [&str; 2] = ["manylinux_2_17", "musllinux_1_1"];

/// In a Debian of which nothing stays. Arguments: the wheel, the version.
const PIP: &str = r#"
cd /tmp
python3 -m venv environment
environment/bin/pip install --quiet --no-index "$1"
test "$(environment/bin/curt --version)" = "curt $2"
mkdir -p tree/folder
environment/bin/curt rm -r tree
test ! -e tree
environment/bin/pip uninstall --quiet --yes curt-cli
test ! -e environment/bin/curt
"#;

/// Arguments: the wheel, the version, uv.
const UVX: &str = r#"
mkdir -p tree/folder
test "$("$3" tool run --offline --from "$1" curt --version)" = "curt $2"
"$3" tool run --offline --from "$1" curt rm -r tree
test ! -e tree
"#;

fn name(machine: &Machine) -> String {
    let processor = machine.processor();
    let tags =
        format!("manylinux2014_{processor}.manylinux_2_17_{processor}.musllinux_1_1_{processor}");
    format!("curt_cli-{VERSION}-py3-none-{tags}.whl")
}

pub(super) fn make(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    release.machines().map(|machine| make_one(release, machine)).collect()
}

fn make_one(release: &Release, machine: &Machine) -> Result<PathBuf, Failure> {
    machine.build()?;
    let mut maturin = Command::new(tools::maturin()?);
    maturin.current_dir(host::checkout()).env("SOURCE_DATE_EPOCH", &release.epoch);
    maturin.args(["build", "--quiet", "--locked", "--profile", "dist"]);
    maturin.args(["--manifest-path", "crates/curt-cli/Cargo.toml", "--target", machine.triple]);
    maturin.arg("--compatibility").args(SYSTEMS).arg("--out").arg(&release.folder);
    host::check(machine.prepare(&mut maturin))?;
    let package = release.folder.join(name(machine));
    if package.exists() {
        return Ok(package);
    }
    Err(Failure::new(format!("maturin did not write {}", package.display())))
}

pub(super) fn test(release: &Release, cases: &mut Cases) {
    cases.add("wheel", "pip installs it", by_pip(release));
    cases.add("wheel", "uvx runs it", by_uvx(release));
}

fn by_pip(release: &Release) -> Outcome {
    let wheel = release.path(&name(Machine::this()?));
    let command = ["sh", "-euxc", PIP, "sh", wheel.as_str(), VERSION];
    quiet(&mut Root::with(&[&PYTHON])?.command(&command)?)
}

fn by_uvx(release: &Release) -> Outcome {
    let wheel = release.path(&name(Machine::this()?));
    let uv = tools::environment(UV.0, UV.1)?.join("bin/uv");
    Scratch::new()?.run(UVX, &[wheel.as_str(), VERSION, &uv.to_string_lossy()])
}
