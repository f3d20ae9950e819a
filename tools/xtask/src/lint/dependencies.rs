//! Every dependency was decided, and the decision is written down: in the table of dependencies, and
//! not only among what was rejected.

use super::unfinished::has_word;
use super::{File, Finding, places};

/// Where decisions are written down.
const DECISIONS: &str = "docs/decisions.md";

/// Each of the workspace's dependencies that is not our own has a row among the decisions.
pub(super) fn decided(files: &[File]) -> Vec<Finding> {
    let text = |path| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let decisions = text(DECISIONS).unwrap_or_default();
    let names = foreign(text("Cargo.toml").unwrap_or_default());
    names
        .filter(|(_, name)| !decisions.lines().any(|line| names_crate(line, name)))
        .map(|(line, name)| {
            let text = format!("the dependency '{name}' is not explained in {DECISIONS}");
            Finding::problem("Cargo.toml", line, "dependencies", text)
        })
        .collect()
}

/// The names in `[workspace.dependencies]` with their lines, without those that have a path.
fn foreign(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    (1..).zip(manifest.lines()).filter_map(move |(number, line)| {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        }
        let (name, value) = line.split_once('=').filter(|_| inside && !line.starts_with('#'))?;
        let own = value.split(['{', ',']).any(|field| {
            field
                .trim_start()
                .strip_prefix("path")
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        });
        (!own).then(|| (number, name.trim().trim_matches('"')))
    })
}

/// Dependencies of one crate alone, which no decision would be asked for.
pub(super) fn shared(file: &File) -> Vec<Finding> {
    if !file.path.ends_with("/Cargo.toml") || places::is_excluded(&file.path) {
        return Vec::new();
    }
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
            continue;
        }
        let name = line.split(['=', '.']).next().unwrap_or_default().trim();
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
        if inside && is_name && line.contains('=') && !line.contains("workspace = true") {
            let text = format!("'{name}' belongs into the workspace's dependencies");
            found.push(Finding::problem(&file.path, number, "dependencies", text));
        }
    }
    found
}

/// Whether the line is the row of this crate, and not of one whose longer name contains it.
fn names_crate(line: &str, name: &str) -> bool {
    let Some(crates) = line.strip_prefix('|').and_then(|row| row.split('|').next()) else {
        return false;
    };
    // A hyphen is a part of crates' names, but not of words.
    has_word(&crates.replace('-', "_"), &name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[workspace]\na = 1\n[workspace.dependencies]\n# b = 2\n\
        curt = { path = \"crates/curt\", version = \"0.1.0\" }\n\
        clap = { version = \"4\", features = [\"derive\"] }\nclap_mangen = \"0.3\"\n[profile.x]\nc = 3";

    fn findings(decisions: &str) -> Vec<usize> {
        let files = [File::new("Cargo.toml", MANIFEST), File::new(DECISIONS, decisions)];
        decided(&files).iter().map(|found| found.line).collect()
    }

    #[test]
    fn dependencies_without_a_decision_are_found() {
        assert_eq!(findings(""), [6, 7]);
        assert_eq!(findings("| `clap_mangen` | pages |"), [6]);
        assert_eq!(findings("| `clap_mangen` | pages, not `clap` |"), [6]);
    }

    #[test]
    fn what_was_rejected_is_no_decision_for_it() {
        assert_eq!(findings("`clap`, `clap_mangen`: not used by us"), [6, 7]);
    }

    #[test]
    fn dependencies_of_one_crate_are_found() {
        let lines = |text| {
            let found = shared(&File::new("crates/curt/Cargo.toml", text));
            found.iter().map(|found| found.line).collect::<Vec<_>>()
        };
        assert_eq!(
            lines("[dependencies]\nrayon = \"1\"\n[target.'x'.dependencies]\nnix.version = \"1\""),
            [2, 4]
        );
        let right = "[features]\na = []\n[dev-dependencies]\na = { workspace = true }\nb.workspace = true\n\
            c = { workspace = true, features = [\n    \"d\",\n] }\n[[bin]]\nname = \"x\"";
        assert_eq!(lines(right), [0; 0]);
    }

    #[test]
    fn dependencies_with_a_decision_are_fine() {
        assert_eq!(findings("| `clap`, `clap-mangen` | options |"), [0; 0]);
    }
}
