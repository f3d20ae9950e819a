use std::io::ErrorKind;

use curt::fields::{Follow, Time};
use curt::{Fields, Plan};

use crate::out::text;
use crate::quote::quote;
use crate::time::{self, Zone};

/// Parses a date, an age or a file name, in this order. So `7d` is always an age; the file is
/// `./7d`.
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
        Err(_) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("a unit is missing; write {text}d for days")
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            "expected a date (2026-01-31), an age (7d) or a file".to_owned()
        }
        Err(error) => format!("cannot access this file: {}", text::reason(error.cause())),
    };
    Err(invalid(&reason))
}
