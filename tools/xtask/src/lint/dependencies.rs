//! Every dependency was decided, and the decision is written down: in the table of dependencies,
//! and not only among what was rejected.

use super::words::has_word;
use super::{File, Problem};

/// Where decisions are written down.
const DECISIONS: &str = "docs/adr/dependencies.md";

/// What our crates depend on, as Cargo says, has a row among the decisions if it is not ours.
pub(super) fn decided(files: &[File]) -> Vec<(String, Problem)> {
    let text = |path| files.iter().find(|file| file.path == path).map_or("", |file| &file.text);
    let rows: Vec<String> = text(DECISIONS).lines().filter_map(first_cell).collect();
    let lock = text("Cargo.lock");
    let (foreign, own): (Vec<&str>, Vec<&str>) =
        lock.split("[[package]]").skip(1).partition(|package| package.contains("\nsource = "));
    let is_foreign = |name: &str| {
        foreign.iter().any(|package| package.contains(&format!("\nname = \"{name}\"\n")))
    };
    let mut names: Vec<&str> = own
        .iter()
        .flat_map(|package| package.lines())
        .filter_map(|line| line.strip_prefix(" \"")?.split(['"', ' ']).next())
        .filter(|name| is_foreign(name))
        .filter(|name| !rows.iter().any(|row| has_word(row, &name.replace('-', "_"))))
        .collect();
    names.sort_unstable();
    names.dedup();
    let text = |name| format!("the dependency '{name}' is not explained in {DECISIONS}");
    names.into_iter().map(|name| ("Cargo.lock".to_owned(), (1, text(name)))).collect()
}

/// The first cell of a table's row. A hyphen is a part of crates' names, but not of words.
fn first_cell(line: &str) -> Option<String> {
    Some(line.strip_prefix('|')?.split('|').next()?.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"clap\"\nsource = \"registry\"\n\
        dependencies = [\n \"anstyle\",\n]\n\n[[package]]\nname = \"clap-mangen\"\n\
        source = \"registry\"\n\n[[package]]\nname = \"curt\"\ndependencies = [\n \"clap 4.6.0\",\n \
        \"clap-mangen\",\n \"curt-paths\",\n]\n\n[[package]]\nname = \"curt-paths\"\n";

    fn undecided(decisions: &str) -> Vec<String> {
        let files = [File::new("Cargo.lock", LOCK), File::new(DECISIONS, decisions)];
        let name = |text: &str| text.split('\'').nth(1).map(str::to_owned);
        decided(&files).iter().filter_map(|(_, (_, text))| name(text)).collect()
    }

    #[test]
    fn our_own_dependencies_need_a_row() {
        assert_eq!(undecided(""), ["clap", "clap-mangen"]);
        assert_eq!(undecided("| `clap_mangen` | pages, not `clap` |"), ["clap"]);
        assert_eq!(undecided("`clap`, `clap_mangen`: not used by us"), ["clap", "clap-mangen"]);
        assert_eq!(undecided("| `clap`, `clap-mangen` | options |"), [""; 0]);
    }
}
