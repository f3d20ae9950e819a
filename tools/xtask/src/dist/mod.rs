//! Builds what is released, one kind of package for each way of installing curt, and tests each
//! in a clean root.
//!
//! Packages go to `target/distrib`, with their checksums in `SHA256SUMS`; `target/dist` is Cargo's
//! folder for the profile that they are built with. The same commit makes the same bytes: times are
//! `$SOURCE_DATE_EPOCH`, or that of the commit.

mod cases;
mod deb;
mod exe;
mod linux;
mod npm;
mod python;
mod share;
mod start;
mod tar;
mod tools;
mod wheel;

use crate::host::{self, Failure, Outcome};
use crate::say;
use crate::skips::{self, Skip};
use cases::Cases;
use linux::{MACHINES, Machine};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The version of everything that is released.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A kind of package.
struct Kind {
    name: &'static str,
    /// Makes the packages, and returns their files.
    make: fn(&Release) -> Result<Vec<PathBuf>, Failure>,
    /// Installs and runs them.
    test: fn(&Release, &mut Cases),
}

const KINDS: &[Kind] = &[
    Kind { name: "tar", make: tar::make, test: tar::test },
    Kind { name: "deb", make: deb::make, test: deb::test },
    Kind { name: "exe", make: exe::make, test: exe::test },
    Kind { name: "npm", make: npm::make, test: npm::test },
    Kind { name: "wheel", make: wheel::make, test: wheel::test },
    Kind { name: "python", make: python::make, test: python::test },
];

/// The task `dist`: all kinds, or those named; with `--here`, only for this processor and Linux.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let release = Release::new(arguments)?;
    let mut packages = Vec::new();
    for kind in release.kinds() {
        say::err(format_args!("dist: {}", kind.name));
        packages.extend((kind.make)(&release)?);
    }
    release.write_checksums(&packages)?;
    for package in &packages {
        let size = fs::metadata(package)?.len();
        say::out(format_args!("{size:>9}  {}", package.display()));
    }
    Ok(())
}

/// The task `dist-test`, with the arguments of `dist`. The last line on standard output is the
/// total.
pub(crate) fn test(arguments: &[String]) -> Outcome {
    let release = match Release::new(arguments) {
        Err(failure) if failure.code == Failure::MISSING => {
            let [suite, test] = ["xtask", "dist-test"].map(str::to_owned);
            return skips::chore(&Skip { suite, test, reason: failure.text });
        }
        release => release?,
    };
    let mut cases = Cases::default();
    let mut packages = Vec::new();
    for kind in release.kinds() {
        say::err(format_args!("dist-test: {}", kind.name));
        let made = (kind.make)(&release).map(|made| packages.extend(made));
        if cases.add(kind.name, "is built", made) {
            (kind.test)(&release, &mut cases);
        }
    }
    if !packages.is_empty() {
        let sums = release.write_checksums(&packages).and_then(|()| release.check_checksums());
        cases.add("sums", "are those of the packages", sums);
    }
    cases.conclude()
}

/// What one run makes.
struct Release {
    /// Where packages go.
    folder: PathBuf,
    /// The time of everything in them, in seconds since 1970.
    epoch: String,
    /// The names of the kinds, or none for all.
    named: Vec<String>,
    /// Only for this processor, and for Linux.
    is_here: bool,
}

impl Release {
    fn new(arguments: &[String]) -> Result<Self, Failure> {
        let (options, named): (Vec<_>, Vec<_>) =
            arguments.iter().cloned().partition(|argument| argument.starts_with('-'));
        let is_known = |name: &String| KINDS.iter().any(|kind| kind.name == name);
        if options.iter().any(|option| option != "--here") || !named.iter().all(is_known) {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            let names = names.join(", ");
            return Err(Failure::usage(format!("takes --here, and kinds of packages: {names}")));
        }
        if !cfg!(target_os = "linux") {
            return Err(Failure::missing("packages are built on Linux"));
        }
        let folder = host::checkout().join("target/distrib");
        fs::create_dir_all(&folder)?;
        let release = Self { folder, epoch: epoch()?, named, is_here: !options.is_empty() };
        share::make(&release)?;
        Ok(release)
    }

    fn kinds(&self) -> impl Iterator<Item = &'static Kind> + '_ {
        // What is for Windows alone is not for here.
        let is_left_out = |kind: &Kind| self.is_here && kind.name == "exe";
        KINDS.iter().filter(move |kind| {
            let is_named = self.named.iter().any(|name| name == kind.name);
            is_named || (self.named.is_empty() && !is_left_out(kind))
        })
    }

