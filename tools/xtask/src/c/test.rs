//! Runs the tests in C, `bindings/c/tests/run.sh`, and the self-checking examples. A short run uses
//! this machine's C compiler twice: with the static library, and with sanitizers and the shared
//! library. C++ gets a syntax check. `--full` adds other compilers, Valgrind, and Wine.

use super::abi;
use crate::debian_root;
use crate::host::{self, Failure, Folder, Outcome};
use crate::say;
use crate::skips::Skip;
use crate::test::{self, Tally};
use crate::windows::Windows;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = "bindings/c/tests/run.sh";

const ZIG: &str = "0.14.1";

/// The last line on standard output is the total.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_full = arguments == ["--full"];
    if !arguments.is_empty() && !is_full {
        return Err(Failure::usage("c-test takes --full only"));
    }
    let scratch = Folder::made_by(&["sh", "-euc", test::FOLDER])?;
    let libraries = super::build()?;
    let folder = host::target().join("c-test");
    let mut tally = Tally::default();
    let mut ways = vec!["gcc", "sanitizers", "examples"];
    let mut zig = None;
    if is_full {
        zig = found("zig", self::zig(), &mut tally)?;
        ways.extend(zig.is_some().then_some("zig"));
        ways.push("valgrind");
    }
    for way in ways {
        let words = words(way, [&libraries, &folder, scratch.path()]);
        let mut command = Command::new(&words[0]);
        command.current_dir(host::checkout()).envs(zig.iter().map(|zig| ("ZIG", zig)));
        tally.add(test::run_suites(command.args(&words[1..]))?);
    }
    if is_full {
        if let Some(()) = found("clang", debian_root::prepare("clang"), &mut tally)? {
            tally.add(in_root(&libraries)?);
        }
        if let Some(windows) = found("wine", Windows::ready(), &mut tally)? {
            tally.add(on_windows(&windows)?);
        }
    }
    test::conclude(&tally)
}

fn words(way: &str, [libraries, folder, scratch]: [&Path; 3]) -> [OsString; 6] {
    let [bash, script, way] = ["bash", SCRIPT, way].map(OsString::from);
    [bash, script, way, libraries.into(), folder.into(), scratch.into()]
}

fn in_root(libraries: &Path) -> Result<Tally, Failure> {
    let (outside, inside) = debian_root::kept("c-test");
    fs::create_dir_all(&outside)?;
    for name in ["libcurt.a", "libcurt.so"] {
        fs::copy(libraries.join(name), outside.join(name))?;
    }
    let words = words("clang", [&inside, &inside, &inside.join("scratch")]);
    test::run_suites(&mut debian_root::command("clang", &words))
}

fn on_windows(windows: &Windows) -> Result<Tally, Failure> {
    let libraries = windows.library()?;
    abi::program(&windows.outside("c-test"))?;
    let scratch = windows.inside(&Windows::on_drive_c("c-test"));
    let words = words("wine", [&libraries, &windows.inside("c-test"), &scratch]);
    test::run_suites(&mut windows.session(&words))
}

fn found<T>(
    way: &str,
    needed: Result<T, Failure>,
    tally: &mut Tally,
) -> Result<Option<T>, Failure> {
    match needed {
        Err(failure) if failure.code == Failure::MISSING => {
            let [suite, test] = ["xtask".to_owned(), format!("c-test-{way}")];
            let skip = Skip { suite, test, reason: failure.text };
            say::out(format_args!("skipped: {skip}"));
            tally.skip(skip);
            Ok(None)
        }
        needed => needed.map(Some),
    }
}

fn zig() -> Result<String, Failure> {
    let folder = host::cache()?.join(format!("tools/ziglang-{ZIG}"));
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    let ready = folder.join("ready");
    if !ready.exists() {
        let mut make = Command::new("python3");
        let made = host::check(make.args(["-m", "venv", "--clear"]).arg(&folder));
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--only-binary=:all:"]);
        if made.is_err() || host::check(install.arg(format!("ziglang=={ZIG}"))).is_err() {
            return Err(Failure::missing("ziglang cannot be installed here"));
        }
        fs::write(ready, "")?;
    }
    Ok(format!("{python} -m ziglang"))
}
