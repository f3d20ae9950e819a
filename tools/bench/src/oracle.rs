//! What can be asked, the right answers, and whether what a program wrote is one.
//!
//! Programs write the same in many ways. So not the text is compared but what it says: the set of
//! names or paths, their sizes, or the total. What is right comes from the standard library, entry
//! by entry, and not from any contender.

use crate::roles::compute::{Work, fold, own_time};
use crate::tree::program_name;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{MAIN_SEPARATOR, Path};

/// What a run is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Nothing: the tree is to be gone.
    Gone,
    /// The names in one directory, one per line.
    Names,
    /// The same, each line ending with the name and holding the size before it.
    Long,
    /// The sizes of all files of one directory, whose names are given.
    Stats,
    /// All paths, one per line.
    Paths,
    /// The same, each after its size.
    Sizes,
    /// The KiB or the bytes allocated, as the first word.
    Total,
    /// The number of entries in a tree of which every file was opened many times.
    Opened,
    /// The paths of programs, of which the names are given, one per line.
    Found(LookUp),
    /// Full paths, one per line.
    Expanded,
    /// The sum of the lengths of the paths that were expanded, or that stay beneath a directory,
    /// and the time that one took: here contenders measure themselves, because it is less than the
    /// start of a program.
    Lengths(Work),
}

/// How programs are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LookUp {
    /// The entry of `PATH` that holds what is found, counted from 0.
    pub(crate) place: usize,
    /// How many extensions are tried, by Windows' rules; by Unix's none.
    pub(crate) extensions: usize,
    /// Whether one program is asked for again and again; then the tree is the same for every size.
    pub(crate) repeats: bool,
}

/// What `PATHEXT` holds on a new system. Programs have the second.
const EXTENSIONS: [&str; 11] =
    [".com", ".exe", ".bat", ".cmd", ".vbs", ".vbe", ".js", ".jse", ".wsf", ".wsh", ".msc"];

impl LookUp {
    /// The names that are asked for.
    pub(crate) fn names(self, size: u32) -> impl Iterator<Item = String> {
        (0..size).map(move |index| program_name(if self.repeats { 0 } else { index }))
    }

    /// What programs have behind their names.
    pub(crate) fn extension(self) -> &'static str {
        if self.extensions > 0 { EXTENSIONS[1] } else { "" }
    }

    /// `PATHEXT`.
    pub(crate) fn pathext(self) -> String {
        EXTENSIONS[..self.extensions].join(";")
    }
}

/// What is known of a tree.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    /// By path, relative to the root, which is left out.
    entries: HashMap<String, Known>,
    /// Bytes allocated, the root's included, where the system tells.
    allocated: Option<u64>,
    /// Files with several names: their device and number.
    linked: HashSet<(u64, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    size: u64,
    is_file: bool,
}

impl Truth {
    /// Asks the standard library.
    pub(crate) fn of(root: &Path) -> io::Result<Self> {
        let mut truth = Self { allocated: Some(0), ..Self::default() };
        truth.add(allocated(&root.symlink_metadata()?));
        truth.look(root, "")?;
        Ok(truth)
    }

    /// How many entries it has, its root left out.
    pub(crate) fn entries(&self) -> usize {
        self.entries.len()
    }