    /// The kinds of Linux machines that packages are for.
    fn machines(&self) -> impl Iterator<Item = &'static Machine> + '_ {
        MACHINES.iter().filter(|machine| !self.is_here || machine.is_this())
    }

    /// A path in the folder, as an argument.
    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    /// Writes the checksums of the packages, as `sha256sum --check` reads them.
    fn write_checksums(&self, packages: &[PathBuf]) -> Outcome {
        let names = packages.iter().filter_map(|path| path.file_name());
        let names: BTreeSet<_> = names.collect();
        if names.len() != packages.len() || names.is_empty() {
            return Err(Failure::new("two packages have one name, or there is none"));
        }
        let output = Command::new("sha256sum").args(names).current_dir(&self.folder).output()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::new(format!("sha256sum: {}", text.trim())));
        }
        Ok(fs::write(self.folder.join("SHA256SUMS"), output.stdout)?)
    }

    fn check_checksums(&self) -> Outcome {
        let mut check = Command::new("sha256sum");
        check.args(["--check", "--quiet", "--strict", "SHA256SUMS"]).current_dir(&self.folder);
        host::check(&mut check)
    }
}

/// The time that packages have.
fn epoch() -> Result<String, Failure> {
    if let Some(epoch) = env::var("SOURCE_DATE_EPOCH").ok().filter(|epoch| !epoch.is_empty()) {
        let is_number = epoch.bytes().all(|byte| byte.is_ascii_digit());
        return is_number.then_some(epoch).ok_or_else(|| {
            Failure::usage("SOURCE_DATE_EPOCH must be a number of seconds since 1970")
        });
    }
    let top = host::checkout();
    let folder = top.to_string_lossy();
    let log = ["-c", "safe.directory=*", "-C", &folder, "log", "-1", "--format=%ct"];
    let time = host::output_of("git", &log).map(|text| text.trim().to_owned());
    time.filter(|time| !time.is_empty())
        .ok_or_else(|| Failure::usage("the time of the commit is not known: set SOURCE_DATE_EPOCH"))
}

/// A file of this checkout that a package is made of.
fn source(path: &str) -> PathBuf {
    host::checkout().join("tools/xtask/src/dist").join(path)
}

/// An empty folder for a test, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Failure> {
        let path = host::output_of("mktemp", &["-d"]);
        let path = path.ok_or_else(|| Failure::new("cannot make a temporary folder"))?;
        Ok(Self(path.trim().into()))
    }

    /// Runs a shell script here, with an empty home and none of the caller's settings but PATH.
    /// What it prints is shown only if it fails.
    fn run<A: AsRef<std::ffi::OsStr>>(&self, script: &str, arguments: &[A]) -> Outcome {
        fs::create_dir_all(self.0.join("home"))?;
        let mut command = Command::new("sh");
        command.args(["-euxc", script, "sh"]).args(arguments).current_dir(&self.0);
        command.env_clear().env("PATH", env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.0.join("home")).env("LC_ALL", "C.UTF-8");
        quiet(&mut command)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in a temporary folder harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a command whose output is shown only if it fails.
fn quiet(command: &mut Command) -> Outcome {
    let output = command.stdin(std::process::Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).trim_end().to_owned();
    Err(Failure::new(format!("{text}\nended with {}", output.status)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(named: &[&str], is_here: bool) -> Release {
        Release {
            folder: "/distrib".into(),
            epoch: "1".to_owned(),
            named: named.iter().map(ToString::to_string).collect(),
            is_here,
        }
    }

    fn kinds(release: &Release) -> Vec<&str> {
        release.kinds().map(|kind| kind.name).collect()
    }

    #[test]
    fn all_kinds_are_made_unless_some_are_named() {
        assert_eq!(kinds(&release(&[], false)), ["tar", "deb", "exe", "npm", "wheel", "python"]);
        assert_eq!(kinds(&release(&[], true)), ["tar", "deb", "npm", "wheel", "python"]);
        assert_eq!(kinds(&release(&["npm", "exe"], true)), ["exe", "npm"]);
    }

    #[test]
    fn unknown_kinds_and_options_are_refused() {
        for wrong in ["rpm", "--all"] {
            let failure = Release::new(&[wrong.to_owned()]).err().expect("a failure");
            assert!(failure.code == 2 && failure.text.contains("tar, deb"), "{}", failure.text);
        }
    }

    #[test]
    fn packages_of_one_name_are_an_error() {
        let twice = ["a/x", "b/x"].map(PathBuf::from);
        assert!(release(&[], false).write_checksums(&twice).is_err());
        assert!(release(&[], false).write_checksums(&[]).is_err());
    }
}
