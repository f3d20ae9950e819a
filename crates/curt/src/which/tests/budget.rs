use std::sync::Arc;

use super::{Fixture, PATHEXT, build};
use crate::sys::fault::Faults;
use crate::sys::memory::{Denied, World};
use crate::which::directories::RelativeTo;

const ELEVEN: &str = ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC";

/// Looks up `x` in one directory. Returns the result and the number of calls, without those for the
/// working directory.
fn cost(pathext: &str, change: impl FnOnce(&mut World)) -> (String, u64) {
    let mut fixture = Fixture::windows("/a", change).pathext(pathext);
    fixture.options.base = RelativeTo::WorkingDirectory;
    let (answer, calls) = fixture.find("x");
    // A failed look-up also searches the working directory.
    let k = pathext.split(';').count() as u64;
    let calls = if answer.starts_with("not-found") { calls - k.min(3) } else { calls };
    (answer.split(' ').next().unwrap_or_default().to_owned(), calls)
}

#[test]
fn calls_for_a_directory_are_those_of_the_table() {
    const NONE: &str = "not-found";
    for (tree, answer, few, eleven) in [
        ("w/", NONE, 1, 1),
        ("a/y.exe a/z", NONE, 3, 3),
        ("a/xyz.exe a/x.txt", NONE, 4, 4),
        ("a/x.com a/x1.exe a/xx", "/a/x.com", 3, 3),
        ("a/x.exe a/x1.exe a/xx", "/a/x.exe", 4, 4),
        ("a/x.cmd a/x1.exe a/xx", "/a/x.cmd", 4, 4),
        ("a/y a/unlistable", NONE, 1 + 4, 1 + 11),
    ] {
        for (pathext, calls) in [(PATHEXT, few), (ELEVEN, eleven)] {
            let found = cost(pathext, |world| {
                build(world, tree);
                if tree.ends_with("unlistable") {
                    world.deny("a", Denied { list: true, ..Denied::default() });
                }
            });
            assert_eq!(found, (answer.into(), calls), "{tree} {pathext}");
        }
    }
    for (pathext, k) in [(".EXE", 1), (".COM;.EXE", 2)] {
        for (tree, answer, calls) in
            [("a/y.exe", NONE, k), ("w/", NONE, 1), ("a/X.exe", "/a/X.exe", k + 2)]
        {
            assert_eq!(cost(pathext, |world| build(world, tree)), (answer.into(), calls));
        }
    }
}

/// The case of a bug report to Zig, with the program in the 197th directory.
#[test]
fn a_long_path_costs_three_calls_for_each_directory() {
    let entries: Vec<String> = (0..211).map(|at| format!("/{at}")).collect();
    let fixture = Fixture::windows(&entries.join(";"), |world| {
        for directory in 0..211 {
            for number in 0..5 {
                world.file(format!("{directory}/name{number}"));
            }
        }
        world.file("196/x.exe").dir("w");
    });
    assert_eq!(fixture.find("x"), ("/196/x.exe path:196 image".into(), 196 * 3 + 4));
    let fixture = Fixture::windows("/a;/b;/A/;\"/a\";/b/.", |world| build(world, "a/ b/"));
    assert_eq!(fixture.find("x"), ("not-found".into(), 3 + 3 + 1 + 3));
    assert_eq!(fixture.find("/a/x"), ("not-found".into(), 3));
}

fn look_alikes(world: &mut World, count: usize) {
    for number in 0..count {
        world.file(format!("a/x{number:06}"));
    }
}

#[test]
fn among_many_look_alikes_each_candidate_is_probed() {
    for (pathext, k) in [(".COM;.EXE;.BAT;.CMD;.VBS", 5), (ELEVEN, 11)] {
        let miss = cost(pathext, |world| look_alikes(world, 100_000));
        assert_eq!(miss, ("not-found".into(), 3 + k));
    }
    let hit = cost(ELEVEN, |world| {
        look_alikes(world, 1_000);
        world.file("a/x.msc");
    });
    assert_eq!(hit, ("/a/x.msc".into(), 3 + 11 + 2));
    let seen_first = cost(ELEVEN, |world| {
        world.file("a/x.exe");
        look_alikes(world, 1_000);
    });
    assert_eq!(seen_first, ("/a/x.exe".into(), 4), "only the better one is asked for");
}

