//! The C library: a program that calls `execvp`. glibc in most places; musl too, where its compiler
//! is installed.

use std::path::PathBuf;
use std::process::Command;

use curt_testkit::skip;

use super::{Answer, CASES, Case, Ground, compare};

const PROGRAM: &[u8] = b"#include <errno.h>\n#include <stdio.h>\n#include <unistd.h>\n\
    int main(int count, char **words) {\n\
        (void)count; execvp(words[1], words + 1); printf(\"errno %d\\n\", errno); return 1;\n\
    }\n";

/// Builds the program with a compiler; `None`, said aloud, without it.
fn build(ground: &Ground, compiler: &str) -> Option<PathBuf> {
    let source = ground.scratch.file_with("execvp.c", PROGRAM);
    let program = ground.scratch.at("execvp");
    let built = Command::new(compiler).arg("-o").arg(&program).arg(source).output();
    match built {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            skip(&format!("{compiler} is not installed"));
            None
        }
        built => {
            assert!(built.as_ref().unwrap().status.success(), "{built:?}");
            Some(program)
        }
    }
}

fn check(compiler: &str) {
    for ground in Ground::all() {
        let Some(program) = build(&ground, compiler) else { return };
        compare(&ground, &["--policy", "posix"], CASES, |(path, name): Case| {
            let output = ground.run(&program, &[name], path);
            let text = String::from_utf8(output.stdout).unwrap();
            let said = text.lines().next().unwrap_or_default();
            match said {
                "errno 2" | "errno 20" => Answer::Not("not-found".to_owned()),
                // It has one word for what may not be executed and for what may not be searched.
                "errno 13" => ground.why((path, name), true),
                other => Answer::Found(ground.plain(other)),
            }
        });
    }
}

#[test]
fn the_c_library_starts_what_curt_finds() {
    check("cc");
}

#[test]
fn musl_starts_what_curt_finds() {
    check("musl-gcc");
}

#[test]
fn an_empty_path_is_the_working_directory_to_execvp() {
    let ground = Ground::new(false);
    let Some(program) = build(&ground, "cc") else { return };
    let output = ground.run(&program, &["here"], "");
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "here");
    let found = ground.curt(&["--policy", "posix"], ("", "here"));
    assert_eq!(found, Answer::Found(ground.plain("here")));
    // curt's own rules find nothing in a place that nobody named.
    assert_eq!(ground.curt(&[], ("", "here")), Answer::Not("not-found".to_owned()));
}
