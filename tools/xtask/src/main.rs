//! The chores of this repository: `cargo xtask` lists them.
//!
//! One file per chore; nothing here is a dependency of the library or the command.

mod debian_root;
mod dist;
mod fuzz;
mod gnu;
mod host;
mod lint;
mod msrv;
mod public_api;
mod rivals;
mod say;
mod size;
mod skips;
mod statics;
mod targets;
mod test;
mod unused_api;
mod windows;

use host::{Failure, Outcome};
use std::process::ExitCode;

/// A chore: its name, what follows the name, one line of explanation, and what it runs.
struct Task {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Outcome,
}

/// Every chore, in the order of the listing.
const TASKS: &[Task] = &[
    Task {
        name: "lint",
        arguments: "",
        about: "check the door of system calls, the layers, and where platforms and unsafe may be known",
        run: lint::run,
    },
    Task {
        name: "size",
        arguments: "[--update]",
        about: "count the lines of each package, and compare them with (or lower) the committed numbers",
        run: size::run,
    },
    Task {
        name: "test",
        arguments: "[PACKAGE]",
        about: "run every suite (root: as daemon, and as root what needs it), and add up the counts",
        run: test::run,
    },
    Task {
        name: "fuzz",
        arguments: "TARGET [OPTION…]",
        about: "run a target under fuzz/ with libFuzzer, as long as its options say",
        run: fuzz::run,
    },
    Task {
        name: "fuzz-all",
        arguments: "[SECONDS]",
        about: "run every fuzz target that long, 60 seconds if nothing is said, from its corpus",
        run: fuzz::run_all,
    },
    Task {
        name: "fuzz-replay",
        arguments: "",
        about: "run every fuzz target once on each file of its corpus",
        run: fuzz::replay,
    },
    Task {
        name: "gnu-tests",
        arguments: "[FILTER]",
        about: "run GNU's own tests of rm, ls, du and stat, with curt in their place",
        run: gnu::run,
    },
    Task {
        name: "static-test",
        arguments: "[--short]",
        about: "run the suites of the command (or a few tests) with a static binary (musl)",
        run: statics::run,
    },
    Task {
        name: "dist",
        arguments: "[--here] [KIND…]",
        about: "build what is released into target/distrib: tar, deb, exe, npm, wheel, python",
        run: dist::build,
    },
    Task {
        name: "dist-test",
        arguments: "[--here] [KIND…]",
        about: "build it, and install and run each in a clean root",
        run: dist::test,
    },
    Task {
        name: "public-api",
        arguments: "[--update]",
        about: "compare the public API with its committed lists (or write them) and the last release",
        run: public_api::run,
    },
    Task {
        name: "unused-api",
        arguments: "",
        about: "find public items that no command, binding, example or benchmark uses",
        run: unused_api::run,
    },
    Task {
        name: "rivals",
        arguments: "[NAME…]",
        about: "build the programs under tools/bench/rivals that the benchmark compares with",
        run: rivals::run,
    },
    Task {
        name: "debian-root",
        arguments: "",
        about: "make or update the Debian 13 root, and print its folder (needs root)",
        run: debian_root::make,
    },
    Task {
        name: "in-root",
        arguments: "[--with SET,…] -- COMMAND…",
        about: "run a command in the Debian root, the checkout being its working directory",
        run: debian_root::enter,
    },
    Task {
        name: "msrv",
        arguments: "",
        about: "build with the oldest supported Rust, and test the library, in the Debian root",
        run: msrv::run,
    },
    Task {
        name: "check-targets",
        arguments: "[TARGET…]",
        about: "type-check for Windows, macOS, FreeBSD, aarch64 Linux and musl",
        run: targets::run,
    },
    Task {
        name: "windows-test",
        arguments: "[--short | FILTER…]",
        about: "run every suite of the Windows build under Wine, or only what is its own",
        run: windows::test::run,
    },
    Task {
        name: "windows-build",
        arguments: "",
        about: "build curt.exe as it is released, and print where it is",
        run: windows::run::build,
    },
    Task {
        name: "windows-run",
        arguments: "[--exe FILE] -- ARGUMENTS…",
        about: "run curt.exe under Wine, in a folder that stays",
        run: windows::run::run,
    },
    Task {
        name: "native-calls",
        arguments: "--check [NAME…] | -- ARGUMENTS…",
        about: "count the ntdll calls of curt.exe per unit of work, beside the snapshots or to see",
        run: windows::calls::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        say::out(listing());
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "-h" | "--help" | "help") {
        say::out(listing());
        return ExitCode::SUCCESS;
    }
    let outcome = match TASKS.iter().find(|task| task.name == name) {
        Some(task) => (task.run)(rest),
        None => Err(Failure::usage(format!("no task is called '{name}'\n{}", listing()))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::err(format_args!("xtask: {}", failure.text));
            ExitCode::from(failure.code)
        }
    }
}

/// All tasks, one line each.
fn listing() -> String {
    let lines = TASKS.iter().map(|task| {
        let call = format!("{} {}", task.name, task.arguments);
        format!("  {call:<24} {}", task.about)
    });
    let lines: Vec<String> = lines.collect();
    format!("usage: cargo xtask TASK\n\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_one_line_in_the_listing() {
        let listing = listing();
        for task in TASKS {
            let lines =
                listing.lines().filter(|line| line.split_whitespace().next() == Some(task.name));
            assert_eq!(lines.count(), 1, "{}", task.name);
        }
    }
}
