use std::io::{self, ErrorKind};

use super::shorthand::{At, Shorthand, kind};
use super::testbed::Testbed;
use crate::sys::{Completeness, Sys, SystemUnit, Unsearched, Verdict, Which};

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

pub(super) fn only_programs_are_executable<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    if !testbed.differences().queries_by_path {
        return;
    }
    testbed.program("bin/tool");
    for (link, target) in [
        ("bin/link", "tool"),
        ("bin/broken", "nothing"),
        ("bin/round", "round"),
        ("way", "bin"),
        ("slashed", "bin/tool/"),
    ] {
        testbed.link(link, target);
    }
    for (expected, paths) in [
        ("program", "bin/tool bin/link way/tool bin/../bin/tool ./bin/./tool bin//tool"),
        ("absent", "bin/nothing bin/broken nothing/tool nothing/../bin/tool"),
        ("directory", "bin bin/ bin/. way/"),
        ("absent", "bin/tool/ bin/tool/. bin/tool/.. bin/tool/../tool bin/tool// bin/tool/below"),
        ("absent", "bin/link/ bin/link/../tool slashed"),
        ("failed", "bin/round"),
    ] {
        for text in paths.split(' ') {
            let answer = base.sys.executable(&base.dir, base.name(text).as_name());
            assert_eq!(word(&answer), expected, "{text}");
        }
    }
}

pub(super) fn reading_a_head_does_not_wait<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    fn head<S: Which>(at: &Shorthand<'_, S>, child: &str) -> io::Result<usize> {
        at.sys.head(&at.dir, at.name(child).as_name(), &mut [0; 8])
    }
    testbed.files(["bin/tool"]);
    let is_piped = testbed.fifo("bin/pipe");
    assert_eq!(kind(head(base, "nothing")), Err(ErrorKind::NotFound));
    let bin = base.open("bin");
    assert_eq!(head(&bin, "tool").unwrap(), 0);
    // A pipe without a writer reads as empty, or cannot be opened.
    assert!(!is_piped || head(&bin, "pipe").unwrap_or(0) == 0);
    bin.close();
}

pub(super) fn directories_are_opened_to_be_searched<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    fn opens<S: Which>(at: &Shorthand<'_, S>, child: &str) -> bool {
        match at.sys.open_search(&at.dir, at.name(child).as_name()) {
            Ok(dir) => {
                let again = at.sys.open_search(&dir, at.name("").as_name()).unwrap();
                let again = Shorthand { sys: at.sys, dir: again };
                assert_eq!(matching(&again, "tool"), ["tool"], "{child}, again");
                again.close();
                at.sys.close(dir);
                true
            }
            Err(Unsearched::Absent) => false,
            Err(reason) => panic!("{child}: {reason:?}"),
        }
    }
    testbed.files(["bin/tool"]);
    assert_eq!(["bin", "nothing"].map(|child| opens(base, child)), [true, false]);
    if testbed.link("way", "bin") && testbed.link("broken", "nothing") {
        assert_eq!(["way", "broken"].map(|child| opens(base, child)), [true, false]);
    }
    let bin = base.open("bin");
    assert!(!opens(&bin, "tool"));
    bin.close();
}

/// Drops other names, which the platform may also yield.
fn matching<S: Which>(at: &Shorthand<'_, S>, stem: &str) -> Vec<String> {
    let mut buf = S::DirBuf::default();
    let mut found = Vec::new();
    let name = at.name(stem);
    loop {
        let shown = at.sys.matching(&at.dir, name.as_name().units(), &mut buf, &mut |entry| {
            let name = S::Unit::path(entry.name.to_vec()).display().to_string();
            if name.to_lowercase().starts_with(&stem.to_lowercase()) {
                found.push(name);
            }
        });
        match shown.unwrap() {
            Completeness::Part => {}
            Completeness::ProbablyAll | Completeness::All => break,
        }
    }
    found.sort();
    found
}

pub(super) fn names_match_in_any_case_of_letters<G: Testbed>(testbed: &G, base: &At<'_, G>) {
    testbed.files(["bin/Tool.EXE", "bin/tool.cmd", "bin/other", "bin/to"]);
    for (stem, expected) in
        [("tool", &["Tool.EXE", "tool.cmd"][..]), ("TOOL.E", &["Tool.EXE"]), ("nothing", &[])]
    {
        let bin = base.open("bin");
        assert_eq!(matching(&bin, stem), expected, "{stem:?}");
        bin.close();
    }
}

pub(super) fn a_probe_returns_the_verdict_and_the_spelling<G: Testbed>(
    testbed: &G,
    base: &At<'_, G>,
) {
    testbed.files(["bin/Tool.EXE", "bin/dir/file"]);
    let bin = base.open("bin");
    let (mut buf, mut spelled) = (<G::S as Sys>::DirBuf::default(), Vec::new());
    let mut probe = |child: &str| {
        let name = bin.name(child);
        let answer = bin.sys.probe(&bin.dir, name.as_name(), &mut buf, &mut spelled);
        (word(&answer), SystemUnit::path(spelled.clone()).display().to_string())
    };
    for spelling in ["Tool.EXE", "tool.exe", "TOOL.Exe"] {
        assert_eq!(probe(spelling), ("program", "Tool.EXE".to_owned()), "{spelling}");
    }
    let words = ["dir", "DIR", "nothing"].map(|child| probe(child).0);
    assert_eq!(words, ["directory", "directory", "absent"]);
    bin.close();
}
