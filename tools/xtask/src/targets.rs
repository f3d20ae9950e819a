//! Type-checks the code for other platforms, with the target's standard library from rustup or
//! built in the Debian root.

use crate::debian_root;
use crate::host::{self, Failure, Outcome};
use crate::say;
use std::time::Instant;

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

/// Needs mingw: even without linking, rustc runs `dlltool` to make import libraries.
const WINDOWS: &str = "x86_64-pc-windows-gnu";

const CHECK: &[&str] = &[
    "check",
    "--locked",
    "--package=curt",
    "--package=curt-cli",
    "--package=curt-capi",
    "--package=curt-bench",
];

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
            // If the Debian root is missing, the remaining targets fail as well.
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

fn in_rustup(target: &str) -> Outcome {
    host::check(host::cargo().args(CHECK).args(["--target", target]))
}

/// `RUSTC_BOOTSTRAP` lets Debian's stable compiler accept `-Zbuild-std`.
fn in_root(target: &str) -> Outcome {
    let mut arguments = vec!["env", "RUSTC_BOOTSTRAP=1", "cargo"];
    arguments.extend(CHECK);
    arguments.extend(["-Zbuild-std=std,panic_unwind", "--target", target]);
    debian_root::prepare("linux,imports")?;
    host::check(&mut debian_root::command("linux,imports", &arguments))
}
