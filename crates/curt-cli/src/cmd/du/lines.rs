//! Output lines: size, optional time and path, as GNU du prints them, or a JSON object.

use std::ffi::{OsStr, OsString};

use curt::fields::Time;
use curt::usage::{Sizes, UsageRecord};

use crate::args::{DuOptions, Unit};
use crate::number::{self, Flaw};
use crate::out::blocks::Blocks;
use crate::out::json::{self, Object};
use crate::quote::{masked, quote};
use crate::session::Session;
use crate::time::{self, Format, Zone};

pub(super) enum OptionError {
    Value(String),
    /// The message refers to `--help`.
    Usage(String),
}

pub(super) struct LineFormat<'a> {
    session: &'a Session,
    pub(super) blocks: Blocks,
    is_apparent: bool,
    counts_entries: bool,
    /// `-S`: sizes exclude subdirectories.
    is_separate: bool,
    threshold: i128,
    times: Option<Times>,
    end: u8,
    is_masked: bool,
}

struct Times {
    format: Format,
    zone: Zone,
}

impl<'a> LineFormat<'a> {
    pub(super) fn new(
        options: &DuOptions,
        session: &'a Session,
    ) -> Result<LineFormat<'a>, OptionError> {
        let is_long = options.is_long_threshold;
        let thresholds = options.threshold.iter().map(|word| threshold(word, is_long));
        let threshold = thresholds.collect::<Result<Vec<_>, _>>()?.pop();
        Ok(LineFormat {
            session,
            blocks: blocks(options)?,
            is_apparent: options.is_apparent(),
            counts_entries: options.inodes,
            is_separate: options.separate_dirs,
            threshold: threshold.unwrap_or(0),
            times: options.time.map(|_| Times::new(options)).transpose()?,
            end: if options.null { 0 } else { b'\n' },
            is_masked: session.is_terminal() && !options.null,
        })
    }

    pub(super) fn number(&self, sizes: &Sizes) -> u64 {
        match (self.counts_entries, self.is_apparent) {
            (true, _) => sizes.entries,
            (false, true) => sizes.apparent,
            (false, false) => sizes.allocated,
        }
    }

    pub(super) fn sizes<'r>(&self, record: &'r UsageRecord) -> &'r Sizes {
        if self.is_separate { &record.own } else { &record.sizes }
    }

    fn newest(&self, record: &UsageRecord) -> Option<Time> {
        if self.is_separate { record.own_newest } else { record.newest }
    }

    pub(super) fn shows(&self, record: &UsageRecord) -> bool {
        let number = i128::from(self.number(self.sizes(record)));
        if self.threshold < 0 { number <= -self.threshold } else { number >= self.threshold }
    }

    pub(super) fn record(&self, record: &UsageRecord) {
        let (sizes, newest) = (self.sizes(record), self.newest(record));
        if self.session.is_json() {
            let object =
                Object::new().path("path", &record.path).number("depth", record.depth as u64);
            return self.session.object(self.add_sizes(object, sizes, newest));
        }
        self.line(sizes, newest, record.path.as_os_str());
    }

    pub(super) fn line(&self, sizes: &Sizes, newest: Option<Time>, name: &OsStr) {
        let mut line = self.blocks.show(self.number(sizes)).into_bytes();
        line.push(b'\t');
        if let Some(times) = &self.times {
            line.extend(times.show(newest, self.session).bytes());
            line.push(b'\t');
        }
        let bytes = name.as_encoded_bytes();
        if self.is_masked {
            line.extend(masked(bytes).bytes());
        } else {
            line.extend_from_slice(bytes);
        }
        line.push(self.end);
        self.session.data(&line);
    }

    pub(super) fn add_sizes(&self, object: Object, sizes: &Sizes, newest: Option<Time>) -> Object {
        let object = add_sizes(object, sizes);
        if self.times.is_none() {
            return object;
        }
        object.raw("newest", &newest.map_or_else(|| "null".to_owned(), json::time))
    }
}

pub(super) fn add_sizes(object: Object, sizes: &Sizes) -> Object {
    object
        .number("apparent", sizes.apparent)
        .number("allocated", sizes.allocated)
        .number("entries", sizes.entries)
}

