use std::fmt::Write;
use std::path::Path;

use curt_testkit::Scratch;

use crate::check_snapshot;
use crate::strace::{count, empty_program, loading, total, trace, tracing};

/// Loading a library costs nine calls. With Rust 1.85, the command also needs libm, to round
/// numbers.
#[test]
fn the_command_loads_with_the_calls_of_an_empty_program() {
    let Some(()) = tracing() else { return };
    let curt = Path::new(env!("CARGO_BIN_EXE_curt"));
    let scratch = Scratch::new();
    let empty = empty_program(&scratch);
    let (calls, libraries) = loading(&trace(&scratch, curt, &["rm", "-f"]).1);
    let (least, usual) = loading(&trace(&scratch, &empty, &[]).1);
    let allowed = least + 9 * libraries.saturating_sub(usual);
    assert!(calls <= allowed, "{calls} calls for {libraries} libraries, {least} for {usual}");
    assert!(libraries <= 2, "{libraries} libraries");
}

#[test]
fn every_command_starts_with_the_same_calls() {
    let Some(()) = tracing() else { return };
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let mut text = String::new();
    for args in [
        &["rm", "-f"][..],
        &["rm", "-rf", "missing"],
        &["rm", "file"],
        &["rm", "-r", "tree"],
        // For an expression other than `.`, curt would query the number of processors, and without
        // `-u`, it would search parents for ignore files.
        &["find", "-u", ".", "tree"],
        &["find", "-u", "--json", "--fields=name,size", ".", "tree"],
        &["du", "tree"],
        &["ls", "tree"],
        &["ls", "--json", "tree"],
        &["stat", "--json", "file"],
        &["stat", "missing"],
        &["which", "--path", "bin", "program"],
        &["which", "--path", "bin", "nothing"],
        &["realpath", "tree/file"],
        &["realpath", "tree/new"],
        &["readlink", "-f", "tree/../file"],
        // Only the working directory costs a system call.
        &["expand", "--dotdot", "clamp", "/a/../b", "/c"],
        &["expand", "a", "b/../c", "../d"],
        &["expand", "--style", "ruby", "--home", "/h", "~/x", "/~root"],
        &["expand", "--json", "--flavor", "windows", "--cwd", r"C:\x", "a", "b"],
        &["beneath", "--root", "tree", "file"],
        &["beneath", "--root", "tree", "../file"],
    ] {
        // On tmpfs, a listing reports its end without a further call.
        let scratch = Scratch::new();
        scratch.file("file");
        scratch.file("tree/file");
        scratch.script("bin/program", "#!/bin/true\n", 0o755);
        let (_, log) = trace(&scratch, program, args);
        let calls = count(&log);
        writeln!(text, "curt {}: {}", args.join(" "), total(&calls)).unwrap();
        let calls: Vec<String> =
            calls.iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(text, "    {}", calls.join(", ")).unwrap();
    }
    check_snapshot("start", &text);
}
