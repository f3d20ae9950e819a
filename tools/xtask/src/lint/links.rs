//! Every link of a document leads somewhere: to a tracked file or folder, and to a heading that the
//! document has. Addresses on the network are not looked at.

use std::collections::HashSet;

use super::{File, Problem, places};

/// Relative links whose target is missing.
pub(super) fn dead(files: &[File]) -> Vec<(String, Problem)> {
    let known: HashSet<&str> = files.iter().flat_map(|file| with_folders(&file.path)).collect();
    let documents = files.iter().filter(|file| {
        places::has_ending(&file.path, "md") && !places::is_kept_as_written(&file.path)
    });
    let mut found = Vec::new();
    for file in documents {
        for (line, target) in targets(&file.text) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() { file.path.clone() } else { join(&file.path, path) };
            let document = files.iter().find(|other| other.path == path);
            let text = if !known.contains(path.as_str()) {
                format!("the link '{target}' leads to no tracked file")
            } else if !heading.is_empty()
                && document.is_some_and(|other| !headings(&other.text).any(|own| own == heading))
            {
                format!("the link '{target}' leads to no heading of {path}")
            } else {
                continue;
            };
            found.push((file.path.clone(), (line, text)));
        }
    }
    found
}

/// A path and all folders that it lies in.
fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(folder, _)| folder))
}

/// The relative targets of links in prose, each with its line.
fn targets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(line, text)| {
        text.split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', ' ']).next())
            .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
            .map(move |target| (line, target))
    })
}

/// The lines outside of blocks of code, counted from one.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// What links call the headings of a document.
fn headings(text: &str) -> impl Iterator<Item = String> + '_ {
    prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        let is_heading = title.len() < line.len() && title.starts_with(' ');
        let letters = title.trim().to_lowercase();
        let kept = letters.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        is_heading.then(|| kept.map(|c| if c == ' ' { '-' } else { c }).collect())
    })
}

/// The path that a link in the document `from` names.
fn join(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<usize> {
        let files = [
            File::new("docs/a.md", text),
            File::new("docs/adr/b.md", "# A title, with `code`\n"),
            File::new("README.md", ""),
        ];
        dead(&files).into_iter().map(|(_, (line, _))| line).collect()
    }

    #[test]
    fn links_to_files_folders_and_headings_are_found() {
        let fine = "[a](adr/b.md) [b](../README.md) [c](adr) [d](./adr/) [e](https://x.y/z)\n\
            # Top\n[f](#top) [g](adr/b.md#a-title-with-code)\n```\n[h](missing)\n```\n";
        assert_eq!(problems(fine), [0; 0]);
    }

    #[test]
    fn dead_links_are_problems() {
        assert_eq!(problems("\n[a](b.md)\n[b](adr/b.md#other) [c](#none)"), [2, 3, 3]);
    }
}
