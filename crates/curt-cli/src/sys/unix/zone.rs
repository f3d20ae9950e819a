//! The local time zone, found as the C library does: from `TZ`, or from the system's file.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use jiff::tz::TimeZone;

use crate::time::LeapSeconds;

const LOCAL: &str = "/etc/localtime";
const ZONES: &str = "/usr/share/zoneinfo";
/// Suffixes to try after POSIX rules without dates of summer time.
const RULES: &[&str] = &["", ",M3.2.0,M11.1.0", ",M11.1.0"];
const ENDLESS_SUMMER: &[&str] = &["", ",0/0,J365/25"];

const LONGEST_RULES: usize = 256;
/// The size of a hundred usual zone files.
const LARGEST_FILE: usize = 512 << 10;

/// Returns UTC if the zone cannot be read.
pub(crate) fn local_zone() -> (TimeZone, LeapSeconds) {
    let zone = match std::env::var_os("TZ") {
        None => from_file(Path::new(LOCAL)),
        // An empty `TZ` means UTC, but the C library reads its file, which may have leap seconds.
        Some(text) if text.is_empty() => named(OsStr::new("Universal")),
        Some(text) => named(&text),
    };
    zone.unwrap_or((TimeZone::UTC, LeapSeconds::default()))
}

/// Reads a file or parses POSIX rules.
fn named(text: &OsStr) -> Option<(TimeZone, LeapSeconds)> {
    let bytes = text.as_bytes();
    let bytes = bytes.strip_prefix(b":").unwrap_or(bytes);
    if bytes.is_empty() {
        return None;
    }
    let name = Path::new(OsStr::from_bytes(bytes));
    let folder = std::env::var_os("TZDIR").filter(|folder| !folder.is_empty());
    let folder = folder.unwrap_or_else(|| ZONES.into());
    from_file(&Path::new(&folder).join(name))
        .or_else(|| Some((from_rules(std::str::from_utf8(bytes).ok()?)?, LeapSeconds::default())))
}

fn from_file(path: &Path) -> Option<(TimeZone, LeapSeconds)> {
    let bytes = super::read_file(path, LARGEST_FILE).ok()?;
    let zone = TimeZone::tzif("", &bytes).ok()?;
    Some((zone, LeapSeconds(leap_seconds(&bytes).unwrap_or_default())))
}

/// Parses the leap seconds (RFC 9636), which jiff validates but ignores. Each record has a time of
/// 8 bytes (4 in version 1) and a count of 4.
fn leap_seconds(file: &[u8]) -> Option<Vec<(i64, i64)>> {
    const HEADER: usize = 44;
    let block = |bytes: &[u8], width: usize| {
        let mut counts = [0; 6];
        for (count, bytes) in counts.iter_mut().zip(bytes.get(20..HEADER)?.chunks(4)) {
            *count = usize::try_from(number(bytes)).ok()?;
        }
        let [indicators, more_indicators, leaps, times, types, letters] = counts;
        let start = HEADER + times * (width + 1) + types * 6 + letters;
        let end = start + leaps * (width + 4);
        Some((start..end, end + indicators + more_indicators))
    };
    let (mut bytes, mut width) = (file, 4);
    if *file.get(4)? != 0 {
        // Since version 2, the data is repeated with 8-byte times.
        bytes = file.get(block(file, width)?.1..)?;
        width = 8;
    }
    let records = bytes.get(block(bytes, width)?.0)?.chunks(width + 4);
    Some(records.map(|record| (number(&record[..width]), number(&record[width..]))).collect())
}

fn number(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|&first| first > 0x7f) { -1 } else { 0 };
    bytes.iter().fold(sign, |number, &byte| number << 8 | i64::from(byte))
}

/// Parses POSIX rules. Like the C library, ignores an invalid end; summer time then never ends.
fn from_rules(text: &str) -> Option<TimeZone> {
    if text.len() > LONGEST_RULES {
        return None;
    }
    let ends = (1..=text.len()).rev().filter_map(|end| text.split_at_checked(end));
    ends.filter(|(_, rest)| !rest.starts_with(|at: char| at.is_ascii_digit() || at == ':'))
        .find_map(|(start, rest)| {
            let defaults = if matches!(rest, "" | ",") { RULES } else { ENDLESS_SUMMER };
            let mut rules =
                defaults.iter().map(|rules| TimeZone::posix(&format!("{start}{rules}")));
            rules.find_map(Result::ok)
        })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{LeapSeconds, leap_seconds, named};
    use jiff::Timestamp;

    #[test]
    fn accepts_any_value() {
        let scratch = curt_testkit::Scratch::new();
        let pipe = scratch.fifo("pipe");
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null"), scratch.path()]
        {
            assert!(named(path.as_os_str()).is_none(), "{path:?}");
        }
        let rules = |blanks: usize| format!("{}AAA-3", " ".repeat(blanks));
        assert!(named("AAA-3".as_ref()).is_some());
        for length in [300, 5_000, 1 << 20] {
            let long = format!("<{}>-3", "A".repeat(length));
            assert!(named(long.as_ref()).is_none(), "{length}");
            assert!(named(rules(length).as_ref()).is_none(), "{length}");
            assert!(named(format!(":{}", "a/".repeat(length)).as_ref()).is_none(), "{length}");
        }
    }

    #[test]
    fn parses_all_forms_of_tz() {
        let offset = |tz: &str, second: i64| {
            let at = Timestamp::from_second(second).unwrap();
            named(tz.as_ref()).map(|(zone, _)| zone.to_offset(at).seconds())
        };
        let (winter, summer) = (1_700_000_000, 1_720_000_000);
        assert_eq!(offset("XYZ-3", winter), Some(3 * 3600));
        assert_eq!(offset("<+0330>-3:30", winter), Some(12600));
        assert_eq!(offset("AAA5BBB,M3.2.0,M11.1.0", summer), Some(-4 * 3600));
        assert_eq!(offset("AAA5BBB", summer), Some(-4 * 3600));
        assert_eq!(offset("AAA5BBB", winter), Some(-5 * 3600));
        assert_eq!(offset("AAA5BBB,nonsense", winter), Some(-4 * 3600));
        assert_eq!(offset("AAA5 and nonsense", summer), Some(-5 * 3600));
        assert_eq!(offset("AAA5:61", winter), None);
        assert_eq!(offset("no zone at all", winter), None);
        assert_eq!(offset("", winter), None);
        assert_eq!(offset(":", winter), None);
    }

    #[test]
    fn accepts_truncated_and_corrupt_files() {
        for version in [0, b'2'] {
            let mut file = [&b"TZif"[..], &[version], &[0; 23], &[0, 0, 0, 1], &[0; 12]].concat();
            file.extend([&[0, 0, 0, 9][..], &[0, 0, 0, 1]].concat());
            if version != 0 {
                file.extend([&file.clone()[..44], &[0; 4], &[0, 0, 0, 9], &[0, 0, 0, 1]].concat());
            }
            let leaps = |file: &[u8]| LeapSeconds(leap_seconds(file).unwrap_or_default()).at(9);
            assert_eq!(leaps(&file), (1, 1));
            for at in 0..file.len() {
                assert_eq!(leaps(&file[..at]), (0, 0), "{at}");
                for byte in [0, 1, 0x7f, 0xff] {
                    let mut changed = file.clone();
                    changed[at] = byte;
                    leaps(&changed);
                }
            }
        }
    }
}
