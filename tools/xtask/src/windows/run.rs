//! Runs `curt.exe` under Wine, as somebody would on Windows.

use super::Windows;
use crate::host::{self, Failure, Outcome};
use crate::say;
use std::ffi::OsString;
use std::fs;

/// The task `windows-run`: its exit status is that of the program.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let arguments = host::after_dashes(arguments);
    let windows = Windows::ready()?;
    let curt = windows.curt()?;
    // Before Wine makes the drive there is no place for the folder.
    host::check(&mut windows.session(&["true"])?)?;
    let scratch = Windows::on_drive_c("scratch");
    let folder = windows.outside(&scratch);
    fs::create_dir_all(&folder)?;
    say::err(format_args!("windows-run: in C:\\scratch, which is {}", folder.display()));
    let mut command: Vec<OsString> = vec!["env".into(), "-C".into()];
    command.extend([windows.inside(&scratch).into(), "wine".into(), curt.into()]);
    command.extend(arguments.iter().map(OsString::from));
    let status = windows.session(&command)?.status()?;
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Err(Failure { code, text: format!("curt.exe ended with {status}") })
}
