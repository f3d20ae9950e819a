//! Whether a path is full and clean as it stands: the question that most paths are answered by.
//!
//! Each block of units is looked at without a branch, which compilers turn into a few vector
//! instructions, over bytes and over 16-bit units alike.
#![allow(
    clippy::needless_bitwise_bool,
    reason = "a branch would keep the blocks from being vectors"
)]

use crate::options::Options;
use crate::unit::Unit;
use crate::windows::device::device_at_end;
use crate::windows::full_path::LONGEST_TEXT;
use crate::windows::prefix::Start;

/// How many units are looked at at once.
const BLOCK: usize = 16;

/// Whether three neighbours anywhere are wanted. The last two have no third behind them, and are the
/// caller's.
#[inline]
fn any<U: Copy>(text: &[U], is_wanted: impl Fn(U, U, U) -> bool) -> bool {
    let Some(starts) = text.len().checked_sub(2) else {
        return false;
    };
    let (first, second, third) = (&text[..starts], &text[1..=starts], &text[2..]);
    if starts < BLOCK {
        let mut wanted = false;
        for ((&a, &b), &c) in first.iter().zip(second).zip(third) {
            wanted |= is_wanted(a, b, c);
        }
        return wanted;
    }
    let block = |at: usize| {
        let (a, b, c) = (&first[at..][..BLOCK], &second[at..][..BLOCK], &third[at..][..BLOCK]);
        let mut wanted = false;
        for index in 0..BLOCK {
            wanted |= is_wanted(a[index], b[index], c[index]);
        }
        wanted
    };
    let mut at = 0;
    while at + BLOCK < starts {
        if block(at) {
            return true;
        }
        at += BLOCK;
    }
    // The rest, together with some that were looked at before.
    block(starts - BLOCK)
}

/// Whether this POSIX path is its own expansion. `false` may also mean that it takes a closer look.
pub(crate) fn is_clean_posix<U: Unit>(text: &[U], options: Options) -> bool {
    let (slash, dot, nul) = (U::ascii(b'/'), U::ascii(b'.'), U::NUL);
    let [first, .., before, last] = *text else {
        return matches!(*text, [only] if only == slash)
            || matches!(*text, [first, last] if first == slash && last != slash && last != dot && last != nul);
    };
    let ends_well = last != nul
        && before != nul
        && (before != slash || (last != slash && last != dot))
        && (last != slash || options.keeps_trailing());
    first == slash && ends_well && !has_dirt(text)
}

/// Whether this relative POSIX path can be written as it is behind a directory and a slash. `false` may
/// also mean that it takes a closer look.
pub(crate) fn is_clean_tail<U: Unit>(text: &[U]) -> bool {
    let (slash, dot, nul) = (U::ascii(b'/'), U::ascii(b'.'), U::NUL);
    let [first, .., before, last] = *text else {
        return false;
    };
    first != dot
        && first != slash
        && last != nul
        && before != nul
        && last != slash
        && (before != slash || last != dot)
        && !has_dirt(text)
}

/// Whether there is a NUL, a run of slashes, or a name that begins as `.` and `..` do. The last two
/// units are looked at as those that follow others.
#[inline]
fn has_dirt<U: Unit>(text: &[U]) -> bool {
    let (slash, dot, nul) = (U::ascii(b'/'), U::ascii(b'.'), U::NUL);
    any(text, |a, b, c| {
        let hidden = (b == dot) & ((c == dot) | (c == slash));
        (a == nul) | ((a == slash) & ((b == slash) | hidden))
    })
}

/// Whether this Windows path is its own expansion. `false` may also mean that it takes a closer look.
pub(crate) fn is_clean_windows<U: Unit>(text: &[U], start: Start, options: Options) -> bool {
    // The root of a share and of a device begins with two separators; the rest of it has to be clean.
    let from = match start {
        Start::DriveAbsolute { .. } => 0,
        Start::Share => 1,
        Start::LocalDevice => 3,
        _ => return false,
    };
    let slash = U::ascii(b'/');
    let [first, .., before, last] = *text else {
        return false;
    };
    first != slash
        && text.len() <= LONGEST_TEXT
        && !text[..from].contains(&slash)
        && !is_bad(before, last)
        && !matches!(last.to_ascii(), b'.' | b' ' | b'/' | 0)
        && !any(&text[from..], |a, b, _| is_bad(a, b))
        && device_at_end(text, start, options.release).is_none()
}

/// Whether two neighbours are no part of a clean Windows path.
#[inline]
fn is_bad<U: Unit>(a: U, b: U) -> bool {
    let (backslash, slash, dot) = (U::ascii(b'\\'), U::ascii(b'/'), U::ascii(b'.'));
    (a == U::NUL) | (a == slash) | ((b == backslash) & ((a == backslash) | (a == dot)))
}

/// Whether there is a NUL.
pub(crate) fn has_nul<U: Unit>(text: &[U]) -> bool {
    let mut found = false;
    for &unit in text {
        found |= unit == U::NUL;
    }
    found
}
