//! Charts: rows of size, name, bar and percentage, fitted to the terminal.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::out;
use crate::out::blocks::Blocks;
use crate::session::Session;
use crate::sys;

/// Width and height if there is no terminal.
const WIDTH: usize = 80;
const HEIGHT: usize = 24;
/// A shorter bar is too coarse; a longer one only takes space from names.
const SHORTEST_BAR: usize = 10;
const LONGEST_BAR: usize = 40;
/// Lines kept free for the command line and the next prompt.
const RESERVED_LINES: usize = 2;
/// The minimum width after the name: two gaps, bar and percentage.
const AFTER_NAME: usize = 2 + SHORTEST_BAR + SHARE;
const SHARE: usize = 5;

pub(super) struct Row {
    pub(super) lead: String,
    /// The name, without control characters.
    pub(super) name: String,
    pub(super) is_directory: bool,
    pub(super) number: u64,
}

pub(super) struct Style {
    pub(super) is_unicode: bool,
    pub(super) has_color: bool,
    width: usize,
}

impl Style {
    pub(super) fn new(session: &Session) -> Style {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let of_terminal = || if session.is_terminal() { sys::terminal_width() } else { None };
        let of_environment = || std::env::var("COLUMNS").ok()?.parse().ok();
        let width = of_terminal().or_else(of_environment).filter(|&width| width > 0);
        Style {
            is_unicode: !is_dumb && sys::has_utf8_locale(),
            has_color: out::is_colored(),
            width: width.unwrap_or(WIDTH),
        }
    }

    pub(super) fn draw(&self, rows: &[Row], whole: u64, blocks: &Blocks) -> String {
        let sizes: Vec<String> = rows.iter().map(|row| blocks.show(row.number)).collect();
        let size_width = sizes.iter().map(String::len).max().unwrap_or(0);
        let widest = rows.iter().map(|row| row.lead.width() + row.name.width()).max().unwrap_or(0);
        // Keep the last column free, because some terminals wrap after it.
        let space = self.width.saturating_sub(size_width + 2 + 1);
        let has_bar = space >= 2 * AFTER_NAME;
        let most = if has_bar { space - AFTER_NAME } else { space.saturating_sub(SHARE) };
        let name_width = widest.min(most).max(1);
        let bar_width = if has_bar { (space - name_width - 2 - SHARE).min(LONGEST_BAR) } else { 0 };
        let mut text = String::new();
        for (row, size) in rows.iter().zip(&sizes) {
            let label = self.fitted(&row.lead, &row.name, name_width);
            let blanks = " ".repeat(name_width.saturating_sub(label.width()));
            let (lead, name) = match label.strip_prefix(&row.lead) {
                Some(name) => (row.lead.as_str(), name),
                None => (label.as_str(), ""),
            };
            let name = self.colored(name, if row.is_directory { "01;34" } else { "" });
            let _ = write!(text, "{size:>size_width$}  {lead}{name}{blanks}");
            if has_bar {
                let bar = self.bar(row.number, whole, bar_width);
                let rest = " ".repeat(bar_width.saturating_sub(bar.width()));
                let _ = write!(text, "  {}{rest}", self.colored(&bar, "32"));
            }
            let _ = writeln!(text, " {:>3}%", share(row.number, whole, 100));
        }
        text
    }

