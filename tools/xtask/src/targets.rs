//! Type-checks the library, the command, libcurt and the bench for the platforms of others.
//!
//! A check needs no linker and no C compiler, only the target's standard library: the one that
//! rustup has or installs, and else the library source in the Debian root.

use crate::debian_root;
use crate::host::{self, Failure, Outcome};
use crate::say;
use std::time::Instant;

/// The targets that must always pass.
const TARGETS: &[&str] = &[
    WINDOWS,
    "aarch64-pc-windows-gnullvm",
    "x86_64-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
    "aarch64-apple-darwin",
    "x86_64-unknown-freebsd",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
];

/// For this one rustc has `dlltool` make import libraries, even where nothing is linked.
const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// What every check is about.
const CHECK: &[&str] = &[
    "check",
    "--locked",
    "--package=curt",
    "--package=curt-cli",
    "--package=curt-capi",
    "--package=curt-bench",
];

/// The task `check-targets`: all of them, or those named.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let named: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let targets = if named.is_empty() { TARGETS } else { &named };
    let mut table = Vec::new();
    let mut failed = 0;
    for target in targets {
        let start = Instant::now();
        let has_imports = *target != WINDOWS || host::has("x86_64-w64-mingw32-dlltool");
        let with_rustup = has_imports && host::has_library(target);
        let outcome = if with_rustup { in_rustup(target) } else { in_root(target) };
        let verdict = match outcome {
            Ok(()) => "ok",
            // No other target will fare better on a machine without the root.
            Err(failure) if failure.code == Failure::MISSING => return Err(failure),
            Err(_) => {
                failed += 1;
                "FAILED"
            }
        };
        let place = if with_rustup { "rustup" } else { "Debian root" };
        let seconds = start.elapsed().as_secs_f64();
        table.push(format!("  {target:<28} {verdict:<7} {seconds:>6.1} s  {place}"));
    }
    say::out("check-targets:");
    table.iter().for_each(say::out);
    if failed == 0 {
        return Ok(());
    }
    Err(Failure::new(format!("{failed} of {} targets do not compile", targets.len())))
}

/// A check with the standard library that rustup installed.
fn in_rustup(target: &str) -> Outcome {
    host::check(host::cargo().args(CHECK).args(["--target", target]))
}

/// A check with the standard library's source. Debian ships a stable compiler, so the switch for
/// building that source has to be unlocked.
fn in_root(target: &str) -> Outcome {
    let mut arguments = vec!["env", "RUSTC_BOOTSTRAP=1", "cargo"];
    arguments.extend(CHECK);
    arguments.extend(["-Zbuild-std=std,panic_unwind", "--target", target]);
    debian_root::prepare("linux,imports")?;
    host::check(&mut debian_root::command("linux,imports", &arguments))
}
