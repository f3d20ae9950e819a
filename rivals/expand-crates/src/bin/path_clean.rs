//! Joins, where the path is relative, and cleans with the `path-clean` crate.
use path_clean::clean;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    rival_expand_crates::run(&["posix"], |_, base, path| {
        let path = Path::new(path);
        let full = if path.is_absolute() { clean(path) } else { clean(Path::new(base).join(path)) };
        full.as_os_str().len()
    })
}
