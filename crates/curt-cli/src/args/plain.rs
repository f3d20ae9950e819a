//! The command lines that nearly everybody types, `rm -rf` and names, read without clap: building its
//! definitions and reading by them takes longer than removing ten files does.
//!
//! Only where every option is a cluster of the letters below. Anything else, and every mistake, is
//! left to clap, and a test compares the two over all short command lines.

use std::ffi::OsString;

use super::{Asking, RETRIES, RETRY_MS, RmOptions, When};

/// What the words after `curt rm` ask, if they are that plain.
pub(super) fn rm(words: impl Iterator<Item = OsString>) -> Option<RmOptions> {
    let mut options = RmOptions { retries: RETRIES, retry_ms: RETRY_MS, ..RmOptions::default() };
    let mut options_are_over = false;
    for word in words {
        match word.as_encoded_bytes() {
            b"--" if !options_are_over => options_are_over = true,
            [b'-', letters @ ..] if !options_are_over && !letters.is_empty() => {
                letters.iter().try_for_each(|&letter| set(&mut options, letter))?;
            }
            _ => options.operands.push(word),
        }
    }
    Some(options)
}

/// Does what one letter asks.
fn set(options: &mut RmOptions, letter: u8) -> Option<()> {
    match letter {
        b'r' | b'R' => options.recursive = true,
        b'f' => {
            options.force = true;
            options.asking = Asking { when: When::Never, missing_is_fine: true };
        }
        b'd' => options.dir = true,
        b'v' => options.verbose = true,
        _ => return None,
    }
    Some(())
}
