use std::cell::RefCell;

use curt::fields::Time;

use crate::args::LsOptions;
use crate::quote::quote;
use crate::sys;
use crate::time::{self, Format, Zone};

const HALF_A_YEAR: i64 = 31_556_952 / 2;

pub(super) struct Times {
    old: Format,
    recent: Format,
    zone: Zone,
    now: Time,
    width: usize,
    /// Recently formatted times, because many entries have the same one. The index is the time in
    /// seconds modulo [`CACHED`].
    cache: RefCell<Vec<Cached>>,
    /// True unless a format shows fractions of a second.
    is_cached: bool,
    is_relative: bool,
}

/// The text of a time in seconds. `of` is that time, and whether it is within the last half year,
/// which decides the format.
#[derive(Clone, Default)]
struct Cached {
    of: Option<(i64, bool)>,
    text: String,
}

/// Fits nearly all relative times, such as `12 minutes ago`.
const RELATIVE: usize = 14;

const CACHED: u32 = 64;

/// Formats of the styles. A format for times within the last half year may follow after a newline.
const FORMATS: [(&str, &str); 5] = [
    ("full-iso", time::FULL_ISO),
    ("long-iso", time::LONG_ISO),
    ("iso", "%Y-%m-%d \n%m-%d %H:%M"),
    ("locale", "%b %e  %Y\n%b %e %H:%M"),
    (RELATIVE_STYLE, RELATIVE_STYLE),
];

const RELATIVE_STYLE: &str = "relative";

const STYLES: &str = "\
Valid arguments are:
  - [posix-]full-iso
  - [posix-]long-iso
  - [posix-]iso
  - [posix-]locale
  - relative
  - +FORMAT (e.g., +%H:%M) for a 'date'-style format";

impl Times {
    pub(super) fn new(options: &LsOptions) -> Result<Times, String> {
        let style = options.time_style.clone().unwrap_or_else(|| {
            std::env::var_os("TIME_STYLE")
                .map_or_else(|| "locale".to_owned(), |it| it.to_string_lossy().into_owned())
        });
        let style = match style.trim_start_matches("posix-") {
            // In the C locale, GNU ls reads every `posix-` style as `locale`.
            rest if rest.len() < style.len() && sys::has_c_locale("LC_TIME") => "locale",
            rest => rest,
        };
        let format = time::format_of_style(style, &FORMATS).ok_or_else(|| {
            format!("invalid argument {} for 'time style'\n{STYLES}", quote(style))
        })?;
        let (old, recent) = format.split_once('\n').unwrap_or((format, format));
        if recent.contains('\n') {
            return Err(format!("invalid time style format {}", quote(format)));
        }
        let is_relative = format == RELATIVE_STYLE && !style.starts_with('+');
        let (old, recent) = (Format::new(old), Format::new(recent));
        let zone = Zone::local();
        let epoch = zone.local_time(Time::default());
        let width = epoch.map_or(0, |epoch| recent.apply(&epoch).chars().count());
        let width = if is_relative { RELATIVE } else { width };
        let cache = RefCell::new(vec![Cached::default(); CACHED as usize]);
        let is_cached = !old.has_fractions() && !recent.has_fractions();
        Ok(Times { old, recent, zone, now: time::now(), width, cache, is_cached, is_relative })
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn add(&self, time: Time, line: &mut Vec<u8>) {
        if self.is_relative {
            let text = relative(time, self.now);
            return line.extend(format!("{text:>RELATIVE$}").into_bytes());
        }
        let half_a_year_ago = Time { seconds: self.now.seconds - HALF_A_YEAR, ..self.now };
        let is_recent = half_a_year_ago < time && (time < self.now || time < time::now());
        let format = if is_recent { &self.recent } else { &self.old };
        let slot = time.seconds.rem_euclid(CACHED.into()) as usize;
        let of = Some((time.seconds, is_recent)).filter(|_| self.is_cached);
        let cached = &mut self.cache.borrow_mut()[slot];
        if of.is_none() || cached.of != of {
            cached.of = of;
            cached.text.clear();
            match self.zone.local_time(time) {
                Some(local) => format.add(&local, &mut cached.text),
                None => cached.text = format!("{:>1$}", time.seconds, self.width),
            }
        }
        line.extend_from_slice(cached.text.as_bytes());
    }

    pub(super) fn unknown(&self) -> String {
        format!("{:>1$}", "?", self.width)
    }
}

fn relative(time: Time, now: Time) -> String {
    const UNITS: [(u64, &str); 6] = [
        (31_556_952, "year"),
        (31_556_952 / 12, "month"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
        (1, "second"),
    ];
    let seconds = now.seconds.abs_diff(time.seconds);
    let Some(&(unit, name)) = UNITS.iter().find(|(unit, _)| seconds >= *unit) else {
        return "now".to_owned();
    };
    let count = seconds / unit;
    let plural = if count == 1 { "" } else { "s" };
    if time < now {
        format!("{count} {name}{plural} ago")
    } else {
        format!("in {count} {name}{plural}")
    }
}

#[cfg(test)]
mod tests {
    use curt::fields::Time;

    use super::relative;

    #[test]
    fn distances_have_the_largest_unit_that_fits() {
        let now = Time { seconds: 1_700_000_000, nanoseconds: 0 };
        for (seconds, text) in [
            (0, "now"),
            (-1, "1 second ago"),
            (-59, "59 seconds ago"),
            (-60, "1 minute ago"),
            (-7_200, "2 hours ago"),
            (-86_400 * 30, "30 days ago"),
            (-86_400 * 31, "1 month ago"),
            (-31_556_952, "1 year ago"),
            (-1_700_000_000, "53 years ago"),
            (90, "in 1 minute"),
            (31_556_952 * 3, "in 3 years"),
        ] {
            let time = Time { seconds: now.seconds + seconds, nanoseconds: 0 };
            assert_eq!(relative(time, now), text);
        }
        let longest = Time { seconds: i64::MIN, nanoseconds: 0 };
        assert!(relative(longest, now).ends_with(" years ago"));
    }
}
