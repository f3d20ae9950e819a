//! The archives for any Linux: unpacked into `/usr/local` without their first folder, everything
//! is where programs, manual pages and completions are looked for.

use super::cases::Cases;
use super::linux::{LIMIT, Machine};
use super::{Release, Scratch, VERSION, quiet, start};
use crate::debian_root::{EMULATOR, Root};
use crate::host::{self, Failure, Outcome};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Runs curt in a root that holds nothing else: whatever it needed would be missing. Argument: the
/// archive.
const EMPTY_ROOT: &str = r#"
mkdir root root/tree root/tree/folder
tar -xzf "$1" -C root --strip-components=1
: >root/tree/folder/file
test -s root/share/man/man1/curt.1
test -s root/share/man/man1/curt-rm.1
test -s root/share/bash-completion/completions/curt
test -s root/share/zsh/site-functions/_curt
test -s root/share/fish/vendor_completions.d/curt.fish
test -s root/share/doc/curt/LICENSE-MIT
chroot root /bin/curt --version
test "$(chroot root /bin/curt --version)" = "curt $2"
test "$(chroot root /bin/curt ls /tree)" = folder
chroot root /bin/curt rm -r /tree
test ! -e root/tree
"#;

/// Runs curt by the emulator of another processor. Arguments: the emulator, the archive, version.
const EMULATED: &str = r#"
cd /tmp
mkdir -p tree/folder
: >tree/folder/file
tar -xzf "$2" --strip-components=1
test "$("$1" bin/curt --version)" = "curt $3"
test "$("$1" bin/curt ls tree)" = folder
"$1" bin/curt rm -r tree
test ! -e tree
"#;

/// The name of an archive without its ending, and of the folder in it.
fn stem(machine: &Machine) -> String {
    format!("curt-{VERSION}-{}", machine.triple)
}

pub(super) fn make(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    release.machines().map(|machine| make_one(release, machine)).collect()
}

fn make_one(release: &Release, machine: &Machine) -> Result<PathBuf, Failure> {
    let binary = machine.build()?;
    let stem = stem(machine);
    let package = release.folder.join(format!("{stem}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--format=ustar", "--sort=name", "--owner=0", "--group=0"]);
    tar.args(["--numeric-owner", "--mode=a+rX,u+w,go-w", "--use-compress-program=gzip -9n"]);
    tar.arg(format!("--mtime=@{}", release.epoch));
    tar.arg(format!("--transform=s,^curt$,{stem}/bin/curt,"));
    tar.arg(format!("--transform=s,^share,{stem}/share,"));
    tar.arg("--file").arg(&package);
    tar.arg("-C").arg(binary.parent().unwrap_or(&binary)).arg("curt");
    host::check(tar.arg("-C").arg(&release.folder).arg("share"))?;
    Ok(package)
}

pub(super) fn test(release: &Release, cases: &mut Cases) {
    for machine in release.machines() {
        let archive = release.path(&format!("{}.tar.gz", stem(machine)));
        let processor = machine.processor();
        cases.add("tar", &format!("{processor}: the binary is small"), size(machine));
        let what = format!("{processor}: runs from the archive alone");
        if machine.is_this() {
            cases.add("tar", &what, in_empty_root(&archive));
            cases.add("tar", "starts nearly as fast as true", start::is_quick(machine));
        } else {
            cases.add("tar", &what, emulated(machine, &archive));
        }
    }
}

fn size(machine: &Machine) -> Outcome {
    let size = fs::metadata(machine.build()?)?.len();
    if size <= LIMIT {
        return Ok(());
    }
    Err(Failure::new(format!("{size} bytes, more than {LIMIT}")))
}

fn in_empty_root(archive: &str) -> Outcome {
    if !host::is_root() {
        return Err(Failure::missing("changing the root directory needs root"));
    }
    Scratch::new()?.run(EMPTY_ROOT, &[archive, VERSION])
}

fn emulated(machine: &Machine, archive: &str) -> Outcome {
    let emulator = format!("qemu-{}", machine.processor());
    let script = ["sh", "-euxc", EMULATED, "sh", &emulator, archive, VERSION];
    quiet(&mut Root::with(&[&EMULATOR])?.command(&script)?)
}
