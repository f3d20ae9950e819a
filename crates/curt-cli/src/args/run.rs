use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueHint};

use super::which::SEARCH;
use super::{LookUpOptions, Options, WithoutOptions};

const LONG_ABOUT: &str = "\
Start a program and exit as it does. On Unix, curt is replaced by the program, unless --timeout or \
--stats is given.";

const NOTES: &str = "\
A NAME with a separator is a path, relative to the directory of --chdir. Any other NAME is looked \
up like by curt which, in the PATH of the program's environment and from its directory, at one \
system call per directory on Linux.

Exit status:
  that of the program; if a signal ended it, that signal ends curt, too
  124  the time limit was reached (with --preserve-status, that of the program)
  137  the time limit was reached, and -s KILL or --kill-after killed the program
  125  curt itself failed
  126  the program exists but cannot be executed
  127  the program was not found
  2    the command line was wrong";

const EXAMPLES: &str = "\
Examples:
  curt run -- make -j4                     start a program
  curt run -C sub CC=clang ./build         in a directory, with a variable
  curt run -t 90s -k 5s -- ./slow          terminate after 90 s, kill after 95";

#[derive(Args)]
#[command(infer_long_args = true,
          about = "Start a program and exit as it does", long_about = LONG_ABOUT,
          before_help = EXAMPLES, after_long_help = NOTES)]
pub(crate) struct RunOptions {
    /// The program and its arguments
    ///
    /// Leading words such as CC=clang set environment variables, as for env.
    #[arg(value_name = "NAME", required = true, trailing_var_arg = true, num_args = 1..,
          value_hint = ValueHint::CommandWithArguments)]
    pub(crate) words: Vec<OsString>,

    /// Terminate the program and its processes after TIME, such as 2.5s
    ///
    /// TIME is a number, with ms, s (the default), m, h or d. 0 and inf set no limit. The program
    /// and its process group get SIGTERM, which a program can ignore (see --kill-after); on Windows
    /// they are killed. Signals that would end curt are forwarded to them. A process outside the
    /// group (after setsid or setpgid, such as a daemon or a job of an interactive shell) keeps
    /// running.
    #[arg(short = 't', long, value_name = "TIME", allow_hyphen_values = true,
          value_parser = parse_time)]
    pub(crate) timeout: Option<Duration>,

    /// Kill the program if it still runs TIME after the first signal
    #[arg(short = 'k', long, value_name = "TIME",
          allow_hyphen_values = true, value_parser = parse_time)]
    pub(crate) kill_after: Option<Duration>,

    /// At the time limit, send SIGNAL instead of TERM, such as INT
    ///
    /// SIGNAL is a name or a number. Programs cannot ignore KILL. Not available on Windows.
    #[arg(short = 's', long, value_name = "SIGNAL")]
    pub(crate) signal: Option<String>,

    /// Exit as the program does, even at the time limit
    #[arg(long)]
    pub(crate) preserve_status: bool,

    /// Run in the caller's process group, and signal only the program
    ///
    /// Without a shell's job control, as in scripts, the program needs this to read from the
    /// terminal.
    #[arg(long)]
    pub(crate) foreground: bool,

    /// Report each signal sent
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,

    /// Run the program in DIR
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) chdir: Option<PathBuf>,

    /// Set an environment variable for the program; can be repeated
    #[arg(long, value_name = "NAME=VALUE", action = ArgAction::Append)]
    pub(crate) env: Vec<OsString>,

    /// Remove an environment variable for the program; can be repeated
    #[arg(short = 'u', long, value_name = "NAME", action = ArgAction::Append)]
    pub(crate) unset: Vec<OsString>,

    /// Start with an empty environment, except for variables set here
    ///
    /// On Windows SYSTEMROOT remains, because programs need it to start.
    #[arg(short = 'i', long, alias = "ignore-environment")]
    pub(crate) clear_env: bool,

    /// First print each directory and candidate of the search
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print how many system calls the search and the wait took
    #[arg(long)]
    pub(crate) stats: bool,

    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) look_up: LookUpOptions,

    #[command(flatten)]
    pub(crate) without: WithoutOptions,
}

