//! `join` and `normalize` of the `typed-path` crate, for paths of either system.
use std::process::ExitCode;
use typed_path::{Utf8UnixPath, Utf8WindowsPath};

fn main() -> ExitCode {
    rival_expand_crates::run(&["posix", "windows"], |flavor, base, path| {
        if flavor == "windows" {
            Utf8WindowsPath::new(base).join(path).normalize().as_str().len()
        } else {
            Utf8UnixPath::new(base).join(path).normalize().as_str().len()
        }
    })
}
