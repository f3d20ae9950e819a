//! How busy other programs keep the machine meanwhile.

use std::fs::read_to_string;

/// Processor time so far, in the kernel's ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    /// Of all processors.
    all: u64,
    /// Of those, without work.
    idle: u64,
    /// Of this process and those that it waited for.
    own: u64,
}

impl Activity {
    /// Until now; nothing is known where there is no `/proc`.
    pub(crate) fn now() -> Option<Self> {
        Self::parse(&read_to_string("/proc/stat").ok()?, &read_to_string("/proc/self/stat").ok()?)
    }

    fn parse(machine: &str, own: &str) -> Option<Self> {
        // What guests took is in the first eight, too.
        let ticks = machine.lines().next()?.split_whitespace().skip(1).take(8);
        let ticks: Vec<u64> = ticks.map_while(|ticks| ticks.parse().ok()).collect();
        let [_, _, _, idle, waiting, ..] = *ticks.as_slice() else { return None };
        // Names may hold anything, also spaces and parentheses.
        let (_, fields) = own.rsplit_once(')')?;
        let own =
            fields.split_whitespace().skip(11).take(4).map_while(|ticks| ticks.parse::<u64>().ok());
        Some(Self { all: ticks.iter().sum(), idle: idle + waiting, own: own.sum() })
    }

    /// How many processors others have kept busy from then on until this, on average.
    pub(crate) fn others_since(self, then: Self) -> f64 {
        let since = |ticks: u64, then: u64| ticks.saturating_sub(then) as f64;
        // The kernel says that its idle time may go back a little.
        let [all, idle, own] =
            [since(self.all, then.all), since(self.idle, then.idle), since(self.own, then.own)];
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        (all - idle - own).max(0.0) / all.max(1.0) * processors as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_did_is_what_neither_we_nor_nobody_did() {
        let at = |user, idle, waiting, own: u64| {
            let machine = format!("cpu  {user} 10 20 {idle} {waiting} 5 6 7 0 0\ncpu0 1 2 3\n");
            let own = format!("7 (a b) c) S 1 1 1 0 -1 4 1 2 3 4 {own} 20 300 400 20 0 9\n");
            Activity::parse(&machine, &own).unwrap()
        };
        let (then, now) = (at(1_000, 5_000, 50, 100), at(1_300, 5_080, 70, 250));
        assert_eq!((then.all, then.idle, then.own), (6_098, 5_050, 820));
        let processors = std::thread::available_parallelism().unwrap().get() as f64;
        // Of 400 ticks, nobody had 100 and we had 150.
        assert!((now.others_since(then) - 150.0 / 400.0 * processors).abs() < 1e-9);
        assert!(Activity::parse("", "").is_none());
    }
}
