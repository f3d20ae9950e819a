//! Every dependency was decided, and the decision is written down.

use super::unfinished::has_word;
use super::{File, Finding};

/// Where decisions are written down.
const DECISIONS: &str = "docs/decisions.md";

/// Each of the workspace's dependencies that is not our own is named in the decisions.
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

/// Whether the line names this crate, and not one whose longer name contains it.
fn names_crate(line: &str, name: &str) -> bool {
    // A hyphen is a part of crates' names, but not of words.
    let (line, name) = (line.replace('-', "_"), name.replace('-', "_"));
    has_word(&line, &name)
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
        assert_eq!(findings("`clap_mangen` makes pages"), [6]);
    }

    #[test]
    fn dependencies_with_a_decision_are_fine() {
        assert_eq!(findings("- **clap**, clap-mangen: options"), [0; 0]);
    }
}
