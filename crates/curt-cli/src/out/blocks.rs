//! The unit of sizes, which `BLOCK_SIZE` and similar variables choose, as for the GNU tools, and
//! human-readable sizes.

use std::ffi::OsString;

use super::column;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// Human-readable, in powers of this.
    Scaled(u64),
    /// In blocks of this many bytes, rounded up, with this suffix.
    Units(u64, String),
}

impl Blocks {
    pub(crate) const BYTES: Blocks = Blocks::Units(1, String::new());
    pub(crate) const KILOBYTES: Blocks = Blocks::Units(1024, String::new());
    pub(crate) const HUMAN: Blocks = Blocks::Scaled(1024);
    pub(crate) const SI: Blocks = Blocks::Scaled(1000);

    /// Reads the value of `--block-size`.
    pub(crate) fn from_option(word: &str) -> Result<Blocks, String> {
        Blocks::parse(word)
            .ok_or_else(|| "expected a size such as 512, K, 2MiB, kB or human-readable".to_owned())
    }

    /// Returns the choice of the first of these variables that is set, or the default of POSIX or
    /// GNU if none is set or its value makes no sense.
    pub(crate) fn from_environment(variables: &[&str]) -> Blocks {
        let chosen = variables.iter().find_map(std::env::var_os);
        let chosen = chosen.map(OsString::into_string).and_then(Result::ok);
        chosen.and_then(|text| Blocks::parse(&text)).unwrap_or_else(|| {
            let is_posix = std::env::var_os("POSIXLY_CORRECT").is_some();
            Blocks::Units(if is_posix { 512 } else { 1024 }, String::new())
        })
    }

    /// Parses `human-readable`, `si`, a number, a unit, or both. A unit alone is shown as suffix.
    pub(crate) fn parse(text: &str) -> Option<Blocks> {
        // Digits are not grouped in the C locale.
        let text = text.strip_prefix('\'').unwrap_or(text);
        let begins = |word: &str| !text.is_empty() && word.starts_with(text);
        if begins("human-readable") {
            return Some(Blocks::HUMAN);
        }
        if begins("si") {
            return Some(Blocks::Scaled(1000));
        }
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (text, if text.starts_with('0') { 8 } else { 10 }),
        };
        let end = digits.find(|digit: char| !digit.is_digit(radix)).unwrap_or(digits.len());
        let (digits, unit) = digits.split_at(end);
        let factor = if unit.is_empty() { 1 } else { unit_size(unit)? };
        if digits.is_empty() {
            return (!unit.is_empty()).then(|| Blocks::Units(factor, shown_unit(unit)));
        }
        let size = u64::from_str_radix(digits, radix).ok()?.checked_mul(factor)?;
        (size > 0).then(|| Blocks::Units(size, String::new()))
    }

    /// Whether sizes are shown as more than a number.
    fn are_text(&self) -> bool {
        !matches!(self, Blocks::Units(_, suffix) if suffix.is_empty())
    }

    fn count(&self, bytes: u64) -> u64 {
        match self {
            Blocks::Scaled(_) => bytes,
            Blocks::Units(size, _) => bytes.div_ceil(*size),
        }
    }

    pub(crate) fn width(&self, bytes: Option<u64>) -> usize {
        match bytes {
            Some(bytes) if self.are_text() => self.show(bytes).len(),
            bytes => column::width(self.count(bytes.unwrap_or(0))),
        }
    }

    /// Adds a right-aligned size; an unknown one is a question mark.
    pub(crate) fn add(&self, bytes: Option<u64>, column: usize, line: &mut Vec<u8>) {
        match bytes {
            Some(bytes) if self.are_text() => column::add_text(&self.show(bytes), column, line),
            bytes => column::add(bytes.map(|bytes| self.count(bytes)), column, line),
        }
    }

    pub(crate) fn show(&self, bytes: u64) -> String {
        match self {
            Blocks::Scaled(base) => scaled(bytes, (*base).into()),
            Blocks::Units(_, suffix) => format!("{}{suffix}", self.count(bytes)),
        }
    }
}

/// Returns the size of a unit: `K` and `KiB` are 1024, `KB` is 1000.
fn unit_size(unit: &str) -> Option<u64> {
    let mut letters = unit.chars();
    let letter = letters.next()?.to_ascii_uppercase();
    // Only these may be lower case.
    let is_known = unit.starts_with(['k', 'm', 'g', 't']) || unit.starts_with(letter);
    let power = UNITS.iter().position(|known| known.starts_with(letter))?;
    let base: u64 = match letters.as_str() {
        "" | "iB" => 1024,
        "B" => 1000,
        _ => return None,
    };
    if is_known { base.checked_pow(u32::try_from(power).ok()?) } else { None }
}

fn shown_unit(unit: &str) -> String {
    let (letter, rest) = unit.split_at(1);
    let letter = if unit.len() == 2 && letter.eq_ignore_ascii_case("k") {
        "k".to_owned()
    } else {
        letter.to_ascii_uppercase()
    };
    format!("{letter}{rest}")
}

const UNITS: [&str; 9] = ["", "K", "M", "G", "T", "P", "E", "Z", "Y"];

/// Returns a size in powers of 1024 or 1000, rounded up, with one decimal below ten: `1.4K`, `23M`.
fn scaled(bytes: u64, base: u128) -> String {
    let bytes = u128::from(bytes);
    if bytes < base {
        return bytes.to_string();
    }
    let mut unit = base;
    let mut power = 1;
    while bytes.div_ceil(unit) >= base && power + 1 < UNITS.len() {
        unit *= base;
        power += 1;
    }
    let tenths = (bytes * 10).div_ceil(unit);
    let suffix = if base == 1000 && power == 1 { "k" } else { UNITS[power] };
    if tenths < 100 {
        format!("{}.{}{suffix}", tenths / 10, tenths % 10)
    } else {
        format!("{}{suffix}", bytes.div_ceil(unit))
    }
}
