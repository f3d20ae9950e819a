//! Runs GNU's own tests of rm, ls, du, stat, readlink and realpath, first with GNU's programs and
//! then with curt.
//!
//! The suite is that of Debian's coreutils, built in the Debian root. What passes with GNU's
//! programs can pass here, and must pass with curt unless `failures.txt` lists it; what is listed
//! there must fail. Each test runs as root and as another user, in a mount namespace in which only
//! a new file system in memory can be written: the tests of `rm`, run as root, reach nothing else.

mod failures;

use crate::debian_root::{self, GNU, LINUX, Root};
use crate::host::{self, Failure, Outcome};
use crate::say;
use crate::skips::{self, Skip};
use failures::{Difference, Failures};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The programs whose tests run; each has a folder of tests, or one test in `misc`. The number is
/// that of the cases that pass with GNU's program at least: with fewer the suite itself does not
/// work here. (With all that Debian 13 has, it is 74, 98, 48, 14, 14 and 2; some skip themselves on
/// a machine that lacks something.)
const PROGRAMS: [(&str, usize); 6] =
    [("rm", 70), ("ls", 93), ("du", 45), ("stat", 13), ("readlink", 13), ("realpath", 2)];

/// Raise this when `build.sh` makes something that an older tree does not have.
const VERSION: &str = "1";

/// Builds the suite, runs one test, and stands for GNU's programs.
const BUILD: &str = include_str!("build.sh");
const TEST: &str = include_str!("test.sh");

/// The exit status of a test that skipped itself, and of `build.sh` where there is no source.
const SKIPPED: i32 = 77;

/// Tests that run at the same time.
const JOBS: usize = 2;

/// As whom a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum User {
    Root,
    Nobody,
}

impl User {
    fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Nobody => "nobody",
        }
    }
}

/// A test, such as `rm/d-1.sh`, as one user.
type Case = (String, User);

/// What a test came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Skipped,
    Failed,
}

/// The task `gnu-tests`: all of them, or those whose names contain the filter.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let filter = match arguments {
        [] => "",
        [filter] if !filter.starts_with('-') => filter,
        _ => return Err(Failure::usage("gnu-tests takes one part of the names of tests")),
    };
    let suite = match Suite::ready() {
        Err(failure) if failure.code == Failure::MISSING => {
            return skips::chore(&Skip {
                suite: "xtask".to_owned(),
                test: "gnu-tests".to_owned(),
                reason: failure.text,
            });
        }
        suite => suite?,
    };
    let failures = Failures::parse(include_str!("failures.txt"))?;
    let tests = suite.tests()?;
    failures.must_name(&tests)?;
    let mut cases = Vec::new();
    for test in tests.iter().filter(|test| test.contains(filter)) {
        cases.extend([User::Root, User::Nobody].map(|user| (test.clone(), user)));
    }
    let baseline = suite.verdicts(&cases, "")?;
    cases.retain(|case| baseline.get(case) == Some(&Verdict::Passed));
    if filter.is_empty() {
        must_suffice(&cases)?;
    }
    let front = suite.front()?;
    let mut answers = suite.verdicts(&cases, &front)?;
    // A busy machine can fail a test that waits for something. It is given a second chance.
    let again = cases.iter().filter(|case| failures.difference(case, answers[*case]).is_some());
    let again: Vec<Case> = again.cloned().collect();
    answers.extend(suite.verdicts(&again, &front)?);
    let differences = cases.iter().filter_map(|case| failures.difference(case, answers[case]));
    conclude(&cases, &answers, &differences.collect::<Vec<_>>())
}

/// The cases of a program.
fn of_program<'c>(cases: &'c [Case], program: &str) -> impl Iterator<Item = &'c Case> {
    cases.iter().filter(move |case| program_of(&case.0) == program)
}

/// The program that a test is about: `stat` of `stat/stat-fmt.sh`, `realpath` of
/// `misc/realpath.sh`.
fn program_of(test: &str) -> &str {
    match test.split_once('/') {
        Some(("misc", file)) => file.split('.').next().unwrap_or_default(),
        Some((folder, _)) => folder,
        None => "",
    }
}

/// Where hardly anything passes with GNU's programs, hardly anything is asked of curt.
fn must_suffice(passed: &[Case]) -> Outcome {
    let lacking = PROGRAMS.iter().filter_map(|&(program, least)| {
        let count = of_program(passed, program).count();
        (count < least).then(|| format!("{program} {count} of at least {least}"))
    });
    let lacking: Vec<String> = lacking.collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("too few cases pass with GNU's programs: {}", lacking.join(", "))))
}

/// Says what came of it; differences from the list are a failure.
fn conclude(
    cases: &[Case],
    answers: &BTreeMap<Case, Verdict>,
    differences: &[Difference],
) -> Outcome {
    say::out("gnu-tests: cases that pass with GNU's program, and with curt");
    for (program, _) in PROGRAMS {
        let can = of_program(cases, program).count();
        let do_pass = of_program(cases, program).filter(|case| answers[*case] == Verdict::Passed);
        say::out(format_args!("  {program:<8} {can:>4} {:>4}", do_pass.count()));
    }
    if differences.is_empty() {
        return Ok(());
    }
    differences.iter().for_each(say::out);
    Err(Failure::new(format!(
        "{} differences from tools/xtask/src/gnu/failures.txt",
        differences.len()
    )))
}

