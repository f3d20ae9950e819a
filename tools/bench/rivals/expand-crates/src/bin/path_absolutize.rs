//! `absolutize_from` of the `path-absolutize` crate, which borrows what is clean.
use path_absolutize::Absolutize;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    rival_expand_crates::run(&["posix"], |_, base, path| {
        Path::new(path).absolutize_from(base).map_or(0, |full| full.as_os_str().len())
    })
}
