pub(crate) mod abi;
pub(crate) mod declarations;
pub(crate) mod header;
pub(crate) mod test;

use crate::api::difference;
use crate::host::{self, Failure, Outcome};
use crate::say;
use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    host::checkout().join("bindings/c")
}

pub(crate) fn header() -> Result<String, Failure> {
    Ok(fs::read_to_string(folder().join("include/curt.h"))?)
}

fn build() -> Result<PathBuf, Failure> {
    let linker = host::checkout().join("tools/dist/link-libcurt.sh");
    let mut build = host::cargo();
    build.args(["rustc", "--quiet", "--locked", "--package", "curt-capi", "--"]);
    host::check(build.arg(format!("-Clinker={}", linker.display())))?;
    Ok(host::target().join("debug"))
}

fn outcome(task: &str, file: &str, arguments: &[String], current: &str) -> Outcome {
    let path = folder().join(file);
    match arguments {
        [] => {}
        [option] if option == "--update" => return Ok(fs::write(path, current)?),
        _ => return Err(Failure::usage(format!("{task} takes --update only"))),
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if committed == current {
        return Ok(());
    }
    difference(&committed, current).iter().for_each(say::out);
    let text = format!("bindings/c/{file} is old: `cargo xtask {task} --update` writes it");
    Err(Failure::new(text))
}
