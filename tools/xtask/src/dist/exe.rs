//! `curt.exe`, one file: built with mingw, run under Wine.

use super::cases::Cases;
use super::{Release, VERSION, quiet};
use crate::host::{self, Failure, Outcome};
use crate::windows::Windows;
use std::fs;
use std::path::PathBuf;

/// Uses the program. Arguments: its path, the version.
const USE: &str = r#"
test "$(wine "$1" --version | tr -d '\r')" = "curt $2"
rm -rf tree
mkdir -p tree/folder
: >tree/folder/file
test "$(wine "$1" ls tree | tr -d '\r')" = folder
wine "$1" rm -r tree
test ! -e tree
"#;

fn name() -> String {
    format!("curt-{VERSION}-x86_64-pc-windows-gnu.exe")
}

/// Builds the program and returns the file among the packages.
pub(super) fn make(release: &Release) -> Result<Vec<PathBuf>, Failure> {
    let package = release.folder.join(name());
    fs::copy(Windows::ready()?.packaged()?, &package)?;
    Ok(vec![package])
}

pub(super) fn test(release: &Release, cases: &mut Cases) {
    cases.add("exe", "runs under Wine", under_wine(release));
}

fn under_wine(release: &Release) -> Outcome {
    let windows = Windows::ready()?;
    let program = name();
    // Before Wine makes the drive there is no place for the folder.
    host::check(&mut windows.session(&["true"])?)?;
    let folder = Windows::on_drive_c("dist");
    fs::create_dir_all(windows.outside(&folder))?;
    fs::copy(release.folder.join(&program), windows.outside(&folder).join(&program))?;
    let inside = windows.inside(&folder).to_string_lossy().into_owned();
    let script = ["env", "-C", &inside, "sh", "-euxc", USE, "sh", &program, VERSION];
    quiet(&mut windows.session(&script)?)
}
