//! The Debian packages, by cargo-deb; `crates/curt-cli/Cargo.toml` says what is in them.
//!
//! The version has no revision of Debian's: the package is made here, not there.

use super::cases::Cases;
use super::linux::Machine;
use super::{Release, VERSION, quiet, share, tools};
use crate::debian_root::{PACKAGES, Root};
use crate::host::{self, Failure, Outcome};
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Installs the package in a Debian that nobody else sees and that ends with the script, uses it,
/// and removes it again. Arguments: the package, the version.
const INSTALL: &str = r#"
cd /tmp
mkdir changes work debian
mount -t overlay overlay -o lowerdir=/,upperdir=/tmp/changes,workdir=/tmp/work debian
mount -t proc proc debian/proc
mount --rbind /dev debian/dev
cp "$1" debian/opt/curt.deb
chroot debian /bin/sh -euxc '
    cd /opt
    dpkg --install curt.deb
    test "$(curt --version)" = "curt $1"
    mkdir -p tree/folder
    : >tree/folder/file
    curt rm -r tree
    test ! -e tree
    test "$(man --where curt)" = /usr/share/man/man1/curt.1.gz
    MANPAGER=cat man --warnings curt-rm >page 2>warnings
    grep -q "Remove files and directories" page
    test ! -s warnings
    test -s /usr/share/bash-completion/completions/curt
    test -s /usr/share/zsh/vendor-completions/_curt
    test -s /usr/share/fish/vendor_completions.d/curt.fish
    dpkg --purge curt
    test ! -e /usr/bin/curt
    test ! -e /usr/share/doc/curt
' sh "$2"
"#;

/// Judges the package by Debian's rules. Argument: the package.
const LINTIAN: &str = r#"
cp "$1" /tmp/package.deb
cd /tmp
su nobody -s /bin/sh -c 'HOME=/tmp lintian --fail-on error,warning --no-cfg /tmp/package.deb'
"#;

fn name(machine: &Machine) -> String {
    format!("curt_{VERSION}_{}.deb", machine.debian)
}

pub(super) fn make(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    write_changelog(release)?;
    release.machines().map(|machine| make_one(release, machine)).collect()
}

fn make_one(release: &Release, machine: &Machine) -> Result<PathBuf, Failure> {
    machine.build()?;
    let package = release.folder.join(name(machine));
    let mut deb = Command::new(tools::cargo_deb()?);
    deb.current_dir(host::checkout()).env("SOURCE_DATE_EPOCH", &release.epoch);
    deb.args(["--no-build", "--no-strip", "--quiet", "--locked", "--package", "curt-cli"]);
    deb.args(["--profile", "dist", "--target", machine.triple]);
    deb.args(["--maintainer", &maintainer()]).arg("--output").arg(&package);
    host::check(machine.prepare(&mut deb))?;
    Ok(package)
}

/// Who answers for the package: `$DEBFULLNAME` and `$DEBEMAIL`, as for Debian's own tools. There is
/// no address that always holds, and the field must have one.
fn maintainer() -> String {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let name = set("DEBFULLNAME").unwrap_or_else(|| env!("CARGO_PKG_AUTHORS").to_owned());
    let address = set("DEBEMAIL").unwrap_or_else(|| "curt@example.org".to_owned());
    format!("{name} <{address}>")
}

/// Writes the changelog in the form that Debian wants; ours is in the archives.
fn write_changelog(release: &Release) -> Outcome {
    let date = host::output_of("date", &["-u", "-R", "-d", &format!("@{}", release.epoch)]);
    let date = date.ok_or_else(|| Failure::new("date does not know the time of the commit"))?;
    let text = format!(
        "curt ({VERSION}) unstable; urgency=medium\n\n  * Release {VERSION}.\n\n -- {}  {}\n",
        maintainer(),
        date.trim()
    );
    let path = release.folder.join("debian/changelog");
    share::write(&path, text.as_bytes())?;
    host::check(Command::new("gzip").args(["-9", "--no-name", "--force"]).arg(path))
}

pub(super) fn test(release: &Release, cases: &mut Cases) {
    for machine in release.machines() {
        let package = release.path(&name(machine));
        let what = |text: &str| format!("{}: {text}", machine.debian);
        cases.add("deb", &what("lintian is content"), in_debian(LINTIAN, &[&package]));
        if machine.is_this() {
            let outcome = in_debian(INSTALL, &[&package, VERSION]);
            cases.add("deb", &what("is installed, runs, and is removed"), outcome);
        }
    }
}

fn in_debian(script: &str, arguments: &[&str]) -> Outcome {
    let command = [&["sh", "-euxc", script, "sh"][..], arguments].concat();
    quiet(&mut Root::with(&[&PACKAGES])?.command(&command)?)
}
