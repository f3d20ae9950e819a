//! The name that curt was called by. A link to it with the name of one of these commands is that
//! command: its words follow at once, its messages begin with that name alone, and it exits as the
//! tool of that name does if the command line is wrong.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

const NAMES: [&str; 7] = ["rm", "ls", "du", "stat", "which", "realpath", "readlink"];

/// The name among these that curt was called by. Set when the command line is read.
static CALLED: OnceLock<&str> = OnceLock::new();

/// Returns the command that a program of this name is, and remembers it.
pub(crate) fn by(program: &OsStr) -> Option<&'static str> {
    let found = command(program)?;
    Some(CALLED.get_or_init(|| found))
}

/// Returns the name that curt was called by, unless it is its own.
pub(crate) fn name() -> Option<&'static str> {
    CALLED.get().copied()
}

/// Returns the name in messages: this one, such as `curt rm`, or that by which curt was called.
pub(crate) fn shown(program: String) -> String {
    name().filter(|name| program.ends_with(name)).map_or(program, str::to_owned)
}

/// Returns how many words precede those of a command.
pub(crate) fn words_before() -> usize {
    if name().is_some() { 1 } else { 2 }
}

fn command(program: &OsStr) -> Option<&'static str> {
    let name = stem(program)?;
    NAMES.into_iter().find(|known| *known == name)
}

/// Returns the name of a program. Names have no case where programs have a suffix, which need not
/// be typed.
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
        // Only Windows has a suffix, and names without case.
        let on_windows = Some("rm").filter(|_| !EXE_SUFFIX.is_empty());
        assert_eq!(called("RM.EXE"), on_windows);
        assert_eq!(called("rm.exe"), on_windows);
    }
}
