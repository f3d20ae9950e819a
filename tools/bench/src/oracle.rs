//! The right answers, from the standard library. Output formats differ, so only sets of names or
//! paths, sizes, or totals are compared.

use crate::tree::{folder_in_path, program_name};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::{MAIN_SEPARATOR, Path};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Gone,
    Copied {
        is_linked: bool,
    },
    Paths,
    Files,
    Sizes,
    /// Lines that contain a size and end with a name.
    Long,
    Total,
    Opened,
    Found(usize),
    Expanded,
    Said(&'static str),
}

#[derive(Debug, Default)]
pub(crate) struct Truth {
    entries: HashMap<String, Known>,
    allocated: Option<u64>,
    /// The total if each directory took 4 KiB, as gdu assumes.
    even: Option<u64>,
    linked: HashSet<(u64, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    size: u64,
    is_file: bool,
}

impl Truth {
    pub(crate) fn of(root: &Path) -> io::Result<Self> {
        let mut truth = Self { allocated: Some(0), even: Some(0), ..Self::default() };
        truth.add(&root.symlink_metadata()?);
        truth.look(root, "")?;
        Ok(truth)
    }

    pub(crate) fn entries(&self) -> usize {
        self.entries.len()
    }

    fn look(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let metadata = entry.metadata()?;
            if names(&metadata).is_none_or(|name| self.linked.insert(name)) {
                self.add(&metadata);
            }
            if metadata.is_dir() {
                self.look(&entry.path(), &format!("{path}/"))?;
            }
            let known = Known { size: metadata.len(), is_file: metadata.is_file() };
            self.entries.insert(path, known);
        }
        Ok(())
    }

    fn add(&mut self, metadata: &std::fs::Metadata) {
        let bytes = allocated(metadata);
        let even = bytes.map(|bytes| if metadata.is_dir() { 4096 } else { bytes });
        self.allocated = self.allocated.zip(bytes).map(|(sum, bytes)| sum + bytes);
        self.even = self.even.zip(even).map(|(sum, bytes)| sum + bytes);
    }

    pub(crate) fn refute(
        &self,
        question: Question,
        size: u32,
        root: &Path,
        output: &[u8],
    ) -> Option<String> {
        let output = String::from_utf8_lossy(output);
        let root = root.to_string_lossy();
        let lines = output.lines();
        match question {
            Question::Gone | Question::Copied { .. } => None,
            Question::Paths => self.compare(lines.map(|line| (relative(line, &root), None))),
            Question::Files => {
                let files = self.entries.iter().filter(|(_, known)| known.is_file);
                let entries = files.map(|(path, known)| (path.clone(), *known)).collect();
                let files = Self { entries, ..Self::default() };
                files.compare(lines.map(|line| (relative(line, &root), None)))
            }
            Question::Sizes => self.compare(lines.map(|line| {
                let (size, path) = line.trim_start().split_once(' ').unwrap_or(("", line));
                (relative(path, &root), Some(vec![size]))
            })),
            Question::Long => {
                let lines = lines.filter(|line| !line.starts_with("total "));
                self.compare(lines.map(|line| {
                    let line = [" -> ", " ⇒ "]
                        .iter()
                        .find_map(|arrow| line.split_once(arrow))
                        .map_or(line, |(before, _)| before);
                    let mut words: Vec<&str> = line.split_whitespace().collect();
                    let name = words.pop().unwrap_or_default();
                    (relative(name, &root), Some(words))
                }))
            }
            Question::Total => {
                let kibibytes = self.allocated.map(|bytes| bytes.div_ceil(1024));
                let wrong = number(&output, kibibytes);
                let others = [self.allocated, self.even];
                wrong.filter(|_| others.iter().all(|bytes| number(&output, *bytes).is_some()))
            }
            Question::Opened => number(&output, Some(self.entries.len() as u64)),
            Question::Found(place) => {
                let folder = format!("{root}/{}", folder_in_path(place));
                let file = |index| format!("{folder}/{}", program_name(index));
                same_lines((0..size).map(file), lines)
            }
            Question::Said(line) => same_lines([line.replace("{tree}", &root)].into_iter(), lines),
            Question::Expanded => {
                same_lines(paths_to_expand(size).map(|path| full(&root, &path)), lines)
            }
        }
    }

