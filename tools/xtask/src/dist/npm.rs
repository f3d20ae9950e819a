//! The npm package: one for all systems, with all binaries; `docs/adr/0042-packages.md` says why.

use super::cases::Cases;
use super::{Release, VERSION, quiet, share, source};
use crate::debian_root::{NODE, Root};
use crate::host::{self, Failure, Outcome};
use crate::windows::Windows;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of the package that lie beside this one.
const FILES: [&str; 4] = ["package.json", "README.md", "curt.js", "curt-fs.js"];

/// Begins each test, in a Debian of which nothing stays: the folders are laid out as Node's own.
const PREPARE: &str = r#"
export HOME=/tmp/home PATH="/tmp/node/bin:$PATH"
for name in npm npx; do
    ln -s "../lib/node_modules/npm/bin/$name-cli.js" "/tmp/node/bin/$name"
done
mkdir /tmp/home /tmp/project
cd /tmp/project
npm --version || exit 97
"#;

/// Prints the paths of Node and of npm's folder.
const WHERE: &str = r#"echo "$npm_node_execpath"; echo "${npm_execpath%/bin/*}""#;

/// Installs the package into a project, and deletes its `node_modules`. Arguments: the package, the
/// version.
const INSTALL: &str = r#"
printf '{"private": true}' >package.json
npm install --offline --no-audit --no-fund "$1"
test "$(npx --offline curt-fs --version)" = "curt $2"
test "$(npx --offline curt --version)" = "curt $2"
status=0
npx --offline curt stat missing || status=$?
test "$status" = 1
status=0
npx --offline curt rm node_modules || status=$?
test "$status" = 1
test -e node_modules/curt-fs/package.json
npx --offline curt-fs rm node_modules
test ! -e node_modules
"#;

/// Runs the package where nothing is installed. Arguments: the package, the version.
const NPX: &str = r#"
mkdir -p node_modules/package
npx --yes --offline --package "$1" curt-fs rm node_modules
test ! -e node_modules
"#;

/// A signal that the launcher gets ends what it started, and then the launcher in the same way.
/// Arguments: the package.
const SIGNAL: &str = r#"
printf '{"private": true}' >package.json
npm install --offline --no-audit --no-fund "$1"
node node_modules/curt-fs/curt.js run --timeout 60s -- sleep 30 &
launcher=$!
curt=
while [ -z "$curt" ]; do read -r curt <"/proc/$launcher/task/$launcher/children" || :; done
sleep 0.5
kill -TERM "$launcher"
status=0
wait "$launcher" || status=$?
test "$status" = 143
for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$curt" 2>/dev/null || exit 0; sleep 0.1; done
exit 1
"#;

fn package(release: &Release) -> PathBuf {
    release.folder.join(format!("curt-fs-{VERSION}.tgz"))
}

pub(super) fn make(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    needs_npm()?;
    let folder = release.folder.join("npm");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for name in FILES {
        let text = fs::read_to_string(source("npm").join(name))?;
        share::write(&folder.join(name), text.replace("0.0.0", VERSION).as_bytes())?;
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(host::checkout().join(name), folder.join(name))?;
    }
    for machine in release.machines() {
        fs::create_dir(folder.join(machine.npm))?;
        fs::copy(machine.build()?, folder.join(machine.npm).join("curt"))?;
    }
    if !release.is_here {
        fs::create_dir(folder.join("win32-x64"))?;
        fs::copy(Windows::ready()?.packaged()?, folder.join("win32-x64/curt.exe"))?;
    }
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(&release.folder);
    host::check(pack.current_dir(&folder).stdout(Stdio::null()))?;
    Ok(vec![package(release)])
}

fn needs_npm() -> Outcome {
    if host::has("npm") && host::has("node") {
        return Ok(());
    }
    Err(Failure::missing("npm is not installed"))
}

pub(super) fn test(release: &Release, cases: &mut Cases) {
    let package = package(release);
    let package = package.to_string_lossy();
    let run = |script| in_debian(script, &package);
    cases.add("npm", "is installed into a project, which it deletes", run(INSTALL));
    cases.add("npm", "npx runs it where it is not installed", run(NPX));
    cases.add("npm", "passes signals on", run(SIGNAL));
}

/// Runs a script in the Debian root with the Node and npm of this machine: Debian's npm has
/// hundreds of packages.
fn in_debian(script: &str, package: &str) -> Outcome {
    let paths = host::output_of("npm", &["exec", "--offline", "--call", WHERE]).unwrap_or_default();
    let Some((node, npm)) = paths.trim_end().split_once('\n') else {
        return Err(Failure::new("npm does not say where Node and npm are"));
    };
    let root = Root::with(&[&NODE])?;
    let root = root.show(Path::new(node), "/tmp/node/bin/node");
    let root = root.show(Path::new(npm), "/tmp/node/lib/node_modules/npm");
    let script = [PREPARE, script].concat();
    let command = ["sh", "-euxc", &script, "sh", package, VERSION];
    match quiet(&mut root.command(&command)?) {
        // A Node whose libraries are packages of the host, such as Debian's.
        Err(failure) if failure.text.ends_with("status: 97") => {
            Err(Failure::missing("the Node of this machine does not run in the Debian root"))
        }
        outcome => outcome,
    }
}
