use super::{TARGET, Windows, calls};
use crate::host::{self, Failure, Outcome};

/// Runs the task `windows-session`: a command that can use `wine`, mingw, and these variables.
/// Exits with its status.
///
/// - `CURT_LIBRARY`: with `--library`, the directory of libcurt, built for release;
/// - `CURT_NATIVE_CALLS`: a script for `sh` that runs a program under Wine and writes its ntdll
///   calls to a file, a count and a name per line. Arguments: the file, the program and its
///   arguments;
/// - `CARGO_TARGET_DIR`: a directory for builds; `WINEPREFIX`, whose `drive_c` is C:.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (wants_library, arguments) = match arguments {
        [library, rest @ ..] if library == "--library" => (true, rest),
        _ => (false, arguments),
    };
    let command = host::after_dashes(arguments);
    if command.is_empty() {
        return Err(Failure::usage("windows-session [--library] -- COMMAND…"));
    }
    let windows = Windows::ready()?;
    if wants_library {
        let build = ["build", "--quiet", "--release", "--package", "curt-capi"];
        host::check(&mut windows.command(&windows.cargo(&build)))?;
    }
    let (counter, set_up) = calls::counter(&windows)?;
    let library = windows.inside(&format!("target/{TARGET}/release"));
    let script = format!("{set_up}\nexec \"$@\"");
    let mut words = ["sh", "-euc", &script, "sh", "env"].map(str::to_owned).to_vec();
    words.push(format!("CURT_LIBRARY={}", library.display()));
    words.push(format!("CURT_NATIVE_CALLS={}", counter.display()));
    words.extend(command.iter().cloned());
    host::pass_on(&mut windows.session(&words))
}
