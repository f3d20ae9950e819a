//! No line of Rust or of a document is longer than 100 columns, unless it cannot be broken: rows of
//! tables, text in code, and lines without a space.

use super::{File, Problem, places};

/// The most columns of a line.
const COLUMNS: usize = 100;

/// Lines that are too long, though they could be broken.
pub(super) fn width(file: &File) -> Vec<Problem> {
    if places::has_ending(&file.path, "rs") {
        file.lines(|line| {
            let text = line.trim_start();
            let is_comment = text.starts_with("//");
            let prose = text.trim_start_matches(['/', '!', ' ']);
            let is_text = !is_comment && text.contains('"');
            if is_text || !may_be_broken(prose) { None } else { too_long(line) }
        })
    } else if places::has_ending(&file.path, "md") && !places::is_kept_as_written(&file.path) {
        let mut is_code = false;
        let lines = (1..).zip(file.text.lines());
        let lines = lines.filter(|(_, line)| {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            !is_code && !is_fence && may_be_broken(line)
        });
        lines.filter_map(|(at, line)| Some((at, too_long(line)?))).collect()
    } else {
        Vec::new()
    }
}

fn too_long(line: &str) -> Option<String> {
    let columns = line.chars().count();
    (columns > COLUMNS).then(|| format!("{columns} columns, more than {COLUMNS}"))
}

/// Rows of tables, headings and single words stay in one line.
fn may_be_broken(prose: &str) -> bool {
    !prose.starts_with(['|', '#']) && prose.trim().contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> usize {
        width(&File::new(path, text)).len()
    }

    #[test]
    fn long_lines_are_found() {
        for (path, start) in [("a.rs", "// a "), ("a.rs", "a "), ("a.md", "a "), ("a.md", "- a ")] {
            let line = |columns: usize| start.to_owned() + &"ä".repeat(columns - start.len());
            assert_eq!(problems(path, &line(100)), 0, "{path} {start}");
            assert_eq!(problems(path, &line(101)), 1, "{path} {start}");
        }
    }

    #[test]
    fn what_cannot_be_broken_is_fine() {
        let long = "x".repeat(120);
        for line in [format!("//! | a | {long} |"), format!("let a = \"b {long}\";"), long.clone()]
        {
            assert_eq!(problems("a.rs", &line), 0, "{line}");
        }
        for line in
            [format!("| a | {long} |"), format!("# A {long}"), format!("```\na {long}\n```")]
        {
            assert_eq!(problems("a.md", &line), 0, "{line}");
        }
        assert_eq!(problems("docs/lab/2026-01-a.md", &format!("a {long}")), 0);
    }
}
