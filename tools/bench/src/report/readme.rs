//! The table of results in the README and its picture, written from a run.

use super::html::picture;
use super::table::grouped;
use super::{Report, calls, interval};
use crate::named;
use crate::result::Cell;
use crate::scenarios;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// The table is between these lines.
const BEGIN: &str = "<!-- results: written by curt-bench --readme -->\n";
const END: &str = "<!-- results end -->\n";
/// The picture, from the README's directory.
const PICTURE: &str = "docs/results.svg";

/// Whether the README at `path` has the lines that mark the results.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    with(path, "").map(drop)
}

fn with(path: &Path, table: &str) -> io::Result<String> {
    let text = std::fs::read_to_string(path).map_err(|error| named(path, &error))?;
    replaced(&text, table).ok_or_else(|| named(path, &"no lines that mark the results"))
}

/// Replaces the table in the README at `path`, and the picture that it shows.
pub(crate) fn update(report: &Report, path: &Path) -> io::Result<()> {
    let new = with(path, &table(report))?;
    let directory = path.parent().unwrap_or(Path::new(""));
    std::fs::write(directory.join(PICTURE), picture(report))?;
    std::fs::write(path, new)
}

/// The text with another table between the marks, if it has them.
fn replaced(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

/// A row for each operation that was timed, on the first place that timed it.
fn table(report: &Report) -> String {
    let mut out = String::from(
        "| | the usual tool | speed of curt [95 %] | calls for one: curt, the tool |\n|---|---|---|---|\n",
    );
    let mut places: Vec<&str> = Vec::new();
    for scenario in scenarios::all() {
        let is_timed = |cell: &&Cell| cell.scenario.name == scenario.name && cell.ratio().is_some();
        let Some(cell) = report.cells.iter().find(is_timed) else { continue };
        if cell.scenario.everywhere && !places.contains(&cell.place.as_str()) {
            places.push(&cell.place);
        }
        let units = grouped(cell.scenario.units(cell.size));
        let _ = writeln!(
            out,
            "| {}, {units} {} | {} | {} × | {}, {} |",
            cell.scenario.title,
            cell.scenario.unit(),
            cell.usual().map_or("", |row| row.found.contender.name),
            interval(cell.ratio()),
            calls(cell.curt()),
            calls(cell.usual()),
        );
    }
    let _ = writeln!(
        out,
        "\n![How many times as fast as the usual tool]({PICTURE})\n\n{}, {};\n{}; noise {}.",
        report.date,
        report.machine,
        places.join(", "),
        report.noise(),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let text = format!("a\n{BEGIN}old\n{END}b\n");
        let new = replaced(&text, "| new |").unwrap();
        assert_eq!(new, format!("a\n{BEGIN}\n| new |\n{END}b\n"));
        assert_eq!(replaced(&new, "| new |").as_deref(), Some(new.as_str()));
        assert_eq!(replaced("a\nb\n", "| new |"), None);
    }
}
