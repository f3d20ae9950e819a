//! In which order paths come: by the bytes of their names, one name after the other.

use std::cmp::Ordering;

use super::report::UsageRecord;

/// The rank of what ends a name, among those of the bytes of names.
const SEPARATOR: u16 = 1;

/// The part of a path that lies below an operand of this many bytes.
pub(super) fn below(path: &[u8], operand: usize) -> &[u8] {
    let rest = path.get(operand..).unwrap_or_default();
    let begin = rest.iter().take_while(|&&byte| is_separator(byte)).count();
    &rest[begin..]
}

/// Paths below one operand, a directory before what lies in it.
pub(super) fn outer_first(a: &[u8], b: &[u8]) -> Ordering {
    compare(a, b, 0)
}

/// Records, operand by operand, a directory after what lies in it.
pub(super) fn inner_first(a: &UsageRecord, b: &UsageRecord) -> Ordering {
    // An operand may end with a separator, so that its path does not tell that it comes last.
    let outside = |record: &UsageRecord| (record.operand, record.depth == 0);
    outside(a).cmp(&outside(b)).then_with(|| {
        let [a, b] = [a, b].map(|record| record.path.as_os_str().as_encoded_bytes());
        compare(a, b, SEPARATOR + 1)
    })
}

/// Compares paths such that separators come before every byte of a name, and an end has this rank.
fn compare(a: &[u8], b: &[u8], end: u16) -> Ordering {
    let shorter = a.len().min(b.len());
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(shorter);
    let rank = |path: &[u8]| match path.get(at) {
        None => end,
        Some(&byte) if is_separator(byte) => SEPARATOR,
        Some(&byte) => u16::from(byte) + 3,
    };
    rank(a).cmp(&rank(b))
}

fn is_separator(byte: u8) -> bool {
    std::path::is_separator(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::{below, inner_first, outer_first};
    use crate::fields::Kind;
    use crate::usage::{Sizes, UsageRecord};

    #[test]
    fn paths_come_name_by_name() {
        let outer = ["", "a", "a/b", "a/b/c", "a/c", "a.b", "ab", "b"];
        let mut sorted: Vec<&[u8]> = outer.iter().rev().map(|path| path.as_bytes()).collect();
        sorted.sort_by(|a, b| outer_first(a, b));
        assert_eq!(sorted, outer.map(str::as_bytes));
        let inner = ["/a/b/c", "/a/b", "/a/c", "/a", "/a.b", "/ab", "/b", "/"];
        let record = |&path: &&str| UsageRecord {
            path: path.into(),
            operand: 0,
            depth: if path == "/" { 0 } else { path.matches('/').count() },
            kind: Kind::Directory,
            sizes: Sizes::default(),
        };
        let mut sorted: Vec<UsageRecord> = inner.iter().rev().map(record).collect();
        sorted.sort_by(inner_first);
        let sorted: Vec<&str> = sorted.iter().map(|record| record.path.to_str().unwrap()).collect();
        assert_eq!(sorted, inner);
    }

    #[test]
    fn paths_are_cut_behind_the_operand() {
        assert_eq!(below(b"a//b/c", 2), b"b/c");
        assert_eq!(below(b"/b", 1), b"b");
        assert_eq!(below(b"a", 1), b"");
    }
}
