//! `std::path::absolute`, which keeps `..`: it knows only what has none. The base is made the
//! working directory's stand-in by joining, so that nobody has to ask for it.
use std::path::{absolute, Path};
use std::process::ExitCode;

fn main() -> ExitCode {
    let has_dots = std::env::args().nth(4).is_some_and(|paths| paths.contains(".."));
    if has_dots {
        return ExitCode::from(2);
    }
    rival_expand_crates::run(&["posix"], |_, base, path| {
        let path = Path::new(path);
        let full = if path.is_absolute() {
            absolute(path)
        } else {
            absolute(Path::new(base).join(path))
        };
        full.map_or(0, |full| full.as_os_str().len())
    })
}
