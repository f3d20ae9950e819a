//! Words that may not appear in any tracked file: reminders of unfinished work, paths of one
//! machine, and hosts that serve packages (everybody's package manager knows its own). The needles
//! are put together, so that this file does not contain them.

use super::{File, Problem, places};

/// Words that mark work left undone.
const REMINDERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];

/// The endings of files that are looked at for them: what is not prose.
const SCRIPTS: &[&str] = &["c", "go", "h", "js", "py", "rs", "sh", "toml", "yml", "zig"];

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

/// No reminders.
pub(super) fn reminders(file: &File) -> Vec<Problem> {
    if !SCRIPTS.iter().any(|ending| places::has_ending(&file.path, ending)) {
        return Vec::new();
    }
    file.lines(|line| {
        let word = REMINDERS.iter().find(|word| has_word(line, word))?;
        Some(format!("'{word}': finish it, or open an issue"))
    })
}

/// No paths of one machine.
pub(super) fn machine_paths(file: &File) -> Vec<Problem> {
    file.lines(|line| {
        let folder = FOLDERS.iter().find(|folder| starts_path(line, folder).next().is_some());
        let home = || {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            let people =
                starts_path(line, HOMES).filter_map(|rest| rest.split(|c| !is_name(c)).next());
            let person =
                people.into_iter().find(|name| !name.is_empty() && !NOBODY.contains(name))?;
            Some(format!("{HOMES}{person}"))
        };
        let path = folder.map(ToString::to_string).or_else(home)?;
        Some(format!("'{path}' is a path of one machine"))
    })
}

/// No hosts of registries or mirrors.
pub(super) fn hosts(file: &File) -> Vec<Problem> {
    file.lines(|line| {
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

/// Whether the text holds this word, not as a part of a longer one.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let part = |letter: char| letter == '_' || letter.is_alphanumeric();
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reminders_are_found_and_words_that_look_alike_are_fine() {
        let lines = |path, text: &str| reminders(&File::new(path, text)).len();
        let reminder = format!("# {}: later", REMINDERS[0]);
        assert_eq!(lines("a.py", &reminder), 1);
        assert_eq!(lines("a.rs", &reminder.replace('#', "//")), 1);
        assert_eq!(lines("a.rs", &format!("// mktemp {0}{0}", REMINDERS[2])), 0);
        assert_eq!(lines("a.md", &reminder), 0);
    }

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
            assert_eq!(hosts(&File::new("a.yml", &text))[0].0, 2, "{host}");
        }
        assert_eq!(hosts(&File::new("a.md", "published on crates.io")), []);
    }
}
