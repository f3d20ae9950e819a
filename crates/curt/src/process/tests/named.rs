//! Programs given by their names: looked up with the environment of the child.

use std::path::{Path, PathBuf};

use curt_testkit::Scratch;

use super::{in_every_way, printed};
use crate::error::FindCause;
use crate::error::{Cause, Operation, StartFailure};
use crate::which::{Cwd, Search};

/// Creates a script that prints a word.
fn saying(scratch: &Scratch, path: &str, word: &str) -> PathBuf {
    scratch.script(path, format!("#!/bin/sh\necho {word} $0\n"), 0o755)
}

fn path_of(directories: &[&Path]) -> String {
    let names: Vec<&str> = directories.iter().map(|path| path.to_str().unwrap()).collect();
    names.join(":")
}

#[test]
fn names_are_looked_up_in_the_path_of_the_child() {
    let scratch = Scratch::new();
    let one = saying(&scratch, "one/curt-test", "one");
    let two = saying(&scratch, "two/curt-test", "two");
    let path = path_of(&[one.parent().unwrap(), two.parent().unwrap()]);
    in_every_way("curt-test", |way, mut command| {
        let error = command.spawn().unwrap_err();
        assert_eq!(error.operation(), Operation::Find, "{way}");
        assert!(matches!(error.cause(), Cause::Find(_)), "{way}: {error:?}");
        command.env("PATH", &path);
        assert_eq!(printed(&command), format!("one {}\n", one.display()), "{way}");
        // The `PATH` of the search takes precedence.
        command.search(Search::new().path(two.parent().unwrap()));
        assert_eq!(printed(&command), format!("two {}\n", two.display()), "{way}");
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_changed_path_does_not_fork() {
    let mut command = crate::process::Command::new("true");
    let mut child = command.env("PATH", "/nowhere:/bin").spawn().unwrap();
    child.wait().unwrap();
    let calls = child.calls();
    assert_eq!((calls.of("clone3"), calls.of("fork")), (1, 0));
    // Three questions: a miss, a hit, and the kind of the hit.
    assert_eq!(calls.of("faccessat2") + calls.of("statx"), 3, "{calls:?}");
}

#[test]
fn relative_entries_begin_at_the_directory_of_the_child() {
    let scratch = Scratch::new();
    let inside = saying(&scratch, "place/bin/curt-test", "inside");
    in_every_way("curt-test", |way, mut command| {
        command.env("PATH", "bin").current_dir(scratch.at("place"));
        assert_eq!(printed(&command), format!("inside {}\n", inside.display()), "{way}");
    });
}

#[test]
fn the_working_directory_is_not_searched_implicitly() {
    let scratch = Scratch::new();
    let here = saying(&scratch, "curt-test", "here");
    in_every_way("curt-test", |way, mut command| {
        command.env("PATH", ":/bin").current_dir(scratch.path());
        let error = command.spawn().unwrap_err();
        let Cause::Find(cause) = error.cause() else { panic!("{way}: {error:?}") };
        assert!(matches!(cause.cause(), FindCause::OnlyInWorkingDirectory), "{way}: {cause:?}");
        command.search(Search::new().cwd(Cwd::Always));
        let printed = printed(&command);
        assert!(printed.starts_with("here "), "{way}: {printed}");
        assert!(here.exists());
    });
}

#[test]
fn candidates_that_cannot_be_started_are_skipped() {
    let scratch = Scratch::new();
    scratch.script("a/curt-test", "#!/no/such\n", 0o755);
    let good = saying(&scratch, "b/curt-test", "good");
    let junk = scratch.script("c/curt-test", "neither\n", 0o755);
    let places = ["a", "b", "c"].map(|name| scratch.at(name));
    in_every_way("curt-test", |way, mut command| {
        command.env("PATH", path_of(&[&places[0], &places[1]]));
        assert_eq!(printed(&command), format!("good {}\n", good.display()), "{way}");
        // Without another candidate the first failure is reported, with its file.
        command.env("PATH", path_of(&[&places[0]]));
        let error = command.spawn().unwrap_err();
        assert_eq!(error.path(), scratch.at("a/curt-test"), "{way}");
        let is_interpreter =
            matches!(error.cause(), Cause::Start(StartFailure::InterpreterMissing { .. }, _));
        assert!(is_interpreter, "{way}: {error:?}");
        // A file of unknown format ends the search, as with execvp.
        command.env("PATH", path_of(&[&places[2], &places[1]]));
        let error = command.spawn().unwrap_err();
        assert_eq!(error.path(), junk, "{way}");
        assert!(matches!(error.cause(), Cause::Start(StartFailure::BadFormat, _)), "{way}");
    });
}

#[test]
fn explain_starts_nothing() {
    let scratch = Scratch::new();
    let good = saying(&scratch, "b/curt-test", "good");
    in_every_way("curt-test", |way, mut command| {
        command.env("PATH", good.parent().unwrap());
        let told = command.explain();
        assert_eq!(told.result.unwrap().path(), good, "{way}");
    });
}
