//! The wheels of `bindings/python` for Linux, by maturin: one for GNU's C library and one for musl
//! for each processor, for every Python from 3.10. Zig links them, so that this machine's C library
//! does not matter.

use super::cases::Cases;
use super::linux::{Machine, target};
use super::{Release, VERSION, quiet, tools};
use crate::debian_root::{self, EMULATOR, LINUX, PYTHON, Root};
use crate::host::{self, Failure, Outcome};
use crate::say;
use std::path::PathBuf;
use std::process::Command;

const ZIG: (&str, &str) = ("ziglang", "0.14.1");

/// Rust's name for a C library, and Python's name for the systems that have it in this version or
/// a newer one.
const SYSTEMS: [(&str, &str); 2] = [("gnu", "manylinux_2_17"), ("musl", "musllinux_1_1")];

/// Uses the package, in a folder with a tree of three entries.
const USE: &str = r#"
import curt
import os
assert [(top, names) for top, _, names in curt.walk("tree")] == [
    ("tree", []), ("tree/folder", ["file"])]
assert curt.usage("tree").entries == 3
assert curt.which("sh") == "/usr/bin/sh"
assert curt.run(["sh", "-c", "exit 3"]).returncode == 3
curt.install()
import shutil
shutil.rmtree("tree")
assert not os.path.exists("tree")
"#;

/// Installs the package in a Debian of which nothing stays, and uses it. Arguments: the program,
/// and those of `pip install`.
const INSTALL: &str = r#"
program=$1
shift
python3 -m venv /tmp/environment
/tmp/environment/bin/pip install --quiet "$@"
cd /tmp
mkdir -p tree/folder
: >tree/folder/file
environment/bin/python -c "$program"
environment/bin/pip uninstall --quiet --yes curt-fs
if environment/bin/python -c 'import curt'; then exit 1; fi
"#;

/// Unpacks Debian's Python for another processor, unless it is there. Arguments: the folder, and
/// Debian's name of the processor.
const UNPACK: &str = r#"
[ ! -e "$1/ready" ] || exit 0
rm -rf --one-file-system "$1"
mkdir -p "$1" /tmp/apt/lists/partial /tmp/apt/archives/partial
cd /tmp/apt
apt() {
    apt-get -qq -o APT::Architecture="$processor" -o APT::Architectures="$processor" \
        -o APT::Sandbox::User=root -o Dir::State=/tmp/apt -o Dir::State::status=/dev/null \
        -o Dir::Cache=/tmp/apt "$@"
}
processor=$2
apt update
apt download libc6 libexpat1 libgcc-s1 libpython3.13-minimal libpython3.13-stdlib \
    python3.13-minimal zlib1g
for package in *.deb; do dpkg-deb --extract "$package" "$1"; done
ln -s usr/lib "$1/lib"
: >"$1/ready"
"#;

/// Uses the wheel for another processor. Arguments: the program, the emulator, the folder with
/// Python, the wheel.
const EMULATED: &str = r#"
cd /tmp
python3 -m zipfile --extract "$4" site
mkdir -p tree/folder
: >tree/folder/file
"$2" -L "$3" -E PYTHONHOME="$3/usr" -E PYTHONPATH=/tmp/site "$3/usr/bin/python3.13" -c "$1"
"#;

fn name(processor: &str, system: &str) -> String {
    // The older name of the same systems, which old versions of pip want.
    let older = if system == "manylinux_2_17" {
        format!("manylinux2014_{processor}.")
    } else {
        String::new()
    };
    format!("curt_fs-{VERSION}-cp310-abi3-{older}{system}_{processor}.whl")
}

pub(super) fn make(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    let mut packages = Vec::new();
    for machine in release.machines() {
        for (library, system) in SYSTEMS {
            packages.push(make_one(release, machine, library, system)?);
        }
    }
    Ok(packages)
}

fn make_one(
    release: &Release,
    machine: &Machine,
    library: &str,
    system: &str,
) -> Result<PathBuf, Failure> {
    let processor = machine.processor();
    let triple = format!("{processor}-unknown-linux-{library}");
    if !host::has_library(&triple) {
        return Err(Failure::missing(format!("no standard library for {triple} can be had here")));
    }
    let zig = tools::environment(ZIG.0, ZIG.1)?;
    let mut maturin = Command::new(tools::maturin()?);
    maturin.current_dir(host::checkout()).env("SOURCE_DATE_EPOCH", &release.epoch);
    maturin.env("CARGO_ZIGBUILD_PYTHON_PATH", zig.join("bin/python"));
    maturin.env("CARGO_TARGET_DIR", target().join("python"));
    maturin.args(["build", "--quiet", "--locked", "--release", "--zig"]);
    maturin.args(["--manifest-path", "bindings/python/Cargo.toml", "--target", &triple]);
    maturin.args(["--compatibility", system]).arg("--out").arg(&release.folder);
    host::check(&mut maturin)?;
    let package = release.folder.join(name(processor, system));
    if package.exists() {
        return Ok(package);
    }
    Err(Failure::new(format!("maturin did not write {}", package.display())))
}

pub(super) fn test(release: &Release, cases: &mut Cases) {
    cases.add("python", "pip installs the wheel, and Python uses it", wheel(release));
    cases.add("python", "pip installs the checkout, with Rust 1.85", checkout());
    for machine in release.machines().filter(|machine| !machine.is_this()) {
        let what = format!("{}: Python uses the wheel", machine.processor());
        cases.add("python", &what, emulated(release, machine));
    }
}

fn wheel(release: &Release) -> Outcome {
    let wheel = name(Machine::this()?.processor(), SYSTEMS[0].1);
    in_debian(&["--no-index", &release.path(&wheel)])
}

/// As the README says it; pip gets maturin itself.
fn checkout() -> Outcome {
    in_debian(&["./bindings/python"])
}

fn in_debian(arguments: &[&str]) -> Outcome {
    let command = [&["sh", "-euxc", INSTALL, "sh", USE][..], arguments].concat();
    quiet(&mut Root::with(&[&LINUX, &PYTHON])?.command(&command)?)
}

fn emulated(release: &Release, machine: &Machine) -> Outcome {
    let (processor, debian) = (machine.processor(), machine.debian);
    let wheel = release.path(&name(processor, SYSTEMS[0].1));
    let emulator = format!("qemu-{processor}");
    let root = Root::with(&[&EMULATOR, &PYTHON])?;
    let (_, folder) = debian_root::shared(&format!("python-{debian}"))?;
    let folder = folder.to_string_lossy();
    let unpack = ["sh", "-euxc", UNPACK, "sh", &folder, debian];
    if let Err(failure) = quiet(&mut root.command(&unpack)?) {
        say::err(failure.text);
        return Err(Failure::missing(format!("Debian's Python for {debian} cannot be had here")));
    }
    quiet(&mut root.command(&["sh", "-euxc", EMULATED, "sh", USE, &emulator, &folder, &wheel])?)
}

#[cfg(test)]
mod tests {
    use super::super::linux::MACHINES;
    use super::*;

    #[test]
    fn names_of_wheels_are_those_of_python() {
        let names: Vec<String> =
            SYSTEMS.iter().map(|(_, system)| name(MACHINES[1].processor(), system)).collect();
        let version = VERSION;
        let first = "manylinux2014_aarch64.manylinux_2_17_aarch64";
        assert_eq!(names[0], format!("curt_fs-{version}-cp310-abi3-{first}.whl"));
        assert_eq!(names[1], format!("curt_fs-{version}-cp310-abi3-musllinux_1_1_aarch64.whl"));
    }
}
