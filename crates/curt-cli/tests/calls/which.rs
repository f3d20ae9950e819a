//! The budgets of `curt which`: a call for each directory that is missed, two for a hit. N names cost as
//! much in each directory.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;

use curt_testkit::{Scratch, skip};

use crate::strace::{Traced, available, curt, difference};
use crate::{check_snapshot, slope};

/// Directories of which every fourth is not there, and every fourth holds what does not match; the last
/// one holds the program.
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

fn traced(scratch: &Scratch, path: &str, names: &[&str]) -> Traced {
    // Not in JSON, which looks into what is found: the counts are those of the log alone.
    let (_, log) = crate::strace::trace(
        scratch,
        std::path::Path::new(env!("CARGO_BIN_EXE_curt")),
        &[&["which", "--path", path], names].concat(),
    );
    Traced {
        seen: crate::strace::count(&log),
        log,
        ..curt(scratch, &["which", "--path", path, "no"])
    }
}

#[test]
fn a_directory_costs_a_call_and_a_hit_two() {
    if !available() {
        return skip("strace is not installed, or may not trace");
    }
    let scratch = Scratch::new();
    let few = path(&scratch, 20);
    let many = path(&scratch, 220);
    let mut text = String::from("curt which program\n\n");
    let difference_of = |names: &[&str]| {
        difference(&traced(&scratch, &many, names).seen, &traced(&scratch, &few, names).seen)
    };
    slope(&mut text, "200 directories more, found in the last", &difference_of(&["program"]), 200);
    slope(&mut text, "200 directories more, found nowhere", &difference_of(&["nothing"]), 200);
    let none = traced(&scratch, "/nowhere", &["nothing"]);
    let near = scratch.at("20/last").display().to_string();
    let hit = traced(&scratch, &near, &["program"]);
    let about = |log: &str, name: &str| log.lines().filter(|line| line.contains(name)).count();
    writeln!(text, "a hit in the first directory").unwrap();
    writeln!(text, "    about the program {}", about(&hit.log, "last/program\"")).unwrap();
    writeln!(text, "a path that is none: about it {}", about(&none.log, "nowhere/nothing\""))
        .unwrap();
    let given = traced(&scratch, &many, &[&format!("{near}/program")]);
    writeln!(text, "an absolute name").unwrap();
    writeln!(text, "    about the program {}", about(&given.log, "last/program\"")).unwrap();
    writeln!(
        text,
        "    about directories of PATH {}",
        about(&given.log, "220/") - about(&given.log, "execve(")
    )
    .unwrap();
    check_snapshot("which", &text);
}

#[test]
fn what_is_counted_is_what_is_seen() {
    if !available() {
        return skip("strace is not installed, or may not trace");
    }
    let scratch = Scratch::new();
    let few = path(&scratch, 20);
    let many = path(&scratch, 220);
    let [less, more] = [few, many]
        .map(|path| curt(&scratch, &["which", "--path", &path, "program", "nothing", "sh"]));
    let seen = difference(&more.seen, &less.seen);
    let counted = difference(&more.counted, &less.counted);
    for (name, count) in counted {
        assert_eq!(seen.get(&name).copied().unwrap_or(0), count, "{name}");
    }
}
