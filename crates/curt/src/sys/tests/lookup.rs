//! Questions about looking for programs.

use std::io::ErrorKind;

use super::asked::{Asked, base, name, number_or_kind, said, units};
use super::ground::Ground;
use crate::name::{Name, Unit};
use crate::sys::{Batch, Candidate, Lookup, Opened, Sys, SystemUnit};

/// A path as the platform takes it, with its terminator. No part of it is looked at as text.
fn path<S: Sys>(text: &str) -> Vec<S::Unit> {
    text.bytes().map(Unit::ascii).chain([S::Unit::NUL]).collect()
}

fn word(answer: &Candidate) -> &'static str {
    match answer {
        Candidate::Program => "program",
        Candidate::Absent => "absent",
        Candidate::NoDirectory => "no directory",
        Candidate::Directory => "directory",
        Candidate::NotExecutable => "not executable",
        Candidate::Unsearchable => "unsearchable",
        Candidate::Failed(_) => "failed",
    }
}

/// As the kernel resolves a path: what is before a separator must be a directory.
pub(super) fn an_executable_is_a_file_and_its_path_leads_through_directories<G: Ground>(
    ground: &G,
) {
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
    for (text, expected) in [
        ("bin/tool", "program"),
        ("bin/link", "program"),
        ("way/tool", "program"),
        ("bin/../bin/tool", "program"),
        ("./bin/./tool", "program"),
        ("bin//tool", "program"),
        ("bin/nothing", "absent"),
        ("bin/broken", "absent"),
        ("nothing/tool", "absent"),
        ("nothing/../bin/tool", "absent"),
        ("bin", "directory"),
        ("bin/", "directory"),
        ("bin/.", "directory"),
        ("way/", "directory"),
        // Nothing is below a file, not even itself and what is above it.
        ("bin/tool/", "absent"),
        ("bin/tool/.", "absent"),
        ("bin/tool/..", "absent"),
        ("bin/tool/../tool", "absent"),
        ("bin/tool//", "absent"),
        ("bin/tool/below", "absent"),
        ("bin/link/", "absent"),
        ("bin/link/../tool", "absent"),
        ("slashed", "absent"),
        ("bin/round", "failed"),
    ] {
        let answer = sys.executable(&base.dir, Name::of_terminated(&path::<G::S>(text)));
        assert_eq!(word(&answer), expected, "{text}");
    }
    base.close();
    drop(sys);
    ground.assert_nothing_open();
}

pub(super) fn the_beginning_of_what_is_not_there_is_an_error<G: Ground>(ground: &G) {
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

pub(super) fn the_beginning_of_a_pipe_is_not_waited_for<G: Ground>(ground: &G) {
    ground.files(["bin/tool"]);
    let is_piped = ground.fifo("bin/pipe");
    let sys = ground.start();
    let base = base(ground, &sys);
    let bin = base.open("bin");
    if is_piped {
        let pipe = units::<G::S>("pipe");
        // Nobody writes to it, so nothing is in it, or it is refused.
        assert_eq!(sys.head(&bin.dir, name(&pipe), &mut [0; 8]).unwrap_or(0), 0);
    }
    bin.close();
    base.close();
    drop(sys);
    ground.assert_nothing_open();
}

pub(super) fn directories_are_opened_to_be_searched<G: Ground>(ground: &G) {
    ground.files(["bin/tool"]);
    let has_links = ground.link("way", "bin") && ground.link("broken", "nothing");
    let sys = ground.start();
    let base = base(ground, &sys);
    let check = |child: &str, expected: &str| {
        let opened = sys.open_search(&base.dir, name(&units::<G::S>(child)));
        assert_eq!(said(&opened), expected, "{child}");
        if let Opened::Dir(dir) = opened {
            let again = sys.open_again(&dir);
            assert_eq!(said(&again), "opened", "{child}, again");
            if let Opened::Dir(again) = again {
                let again = Asked { sys: &sys, dir: again };
                assert_eq!(matching(&again, Some("tool")), ["tool"], "{child}, again");
                again.close();
            }
            sys.close(dir);
        }
    };
    check("bin", "opened");
    check("nothing", "gone");
    if has_links {
        check("way", "opened");
        check("broken", "gone");
    }
    let bin = base.open("bin");
    let opened = sys.open_search(&bin.dir, name(&units::<G::S>("tool")));
    assert_eq!(said(&opened), "not a directory");
    bin.close();
    base.close();
    drop(sys);
    ground.assert_nothing_open();
}

/// The names that match, sorted; the platform may yield others, too, and they are left out here.
fn matching<S: Lookup>(at: &Asked<'_, S>, stem: Option<&str>) -> Vec<String> {
    let mut buf = S::DirBuf::default();
    let mut found = Vec::new();
    let stem_units = stem.map(units::<S>);
    let stem_units = stem_units.as_deref().map(|units| &units[..units.len() - 1]);
    loop {
        let batch = at.sys.matching(&at.dir, stem_units, &mut buf, &mut |entry| {
            let name = S::Unit::path(entry.name.to_vec()).display().to_string();
            let lower = name.to_lowercase();
            if stem.is_none_or(|stem| lower.starts_with(&stem.to_lowercase())) {
                found.push(name);
            }
        });
        match batch.unwrap() {
            Batch::More => {}
            Batch::ProbablyLast | Batch::End => break,
        }
    }
    found.retain(|name| name != "." && name != "..");
    found.sort();
    found
}

pub(super) fn names_match_in_any_case_of_letters<G: Ground>(ground: &G) {
    ground.files(["bin/Tool.EXE", "bin/tool.cmd", "bin/other", "bin/to"]);
    let sys = ground.start();
    for (stem, expected) in [
        (Some("tool"), &["Tool.EXE", "tool.cmd"][..]),
        (Some("TOOL.E"), &["Tool.EXE"]),
        (Some("nothing"), &[]),
        (None, &["Tool.EXE", "other", "to", "tool.cmd"]),
    ] {
        let base = base(ground, &sys);
        let bin = base.open("bin");
        assert_eq!(matching(&bin, stem), expected, "{stem:?}");
        bin.close();
        base.close();
    }
}

pub(super) fn a_probe_tells_what_is_there_and_how_it_is_spelled<G: Ground>(ground: &G) {
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
