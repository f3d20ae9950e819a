use super::page::picture;
use super::table::{Line, Table};
use super::{Report, calls, interval, operation};
use crate::named;
use crate::result::{Cell, Row};
use crate::scenario::SCENARIOS;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

const BEGIN: &str = "<!-- results: written by curt-bench --readme -->\n";
const END: &str = "<!-- results end -->\n";
const PICTURE: &str = "docs/results.svg";

pub(crate) fn check(path: &Path) -> io::Result<()> {
    with(path, "").map(drop)
}

fn with(path: &Path, table: &str) -> io::Result<String> {
    let text = std::fs::read_to_string(path).map_err(|error| named(path, &error))?;
    replaced(&text, table).ok_or_else(|| named(path, &"no lines that mark the results"))
}

pub(crate) fn update(report: &Report, path: &Path) -> io::Result<()> {
    let cells = shown(report);
    let new = with(path, &table(report, &cells))?;
    let directory = path.parent().unwrap_or(Path::new(""));
    std::fs::write(directory.join(PICTURE), picture(&cells))?;
    std::fs::write(path, new)
}

fn replaced(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

fn shown(report: &Report) -> Vec<&Cell> {
    let wanted = SCENARIOS.iter().filter(|one| one.quick.is_some_and(|quick| quick.in_readme));
    let cell = |name| {
        report.cells.iter().find(|cell| cell.scenario.name == name && cell.ratio().is_some())
    };
    wanted.filter_map(|scenario| cell(scenario.name)).collect()
}

fn table(report: &Report, cells: &[&Cell]) -> String {
    let titles = ["", "beside", "speed [95 %]", "system calls per entry: curt, the tool"];
    let mut table = Table::new(&titles);
    let mut places: Vec<&str> = Vec::new();
    for cell in cells {
        if cell.scenario.everywhere && !places.contains(&cell.place.as_str()) {
            places.push(&cell.place);
        }
        table.lines.push(Line::Cells(vec![
            format!("{} {}", operation(cell), cell.scenario.unit()),
            cell.usual().map_or("", Row::name).to_owned(),
            format!("{} ×", interval(cell.ratio())),
            format!("{}, {}", calls(cell.curt()), calls(cell.usual())),
        ]));
    }
    let mut out = table.markdown();
    let places = places.join(", ");
    let _ = writeln!(out, "\n![How many times as fast as the usual tool]({PICTURE})\n");
    let _ = writeln!(out, "{}, {};\n{places}.", report.date, report.machine);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join("docs")).unwrap();
        let readme = scratch.path().join("README.md");
        std::fs::write(&readme, "a\n").unwrap();
        assert!(check(&readme).is_err());
        std::fs::write(&readme, format!("a\n{BEGIN}old\n{END}b\n")).unwrap();
        let report = report(|scenario| scenario.quick.is_some());
        for _ in 0..2 {
            update(&report, &readme).unwrap();
            let text = std::fs::read_to_string(&readme).unwrap();
            assert!(text.starts_with(&format!("a\n{BEGIN}\n|  | beside |")), "{text}");
            assert!(text.ends_with(&format!("\n{END}b\n")) && !text.contains("old"));
            assert!(text.contains("remove node_modules, 10,300 entries | rm |"), "{text}");
            assert!(!text.contains("| stat |"), "only what the README shows");
        }
        let picture = std::fs::read_to_string(scratch.path().join(PICTURE)).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("remove"));
    }
}
