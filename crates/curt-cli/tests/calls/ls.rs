//! The call ceilings of `curt ls` and `curt stat` for N entries and L symlinks.

use std::fmt::Write;
use std::path::Path;

use curt_testkit::Scratch;

use crate::strace::{Counts, count, difference, trace, tracing};
use crate::{check_snapshot, slope};

fn calls(scratch: &Scratch, args: &[&str]) -> Counts {
    let (_, log) = trace(scratch, Path::new(env!("CARGO_BIN_EXE_curt")), args);
    count(&log)
}

#[test]
fn each_option_has_its_calls_per_entry() {
    let Some(()) = tracing() else { return };
    let seen = |args: &[&str], directories: u64, files: u64| {
        let scratch = Scratch::new();
        for directory in 0..directories {
            for file in 0..files {
                scratch.file(format!("tree/d{directory}/f{file}"));
                scratch.file(format!("tree/d{directory}/.hidden{file}"));
            }
            scratch.link(format!("tree/d{directory}/link"), "f0");
        }
        calls(&scratch, &[args, &["tree"]].concat())
    };
    let mut text = String::new();
    for args in [
        &["ls", "-R"][..],
        &["ls", "-R", "--color=always"],
        &["ls", "-RF", "--color=always"],
        &["ls", "--tree"],
        &["ls", "--tree", "-l", "-j1"],
        &["ls", "-Rn", "-j1"],
        &["ls", "-Rl", "-j1"],
        &["ls", "-Raihlst", "-j1"],
        &["ls", "-R", "--fields=user,name", "-j1"],
        &["ls", "-R", "--json", "-j1"],
    ] {
        let less = seen(args, 16, 2);
        let more = [(32, 2), (16, 4)]
            .map(|(directories, files)| difference(&seen(args, directories, files), &less));
        writeln!(text, "curt {}", args.join(" ")).unwrap();
        slope(&mut text, "16 directories of 2 files and a link more", &more[0], 16);
        slope(&mut text, "32 files more", &more[1], 32);
    }
    let scratch = Scratch::new();
    let files: Vec<String> = (0..64).map(|file| format!("f{file}")).collect();
    for file in &files {
        scratch.file(file);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let stat = |files: &[&str]| calls(&scratch, &[&["stat", "--json"], files].concat());
    text.push_str("curt stat --json\n");
    slope(&mut text, "32 files more", &difference(&stat(&files), &stat(&files[..32])), 32);
    check_snapshot("ls", &text);
}
