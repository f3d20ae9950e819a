//! The programs that take part: the command, which is built first, and those that are found.

use crate::folders::rival_folders;
use crate::scenario::{Contender, Part, Program, Scenario};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the command is, if it is not to be built.
const VARIABLE: &str = "CURT";

/// The command and the bench itself, and what was found of the others.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The command `curt`.
    pub(crate) curt: PathBuf,
    /// This program, for the roles that it plays.
    own: PathBuf,
    built: BTreeMap<String, PathBuf>,
    known: RefCell<HashMap<&'static str, Option<PathBuf>>>,
    versions: RefCell<HashMap<PathBuf, String>>,
}

/// A contender that is there.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Which one.
    pub(crate) contender: &'static Contender,
    /// Its file.
    pub(crate) program: PathBuf,
}

impl Programs {
    /// The command that the environment variable `CURT` names; else Cargo, if it started this
    /// program, builds it as users get it.
    pub(crate) fn find() -> io::Result<Self> {
        let own = std::env::current_exe()?;
        let curt = match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(given) => std::path::absolute(given)?,
            None => build()?,
        };
        if !curt.is_file() {
            let text = format!("there is no program {}", curt.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        Ok(Self::with(curt, own))
    }

    fn with(curt: PathBuf, own: PathBuf) -> Self {
        let (known, versions) = Default::default();
        Self { curt, own, built: built_rivals(), known, versions }
    }

    /// The scenario's contenders that are admitted and there. The names of those that are not
    /// there, and how to get them, are added to `missing`.
    pub(crate) fn of(
        &self,
        scenario: &Scenario,
        admits: impl Fn(&Contender) -> bool,
        missing: &mut BTreeMap<&'static str, &'static str>,
    ) -> Vec<Found> {
        let mut found = Vec::new();
        for contender in scenario.contenders.iter().filter(|contender| admits(contender)) {
            match self.file(contender) {
                Some(program) => found.push(Found { contender, program }),
                None if is_for_this_system(contender) => {
                    missing.insert(contender.name, contender.get);
                }
                None => {}
            }
        }
        found
    }

    fn file(&self, contender: &Contender) -> Option<PathBuf> {
        match contender.program {
            Program::Curt => Some(self.curt.clone()),
            Program::Own if contender.part == Part::Baseline => {
                crate::roles::HAS_BASELINE.then(|| self.own.clone())
            }
            Program::Own => Some(self.own.clone()),
            Program::Unix(name) if cfg!(unix) => on_path(name),
            Program::Cmd if cfg!(windows) => on_path("cmd"),
            Program::Unix(_) | Program::Cmd => None,
            Program::Tool(names) => names.iter().find_map(|name| on_path(name)),
            Program::Built(name) => self.built.get(name).cloned(),
            Program::Interpreter(name, ask) => {
                let mut known = self.known.borrow_mut();
                known.entry(name).or_insert_with(|| asked(name, ask)).clone()
            }
        }
    }

    /// The version of curt.
    pub(crate) fn version_of_curt(&self) -> String {
        version(&self.curt)
    }

    /// The contender's version, or nothing where it does not tell.
    pub(crate) fn version(&self, found: &Found) -> String {
        if !found.contender.version.is_empty() {
            return found.contender.version.to_owned();
        }
        if matches!(found.contender.program, Program::Own | Program::Built(_) | Program::Cmd) {
            return String::new();
        }
        let mut versions = self.versions.borrow_mut();
        let known = versions.entry(found.program.clone());
        known.or_insert_with(|| version(&found.program)).clone()
    }
}

fn is_for_this_system(contender: &Contender) -> bool {
    match contender.program {
        Program::Unix(_) => cfg!(unix),
        Program::Cmd => cfg!(windows),
        Program::Own => false,
        _ => true,
    }
}

/// Builds the command and returns where Cargo put it.
fn build() -> io::Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(cargo), Some(folder)) = (set("CARGO"), set("CARGO_MANIFEST_DIR")) else {
        let text = format!("which curt? Start the bench by 'cargo run', or set {VARIABLE}");
        return Err(io::Error::new(io::ErrorKind::NotFound, text));
    };
    let output = Command::new(cargo)
        .args(["build", "--release", "--locked", "--package", "curt-cli", "--bin", "curt"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    let built = String::from_utf8_lossy(&output.stdout);
    let built = built.lines().filter_map(executable).next_back();
    built.filter(|_| output.status.success()).ok_or_else(|| io::Error::other("cannot build curt"))
}

/// The program that one of Cargo's messages says was built.
fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    message.get("executable")?.as_str().map(PathBuf::from)
}

/// No input, no output, the C locale: some programs do more work in others.
pub(crate) fn quiet(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).env("LC_ALL", "C");
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

/// The file that an interpreter says it is.
fn asked(name: &str, arguments: &[&str]) -> Option<PathBuf> {
    let mut command = Command::new(on_path(name)?);
    quiet(&mut command);
    let output = command.args(arguments).stdout(Stdio::piped()).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
    path.is_file().then_some(path)
}

/// What `cargo xtask rivals` built, by file name.
fn built_rivals() -> BTreeMap<String, PathBuf> {
    let folders = rival_folders().into_iter().flat_map(|base| entries(&base));
    let files = folders.flat_map(|folder| entries(&folder)).filter(|file| is_program(file));
    let mut built = BTreeMap::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(&name).to_owned();
        built.entry(name).or_insert(file);
    }
    built
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(list) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    list.filter_map(|entry| Some(entry.ok()?.path())).collect()
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

/// The number in what a program says to `--version`.
fn version(program: &Path) -> String {
    let mut command = Command::new(program);
    quiet(&mut command);
    let output = command.arg("--version").stdout(Stdio::piped()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    number_in(&text.unwrap_or_default())
}

/// The first word of the first line that looks like a version.
fn number_in(text: &str) -> String {
    let words = text.lines().next().unwrap_or_default().split_whitespace();
    let mut words = words.map(|word| word.trim_start_matches('v').trim_end_matches([',', ')']));
    let is_number =
        |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    words.find(is_number).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::SCENARIOS;

    #[test]
    fn cargo_says_where_the_program_is() {
        assert_eq!(executable(r#"{"reason":"x","executable":"/t/curt"}"#), Some("/t/curt".into()));
        assert_eq!(executable(r#"{"reason":"x","executable":null}"#), None);
        assert_eq!(executable("warning: text"), None);
    }

    #[test]
    fn versions_are_recognized() {
        assert_eq!(number_in("find (GNU findutils) 4.9.0\nCopyright"), "4.9.0");
        assert_eq!(number_in("v20.11.1\n"), "20.11.1");
        assert_eq!(number_in("fd 8.6.0"), "8.6.0");
        assert_eq!(number_in("no number. here\n1.0"), "");
    }

    #[test]
    fn every_contender_takes_part_or_is_missing() {
        let programs = Programs::with("/bin/curt".into(), "/bin/curt-bench".into());
        for scenario in SCENARIOS.iter().copied().flatten() {
            let mut missing = BTreeMap::new();
            let found = programs.of(scenario, |_| true, &mut missing);
            for contender in scenario.contenders.iter().filter(|one| is_for_this_system(one)) {
                let is_found = found.iter().any(|found| found.contender.name == contender.name);
                assert!(is_found || missing.contains_key(contender.name), "{}", contender.name);
            }
        }
    }
}
