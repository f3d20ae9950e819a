//! What the tests of curt share: a private place to build trees in, and a way to say aloud that a
//! test could not run here.

mod scratch;
mod sys;
#[cfg_attr(windows, path = "tear_windows.rs")]
mod tear;
mod watchdog;
#[cfg(windows)]
pub mod windows;

pub use scratch::Scratch;
pub use sys::alloc;
#[cfg(target_os = "linux")]
pub use sys::threads;
pub use watchdog::{Watch, watch};

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Says on standard output that the current test was skipped, and why:
/// `skipped: SUITE: TEST: REASON`.
///
/// It goes past the test harness, which swallows what a passing test prints: a skipped test must
/// be seen, and `cargo xtask test` collects these lines. The same is said once only.
pub fn skip(reason: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("an unnamed test");
    let line = format!("skipped: {}: {test}: {reason}\n", suite());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        say(&line);
    }
}

/// Writes a line to standard output, past the test harness.
fn say(line: &str) {
    // Nobody to tell when standard output is closed.
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
}

/// The package and the test program, such as `curt-cli/gnu`: two packages may have suites of one
/// name.
fn suite() -> String {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "?".to_owned());
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    // Cargo puts a hash behind the name.
    let name = name.rsplit_once('-').map_or(&*name, |(name, _)| name);
    format!("{package}/{name}")
}

/// How long a race between threads goes on at least: 0.2 seconds, or `CURT_RACE_SECONDS`, which is
/// 2 in a full run of the checks.
pub fn race_time() -> Duration {
    let seconds = std::env::var("CURT_RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(0.2))
}

/// Runs a test for each case, all at once: for tests that wait most of their time.
///
/// # Panics
///
/// If one fails.
pub fn at_once<C: Send>(cases: impl IntoIterator<Item = C>, test: impl Fn(C) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| test(case));
        }
    });
}

/// Makes choices that are the same in every run of a test.
#[derive(Debug)]
pub struct Choices(u64);

impl Choices {
    /// Begins a series of choices.
    #[must_use]
    pub fn new(seed: u64) -> Choices {
        Choices(seed)
    }

    /// A number below this one.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Whether one of so many cases has come.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    /// One of these.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// One of these texts.
    pub fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Tries a property with random choices: first with the seeds that this text keeps for it, one in a
/// line after its name, then with `CURT_TREES` seeds; 100 without it, and more in a full run of the
/// checks. `CURT_SEED` tries one alone.
///
/// # Panics
///
/// With the seed and with what the property says, if it does not hold.
pub fn try_seeds(name: &str, kept: &str, property: impl Fn(&mut Choices) -> Result<(), String>) {
    let number = |variable| std::env::var(variable).ok()?.parse::<u64>().ok();
    let kept = kept.lines().filter_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    let seeds: Vec<u64> = match number("CURT_SEED") {
        Some(seed) => vec![seed],
        None => kept.chain(0..number("CURT_TREES").unwrap_or(100)).collect(),
    };
    for seed in seeds {
        let mut choices = Choices::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if let Err(why) = property(&mut choices) {
            panic!("{name} fails with CURT_SEED={seed}; keep it in seeds.txt.\n{why}");
        }
    }
}

/// Sets the flag when it is dropped, also when the test fails: another thread that runs until then
/// would run forever, and may fill the disk.
#[derive(Debug)]
pub struct Over<'a>(pub &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Makes programs that the test starts end by the signals that ask a program to end.
///
/// A process that ignores one of them (after `nohup`, or with `&` in a script) passes that on to
/// the programs that it starts. A handler is not passed on: so this installs one with the default
/// effect, and the programs get the default.
#[cfg(unix)]
pub fn heed_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::flag::register_conditional_default;
    static IS_DONE: std::sync::Once = std::sync::Once::new();
    IS_DONE.call_once(|| {
        let is_usual = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        for number in [SIGINT, SIGQUIT, SIGHUP, SIGTERM] {
            // Where it cannot be had, the test says what did not end.
            let _ = register_conditional_default(number, is_usual.clone());
        }
    });
}

/// The user `nobody`, to whom permissions apply.
#[cfg(unix)]
pub const NOBODY: u32 = 65534;

/// Whether the tests run as root.
#[cfg(unix)]
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether this test can have its own mount namespace; where not, that is said.
#[cfg(unix)]
#[must_use]
pub fn may_mount() -> bool {
    let mut trial = in_namespace("mount -t tmpfs none /mnt 2>/dev/null");
    let may = is_root() && trial.status().is_ok_and(|status| status.success());
    if !may {
        skip("mount namespaces need root and unshare");
    }
    may
}

/// Whether strace can trace programs and inject faults; skips the test aloud if not.
#[cfg(unix)]
#[must_use]
pub fn may_trace() -> bool {
    let mut trial = std::process::Command::new("strace");
    let trial = trial.args(["-qq", "-o", "/dev/null", "true"]).status();
    let may = trial.is_ok_and(|status| status.success());
    if !may {
        skip("strace is not installed, or may not trace");
    }
    may
}

/// A script for the shell in its own mount namespace, which ends with it.
#[cfg(unix)]
#[must_use]
pub fn in_namespace(script: &str) -> std::process::Command {
    let mut command = std::process::Command::new("unshare");
    command.args(["-m", "sh", "-c", script]);
    command
}

/// The cells of a table that is written as one text: they end with ` | ` or with the line. A cell
/// of two single quotes is empty.
pub fn cells(table: &str) -> Vec<&str> {
    let cells = table.lines().flat_map(|line| line.split(" | ")).map(str::trim);
    cells.filter(|cell| !cell.is_empty()).map(|cell| if cell == "''" { "" } else { cell }).collect()
}

#[cfg(test)]
mod tests {
    use super::cells;

    #[test]
    fn cells_end_with_a_bar_or_a_line() {
        let table = "
            a b | c|d | ''
            e
        ";
        assert_eq!(cells(table), ["a b", "c|d", "", "e"]);
    }
}
