//! `shutil.which`.

use std::path::Path;
use std::process::Command;

use curt_testkit::skip;

use super::{Answer, CASES, Case, Ground, compare};

const PROGRAM: &str = "import os, shutil, sys; found = shutil.which(sys.argv[1]); \
    print(found or '', end='')";

#[test]
fn cpython_finds_what_curt_finds() {
    // By its path, so that a stand-in which looks for others does not look in the table's PATH.
    let where_it_is =
        Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let own = where_it_is.ok().map(|output| String::from_utf8(output.stdout).unwrap());
    let pythons = [own.unwrap_or_default().trim().to_owned(), "/usr/bin/python3".to_owned()];
    for ground in Ground::all() {
        let works = |python: &&String| {
            Path::new(python).is_absolute()
                && Path::new(python).exists()
                && ground.run(Path::new(python), &["-c", ""], "/bin").status.success()
        };
        let Some(python) = pythons.iter().find(works) else {
            let has_one = pythons.iter().any(|python| Path::new(python).is_file());
            assert!(!has_one || ground.as_other, "python3 is installed and does not run");
            skip(if has_one {
                "python3 cannot be run by another user"
            } else {
                "python3 is not installed"
            });
            continue;
        };
        let python = Path::new(python);
        // It has one word for all that is not found.
        let theirs = |(path, name): Case| {
            let output = ground.run(python, &["-c", PROGRAM, name], path);
            assert!(output.status.success(), "{output:?}");
            match String::from_utf8(output.stdout).unwrap().as_str() {
                "" => ground.why((path, name), false),
                found => Answer::Found(ground.plain(found)),
            }
        };
        compare(&ground, &["--policy", "cpython"], CASES, theirs);
    }
}
