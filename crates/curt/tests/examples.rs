//! Runs the programs in `examples/`. The suite `server` tests the file server.

use std::path::Path;
use std::process::{Command, Output};

use curt_testkit::{Scratch, skip};

/// Cargo builds examples before the tests of their package.
fn run(name: &str, arguments: &[&str]) -> Option<Output> {
    let own = std::env::current_exe().expect("a test knows its program");
    let folder = own.ancestors().nth(2).expect("a test lies in deps/").join("examples");
    let program = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        skip("the examples were not built");
        return None;
    }
    Some(Command::new(program).args(arguments).output().expect("an example can be started"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\\', "/").replace('\r', "\n")
}

fn tree() -> (Scratch, String) {
    let scratch = Scratch::new();
    for name in ["t/src/a.rs", "t/build.o", "t/node_modules/x/i.js", "t/node_modules/x/j.js"] {
        scratch.file_with(name, b"four");
    }
    scratch.file_with("t/.ignore", b"*.o\n");
    let folder = scratch.at("t").into_os_string().into_string().expect("a scratch path is text");
    (scratch, folder)
}

#[test]
fn walk_with_ignore_leaves_ignored_files_out() {
    let (_scratch, folder) = tree();
    let Some(output) = run("walk_with_ignore", &[&folder]) else { return };
    let printed = text(&output.stdout);
    let mut names: Vec<&str> =
        printed.lines().filter_map(|line| line.split("/t/").nth(1)).collect();
    names.sort_unstable();
    assert_eq!(names, ["node_modules/x/i.js", "node_modules/x/j.js", "src/a.rs"]);
    assert!(printed.lines().all(|line| line.trim_start().starts_with("4 ")), "{printed}");
    assert!(text(&output.stderr).starts_with("7 entries, "), "{}", text(&output.stderr));
}

#[test]
fn remove_node_modules_removes_nothing_else() {
    let (scratch, folder) = tree();
    let Some(output) = run("remove_node_modules", &[&folder]) else { return };
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("2 files and 2 directories removed"));
    assert!(!scratch.exists("t/node_modules"));
    assert!(scratch.exists("t/src/a.rs") && scratch.exists("t/build.o"));
}

#[test]
fn run_with_time_limit_prints_the_output_or_kills() {
    let own = std::env::current_exe().expect("a test knows its program");
    let own = own.to_str().expect("a build folder is text");
    let Some(output) = run("run_with_time_limit", &["60", own, "--list"]) else { return };
    let printed = text(&output.stdout);
    assert!(printed.contains("run_with_time_limit_prints_the_output_or_kills: test"), "{printed}");
    assert!(printed.contains("ended: exit"), "{printed}");
    let arguments: &[&str] = if cfg!(windows) {
        &["0.1", "ping", "-n", "60", "127.0.0.1"]
    } else {
        &["0.1", "sleep", "60"]
    };
    let Some(output) = run("run_with_time_limit", arguments) else { return };
    assert!(text(&output.stdout).contains("was killed after 100ms"), "{}", text(&output.stderr));
}

#[test]
fn expand_paths_knows_home_and_the_working_directory() {
    let Some(output) = run("expand_paths", &["x/../y", "~/z"]) else { return };
    let printed = text(&output.stdout);
    let paths: Vec<&Path> = printed.lines().map(Path::new).collect();
    let here = std::env::current_dir().expect("a working directory").join("y");
    assert_eq!(printed.lines().next(), Some(&*text(here.as_os_str().as_encoded_bytes())));
    assert!(paths[1].ends_with("z") && paths[1].is_absolute(), "{printed}");
}

#[test]
fn list_with_times_is_sorted_and_has_sizes() {
    let (_scratch, folder) = tree();
    let Some(output) = run("list_with_times", &[&folder]) else { return };
    let printed = text(&output.stdout);
    let names: Vec<_> = printed.lines().filter_map(|line| line.split(' ').next_back()).collect();
    assert_eq!(names, [".ignore", "build.o", "node_modules", "src"]);
    let words: Vec<_> = printed.lines().nth(1).unwrap_or_default().split_whitespace().collect();
    assert_eq!(words[..2], ["file", "4"]);
    assert!(words[2].starts_with("20") && words[2].ends_with('Z'), "{printed}");
}
