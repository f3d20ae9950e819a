//! Looking for characters eight bytes at once: most names end among them, and a loop's end that depends on a
//! name's length is guessed wrong each time.

/// The lowest and the highest bit of each byte, and all others but the highest.
const ONES: u64 = u64::MAX / 0xFF;
const HIGH: u64 = ONES << 7;
const LOW: u64 = !HIGH;

/// The highest bit of the first byte that is this one. What is above it may be wrong.
fn first(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    zero.wrapping_sub(ONES) & !zero & HIGH
}

/// The highest bit of each byte that is zero, and of no other.
fn zeros(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word) & HIGH
}

/// Where the first bit is that is set, in bytes.
fn bytes_before(bits: u64) -> usize {
    bits.trailing_zeros() as usize / 8
}

/// Where the first of these bytes is.
#[inline]
pub(super) fn position<const N: usize>(text: &[u8], wanted: [u8; N]) -> Option<usize> {
    let mut rest = text;
    while let Some((eight, behind)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let found = wanted.iter().fold(0, |found, &wanted| found | first(word, wanted));
        if found != 0 {
            return Some(text.len() - rest.len() + bytes_before(found));
        }
        rest = behind;
    }
    let last = rest.iter().position(|unit| wanted.contains(unit))?;
    Some(text.len() - rest.len() + last)
}

/// Where the last of these bytes is.
#[inline]
pub(super) fn rposition(text: &[u8], wanted: u8) -> Option<usize> {
    let mut rest = text;
    while let Some((before, eight)) = rest.split_last_chunk::<8>() {
        let found = zeros(u64::from_le_bytes(*eight) ^ (ONES * u64::from(wanted)));
        if found != 0 {
            return Some(before.len() + 7 - found.leading_zeros() as usize / 8);
        }
        rest = before;
    }
    rest.iter().rposition(|&byte| byte == wanted)
}

/// Where the first NUL behind `from` is, or the first slash that is followed by a slash, a dot or nothing; else
/// the length.
#[inline]
pub(super) fn row_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let (Some(eight), Some(next)) = (eight_at(text, at), eight_at(text, at + 1)) {
        let found = stops(eight, next);
        if found != 0 {
            return at + bytes_before(found);
        }
        at += 8;
    }
    let left = text.len() - at;
    if left == 0 {
        return at;
    }
    // At most eight: the last ones of the text, of which those are shifted out that were looked at before. The
    // slashes that come in behind them end the last name.
    let word = match text.split_last_chunk::<8>() {
        Some((_, last)) => u64::from_le_bytes(*last) >> (64 - 8 * left),
        None => text[at..].iter().rfold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let word = word | SLASHES << (8 * left - 8) << 8;
    let found = stops(word, word >> 8 | u64::from(b'/') << 56);
    if found == 0 { text.len() } else { at + bytes_before(found) }
}

/// Eight slashes.
const SLASHES: u64 = ONES * b'/' as u64;

/// The first eight bytes from there on.
#[inline]
fn eight_at(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk().copied().map(u64::from_le_bytes)
}

/// The highest bit of the first byte that is a NUL, or a slash before a slash or a dot.
#[inline]
fn stops(word: u64, next: u64) -> u64 {
    // A slash is a dot but for the lowest bit.
    let is_followed = zeros((next ^ SLASHES) & !ONES);
    (zeros(word ^ SLASHES) & is_followed) | first(word, 0)
}

#[cfg(test)]
mod tests {
    use super::{position, row_end, rposition};

    /// Every text of nine of these, and the same behind and before others.
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
    fn eight_at_once_find_what_one_by_one_does() {
        for text in texts() {
            let stops = |at: usize| {
                let next = text.get(at + 1).copied().unwrap_or(b'/');
                text[at] == 0 || (text[at] == b'/' && (next == b'/' || next == b'.'))
            };
            let end = (0..text.len()).find(|&at| stops(at)).unwrap_or(text.len());
            assert_eq!(row_end(&text, 0), end, "{text:?}");
            for from in (0..text.len()).filter(|&from| from <= end) {
                assert_eq!(row_end(&text, from), end, "{text:?} {from}");
            }
            let first = text.iter().position(|byte| b"/\0".contains(byte));
            assert_eq!(position(&text, *b"/\0"), first, "{text:?}");
            for wanted in LETTERS {
                let last = text.iter().rposition(|&byte| byte == wanted);
                assert_eq!(rposition(&text, wanted), last, "{text:?} {wanted}");
            }
        }
    }
}
