//! Finds characters in text, many units at a time.
//!
//! [`any_window`] finds out *whether* certain neighbors occur. It looks at 16 units at a time
//! without a branch, so that compilers vectorize it. [`position`], [`rposition`] and [`run_end`]
//! find *where* a character is. They look at 8 bytes at a time in a 64-bit word, which is faster
//! than vectors on text as short as file names.

const BLOCK: usize = 16;

const LONGEST_WINDOW: usize = 4;

/// Returns whether `is_wanted` accepts any `W` consecutive units. The text is padded with `before`
/// in front, and with as many `behind` as the last window needs. `is_wanted` must not accept a
/// window of padding only.
#[inline]
pub(crate) fn any_window<U: Copy, const W: usize>(
    text: &[U],
    [before, behind]: [U; 2],
    is_wanted: impl Fn([U; W]) -> bool,
) -> bool {
    const { assert!(W >= 2 && W <= LONGEST_WINDOW) };
    let block = |text: &[U], at: usize| {
        let windows: [&[U]; W] = std::array::from_fn(|next| &text[at + next..][..BLOCK]);
        let mut wanted = false;
        for index in 0..BLOCK {
            wanted |= is_wanted(windows.map(|units| units[index]));
        }
        wanted
    };
    let length = text.len();
    let (Some(front), Some(back)) = (text.first_chunk::<BLOCK>(), text.last_chunk::<BLOCK>())
    else {
        let mut padded = [behind; BLOCK + LONGEST_WINDOW];
        padded[0] = before;
        padded[1..=length].copy_from_slice(text);
        return block(&padded, 0);
    };
    if length < 2 * BLOCK {
        let mut padded = [behind; 2 * BLOCK + LONGEST_WINDOW];
        padded[0] = before;
        padded[1..=BLOCK].copy_from_slice(front);
        padded[1 + length - BLOCK..=length].copy_from_slice(back);
        return block(&padded, 0) || block(&padded, BLOCK);
    }
    let mut first = [before; W];
    first[1..].copy_from_slice(&front[..W - 1]);
    if is_wanted(first) {
        return true;
    }
    // The last block overlaps the one before it, so that every block is full.
    let last = length - (W - 1) - BLOCK;
    for at in (0..length - BLOCK).step_by(BLOCK) {
        if block(text, at.min(last)) {
            return true;
        }
    }
    let mut padded = [behind; BLOCK + LONGEST_WINDOW];
    padded[..BLOCK].copy_from_slice(back);
    block(&padded, 0)
}

/// Masks of each byte's lowest bit, highest bit, and all but the highest.
const ONES: u64 = u64::MAX / 0xFF;
const HIGH: u64 = ONES << 7;
const LOW: u64 = !HIGH;
const SLASHES: u64 = ONES * b'/' as u64;

/// Sets the highest bit of the first byte equal to `byte`. The marks of later bytes can be wrong.
fn mark_first(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    zero.wrapping_sub(ONES) & !zero & HIGH
}

fn mark_zeros(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word) & HIGH
}

