//! Who takes part in `curt rm`'s race, and how to get those who could.

use super::contender::{Contender, Missing, built_rivals, on_path};
use super::floor::HAS_FLOOR;
use std::io;
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

/// Who was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// They take part.
    pub(crate) contenders: Vec<Contender>,
    /// They do not exist here.
    pub(crate) missing: Vec<Missing>,
    /// They exist, but this run has no time for them.
    pub(crate) left_out: Vec<String>,
}

/// Looks around. With names in `wanted`, of the rivals only those take part.
pub(crate) fn find(full: bool, wanted: &[String]) -> io::Result<Found> {
    let program = std::env::current_exe()?;
    let mut contenders = ours(&program);
    let mut missing = Vec::new();
    system(&mut contenders, &mut missing);
    built(&mut contenders, &mut missing);
    let always = |contender: &Contender| {
        contender.name == REFERENCE || contender.name == "floor" || is_ours(&contender.name)
    };
    let mut left_out = Vec::new();
    if wanted.is_empty() {
        let (now, later): (Vec<_>, Vec<_>) =
            contenders.into_iter().partition(|contender| full || contender.quick);
        contenders = now;
        if !later.is_empty() {
            let names: Vec<_> = later.into_iter().map(|contender| contender.name).collect();
            left_out
                .push(format!("{}: found, but only --full has time for them", names.join(", ")));
        }
    } else {
        contenders.retain(|contender| always(contender) || wanted.contains(&contender.name));
        missing.retain(|missing| wanted.contains(&missing.name));
        for name in wanted {
            let known = contenders.iter().any(|contender| contender.name == *name)
                || missing.iter().any(|missing| missing.name == *name);
            if !known {
                missing.push(Missing { name: name.clone(), how: "no such rival".to_owned() });
            }
        }
    }
    Ok(Found { contenders, missing, left_out })
}

/// Whether a contender is curt itself.
pub(crate) fn is_ours(name: &str) -> bool {
    name.starts_with("curt")
}

fn ours(program: &Path) -> Vec<Contender> {
    let curt = |name: &str, jobs: &[&str]| {
        let arguments: Vec<&str> =
            ["rm", "-r", "-f"].iter().chain(jobs).chain(&["--"]).copied().collect();
        Contender::new(name, program, &arguments).counts_itself()
    };
    let mut contenders =
        vec![curt("curt", &[]), curt("curt -j1", &["-j1"]), curt("curt -j2", &["-j2"])];
    if HAS_FLOOR {
        contenders.push(Contender::new("floor", program, &["bench", "--role", "floor", "--"]));
    }
    contenders.push(Contender::new("std", program, &["bench", "--role", "std", "--"]));
    contenders
}

/// The tools of the operating system.
fn system(contenders: &mut Vec<Contender>, missing: &mut Vec<Missing>) {
    if cfg!(windows) {
        let rmdir = ["/d", "/c", "rmdir", "/s", "/q"];
        contenders.push(Contender::new(REFERENCE, Path::new("cmd.exe"), &rmdir));
        return;
    }
    let mut add = |name: &str, make: &dyn Fn(&Path) -> Contender| match on_path(name) {
        Some(program) => contenders.push(make(&program)),
        None => missing.push(Missing { name: name.to_owned(), how: "not on PATH".to_owned() }),
    };
    add("rm", &|program| Contender::new("rm", program, &["-rf", "--"]));
    add("find", &|program| Contender::new("find", program, &[]).then("-delete"));
}

/// What `cargo xtask rivals` built, and the interpreters that need no building.
fn built(contenders: &mut Vec<Contender>, missing: &mut Vec<Missing>) {
    let found = built_rivals("rm");
    for name in RIVALS {
        let built = found.iter().find(|(rival, _)| rival == name);
        let contender = built.map(|(_, program)| Contender::new(name, program, &[]));
        match contender.or_else(|| interpreter(name)) {
            Some(contender) if QUICK_RIVALS.contains(&name) => contenders.push(contender),
            Some(contender) => contenders.push(contender.only_full()),
            None => {
                missing.push(Missing { name: name.to_owned(), how: how_to_get(name).to_owned() });
            }
        }
    }
    // Somebody may have added a folder of their own.
    for (name, program) in found.iter().filter(|(name, _)| !RIVALS.contains(&name.as_str())) {
        contenders.push(Contender::new(name, program, &[]).only_full());
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
    use super::*;

    #[test]
    fn curt_the_floor_and_the_reference_always_take_part() {
        let found = find(false, &["no-such-rival".to_owned()]).unwrap();
        let names: Vec<_> =
            found.contenders.iter().map(|contender| contender.name.as_str()).collect();
        for name in ["curt", "curt -j1", "curt -j2", REFERENCE] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        assert!(!names.contains(&"find"));
        assert!(found.missing.iter().any(|missing| missing.name == "no-such-rival"));
    }

    #[test]
    fn options_end_before_the_path() {
        let found = find(true, &[]).unwrap();
        for contender in found.contenders.iter().filter(|contender| is_ours(&contender.name)) {
            assert!(contender.line().ends_with(" -- PATH"), "{}", contender.line());
        }
    }
}
