use crate::rivals::{Contender, Part, Program};
use crate::scenario::Scenario;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const VARIABLE: &str = "CURT";

#[derive(Debug)]
pub(crate) struct Programs {
    curt: PathBuf,
    own: PathBuf,
    built: BTreeMap<String, PathBuf>,
}

#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) contender: Contender,
    pub(crate) program: PathBuf,
}

impl Programs {
    /// Uses the curt that `CURT` names, or else, if Cargo started this program, a release build.
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
        let built = built_rivals(&own);
        Ok(Self { curt, own, built })
    }

    pub(crate) fn of(
        &self,
        scenario: &Scenario,
        admits: impl Fn(&Contender) -> bool,
        missing: &mut BTreeMap<&'static str, &'static str>,
    ) -> Vec<Found> {
        let mut found = Vec::new();
        for contender in scenario.contenders().filter(is_for_this_system).filter(admits) {
            match self.file(contender) {
                Some(program) => found.push(Found { contender, program }),
                None => drop(missing.insert(contender.rival.name, contender.rival.get)),
            }
        }
        found
    }

    fn file(&self, contender: Contender) -> Option<PathBuf> {
        match contender.rival.program {
            Program::Command => Some(self.curt.clone()),
            Program::Own => Some(self.own.clone()),
            Program::Path(names) => {
                let built = names.split(' ').find_map(|name| self.built.get(name).cloned());
                built.or_else(|| names.split(' ').find_map(on_path))
            }
            Program::Unix(name) | Program::Windows(name) => on_path(name),
            Program::Built(name) => self.built.get(name).cloned(),
        }
    }

    pub(crate) fn version_of_curt(&self) -> String {
        let mut command = Command::new(&self.curt);
        quiet(&mut command);
        let output = command.arg("--version").stdout(Stdio::piped()).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        text.unwrap_or_default().split_whitespace().nth(1).unwrap_or_default().to_owned()
    }
}

fn is_for_this_system(contender: &Contender) -> bool {
    match contender.rival.program {
        Program::Unix(_) => cfg!(unix),
        Program::Windows(_) => cfg!(windows),
        _ => contender.line.part != Part::Baseline || crate::roles::HAS_BASELINE,
    }
}

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

fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    message.get("executable")?.as_str().map(PathBuf::from)
}

/// Sets the C locale, because some programs do more work in other locales.
pub(crate) fn quiet(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).env("LC_ALL", "C");
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        // Skip relative directories, which are not trusted with deletions.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|candidate| is_program(candidate))
}

/// Finds programs in `CURT_RIVALS`, or in the target directory if this program is there: an
/// installed program must not start files that others put next to it.
fn built_rivals(own: &Path) -> BTreeMap<String, PathBuf> {
    let given = std::env::var_os("CURT_RIVALS").map(PathBuf::from);
    let above = own.ancestors().skip(2).take(2);
    let targets = above.filter(|folder| folder.join("CACHEDIR.TAG").is_file());
    let rivals = given.into_iter().chain(targets.map(|target| target.join("rivals")));
    let folders = rivals.flat_map(|base| entries(&base));
    let mut built = BTreeMap::new();
    for file in folders.flat_map(|folder| entries(&folder)).filter(|file| is_program(file)) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(&name).to_owned();
        built.entry(name).or_insert(file);
    }
    built
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_dir(folder).into_iter().flatten();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::SCENARIOS;

    #[test]
    fn cargo_says_where_the_program_is() {
        assert_eq!(executable(r#"{"reason":"x","executable":"/t/curt"}"#), Some("/t/curt".into()));
        assert_eq!(executable(r#"{"reason":"x","executable":null}"#), None);
        assert_eq!(executable("warning: text"), None);
    }

    #[test]
    fn only_a_program_in_a_target_folder_has_rivals_beside_it() {
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("target");
        let own = target.join("release/curt-bench");
        std::fs::create_dir_all(target.join("rivals/go")).unwrap();
        let rival = target.join(format!("rivals/go/rival-go{}", std::env::consts::EXE_SUFFIX));
        std::fs::copy(std::env::current_exe().unwrap(), &rival).unwrap();
        assert!(!built_rivals(&own).contains_key("rival-go"));
        std::fs::write(target.join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(built_rivals(&own).get("rival-go"), Some(&rival));
    }

    #[test]
    fn what_was_built_comes_before_what_is_installed() {
        let built: PathBuf = "/t/rivals/published/fd".into();
        let programs = Programs {
            curt: "/bin/curt".into(),
            own: "/bin/curt-bench".into(),
            built: [("fd".to_owned(), built.clone())].into(),
        };
        let find = SCENARIOS.iter().find(|scenario| scenario.name == "find").unwrap();
        let found = programs.of(find, |_| true, &mut BTreeMap::new());
        let fd = found.iter().find(|found| found.contender.rival.name == "fd").unwrap();
        assert_eq!(fd.program, built);
    }

    #[test]
    fn every_contender_takes_part_or_is_missing() {
        let (curt, own) = ("/bin/curt".into(), "/bin/curt-bench".into());
        let programs = Programs { curt, own, built: BTreeMap::new() };
        for scenario in &SCENARIOS {
            let mut missing = BTreeMap::new();
            let found = programs.of(scenario, |_| true, &mut missing);
            for contender in scenario.contenders().filter(is_for_this_system) {
                let name = contender.rival.name;
                let is_found = found.iter().any(|found| found.contender.rival.name == name);
                assert!(is_found || missing.contains_key(name), "{name}");
            }
        }
    }
}