impl Times {
    fn new(options: &DuOptions) -> Result<Times, OptionError> {
        let style = match (&options.time_style, std::env::var_os("TIME_STYLE")) {
            (Some(style), _) => style.clone(),
            (None, Some(style)) if style != "locale" => {
                let style = style.to_string_lossy();
                // Strip the second line of a format and the prefix `posix-`, which `TIME_STYLE` can
                // have for ls.
                let end = style.find('\n').filter(|_| style.starts_with('+'));
                let style = &style[..end.unwrap_or(style.len())];
                style.trim_start_matches("posix-").to_owned()
            }
            _ => "long-iso".to_owned(),
        };
        let format = time::format_of_style(&style, &FORMATS).ok_or_else(|| {
            OptionError::Usage(format!(
                "invalid argument {} for 'time style'\n{STYLES}",
                quote(&style)
            ))
        })?;
        Ok(Times { format: Format::new(format), zone: Zone::local() })
    }

    /// Formats a time. If its year is too large, prints a warning and returns the seconds.
    fn show(&self, time: Option<Time>, session: &Session) -> String {
        let Some(time) = time else { return "?".to_owned() };
        let Some(local) = self.zone.local_time(time) else {
            session.warn(&format!("time '{}' is out of range", time.seconds));
            return time.seconds.to_string();
        };
        self.format.apply(&local)
    }
}

const STYLES: &str = "\
Valid arguments are:
  - 'full-iso'
  - 'long-iso'
  - 'iso'";

const FORMATS: [(&str, &str); 3] =
    [("full-iso", time::FULL_ISO), ("long-iso", time::LONG_ISO), ("iso", "%Y-%m-%d")];

/// Returns the unit of sizes. With `--inodes`, every block size is 1.
fn blocks(options: &DuOptions) -> Result<Blocks, OptionError> {
    let option = if options.is_long_block_size { "--block-size" } else { "-B" };
    let parse =
        |word: &OsString| Blocks::parse(word).map_err(|flaw| invalid_size(option, word, flaw));
    // As in GNU du, an invalid size is an error even if a later one overrides it.
    let chosen = options.block_size.iter().map(parse).collect::<Result<Vec<_>, _>>()?.pop();
    let blocks = match options.unit {
        Some(Unit::Kilobytes) => Blocks::KILOBYTES,
        Some(Unit::Megabytes) => Blocks::Units(1 << 20, String::new()),
        Some(Unit::Bytes) => Blocks::BYTES,
        Some(Unit::Human) => Blocks::HUMAN,
        Some(Unit::Si) => Blocks::SI,
        None => chosen.unwrap_or_else(|| Blocks::from_environment(&VARIABLES)),
    };
    Ok(match blocks {
        // As in GNU du, print the `B` of a unit, such as `MB`, although entries are counted.
        Blocks::Units(_, suffix) if options.inodes && suffix.ends_with('B') => {
            Blocks::Units(1, "B".to_owned())
        }
        Blocks::Units(..) if options.inodes => Blocks::BYTES,
        blocks => blocks,
    })
}

const VARIABLES: [&str; 3] = ["DU_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"];

pub(super) fn chooses_unit(options: &DuOptions) -> bool {
    options.unit.is_some()
        || !options.block_size.is_empty()
        || VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
}

fn threshold(word: &OsStr, is_long: bool) -> Result<i128, OptionError> {
    let option = if is_long { "--threshold" } else { "-t" };
    let text = word.as_encoded_bytes();
    let range = i64::MIN.into()..=i64::MAX.into();
    match number::parse(text, b"kKmMGTPEZY", &range) {
        Ok(0) if text.starts_with(b"-") => {
            Err(OptionError::Value("invalid --threshold argument '-0'".to_owned()))
        }
        parsed => parsed.map_err(|flaw| invalid_size(option, word, flaw)),
    }
}

fn invalid_size(option: &str, word: &OsStr, flaw: Flaw) -> OptionError {
    let shown = quote(word);
    OptionError::Value(match flaw {
        Flaw::NoNumber => format!("invalid {option} argument {shown}"),
        Flaw::Suffix(_) => format!("invalid suffix in {option} argument {shown}"),
        Flaw::TooLarge(_) => format!("{option} argument {shown} too large"),
    })
}
