//! Formats of `date` and `ls --time-style`, in the C locale.

use super::Local;

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format(String);

#[derive(Clone, Copy, Default)]
struct Spec {
    /// The padding: `_`, `-`, `0` or `+`.
    pad: Option<char>,
    upper: bool,
    swap: bool,
    width: Option<usize>,
    colons: usize,
}

impl Spec {
    fn is_plain(self) -> bool {
        !self.upper && !self.swap && self.width.is_none()
    }
}

impl Format {
    pub(crate) fn new(text: impl Into<String>) -> Format {
        Format(text.into())
    }

    pub(crate) fn has_fractions(&self) -> bool {
        // Flags and a width can precede the letter.
        self.0.contains('N')
    }

    pub(crate) fn apply(&self, local: &Local) -> String {
        let mut out = String::new();
        self.add(local, &mut out);
        out
    }

    /// Appends the formatted time. Unknown conversions are copied unchanged.
    pub(crate) fn add(&self, local: &Local, out: &mut String) {
        let mut rest = self.0.as_str();
        while let Some(at) = rest.bytes().position(|byte| byte == b'%') {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let (spec, letter_at) = spec(after);
            let converted = after[letter_at..]
                .chars()
                .next()
                .and_then(|letter| Some((letter, convert(local, letter, spec)?)));
            if let Some((letter, part)) = converted {
                part.add(spec, out);
                rest = &after[letter_at + letter.len_utf8()..];
            } else {
                out.push('%');
                rest = after;
            }
        }
        out.push_str(rest);
    }
}

