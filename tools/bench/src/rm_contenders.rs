//! Who takes part in `curt rm`'s race, and how to get those who could.

use super::contender::{Contender, Counting, Found, built_rivals, on_path};
use super::operation::Scenario;
use super::programs::Programs;
use super::roles::HAS_FLOOR;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What every ratio refers to: the tool that people have.
pub(crate) const REFERENCE: &str = if cfg!(windows) { "rmdir" } else { "rm" };

/// Rivals that `cargo xtask rivals` builds; the first ones also take part in a quick run.
const RIVALS: [&str; 10] = [
    "rmz",
    "zig-new",
    "zig-0.11",
    "zig-0.9",
    "remove-dir-all",
    "remove-dir-all-parallel",
    "rust-std",
    "go",
    "python",
    "node",
];
const QUICK_RIVALS: [&str; 2] = ["rmz", "zig-new"];

/// Looks around.
pub(super) fn find(_: &Scenario, programs: &Programs) -> Found {
    let mut found = Found::default();
    ours(&mut found, programs);
    system(&mut found);
    built(&mut found);
    found
}

fn ours(found: &mut Found, programs: &Programs) {
    let Programs { curt: program, own } = programs;
    let mut curt = |name: &str, jobs: &[&str]| {
        let arguments: Vec<&str> =
            ["rm", "-r", "-f"].iter().chain(jobs).chain(&["--"]).copied().collect();
        found.add(Contender::new(name, program, &arguments).counted(Counting::Itself));
    };
    curt("curt", &[]);
    curt("curt -j1", &["-j1"]);
    curt("curt -j2", &["-j2"]);
    if HAS_FLOOR {
        found.add(Contender::new("floor", own, &["--role", "floor", "--"]));
    }
    found.add(Contender::new("std", own, &["--role", "std", "--"]));
}

/// The tools of the operating system.
fn system(found: &mut Found) {
    if cfg!(windows) {
        let rmdir = ["/d", "/c", "rmdir", "/s", "/q"];
        found.add(Contender::new(REFERENCE, Path::new("cmd.exe"), &rmdir));
        return;
    }
    found.add_tool("rm", |program| Contender::new("rm", program, &["-rf", "--"]));
    found.add_tool("find", |program| Contender::new("find", program, &[]).then("-delete"));
}

/// What `cargo xtask rivals` built, and the interpreters that need no building.
fn built(found: &mut Found) {
    let programs = built_rivals("rm");
    for name in RIVALS {
        let built = programs.iter().find(|(rival, _)| rival == name);
        let contender = built.map(|(_, program)| Contender::new(name, program, &[]));
        match contender.or_else(|| interpreter(name)) {
            Some(contender) if QUICK_RIVALS.contains(&name) => found.add(contender),
            Some(contender) => found.add(contender.only_full()),
            None => found.miss(name, how_to_get(name)),
        }
    }
    // There may be folders that somebody added.
    for (name, program) in programs.iter().filter(|(name, _)| !RIVALS.contains(&name.as_str())) {
        found.add(Contender::new(name, program, &[]).only_full());
    }
}

fn how_to_get(name: &str) -> &'static str {
    match name {
        "go" => "needs Go (apt-get install golang-go), then cargo xtask rivals",
        "python" => "needs python3 (apt-get install python3)",
        "node" => "needs node (apt-get install nodejs)",
        "zig-new" | "zig-0.11" | "zig-0.9" => {
            "cargo xtask rivals (needs apt-get install python3-venv)"
        }
        _ => "cargo xtask rivals",
    }
}

fn interpreter(name: &str) -> Option<Contender> {
    match name {
        "python" => {
            let python = asked("python3", &["-c", "import sys; print(sys.executable)"])?;
            let script = "import shutil, sys; shutil.rmtree(sys.argv[1])";
            Some(Contender::new(name, &python, &["-I", "-c", script]))
        }
        "node" => {
            let node = asked("node", &["-p", "process.execPath"])?;
            let script = "require('fs').rmSync(process.argv[1], { recursive: true })";
            Some(Contender::new(name, &node, &["-e", script, "--"]))
        }
        _ => None,
    }
}

/// The interpreter's own file: what is on PATH may be a version manager's shim, which is slow.
fn asked(name: &str, arguments: &[&str]) -> Option<PathBuf> {
    let mut command = Command::new(on_path(name)?);
    let output =
        command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::super::rm;
    use super::*;

    fn everyone() -> Found {
        find(&rm::OPERATION.scenarios[0], &crate::programs::tests::some())
    }

    #[test]
    fn curt_the_floor_and_the_reference_always_take_part() {
        let found = everyone().select(false, &["no-such-rival".to_owned()], REFERENCE);
        let names: Vec<_> =
            found.contenders.iter().map(|contender| contender.name.as_str()).collect();
        for name in ["curt", "curt -j1", "curt -j2", REFERENCE] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        assert!(!names.contains(&"find"));
        assert!(!found.knows("no-such-rival"));
    }

    #[test]
    fn options_end_before_the_path() {
        let found = everyone();
        for contender in found.contenders.iter().filter(|contender| contender.is_ours()) {
            assert!(contender.line().ends_with(" -- PATH"), "{}", contender.line());
        }
    }
}
