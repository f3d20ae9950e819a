//! Runs the tests in C, `bindings/c/tests/*.c`, each with several compilers, and the examples,
//! `bindings/c/examples`, with what they check themselves.
//!
//! A test program gets an empty folder and the path of the shared library as its arguments. For
//! each test it prints `test NAME ... `, then whatever is wrong, then `ok`, `FAILED` or `(REASON)
//! skipped`; it exits with 0 if none failed.
//!
//! The short run takes the C compiler of this machine, with the static library, and with sanitizers
//! and the shared one; the C++ compiler only reads the sources. `--full` adds other compilers,
//! Valgrind, and Windows under Wine.

use super::{abi, folder};
use crate::debian_root;
use crate::host::{self, Failure, Folder, Outcome};
use crate::say;
use crate::skips::Skip;
use crate::test::{self, Tally};
use crate::windows::Windows;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const C99: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g"];
const CPP11: [&str; 7] =
    ["-xc++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];

/// What programs need beside the static library.
const OF_UNIX: [&str; 3] = ["-lpthread", "-ldl", "-lm"];
const OF_WINDOWS: [&str; 5] = ["-lkernel32", "-lntdll", "-luserenv", "-lws2_32", "-ldbghelp"];

/// The sanitizers of gcc: whatever they find ends the program.
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Valgrind, where losing memory is an error, too.
const VALGRIND: [&str; 6] = [
    "valgrind",
    "--quiet",
    "--error-exitcode=9",
    "--leak-check=full",
    "--errors-for-leak-kinds=definite",
    "--child-silent-after-fork=yes",
];

/// The version of `ziglang` that `pip` installs, as in `tools/dist/build.sh`.
const ZIG: &str = "0.14.1";

/// The task `c-test`. The last line on standard output is the total.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_full = arguments == ["--full"];
    if !arguments.is_empty() && !is_full {
        return Err(Failure::usage("c-test takes --full only"));
    }
    let scratch = Folder::made_by(&["sh", "-euc", test::FOLDER])?;
    let here = Place::here(scratch.path())?;
    let mut tally = Tally::default();
    let archive = here.library("libcurt.a");
    let fixed = [&[&*archive], &OF_UNIX[..]].concat();
    let shared = [&[&*here.shared], &OF_UNIX[..]].concat();
    here.run("gcc", &[&["cc"], &C99[..]].concat(), &fixed, &[], &mut tally)?;
    let sanitized = [&["cc"], &C99[..], &SANITIZERS].concat();
    here.run("sanitizers", &sanitized, &shared, &[], &mut tally)?;
    here.read("c++", &mut tally)?;
    let zig = if is_full { zig()? } else { None };
    here.examples(zig.as_deref(), &mut tally)?;
    if is_full {
        if host::has(VALGRIND[0]) {
            here.run("valgrind", &[&["cc"], &C99[..]].concat(), &fixed, &VALGRIND, &mut tally)?;
        } else {
            skip("valgrind", "valgrind is not installed", &mut tally);
        }
        match zig {
            Some(python) => {
                let zig = [&[&*python, "-m", "ziglang", "cc"], &C99[..]].concat();
                here.run("zig", &zig, &[&shared[..], &["-lunwind"]].concat(), &[], &mut tally)?;
            }
            None => skip("zig", "ziglang cannot be installed here", &mut tally),
        }
        in_root(&here, &mut tally)?;
        on_windows(&mut tally)?;
    }
    test::conclude(&tally)
}

/// With clang, in the Debian root.
fn in_root(here: &Place, tally: &mut Tally) -> Outcome {
    match debian_root::prepare("clang") {
        Err(failure) if failure.code == Failure::MISSING => {
            skip("clang", &failure.text, tally);
            return Ok(());
        }
        outcome => outcome?,
    }
    let (outside, inside) = debian_root::kept("c-test");
    fs::create_dir_all(&outside)?;
    for name in ["libcurt.a", "libcurt.so"] {
        fs::copy(here.library(name), outside.join(name))?;
    }
    let root = Place {
        shared: inside.join("libcurt.so").to_string_lossy().into_owned(),
        libraries: inside.clone(),
        scratch: (outside.join("scratch"), inside.join("scratch")),
        command: Box::new(|arguments| debian_root::command("clang", arguments)),
        outside,
        inside,
    };
    let archive = root.library("libcurt.a");
    let fixed = [&[&*archive], &OF_UNIX[..]].concat();
    root.run("clang", &[&["clang"], &C99[..]].concat(), &fixed, &[], tally)?;
    root.read("clang++", tally)
}

