//! `exec.LookPath`.

use std::process::Command;

use curt_testkit::skip;

use super::{Answer, CASES, Case, Ground, compare};

const PROGRAM: &[u8] = b"package main\n\
    import (\"errors\"; \"fmt\"; \"os\"; \"os/exec\")\n\
    func main() {\n\
        found, err := exec.LookPath(os.Args[1])\n\
        if errors.Is(err, exec.ErrDot) { fmt.Print(\"dot\") } else \
        if err != nil { fmt.Print(\"\") } else { fmt.Print(found) }\n\
    }\n";

#[test]
fn go_finds_what_curt_finds() {
    let grounds = Ground::all();
    let Some(first) = grounds.first() else { return };
    let source = first.scratch.file_with("look.go", PROGRAM);
    let built = first.scratch.at("look");
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(&built).arg(source).env("GO111MODULE", "off");
    build.env("GOTOOLCHAIN", "local").current_dir(first.scratch.path());
    match build.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return skip("go is not installed");
        }
        output => assert!(output.as_ref().unwrap().status.success(), "{output:?}"),
    }
    for ground in &grounds {
        let program = ground.scratch.program(&built, "go-look");
        // An entry that is relative is refused by both; a pipe that may be executed it takes for a
        // program.
        let cases = CASES.into_iter().filter(|(_, name)| *name != "pipe");
        compare(ground, &["--policy", "go"], cases, |(path, name): Case| {
            let output = ground.run(&program, &[name], path);
            assert!(output.status.success(), "{output:?}");
            match String::from_utf8(output.stdout).unwrap().as_str() {
                "dot" => Answer::Not("relative-result".to_owned()),
                // It has one word for all that is not found.
                "" => ground.why((path, name), false),
                found => Answer::Found(ground.plain(found)),
            }
        });
    }
}