    pub(super) fn ellipsis(&self) -> &'static str {
        if self.is_unicode { "…" } else { "..." }
    }

    /// Truncates a label to `width`. Keeps the last component of a path.
    fn fitted(&self, lead: &str, name: &str, width: usize) -> String {
        let label = format!("{lead}{name}");
        if label.width() <= width {
            return label;
        }
        let end = self.ellipsis();
        let last = name.rfind('/').map_or("", |at| &name[at..]);
        let last = if lead.width() + last.width() + 2 * end.width() < width { last } else { "" };
        let mut space = width.saturating_sub(end.width() + last.width());
        let fits = |character: &char| {
            let width = character.width().unwrap_or(0);
            let is_fitting = width <= space;
            space = space.saturating_sub(width);
            is_fitting
        };
        let cut: String = label.chars().take_while(fits).collect();
        cut + end + last
    }

    fn bar(&self, number: u64, whole: u64, columns: usize) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let columns = columns as u64;
        if !self.is_unicode {
            return "#".repeat(share(number, whole, columns) as usize);
        }
        let eighths = share(number, whole, 8 * columns) as usize;
        "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
    }

    fn colored(&self, text: &str, color: &str) -> String {
        if !self.has_color || text.is_empty() || color.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{color}m{text}\x1b[0m")
    }
}

pub(super) fn lines(session: &Session) -> usize {
    let height = if session.is_terminal() { sys::terminal_height() } else { None };
    height.unwrap_or(HEIGHT).saturating_sub(RESERVED_LINES).max(1)
}

/// Returns `number / whole` in units of 1/`parts`, rounded.
fn share(number: u64, whole: u64, parts: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    let (number, whole, parts) = (u128::from(number), u128::from(whole), u128::from(parts));
    u64::try_from((number * parts + whole / 2) / whole).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Row, Style};
    use crate::out::blocks::Blocks;

    fn row(lead: &str, name: &str, number: u64) -> Row {
        Row { lead: lead.into(), name: name.into(), is_directory: number == 1000, number }
    }

    fn draw(style: &Style, rows: &[Row]) -> Vec<String> {
        let drawn = style.draw(rows, 1000, &Blocks::BYTES);
        drawn.lines().map(str::to_owned).collect()
    }

    #[test]
    fn rows_fill_the_width() {
        let rows = [row("", "t", 1000), row("├── ", "half", 500), row("└── ", "é漢", 3)];
        let style = |is_unicode| Style { is_unicode, has_color: false, width: 46 };
        assert_eq!(
            draw(&style(true), &rows),
            [
                format!("1000  t         {} 100%", "█".repeat(24)),
                format!(" 500  ├── half  {}{}  50%", "█".repeat(12), " ".repeat(12)),
                format!("   3  └── é漢   ▏{}   0%", " ".repeat(23)),
            ]
        );
        let rows = [row("", "t", 1000), row("`-- ", "half", 500)];
        assert_eq!(
            draw(&style(false), &rows),
            [
                format!("1000  t         {} 100%", "#".repeat(24)),
                format!(" 500  `-- half  {}{}  50%", "#".repeat(12), " ".repeat(12)),
            ]
        );
    }

    #[test]
    fn long_names_are_cut_and_narrow_terminals_have_no_bars() {
        let rows = [row("", "t", 1000), row("", &"漢".repeat(40), 500)];
        for width in [80, 46, 30, 20] {
            for is_unicode in [true, false] {
                let style = Style { is_unicode, has_color: false, width };
                for line in draw(&style, &rows) {
                    let columns = unicode_width::UnicodeWidthStr::width(line.as_str());
                    assert_eq!(columns, width - 1, "{line}");
                }
                let end = if is_unicode { "漢…" } else { "漢..." };
                assert!(draw(&style, &rows)[1].contains(end));
            }
        }
        // Too narrow for any text, but must not panic.
        let style = Style { is_unicode: true, has_color: true, width: 1 };
        assert_eq!(draw(&style, &rows).len(), 2);
    }

    #[test]
    fn names_of_directories_and_bars_have_colors() {
        let style = Style { is_unicode: false, has_color: true, width: 46 };
        let rows = [row("", "t", 1000), row("`-- ", "f", 0)];
        let lines = draw(&style, &rows);
        assert!(lines[0].starts_with("1000  \x1b[01;34mt\x1b[0m"), "{lines:?}");
        assert!(lines[0].contains("\x1b[32m####"), "{lines:?}");
        assert!(!lines[1].contains('\x1b'), "{lines:?}");
    }
}
