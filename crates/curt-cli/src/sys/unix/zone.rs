//! The local time zone, as the C library finds it: what `TZ` says, or the file that the system was
//! set up with. One file is read, and no list of zones.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use jiff::tz::TimeZone;

/// The zone of the system.
const LOCAL: &str = "/etc/localtime";
/// Where zones lie that are given by name.
const ZONES: &str = "/usr/share/zoneinfo";
/// When the clock is changed, where `TZ` names a zone for summer and does not say when it holds.
const RULES: &str = ",M3.2.0,M11.1.0";

/// The longest rules: far more than any zone needs.
const LONGEST_RULES: usize = 256;
/// The largest file: a hundred times what a zone takes.
const LARGEST_FILE: usize = 512 << 10;

/// The local time zone; UTC where nothing else can be found out.
pub(crate) fn local_zone() -> TimeZone {
    let zone = match std::env::var_os("TZ") {
        None => from_file(Path::new(LOCAL)),
        Some(text) => named(&text),
    };
    zone.unwrap_or(TimeZone::UTC)
}

/// What a value of `TZ` means: a file, or rules.
fn named(text: &OsStr) -> Option<TimeZone> {
    let bytes = text.as_bytes();
    let bytes = bytes.strip_prefix(b":").unwrap_or(bytes);
    if bytes.is_empty() {
        return None;
    }
    let name = Path::new(OsStr::from_bytes(bytes));
    let folder = std::env::var_os("TZDIR").unwrap_or_else(|| ZONES.into());
    from_file(&Path::new(&folder).join(name))
        .or_else(|| from_rules(std::str::from_utf8(bytes).ok()?))
}

fn from_file(path: &Path) -> Option<TimeZone> {
    let bytes = super::read_file(path, LARGEST_FILE).ok()?;
    TimeZone::tzif("", &bytes).ok()
}

/// Rules as POSIX has them. Where they are no rules to their end, the name that they begin with is
/// all that the C library takes over.
fn from_rules(text: &str) -> Option<TimeZone> {
    if text.len() > LONGEST_RULES {
        return None;
    }
    TimeZone::posix(text).or_else(|_| TimeZone::posix(&format!("{text}{RULES}"))).ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::named;
    use jiff::Timestamp;

    #[test]
    fn a_value_may_be_anything() {
        let scratch = curt_testkit::Scratch::new();
        let pipe = scratch.fifo("pipe");
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null"), scratch.path()]
        {
            // Neither waited for, nor read for ever.
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
    fn every_form_of_tz_is_understood() {
        let offset = |tz: &str, second: i64| {
            let at = Timestamp::from_second(second).unwrap();
            named(tz.as_ref()).map(|zone| zone.to_offset(at).seconds())
        };
        let (winter, summer) = (1_700_000_000, 1_720_000_000);
        assert_eq!(offset("XYZ-3", winter), Some(3 * 3600));
        assert_eq!(offset("<+0330>-3:30", winter), Some(12600));
        assert_eq!(offset("AAA5BBB,M3.2.0,M11.1.0", summer), Some(-4 * 3600));
        assert_eq!(offset("AAA5BBB", summer), Some(-4 * 3600));
        assert_eq!(offset("AAA5BBB", winter), Some(-5 * 3600));
        assert_eq!(offset("no zone at all", winter), None);
        assert_eq!(offset("", winter), None);
        assert_eq!(offset(":", winter), None);
    }
}
