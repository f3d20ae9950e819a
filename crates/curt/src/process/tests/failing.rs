//! Starts that fail, each with its reason, and leave nothing behind.

use std::io::ErrorKind;

use crate::error::{Cause, StartFailure};
use crate::process::Command;

/// Why a start fails.
fn reason(command: &Command) -> (StartFailure, ErrorKind) {
    let error = command.spawn().map(drop).unwrap_err();
    let kind = error.kind();
    // A child that failed is not left as a zombie.
    if let Ok(children) = std::fs::read_to_string("/proc/thread-self/children") {
        assert_eq!(children, "");
    }
    match error.cause() {
        Cause::Start(why, _) => (why.clone(), kind),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_nul_in_an_argument_is_refused() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("a\0b");
    assert_eq!(reason(&command), (StartFailure::InvalidText, ErrorKind::InvalidInput));
}

/// Such a name would set another variable. Windows has hidden ones that begin with `=`.
#[test]
fn a_name_that_no_variable_has_is_refused() {
    for name in ["", "A=B", "A=", "=A="] {
        let why = StartFailure::InvalidVariable { name: name.into() };
        for program in ["curt-no-such", "/curt-no-such"] {
            let mut command = Command::new(program);
            command.env(name, "c");
            assert_eq!(reason(&command), (why.clone(), ErrorKind::InvalidInput));
            let error = command.spawn().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "cannot start '{program}': '{name}' is not the name of a variable: it is empty \
                     or contains '='"
                )
            );
            // As in the standard library, there is none that could stay.
            let error = command.env_remove(name).spawn().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        }
    }
    let mut command = Command::new("curt-no-such");
    let error = command.env("=A", "").spawn().unwrap_err();
    assert_eq!(matches!(error.cause(), Cause::Start(..)), cfg!(unix), "{error}");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use curt_testkit::Scratch;

    #[test]
    fn the_missing_file_is_named() {
        let scratch = Scratch::new();
        let missing = (StartFailure::ProgramMissing, ErrorKind::NotFound);
        assert_eq!(reason(&Command::new(scratch.at("lost"))), missing);
        for (text, interpreter, carriage_return) in
            [("#!/no/such -x\n", "/no/such", false), ("#!/bin/sh\r\necho\r\n", "/bin/sh", true)]
        {
            let path = scratch.script("script", text, 0o755);
            let interpreter = interpreter.into();
            let why = StartFailure::InterpreterMissing { interpreter, carriage_return };
            assert_eq!(reason(&Command::new(&path)), (why, ErrorKind::NotFound));
        }
        // A relative path is relative to the directory of the child.
        scratch.script("script", "#!/no/such\n", 0o755);
        let mut command = Command::new("./script");
        let why = reason(command.current_dir(scratch.path())).0;
        assert!(matches!(why, StartFailure::InterpreterMissing { .. }), "{why:?}");
    }

    #[test]
    fn the_directory_is_named_if_it_is_to_blame() {
        let scratch = Scratch::new();
        scratch.file("file");
        let mut command = Command::new("/bin/true");
        for (name, kind) in [("nowhere", ErrorKind::NotFound), ("file", ErrorKind::NotADirectory)] {
            command.current_dir(scratch.at(name));
            assert_eq!(command.spawn().unwrap_err().path(), scratch.at(name));
            assert_eq!(reason(&command), (StartFailure::Directory, kind));
        }
        let mut command = Command::new("./lost");
        command.current_dir(scratch.path());
        assert_eq!(reason(&command).0, StartFailure::ProgramMissing);
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_reported_with_the_reason() {
        let scratch = Scratch::new();
        let refused = (StartFailure::NotExecutable, ErrorKind::PermissionDenied);
        let plain = scratch.script("plain", "#!/bin/sh\n", 0o644);
        assert_eq!(reason(&Command::new(&plain)), refused);
        assert_eq!(reason(&Command::new(scratch.path())), refused);
        let no_directory = (StartFailure::System, ErrorKind::NotADirectory);
        for end in ["", "inside"] {
            assert_eq!(reason(&Command::new(plain.join(end))), no_directory, "{end}");
        }
        let mut long = Command::new("/bin/true");
        long.args(std::iter::repeat_n("x".repeat(100_000), 100));
        assert_eq!(reason(&long), (StartFailure::TooLong, ErrorKind::ArgumentListTooLong));
    }

    /// No shell reads it, with a directory or without: a damaged file is no script.
    #[test]
    fn a_file_of_unknown_format_is_not_run() {
        let scratch = Scratch::new();
        let junk = scratch.script("junk", "touch ran\n", 0o755);
        let mut command = Command::new(&junk);
        assert_eq!(reason(&command).0, StartFailure::BadFormat);
        assert_eq!(reason(command.current_dir(scratch.path())).0, StartFailure::BadFormat);
        assert_eq!(reason(command.own_tree(true)).0, StartFailure::BadFormat);
        assert!(!scratch.at("ran").exists());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_that_is_being_written_is_busy() {
        let scratch = Scratch::new();
        let copy = scratch.program("/bin/true", "copy");
        let writer = std::fs::File::options().append(true).open(&copy).unwrap();
        let busy = (StartFailure::TextBusy, ErrorKind::ExecutableFileBusy);
        assert_eq!(reason(&Command::new(&copy)), busy);
        drop(writer);
    }

    #[test]
    fn messages_say_what_and_why() {
        let scratch = Scratch::new();
        let path = scratch.script("script", "#!/bin/sh\r\n", 0o755);
        let error = Command::new(&path).spawn().unwrap_err();
        let text = "its interpreter '/bin/sh' is missing; its first line ends in a carriage return";
        assert_eq!(error.to_string(), format!("cannot start '{}': {text}", path.display()));
        assert_eq!(error.raw_os_error(), Some(2));
    }
}
