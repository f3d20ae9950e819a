//! Program searches in real directories: results, spelling, and native calls. If Wine's cmd.exe
//! behaves like the real one, the search must find the program that cmd.exe starts.

use std::os::windows::process::CommandExt;
use std::process::Command;

use curt::Search;
use curt::which::{FoundIn, NotFound, Policy, Program};
use curt_testkit::Scratch;

const PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";
const ELEVEN: &str = ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC";

fn path(scratch: &Scratch, names: &[&str]) -> String {
    let entries = names.iter().map(|name| scratch.at(name).display().to_string());
    entries.collect::<Vec<_>>().join(";")
}

fn plain(path: &str) -> String {
    path.trim_start_matches(r"\\?\").to_lowercase()
}

/// Searches once before counting, to cache facts about the volume.
fn cost(scratch: &Scratch, pathext: &str, name: &str) -> u64 {
    warm_up(scratch);
    let base = scratch.at("no such base");
    let mut search = Search::new().pathext(pathext).path(path(scratch, &["d"])).base(&base);
    let found = search.find(name).is_ok();
    search.calls().total() - u64::from(!found) * base_cost(&base)
}

fn reason(error: &curt::Error) -> &NotFound {
    match error.cause() {
        curt::Cause::Find(why) => why,
        other => panic!("{other:?}"),
    }
}

fn base_cost(base: &std::path::Path) -> u64 {
    let mut search = Search::new().path("").pathext(PATHEXT).base(base);
    assert_eq!(reason(&search.find("x").unwrap_err()).word(), "directory-missing");
    search.calls().total()
}

fn warm_up(scratch: &Scratch) {
    if !scratch.exists("warm") {
        scratch.file("warm/x.exe");
    }
    let search = Search::new().path(path(scratch, &["warm"])).pathext(".EXE");
    search.find("x").unwrap();
}

#[test]
fn spelling_is_that_of_the_disk() {
    let scratch = Scratch::new();
    scratch.file("d/Hello.EXE");
    for pathext in [".exe", ".com;.exe", PATHEXT, ELEVEN] {
        let search = Search::new().path(path(&scratch, &["gone", "d"])).pathext(pathext);
        let found = search.find("hELLO").unwrap();
        let expected = scratch.at("d").join("Hello.EXE");
        assert_eq!(found.path(), expected, "{pathext}");
        assert_eq!((found.origin(), found.program()), (FoundIn::Path(1), Program::Image));
        assert!(!found.is_relative());
    }
}

#[test]
fn native_calls_are_those_of_the_table() {
    let scratch = Scratch::new();
    assert_eq!(cost(&scratch, ".EXE", "x"), 1, "absent, one candidate");
    assert_eq!(cost(&scratch, ELEVEN, "x"), 1, "absent");
    scratch.file("d/y.exe");
    for (pathext, calls) in [(".EXE", 1), (".COM;.EXE", 2), (PATHEXT, 3), (ELEVEN, 3)] {
        assert_eq!(cost(&scratch, pathext, "x"), calls, "a miss: {pathext}");
    }
    scratch.file("d/x.cmd");
    assert_eq!(cost(&scratch, PATHEXT, "x"), 4, "found");
    scratch.file("d/x.com");
    assert_eq!(cost(&scratch, PATHEXT, "x"), 3, "the first rank is found");
    for pathext in [".COM", ".EXE;.COM"] {
        let k = pathext.split(';').count() as u64;
        assert_eq!(cost(&scratch, pathext, "x"), k + 2, "asked for and spelled: {pathext}");
    }
    let mut search = Search::new().path(path(&scratch, &["d"])).pathext(PATHEXT);
    assert_eq!(reason(&search.find("nul").unwrap_err()).word(), "invalid-name");
    assert_eq!(search.calls().total(), 0);
}

#[test]
fn directories_files_and_paths_are_distinguished() {
    let scratch = Scratch::new();
    scratch.tree("", "a/x.exe/ a/file b/x.bat w/here.cmd");
    let joined =
        format!("{};{}", path(&scratch, &["a/file", "a", "b"]), r"Z:\no\drive;\\.\nul;bad|");
    let search = Search::new().path(joined).pathext(PATHEXT).base(scratch.at("w"));
    assert_eq!(search.find("x").unwrap().origin(), FoundIn::Path(2));
    let given = search.find(r"..\b\x").unwrap();
    assert_eq!((given.origin(), given.program()), (FoundIn::Given, Program::Batch));
    let full = scratch.at("b").join("X");
    assert!(search.find(full).unwrap().path().ends_with("x.bat"));
    let error = search.find("here").unwrap_err();
    let why = reason(&error);
    assert_eq!(why.word(), "not-found", "{error:?}");
    assert!(why.path().unwrap().ends_with("here.cmd"), "{error:?}");
    assert_eq!(reason(&search.find("file").unwrap_err()).word(), "not-found");
}

#[test]
fn cmd_policy_finds_the_program_that_cmd_starts() {
    let scratch = Scratch::new();
    let batch = |path: &str| {
        scratch.file_with(path, b"@echo off\r\necho %~f0\r\n");
    };
    for path in ["a/one.cmd", "b/one.bat", "b/two.bat", "b/two.cmd", "w/three.bat", "b/three.bat"] {
        batch(path);
    }
    batch("b/four.x.bat");
    scratch.tree("", "a/two.bat/ w/");
    let path = format!("{};{}", path(&scratch, &["gone", "a", "b"]), r"C:\windows\system32");
    let cmd = r"C:\windows\system32\cmd.exe";
    for (name, pathext) in [
        ("one", ".BAT;.CMD"),
        ("two", ".CMD;.BAT"),
        ("two", ".BAT;.CMD"),
        ("three", ".BAT;.CMD"),
        ("one.cmd", ".BAT;.CMD"),
        ("four.x", ".BAT;.CMD"),
    ] {
        let mut command = Command::new(cmd);
        command.raw_arg(format!("/d /c {name}")).env("PATH", &path).env("PATHEXT", pathext);
        let output = command.current_dir(scratch.at("w")).output().unwrap();
        let started = plain(String::from_utf8_lossy(&output.stdout).trim());
        let search = Search::new().policy(Policy::Cmd).path(&path).pathext(pathext);
        let found = search.base(scratch.at("w")).find(name).unwrap();
        let found = plain(found.path().to_str().unwrap());
        assert_eq!(started, found, "{name} with {pathext}");
    }
}
