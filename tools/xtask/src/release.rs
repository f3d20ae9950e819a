//! Names what must change before a release: placeholders, and sentences that it makes false.

use crate::host::{Failure, Outcome};
use crate::lint;
use crate::say;

/// In documents and messages, in any case and across lines.
const OUTDATED: [&str; 8] = [
    "published yet",
    "once it is published",
    "released yet",
    "crates.io yet",
    "npm yet",
    "pypi yet",
    "rubygems.org yet",
    "until they are published",
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("release-check takes no arguments"));
    }
    let files =
        lint::files(&["Cargo.toml", "*.md", "*.js", "tools/dist/build.sh", ".github/workflows/*"])?;
    let problems = problems(&files, env!("CARGO_PKG_VERSION"));
    problems.iter().for_each(say::out);
    match problems.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!("{count} reasons not to release"))),
    }
}

fn problems(files: &[(String, String)], version: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in files {
        let set = |start: &str| text.contains(&format!("\nrepository = \"https://{start}"));
        if path == "Cargo.toml" && (!set("") || set("example.org/")) {
            problems.push(format!("{path}: `repository` is not set"));
        }
        if path == "CHANGELOG.md" && !text.lines().any(|line| is_dated(line, version)) {
            problems.push(format!("{path}: no line '## [{version}] - YYYY-MM-DD'"));
        }
        if path == "tools/dist/build.sh" && text.contains("@example.org") {
            problems.push(format!("{path}: the maintainer's address is not set"));
        }
        if [".md", ".js"].iter().any(|end| path.strip_suffix(end).is_some()) {
            let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
            let found = OUTDATED.iter().filter(|phrase| text.contains(**phrase));
            problems
                .extend(found.map(|phrase| format!("{path}: a release makes '{phrase}' false")));
        }
        if path.starts_with(".github/workflows/") {
            let actions = text.lines().filter_map(|line| Some(line.split_once("uses: ")?.1));
            let unpinned = actions.filter(|action| !is_pinned(action));
            problems.extend(unpinned.map(|action| format!("{path}: {action} is not pinned")));
        }
    }
    problems
}

fn is_dated(line: &str, version: &str) -> bool {
    let date = line.strip_prefix(&format!("## [{version}] - "));
    date.is_some_and(|date| date.replace(|c: char| c.is_ascii_digit(), "0") == "0000-00-00")
}

/// By the hash of a commit, with the version as a comment.
fn is_pinned(action: &str) -> bool {
    let commit = action.split_once('@').and_then(|(_, rest)| rest.split_once(" # v"));
    commit.is_some_and(|(hash, _)| {
        hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: [(&str, &str); 5]) -> Vec<String> {
        problems(&files.map(|(path, text)| (path.to_owned(), text.to_owned())), "1.2.3")
    }

    #[test]
    fn a_release_needs_url_date_true_documents_and_pinned_actions() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(
            of([
                ("Cargo.toml", "[workspace.package]\nrepository = \"https://example.org/curt\"\n"),
                ("CHANGELOG.md", "## [Unreleased]\n\n## [1.2.3]\n\n## [1.2.2] - 2027-01-02\n"),
                ("docs/a.md", "Nothing is published\nyet. It is not on PyPI yet.\n"),
                ("tools/dist/build.sh", "who=curt@example.org"),
                (".github/workflows/a.yml", &format!("- uses: a/b@v1\n  uses: a/c@{hash}\n")),
            ]),
            [
                "Cargo.toml: `repository` is not set",
                "CHANGELOG.md: no line '## [1.2.3] - YYYY-MM-DD'",
                "docs/a.md: a release makes 'published yet' false",
                "docs/a.md: a release makes 'pypi yet' false",
                "tools/dist/build.sh: the maintainer's address is not set",
                ".github/workflows/a.yml: a/b@v1 is not pinned",
                &format!(".github/workflows/a.yml: a/c@{hash} is not pinned"),
            ]
        );
        assert_eq!(
            of([
                ("Cargo.toml", "[workspace.package]\nrepository = \"https://example.com/curt\"\n"),
                ("CHANGELOG.md", "## [Unreleased]\n\n## [1.2.3] - 2027-01-03\n"),
                ("docs/a.md", "The entry is not removed yet.\n"),
                ("tools/dist/build.sh", "who=curt@example.com"),
                (".github/workflows/a.yml", &format!("- uses: a/b@{hash} # v1.0.0\n")),
            ]),
            [""; 0]
        );
    }
}
