//! Who takes part: curt, the system's own tools, the rivals that are built, and the floor.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How the calls of a contender are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// It counts them itself (`--stats --json`): exact, and available everywhere.
    Itself,
    /// strace counts them.
    Strace,
    /// strace counts them, output and all; where it is missing, it says them itself (`--stats`).
    Either,
}

/// A program that does the operation on one path.
#[derive(Clone, Debug)]
pub(crate) struct Contender {
    /// As shown in the table, and as `--rival` takes it.
    pub(crate) name: String,
    /// The program.
    pub(crate) program: PathBuf,
    /// Arguments before the path.
    pub(crate) before: Vec<OsString>,
    /// Arguments after it.
    pub(crate) after: Vec<OsString>,
    /// How its calls are counted.
    pub(crate) counting: Counting,
    /// Whether a run without `--full` has time for it.
    pub(crate) quick: bool,
}

impl Contender {
    /// A contender that takes the path last.
    pub(crate) fn new(name: &str, program: &Path, before: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            program: program.to_path_buf(),
            before: before.iter().map(OsString::from).collect(),
            after: Vec::new(),
            counting: Counting::Strace,
            quick: true,
        }
    }

    /// Leaves it to `--full`.
    pub(crate) fn only_full(mut self) -> Self {
        self.quick = false;
        self
    }

    /// With more arguments after the path.
    pub(crate) fn then(mut self, after: &str) -> Self {
        self.after.push(after.into());
        self
    }

    /// Counted in that way.
    pub(crate) fn counted(self, counting: Counting) -> Self {
        Self { counting, ..self }
    }

    /// Whether it is curt itself.
    pub(crate) fn is_ours(&self) -> bool {
        self.name.starts_with("curt")
    }

    /// The command that works on `path`, cut off from our own input and output. The same locale for
    /// all: some programs do more work in others.
    pub(crate) fn command(&self, path: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.before).arg(path).args(&self.after);
        quiet(&mut command);
        command
    }

    /// The command line as text, with `PATH` for the path.
    pub(crate) fn line(&self) -> String {
        let program = self.program.file_name().unwrap_or(self.program.as_os_str());
        let mut words = vec![program.to_string_lossy().into_owned()];
        words.extend(self.before.iter().map(|word| word.to_string_lossy().into_owned()));
        words.push("PATH".to_owned());
        words.extend(self.after.iter().map(|word| word.to_string_lossy().into_owned()));
        words.join(" ")
    }
}

/// No input, no output, the C locale.
pub(crate) fn quiet(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).env("LC_ALL", "C");
}

/// Somebody who could take part but is not there.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    /// The contender.
    pub(crate) name: String,
    /// How to get it.
    pub(crate) how: String,
}

/// Who was found for an operation.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// They take part.
    pub(crate) contenders: Vec<Contender>,
    /// They do not exist here.
    pub(crate) missing: Vec<Missing>,
    /// Names of those that exist, but that this run has no time for.
    pub(crate) later: Vec<String>,
}

impl Found {
    /// A contender that is there.
    pub(crate) fn add(&mut self, contender: Contender) {
        self.contenders.push(contender);
    }

    /// Somebody who is not.
    pub(crate) fn miss(&mut self, name: &str, how: impl Into<String>) {
        if !self.missing.iter().any(|missing| missing.name == name) {
            self.missing.push(Missing { name: name.to_owned(), how: how.into() });
        }
    }

    /// The program `name`, if it is on PATH.
    pub(crate) fn add_tool(&mut self, name: &str, make: impl FnOnce(&Path) -> Contender) {
        match on_path(name) {
            Some(program) => self.add(make(&program)),
            None => self.miss(name, "not on PATH"),
        }
    }

    /// Chooses: with names in `wanted`, of the rivals only those take part. Curt, the reference and
    /// the floor always do.
    pub(crate) fn select(mut self, full: bool, wanted: &[String], reference: &str) -> Self {
        if wanted.is_empty() {
            let (now, later): (Vec<_>, Vec<_>) =
                self.contenders.into_iter().partition(|contender| full || contender.quick);
            self.contenders = now;
            self.later.extend(later.into_iter().map(|contender| contender.name));
            return self;
        }
        let always = |contender: &Contender| {
            contender.name == reference || contender.name == "floor" || contender.is_ours()
        };
        self.contenders.retain(|contender| always(contender) || wanted.contains(&contender.name));
        self.missing.retain(|missing| wanted.contains(&missing.name));
        self
    }

    /// Whether somebody of that name was found, or could have been.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.contenders.iter().any(|contender| contender.name == name)
            || self.missing.iter().any(|missing| missing.name == name)
    }
}

/// The file of the program `name` on PATH.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // Administrators' tools are often installed and not on an ordinary user's PATH.
    let extra = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(extra).collect();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folders
        .into_iter()
        // A relative folder on PATH is no place to take a program that deletes things from.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|candidate| is_program(candidate))
}

/// The programs `<verb>-*` that `cargo xtask rivals` built, by name.
pub(crate) fn built_rivals(verb: &str) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for base in rival_folders() {
        for folder in entries(&base) {
            for file in entries(&folder) {
                let name = file.file_stem_of_program();
                let Some(rival) = name.strip_prefix(verb).and_then(|rest| rest.strip_prefix('-'))
                else {
                    continue;
                };
                if is_program(&file) && !found.iter().any(|(known, _)| known == rival) {
                    found.push((rival.to_owned(), file.clone()));
                }
            }
        }
    }
    found.sort();
    found
}

/// Where rivals may have been built: beside this program's own target folder, or below the
/// working directory.
fn rival_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::var_os("CURT_RIVALS").map(PathBuf::from).into_iter().collect();
    if let Ok(program) = std::env::current_exe() {
        folders.extend(target_folders(&program).into_iter().map(|target| target.join("rivals")));
    }
    if let Ok(working) = std::env::current_dir() {
        folders.push(working.join("target").join("rivals"));
    }
    folders
}

/// The target folders that `program` was built in: `target/release/curt` or
/// `target/TRIPLE/release/curt`. None when it was not: an installed curt must not start what
/// somebody put beside it.
fn target_folders(program: &Path) -> Vec<PathBuf> {
    let Some(profile) = program.parent() else {
        return Vec::new();
    };
    let names = ["release", "debug", "dist"].map(std::ffi::OsStr::new);
    if !profile.file_name().is_some_and(|name| names.contains(&name)) {
        return Vec::new();
    }
    let above = profile.ancestors().skip(1).take(2);
    above.filter(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_path_buf).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(list) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    list.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

trait ProgramName {
    fn file_stem_of_program(&self) -> String;
}

impl ProgramName for Path {
    /// The file name without the system's ending for programs; `rm-zig-0.9` has no other.
    fn file_stem_of_program(&self) -> String {
        let name = self.file_name().unwrap_or_default().to_string_lossy();
        name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(&name).to_owned()
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// What a program says to `--version`, first line.
pub(crate) fn version(program: &Path) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().next()?.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_stands_between_the_arguments() {
        let find = Contender::new("find", Path::new("/usr/bin/find"), &["-H"]).then("-delete");
        assert_eq!(find.line(), "find -H PATH -delete");
        let command = find.command(Path::new("/x/tree"));
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments, ["-H", "/x/tree", "-delete"]);
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_on_path() {
        assert!(on_path("sh").is_some());
        assert_eq!(on_path("no-such-program-anywhere"), None);
    }

    #[test]
    fn names_keep_their_dots() {
        assert_eq!(Path::new("/a/rm-zig-0.9").file_stem_of_program(), "rm-zig-0.9");
    }
}