fn first_marked(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

#[inline]
pub(crate) fn position<const N: usize>(text: &[u8], wanted: [u8; N]) -> Option<usize> {
    let marks = |eight: [u8; 8]| {
        let word = u64::from_le_bytes(eight);
        wanted.iter().fold(0, |marks, &wanted| marks | mark_first(word, wanted))
    };
    let mut rest = text;
    while let Some((&eight, behind)) = rest.split_first_chunk::<8>() {
        let found = marks(eight);
        if found != 0 {
            return Some(text.len() - rest.len() + first_marked(found));
        }
        rest = behind;
    }
    let Some((before, &eight)) = text.split_last_chunk::<8>() else {
        return text.iter().position(|byte| wanted.contains(byte));
    };
    let found = marks(eight);
    (found != 0).then(|| before.len() + first_marked(found))
}

#[inline]
pub(crate) fn rposition(text: &[u8], wanted: u8) -> Option<usize> {
    let mut rest = text;
    while let Some((before, &eight)) = rest.split_last_chunk::<8>() {
        let found = mark_zeros(u64::from_le_bytes(eight) ^ (ONES * u64::from(wanted)));
        if found != 0 {
            return Some(before.len() + 7 - found.leading_zeros() as usize / 8);
        }
        rest = before;
    }
    rest.iter().rposition(|&byte| byte == wanted)
}

/// Returns the end of the run of plain POSIX names that begins at `from`: the index of the first
/// NUL, or of the first slash followed by a slash, a dot or the end.
#[inline]
pub(crate) fn run_end(text: &[u8], from: usize) -> usize {
    let word_at = |at: usize| text.get(at..)?.first_chunk().copied().map(u64::from_le_bytes);
    let mut at = from;
    while let (Some(word), Some(next)) = (word_at(at), word_at(at + 1)) {
        let found = mark_run_end(word, next);
        if found != 0 {
            return at + first_marked(found);
        }
        at += 8;
    }
    let left = text.len() - at;
    if left == 0 {
        return at;
    }
    // Take the last eight bytes of the text, shift out those already seen, and shift in slashes,
    // because the end counts as a slash.
    let word = match text.split_last_chunk::<8>() {
        Some((_, &last)) => u64::from_le_bytes(last) >> (64 - 8 * left),
        None => text[at..].iter().rfold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let word = word | SLASHES << (8 * left - 8) << 8;
    let found = mark_run_end(word, word >> 8 | u64::from(b'/') << 56);
    if found == 0 { text.len() } else { at + first_marked(found) }
}

/// Marks the first NUL in a word, or the first slash followed by a slash or a dot. `next` is the
/// word that begins one byte later.
#[inline]
fn mark_run_end(word: u64, next: u64) -> u64 {
    // A slash and a dot differ only in the lowest bit, so ignore it.
    let is_followed = mark_zeros((next ^ SLASHES) & !ONES);
    (mark_zeros(word ^ SLASHES) & is_followed) | mark_first(word, 0)
}

#[cfg(test)]
mod tests {
    use super::{any_window, position, rposition, run_end};
    use crate::unit::Internal;

    const LETTERS: [u8; 5] = *b"a./\0\xFF";

    fn texts() -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        let mut longest = all.clone();
        for _ in 0..5 {
            longest = longest
                .iter()
                .flat_map(|text| LETTERS.map(|letter| [&text[..], &[letter]].concat()))
                .collect();
            all.extend(longest.iter().cloned());
        }
        let padded = all.iter().flat_map(|text| {
            [5, 6, 7, 8, 13].map(|count| [&b"a".repeat(count)[..], text].concat())
        });
        let behind = all.iter().map(|text| [&text[..], b"/name/and/more"].concat());
        padded.chain(behind).chain(all.clone()).collect()
    }

    #[test]
    fn word_search_agrees_with_byte_search() {
        for text in texts() {
            let stops = |at: usize| {
                let next = text.get(at + 1).copied().unwrap_or(b'/');
                text[at] == 0 || (text[at] == b'/' && (next == b'/' || next == b'.'))
            };
            let end = (0..text.len()).find(|&at| stops(at)).unwrap_or(text.len());
            assert_eq!(run_end(&text, 0), end, "{text:?}");
            for from in (0..text.len()).filter(|&from| from <= end) {
                assert_eq!(run_end(&text, from), end, "{text:?} {from}");
            }
            let wide: Vec<u16> = text.iter().map(|&byte| byte.into()).collect();
            assert_eq!(u16::run_end(&wide, 0), end, "{text:?}");
            let first = text.iter().position(|byte| b"/\0".contains(byte));
            assert_eq!(position(&text, *b"/\0"), first, "{text:?}");
            for wanted in LETTERS {
                let last = text.iter().rposition(|&byte| byte == wanted);
                assert_eq!(rposition(&text, wanted), last, "{text:?} {wanted}");
            }
        }
    }

    #[test]
    fn any_window_finds_a_window_at_every_position() {
        fn seen<const W: usize>(text: &[u8]) -> bool {
            any_window(text, [b'.'; 2], |window: [u8; W]| {
                window[0] == b'x' && window[W - 1] == b'y'
            })
        }
        fn check<const W: usize>(text: &mut [u8], padded: [u8; W]) {
            for at in 0..text.len() {
                text[at] = b'x';
                assert!(!seen::<W>(text));
                if let Some(end) = text.get_mut(at + W - 1) {
                    *end = b'y';
                    assert!(seen::<W>(text), "{text:?}");
                    let wide: Vec<u16> = text.iter().map(|&unit| unit.into()).collect();
                    let (x, y) = (u16::from(b'x'), u16::from(b'y'));
                    assert!(any_window(&wide, [0; 2], |window: [u16; W]| window[0] == x
                        && window[W - 1] == y));
                }
                text.fill(b'a');
            }
            let first = text.first().copied().unwrap_or(b'.');
            assert!(any_window(text, [b'.'; 2], |window: [u8; W]| window[..2] == [b'.', first]));
            let last = |window: [u8; W]| window[0] == b'a' && window[1..] == padded[1..];
            assert_eq!(any_window(text, [b'.'; 2], last), !text.is_empty());
        }
        for length in 0..70 {
            let mut text = vec![b'a'; length];
            check(&mut text, [b'.'; 2]);
            check(&mut text, [b'.'; 3]);
            check(&mut text, [b'.'; 4]);
        }
    }
}
