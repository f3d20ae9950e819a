//! Leap seconds, which the system's times count where the zone is one of `right/`. jiff reads its
//! files, but ignores their leap seconds.

/// The leap seconds of a zone: when each one ends a count, and the count from then on. Most zones
/// have none.
#[derive(Default)]
pub(crate) struct LeapSeconds(Vec<(i64, i64)>);

impl LeapSeconds {
    /// Reads those of a file (RFC 9636) that jiff has accepted.
    pub(crate) fn of_file(file: &[u8]) -> LeapSeconds {
        LeapSeconds(records(file).unwrap_or_default())
    }

    /// Returns how many seconds to subtract from a time, and, if it is a leap second, by how much
    /// it is behind the second before: as the C library has it, which shows 23:59:60.
    pub(super) fn at(&self, second: i64) -> (i64, i64) {
        let Some(last) = self.0.iter().rposition(|&(start, _)| start <= second) else {
            return (0, 0);
        };
        let (start, total) = self.0[last];
        let before = last.checked_sub(1).map_or(0, |before| self.0[before].1);
        if second > start || total <= before {
            return (total, 0);
        }
        let consecutive = |pair: &&[(i64, i64)]| {
            let ((start, total), (next, next_total)) = (pair[0], pair[1]);
            next.checked_sub(start) == Some(1) && next_total - total == 1
        };
        let more: i64 = self.0[..=last].windows(2).rev().take_while(consecutive).map(|_| 1).sum();
        (total, 1 + more)
    }
}

/// Returns the records of leap seconds: times of 8 bytes, or of 4 in the first version, with a
/// count of 4.
fn records(file: &[u8]) -> Option<Vec<(i64, i64)>> {
    const HEADER: usize = 44;
    let block = |bytes: &[u8], width: usize| {
        let mut counts = [0; 6];
        for (count, bytes) in counts.iter_mut().zip(bytes.get(20..HEADER)?.chunks(4)) {
            *count = usize::try_from(number(bytes)).ok()?;
        }
        let [indicators, more_indicators, leaps, times, types, letters] = counts;
        let start = HEADER + times * (width + 1) + types * 6 + letters;
        let end = start + leaps * (width + 4);
        Some((start..end, end + indicators + more_indicators))
    };
    let (mut bytes, mut width) = (file, 4);
    if *file.get(4)? != 0 {
        // The data is there a second time, with longer times.
        bytes = file.get(block(file, width)?.1..)?;
        width = 8;
    }
    let records = bytes.get(block(bytes, width)?.0)?.chunks(width + 4);
    Some(records.map(|record| (number(&record[..width]), number(&record[width..]))).collect())
}

/// Returns a signed number, whose most significant byte is the first.
fn number(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|&first| first > 0x7f) { -1 } else { 0 };
    bytes.iter().fold(sign, |number, &byte| number << 8 | i64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::LeapSeconds;

    #[test]
    fn a_file_may_be_cut_or_changed_anywhere() {
        for version in [0, b'2'] {
            // A leap second and nothing else.
            let mut file = [&b"TZif"[..], &[version], &[0; 23], &[0, 0, 0, 1], &[0; 12]].concat();
            file.extend([&[0, 0, 0, 9][..], &[0, 0, 0, 1]].concat());
            if version != 0 {
                file.extend([&file.clone()[..44], &[0; 4], &[0, 0, 0, 9], &[0, 0, 0, 1]].concat());
            }
            let leaps = |file: &[u8]| LeapSeconds::of_file(file).at(9);
            assert_eq!(leaps(&file), (1, 1));
            for at in 0..file.len() {
                assert_eq!(leaps(&file[..at]), (0, 0), "{at}");
                for byte in [0, 1, 0x7f, 0xff] {
                    let mut changed = file.clone();
                    changed[at] = byte;
                    leaps(&changed);
                }
            }
        }
    }
}
