//! Formats of GNU stat: text with directives such as `%-10s`, as in `printf(3)`.

use curt::fields::Time;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(Vec<u8>),
    Directive(Directive),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Directive {
    /// Characters from `'-+ #0I`.
    flags: Vec<u8>,
    width: Option<usize>,
    precision: Option<usize>,
    /// `H` or `L`, if it precedes `d` or `r`.
    pub(super) half: Option<u8>,
    pub(super) letter: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Syntax {
    pub(super) has_escapes: bool,
    /// Whether `H` and `L` select the major and minor number of a device.
    pub(super) has_halves: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) parts: Vec<Part>,
    pub(super) warnings: Vec<String>,
}

impl Parsed {
    fn text(&mut self, byte: u8) {
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.push(byte),
            _ => self.parts.push(Part::Text(vec![byte])),
        }
    }
}

/// Parses a format. The error is the invalid directive.
pub(super) fn parse(format: &[u8], syntax: Syntax) -> Result<Parsed, Vec<u8>> {
    let mut parsed = Parsed::default();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match byte {
            b'%' => parse_directive(after, syntax, &mut parsed)?,
            b'\\' if syntax.has_escapes => parse_escape(after, &mut parsed),
            _ => {
                parsed.text(byte);
                after
            }
        };
    }
    Ok(parsed)
}

/// Parses a directive. `text` begins after its `%`. Returns the text after the directive.
fn parse_directive<'f>(
    text: &'f [u8],
    syntax: Syntax,
    parsed: &mut Parsed,
) -> Result<&'f [u8], Vec<u8>> {
    let (flags, rest) = split(text, |byte| b"'-+ #0I".contains(&byte));
    let (width, rest) = split(rest, |byte| byte.is_ascii_digit());
    let (precision, rest) = match rest.strip_prefix(b".") {
        Some(rest) => {
            let (digits, rest) = split(rest, |byte| byte.is_ascii_digit());
            (Some(digits), rest)
        }
        None => (None, rest),
    };
    let Some((&letter, after)) = rest.split_first().filter(|(letter, _)| **letter != b'%') else {
        // `%%`, and a `%` at the end, print a percent sign.
        let end = rest.len().min(1);
        if rest.len() != text.len() {
            let read = text.len() - rest.len() + end;
            return Err([b"%", &text[..read]].concat());
        }
        parsed.text(b'%');
        return Ok(&rest[end..]);
    };
    let mut directive = Directive {
        flags: flags.to_vec(),
        width: number(width),
        // A dot without digits selects the value's default precision.
        precision: precision.map(|digits| number(digits).unwrap_or(NO_DIGITS)),
        half: None,
        letter,
    };
    let half = after.first().filter(|letter| b"dr".contains(letter));
    let half = half.filter(|_| syntax.has_halves && b"HL".contains(&letter));
    let after = match half {
        Some(&next) => {
            (directive.half, directive.letter) = (Some(letter), next);
            &after[1..]
        }
        None => after,
    };
    parsed.parts.push(Part::Directive(directive));
    Ok(after)
}

/// Parses an escape. `text` begins after its backslash. Returns the text after the escape.
fn parse_escape<'f>(text: &'f [u8], parsed: &mut Parsed) -> &'f [u8] {
    let Some((&letter, after)) = text.split_first() else {
        parsed.warnings.push("warning: backslash at end of format".to_owned());
        parsed.text(b'\\');
        return text;
    };
    let is_octal = |byte: u8| matches!(byte, b'0'..=b'7');
    let (base, most, digits) = match letter {
        b'0'..=b'7' => (8, 3, split(text, is_octal).0),
        b'x' => (16, 2, split(after, |byte| byte.is_ascii_hexdigit()).0),
        _ => (0, 0, &text[..0]),
    };
    if !digits.is_empty() {
        let digits = &digits[..digits.len().min(most)];
        let value = digits.iter().fold(0_u32, |value, &digit| {
            value * base + char::from(digit).to_digit(base).unwrap_or(0)
        });
        // As in C, three octal digits are truncated to one byte.
        parsed.text((value & 0xff) as u8);
        return &text[digits.len() + usize::from(base == 16)..];
    }
    let byte = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' => 0x1b,
        b'f' => 0xc,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0xb,
        b'"' | b'\\' => letter,
        _ => {
            let shown = char::from(letter);
            parsed.warnings.push(format!("warning: unrecognized escape '\\{shown}'"));
            letter
        }
    };
    parsed.text(byte);
    after
}

/// The value of `precision` for a dot without digits.
const NO_DIGITS: usize = usize::MAX;

/// Limits width and precision, and so the output.
const WIDEST: usize = 1 << 20;

fn split(text: &[u8], holds: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let end = text.iter().position(|&byte| !holds(byte)).unwrap_or(text.len());
    text.split_at(end)
}

fn number(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() {
        return None;
    }
    let number = digits.iter().fold(0_usize, |number, digit| {
        number.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    });
    Some(number.min(WIDEST))
}

