//! Expands paths in the style of Ruby's `File.expand_path`, following its `file.c` and
//! `win32/file.c`.

use crate::directory::Directory;
use crate::fold::Kind;
use crate::options::{DotDot, ExpandError};
use crate::rule::{Rule, Trace};
use crate::unit::Unit;
use crate::windows::full_path::is_same_letter;
use crate::windows::prefix::{Start, is_separator};

/// Writes a POSIX path, keeping the directory and leading slashes as typed. Without a directory,
/// the path must begin with a slash.
///
/// [`Fold`](crate::Fold) expects a folded directory with a fixed root. Here a directory such as
/// `//a//b` keeps its slashes until `..` removes them together with the name after them, down to
/// the first slash.
pub(crate) fn write_posix<U: Unit>(
    directory: Option<&Directory<U>>,
    text: &[U],
    dot_dot: DotDot,
    out: &mut Vec<U>,
    trace: &mut impl Trace,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    let names = if let Some(directory) = directory {
        out.reserve(directory.text.len() + text.len() + 1);
        out.extend_from_slice(&directory.text);
        text
    } else {
        trace.note(Rule::Root);
        out.reserve(text.len());
        let leading = text.iter().take_while(|&&unit| unit == slash).count();
        if leading > 1 {
            trace.note(Rule::LeadingSlashes);
        }
        out.extend_from_slice(&text[..leading]);
        &text[leading..]
    };
    if out.last() == Some(&slash) {
        out.pop();
    }
    let mut at = 0;
    while at < names.len() {
        match Kind::of::<U, false>(&names[at..]) {
            Kind::Empty => {
                if at > 0 {
                    trace.note(Rule::Runs);
                }
                at += 1;
            }
            Kind::Dot => {
                trace.note(Rule::Dot);
                at += 2;
            }
            Kind::DotDot if dot_dot != DotDot::Keep => {
                remove_name(dot_dot, out, trace)?;
                at += 3;
            }
            Kind::DotDot | Kind::Normal => {
                let end = U::run_end(names, at);
                out.push(slash);
                out.extend_from_slice(&names[at..end]);
                at = end + 1;
            }
        }
    }
    if names.last() == Some(&slash) {
        trace.note(Rule::Runs);
    }
    if out.iter().all(|&unit| unit == slash) {
        out.push(slash);
    }
    Ok(())
}

/// Removes the last name and all slashes before it, because a home directory can contain double
/// slashes.
fn remove_name<U: Unit>(
    dot_dot: DotDot,
    out: &mut Vec<U>,
    trace: &mut impl Trace,
) -> Result<(), ExpandError> {
    let slash = U::ascii(b'/');
    let name_end = out.iter().rposition(|&unit| unit != slash).map_or(0, |last| last + 1);
    let Some(last) = out[..name_end].iter().rposition(|&unit| unit == slash) else {
        if dot_dot == DotDot::Refuse {
            return Err(ExpandError::Escape);
        }
        trace.note(Rule::Clamped);
        return Ok(());
    };
    let run = out[..last].iter().rposition(|&unit| unit != slash).map_or(0, |before| before + 1);
    trace.note(Rule::DotDot);
    out.truncate(run);
    Ok(())
}

pub(crate) fn join_base<U: Unit>(
    base: &[U],
    text: &[U],
    start: Start,
    joined: &mut Vec<U>,
    trace: &mut impl Trace,
) {
    let base_start = Start::of(base);
    let is_rooted = text.first().copied().is_some_and(is_separator);
    let is_share = base.len() >= 2 && is_separator(base[0]) && is_separator(base[1]);
    let used = match (start, base_start.drive()) {
        (Start::Share | Start::LocalDevice | Start::BareDevice, _) => 0,
        (Start::DriveRelative { letter }, Some(drive))
            if !is_same_letter(&text[..letter], &base[..drive - 1]) =>
        {
            0
        }
        (_, Some(drive)) if is_rooted => drive,
        (_, None) if is_rooted && is_share => share_length(base),
        (_, None) if is_rooted => 0,
        (Start::DriveRelative { letter }, None) => {
            joined.extend_from_slice(&text[..=letter]);
            base.len()
        }
        _ => base.len(),
    };
    trace.note(if used == 0 { Rule::BaseIgnored } else { Rule::Base });
    joined.extend_from_slice(&base[..used]);
}

pub(crate) fn join_path<U: Unit>(text: &[U], start: Start, joined: &mut Vec<U>) {
    let begin = match start {
        Start::DriveRelative { letter } if !joined.is_empty() => letter + 1,
        _ => 0,
    };
    push_separator(joined);
    joined.extend_from_slice(&text[begin..]);
    let is_drive = matches!(start, Start::DriveRelative { letter } if letter + 1 == text.len());
    if text.is_empty() || is_drive {
        joined.push(U::ascii(b'.'));
    }
}

pub(crate) fn join_home<U: Unit>(home: &mut Vec<U>, rest: &[U]) {
    push_separator(home);
    let rest = rest.get(1..).unwrap_or_default();
    home.extend_from_slice(rest);
    if rest.is_empty() {
        home.push(U::ascii(b'.'));
    }
}

fn push_separator<U: Unit>(path: &mut Vec<U>) {
    if path.last().is_some_and(|unit| !matches!(unit.to_ascii(), b'\\' | b'/' | b':')) {
        path.push(U::ascii(b'\\'));
    }
}

fn share_length<U: Unit>(base: &[U]) -> usize {
    let mut separators = (2..base.len()).filter(|&at| is_separator(base[at]));
    separators.nth(1).unwrap_or(base.len())
}

pub(crate) fn finish_windows<U: Unit>(out: &mut Vec<U>, trace: &mut impl Trace) {
    trim(out, trace);
    let backslash = U::ascii(b'\\');
    if out.contains(&backslash) {
        trace.note(Rule::Slashes);
    }
    for unit in out.iter_mut().filter(|unit| **unit == backslash) {
        *unit = U::ascii(b'/');
    }
}

/// Drops one trailing separator, one trailing dot, and the name of the default stream.
fn trim<U: Unit>(out: &mut Vec<U>, trace: &mut impl Trace) {
    let is = |unit: Option<&U>, wanted: u8| unit.is_some_and(|unit| unit.to_ascii() == wanted);
    let before = out.len().checked_sub(2).and_then(|at| out.get(at));
    let is_root = out.len() == 2 && before.copied().is_some_and(is_separator);
    if out.last().copied().is_some_and(is_separator) && !is(before, b':') && !is_root {
        trace.note(Rule::TrailingDropped);
        out.pop();
    }
    if is(out.last(), b'.') {
        out.pop();
    }
    let stream = b":$DATA";
    let Some(at) = out.len().checked_sub(stream.len()).filter(|&at| at > 0) else {
        return;
    };
    let mut letters = out[at..].iter().zip(stream);
    if !letters.all(|(unit, letter)| unit.to_ascii().eq_ignore_ascii_case(letter)) {
        return;
    }
    if is(out.get(at - 1), b':') {
        trace.note(Rule::DataStream);
        out.truncate(at - 1);
        return;
    }
    let name = out[1..at].iter().rposition(|&unit| is_separator(unit)).map_or(1, |last| last + 2);
    if out[name..at].iter().any(|unit| unit.to_ascii() == b':') {
        trace.note(Rule::DataStream);
        out.truncate(at);
    }
}
