//! Local times, formatted as `date` does.
//!
//! jiff provides calendar and time zones, but only for years of four digits. The Gregorian calendar
//! repeats every 400 years, so dates are computed within the 400 years from 1970.

mod format;
mod leap;
mod parse;

use std::sync::LazyLock;
use std::time::SystemTime;

use curt::fields::Time;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::sys;
use crate::words::abbreviated;

pub(crate) use format::Format;
pub(crate) use leap::LeapSeconds;
pub(crate) use parse::parse;

const CYCLE: i64 = 146_097 * 86400;

pub(crate) struct Zone(TimeZone, LeapSeconds);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    /// Date and time of day. The year is from 1969 to 2370.
    date: DateTime,
    /// A multiple of 400, which is added to that year.
    years: i64,
    /// Added to the seconds shown; 0 except in a leap second.
    leap: i64,
    offset: Offset,
    zone: String,
    time: Time,
}

/// The local time zone. It is read from a file when it is first used.
pub(crate) type LocalZone = LazyLock<Zone>;

impl Zone {
    pub(crate) fn local() -> Zone {
        let (zone, leaps) = sys::local_zone();
        Zone(zone, leaps)
    }

    /// Returns local date and time, or `None` if the year does not fit C's `int`. The GNU tools
    /// then print seconds since 1970.
    pub(crate) fn local_time(&self, time: Time) -> Option<Local> {
        // Beyond jiff's range, use the offset at its end.
        let bounds = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
        let second = time.seconds.clamp(*bounds.start(), *bounds.end());
        let info = self.0.to_offset_info(Timestamp::from_second(second).ok()?);
        let (total, leap) = self.1.at(time.seconds);
        // The calendar does not count leap seconds.
        let seconds = time.seconds.saturating_sub(total);
        let years = 400 * seconds.div_euclid(CYCLE);
        let cycle = Timestamp::from_second(seconds.rem_euclid(CYCLE)).ok()?;
        let (offset, zone) = (info.offset(), info.abbreviation().to_owned());
        let local = Local { date: offset.to_datetime(cycle), years, leap, offset, zone, time };
        i32::try_from(local.year() - 1900).ok()?;
        Some(local)
    }

    /// Returns a time in ISO 8601: `2026-01-31T09:30:00.000000000+01:00`.
    pub(crate) fn iso8601(&self, time: Time) -> String {
        match self.local_time(time) {
            Some(local) => Format::new("%Y-%m-%dT%H:%M:%S.%N%:z").apply(&local),
            None => time.seconds.to_string(),
        }
    }
}

pub(crate) const FULL_ISO: &str = "%Y-%m-%d %H:%M:%S.%N %z";
pub(crate) const LONG_ISO: &str = "%Y-%m-%d %H:%M";

/// Returns the format that follows `+`, or the format of a named style.
pub(crate) fn format_of_style<'a>(style: &'a str, words: &[(&str, &'a str)]) -> Option<&'a str> {
    style.strip_prefix('+').or_else(|| abbreviated(words, style).ok())
}

pub(crate) fn now() -> Time {
    SystemTime::now().into()
}

impl Local {
    fn year(&self) -> i64 {
        self.years + i64::from(self.date.year())
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, LeapSeconds, Zone};
    use curt::fields::Time;
    use jiff::tz::TimeZone;

    fn utc(seconds: i64) -> String {
        let zone = Zone(TimeZone::UTC, LeapSeconds::default());
        zone.iso8601(Time { seconds, nanoseconds: 5 })
    }

    #[test]
    fn dates_before_1970_and_after_2038_are_right() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000000005+00:00");
        assert_eq!(utc(-1), "1969-12-31T23:59:59.000000005+00:00");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00.000000005+00:00");
        assert_eq!(utc(4_102_444_800), "2100-01-01T00:00:00.000000005+00:00");
        assert_eq!(utc(-2_208_988_800), "1900-01-01T00:00:00.000000005+00:00");
        assert_eq!(utc(99_999_999_999_999), "3170843-11-07T09:46:39.000000005+00:00");
        assert_eq!(utc(i64::MAX), i64::MAX.to_string());
        assert_eq!(utc(i64::MIN), i64::MIN.to_string());
    }

    #[test]
    fn days_are_counted_within_the_year() {
        let zone = Zone(TimeZone::UTC, LeapSeconds::default());
        for (seconds, days) in
            [(0, "4 001"), (951_782_400, "2 060"), (951_868_800, "3 061"), (978_220_800, "0 366")]
        {
            let local = zone.local_time(Time { seconds, nanoseconds: 0 }).unwrap();
            assert_eq!(Format::new("%w %j").apply(&local), days, "{seconds}");
        }
    }

    #[test]
    fn zones_have_offsets() {
        let rules = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap();
        let zone = Zone(rules, LeapSeconds::default());
        let local = zone.local_time(Time { seconds: 1_720_000_000, nanoseconds: 0 }).unwrap();
        assert_eq!(Format::new("%H %z %Z").apply(&local), "05 -0400 EDT");
    }
}