    /// If a line comes with words, one of them must be the file's size.
    fn compare<'a>(
        &self,
        said: impl Iterator<Item = (String, Option<Vec<&'a str>>)>,
    ) -> Option<String> {
        let mut missing: HashMap<&str, Known> =
            self.entries.iter().map(|(path, known)| (path.as_str(), *known)).collect();
        let (mut strange, mut wrong) = (Vec::new(), None);
        for (path, words) in said.filter(|(path, _)| !["", ".", ".."].contains(&path.as_str())) {
            let Some(known) = missing.remove(path.as_str()) else {
                strange.push(path);
                continue;
            };
            let size = known.size.to_string();
            let told =
                words.is_none_or(|words| words.iter().any(|word| word.replace(',', "") == size));
            if known.is_file && !told {
                wrong = Some(path);
            }
        }
        let first = missing.keys().min();
        match (first, strange.first(), wrong) {
            (Some(path), _, _) => Some(format!("{} missing, such as {path}", missing.len())),
            (_, Some(path), _) => Some(format!("{} too many, such as {path}", strange.len())),
            (_, _, Some(path)) => Some(format!("another size for {path}")),
            (None, None, None) => None,
        }
    }
}

/// Compares names, kinds and sizes. In a copy of hard links, all files must be the tree's own.
pub(crate) fn refute_copy(tree: &Path, copy: &Path, is_linked: bool) -> Option<String> {
    let name = copy.file_name().unwrap_or_default().to_string_lossy();
    let (Ok(from), Ok(to)) = (tree.symlink_metadata(), copy.symlink_metadata()) else {
        return Some(format!("no {name}"));
    };
    let is_same = names(&to).is_some() && names(&from) == names(&to);
    let is_right = from.file_type() == to.file_type()
        && (from.is_dir() || from.len() == to.len() && (is_same == is_linked || cfg!(windows)));
    if !is_right {
        return Some(format!("another {name}"));
    }
    let below = |folder: &Path| -> io::Result<BTreeSet<OsString>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
    };
    let lists = from.is_dir().then(|| (below(tree), below(copy)));
    match lists? {
        (Ok(names), Ok(copied)) if names == copied => {
            names.iter().find_map(|name| refute_copy(&tree.join(name), &copy.join(name), is_linked))
        }
        _ => Some(format!("other names in {name}")),
    }
}

fn full(base: &str, path: &str) -> String {
    let text = if path.starts_with('/') { path.to_owned() } else { format!("{base}/{path}") };
    let mut names: Vec<&str> = Vec::new();
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

pub(crate) fn paths_to_expand(count: u32) -> impl Iterator<Item = String> {
    (0..count).map(|index| match index % 2 {
        0 => format!("/usr/./lib/../share/doc/package-{index}/./ruby/../examples/main.rb"),
        _ => format!("lib/net/../http/./response-{index}.rb"),
    })
}

fn same_lines<'a>(
    mut expected: impl Iterator<Item = String>,
    mut lines: impl Iterator<Item = &'a str>,
) -> Option<String> {
    loop {
        match (expected.next(), lines.next()) {
            (None, None) => return None,
            (Some(line), Some(found)) if line == found.replace(MAIN_SEPARATOR, "/") => {}
            (line, found) => {
                let [line, found] = [line.as_deref(), found].map(|text| text.unwrap_or("nothing"));
                return Some(format!("{found} instead of {line}"));
            }
        }
    }
}

fn number(output: &str, wanted: Option<u64>) -> Option<String> {
    let word = output.split_whitespace().next().unwrap_or_default();
    match (word.strip_suffix('B').unwrap_or(word).parse::<u64>(), wanted) {
        (Err(_), _) => Some(format!("no number but '{word}'")),
        (Ok(said), Some(wanted)) if said != wanted => Some(format!("{said} instead of {wanted}")),
        _ => None,
    }
}

fn relative(line: &str, root: &str) -> String {
    let path = line.strip_prefix(root).unwrap_or(line).replace(MAIN_SEPARATOR, "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    path.trim_matches('/').to_owned()
}

#[allow(clippy::unnecessary_wraps, reason = "not every system tells")]
pub(crate) fn allocated(metadata: &std::fs::Metadata) -> Option<u64> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::MetadataExt::blocks(metadata) * 512);
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

