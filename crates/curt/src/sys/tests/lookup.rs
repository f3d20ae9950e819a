//! The contract for finding programs.

use std::io::ErrorKind;

use super::asked::{Asked, base, name, number_or_kind, units};
use super::ground::Ground;
use crate::name::Unit;
use crate::sys::{Lookup, Shown, Sys, SystemUnit, Unsearched, Verdict};

/// A terminated path in the units of the platform.
fn path<S: Sys>(text: &str) -> Vec<S::Unit> {
    text.bytes().map(Unit::ascii).chain([S::Unit::NUL]).collect()
}

fn word(answer: &Result<Verdict, Unsearched>) -> &'static str {
    match answer {
        Ok(Verdict::Program) => "program",
        Ok(Verdict::Absent) => "absent",
        Ok(Verdict::Directory) => "directory",
        Ok(Verdict::NoFile) => "no file",
        Ok(Verdict::NotExecutable) => "not executable",
        Err(Unsearched::Absent) => "no directory",
        Err(Unsearched::Denied | Unsearched::Unlistable) => "denied",
        Err(Unsearched::Failed(_)) => "failed",
    }
}

/// As the kernel resolves paths: what precedes a separator must be a directory.
pub(super) fn executable_files_are_told_from_other_paths<G: Ground>(ground: &G) {
    if !ground.asks_by_path() {
        return;
    }
    ground.program("bin/tool");
    ground.link("bin/link", "tool");
    ground.link("bin/broken", "nothing");
    ground.link("bin/round", "round");
    ground.link("way", "bin");
    ground.link("slashed", "bin/tool/");
    let sys = ground.start();
    let base = base(ground, &sys);
    for (expected, paths) in [
        ("program", "bin/tool bin/link way/tool bin/../bin/tool ./bin/./tool bin//tool"),
        ("absent", "bin/nothing bin/broken nothing/tool nothing/../bin/tool"),
        ("directory", "bin bin/ bin/. way/"),
        // A file contains nothing, not even `.` and `..`.
        ("absent", "bin/tool/ bin/tool/. bin/tool/.. bin/tool/../tool bin/tool// bin/tool/below"),
        ("absent", "bin/link/ bin/link/../tool slashed"),
        ("failed", "bin/round"),
    ] {
        for text in paths.split(' ') {
            let answer = sys.executable(&base.dir, name(&path::<G::S>(text)));
            assert_eq!(word(&answer), expected, "{text}");
        }
    }
    base.close();
}

pub(super) fn the_head_of_a_missing_file_is_an_error<G: Ground>(ground: &G) {
    ground.files(["bin/tool"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let head = |text: &str| {
        let path = units::<G::S>(text);
        sys.head(&base.dir, name(&path), &mut [0; 8])
    };
    assert_eq!(number_or_kind(&head("nothing").unwrap_err()), ErrorKind::NotFound);
    let bin = base.open("bin");
    let tool = units::<G::S>("tool");
    assert_eq!(sys.head(&bin.dir, name(&tool), &mut [0; 8]).unwrap(), 0);
    bin.close();
    base.close();
}

pub(super) fn the_head_of_a_pipe_does_not_block<G: Ground>(ground: &G) {
    ground.files(["bin/tool"]);
    let is_piped = ground.fifo("bin/pipe");
    let sys = ground.start();
    let base = base(ground, &sys);
    let bin = base.open("bin");
    if is_piped {
        let pipe = units::<G::S>("pipe");
        // It has no writer, so it is empty or cannot be opened.
        assert_eq!(sys.head(&bin.dir, name(&pipe), &mut [0; 8]).unwrap_or(0), 0);
    }
    bin.close();
    base.close();
}

pub(super) fn directories_are_opened_to_be_searched<G: Ground>(ground: &G) {
    ground.files(["bin/tool"]);
    let has_links = ground.link("way", "bin") && ground.link("broken", "nothing");
    let sys = ground.start();
    let base = base(ground, &sys);
    let empty = [<G::S as Sys>::Unit::NUL];
    let opens = |child: &str| match sys.open_search(&base.dir, name(&units::<G::S>(child))) {
        Ok(dir) => {
            let again = sys.open_search(&dir, name(&empty)).unwrap();
            let again = Asked { sys: &sys, dir: again };
            assert_eq!(matching(&again, "tool"), ["tool"], "{child}, again");
            again.close();
            sys.close(dir);
            true
        }
        Err(Unsearched::Absent) => false,
        Err(reason) => panic!("{child}: {reason:?}"),
    };
    assert!(opens("bin"));
    assert!(!opens("nothing"));
    if has_links {
        assert!(opens("way"));
        assert!(!opens("broken"));
    }
    let bin = base.open("bin");
    let tool = units::<G::S>("tool");
    let opened = sys.open_search(&bin.dir, name(&tool)).map(|dir| sys.close(dir));
    assert!(matches!(opened, Err(Unsearched::Absent)), "{opened:?}");
    bin.close();
    base.close();
}

/// The names that match, sorted, without others that the platform may yield.
fn matching<S: Lookup>(at: &Asked<'_, S>, stem: &str) -> Vec<String> {
    let mut buf = S::DirBuf::default();
    let mut found = Vec::new();
    let units = units::<S>(stem);
    loop {
        let shown = at.sys.matching(&at.dir, &units[..units.len() - 1], &mut buf, &mut |entry| {
            let name = S::Unit::path(entry.name.to_vec()).display().to_string();
            let lower = name.to_lowercase();
            if lower.starts_with(&stem.to_lowercase()) {
                found.push(name);
            }
        });
        match shown.unwrap() {
            Shown::Part => {}
            Shown::ProbablyAll | Shown::All => break,
        }
    }
    found.sort();
    found
}

pub(super) fn names_match_in_any_case_of_letters<G: Ground>(ground: &G) {
    ground.files(["bin/Tool.EXE", "bin/tool.cmd", "bin/other", "bin/to"]);
    let sys = ground.start();
    for (stem, expected) in
        [("tool", &["Tool.EXE", "tool.cmd"][..]), ("TOOL.E", &["Tool.EXE"]), ("nothing", &[])]
    {
        let base = base(ground, &sys);
        let bin = base.open("bin");
        assert_eq!(matching(&bin, stem), expected, "{stem:?}");
        bin.close();
        base.close();
    }
}

pub(super) fn a_probe_returns_the_verdict_and_the_spelling<G: Ground>(ground: &G) {
    ground.files(["bin/Tool.EXE", "bin/dir/file"]);
    let sys = ground.start();
    let base = base(ground, &sys);
    let bin = base.open("bin");
    let (mut buf, mut spelled) = (<G::S as Sys>::DirBuf::default(), Vec::new());
    let mut probe = |child: &str| {
        let answer = sys.probe(&bin.dir, name(&units::<G::S>(child)), &mut buf, &mut spelled);
        (word(&answer), SystemUnit::path(spelled.clone()).display().to_string())
    };
    for spelling in ["Tool.EXE", "tool.exe", "TOOL.Exe"] {
        assert_eq!(probe(spelling), ("program", "Tool.EXE".to_owned()), "{spelling}");
    }
    assert_eq!(probe("dir").0, "directory");
    assert_eq!(probe("DIR").0, "directory");
    assert_eq!(probe("nothing").0, "absent");
    bin.close();
    base.close();
}
