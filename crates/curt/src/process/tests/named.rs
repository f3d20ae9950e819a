use std::path::PathBuf;

use curt_testkit::Scratch;

use crate::error::{Cause, Error, FindCause, Operation, StartFailure};
use crate::process::Command;
use crate::which::Search;

fn programs() -> Scratch {
    let scratch = Scratch::new();
    for place in ["one", "two", "."] {
        scratch.script(format!("{place}/curt-test"), "#!/bin/sh\necho $0\n", 0o755);
    }
    scratch.script("lost/curt-test", "#!/no/such\n", 0o755);
    scratch.script("junk/curt-test", "neither\n", 0o755);
    scratch
}

/// Starts the script with `path` as `PATH`, where `@` means the working directory, and returns the
/// path that the script prints.
fn started(scratch: &Scratch, path: &str, search: Option<Search>) -> Result<PathBuf, Error> {
    let mut command = Command::new("curt-test");
    let folder = scratch.path().to_str().unwrap();
    command.env("PATH", path.replace('@', folder)).current_dir(folder);
    search.map(|search| command.search(search));
    let explained = command.explain().result;
    let output = command.output()?;
    let printed = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end());
    assert!(output.status.success(), "{command:?}");
    // The found and the started program differ if the first candidate cannot be started.
    assert!(explained.unwrap().path() == printed || path.contains("lost"));
    Ok(printed)
}

#[test]
fn names_are_looked_up_in_the_path_and_the_directory_of_the_child() {
    let scratch = programs();
    let only_two = || Search::new().path(scratch.at("two"));
    for (path, search, place) in [
        ("@/one:@/two", None, "one"),
        ("one:two", None, "one"),
        ("@/one", Some(only_two()), "two"),
        // As with `execvp`, a missing interpreter does not end the search.
        ("@/lost:@/two", None, "two"),
    ] {
        let found = started(&scratch, path, search).unwrap();
        assert_eq!(found, scratch.at(place).join("curt-test"), "{path}");
    }
    for (path, place) in [("@/lost", "lost"), ("@/junk:@/two", "junk")] {
        let error = started(&scratch, path, None).unwrap_err();
        assert_eq!(error.path(), scratch.at(place).join("curt-test"));
        let is_known = match error.cause() {
            Cause::Start(StartFailure::InterpreterMissing { .. }, _) => place == "lost",
            Cause::Start(StartFailure::BadFormat, _) => place == "junk",
            _ => false,
        };
        assert!(is_known, "{error:?}");
    }
    let error = Command::new("curt-test").spawn().unwrap_err();
    assert_eq!(error.operation(), Operation::Find);
    assert!(matches!(error.cause(), Cause::Find(_)), "{error:?}");
}

#[test]
fn the_working_directory_is_not_searched_implicitly() {
    let scratch = programs();
    let error = started(&scratch, ":/bin", None).unwrap_err();
    let Cause::Find(cause) = error.cause() else { panic!("{error:?}") };
    assert!(matches!(cause.cause(), FindCause::OnlyInWorkingDirectory), "{cause:?}");
    let search = Search::new().cwd(true);
    assert!(started(&scratch, ":/bin", Some(search)).unwrap().ends_with("curt-test"));
}