/// GNU's tests, built, and a curt that was built beside them.
struct Suite {
    root: Root,
    /// The folder on the host, and in the root.
    folder: PathBuf,
    inside: PathBuf,
}

impl Suite {
    fn ready() -> Result<Self, Failure> {
        let root = Root::with(&[&LINUX, &GNU])?;
        let (folder, inside) = debian_root::shared("gnu")?;
        let inside_text = inside.to_string_lossy().into_owned();
        let lock = format!("{inside_text}.lock");
        let mut build = vec!["flock", &lock, "sh", "-euc", BUILD, "sh", &inside_text, VERSION];
        build.extend(PROGRAMS.map(|(program, _)| program));
        let status = root.command(&build)?.stdout(std::io::stderr()).status()?;
        if status.code() == Some(SKIPPED) {
            return Err(Failure::missing("the source of Debian's coreutils cannot be had here"));
        }
        if !status.success() {
            return Err(Failure::new(format!("GNU's test suite cannot be built: {status}")));
        }
        Ok(Self { root, folder, inside })
    }

    /// The tests, in order.
    fn tests(&self) -> Result<Vec<String>, Failure> {
        let mut tests = Vec::new();
        for (program, _) in PROGRAMS {
            let folder = self.folder.join("source/tests").join(program);
            if !folder.is_dir() {
                tests.push(format!("misc/{program}.sh"));
                continue;
            }
            for file in fs::read_dir(folder)? {
                let name = file?.file_name().to_string_lossy().into_owned();
                let is_test = [".sh", ".pl", ".xpl"].iter().any(|ending| name.ends_with(ending));
                tests.extend(is_test.then(|| format!("{program}/{name}")));
            }
        }
        tests.sort();
        Ok(tests)
    }

    /// Builds curt, and the program that stands for GNU's. Returns its path in the root.
    fn front(&self) -> Result<String, Failure> {
        let cargo = ["cargo", "build", "--locked", "--package", "curt-cli"];
        host::check(&mut self.root.command(&cargo)?)?;
        let (_, front) = debian_root::kept("gnu-front")?;
        let front = front.to_string_lossy().into_owned();
        let source = host::checkout().join("tools/xtask/src/gnu").to_string_lossy().into_owned();
        let script = "mkdir -p \"$1\"
            gcc -O1 -Wall -static -o \"$1/front\" \"$2/front.c\" \\
                -DCURT=\"\\\"$CARGO_TARGET_DIR/debug/curt\\\"\"";
        host::check(&mut self.root.command(&["sh", "-euc", script, "sh", &front, &source])?)?;
        Ok(format!("{front}/front"))
    }

    /// What each case came to, with a program in the place of GNU's, or with GNU's.
    fn verdicts(&self, cases: &[Case], program: &str) -> Result<BTreeMap<Case, Verdict>, Failure> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<BTreeMap<Case, Verdict>, Failure> {
            let mut verdicts = BTreeMap::new();
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                verdicts.insert(case.clone(), self.verdict(case, program)?);
            }
            Ok(verdicts)
        };
        std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..JOBS).map(|_| scope.spawn(work)).collect();
            let mut verdicts = BTreeMap::new();
            for job in jobs {
                verdicts.extend(job.join().map_err(|_| Failure::new("a job panicked"))??);
            }
            Ok(verdicts)
        })
    }

    /// Runs one test. What it prints is kept beside the suite, to find out why it failed.
    fn verdict(&self, (test, user): &Case, program: &str) -> Result<Verdict, Failure> {
        let tree = self.inside.join("source").to_string_lossy().into_owned();
        let words = [tree.as_str(), program, test, user.name(), program_of(test)];
        let shell = &["sh", "-euc", TEST, "sh"][..];
        let mut command = self.root.command(&[shell, &words].concat())?;
        let log = fs::File::create(Self::log(test, *user, program)?)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(match command.status()?.code() {
            Some(0) => Verdict::Passed,
            Some(SKIPPED) => Verdict::Skipped,
            _ => Verdict::Failed,
        })
    }

    /// The file that holds what a test printed.
    fn log(test: &str, user: User, program: &str) -> Result<PathBuf, Failure> {
        let whose = if program.is_empty() { "gnu" } else { "curt" };
        let (kept, _) = debian_root::kept("gnu-logs")?;
        let path = kept.join(format!("{whose}-{}", user.name())).join(Path::new(test));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_that_passes_too_little_is_an_error() {
        let cases = |program: &'static str, count: usize| {
            (0..count).map(move |number| (format!("{program}/{number}.sh"), User::Root))
        };
        let enough: Vec<Case> =
            PROGRAMS.iter().flat_map(|&(program, least)| cases(program, least)).collect();
        assert!(must_suffice(&enough).is_ok());
        assert!(must_suffice(&[]).is_err());
        for (program, least) in PROGRAMS {
            assert!(least > 0, "{program}");
            let mut few = enough.clone();
            few.retain(|case| case.0 != format!("{program}/0.sh"));
            let text = must_suffice(&few).unwrap_err().text;
            assert!(text.ends_with(&format!("{program} {} of at least {least}", least - 1)));
        }
    }
}