fn names(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.nlink() > 1 && !metadata.is_dir()).then(|| (metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(size: u64, is_file: bool) -> Known {
        Known { size, is_file }
    }

    fn truth() -> Truth {
        let entries = [("a", known(7, true)), ("b", known(40, false)), ("b/c", known(1234, true))];
        let entries = entries.map(|(path, known)| (path.to_owned(), known));
        let (allocated, even) = (Some(5_000), Some(9_000));
        Truth { entries: entries.into(), allocated, even, ..Truth::default() }
    }

    fn refute(question: Question, output: &str) -> Option<String> {
        truth().refute(question, 2, Path::new("/x/tree"), output.as_bytes())
    }

    #[test]
    fn paths_in_any_order_and_form() {
        for right in [
            "/x/tree\n/x/tree/a\n/x/tree/b\n/x/tree/b/c\n",
            "/x/tree/b/c\n/x/tree/b/\n/x/tree/a",
            ".\n./a\n./b\n./b/c\n",
            &format!("a\nb\nb{MAIN_SEPARATOR}c\n"),
        ] {
            assert_eq!(refute(Question::Paths, right), None, "{right}");
        }
        let wrong = |output| refute(Question::Paths, output).unwrap();
        assert_eq!(wrong(""), "3 missing, such as a");
        assert_eq!(wrong("a\nb\n"), "1 missing, such as b/c");
        assert_eq!(wrong("a\nb\nb/c\nb/c\n"), "1 too many, such as b/c");
        assert_eq!(wrong("a\nb\nb/c\nd\n"), "1 too many, such as d");
    }

    #[test]
    fn files_are_neither_directories_nor_missing() {
        assert_eq!(refute(Question::Files, "a\nb/c\n"), None);
        let wrong = |output| refute(Question::Files, output).unwrap();
        assert_eq!(wrong("a\nb\nb/c\n"), "1 too many, such as b");
        assert_eq!(wrong("a\n"), "1 missing, such as b/c");
    }

    #[test]
    fn sizes_of_files_must_be_right() {
        assert_eq!(refute(Question::Sizes, "4096 /x/tree\n7 a\n40 b\n1234 b/c\n"), None);
        assert_eq!(refute(Question::Sizes, "7 a\n0 b\n1234 b/c\n"), None);
        let wrong = refute(Question::Sizes, "7 a\n40 b\n123 b/c\n").unwrap();
        assert_eq!(wrong, "another size for b/c");
    }

    #[test]
    fn long_lines_end_with_the_name() {
        let entries = [("a", known(7, true)), ("l", known(3, false)), ("big", known(1234, true))];
        let entries = entries.map(|(path, known)| (path.to_owned(), known));
        let truth = Truth { entries: entries.into(), allocated: None, ..Truth::default() };
        let refute =
            |output: &str| truth.refute(Question::Long, 2, Path::new("/x"), output.as_bytes());
        let right = "total 8\n-rw-r--r-- 1 root root 7 Nov 21 05:00 a\n\
            lrwxrwxrwx 1 root root 3 Nov 21 05:00 l -> gone\n-rw-r--r-- 1 root root 1,234 now big\n";
        assert_eq!(refute(right), None);
        assert_eq!(refute("7 a\n1234 big\nlink l ⇒ gone\n"), None);
        assert_eq!(refute(&right.replace(" 7 ", " 8 ")), Some("another size for a".to_owned()));
    }

    #[test]
    fn totals_and_counts() {
        assert_eq!(refute(Question::Total, "5\t/x/tree\n"), None);
        assert_eq!(refute(Question::Total, "5000\n"), None);
        assert_eq!(refute(Question::Total, "5000B tree\n"), None);
        assert_eq!(refute(Question::Total, "  9000 tree\n"), None);
        assert_eq!(refute(Question::Total, "4\n"), Some("4 instead of 5".to_owned()));
        assert_eq!(refute(Question::Total, ""), Some("no number but ''".to_owned()));
        assert_eq!(refute(Question::Opened, "3\n"), None);
        assert_eq!(refute(Question::Opened, "2\n"), Some("2 instead of 3".to_owned()));
        let unknown = Truth::default().refute(Question::Total, 2, Path::new("/x"), b"9\n");
        assert_eq!(unknown, None);
    }

    #[test]
    fn the_truth_is_what_is_there() {
        let sandbox = crate::sandbox::Sandbox::create(&std::env::temp_dir()).unwrap();
        let truth = Truth::of(&sandbox.canary()).unwrap();
        let output = "file\nbelow\nbelow/file\n";
        assert_eq!(truth.refute(Question::Paths, 2, &sandbox.canary(), output.as_bytes()), None);
        let sizes = "6 file\n0 below\n5 below/file\n";
        assert_eq!(truth.refute(Question::Sizes, 2, &sandbox.canary(), sizes.as_bytes()), None);
    }

    #[test]
    fn found_programs_and_expanded_paths_come_in_order() {
        let found = "/x/tree/package-00196/hello\n/x/tree/package-00196/hello-1\n";
        assert_eq!(refute(Question::Found(196), found), None);
        assert!(refute(Question::Found(196), "/x/tree/package-00196/hello\n").is_some());
        let said = Question::Said("{tree}/hello");
        assert_eq!(refute(said, "/x/tree/hello\n"), None);
        assert!(refute(said, "/x/tree/hello\n/x/tree/hello\n").is_some());
        let full = "/usr/share/doc/package-0/examples/main.rb\n/x/tree/lib/http/response-1.rb\n";
        assert_eq!(refute(Question::Expanded, full), None);
        assert_eq!(
            refute(Question::Expanded, &full.replace("-1.rb", "-2.rb")),
            Some(
                "/x/tree/lib/http/response-2.rb instead of /x/tree/lib/http/response-1.rb"
                    .to_owned()
            )
        );
    }
}
