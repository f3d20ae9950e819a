//! Parses times that people type, or that `stat`, `ls`, `find`, `du` and git print.

use curt::fields::Time;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Span, Timestamp, Zoned};

use super::Zone;

const NANOSECONDS: u32 = 1_000_000_000;

/// Parses a date, `@SECONDS`, a word such as `today`, or an age. Returns `None` for other text, and
/// an error if no such time exists.
pub(crate) fn parse(text: &str, zone: &Zone) -> Result<Option<Time>, &'static str> {
    let Some((date, offset)) = date(text) else {
        let now = Timestamp::now();
        let leaps = SignedDuration::from_secs(zone.1.at(now.as_second()).0);
        let now = (now - leaps).to_zoned(zone.0.clone());
        let moment = || {
            let moment = moment(text, &now)?;
            zone.timestamp(moment.datetime(), Some(moment.offset())).map(time)
        };
        return Ok(since_1970(text).or_else(moment));
    };
    let found = zone.timestamp(date, offset);
    // jiff parses a leap second as the second before it.
    let found = if text.contains(":60") { found.and_then(|it| zone.leap_after(it)) } else { found };
    found.map(|found| Some(time(found))).ok_or("there is no such time in this time zone")
}

impl Zone {
    /// Returns the time at which clocks in the zone, or at `offset`, show this date. Between two
    /// such times, chooses as `mktime(3)` does: reads the date as UTC and corrects the result.
    fn timestamp(&self, date: DateTime, offset: Option<Offset>) -> Option<Timestamp> {
        let mut guess = offset.unwrap_or(Offset::UTC).to_timestamp(date).ok()?;
        for _ in 0..6 {
            let offset = offset.unwrap_or_else(|| self.0.to_offset(guess));
            let (leaps, leap) = self.1.at(guess.as_second());
            let next = offset.to_timestamp(date).ok()?;
            let next = next.checked_add(SignedDuration::from_secs(leaps)).ok()?;
            if next == guess {
                // A leap second has the date of the second before it.
                return guess.checked_sub(SignedDuration::from_secs(leap)).ok();
            }
            guess = next;
        }
        None
    }

    fn leap_after(&self, time: Timestamp) -> Option<Timestamp> {
        let next = time.checked_add(SignedDuration::from_secs(1)).ok()?;
        Some(next).filter(|next| self.1.at(next.as_second()).1 > 0)
    }
}

/// Parses a date in ISO 8601 or RFC 2822, with optional time of day and offset.
fn date(text: &str) -> Option<(DateTime, Option<Offset>)> {
    let (rest, offset) = split_offset(text)?;
    let rest = rest.trim_end();
    // Check both parts first, because jiff would accept and ignore a second offset.
    let (day, clock) = rest.split_once(['T', 't', ' ']).unwrap_or((rest, ""));
    let has = |part: &str, more: &[u8]| {
        part.bytes().all(|byte| byte.is_ascii_digit() || more.contains(&byte))
    };
    let is_plain = day.len() <= "2026-01-31".len() && has(day, b"-") && has(clock, b":.,");
    let date = if is_plain && (day == rest || clock.contains(':')) {
        rest.parse().ok()?
    } else {
        let date = DateTime::strptime("%a, %d %b %Y %H:%M:%S", rest).ok()?;
        Some(date).filter(|date| date.year() >= 1900)?
    };
    Some((date, offset))
}

/// Splits off an offset: `Z`, `UTC`, `+01`, `+0100` or `+01:00`.
fn split_offset(text: &str) -> Option<(&str, Option<Offset>)> {
    let utc = ["Z", "z", "UTC", "GMT"].iter().find_map(|name| text.strip_suffix(name));
    if let Some(date) = utc {
        return Some((date, Some(Offset::UTC)));
    }
    // Ignore a sign without a time of day before it, because it belongs to the date.
    let Some(at) = text.rfind(['+', '-']).filter(|&at| text[..at].contains(':')) else {
        return Some((text, None));
    };
    let (date, offset) = text.split_at(at);
    let digits = &offset[1..];
    let (hours, minutes) = digits.split_once(':').or_else(|| digits.split_at_checked(2))?;
    let minutes = if digits.len() == 2 { "00" } else { minutes };
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let seconds = 60 * (60 * hours + minutes);
    if minutes > 59 || seconds > 24 * 3600 {
        return None;
    }
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    Some((date, Some(Offset::from_seconds(sign * seconds).ok()?)))
}

/// Parses seconds: `@1767225600`, `@-0.5`.
fn since_1970(text: &str) -> Option<Time> {
    let number = text.strip_prefix('@')?;
    let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
    let seconds = whole.parse().ok()?;
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanoseconds = format!("{fraction:0<9}")[..9].parse().ok()?;
    if nanoseconds == 0 || !whole.starts_with('-') {
        return Some(Time { seconds, nanoseconds });
    }
    let seconds = seconds.checked_sub(1)?;
    Some(Time { seconds, nanoseconds: NANOSECONDS - nanoseconds })
}

