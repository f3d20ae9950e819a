//! No line of Rust is longer than a screen is wide. rustfmt breaks code alone, and leaves it as it
//! is around texts; comments are looked at here, but for the rows of their tables.

use super::{File, Problem, places};

/// The most columns of a line.
const COLUMNS: usize = 100;

/// Where longer lines are no problem yet.
const NOT_YET: &[&str] = &[
    "crates/curt/src/remove/",
    "crates/curt/src/sys/",
    "crates/curt/src/tree/",
    "crates/curt/src/walk/",
];

fn is_switched_on(path: &str) -> bool {
    !NOT_YET.iter().any(|folder| path.starts_with(folder))
}

/// Lines that are too long, though they could be broken.
pub(super) fn width(file: &File) -> Vec<Problem> {
    if is_switched_on(&file.path) { too_long(file) } else { Vec::new() }
}

/// The number of lines that are too long where that is no problem yet.
pub(super) fn not_yet(files: &[File]) -> usize {
    files.iter().filter(|file| !is_switched_on(&file.path)).map(|file| too_long(file).len()).sum()
}

fn too_long(file: &File) -> Vec<Problem> {
    if !places::has_ending(&file.path, "rs") {
        return Vec::new();
    }
    file.lines(|line| {
        let columns = line.chars().count();
        let text = line.trim_start();
        let is_comment = text.starts_with("//");
        let is_row = is_comment && text.trim_start_matches(['/', '!', ' ']).starts_with('|');
        let is_text = !is_comment && text.contains('"');
        (columns > COLUMNS && !is_row && !is_text)
            .then(|| format!("{columns} columns, more than {COLUMNS}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_found() {
        let line = |path: &str, columns| width(&File::new(path, &"ä".repeat(columns))).len();
        assert_eq!(line("a.rs", 100), 0);
        assert_eq!(line("a.rs", 101), 1);
        assert_eq!(line("a.md", 101), 0);
        assert_eq!(line("crates/curt/src/sys/mod.rs", 101), 0);
    }

    #[test]
    fn rows_and_text_cannot_be_broken() {
        let lines =
            |line: &str| width(&File::new("a.rs", &line.replace('…', &"x".repeat(99)))).len();
        assert_eq!(lines("    //! a …"), 1);
        assert_eq!(lines("//! | … | a |\nlet a = \"…\";"), 0);
        assert_eq!(lines("// \"…\""), 1);
    }
}
