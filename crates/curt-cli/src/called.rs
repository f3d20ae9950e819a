//! The name that curt was called by. A link named like one of the commands below acts as that
//! command: options follow directly, messages begin with that name, and usage errors exit with the
//! GNU tool's code.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

const NAMES: [&str; 8] = ["rm", "cp", "ls", "du", "stat", "which", "realpath", "readlink"];

static CALLED: OnceLock<&str> = OnceLock::new();

/// Returns the command for a program name, and remembers it.
pub(crate) fn by(program: &OsStr) -> Option<&'static str> {
    let found = command(program)?;
    Some(CALLED.get_or_init(|| found))
}

/// Returns the name that curt was called by, unless it is `curt`.
pub(crate) fn name() -> Option<&'static str> {
    CALLED.get().copied()
}

/// Returns the name for messages: `curt rm`, or `rm` if curt was called by that name.
pub(crate) fn shown(program: String) -> String {
    name().filter(|name| program.ends_with(name)).map_or(program, str::to_owned)
}

/// Returns the number of words that precede a command's options and operands.
pub(crate) fn words_before() -> usize {
    if name().is_some() { 1 } else { 2 }
}

fn command(program: &OsStr) -> Option<&'static str> {
    let name = stem(program)?;
    NAMES.into_iter().find(|known| *known == name)
}

/// Returns a program's name, on Windows in lower case and without `.exe`.
pub(crate) fn stem(program: &OsStr) -> Option<String> {
    let name = Path::new(program).file_name()?.to_str()?;
    if EXE_SUFFIX.is_empty() {
        return Some(name.to_owned());
    }
    let name = name.to_ascii_lowercase();
    Some(name.strip_suffix(EXE_SUFFIX).map_or(name.clone(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::env::consts::EXE_SUFFIX;

    use super::command;

    #[test]
    fn a_program_is_the_command_of_its_name() {
        let called = |program: &str| command(program.as_ref());
        for (program, name) in [
            ("rm", Some("rm")),
            ("./du", Some("du")),
            ("/usr/local/bin/stat", Some("stat")),
            ("curt", None),
            ("/rm/curt", None),
            ("rmdir", None),
            ("-ls", None),
            ("", None),
            ("/", None),
        ] {
            assert_eq!(called(program), name, "{program}");
            let with_suffix = format!("{program}{EXE_SUFFIX}");
            assert_eq!(called(&with_suffix), name, "{with_suffix}");
        }
        let on_windows = Some("rm").filter(|_| !EXE_SUFFIX.is_empty());
        assert_eq!(called("RM.EXE"), on_windows);
        assert_eq!(called("rm.exe"), on_windows);
    }
}