/// With mingw, under Wine.
fn on_windows(tally: &mut Tally) -> Outcome {
    let windows = match Windows::ready() {
        Err(failure) if failure.code == Failure::MISSING => {
            skip("wine", &failure.text, tally);
            return Ok(());
        }
        windows => windows?,
    };
    let built = windows.library()?;
    // Before Wine makes the drive there is no place for the folder.
    host::check(&mut windows.session(&["true"]))?;
    let place = Place {
        outside: windows.outside("c-test"),
        inside: windows.inside("c-test"),
        libraries: built.clone(),
        shared: built.join("curt.dll").to_string_lossy().into_owned(),
        scratch: (
            windows.outside(&Windows::on_drive_c("c-test")),
            windows.inside(&Windows::on_drive_c("c-test")),
        ),
        command: Box::new(move |arguments| windows.session(arguments)),
    };
    let compiler = [&["x86_64-w64-mingw32-gcc"], &C99[..]].concat();
    let archive = place.library("libcurt.a");
    let fixed = [&[&*archive], &OF_WINDOWS[..]].concat();
    let under_wine = ["sh", "-euc", UNDER_WINE, "sh"];
    place.run("wine", &compiler, &fixed, &under_wine, tally)?;
    // The host's compiler made the list for Windows; here is the real one.
    abi::program(&place.outside)?;
    let [layout, program] = ["layout.c", "layout.exe"]
        .map(|name| place.inside.join(name).to_string_lossy().into_owned());
    let compile = [&compiler, &include()[..], &[&*layout, "-o", &*program]].concat();
    host::check(&mut (place.command)(&owned(&compile)))?;
    let printed = (place.command)(&owned(&[&under_wine[..], &[&*program]].concat())).output()?;
    let printed = String::from_utf8_lossy(&printed.stdout).replace('\r', "");
    let is_listed = printed == abi::of_windows()?;
    let verdict = if is_listed { "ok" } else { "FAILED" };
    say::out(format_args!("test layouts_on_windows_are_those_of_the_list ... {verdict}"));
    tally.one(is_listed);
    Ok(())
}

/// Runs a program under Wine, with its arguments, which are paths, as Windows has them.
const UNDER_WINE: &str = r#"
program=$1
shift
for path; do
    set -- "$@" "$(winepath -w "$1" | tr -d '\r')"
    shift
done
exec wine "$program" "$@"
"#;

/// Makes a command of a program and its arguments.
type MakeCommand = dyn Fn(&[String]) -> Command;

/// A place where tests are compiled and run.
struct Place {
    /// The folder of the programs, as the host calls it, and as they call it.
    outside: PathBuf,
    inside: PathBuf,
    /// Where the libraries are, and the one that programs load, as the programs call it.
    libraries: PathBuf,
    shared: String,
    /// The folder for the folders of the programs, by both names.
    scratch: (PathBuf, PathBuf),
    command: Box<MakeCommand>,
}

impl Place {
    /// This machine, with the library built.
    fn here(scratch: &Path) -> Result<Self, Failure> {
        let (folder, libraries) = (host::target().join("c-test"), super::build()?);
        Ok(Self {
            outside: folder.clone(),
            inside: folder,
            shared: libraries.join("libcurt.so").to_string_lossy().into_owned(),
            libraries,
            scratch: (scratch.to_owned(), scratch.to_owned()),
            command: Box::new(|arguments| {
                let mut command = Command::new(&arguments[0]);
                command.args(&arguments[1..]).current_dir(host::checkout());
                command
            }),
        })
    }

    fn library(&self, name: &str) -> String {
        self.libraries.join(name).to_string_lossy().into_owned()
    }

    /// Compiles every test, and runs it.
    fn run(
        &self,
        name: &str,
        compiler: &[&str],
        libraries: &[&str],
        runner: &[&str],
        tally: &mut Tally,
    ) -> Outcome {
        fs::create_dir_all(&self.outside)?;
        say::out(format_args!("\nin C, {name}: {}", compiler.join(" ")));
        for source in sources()? {
            let program = stem(&source);
            let file = format!("{name}-{program}");
            // Wine runs no program without this ending.
            let built = self.inside.join(format!("{file}.exe")).to_string_lossy().into_owned();
            let source = source.to_string_lossy();
            let compile = [compiler, &include(), &[&*source, "-o", &*built], libraries].concat();
            let compiled = (self.command)(&owned(&compile)).status()?.success();
            if !compiled {
                say::out(format_args!("test {program} ... does not compile\nFAILED"));
                tally.one(false);
                continue;
            }
            // One that an earlier run left would not be empty.
            let folder = self.scratch.0.join(&file);
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            let folder = self.scratch.1.join(&file).to_string_lossy().into_owned();
            let run = [runner, &[&*built, &*folder, &*self.shared]].concat();
            let mut run = (self.command)(&owned(&run));
            let output = run.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            say::out(text.trim_end());
            count(&format!("c-{name}/{program}"), &text, output.status.success(), tally);
        }
        Ok(())
    }

