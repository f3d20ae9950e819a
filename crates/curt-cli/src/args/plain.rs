//! The command lines that nearly everybody types (`rm -rf`, `ls -l`, `du -sh`, `walk`, and names), read without
//! clap: building its definitions and reading by them takes longer than removing ten files does, or
//! than listing a small directory.
//!
//! Only where every option is a cluster of the letters below. Anything else, and every mistake, is
//! left to clap, and tests compare the two over all short command lines.

use std::ffi::OsString;

use super::{Asking, DuOptions, LsOptions, RETRIES, RETRY_MS, RmOptions, Unit, WalkOptions, When};

/// What the words after `curt rm` ask, if they are that plain.
pub(super) fn rm(words: impl Iterator<Item = OsString>) -> Option<RmOptions> {
    let mut options = RmOptions { retries: RETRIES, retry_ms: RETRY_MS, ..RmOptions::default() };
    options.operands = operands(words, |letter| {
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
    })?;
    Some(options)
}

/// What the words after `curt ls` ask. Letters that take others back are left to clap, but for those two
/// that people mix.
pub(super) fn ls(words: impl Iterator<Item = OsString>) -> Option<LsOptions> {
    let mut options = LsOptions::default();
    options.operands = operands(words, |letter| {
        match letter {
            b'1' => options.one_per_line = true,
            b'A' => (options.all, options.almost_all) = (false, true),
            b'R' => options.recursive = true,
            b'a' => (options.all, options.almost_all) = (true, false),
            b'd' => options.directory = true,
            b'h' => options.human_readable = true,
            b'i' => options.inode = true,
            b'l' => options.long = true,
            b'n' => options.numeric_uid_gid = true,
            b'r' => options.reverse = true,
            b's' => options.size = true,
            _ => return None,
        }
        Some(())
    })?;
    Some(options)
}

/// What the words after `curt walk` ask: where to begin, and nothing else.
pub(super) fn walk(words: impl Iterator<Item = OsString>) -> Option<WalkOptions> {
    let mut options = WalkOptions::default();
    options.operands = operands(words, |_| None)?;
    Some(options)
}

/// What the words after `curt du` ask. Of units only `-h` is known here, and whatever contradicts is left to
/// clap.
pub(super) fn du(words: impl Iterator<Item = OsString>) -> Option<DuOptions> {
    let mut options = DuOptions::default();
    options.operands = operands(words, |letter| {
        match letter {
            b'a' => options.all = true,
            b'c' => options.total = true,
            b'h' => (options.human_readable, options.unit) = (true, Unit::Human),
            b'l' => options.count_links = true,
            b's' => options.summarize = true,
            b'x' => options.one_file_system = true,
            _ => return None,
        }
        Some(())
    })?;
    (!options.all || !options.summarize).then_some(options)
}

/// The words that are not options; `set` does what the letters of those ask, as far as it knows them.
fn operands(
    words: impl Iterator<Item = OsString>,
    mut set: impl FnMut(u8) -> Option<()>,
) -> Option<Vec<OsString>> {
    let mut operands = Vec::new();
    let mut options_are_over = false;
    for word in words {
        match word.as_encoded_bytes() {
            b"--" if !options_are_over => options_are_over = true,
            [b'-', letters @ ..] if !options_are_over && !letters.is_empty() => {
                letters.iter().try_for_each(|&letter| set(letter))?;
            }
            _ => operands.push(word),
        }
    }
    Some(operands)
}
