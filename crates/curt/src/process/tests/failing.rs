use std::io::ErrorKind;

use crate::error::{Cause, StartFailure};
use crate::process::Command;

fn reason(command: &Command) -> (StartFailure, ErrorKind) {
    let error = command.spawn().map(drop).unwrap_err();
    let kind = error.kind();
    if let Ok(children) = std::fs::read_to_string("/proc/thread-self/children") {
        assert_eq!(children, "");
    }
    match error.cause() {
        Cause::Start(why, _) => (why.clone(), kind),
        other => panic!("{other:?}"),
    }
}

/// A name that contains `=` would set a different variable.
#[test]
fn a_text_that_no_argument_or_variable_has_is_refused() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("a\0b");
    assert_eq!(reason(&command), (StartFailure::InvalidText, ErrorKind::InvalidInput));
    for name in ["", "A=B", "A=", "=A="] {
        let why = StartFailure::InvalidVariable { name: name.into() };
        for program in ["curt-no-such", "/curt-no-such"] {
            let mut command = Command::new(program);
            command.env(name, "c");
            assert_eq!(reason(&command), (why.clone(), ErrorKind::InvalidInput));
            let error = command.spawn().unwrap_err().to_string();
            let text = "is not the name of a variable: it is empty or contains '='";
            assert_eq!(error, format!("cannot start '{program}': '{name}' {text}"));
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
    use crate::error::StartFailure::*;
    use curt_testkit::Scratch;

    #[test]
    fn the_reason_is_that_of_the_file_or_the_directory() {
        let scratch = Scratch::new();
        scratch.script("plain", "#!/bin/sh\n", 0o644);
        scratch.script("junk", "touch ran\n", 0o755);
        scratch.script("lost", "#!/no/such -x\n", 0o755);
        let returned = scratch.script("returned", "#!/bin/sh\r\necho\r\n", 0o755);
        let missing = |interpreter: &str, carriage_return| InterpreterMissing {
            interpreter: interpreter.into(),
            carriage_return,
        };
        let below = |path: &str| scratch.at(path).display().to_string();
        for (program, directory, why, kind) in [
            (below("nothing"), "", ProgramMissing, ErrorKind::NotFound),
            ("./nothing".into(), "", ProgramMissing, ErrorKind::NotFound),
            (below("lost"), "", missing("/no/such", false), ErrorKind::NotFound),
            (below("returned"), "", missing("/bin/sh", true), ErrorKind::NotFound),
            ("./lost".into(), "", missing("/no/such", false), ErrorKind::NotFound),
            ("/bin/true".into(), "nowhere", Directory, ErrorKind::NotFound),
            ("/bin/true".into(), "plain", Directory, ErrorKind::NotADirectory),
            (below("plain"), "", NotExecutable, ErrorKind::PermissionDenied),
            (below(""), "", NotExecutable, ErrorKind::PermissionDenied),
            (below("plain") + "/", "", System, ErrorKind::NotADirectory),
            (below("plain") + "/inside", "", System, ErrorKind::NotADirectory),
        ] {
            let mut command = Command::new(&program);
            command.current_dir(scratch.at(directory));
            assert_eq!(reason(&command), (why.clone(), kind), "{program} in '{directory}'");
            if why == Directory {
                assert_eq!(command.spawn().unwrap_err().path(), scratch.at(directory));
            }
        }
        let mut command = Command::new(scratch.at("junk"));
        assert_eq!(reason(&command).0, BadFormat);
        assert_eq!(reason(command.current_dir(scratch.path())).0, BadFormat);
        assert_eq!(reason(command.own_tree(true)).0, BadFormat);
        assert!(!scratch.at("ran").exists());
        let mut long = Command::new("/bin/true");
        long.args(std::iter::repeat_n("x".repeat(100_000), 100));
        assert_eq!(reason(&long), (TooLong, ErrorKind::ArgumentListTooLong));
        if cfg!(target_os = "linux") {
            let copy = scratch.program("/bin/true", "copy");
            let _writer = std::fs::File::options().append(true).open(&copy).unwrap();
            let busy = (TextBusy, ErrorKind::ExecutableFileBusy);
            assert_eq!(reason(&Command::new(&copy)), busy);
        }
        let error = Command::new(&returned).spawn().unwrap_err();
        let text = "its interpreter '/bin/sh' is missing; its first line ends in a carriage return";
        assert_eq!(error.to_string(), format!("cannot start '{}': {text}", returned.display()));
        assert_eq!(error.raw_os_error(), Some(2));
    }
}