impl Directive {
    fn has(&self, flag: u8) -> bool {
        self.flags.contains(&flag)
    }

    /// Returns the precision of a value other than a time.
    fn precision(&self) -> Option<usize> {
        self.precision.map(|precision| if precision == NO_DIGITS { 0 } else { precision })
    }

    /// Adds a text. Only the flag `-` affects it.
    pub(super) fn text(&self, text: &[u8], out: &mut Vec<u8>) {
        let text = &text[..text.len().min(self.precision().unwrap_or(usize::MAX))];
        self.pad(text.len(), out, |out| out.extend_from_slice(text));
    }

    fn pad(&self, length: usize, out: &mut Vec<u8>, add: impl FnOnce(&mut Vec<u8>)) {
        let blanks = self.width.unwrap_or(0).saturating_sub(length);
        if !self.has(b'-') {
            out.resize(out.len() + blanks, b' ');
        }
        add(out);
        if self.has(b'-') {
            out.resize(out.len() + blanks, b' ');
        }
    }

    pub(super) fn unsigned(&self, number: u128, out: &mut Vec<u8>) {
        self.number("", &number.to_string(), out);
    }

    pub(super) fn signed(&self, number: i64, out: &mut Vec<u8>) {
        self.with_sign(number < 0, &number.unsigned_abs().to_string(), out);
    }

    fn with_sign(&self, is_negative: bool, digits: &str, out: &mut Vec<u8>) {
        let sign = match is_negative {
            true => "-",
            false if self.has(b'+') => "+",
            false if self.has(b' ') => " ",
            false => "",
        };
        self.number(sign, digits, out);
    }

    pub(super) fn octal(&self, number: u64, out: &mut Vec<u8>) {
        let mut digits = format!("{number:o}");
        let has_zero = digits == "0" || self.precision().is_some_and(|least| least > digits.len());
        if self.has(b'#') && !has_zero {
            digits.insert(0, '0');
        }
        self.number("", &digits, out);
    }

    pub(super) fn hex(&self, number: u64, out: &mut Vec<u8>) {
        let prefix = if self.has(b'#') && number != 0 { "0x" } else { "" };
        self.number(prefix, &format!("{number:x}"), out);
    }

    /// Adds a prefix and digits. Adds zeros up to the precision or, with the flag `0`, up to the
    /// width.
    fn number(&self, prefix: &str, digits: &str, out: &mut Vec<u8>) {
        // With precision 0, the number 0 has no digits.
        let digits = if self.precision() == Some(0) && digits == "0" { "" } else { digits };
        let fills = self.has(b'0') && !self.has(b'-') && self.precision.is_none();
        let of_width = if fills { self.width.unwrap_or(0).saturating_sub(prefix.len()) } else { 0 };
        let zeros = self.precision().unwrap_or(of_width).saturating_sub(digits.len());
        self.pad(prefix.len() + zeros + digits.len(), out, |out| {
            out.extend(prefix.bytes());
            out.resize(out.len() + zeros, b'0');
            out.extend(digits.bytes());
        });
    }

    /// Adds seconds since 1970. The precision is the number of decimals: 0 by default, 9 for a dot
    /// without digits. Truncates further digits.
    pub(super) fn seconds(&self, time: Time, out: &mut Vec<u8>) {
        const NANO: usize = 9;
        let precision = match self.precision {
            None => 0,
            Some(NO_DIGITS) => NANO,
            Some(precision) => precision,
        };
        let known = precision.min(NANO);
        let divisor = (known..NANO).fold(1_i64, |divisor, _| divisor * 10);
        let nanoseconds = i64::from(time.nanoseconds);
        let (mut seconds, mut fraction) = (time.seconds, nanoseconds / divisor);
        let is_before = seconds < 0 && nanoseconds != 0;
        if is_before {
            // Before 1970, `time` is a negative number plus a positive fraction. Convert it: -2 +
            // 0.25 is -1.75.
            let is_cut = i64::from(nanoseconds % divisor != 0);
            fraction = 1_000_000_000 / divisor - fraction - is_cut;
            seconds += i64::from(fraction != 0);
        }
        // Only the integral part has a sign, zero padding and blanks on the left.
        let width = self.width.filter(|_| precision > 0).unwrap_or(0);
        let of_seconds = width.saturating_sub(1 + precision);
        let is_left = self.has(b'-') && of_seconds > 1;
        let whole = Directive {
            flags: self.flags.iter().copied().filter(|&flag| !is_left || flag != b'-').collect(),
            width: match precision {
                0 => self.width,
                _ => Some(of_seconds).filter(|&width| width > 1 && !is_left),
            },
            precision: None,
            ..Directive::default()
        };
        let begin = out.len();
        let is_negative = seconds < 0 || is_before && seconds == 0;
        whole.with_sign(is_negative, &seconds.unsigned_abs().to_string(), out);
        if precision > 0 {
            out.extend(format!(".{fraction:0known$}").bytes());
            out.resize(out.len() + precision - known, b'0');
            let end = begin + width;
            out.resize(out.len().max(end), b' ');
        }
    }
}
