//! A search makes one call per directory that lacks the name, and two for a match.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use curt_testkit::Scratch;

use crate::strace::{count, curt, difference, total, trace, tracing};
use crate::{check_snapshot, slope};

/// Returns a `PATH`. A quarter of its directories are missing, a quarter have another file, and
/// only the last one has the program.
fn path(scratch: &Scratch, count: usize) -> String {
    let mut entries = Vec::new();
    for number in 0..count {
        let name = format!("{count}/{number}");
        match number % 4 {
            0 => {}
            1 => {
                scratch.file(format!("{name}/other"));
            }
            _ => {
                scratch.dir(&name);
            }
        }
        entries.push(scratch.at(&name).display().to_string());
    }
    let last = scratch.file(format!("{count}/last/program"));
    std::fs::set_permissions(last, std::fs::Permissions::from_mode(0o755)).unwrap();
    entries.push(scratch.at(format!("{count}/last")).display().to_string());
    entries.join(":")
}

fn log(scratch: &Scratch, path: &str, name: &str) -> String {
    log_of(scratch, &["which", "--path", path, name])
}

fn log_of(scratch: &Scratch, words: &[&str]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let (_, log) = trace(scratch, program, words);
    log.lines().filter(|line| !line.contains("execve(")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn a_directory_takes_one_call_and_a_hit_two() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let few = path(&scratch, 20);
    let many = path(&scratch, 220);
    let mut text = String::from("curt which program\n\n");
    let more = |name: &str| {
        difference(&count(&log(&scratch, &many, name)), &count(&log(&scratch, &few, name)))
    };
    slope(&mut text, "200 directories more, found in the last", &more("program"), 200);
    slope(&mut text, "200 directories more, found nowhere", &more("nothing"), 200);
    let about = |path: &str, name: &str, content: &str| {
        log(&scratch, path, name).lines().filter(|line| line.contains(content)).count()
    };
    let near = scratch.at("20/last").display().to_string();
    let hit = about(&near, "program", "last/program\"");
    let program = format!("{near}/program");
    let given = about(&many, &program, "last/program\"");
    let path_calls = about(&many, &program, "/220/");
    writeln!(text, "calls about the program in the first directory: {hit}").unwrap();
    writeln!(text, "calls about the program by an absolute name: {given}").unwrap();
    writeln!(text, "calls about directories of PATH then: {path_calls}").unwrap();
    for (name, content) in [("image", "\x7fELF"), ("script", "#!/bin/sh\n")] {
        let file = scratch.file_with(format!("kinds/{name}"), content.as_bytes());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let kinds = scratch.at("kinds").display().to_string();
        let calls = |json: &[&str]| -> u64 {
            let words = [&["which", "--path", &kinds], json, &[name]].concat();
            total(&count(&log_of(&scratch, &words)))
        };
        let more = calls(&["--json"]) - calls(&[]);
        writeln!(text, "calls more in JSON, found is {name}: {more}").unwrap();
    }
    check_snapshot("which", &text);
}

#[test]
fn counted_calls_of_a_search_are_those_that_strace_sees() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let few = path(&scratch, 20);
    let many = path(&scratch, 220);
    let [less, more] = [few, many]
        .map(|path| curt(&scratch, &["which", "--path", &path, "program", "nothing", "sh"]));
    for traced in [&less, &more] {
        traced.check();
    }
    let seen = difference(&more.seen, &less.seen);
    assert_eq!(seen, difference(&more.counted, &less.counted));
}
