//! Units of sizes, also from `BLOCK_SIZE` and similar variables of the GNU tools.

use std::ffi::OsStr;

use super::column;
use crate::number::{self, Flaw};
use crate::words::abbreviated;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// Human-readable sizes, in powers of this base.
    Scaled(u64),
    /// Blocks of this many bytes, rounded up, and the suffix to print.
    Units(u64, String),
}

impl Blocks {
    pub(crate) const BYTES: Blocks = Blocks::Units(1, String::new());
    pub(crate) const KILOBYTES: Blocks = Blocks::Units(1024, String::new());
    pub(crate) const HUMAN: Blocks = Blocks::Scaled(1024);
    pub(crate) const SI: Blocks = Blocks::Scaled(1000);

    /// Parses the first of these variables that is set, or returns the default of POSIX or GNU. As
    /// in GNU, the number in an otherwise invalid value is used.
    pub(crate) fn from_environment(variables: &[&str]) -> Blocks {
        let chosen = variables.iter().find_map(std::env::var_os);
        let usual = if std::env::var_os("POSIXLY_CORRECT").is_some() { 512 } else { 1024 };
        match chosen.as_deref().map_or(Err(Flaw::NoNumber), Blocks::parse) {
            Ok(blocks) => blocks,
            Err(Flaw::NoNumber) => Blocks::Units(usual, String::new()),
            Err(Flaw::Suffix(size) | Flaw::TooLarge(size)) => {
                Blocks::Units(u64::try_from(size).unwrap_or(usual), String::new())
            }
        }
    }

    /// Parses `human-readable`, `si`, a number, a unit, or a number with a unit. A unit without a
    /// number is printed after sizes.
    pub(crate) fn parse(word: &OsStr) -> Result<Blocks, Flaw> {
        let text = word.as_encoded_bytes();
        // `'` requests digit grouping, which the C locale does not have.
        let text = text.strip_prefix(b"'").unwrap_or(text);
        let words = [("human-readable", 1024), ("si", 1000)];
        if let Some(base) =
            std::str::from_utf8(text).ok().and_then(|it| abbreviated(&words, it).ok())
        {
            return Ok(Blocks::Scaled(base));
        }
        match number::parse(text, b"eEgGkKmMpPtTyYzZ", &(0..=u64::MAX.into())) {
            Ok(0) | Err(Flaw::Suffix(0)) => Err(Flaw::NoNumber),
            Err(flaw) => Err(flaw),
            Ok(size) => {
                let has_digits = text.iter().any(u8::is_ascii_digit);
                let suffix = if has_digits { String::new() } else { shown_unit(text) };
                Ok(Blocks::Units(size as u64, suffix))
            }
        }
    }

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

fn shown_unit(unit: &[u8]) -> String {
    match unit {
        [b'k' | b'K', b'B'] => "kB".to_owned(),
        [letter, b'D'] | [letter] => char::from(letter.to_ascii_uppercase()).to_string(),
        [letter, rest @ ..] => {
            format!("{}{}", char::from(letter.to_ascii_uppercase()), String::from_utf8_lossy(rest))
        }
        [] => String::new(),
    }
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
