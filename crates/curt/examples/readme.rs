//! The library in the README: a test compares this with it.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::{env, fs, process};

fn main() -> Result<(), Box<dyn Error>> {
    let scratch = env::temp_dir().join(format!("curt-readme-{}", process::id()));
    fs::create_dir_all(scratch.join("target/debug"))?;
    fs::create_dir_all(scratch.join("www"))?;
    fs::write(scratch.join("www/index.html"), "<h1>hello</h1>")?;
    env::set_current_dir(&scratch)?;
    let request = "index.html";

    // README: begin
    // Removes a tree, or returns everything that stayed and why.
    let report = curt::remove_tree("target")?;
    println!("{} directories, {} calls", report.directories, report.calls.total());

    // All entries below a directory.
    for entry in curt::walk("www") {
        println!("{}", entry?.path.display());
    }

    // One directory.
    let mut list = curt::list(".")?;
    while let Some(entry) = list.next() {
        println!("{}", entry?.name().to_string_lossy());
    }

    // An untrusted path: the file, or the reason why it is refused.
    let root = curt::Root::open("www")?;
    let file = root.open_file(request, curt::beneath::OpenOptions::new().read(true))?;

    // A program, found in PATH and started.
    let status = curt::Command::new("git").arg("--version").status()?;
    // README: end

    assert_eq!(file.metadata()?.len(), 14);
    assert!(status.success());
    env::set_current_dir(env::temp_dir())?;
    curt::remove_tree(&scratch)?;
    Ok(())
}
