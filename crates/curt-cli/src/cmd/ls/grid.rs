//! Tables with as many columns as fit on a line, laid out as GNU ls does.

/// The minimum width of a column: one character and the gap.
const LEAST: usize = 3;
const GAP: usize = 2;

#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) line: usize,
    /// Fills rows first (`-x`).
    pub(super) across: bool,
    /// The distance of tab stops; 0 for spaces.
    pub(super) tab: usize,
    pub(super) end: u8,
}

/// Returns cells of these widths, separated by `separator` and a space or, where the next cell does
/// not fit, a line end. `add(index, column, out)` appends a cell that starts in `column`.
pub(super) fn separate(
    cells: &[usize],
    separator: u8,
    layout: Layout,
    mut add: impl FnMut(usize, usize, &mut Vec<u8>),
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for (index, width) in cells.iter().enumerate() {
        if index > 0 {
            out.push(separator);
            if layout.line == 0 || at + width + GAP < layout.line {
                out.push(b' ');
                at += GAP;
            } else {
                out.push(layout.end);
                at = 0;
            }
        }
        add(index, at, &mut out);
        at += width;
    }
    if !cells.is_empty() {
        out.push(layout.end);
    }
    out
}

/// Returns a table of cells with these widths; `add` is as for [`separate`].
pub(super) fn lay_out(
    cells: &[usize],
    layout: Layout,
    mut add: impl FnMut(usize, usize, &mut Vec<u8>),
) -> Vec<u8> {
    let Layout { line, across, tab, end } = layout;
    if line == 0 || cells.is_empty() {
        return separate(cells, b' ', layout, add);
    }
    let mut out = Vec::new();
    let columns = columns(cells, line, across);
    let rows = cells.len().div_ceil(columns.len());
    for row in 0..rows {
        let mut at = 0;
        for (column, &width) in columns.iter().enumerate() {
            let index = if across { row * columns.len() + column } else { column * rows + row };
            let Some(cell) = cells.get(index) else { break };
            add(index, at, &mut out);
            let next = if across { index + 1 } else { index + rows };
            let is_last = column + 1 == columns.len() || next >= cells.len();
            if !is_last {
                fill(&mut out, at + cell, at + width, tab);
                at += width;
            }
        }
        out.push(end);
    }
    out
}

/// Returns the widths, including gaps, of as many columns as fit.
fn columns(cells: &[usize], line: usize, across: bool) -> Vec<usize> {
    let most = line.div_ceil(LEAST).clamp(1, cells.len());
    for count in (2..=most).rev() {
        let rows = cells.len().div_ceil(count);
        let mut widths = vec![LEAST; count];
        for (index, cell) in cells.iter().enumerate() {
            let column = if across { index % count } else { index / rows };
            let gap = if column + 1 == count { 0 } else { GAP };
            widths[column] = widths[column].max(cell + gap);
        }
        // As in GNU ls, columns of minimum width always fit.
        let are_least = widths.iter().all(|&width| width == LEAST);
        if are_least || widths.iter().sum::<usize>() < line {
            return widths;
        }
    }
    vec![LEAST]
}

fn fill(out: &mut Vec<u8>, mut from: usize, to: usize, tab: usize) {
    while from < to {
        if tab > 0 && to / tab > (from + 1) / tab {
            out.push(b'\t');
            from += tab - from % tab;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}
