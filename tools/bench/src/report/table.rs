//! A table with headings in between, as aligned text and as Markdown.

use std::fmt::Write as _;

/// A line of a table.
#[derive(Debug)]
pub(crate) enum Line {
    /// Text across the whole width, above the lines it belongs to.
    Heading(String),
    /// One text for each column.
    Cells(Vec<String>),
}

/// A table: the first and the last column hold words, those between hold numbers.
#[derive(Debug)]
pub(crate) struct Table {
    titles: Vec<String>,
    /// What is below the titles.
    pub(crate) lines: Vec<Line>,
}

impl Table {
    /// An empty table with these columns.
    pub(crate) fn new(titles: &[&str]) -> Self {
        Self { titles: titles.iter().map(|&title| title.to_owned()).collect(), lines: Vec::new() }
    }

    fn rows(&self) -> impl Iterator<Item = &Vec<String>> {
        self.lines.iter().filter_map(|line| match line {
            Line::Cells(cells) => Some(cells),
            Line::Heading(_) => None,
        })
    }

    /// Aligned columns for a terminal or a log.
    pub(crate) fn text(&self) -> String {
        let mut widths: Vec<usize> = self.titles.iter().map(|title| width(title)).collect();
        for row in self.rows() {
            for (known, cell) in widths.iter_mut().zip(row) {
                *known = (*known).max(width(cell));
            }
        }
        let mut out = String::new();
        push_row(&mut out, &self.titles, &widths);
        for line in &self.lines {
            match line {
                Line::Heading(text) => {
                    let _ = writeln!(out, "{text}");
                }
                Line::Cells(cells) => push_row(&mut out, cells, &widths),
            }
        }
        out
    }

    /// A Markdown table below each heading.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            match line {
                Line::Heading(text) => {
                    let space = if out.is_empty() { "" } else { "\n" };
                    let _ = writeln!(out, "{space}### {text}\n");
                    push_markdown(&mut out, &self.titles);
                    let last = self.titles.len() - 1;
                    let rule = (0..=last).map(|column| match column {
                        _ if column == 0 || column == last => "---".to_owned(),
                        _ => "---:".to_owned(),
                    });
                    push_markdown(&mut out, &rule.collect::<Vec<_>>());
                }
                Line::Cells(cells) => push_markdown(&mut out, cells),
            }
        }
        out
    }
}

/// Characters, not bytes: the dash of a range is one column wide.
fn width(text: &str) -> usize {
    text.chars().count()
}

fn push_row(out: &mut String, cells: &[String], widths: &[usize]) {
    let last = cells.len() - 1;
    for (column, (cell, &wide)) in cells.iter().zip(widths).enumerate() {
        let _ = match column {
            0 => write!(out, "  {cell:<wide$}"),
            _ if column == last => write!(out, "  {cell}"),
            _ => write!(out, "  {cell:>wide$}"),
        };
    }
    out.push('\n');
}

fn push_markdown(out: &mut String, cells: &[String]) {
    for cell in cells {
        let _ = write!(out, "| {} ", cell.replace('|', "\\|"));
    }
    out.push_str("|\n");
}

/// Seconds as milliseconds, or as nanoseconds where there are few; with as many digits as mean
/// something.
pub(crate) fn milliseconds(seconds: f64) -> String {
    let value = seconds * 1_000.0;
    match value {
        _ if value > 0.0 && value < 0.000_1 => format!("{:.1} ns", value * 1e6),
        _ if value > 0.0 && value < 0.1 => format!("{} ns", grouped((value * 1e6).round() as u64)),
        _ if value < 10.0 => format!("{value:.2} ms"),
        _ if value < 1_000.0 => format!("{value:.1} ms"),
        _ => format!("{} ms", grouped(value.round() as u64)),
    }
}

/// A number with commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|&cell| cell.to_owned()).collect()
    }

    fn table() -> Table {
        let mut table = Table::new(&["who", "x", "same"]);
        table.lines.push(Line::Heading("here: 3 files".to_owned()));
        table.lines.push(Line::Cells(strings(&["longer name", "1.0–2.0", "yes"])));
        table.lines.push(Line::Cells(strings(&["b", "1", "NO: a|b"])));
        table
    }

    #[test]
    fn columns_line_up() {
        let expected = "  who                x  same
here: 3 files
  longer name  1.0–2.0  yes
  b                  1  NO: a|b
";
        assert_eq!(table().text(), expected);
    }

    #[test]
    fn markdown_has_a_table_for_each_heading() {
        let expected = "\
### here: 3 files

| who | x | same |
| --- | ---: | --- |
| longer name | 1.0–2.0 | yes |
| b | 1 | NO: a\\|b |
";
        assert_eq!(table().markdown(), expected);
    }

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.001_234, 0.012_34, 1.2345].map(milliseconds),
            ["1.23 ms", "12.3 ms", "1,235 ms"]
        );
        assert_eq!([0.0, 25.26e-9, 1.234e-6].map(milliseconds), ["0.00 ms", "25.3 ns", "1,234 ns"]);
    }
}
