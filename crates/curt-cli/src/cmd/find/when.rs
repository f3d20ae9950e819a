//! Points in time for `--newer`, `--older` and fd's options for them: a date, an age, or that of a
//! file.

use curt::fields::{Follow, Time};
use curt::{Fields, Plan};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

use crate::out::text;
use crate::quote::quote;

/// Parses a point in time: a date, else an age, else the name of a file. So a file cannot change
/// what `7d` means; it is `./7d`. The error names the option that takes it, and says why there is
/// no such file.
pub(super) fn parse(text: &str, option: &str) -> Result<Time, String> {
    let timestamp = text.parse::<Timestamp>().ok().or_else(|| of_calendar(text));
    let counted = || Timestamp::from_second(text.strip_prefix('@')?.parse().ok()?).ok();
    let timestamp = timestamp.or_else(counted);
    if let Some(timestamp) = timestamp.or_else(|| ago(text, &Zoned::now())) {
        return Ok(time(timestamp));
    }
    let plan = Plan::new(Fields::MODIFIED).follow(Follow::CommandLine);
    let reason = match curt::stat(text, plan) {
        Ok(metadata) => match metadata.modified().known() {
            Some(modified) => return Ok(modified),
            None => "it has no modification time".to_owned(),
        },
        Err(error) => text::reason(error.cause()),
    };
    Err(format!(
        "invalid time {} for {option}: neither a date such as 2026-01-31 nor an age such as 90s, \
         10min, 36h, 7d or '2 weeks', and cannot access a file of that name: {reason}",
        quote(text)
    ))
}

/// Whether a time is after one point and before another, where there are such points.
pub(super) fn is_between(time: Option<Time>, after: Option<Time>, before: Option<Time>) -> bool {
    after.is_none_or(|after| time.is_some_and(|time| time > after))
        && before.is_none_or(|before| time.is_some_and(|time| time < before))
}

/// A date, with or without a time of day, in the local time zone.
fn of_calendar(text: &str) -> Option<Timestamp> {
    let date: DateTime = text.parse().ok()?;
    Some(date.to_zoned(TimeZone::system()).ok()?.timestamp())
}

/// An age: `90s`, `10min`, `36h`, `3d`, `2 weeks`, `1y 6mo`.
fn ago(text: &str, now: &Zoned) -> Option<Timestamp> {
    // '3 days ago' is negative, and means what '3 days' means.
    let span: Span = text.parse().ok().filter(|_| !text.starts_with('-'))?;
    Some(now.checked_sub(span.abs()).ok()?.timestamp())
}

fn time(timestamp: Timestamp) -> Time {
    let nanoseconds = timestamp.as_nanosecond();
    let seconds = nanoseconds.div_euclid(1_000_000_000) as i64;
    Time { seconds, nanoseconds: nanoseconds.rem_euclid(1_000_000_000) as u32 }
}

#[cfg(test)]
mod tests {
    use super::{ago, parse, time};
    use curt::fields::Time;
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    #[test]
    fn dates_and_ages_are_parsed() {
        let point = |text| parse(text, "--newer");
        assert_eq!(point("1969-12-31T23:59:59.5Z").map(|time| time.seconds), Ok(-1));
        assert!(point("2026-01-31").is_ok() && point("2026-01-31 10:30").is_ok());
        assert_eq!(point("@1767225600").map(|time| time.seconds), Ok(1_767_225_600));
        assert!(point("yesterdayish").is_err() && point("@x").is_err());
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let now = now.to_zoned(TimeZone::UTC);
        let seconds = |text: &str| ago(text, &now).map(|then| time(then).seconds);
        let now = time(now.timestamp()).seconds;
        assert_eq!(seconds("90s"), Some(now - 90));
        assert_eq!(seconds("36h"), Some(now - 36 * 3600));
        assert_eq!(seconds("2 weeks"), Some(now - 14 * 86400));
        assert_eq!(seconds("1mo"), Some(now - 28 * 86400));
        assert_eq!(seconds("later"), None);
        assert_eq!(seconds("-1d"), None);
    }

    #[test]
    fn a_file_is_a_point_in_time() {
        let scratch = curt_testkit::Scratch::new();
        let file = scratch.file("3d");
        // With a slash in it, it is no age.
        let point = parse(file.to_str().unwrap(), "--newer").unwrap();
        let now = Time::from(std::time::SystemTime::now());
        assert!(now.seconds - point.seconds < 3600);
    }
}