#[test]
fn posix_takes_one_call_for_a_miss_and_two_for_a_hit() {
    let fixture = Fixture::posix("/a:/gone:/b:/c", |world| build(world, "c/x a/ b/"));
    assert_eq!(fixture.find("x"), ("/c/x path:3 executable".into(), 5));
    assert_eq!(fixture.find("y"), ("not-found".into(), 4));
    assert_eq!(fixture.find("/c/x"), ("/c/x given executable".into(), 2));
}

fn with_one_fault(fixture: &mut Fixture, calls: &[&'static str], seen: &mut Vec<(String, String)>) {
    for &call in calls {
        for nth in 0..6 {
            // EPERM, EIO, ENOMEM, ENODEV, EMFILE and ESTALE.
            for error in [1, 5, 12, 19, 24, 116] {
                let faults = Arc::new(Faults::default().fail(call, nth, error));
                fixture.setup.faults = Some(Arc::clone(&faults));
                let (answer, _) = fixture.find("x");
                if faults.hits() > 0 {
                    seen.push((format!("{call} {nth} {error}"), answer));
                }
            }
        }
    }
}

#[test]
fn no_failed_call_hides_a_program() {
    const CALLS: [&str; 4] =
        ["NtOpenFile", "NtQueryDirectoryFile", "NtQueryInformationFile", "close"];
    let mut seen = Vec::new();
    for pathext in [PATHEXT, ".cmd"] {
        let fixture = Fixture::windows("/a;/b", |world| {
            look_alikes(world, 100);
            world.file("b/x.cmd").dir("w");
        });
        let mut fixture = fixture.pathext(pathext);
        with_one_fault(&mut fixture, &CALLS, &mut seen);
    }
    let mut fixture = Fixture::posix("/a:/b", |world| {
        world.dir("a").file("b/x");
    });
    with_one_fault(&mut fixture, &["faccessat2", "statx"], &mut seen);
    let mut fixture = Fixture::windows("/a;/b", |world| build(world, "a/x.exe b/x.exe"));
    fixture.setup.faults = Some(Arc::new(Faults::default().fail("NtOpenFile", 0, 24)));
    fixture.assert_finds("x other /a");
    let mut failed = 0;
    for (fault, answer) in &seen {
        let is_found = answer.starts_with("/b/x path:1") || answer.starts_with("/b/x.cmd path:1");
        // The program may be in a denied directory.
        let is_reported = ["other /a", "other /b"].contains(&answer.as_str());
        let is_denied = fault.ends_with(" 1") && answer == "not-found";
        assert!(is_found || is_reported || is_denied, "{fault}: {answer}");
        failed += usize::from(is_reported);
    }
    assert!(seen.len() > 40 && failed > 15, "{failed} of {}: {seen:?}", seen.len());
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_that_cannot_be_examined_is_reported() {
    use crate::sys::fault::Faults;
    use crate::sys::{Os, Setup, Sys};
    use crate::which::engine::{Engine, Options};
    use curt_paths::Flavor;
    use std::ffi::OsStr;
    let scratch = curt_testkit::Scratch::new();
    scratch.file("a/program");
    scratch.link("a/x.exe", "program");
    let options = Options {
        flavor: Some(Flavor::Windows),
        path: Some(scratch.at("a").into()),
        pathext: Some(PATHEXT.into()),
        base: RelativeTo::Directory(scratch.path().to_owned()),
        environment: Some(Vec::new()),
        ..Options::default()
    };
    let find = |faults: Faults| {
        let setup = Setup { faults: Some(Arc::new(faults)), ..Setup::default() };
        Engine::new(Os::start(&setup), &options).find(OsStr::new("x"))
    };
    find(Faults::default()).unwrap();
    let error = find(Faults::default().fail("statx", 0, 5)).unwrap_err();
    assert_eq!(super::reason(&error).word(), "other");
}
