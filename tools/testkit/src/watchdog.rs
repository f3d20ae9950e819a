//! Makes a hanging test fail.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The maximum time without progress in a [`Scratch`](crate::Scratch), in milliseconds.
const LIMIT: u32 = 60_000;

/// A test that is watched until this is dropped.
#[derive(Debug)]
pub struct Watch {
    test: String,
    idle: AtomicU32,
}

struct Watchdog(Mutex<Vec<Weak<Watch>>>);

/// Watches the current test. After a minute without progress in a [`Scratch`](crate::Scratch),
/// aborts the process and names the test.
#[must_use]
pub fn watch() -> Arc<Watch> {
    static WATCHDOG: Watchdog = Watchdog(Mutex::new(Vec::new()));
    static IS_STARTED: Once = Once::new();
    IS_STARTED.call_once(|| {
        let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(|| WATCHDOG.run());
    });
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("an unnamed thread").to_owned();
    let watch = Arc::new(Watch { test, idle: AtomicU32::new(0) });
    WATCHDOG.add(&watch);
    watch
}

impl Watch {
    pub(crate) fn renew(&self) {
        self.idle.store(0, Ordering::Relaxed);
    }
}

impl Watchdog {
    fn add(&self, watch: &Arc<Watch>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(watch));
    }

    /// Adds up idle time. While other processes slow down a fixed amount of work, a second counts
    /// less, down to a tenth, so the minute takes at most ten.
    fn run(&self) -> ! {
        let mut best = Duration::MAX;
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let begun = Instant::now();
            for number in 0..1_000_000 {
                std::hint::black_box(number);
            }
            let time = begun.elapsed();
            best = best.min(time);
            let share = (best.as_secs_f64() / time.as_secs_f64()).max(0.1);
            if let Some(test) = self.count((share * 1e3) as u32) {
                abort(&test);
            }
        }
    }

    fn count(&self, milliseconds: u32) -> Option<String> {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watched.retain(|watch| watch.strong_count() > 0);
        let over =
            |watch: &Arc<Watch>| watch.idle.fetch_add(milliseconds, Ordering::Relaxed) >= LIMIT;
        watched.iter().filter_map(Weak::upgrade).find(over).map(|watch| watch.test.clone())
    }
}

fn abort(test: &str) -> ! {
    // Only the end of the process stops a test. Kill its children first, because they would keep
    // the test runner's pipes open.
    #[cfg(unix)]
    let programs = {
        use std::process::Command;
        let own = std::process::id().to_string();
        let listed = Command::new("pgrep").args(["-a", "-P", &own]).output();
        let _ = Command::new("pkill").args(["-KILL", "-P", &own]).status();
        listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned())
    };
    #[cfg(windows)]
    let programs = std::io::Result::Ok(String::new());
    let suite = crate::suite();
    let programs = programs.unwrap_or_default();
    crate::say(&format!(
        "\n{suite}: {test} hangs: no progress for a minute. Programs of this suite:\n{programs}"
    ));
    std::process::abort();
}

#[cfg(test)]
mod tests {
    use super::{Arc, AtomicU32, Mutex, Watch, Watchdog};
    use crate::Scratch;

    #[test]
    fn a_test_that_makes_nothing_for_a_minute_is_named() {
        let watchdog = Watchdog(Mutex::default());
        let seconds = |count: u32| (0..count).find_map(|_| watchdog.count(1_000));
        let hanging = Arc::new(Watch { test: "hangs".to_owned(), idle: AtomicU32::new(0) });
        watchdog.add(&hanging);
        assert_eq!(seconds(60), None);
        hanging.renew();
        assert_eq!(seconds(60), None);
        assert_eq!(seconds(1).as_deref(), Some("hangs"));
        drop(hanging);
        assert_eq!(seconds(1), None, "it has ended");
        let scratch = Scratch::new();
        watchdog.add(&scratch.watch);
        for name in ["a", "a/b"] {
            assert_eq!(seconds(40), None);
            scratch.file(name.to_owned() + "/file");
        }
        scratch.remove("a");
    }
}
