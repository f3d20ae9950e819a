use super::{PLACE, Row, Run, Snapshot, TREE, Tree};
use crate::host::Outcome;
use std::fs;
use std::iter::repeat_n;
use std::path::Path;

const SIZES: [usize; 2] = [32, 64];

/// A typical `PATHEXT`, its extensions that do not depend on the registry, and the extensions that
/// libuv tries.
const ELEVEN: &str = ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC";
const FOUR: &str = ".COM;.EXE;.BAT;.CMD";
const TWO: &str = ".COM;.EXE";

/// The kinds of existing search directories, with the pattern and number of their files. In a
/// `crowd`, more names begin with the program's name than fit in one buffer.
const KINDS: [(&str, &str, usize); 4] = [
    ("miss", "other.exe", 1),
    ("like", "program-#.exe", 1),
    ("crowd", "program-#.exe", 60),
    ("hit", "program.exe", 1),
];

const DEEP: &str = r"a\b\c\d\e\f\file";
const NEW: &str = r"a\b\c\d\e\f\new";

pub(super) fn snapshots() -> Vec<Snapshot> {
    let rm = |name, words: &[&str]| {
        removal(name, &words.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    vec![rm("rm-one-thread", &["rm", "-r", "-j1", TREE.0]), which(), run(), beneath(), expand()]
}

pub(super) fn plant(place: &Path) -> Outcome {
    for (kind, file, count) in KINDS {
        for directory in 0..SIZES[1] {
            let directory = place.join(kind).join(format!("{directory:03}"));
            fs::create_dir_all(&directory)?;
            for number in 0..count {
                fs::write(directory.join(file.replace('#', &format!("{number:03}"))), "")?;
            }
        }
    }
    let deep = place.join("root/a/b/c/d/e/f");
    fs::create_dir_all(&deep)?;
    Ok(fs::write(deep.join("file"), "content")?)
}

pub(super) fn removal(name: &'static str, command: &[String]) -> Snapshot {
    let command: Vec<String> = command.iter().map(|word| word.replace(TREE.0, TREE.1)).collect();
    let run = |tree| {
        let stats = ["--stats", "--json"].map(str::to_owned);
        Run { arguments: [&command[..], &stats].concat(), tree: Some(tree), status: "0" }
    };
    let row = |what: &str, more, trees: [Tree; 2]| Row {
        what: what.to_owned(),
        more,
        runs: trees.map(run),
        counts_itself: true,
    };
    let rows = vec![
        row("directories of 2 files more", 64, [(64, 2), (128, 2)]),
        row("files more", 128, [(64, 2), (64, 4)]),
    ];
    Snapshot { name, title: format!("curt {}", command.join(" ")), rows }
}

fn row(what: &str, status: &'static str, words: impl Fn(usize) -> Vec<String>) -> Row {
    let run = |size| Run { arguments: words(size), tree: None, status };
    let runs = SIZES.map(run);
    let counts_itself = runs[0].arguments.iter().any(|word| word == "--stats");
    Row { what: what.to_owned(), more: SIZES[1] - SIZES[0], runs, counts_itself }
}

fn snapshot(name: &'static str, rows: Vec<Row>) -> Snapshot {
    Snapshot { name, title: format!("curt {name}"), rows }
}

fn directories(kind: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!(r"C:\{PLACE}\{kind}\{number:03}")).collect()
}

fn words(first: &[&str], others: impl IntoIterator<Item = String>) -> Vec<String> {
    first.iter().map(ToString::to_string).chain(others).collect()
}

fn which() -> Snapshot {
    let which = |pathext: &str, path: &[String], names: Vec<String>| {
        let path = path.join(";");
        words(&["which", "--stats", "--json", "--pathext", pathext, "--path", &path, "--"], names)
    };
    let behind = |what: &str, pathext: &'static str, kind: &'static str| {
        row(what, "1", move |size| which(pathext, &directories(kind, size), vec!["program".into()]))
    };
    let hits = |size| {
        let hits = directories("hit", size).into_iter();
        hits.map(|directory| format!(r"{directory}\program")).collect()
    };
    let rows = vec![
        behind("absent directories more, 11 extensions", ELEVEN, "gone"),
        behind("directories without a match more, 11 extensions", ELEVEN, "miss"),
        behind("the same, 4 extensions", FOUR, "miss"),
        behind("the same, 2 extensions", TWO, "miss"),
        behind("the same with a look-alike, 11 extensions", ELEVEN, "like"),
        behind("the same with 60 look-alikes, 4 extensions", FOUR, "crowd"),
        behind("the same with 60 look-alikes, 11 extensions", ELEVEN, "crowd"),
        row("hits more, 11 extensions", "0", |size| which(ELEVEN, &[], hits(size))),
    ];
    snapshot("which", rows)
}

fn run() -> Snapshot {
    let row = |what: &str, kind: &'static str| {
        row(what, "0", move |size| {
            let path = [directories(kind, size), directories("last", 1)].concat().join(";");
            let run = ["run", "--pathext", ELEVEN, "--path", &path, "--", "program", "--version"];
            words(&run, None)
        })
    };
    let rows = vec![
        row("absent directories more on the way to the program", "gone"),
        row("directories without a match more on the way to the program", "miss"),
    ];
    snapshot("run", rows)
}

/// Wine follows symlinks despite the flags, so curt resolves paths name by name. On Windows, an
/// open takes one call.
fn beneath() -> Snapshot {
    let row = |what: &str, status, options: &[&str], path: &str| {
        let root = format!(r"C:\{PLACE}\root");
        row(what, status, |size| {
            let options = [&["beneath", "--root", &root], options].concat();
            words(&options, repeat_n(path.to_owned(), size))
        })
    };
    let rows = vec![
        row("files seven names deep read", "0", &["--cat"], DEEP),
        row("names of files seven names deep", "0", &["--stats", "--json"], DEEP),
        row("the same, in another case", "0", &["--stats", "--json"], &DEEP.to_uppercase()),
        row("the same, the last name missing", "0", &["--name", "--stats", "--json"], NEW),
        row(
            "the same, where links are refused",
            "0",
            &["--mode=strict", "--stats", "--json"],
            DEEP,
        ),
        row("files seven names deep asked about", "0", &["--stat", "--stats", "--json"], DEEP),
        row("names in the root", "0", &["--stats", "--json"], "a"),
        row("paths refused by their text, each with a message", "1", &[], r"a\..\..\secret"),
    ];
    snapshot("beneath", rows)
}

fn expand() -> Snapshot {
    let row = |what: &str, options: &[&str], path: &str| {
        row(what, "0", |size| {
            let options = [&["expand", "--stats", "--json"], options].concat();
            words(&options, repeat_n(path.to_owned(), size))
        })
    };
    let rows = vec![
        row("full paths", &[], r"C:\a\b\c\d.rb"),
        row("relative paths", &[], r"a\..\b/./c"),
        row("paths on another drive", &[], r"D:a\b"),
        row("devices", &[], r"a\nul"),
        row("paths in Ruby's style", &["--style", "ruby"], "~/a/LONGNA~1"),
    ];
    snapshot("expand", rows)
}
