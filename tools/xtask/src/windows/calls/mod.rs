//! Counts the calls to ntdll that a program makes for a file and for a directory; those of looking
//! up and starting programs, and of paths, are counted alike.
//!
//! Each is a slope: the same command runs on trees of different sizes, and the difference of the
//! counts is divided by the difference in size. So neither the start of the program counts nor
//! that of Wine. What is counted are calls from outside ntdll to its functions for files: a
//! function of kernel32 counts as what *Wine's* makes of it, which need not be what Windows' does.

mod lookups;
mod paths;
mod relay;
mod rivals;
mod rows;
mod snapshots;

use super::Windows;
use crate::host::{self, Failure, Outcome};
use crate::say;
use relay::Counts;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands for the tree in a command.
const TREE: &str = "{}";

/// What the tree is called where the command runs.
const NAME: &str = "tree";

/// The trees: directories, and files in each of them.
const TREES: [(usize, usize); 3] = [(64, 2), (128, 2), (64, 4)];

/// What the second tree has more than the first: directories, of two files each.
const MORE_DIRECTORIES: i64 = 64;

/// What the third tree has more than the first: files.
const MORE_FILES: i64 = 128;

/// The task `native-calls`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [only] if only == "--check" => return snapshots::check(&Windows::ready()?),
        [only] if only == "--rivals" => return rivals::tables(&Windows::ready()?),
        _ => {}
    }
    let (program, command) = match arguments {
        [exe, file, rest @ ..] if exe == "--exe" => (Some(file), host::after_dashes(rest)),
        _ => (None, host::after_dashes(arguments)),
    };
    if !command.iter().any(|argument| argument.contains(TREE)) {
        return Err(Failure::usage(
            "native-calls [--exe FILE] -- ARGUMENTS…, with {} for the tree to be removed; \
             or --check, or --rivals",
        ));
    }
    let windows = Windows::ready()?;
    let program = match program {
        Some(file) => borrow(&windows, file)?,
        None => windows.curt()?,
    };
    let contender = Contender::new(program, command);
    for measured in measure(&windows, &[contender])? {
        say::out(measured.map_err(Failure::new)?.text());
    }
    Ok(())
}

/// A program of the host's, copied to where Wine finds it; a name that is no file is Wine's own.
fn borrow(windows: &Windows, file: &str) -> Result<PathBuf, Failure> {
    let Some(name) = Path::new(file).file_name().filter(|_| Path::new(file).is_file()) else {
        return Ok(file.into());
    };
    let copy = Path::new("borrowed").join(name);
    fs::create_dir_all(windows.outside("borrowed"))?;
    fs::copy(file, windows.outside(&copy.to_string_lossy()))?;
    Ok(windows.inside(&copy.to_string_lossy()))
}

/// A command to be counted.
struct Contender {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Contender {
    fn new<A: AsRef<str>>(program: PathBuf, arguments: &[A]) -> Self {
        let named = arguments.iter().map(|argument| argument.as_ref().replace(TREE, NAME));
        Self { program, arguments: named.collect() }
    }

    /// The command, for a shell.
    fn quoted(&self) -> String {
        let mut text = quoted(&self.program.to_string_lossy());
        for argument in &self.arguments {
            text.push(' ');
            text.push_str(&quoted(argument));
        }
        text
    }
}

/// What a command made more calls for.
struct Measured {
    /// For more directories, with their files.
    directories: Counts,
    /// For more files.
    files: Counts,
    /// The same, as the command itself counted them, if it did.
    counted: Option<[Counts; 2]>,
}

impl Measured {
    /// From what was seen, and counted, in each of the trees.
    fn new(seen: &[Counts; 3], counted: Option<&[Counts; 3]>) -> Self {
        let differences = |[first, second, third]: &[Counts; 3]| {
            [relay::difference(second, first), relay::difference(third, first)]
        };
        let [directories, files] = differences(seen);
        Self { directories, files, counted: counted.map(differences) }
    }

    /// The calls for one file.
    fn per_file(&self) -> Vec<(String, f64)> {
        each(&self.files, MORE_FILES)
    }

    /// The calls for one directory, without those for its files: the second tree has as many files
    /// more as the third.
    fn per_directory(&self) -> Vec<(String, f64)> {
        each(&relay::difference(&self.directories, &self.files), MORE_DIRECTORIES)
    }

    /// All of it, as text that is the same in every run.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut slope = |what: &str, difference: &Counts, units: i64| {
            let _ = writeln!(text, "{what}");
            for (name, count) in difference {
                let _ = writeln!(text, "    {name:<28} {count:>5} for {units}");
            }
        };
        slope("64 directories of 2 files more", &self.directories, MORE_DIRECTORIES);
        slope("128 files more", &self.files, MORE_FILES);
        text
    }
}

/// Counts for one unit.
fn each(counts: &Counts, units: i64) -> Vec<(String, f64)> {
    counts.iter().map(|(name, &count)| (name.clone(), count as f64 / units as f64)).collect()
}

