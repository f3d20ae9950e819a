//! Utilities for curt's tests.

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

/// Reports that the current test was skipped: `skipped: SUITE: TEST: REASON`.
///
/// The line, for `cargo xtask test`, bypasses the test harness, which hides the output of passing
/// tests.
pub fn skip(reason: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("an unnamed test");
    let line = format!("skipped: {}: {test}: {reason}\n", suite());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        say(&line);
    }
}

fn say(line: &str) {
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
}

/// Returns the package and the suite, whose name is unique only within its package.
fn suite() -> String {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "?".to_owned());
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.rsplit_once('-').map_or(&*name, |(name, _)| name);
    format!("{package}/{name}")
}

/// Returns the minimum duration of a race test: `CURT_RACE_SECONDS`, or 0.2 seconds.
pub fn race_time() -> Duration {
    let seconds = std::env::var("CURT_RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(0.2))
}

/// Runs the cases of a test in parallel, for tests that mostly wait.
///
/// # Panics
///
/// If a case fails.
pub fn at_once<C: Send>(cases: impl IntoIterator<Item = C>, test: impl Fn(C) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| test(case));
        }
    });
}

/// A reproducible source of pseudorandom choices.
#[derive(Debug)]
pub struct Choices(u64);

impl Choices {
    /// Starts a series.
    #[must_use]
    pub fn new(seed: u64) -> Choices {
        Choices(seed)
    }

    /// Returns a number less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Returns `true` once in `cases` calls on average.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    /// Returns one of the elements.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// Returns one of the texts.
    pub fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Tests a property with the seeds in `kept` (lines with the property's name and a seed) and with
/// `CURT_TREES` more seeds, by default 100. With `CURT_SEED`, tests only that seed.
///
/// # Panics
///
/// If the property fails, with the seed and its message.
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

/// Sets the flag on drop, so that a waiting thread ends even if the test panics.
#[derive(Debug)]
pub struct Over<'a>(pub &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Makes children die of SIGHUP, SIGINT, SIGQUIT and SIGTERM.
///
/// `nohup` or a script's `&` may have made this process ignore them, and children would inherit
/// that. `exec` resets handled signals, so this installs handlers.
#[cfg(unix)]
pub fn heed_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::flag::register_conditional_default;
    static IS_DONE: std::sync::Once = std::sync::Once::new();
    IS_DONE.call_once(|| {
        let is_usual = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        for number in [SIGINT, SIGQUIT, SIGHUP, SIGTERM] {
            let _ = register_conditional_default(number, is_usual.clone());
        }
    });
}

/// The user ID of `nobody`, who is subject to file permissions.
#[cfg(unix)]
pub const NOBODY: u32 = 65534;

/// Returns whether the tests run as root.
#[cfg(unix)]
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns whether mount namespaces work, and reports a skip if not.
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

/// Returns whether strace works, and reports a skip if not.
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

/// Returns the version of a GNU tool, or zeros.
#[must_use]
pub fn version(tool: &str) -> (u32, u32) {
    let output = std::process::Command::new(tool).arg("--version").output();
    let text = output.map_or(Vec::new(), |output| output.stdout);
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().next().and_then(|line| line.rsplit(' ').next()).unwrap_or_default();
    let mut numbers = last.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Returns a command that runs a script in a new mount namespace.
#[cfg(unix)]
#[must_use]
pub fn in_namespace(script: &str) -> std::process::Command {
    let mut command = std::process::Command::new("unshare");
    command.args(["-m", "sh", "-c", script]);
    command
}

/// Splits a table at ` | ` and line ends. A cell of two single quotes is empty.
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
