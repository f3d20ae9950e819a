//! `--changed-within` and `--changed-before`.

use curt::fields::{Follow, Time};
use curt::{Fields, Plan};

use crate::out::text;
use crate::quote::quote;
use crate::time::{self, Zone};

/// Parses a date, else an age, else the name of a file. A file named `7d` therefore cannot change
/// the meaning of `7d`; it is written `./7d`. The error names the option and why no such file can
/// be read.
pub(super) fn parse(text: &str, option: &str) -> Result<Time, String> {
    let invalid = |reason: &str| format!("invalid time {} for {option}: {reason}", quote(text));
    if let Some(time) = time::parse(text, &Zone::local()).map_err(invalid)? {
        return Ok(time);
    }
    let plan = Plan::new(Fields::MODIFIED).follow(Follow::CommandLine);
    let reason = match curt::stat(text, plan) {
        Ok(metadata) => match metadata.modified().known() {
            Some(modified) => return Ok(modified),
            None => "it has no modification time".to_owned(),
        },
        Err(error) => text::reason(error.cause()),
    };
    Err(invalid(&format!(
        "neither a date such as 2026-01-31, '2026-01-31 10:00', today or yesterday, nor an age such \
         as 90s, 10min, 36h, 7d or '2 weeks', and cannot access a file of that name: {reason}"
    )))
}

#[cfg(test)]
mod tests {
    use super::parse;
    use curt::fields::Time;

    #[test]
    fn a_file_is_a_point_in_time() {
        let scratch = curt_testkit::Scratch::new();
        let file = scratch.file("3d");
        // The slash keeps it from being read as an age.
        let point = parse(file.to_str().unwrap(), "--newer").unwrap();
        let now = Time::from(std::time::SystemTime::now());
        assert!(now.seconds - point.seconds < 3600);
    }
}