/// What an attempt measured; where Wine itself fell over, which it says beside that, what a second
/// one does. A single program cannot run again: it would find what it left.
fn repeated<T>(mut attempt: impl FnMut() -> Result<(T, bool), Failure>) -> Result<T, Failure> {
    let (measured, fell_over) = attempt()?;
    if !fell_over {
        return Ok(measured);
    }
    say::err("native-calls: Wine itself fell over; all of it once again");
    Ok(attempt()?.0)
}

/// Runs every command on every tree, with one Wine server. A command that does not do its work has
/// a reason instead of counts.
fn measure(
    windows: &Windows,
    contenders: &[Contender],
) -> Result<Vec<Result<Measured, String>>, Failure> {
    repeated(|| measure_once(windows, contenders))
}

/// The same; and whether Wine itself fell over.
#[allow(clippy::type_complexity, reason = "the pair that `repeated` takes")]
fn measure_once(
    windows: &Windows,
    contenders: &[Contender],
) -> Result<(Vec<Result<Measured, String>>, bool), Failure> {
    host::check(&mut windows.session(&["true"])?)?;
    let place = Windows::on_drive_c("calls");
    if windows.outside(&place).exists() {
        fs::remove_dir_all(windows.outside(&place))?;
    }
    let mut script = relay::script(&windows.inside("runner"));
    for (number, contender) in contenders.iter().enumerate() {
        for (shape, tree) in TREES.iter().enumerate() {
            let run = format!("{place}/{number}-{shape}");
            plant(&windows.outside(&run).join(NAME), *tree)?;
            let folder = quoted(&windows.inside(&run).to_string_lossy());
            let _ = writeln!(script, "run {folder} {}", contender.quoted());
        }
    }
    host::check(&mut windows.session(&["sh", "-euc", &script])?)?;
    let folders = (0..contenders.len())
        .map(|number| [0, 1, 2].map(|shape| windows.outside(&format!("{place}/{number}-{shape}"))));
    let fell_over = |folder: PathBuf| relay::fell_over(&relay::left_by(&folder)[1]);
    let fell_over = folders.clone().flatten().any(fell_over);
    Ok((folders.map(|folders| read(&folders)).collect(), fell_over))
}

/// Makes a tree; its names are all of the same length.
fn plant(tree: &Path, (directories, files): (usize, usize)) -> Outcome {
    for directory in 0..directories {
        let folder = tree.join(format!("d{directory:03}"));
        fs::create_dir_all(&folder)?;
        for file in 0..files {
            fs::write(folder.join(format!("f{file}")), "")?;
        }
    }
    Ok(())
}

/// What was seen in the runs of one command.
fn read(folders: &[PathBuf; 3]) -> Result<Measured, String> {
    let mut seen: [Counts; 3] = Default::default();
    let mut counted: [Counts; 3] = Default::default();
    let mut counts_itself = true;
    for (at, folder) in folders.iter().enumerate() {
        let [status, log, out] = relay::left_by(folder);
        if status.trim() != "0" || folder.join(NAME).exists() {
            let left = if folder.join(NAME).exists() { "; the tree is still there" } else { "" };
            return Err(format!(
                "ended with status {}{left}: {}",
                status.trim(),
                relay::complaint(&log)
            ));
        }
        seen[at] = relay::count(&log);
        match relay::counted_itself(&out) {
            Some(own) => counted[at] = own,
            None => counts_itself = false,
        }
    }
    Ok(Measured::new(&seen, counts_itself.then_some(&counted)))
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, i64)]) -> Counts {
        pairs.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    fn measured() -> Measured {
        let seen = [
            counts(&[("NtClose", 300), ("NtOpenFile", 10)]),
            counts(&[("NtClose", 300 + 3 * 64), ("NtOpenFile", 10 + 64)]),
            counts(&[("NtClose", 300 + 128), ("NtOpenFile", 10)]),
        ];
        Measured::new(&seen, None)
    }

    #[test]
    fn a_directory_is_counted_without_its_files() {
        let once = |name: &str| (name.to_owned(), 1.0);
        assert_eq!(measured().per_file(), [once("NtClose")]);
        assert_eq!(measured().per_directory(), [once("NtClose"), once("NtOpenFile")]);
    }

    #[test]
    fn what_wine_broke_is_measured_once_again() {
        let run = |broken: u32| {
            let mut attempts = 0;
            let last = repeated(|| {
                attempts += 1;
                Ok((attempts, attempts <= broken))
            });
            (last.ok(), attempts)
        };
        assert_eq!(run(0), (Some(1), 1));
        assert_eq!(run(1), (Some(2), 2));
        assert_eq!(run(9), (Some(2), 2));
    }

    #[test]
    fn the_text_is_exact() {
        let text = measured().text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2], format!("    {:<28} {:>5} for 64", "NtOpenFile", 64));
        assert_eq!(lines[4], format!("    {:<28} {:>5} for 128", "NtClose", 128));
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn the_tree_has_its_name_in_the_command() {
        let contender = Contender::new("cmd".into(), &["/c", "it's", "{}"]);
        assert_eq!(contender.quoted(), r"'cmd' '/c' 'it'\''s' 'tree'");
    }
}
