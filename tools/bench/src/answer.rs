//! The right answers about a tree, and whether what a program wrote is one.
//!
//! Programs write the same in many ways. So not the text is compared but what it says: the set of
//! names or paths, their sizes, or the total. What is right comes from the standard library, entry
//! by entry, and not from any contender.

use std::collections::HashMap;
use std::io;
use std::path::Path;

/// What a run is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Nothing: the tree is to be gone.
    Gone,
    /// The names in one directory, one in a line.
    Names,
    /// The same, each line ending with the name and holding the size before it.
    Long,
    /// All paths, one in a line.
    Paths,
    /// The same, each after its size.
    Sizes,
    /// The KiB allocated, as the first word.
    Total,
    /// How many entries one directory has.
    Count,
    /// How long all paths are that were expanded, or that stay beneath, and what one took.
    Lengths(super::works::Work),
    /// How many starts of so many went as they should.
    Starts(u64),
}

impl Question {
    /// Whether contenders measure themselves: what is asked takes less than the start of a program.
    pub(crate) fn measures_itself(self) -> bool {
        matches!(self, Question::Lengths(_))
    }
}

/// What is known of a tree.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    /// By path, relative to the root, which is left out.
    entries: HashMap<String, Known>,
    /// Bytes allocated, the root's included, where the system tells.
    allocated: Option<u64>,
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

    fn look(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let metadata = entry.metadata()?;
            self.add(allocated(&metadata));
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
    pub(crate) fn refute(&self, question: Question, root: &Path, output: &[u8]) -> Option<String> {
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
                let wanted = self.allocated.map(|bytes| bytes.div_ceil(1024));
                number(&output, wanted)
            }
            Question::Starts(count) => number(&output, Some(count)),
            Question::Count => number(&output, Some(self.entries.len() as u64)),
            Question::Lengths(work) => number(&output, Some(work.lengths())).or_else(|| {
                let says_time = super::works::own_time(output.as_bytes()).is_some();
                (!says_time).then(|| "no time is said".to_owned())
            }),
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

/// Why the first word is not the number, if it is not. A number that is not known may be any.
fn number(output: &str, wanted: Option<u64>) -> Option<String> {
    let word = output.split_whitespace().next().unwrap_or_default();
    match (word.parse::<u64>(), wanted) {
        (Err(_), _) => Some(format!("no number but '{word}'")),
        (Ok(said), Some(wanted)) if said != wanted => Some(format!("{said} instead of {wanted}")),
        _ => None,
    }
}

/// A path without the root's, in the form of Unix.
fn relative(line: &str, root: &str) -> String {
    let path = line.strip_prefix(root).unwrap_or(line).replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    path.trim_matches('/').to_owned()
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "not every system tells")]
fn allocated(metadata: &std::fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    Some(metadata.blocks() * 512)
}

#[cfg(not(unix))]
fn allocated(_: &std::fs::Metadata) -> Option<u64> {
    None
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
