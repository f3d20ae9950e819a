//! The tasks of this repository.

mod api;
mod c;
mod debian_root;
mod fuzz;
mod gnu;
mod host;
mod lint;
mod msrv;
mod release;
mod say;
mod scripts;
mod size;
mod skips;
mod statics;
mod targets;
mod test;
mod windows;

use host::{Failure, Outcome};
use std::iter;
use std::process::ExitCode;

const LISTING: &str = "\
usage: cargo xtask TASK

  lint                     check the syscall layer, other layers, platform conditions, unsafe
  size [--update]          compare the lines of each package with the committed numbers
  test [PACKAGE]           run every suite, as root by another user, too, and add up the counts
  fuzz-replay              run every fuzz target once on each file of its corpus
  gnu-tests [FILTER]       run GNU's own tests of seven commands, with curt in their place
  static-test [--short]    run the suites of the command, or a few tests, with a static binary
  dist [--here] [KIND…]    build what is released: tar, deb, exe, npm, wheel, python, c (libcurt),
                           gem; --here: for this processor and Linux only
  dist-test [--here] [KIND…]
                           build it, and install and run each in a clean root
  release-check            name what must change before a release: URL, date, documents, actions
  public-api [--update]    compare the public API with its lists and the last release
  unused-api               find public items, features and functions of libcurt without a caller
  c-header [--update]      compare bindings/c/include/curt.h with what the crate makes of it
  c-abi [--update]         compare the binary interface of libcurt with bindings/c/abi.txt
  c-test [--full]          run the tests in C with gcc and its sanitizers; or with clang, Zig,
                           Valgrind and Wine, too
  c-install --prefix FOLDER
                           build libcurt, and install header, libraries and curt.pc
  rivals [NAME…]           build the rivals of the benchmark, under tools/bench/rivals
  debian-root              make or update the Debian 13 root, and print its folder (needs root)
  in-root [--debian 12] [--with SET,…] -- COMMAND…
                           run a command in the Debian root, in the checkout
  msrv                     build with the oldest Rust, and test the library, in the Debian root
  check-targets [TARGET…]  type-check for Windows, macOS, FreeBSD, aarch64 Linux and musl
  windows-test [--short | FILTER…]
                           run every suite of the Windows build under Wine, or a part
  windows-build            build curt.exe as it is released, and print where it is
  windows-run [--exe FILE] -- ARGUMENTS…
                           run curt.exe under Wine, in a folder that stays
  windows-session [--library] -- COMMAND…
                           run a command with mingw, Wine and a script that counts native calls
  native-calls --check [NAME…] | -- ARGUMENTS…
                           count the ntdll calls of curt.exe, and compare snapshots";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first().map_or(Ok(()), |(name, rest)| run(name, rest)) {
        Ok(()) if arguments.is_empty() => say::out(LISTING),
        Ok(()) => {}
        Err(failure) => {
            if !failure.text.is_empty() {
                say::err(format_args!("xtask: {}", failure.text));
            }
            return ExitCode::from(failure.code);
        }
    }
    ExitCode::SUCCESS
}

fn run(name: &str, rest: &[String]) -> Outcome {
    if rest.first().is_some_and(|word| word == "--help" || word == "-h") {
        if let Some(usage) = usage(name) {
            say::out(usage);
            return Ok(());
        }
    }
    match name {
        "lint" => lint::run(rest),
        "size" => size::run(rest),
        "test" => test::run(rest),
        "fuzz-replay" => fuzz::replay(rest),
        "gnu-tests" => gnu::run(rest),
        "static-test" => statics::run(rest),
        "dist" => scripts::run("dist/build.sh", rest),
        "dist-test" => scripts::run("dist/test.sh", rest),
        "release-check" => release::run(rest),
        "public-api" => api::run(rest),
        "unused-api" => api::unused(rest),
        "c-header" => c::header::run(rest),
        "c-abi" => c::abi::run(rest),
        "c-test" => c::test::run(rest),
        "c-install" => scripts::run("dist/install.sh", rest),
        "rivals" => scripts::run("bench/rivals/all.sh", rest),
        "debian-root" | "in-root" => scripts::run("debian-root.sh", rest),
        "msrv" => msrv::run(rest),
        "check-targets" => targets::run(rest),
        "windows-test" => windows::test::run(rest),
        "windows-build" => windows::run::build(rest),
        "windows-run" => windows::run::run(rest),
        "windows-session" => windows::session::run(rest),
        "native-calls" => windows::calls::run(rest),
        "-h" | "--help" | "help" => {
            say::out(LISTING);
            Ok(())
        }
        _ => Err(Failure::usage(format!("no task is called '{name}'\n{LISTING}"))),
    }
}

fn usage(name: &str) -> Option<String> {
    let begins = |line: &&str| line.split(' ').nth(2) == Some(name);
    let mut lines = LISTING.lines().skip_while(|line| !begins(line));
    let first = lines.next()?.trim_start();
    let (words, about) = first.split_once("  ").unwrap_or((first, ""));
    let more = lines.take_while(|line| line.starts_with("   "));
    let about = iter::once(about).chain(more).map(str::trim).filter(|line| !line.is_empty());
    Some(about.fold(format!("usage: cargo xtask {words}"), |all, line| all + "\n  " + line))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_task_has_its_lines_of_the_listing() {
        let usage = super::usage("c-install").unwrap();
        assert!(usage.starts_with("usage: cargo xtask c-install --prefix FOLDER\n"), "{usage}");
        assert_eq!((usage.lines().count(), super::usage("build")), (2, None));
    }
}
