//! Words that may not appear in any tracked file: paths of one machine, and hosts that serve
//! packages (everybody's package manager knows its own). The needles are put together, so that
//! this file does not contain them.

use super::{File, Finding};

/// Where paths of somebody's machine start.
const FOLDERS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/fa", "rm"),
    concat!("/tmp", "/wt"),
    concat!("/tmp/tar", "get-"),
    concat!("/root", "/."),
];

/// The folder of people's own folders.
const HOMES: &str = concat!("/ho", "me/");

/// Made-up people, for examples.
const NOBODY: &[&str] = &["a", "alice", "b", "bob", "me", "u", "user", "you"];

/// Hosts of package registries and mirrors.
const HOSTS: &[&str] = &[
    concat!("deb.", "debian.org"),
    concat!("ftp.", "debian.org"),
    concat!("security.", "debian.org"),
    concat!("snapshot.", "debian.org"),
    concat!("archive.", "ubuntu.com"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi.", "org"),
    concat!("files.", "pythonhosted.org"),
    concat!("registry.", "npmjs.org"),
    concat!("proxy.", "golang.org"),
    concat!("sum.", "golang.org"),
    concat!("artifact", "registry"),
];

/// No paths of one machine.
pub(super) fn machine_paths(file: &File) -> Vec<Finding> {
    lines(file, "machine-path", |line| {
        let folder = FOLDERS.iter().find(|folder| starts_path(line, folder).next().is_some());
        let home = || {
            starts_path(line, HOMES).find_map(|rest| {
                let name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
                let end = rest.find(|letter| !name(letter)).unwrap_or(rest.len());
                let person = &rest[..end];
                (!person.is_empty() && !NOBODY.contains(&person))
                    .then(|| format!("{HOMES}{person}"))
            })
        };
        let path = folder.map(ToString::to_string).or_else(home)?;
        Some(format!("'{path}' is a path of one machine"))
    })
}

/// No hosts of registries or mirrors.
pub(super) fn hosts(file: &File) -> Vec<Finding> {
    lines(file, "host", |line| {
        let host = HOSTS.iter().find(|host| line.contains(*host))?;
        Some(format!("'{host}': name no registry or mirror host"))
    })
}

/// What follows `start` wherever it begins a path, not in the middle of one.
fn starts_path<'a>(line: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    let middle = |letter: char| letter.is_alphanumeric() || "._-~*})]>".contains(letter);
    line.match_indices(start)
        .filter(move |(at, _)| !line[..*at].ends_with(middle))
        .map(|(at, found)| &line[at + found.len()..])
}

/// The findings of a rule over single lines.
fn lines(file: &File, rule: &'static str, check: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let lines = (1..).zip(file.text.lines());
    lines
        .filter_map(|(line, text)| Some(Finding::problem(&file.path, line, rule, check(text)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> usize {
        machine_paths(&File::new("a.md", text)).len()
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in FOLDERS {
            assert_eq!(paths(&format!("see `{folder}x`\n")), 1, "{folder}");
        }
        assert_eq!(paths(&format!("{HOMES}karl/src\n\n{HOMES}bob\n{HOMES}")), 1);
    }

    #[test]
    fn parts_of_other_paths_are_fine() {
        assert_eq!(paths(concat!("target/wo", "rk/ ./wo", "rk/ ~/wo", "rk/ net", "wo", "rk/")), 0);
        assert_eq!(paths("/root /tmp/x"), 0);
    }

    #[test]
    fn hosts_are_found_and_the_name_of_the_registry_is_fine() {
        for host in HOSTS {
            let text = format!("x\nfrom https://{host}/x");
            assert_eq!(hosts(&File::new("a.yml", &text))[0].line, 2, "{host}");
        }
        assert_eq!(hosts(&File::new("a.md", "published on crates.io")), []);
    }
}
