use super::Windows;
use crate::host::{self, Failure, Outcome};
use crate::say;
use std::ffi::OsString;
use std::fs;

pub(crate) fn build(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("windows-build takes no arguments"));
    }
    say::out(Windows::ready()?.packaged()?.display());
    Ok(())
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (given, arguments) = match arguments {
        [exe, file, rest @ ..] if exe == "--exe" => (Some(file), host::after_dashes(rest)),
        _ => (None, host::after_dashes(arguments)),
    };
    let windows = Windows::ready()?;
    // Start Wine first: it creates drive C:, where the directory is made.
    host::check(&mut windows.session(&["true"]))?;
    let scratch = Windows::on_drive_c("scratch");
    let folder = windows.outside(&scratch);
    fs::create_dir_all(&folder)?;
    let curt = match given {
        Some(file) => {
            fs::copy(file, windows.outside("given.exe"))?;
            windows.inside("given.exe")
        }
        None => windows.curt()?,
    };
    say::err(format_args!("windows-run: in C:\\scratch, which is {}", folder.display()));
    let mut command: Vec<OsString> = vec!["env".into(), "-C".into()];
    command.extend([windows.inside(&scratch).into(), "wine".into(), curt.into()]);
    command.extend(arguments.iter().map(OsString::from));
    host::pass_on(&mut windows.session(&command))
}