    fn look(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let metadata = entry.metadata()?;
            // A file with several names takes its blocks once.
            if names(&metadata).is_none_or(|name| self.linked.insert(name)) {
                self.add(allocated(&metadata));
            }
            if metadata.is_dir() {
                self.look(&entry.path(), &format!("{path}/"))?;
            }
            let known = Known { size: metadata.len(), is_file: metadata.is_file() };
            self.entries.insert(path, known);
        }
        Ok(())
    }

    fn add(&mut self, bytes: Option<u64>) {
        self.allocated = self.allocated.zip(bytes).map(|(sum, bytes)| sum + bytes);
    }

    /// Why `output` is not the answer to `question` about the tree at `root`, if it is not.
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
            Question::Gone => None,
            Question::Names | Question::Paths => {
                self.compare(lines.map(|line| (relative(line, &root), None)))
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
                wrong.filter(|_| number(&output, self.allocated).is_some())
            }
            Question::Opened => number(&output, Some(self.entries.len() as u64)),
            Question::Lengths(work) => number(&output, Some(work.lengths())).or_else(|| {
                let says_time = own_time(output.as_bytes()).is_some();
                (!says_time).then(|| "no time".to_owned())
            }),
            Question::Stats => self.compare(records(&output)),
            Question::Found(look) => {
                let folder = format!("{root}/{}", folder_in_path(look.place));
                let end = look.extension();
                same_lines(look.names(size).map(|name| format!("{folder}/{name}{end}")), lines)
            }
            Question::Expanded => {
                same_lines(paths_to_expand(size).map(|path| fold(&root, &path, false)), lines)
            }
        }
    }

    /// Each line says a path and, perhaps, words of which one is a file's size.
    fn compare<'a>(
        &self,
        said: impl Iterator<Item = (String, Option<Vec<&'a str>>)>,
    ) -> Option<String> {
        let mut missing: HashMap<&str, Known> =
            self.entries.iter().map(|(path, known)| (path.as_str(), *known)).collect();
        let (mut strange, mut wrong) = (Vec::new(), None);
        // The directory itself, and what every directory holds, may be listed or not.
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

/// The name of the directory that is this entry of `PATH`.
pub(crate) fn folder_in_path(place: usize) -> String {
    format!("package-{place:05}")
}

/// Paths that have to be made full: half of them absolute, all with dots.
pub(crate) fn paths_to_expand(count: u32) -> impl Iterator<Item = String> {
    (0..count).map(|index| match index % 2 {
        0 => format!("/usr/./lib/../share/doc/package-{index}/./ruby/../examples/main.rb"),
        _ => format!("lib/net/../http/./response-{index}.rb"),
    })
}

/// Why the lines are not the expected ones, if they are not.
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

/// Names and sizes, in the form `SIZE NAME` or as fields with a line for each.
fn records(output: &str) -> impl Iterator<Item = (String, Option<Vec<&str>>)> {
    let mut name = None;
    output.lines().filter_map(move |line| {
        if let Some(path) = line.strip_prefix("path: ") {
            name = Some(path.to_owned());
            return None;
        }
        if let Some(size) = line.strip_prefix("size: ") {
            return Some((name.take()?, Some(vec![size])));
        }
        let (size, path) = line.split_once(' ')?;
        Some((path.to_owned(), Some(vec![size])))
    })
}

/// Why the first word is not the number, if it is not. A number that is not known may be any. `B`
/// may follow, and color may come before it.
fn number(output: &str, wanted: Option<u64>) -> Option<String> {
    let colored = output.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m'));
    let output = colored.map_or(output, |(_, rest)| rest);
    let word = output.split_whitespace().next().unwrap_or_default();
    match (word.strip_suffix('B').unwrap_or(word).parse::<u64>(), wanted) {
        (Err(_), _) => Some(format!("no number but '{word}'")),
        (Ok(said), Some(wanted)) if said != wanted => Some(format!("{said} instead of {wanted}")),
        _ => None,
    }
}

/// A path without the root's, in the form of Unix.
fn relative(line: &str, root: &str) -> String {
    let path = line.strip_prefix(root).unwrap_or(line).replace(MAIN_SEPARATOR, "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    path.trim_matches('/').to_owned()
}

/// The bytes that an entry takes, where the system tells.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "not every system tells")]
pub(crate) fn allocated(metadata: &std::fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    Some(metadata.blocks() * 512)
}

/// What tells a file with several names from others: its device and number.
#[cfg(unix)]
fn names(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.nlink() > 1 && !metadata.is_dir()).then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn names(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(not(unix))]
pub(crate) fn allocated(_: &std::fs::Metadata) -> Option<u64> {
    None
}

#[cfg(test)]
#[path = "oracle_tests.rs"]
mod tests;