    /// Builds and runs the examples, and what `docs/c.md` shows. Argument: the Python with Zig.
    fn examples(&self, zig: Option<&str>, tally: &mut Tally) -> Outcome {
        say::out("\nin C, examples and docs/c.md");
        let mut check = Command::new("bash");
        check.arg(folder().join("examples/check.sh")).arg(&self.libraries);
        if let Some(python) = zig {
            check.env("ZIG", format!("{python} -m ziglang"));
        }
        let output = check.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        say::out(text.trim_end());
        count("c-examples", &text, output.status.success(), tally);
        Ok(())
    }

    /// Has a C++ compiler read every test, and the header alone.
    fn read(&self, compiler: &str, tally: &mut Tally) -> Outcome {
        say::out(format_args!("\nin C++: {compiler} {}", CPP11.join(" ")));
        let header = folder().join("include/curt.h");
        for source in sources()?.into_iter().chain([header]) {
            let path = source.to_string_lossy();
            // As the main file, its functions that nobody uses would be complained about.
            let is_header = path.ends_with(".h");
            let file = if is_header { vec!["-include", &*path, "/dev/null"] } else { vec![&*path] };
            let read = [&[compiler], &CPP11[..], &include(), &file].concat();
            let is_read = (self.command)(&owned(&read)).status()?.success();
            let verdict = if is_read { "ok" } else { "FAILED" };
            say::out(format_args!("test {} ... {verdict}", stem(&source)));
            tally.one(is_read);
        }
        Ok(())
    }
}

/// The programs, in order.
fn sources() -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder().join("tests"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            sources.push(path);
        }
    }
    sources.sort();
    Ok(sources)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The header, from the checkout's top.
fn include() -> [&'static str; 1] {
    ["-Ibindings/c/include"]
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// Counts the tests of a program.
fn count(suite: &str, output: &str, ended_well: bool, tally: &mut Tally) {
    let (mut test, mut failed) = (None, 0);
    for line in output.lines() {
        let begun = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
        let verdict = begun.map_or(line, |(name, verdict)| {
            test = Some(name);
            verdict
        });
        let Some(name) = test else { continue };
        match (verdict, verdict.strip_suffix(") skipped")) {
            ("ok", _) => tally.one(true),
            ("FAILED", _) => {
                failed += 1;
                tally.one(false);
            }
            (_, Some(reason)) => {
                let reason = reason.trim_start_matches('(').to_owned();
                tally.skip(Skip { suite: suite.to_owned(), test: name.to_owned(), reason });
            }
            _ => continue,
        }
        test = None;
    }
    // A test that did not end, or what came before or after all tests.
    if test.is_some() || !ended_well && failed == 0 {
        say::out(format_args!(
            "test {} ... the program ended badly\nFAILED",
            test.unwrap_or(suite)
        ));
        tally.one(false);
    }
}

/// What this machine lacks.
fn skip(name: &str, reason: &str, tally: &mut Tally) {
    let [suite, test, reason] = ["xtask", &format!("c-test-{name}"), reason].map(str::to_owned);
    say::out(format_args!("skipped: {suite}: {test}: {reason}"));
    tally.skip(Skip { suite, test, reason });
}

/// The Python that has `ziglang`, in a virtual environment that is made once.
fn zig() -> Result<Option<String>, Failure> {
    let folder = host::cache()?.join(format!("tools/ziglang-{ZIG}"));
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    let ready = folder.join("ready");
    if !ready.exists() {
        let mut make = Command::new("python3");
        let made = host::check(make.args(["-m", "venv", "--clear"]).arg(&folder));
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--only-binary=:all:"]);
        if made.is_err() || host::check(install.arg(format!("ziglang=={ZIG}"))).is_err() {
            return Ok(None);
        }
        fs::write(ready, "")?;
    }
    Ok(Some(python))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, ended_well: bool, expected: &str) {
        let mut tally = Tally::default();
        count("c-gcc/x", output, ended_well, &mut tally);
        assert_eq!(tally.summary().lines().last(), Some(expected));
    }

    #[test]
    fn tests_of_a_program_are_counted() {
        let output =
            "test a ... ok\ntest b ... x.c:3: 1, not 2\nFAILED\ntest c ... (no Wine) skipped\n";
        check(output, false, "1 passed, 1 failed, 1 skipped");
    }

    #[test]
    fn program_that_ends_badly_has_failed() {
        check("test a ... ok\n", true, "1 passed, 0 failed, 0 skipped");
        check("test a ... ok\n", false, "1 passed, 1 failed, 0 skipped");
        check("test a ... ok\ntest b ... ", true, "1 passed, 1 failed, 0 skipped");
        check("", false, "0 passed, 1 failed, 0 skipped");
    }
}
