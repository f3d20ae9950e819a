//! Columns: as many as fit into a line, as GNU ls lays them out.

/// The least room for a name and the two blanks behind it.
const LEAST: usize = 3;
/// Blanks between columns.
const GAP: usize = 2;
const TAB: usize = 8;

/// A name with what stands before it, and how many columns of the terminal it takes.
pub(super) struct Cell {
    pub(super) bytes: Vec<u8>,
    pub(super) width: usize,
}

/// How a table is laid out.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// How wide a line may be; 0 is no limit.
    pub(super) line: usize,
    /// Names run across the lines, not down the columns.
    pub(super) across: bool,
    /// Columns may be reached by tabs.
    pub(super) tabs: bool,
    /// What ends a line.
    pub(super) end: u8,
}

/// The lines of a table.
pub(super) fn lay_out(cells: &[Cell], layout: Layout) -> Vec<u8> {
    let Layout { line, across, tabs, end } = layout;
    let mut out = Vec::new();
    if cells.is_empty() {
        return out;
    }
    if line == 0 {
        for (index, cell) in cells.iter().enumerate() {
            out.extend(if index > 0 { &b"  "[..] } else { b"" });
            out.extend(&cell.bytes);
        }
        out.push(end);
        return out;
    }
    let columns = columns(cells, line, across);
    let rows = cells.len().div_ceil(columns.len());
    for row in 0..rows {
        let mut at = 0;
        for (column, &width) in columns.iter().enumerate() {
            let index = if across { row * columns.len() + column } else { column * rows + row };
            let Some(cell) = cells.get(index) else { break };
            out.extend(&cell.bytes);
            let next = if across { index + 1 } else { index + rows };
            let is_last = column + 1 == columns.len() || next >= cells.len();
            if !is_last {
                fill(&mut out, at + cell.width, at + width, tabs);
                at += width;
            }
        }
        out.push(end);
    }
    out
}

/// The widths of the columns, with the blanks behind them, for as many columns as fit.
fn columns(cells: &[Cell], line: usize, across: bool) -> Vec<usize> {
    let most = line.div_ceil(LEAST).clamp(1, cells.len());
    for count in (2..=most).rev() {
        let rows = cells.len().div_ceil(count);
        let mut widths = vec![LEAST; count];
        for (index, cell) in cells.iter().enumerate() {
            let column = if across { index % count } else { index / rows };
            let gap = if column + 1 == count { 0 } else { GAP };
            widths[column] = widths[column].max(cell.width + gap);
        }
        if widths.iter().sum::<usize>() < line {
            return widths;
        }
    }
    vec![LEAST]
}

/// Moves from one column of the terminal to another one, by tabs where these are shorter.
fn fill(out: &mut Vec<u8>, mut from: usize, to: usize, tabs: bool) {
    while from < to {
        if tabs && to / TAB > (from + 1) / TAB {
            out.push(b'\t');
            from += TAB - from % TAB;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Layout, lay_out};

    fn shown(names: &[&str], line: usize, across: bool) -> String {
        let cell = |name: &&str| Cell { bytes: name.as_bytes().to_vec(), width: name.len() };
        let cells: Vec<Cell> = names.iter().map(cell).collect();
        let layout = Layout { line, across, tabs: true, end: b'\n' };
        String::from_utf8(lay_out(&cells, layout)).unwrap()
    }

    #[test]
    fn columns_are_filled_downwards_or_across() {
        let names = ["d", "dang", "f", "ld", "loop"];
        assert_eq!(shown(&names, 80, false), "d  dang  f  ld\tloop\n");
        assert_eq!(shown(&names, 20, true), "d     dang  f  ld\nloop\n");
        assert_eq!(shown(&names, 5, false), "d\ndang\nf\nld\nloop\n");
        assert_eq!(shown(&names, 0, false), "d  dang  f  ld  loop\n");
        assert_eq!(shown(&[], 80, false), "");
    }
}