enum Part {
    /// A value, its minimum number of digits and the padding.
    Number(i64, usize, char),
    Word(&'static str),
    Text(String),
}

impl Part {
    fn add(self, spec: Spec, out: &mut String) {
        match self {
            Part::Number(value, digits, pad) => add_padded(value, digits, pad, spec, out),
            Part::Word(text) if spec.is_plain() => out.push_str(text),
            Part::Word(text) => out.push_str(&word(text, swapped(spec))),
            Part::Text(text) => out.push_str(&text),
        }
    }
}

/// Parses flags, width and modifiers. Returns them and the position of the conversion's letter.
fn spec(text: &str) -> (Spec, usize) {
    let mut spec = Spec::default();
    let mut at = 0;
    for letter in text.chars() {
        match letter {
            '_' | '-' | '+' | '0' if spec.width.is_none() => spec.pad = Some(letter),
            '^' => spec.upper = true,
            '#' => spec.swap = true,
            '0'..='9' => {
                let digit = letter as usize - '0' as usize;
                // Keep a format from producing huge output.
                let width = spec.width.unwrap_or(0).saturating_mul(10).saturating_add(digit);
                spec.width = Some(width.min(1024));
            }
            // These modifiers have no effect in the C locale.
            'E' | 'O' => {}
            ':' => spec.colons += 1,
            _ => break,
        }
        at += letter.len_utf8();
    }
    (spec, at)
}

fn convert(local: &Local, letter: char, spec: Spec) -> Option<Part> {
    if spec.colons > 0 && letter != 'z' {
        return None;
    }
    let number = |value: i64, digits: usize, pad: char| Some(Part::Number(value, digits, pad));
    let text = |text: String| Some(Part::Text(text));
    let nested = |format: &str| text(word(&Format::new(format).apply(local), spec));
    let (date, year) = (&local.date, local.year());
    let day = date.weekday();
    let (from_sunday, from_monday) = (day.to_sunday_zero_offset(), day.to_monday_zero_offset());
    let weekday = DAYS.get(from_sunday.unsigned_abs() as usize).copied().unwrap_or_default();
    let month = MONTHS.get(date.month().unsigned_abs() as usize - 1).copied().unwrap_or_default();
    let hour12 = i64::from((date.hour() + 11) % 12 + 1);
    let half = if date.hour() < 12 { "AM" } else { "PM" };
    let day_of_year = i64::from(date.day_of_year());
    let iso = || date.date().iso_week_date();
    let iso_year = || local.years + i64::from(iso().year());
    match letter {
        '%' => text("%".to_owned()),
        'n' => text("\n".to_owned()),
        't' => text("\t".to_owned()),
        'a' => Some(Part::Word(&weekday[..3])),
        'A' => Some(Part::Word(weekday)),
        'b' | 'h' => Some(Part::Word(&month[..3])),
        'B' => Some(Part::Word(month)),
        'c' => nested("%a %b %e %H:%M:%S %Y"),
        'C' => number(year.div_euclid(100), 2, '0'),
        'd' => number(date.day().into(), 2, '0'),
        'D' | 'x' => nested("%m/%d/%y"),
        'e' => number(date.day().into(), 2, '_'),
        'F' => nested("%Y-%m-%d"),
        'g' => number(iso_year().rem_euclid(100), 2, '0'),
        'G' => number(iso_year(), 1, '0'),
        'H' => number(date.hour().into(), 2, '0'),
        'I' => number(hour12, 2, '0'),
        'j' => number(day_of_year, 3, '0'),
        'k' => number(date.hour().into(), 2, '_'),
        'l' => number(hour12, 2, '_'),
        'm' => number(date.month().into(), 2, '0'),
        'M' => number(date.minute().into(), 2, '0'),
        'N' => text(fraction(local.time.nanoseconds, spec)),
        'p' if spec.swap => text(word(&half.to_lowercase(), spec)),
        'p' => Some(Part::Word(half)),
        'P' => text(word(&half.to_lowercase(), spec)),
        'q' => number(i64::from((date.month() - 1) / 3 + 1), 1, '0'),
        'r' => nested("%I:%M:%S %p"),
        'R' => nested("%H:%M"),
        's' => number(local.time.seconds, 1, '0'),
        'S' => number(i64::from(date.second()) + local.leap, 2, '0'),
        'T' | 'X' => nested("%H:%M:%S"),
        'u' => number(i64::from(from_monday) + 1, 1, '0'),
        'U' => number((day_of_year + 6 - i64::from(from_sunday)) / 7, 2, '0'),
        'V' => number(iso().week().into(), 2, '0'),
        'w' => number(from_sunday.into(), 1, '0'),
        'W' => number((day_of_year + 6 - i64::from(from_monday)) / 7, 2, '0'),
        'y' => number(year.rem_euclid(100), 2, '0'),
        'Y' => number(year, 4, '0'),
        'z' => text(offset(local, spec)),
        'Z' if spec.swap => text(word(&local.zone.to_lowercase(), spec)),
        'Z' => text(word(&local.zone, spec)),
        _ => None,
    }
}

/// Makes `#` mean upper case, for names of days and months.
fn swapped(spec: Spec) -> Spec {
    Spec { upper: spec.upper || spec.swap, ..spec }
}

fn word(text: &str, spec: Spec) -> String {
    let text = if spec.upper { text.to_uppercase() } else { text.to_owned() };
    let width = spec.width.unwrap_or(0);
    let missing = width.saturating_sub(text.chars().count());
    let fill = if matches!(spec.pad, Some('0' | '+')) { "0" } else { " " };
    if spec.pad == Some('-') { text } else { fill.repeat(missing) + &text }
}

fn add_padded(value: i64, digits: usize, pad: char, spec: Spec, out: &mut String) {
    let width = spec.width.unwrap_or(digits);
    let pad = spec.pad.unwrap_or(pad);
    let digit = |digit: i64| char::from(b'0' + digit as u8);
    // The fast path for nearly all numbers of a long listing.
    let text = match (value, width, pad) {
        (10..=99, 2, _) | (0..=9, 2, '0') => {
            return out.extend([digit(value / 10), digit(value % 10)]);
        }
        (0..=9, 2, '_') => return out.extend([' ', digit(value)]),
        (1000..=9999, 4, _) => {
            let digits = [value / 1000, value / 100 % 10, value / 10 % 10, value % 10];
            return out.extend(digits.map(digit));
        }
        (.., '-') => value.to_string(),
        (.., '_') => format!("{value:>width$}"),
        _ => format!("{value:0width$}"),
    };
    out.push_str(&text);
}

/// Returns the fraction of a second, with as many digits as the width.
fn fraction(nanoseconds: u32, spec: Spec) -> String {
    let mut text = format!("{nanoseconds:09}");
    let width = spec.width.unwrap_or(9);
    if spec.pad == Some('-') && spec.width.is_none() {
        let length = text.trim_end_matches('0').len().max(1);
        text.truncate(length);
        return text;
    }
    text.truncate(width.max(1));
    format!("{text:0<width$}")
}

fn offset(local: &Local, spec: Spec) -> String {
    let seconds = local.offset.seconds();
    // The zone `-00`, which means an unknown offset, keeps its minus sign.
    let is_negative = seconds < 0 || seconds == 0 && local.zone.starts_with('-');
    let sign = if is_negative { '-' } else { '+' };
    let all = seconds.unsigned_abs();
    let (hours, minutes, rest) = (all / 3600, all / 60 % 60, all % 60);
    match spec.colons {
        0 => format!("{sign}{hours:02}{minutes:02}"),
        1 => format!("{sign}{hours:02}:{minutes:02}"),
        2 => format!("{sign}{hours:02}:{minutes:02}:{rest:02}"),
        _ if rest != 0 => format!("{sign}{hours:02}:{minutes:02}:{rest:02}"),
        _ if minutes != 0 => format!("{sign}{hours:02}:{minutes:02}"),
        _ => format!("{sign}{hours:02}"),
    }
}
