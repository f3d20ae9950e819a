//! Processor time of finished child processes.
//!
//! The exact source would be `wait4` or `getrusage`, which no safe interface here offers. Linux
//! shows the same sums in `/proc/self/stat`, cut to ticks of 10 ms. The sum itself is kept exactly
//! by the kernel, so what one run loses the next gains: the mean over many runs is right, a single
//! short run shows 0 or 10 ms. Elsewhere there is nothing, and the column stays empty.

/// Linux fixed the unit of these fields at 100 per second for all programs.
#[cfg(any(target_os = "linux", test))]
const TICKS_PER_SECOND: f64 = 100.0;

/// User and system seconds of all children waited for so far.
#[cfg(target_os = "linux")]
pub(crate) fn of_children() -> Option<(f64, f64)> {
    parse(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// User and system seconds of all children waited for so far: unknown here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of_children() -> Option<(f64, f64)> {
    None
}

/// What was added between two looks.
pub(crate) fn between(before: Option<(f64, f64)>, after: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let (before, after) = (before?, after?);
    Some((after.0 - before.0, after.1 - before.1))
}

/// The fields `cutime` and `cstime`, the 16th and 17th. The second, the program's name in
/// parentheses, may hold anything, so counting begins behind its last parenthesis.
#[cfg(any(target_os = "linux", test))]
fn parse(stat: &str) -> Option<(f64, f64)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? / TICKS_PER_SECOND, ticks()? / TICKS_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_behind_the_name() {
        let stat = "12 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 250 31 20 0 1 0";
        assert_eq!(parse(stat), Some((2.5, 0.31)));
        assert_eq!(parse(""), None);
        assert_eq!(parse("1 (x) S 1"), None);
    }

    #[test]
    fn differences() {
        let (user, system) = between(Some((1.0, 2.0)), Some((1.5, 2.25))).unwrap();
        assert_eq!((user, system), (0.5, 0.25));
        assert_eq!(between(None, Some((1.0, 1.0))), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_real_line_can_be_read() {
        assert!(of_children().is_some());
    }
}
