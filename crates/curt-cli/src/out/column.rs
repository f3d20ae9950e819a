//! Numbers in columns, written without allocations, because long listings are mostly numbers.

const CELL: usize = 24;

pub(crate) fn width(number: impl Into<u128>) -> usize {
    let number = number.into();
    // Counting digits is faster in 64 bits.
    let log = match u64::try_from(number) {
        Ok(number) => number.checked_ilog10(),
        Err(_) => number.checked_ilog10(),
    };
    log.map_or(1, |log| log as usize + 1)
}

/// Adds a right-aligned number, or `?` if it is unknown. Does not pad if `column` is 0.
pub(crate) fn add(number: Option<impl Into<u128>>, column: usize, line: &mut Vec<u8>) {
    let Some(number) = number.map(Into::into) else {
        return add_text("?", column, line);
    };
    let Ok(mut rest) = u64::try_from(number) else {
        return add_text(&number.to_string(), column, line);
    };
    let mut cell = [b' '; CELL];
    let mut begin = CELL;
    loop {
        begin -= 1;
        cell[begin] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if column > CELL {
        line.resize(line.len() + column - CELL, b' ');
    }
    line.extend_from_slice(&cell[begin.min(CELL.saturating_sub(column))..]);
}

pub(crate) fn add_text(text: &str, column: usize, line: &mut Vec<u8>) {
    line.resize(line.len() + column.saturating_sub(text.len()), b' ');
    line.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{add, width};

    #[test]
    fn numbers_are_right_aligned() {
        for number in [0, 7, 10, 99, 100, 12_345, u64::MAX] {
            let mut line = b"|".to_vec();
            add(Some(number), 22, &mut line);
            assert_eq!(line, format!("|{number:>22}").into_bytes());
            line.truncate(1);
            add(Some(number), 70, &mut line);
            assert_eq!(line, format!("|{number:>70}").into_bytes());
            assert_eq!(width(number), number.to_string().len());
            line.clear();
            add(Some(number), 0, &mut line);
            assert_eq!(line, number.to_string().into_bytes());
        }
        let mut line = Vec::new();
        add(Some(u128::MAX), 0, &mut line);
        add(None::<u64>, 3, &mut line);
        assert_eq!(line, format!("{}  ?", u128::MAX).into_bytes());
    }
}
