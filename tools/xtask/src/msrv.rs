//! Builds the workspace with the oldest supported Rust, the version in Debian 13, and tests the
//! library. Clippy's `incompatible_msrv` checks only standard library items, not syntax (let
//! chains) and Cargo features.

use crate::debian_root;
use crate::host::{self, Failure, Outcome};
use crate::say;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("msrv takes no arguments"));
    }
    debian_root::prepare("linux")?;
    let output = debian_root::command("linux", &["rustc", "--version"]).output()?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !version.starts_with("rustc 1.85.") {
        let text = "the root should have rustc 1.85, the promised minimum, but says";
        return Err(Failure::new(format!("{text} '{version}'")));
    }
    say::out(format_args!("msrv: {version}"));
    let build = ["cargo", "build", "--workspace", "--locked"];
    host::check(&mut debian_root::command("linux", &build))?;
    let test = ["cargo", "test", "--package", "curt", "--locked"];
    host::check(&mut debian_root::command("linux", &test))
}