impl Options for RunOptions {
    const NEEDS: &[(&str, &str)] = &[
        ("signal", "timeout"),
        ("kill_after", "timeout"),
        ("preserve_status", "timeout"),
        ("foreground", "timeout"),
        ("verbose", "timeout"),
    ];
}

impl RunOptions {
    /// Returns the first word if it looks like a time limit, which `timeout` expects there.
    pub(crate) fn likely_limit(&self) -> Option<&str> {
        let word = self.words.first().filter(|_| self.words.len() > 1)?.to_str()?;
        parse_time(word).is_ok().then_some(word)
    }
}

/// Parses a duration as GNU timeout does: a `strtod(3)` number and a unit. Caps it if too long.
fn parse_time(word: &str) -> Result<Duration, String> {
    /// Seconds per unit. The empty unit comes first, because `d` is also a hexadecimal digit.
    const UNITS: [(&str, f64); 6] =
        [("", 1.0), ("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
    let split = |&(unit, seconds): &(&str, f64)| Some(number(word.strip_suffix(unit)?)? * seconds);
    let seconds = UNITS
        .iter()
        .find_map(split)
        .ok_or("expected a number of seconds, or with a unit: 500ms, 1.5s, 2m, 1h, 1d")?;
    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    // Round up a time too short to represent, because 0 would mean no limit.
    Ok(if seconds > 0.0 { time.max(Duration::from_nanos(1)) } else { time })
}

/// Parses a non-negative number as `strtod(3)` does, but a tiny number does not become 0.
fn number(text: &str) -> Option<f64> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let hexadecimal = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    let (number, digits) = match hexadecimal {
        Some(digits) => (from_hexadecimal(digits)?, digits.split(['p', 'P']).next()?),
        // Reject a second sign, because `parse` would accept it.
        None if unsigned.starts_with(['+', '-']) => return None,
        None => (unsigned.parse().ok()?, unsigned.split(['e', 'E']).next()?),
    };
    let is_tiny = number == 0.0 && digits.contains(|digit| !matches!(digit, '0' | '.'));
    let number = if is_tiny { f64::MIN_POSITIVE } else { number };
    (number == 0.0 || number > 0.0 && !text.starts_with('-')).then_some(number)
}

fn from_hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = match text.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = [whole, fraction].concat();
    let add = |sum: f64, digit: char| Some(sum * 16.0 + f64::from(digit.to_digit(16)?));
    let number = Some(digits.chars()).filter(|_| !digits.is_empty())?.try_fold(0.0, add)?;
    let places = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    // Avoid `exp2`, which would make every start load the math library.
    let power = 2_f64.powi(exponent.saturating_sub(places));
    Some(if number == 0.0 { number } else { number * power })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::parse_time;

    #[test]
    fn times_have_units() {
        for (word, milliseconds) in [
            ("0", 0),
            ("2.5", 2500),
            (".5", 500),
            ("500ms", 500),
            ("1s", 1000),
            ("2m", 120_000),
            ("1.5h", 5_400_000),
            ("0.5d", 43_200_000),
            ("-0", 0),
            (" \t+1", 1000),
            ("0x1d", 29_000),
            ("0X1.8p1d", 259_200_000),
            ("0e9", 0),
        ] {
            assert_eq!(parse_time(word), Ok(Duration::from_millis(milliseconds)), "{word}");
        }
        for word in ["1e-99", "1e-999", "0x1p-9999"] {
            assert_eq!(parse_time(word), Ok(Duration::from_nanos(1)), "{word}");
        }
        for word in ["inf", "INFINITY", "infinityd", "1e300", "1e999", "99999999999999999999h"] {
            assert_eq!(parse_time(word), Ok(Duration::MAX), "{word}");
        }
        for word in [
            "", "s", "-1", "-inf", "nan", "1 s", "1w", "1m30s", "x", "+-1", "0x", "0x1p", "0x.",
            "1e",
        ] {
            assert!(parse_time(word).is_err_and(|why| why.starts_with("expected")), "{word}");
        }
    }
}
