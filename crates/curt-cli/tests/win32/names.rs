use std::fs;
use std::path::Path;

use curt_testkit::{Scratch, skip};

use crate::{FILE_NOT_FOUND, curt, odd_name, run};

/// Names that only a path with `\\?\` can express: devices, and names with endings that Win32
/// strips. A name of only dots can be removed with its parent, but is refused as an operand, like
/// `.` or `..`.
const VERBATIM_ONLY: [&str; 13] = [
    "nul", "NUL.txt", "con", "con.txt", "aux", "prn", "com1", "lpt9.log", "dot.", "dots...",
    "space ", "both. .", "...",
];

#[test]
fn verbatim_names_in_a_tree_are_removed() {
    let scratch = Scratch::new();
    for name in VERBATIM_ONLY {
        scratch.file(format!("t/{name}"));
        scratch.file(format!("t/sub/{name} d/{name}"));
    }
    run(&scratch, ["-r", "t"]).assert_quiet();
    assert!(scratch.list(".").is_empty());
}

#[test]
fn verbatim_names_are_operands() {
    for prefix in ["", "sub/", r"sub\"] {
        let scratch = Scratch::new();
        let names = VERBATIM_ONLY.into_iter().filter(|&name| name != "...");
        for name in names.clone() {
            scratch.file(format!("{}{name}", prefix.replace('\\', "/")));
        }
        let operands: Vec<String> = names.map(|name| format!("{prefix}{name}")).collect();
        run(&scratch, &operands).assert_quiet();
        assert!(scratch.list(".").iter().all(|line| line == "d sub"), "{prefix}");
    }
}

/// Win32 strips these endings, and would remove a different entry.
#[test]
fn entries_with_the_stripped_name_remain() {
    let scratch = Scratch::new();
    scratch.file("dot");
    scratch.file("d/file");
    for operand in ["dot.", "dot ", "dot...", "d.", "d ."] {
        run(&scratch, ["-r", operand]).assert_failed(operand, FILE_NOT_FOUND);
    }
    scratch.file("dot.");
    run(&scratch, ["dot."]).assert_quiet();
    assert_eq!(scratch.list("."), ["- d/file", "- dot", "d d"]);
}

/// `nul` is a missing file here, which `-f` ignores.
#[test]
fn device_names_are_file_names() {
    let scratch = Scratch::new();
    run(&scratch, ["nul"]).assert_failed("nul", FILE_NOT_FOUND);
    run(&scratch, ["-f", "nul", "con.txt"]).assert_quiet();
}

#[test]
fn names_that_are_not_unicode_are_removed() {
    let scratch = Scratch::new();
    let name = odd_name();
    if fs::create_dir(scratch.at("t"))
        .and_then(|()| fs::write(scratch.at("t").join(&name), ""))
        .is_err()
    {
        return skip("names with surrogates that have no partner cannot be made here");
    }
    fs::create_dir(scratch.at(&name)).unwrap();
    fs::write(scratch.at(&name).join(&name), "").unwrap();
    run(&scratch, ["-r".as_ref(), "t".as_ref(), name.as_os_str()]).assert_quiet();
    assert!(scratch.list(".").is_empty());
}

#[test]
fn names_that_differ_in_case_are_two_files() {
    let scratch = Scratch::new();
    scratch.dir("t");
    let mut fsutil = std::process::Command::new("fsutil");
    fsutil.args(["file", "setCaseSensitiveInfo"]).arg(scratch.typed().join("t")).arg("enable");
    let _ = fsutil.stdout(std::process::Stdio::null()).status();
    scratch.file("t/twin");
    if fs::File::create_new(scratch.at("t/Twin")).is_err() {
        return skip("no directory here tells upper from lower case");
    }
    run(&scratch, [r"t\Twin"]).assert_quiet();
    assert_eq!(scratch.list("t"), ["- twin"]);
    scratch.file("t/TWIN");
    run(&scratch, ["-r", "t"]).assert_quiet();
    assert!(!scratch.exists("t"));
}

#[test]
fn names_that_differ_in_case_are_one_file_elsewhere() {
    let scratch = Scratch::new();
    scratch.file("Name/File");
    if !Path::new(&scratch.path().join("NAME")).exists() {
        return skip("the volume tells upper from lower case");
    }
    let output = curt(scratch.typed(), ["-r", r"NAME\fILE", "name"]).output().unwrap();
    crate::Outcome::of(&output).assert_quiet();
    assert!(scratch.list(".").is_empty());
}
