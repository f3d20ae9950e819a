use maud::{Markup, html};
use std::fmt::Write as _;

#[derive(Debug)]
pub(crate) enum Line {
    Heading(String),
    Cells(Vec<String>),
}

#[derive(Debug)]
pub(crate) struct Table {
    titles: Vec<String>,
    pub(crate) lines: Vec<Line>,
}

impl Table {
    pub(crate) fn new(titles: &[&str]) -> Self {
        Self { titles: titles.iter().map(|&title| title.to_owned()).collect(), lines: Vec::new() }
    }

    fn rows(&self) -> impl Iterator<Item = &Vec<String>> {
        self.lines.iter().filter_map(|line| match line {
            Line::Cells(cells) => Some(cells),
            Line::Heading(_) => None,
        })
    }

    pub(crate) fn text(&self) -> String {
        let mut widths: Vec<usize> = self.titles.iter().map(|title| width(title)).collect();
        for row in self.rows() {
            for (known, cell) in widths.iter_mut().zip(row) {
                *known = (*known).max(width(cell));
            }
        }
        let mut out = String::new();
        let mut push = |cells: &[String]| {
            let mut line = String::new();
            for (column, (cell, wide)) in cells.iter().zip(&widths).enumerate() {
                let _ = match column {
                    0 => write!(line, "{cell:<wide$}"),
                    _ => write!(line, "  {cell:>wide$}"),
                };
            }
            let _ = writeln!(out, "{}", line.trim_end());
        };
        push(&self.titles);
        for line in &self.lines {
            match line {
                Line::Heading(text) => push(std::slice::from_ref(text)),
                Line::Cells(cells) => push(cells),
            }
        }
        out
    }

    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        let rule = vec!["---".to_owned(); self.titles.len()];
        for cells in [&self.titles, &rule].into_iter().chain(self.rows()) {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        out
    }

    pub(crate) fn html(&self) -> Markup {
        html! {
            div class="scroll" tabindex="0" {
                table {
                    thead { tr { @for title in &self.titles { th scope="col" { (title) } } } }
                    tbody { @for cells in self.rows() {
                        tr class=[cells[0].starts_with("curt").then_some("curt")] {
                            th scope="row" { (cells[0]) }
                            @for cell in &cells[1..] { td { (cell) } }
                        }
                    } }
                }
            }
        }
    }
}

/// Counts characters, because the dash of a range is three bytes, but one column.
fn width(text: &str) -> usize {
    text.chars().count()
}

pub(crate) fn time(seconds: f64) -> String {
    if seconds < 1e-4 {
        return format!("{} ns", digits(seconds * 1e9));
    }
    format!("{} ms", digits(seconds * 1e3))
}

pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => grouped(value.round() as u64),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.0995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

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

pub(crate) fn wrapped(text: &str, most: usize) -> String {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && width(&line) + 1 + width(word) > 98 {
            if lines.len() + 1 == most {
                line.push_str(" …");
                break;
            }
            lines.push(std::mem::replace(&mut line, " ".to_owned()));
        }
        let space = if line.is_empty() { "" } else { " " };
        let _ = write!(line, "{space}{word}");
    }
    lines.push(line);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["who", "x", "y"]);
        let strings = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect();
        table.lines.push(Line::Heading("here: 3 files".to_owned()));
        table.lines.push(Line::Cells(strings(&["longer name", "1.0–2.0", "1"])));
        table.lines.push(Line::Cells(strings(&["curt", "1", "a|b"])));
        table
    }

    #[test]
    fn one_table_has_three_forms() {
        let expected = "who                x    y
here: 3 files
longer name  1.0–2.0    1
curt               1  a|b
";
        assert_eq!(table().text(), expected);
        let expected = "| who | x | y |\n| --- | --- | --- |\n| longer name | 1.0–2.0 | 1 |\n\
                        | curt | 1 | a\\|b |\n";
        assert_eq!(table().markdown(), expected);
        let page = table().html().into_string();
        assert!(
            page.contains("<tr class=\"curt\"><th scope=\"row\">curt</th><td>1</td>"),
            "{page}"
        );
    }

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        let times = [1.2345, 0.012_34, 0.001_234, 25.26e-9].map(time);
        assert_eq!(times, ["1,235 ms", "12.3 ms", "1.23 ms", "25.3 ns"]);
        assert_eq!([198.0, 1.388, 0.002, 0.0].map(digits), ["198", "1.39", "0.002", "0.000"]);
    }

    #[test]
    fn long_text_is_wrapped_and_cut() {
        let text = "word ".repeat(60);
        let lines = wrapped(text.trim_end(), 9);
        assert!(lines.lines().all(|line| width(line) <= 100));
        assert_eq!(lines.split_whitespace().count(), 60);
        let cut = wrapped(text.trim_end(), 2);
        assert!(cut.lines().count() == 2 && cut.ends_with(" …"));
        assert!(cut.lines().all(|line| width(line) <= 100));
    }
}