/// Parses a word (days begin at midnight) or an age: `90s`, `10min`, `36h`, `3d`, `1y 6mo`.
fn moment(text: &str, now: &Zoned) -> Option<Zoned> {
    match text.to_ascii_lowercase().as_str() {
        "now" => Some(now.clone()),
        "today" => now.start_of_day().ok(),
        "yesterday" => now.yesterday().ok()?.start_of_day().ok(),
        _ => {
            // Refuse `10:30:00` and `+1 day`, which GNU find reads as a time of day and as
            // tomorrow.
            let is_age = !text.starts_with(['-', '+']) && !text.contains(':');
            let span: Span = text.parse().ok().filter(|_| is_age)?;
            // `3 days ago` is a negative span, but means the same as `3 days`.
            now.checked_sub(span.abs()).ok()
        }
    }
}

fn time(timestamp: Timestamp) -> Time {
    let nanoseconds = timestamp.as_nanosecond();
    let second = i128::from(NANOSECONDS);
    Time {
        seconds: nanoseconds.div_euclid(second) as i64,
        nanoseconds: nanoseconds.rem_euclid(second) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::{moment, parse, time};
    use crate::time::{Format, LeapSeconds, Zone};
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    fn berlin() -> Zone {
        let rules = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        Zone(rules, LeapSeconds::default())
    }

    fn shown(text: &str) -> Result<Option<String>, &'static str> {
        let format = Format::new("%F %T.%N %z");
        let show = |time| format.apply(&berlin().local_time(time).unwrap());
        parse(text, &berlin()).map(|time| time.map(show))
    }

    #[test]
    fn parses_all_printed_forms() {
        for text in [
            "2026-11-26 13:38:05.123456789 +0100",
            "2026-11-26 12:38:05.123456789 UTC",
            "2026-11-26 12:38:05,123456789Z",
            "2026-11-26T13:38:05.123456789+01:00",
            "2026-11-26t07:08:05.123456789 -0530",
            "2026-11-26 13:38:05.123456789",
            "20261126 13:38:05.123456789 +01",
            "@1795696685.123456789",
        ] {
            assert_eq!(
                shown(text),
                Ok(Some("2026-11-26 13:38:05.123456789 +0100".into())),
                "{text}"
            );
        }
        for (text, seconds) in [
            ("Thu, 26 Nov 2026 13:38:05 +0200", "2026-11-26 12:38:05.000000000 +0100"),
            ("2026-11-26", "2026-11-26 00:00:00.000000000 +0100"),
            ("20260726", "2026-07-26 00:00:00.000000000 +0200"),
            ("2026-11-26 UTC", "2026-11-26 01:00:00.000000000 +0100"),
            ("@-1.5", "1970-01-01 00:59:58.500000000 +0100"),
        ] {
            assert_eq!(shown(text), Ok(Some(seconds.into())), "{text}");
        }
    }

    #[test]
    fn refuses_ambiguous_times() {
        for text in [
            "2026-02-30",
            "2026-11-26 24:00",
            "2026-11-26 10",
            "26-11-26",
            "2026-11-26T10",
            "20261126T1030",
            "2026-11-26 10:30 CEST",
            "2026-11-26 10:30 +2500",
            "2026-11-26 10:30 +0160",
            "2026-11-26 10:30 +1",
            "2026-11-26T10:30[Europe/Berlin]",
            "2026-11-26T10:30+01:00[Asia/Tokyo]",
            "2026-11-26 10:30-0500Z",
            "2026-11-26 10:30Z-0500",
            "2026-11-26T10:30-05:00 UTC",
            "2026-11-26 10:30 -05 +0000",
            "2026-11-26T10:30-0500+0500",
            "2026-11-26-05:00",
            "2026-11-26-05:00Z",
            "2026-11-26 -05:00Z",
            "-002026-11-26 10:30",
            "Thu, 26 Nov 2026 13:38:05 -0500 Z",
            "2026-W48-4",
            "Fri, 26 Nov 2026 13:38:05 +0200",
            "Thu, 26 Nov 2026 13:38:05 CEST",
            "10:30",
            "10:30:00",
            "+1 day",
            "-1d",
            "@",
            "@x",
            "@1.",
            "@1.x",
            "yesterdayish",
            "",
        ] {
            assert_eq!(shown(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn clock_changes_match_mktime() {
        assert!(shown("2026-03-29 02:30").is_err());
        assert!(shown("2026-11-26 23:59:60").is_err());
        assert!(shown("9999-12-31 02:00 +1200").is_ok(), "the last day");
        let twice = Ok(Some("2026-10-25 02:30:00.000000000 +0100".into()));
        assert_eq!(shown("2026-10-25 02:30"), twice);
    }

    #[test]
    fn words_and_ages_are_in_the_zone() {
        let now: Timestamp = "2026-03-30T10:00:00Z".parse().unwrap();
        let zoned = now.to_zoned(berlin().0);
        let hours = |text: &str| {
            let then = moment(text, &zoned)?.timestamp();
            Some((time(now).seconds - time(then).seconds) / 3600)
        };
        for (text, expected) in [
            ("now", 0),
            ("today", 12),
            ("Yesterday", 12 + 23),
            ("5400s", 1),
            ("36h", 36),
            ("1d", 24),
            ("2 days ago", 47),
            ("2 weeks", 14 * 24 - 1),
            ("1mo", 30 * 24 - 1),
        ] {
            assert_eq!(hours(text), Some(expected), "{text}");
        }
        assert_eq!(hours("later"), None);
    }
}
