//! Programs given by their names: looked up with the environment of the child.

use std::path::{Path, PathBuf};

use curt_testkit::Scratch;

use super::printed;
use crate::error::{Cause, FindCause, Operation, StartFailure};
use crate::process::Command;
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
    let mut command = Command::new("curt-test");
    let error = command.spawn().unwrap_err();
    assert_eq!(error.operation(), Operation::Find);
    assert!(matches!(error.cause(), Cause::Find(_)), "{error:?}");
    command.env("PATH", &path);
    assert_eq!(printed(&command), format!("one {}\n", one.display()));
    // The `PATH` of the search takes precedence.
    command.search(Search::new().path(two.parent().unwrap()));
    assert_eq!(printed(&command), format!("two {}\n", two.display()));
}

#[test]
fn relative_entries_begin_at_the_directory_of_the_child() {
    let scratch = Scratch::new();
    let inside = saying(&scratch, "place/bin/curt-test", "inside");
    let mut command = Command::new("curt-test");
    command.env("PATH", "bin").current_dir(scratch.at("place"));
    assert_eq!(printed(&command), format!("inside {}\n", inside.display()));
}

#[test]
fn the_working_directory_is_not_searched_implicitly() {
    let scratch = Scratch::new();
    let here = saying(&scratch, "curt-test", "here");
    let mut command = Command::new("curt-test");
    command.env("PATH", ":/bin").current_dir(scratch.path());
    let error = command.spawn().unwrap_err();
    let Cause::Find(cause) = error.cause() else { panic!("{error:?}") };
    assert!(matches!(cause.cause(), FindCause::OnlyInWorkingDirectory), "{cause:?}");
    command.search(Search::new().cwd(Cwd::Always));
    let printed = printed(&command);
    assert!(printed.starts_with("here "), "{printed}");
    assert!(here.exists());
}

#[test]
fn candidates_that_cannot_be_started_are_skipped() {
    let scratch = Scratch::new();
    scratch.script("a/curt-test", "#!/no/such\n", 0o755);
    let good = saying(&scratch, "b/curt-test", "good");
    let junk = scratch.script("c/curt-test", "neither\n", 0o755);
    let places = ["a", "b", "c"].map(|name| scratch.at(name));
    let mut command = Command::new("curt-test");
    command.env("PATH", path_of(&[&places[0], &places[1]]));
    assert_eq!(printed(&command), format!("good {}\n", good.display()));
    // Without another candidate the first failure is reported, with its file.
    command.env("PATH", path_of(&[&places[0]]));
    let error = command.spawn().unwrap_err();
    assert_eq!(error.path(), scratch.at("a/curt-test"));
    let is_interpreter =
        matches!(error.cause(), Cause::Start(StartFailure::InterpreterMissing { .. }, _));
    assert!(is_interpreter, "{error:?}");
    // A file of unknown format ends the search, as with execvp.
    command.env("PATH", path_of(&[&places[2], &places[1]]));
    let error = command.spawn().unwrap_err();
    assert_eq!(error.path(), junk);
    assert!(matches!(error.cause(), Cause::Start(StartFailure::BadFormat, _)));
}

#[test]
fn explain_starts_nothing() {
    let scratch = Scratch::new();
    let good = saying(&scratch, "b/curt-test", "good");
    let mut command = Command::new("curt-test");
    command.env("PATH", good.parent().unwrap());
    let told = command.explain();
    assert_eq!(told.result.unwrap().path(), good);
}
