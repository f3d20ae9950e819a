//! The static binaries for Linux, which every package but `curt.exe` holds.

use super::source;
use crate::host::{self, Failure};
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The most bytes that a binary may have. The aim is 3 MB, and x86-64 has 3.9: what is
/// left is mostly the library, regular expressions, and what writes each entry, built for speed.
pub(super) const LIMIT: u64 = 4_000_000;

/// What makes the binaries smaller, and start sooner, beside the profile `dist`: a script leaves
/// out tables for unwinding, equal functions are kept once, and the addresses are fixed. A binary
/// that can lie anywhere writes its address into 48 pages first, a fifth of a short start.
const FLAGS: &str = "-Crelocation-model=static -Clink-arg=--no-eh-frame-hdr -Clink-arg=--icf=all";

/// A processor that Linux packages are for, by the names that others have for it.
pub(super) struct Machine {
    /// What it is built for.
    pub(super) triple: &'static str,
    pub(super) debian: &'static str,
    pub(super) npm: &'static str,
}

pub(super) const MACHINES: &[Machine] = &[
    Machine { triple: "x86_64-unknown-linux-musl", debian: "amd64", npm: "linux-x64" },
    Machine { triple: "aarch64-unknown-linux-musl", debian: "arm64", npm: "linux-arm64" },
];

impl Machine {
    /// The machine that this program runs on.
    pub(super) fn this() -> Result<&'static Self, Failure> {
        let this = MACHINES.iter().find(|machine| machine.is_this());
        this.ok_or_else(|| Failure::missing("there are no packages for this processor"))
    }

    pub(super) fn is_this(&self) -> bool {
        self.processor() == env::consts::ARCH
    }

    /// `x86_64` or `aarch64`.
    pub(super) fn processor(&self) -> &'static str {
        self.triple.split('-').next().unwrap_or_default()
    }

    /// Builds the binary, and returns its path.
    pub(super) fn build(&self) -> Result<PathBuf, Failure> {
        if !host::has_library(self.triple) {
            let triple = self.triple;
            let text = format!("no standard library for {triple} can be had here");
            return Err(Failure::missing(text));
        }
        let mut cargo = host::cargo();
        cargo.args(["build", "--locked", "--profile", "dist", "--package", "curt-cli"]);
        host::check(self.prepare(&mut cargo).args(["--target", self.triple]))?;
        Ok(target().join(self.triple).join("dist/curt"))
    }

    /// Gives a command what the build is made with. Rust brings the linker for every processor, and
    /// the C library; a C compiler is not needed.
    pub(super) fn prepare<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let variable = self.triple.to_uppercase().replace('-', "_");
        command.env(format!("CARGO_TARGET_{variable}_LINKER"), "rust-lld");
        let flags = format!("{FLAGS} -Clink-arg=-T{}", source("small.ld").display());
        command.env(format!("CARGO_TARGET_{variable}_RUSTFLAGS"), flags);
        command.env("CARGO_TARGET_DIR", target())
    }
}

/// Cargo's folder.
pub(super) fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").filter(|target| !target.is_empty());
    host::checkout().join(target.unwrap_or_else(|| "target".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_machine_has_its_linker() {
        let mut command = Command::new("cargo");
        MACHINES[1].prepare(&mut command);
        let name = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER";
        assert!(command.get_envs().any(|(key, value)| key == name && value.is_some()));
        assert_eq!(MACHINES[1].processor(), "aarch64");
    }
}
