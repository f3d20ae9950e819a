//! Points in time as people write them: in the local time zone, in the formats of `date`.
//!
//! The calendar is computed here, because years have no limit; only the offset and the name of a
//! time zone come from a library.

mod format;

use std::sync::LazyLock;
use std::time::SystemTime;

use curt::fields::Time;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::sys;

pub(crate) use format::Format;

const DAY: i64 = 86400;
/// The days from 1 March of the year 0 to 1 January 1970.
const BEFORE_1970: i64 = 719_468;
/// The days in 400 years, after which the calendar repeats itself.
const CYCLE: i64 = 146_097;

/// More seconds than the years that the C library supports have.
const MOST_SECONDS: u64 = 1 << 60;

/// A time zone.
pub(crate) struct Zone(TimeZone);

/// A point in time in a time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) year: i64,
    /// From 1.
    pub(crate) month: u32,
    /// From 1.
    pub(crate) day: u32,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    /// Days since Sunday.
    pub(crate) weekday: u32,
    /// Days since the first of January.
    pub(crate) day_of_year: u32,
    /// Seconds east of Greenwich.
    pub(crate) offset: i32,
    pub(crate) zone: String,
    pub(crate) time: Time,
}

/// The local time zone, which is read from a file when a time is first shown.
pub(crate) type LocalZone = LazyLock<Zone>;

impl Zone {
    /// Returns the zone that `TZ` names, or that of the system.
    pub(crate) fn local() -> Zone {
        Zone(sys::local_zone())
    }

    /// Returns the date and time of a point in time. `None` if the year is too large for the C
    /// library; then the GNU tools show seconds.
    pub(crate) fn local_time(&self, time: Time) -> Option<Local> {
        // Beyond the years that jiff supports, the rules of the last one hold.
        let bounds = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
        let second = time.seconds.clamp(*bounds.start(), *bounds.end());
        let info = self.0.to_offset_info(Timestamp::from_second(second).ok()?);
        local(time, info.offset().seconds(), info.abbreviation())
    }

    /// Returns a time in ISO 8601: `2026-01-31T09:30:00.000000000+01:00`.
    pub(crate) fn iso8601(&self, time: Time) -> String {
        match self.local_time(time) {
            Some(local) => Format::new("%Y-%m-%dT%H:%M:%S.%N%:z").apply(&local),
            None => time.seconds.to_string(),
        }
    }
}

/// Returns the current time.
pub(crate) fn now() -> Time {
    SystemTime::now().into()
}

/// The proleptic Gregorian calendar, counted from March so that leap days come last.
fn local(time: Time, offset: i32, zone: &str) -> Option<Local> {
    if time.seconds.unsigned_abs() > MOST_SECONDS {
        return None;
    }
    let seconds = time.seconds + i64::from(offset);
    let (days, of_day) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let shifted = days + BEFORE_1970;
    let (cycle, in_cycle) = (shifted.div_euclid(CYCLE), shifted.rem_euclid(CYCLE));
    let year_in_cycle =
        (in_cycle - in_cycle / 1460 + in_cycle / 36524 - in_cycle / (CYCLE - 1)) / 365;
    let in_year = in_cycle - (365 * year_in_cycle + year_in_cycle / 4 - year_in_cycle / 100);
    let month_from_march = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_in_cycle + cycle * 400 + i64::from(month <= 2);
    i32::try_from(year - 1900).ok()?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    // March starts after 59 or 60 days; January and February come after 306 days of this count.
    let day_of_year = if month <= 2 { in_year - 306 } else { in_year + 59 + i64::from(is_leap) };
    Some(Local {
        year,
        month: month as u32,
        day: day as u32,
        hour: (of_day / 3600) as u32,
        minute: (of_day / 60 % 60) as u32,
        second: (of_day % 60) as u32,
        weekday: (days + 4).rem_euclid(7) as u32,
        day_of_year: day_of_year as u32,
        offset,
        zone: zone.to_owned(),
        time,
    })
}

#[cfg(test)]
mod tests {
    use super::{Zone, local};
    use curt::fields::Time;
    use jiff::tz::TimeZone;

    fn utc(seconds: i64) -> String {
        let zone = Zone(TimeZone::UTC);
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
        let of = |seconds| local(Time { seconds, nanoseconds: 0 }, 0, "UTC").unwrap();
        for (seconds, weekday, day_of_year) in
            [(0, 4, 0), (951_782_400, 2, 59), (951_868_800, 3, 60), (978_220_800, 0, 365)]
        {
            let local = of(seconds);
            assert_eq!((local.weekday, local.day_of_year), (weekday, day_of_year), "{seconds}");
        }
    }

    #[test]
    fn zones_have_offsets() {
        let zone = Zone(TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap());
        let local = zone.local_time(Time { seconds: 1_720_000_000, nanoseconds: 0 }).unwrap();
        assert_eq!((local.hour, local.offset, &*local.zone), (5, -4 * 3600, "EDT"));
    }
}
