//! The tree and the types of `curt du`, on terminals and without one.

use std::os::unix::ffi::OsStrExt;

use curt_testkit::Scratch;

use crate::terminal::in_a_terminal;
use crate::{command, said};

/// Apparent sizes are the same everywhere: t has 1000 bytes.
fn tree() -> Scratch {
    let scratch = Scratch::new();
    for (name, size) in [
        ("t/large/one", 600),
        ("t/large/two", 150),
        ("t/small/three.rs", 200),
        ("t/four.RS", 40),
        ("t/plain", 10),
    ] {
        scratch.file_with(name, &vec![b'x'; size]);
    }
    scratch.link("t/link", "four.RS");
    scratch
}

/// Runs it in a terminal of this size. The lines are without blanks at their ends.
fn shown(scratch: &Scratch, variables: &str, columns: usize, line: &str) -> Option<Vec<String>> {
    let line = format!("stty rows 30 cols {columns}; export LC_ALL=C.UTF-8 {variables}; {line}");
    let shown = in_a_terminal(scratch, &line, "")?;
    let shown = shown.replace(['\r', '\u{4}', '\u{8}'], "").replace("^D", "");
    Some(shown.lines().map(|line| line.trim_end().to_owned()).collect())
}

#[test]
fn a_terminal_shows_a_tree_with_bars() {
    let scratch = tree();
    let Some(lines) = shown(&scratch, "TERM=xterm NO_COLOR=1", 60, "$CURT du -b t") else { return };
    let bar = |eighths: usize| {
        "█".repeat(eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    };
    // 60 columns less one, four digits, four blanks, twenty for names, and five for the share.
    let row = |size: usize, name: &str, share: usize| {
        let bar = bar((size * 8 * 26 + 503) / 1007);
        format!("{size:>4}  {name:<20}  {bar:<26} {share:>3}%")
    };
    let expected = [
        row(1007, "t", 100),
        row(750, "├── large", 74),
        row(600, "│   ├── one", 60),
        row(150, "│   └── two", 15),
        row(200, "├── small", 20),
        row(200, "│   └── three.rs", 20),
        row(40, "├── four.RS", 4),
        row(10, "├── plain", 1),
        row(7, "└── link", 1),
    ];
    let without_widths = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0].to_owned(), words[words.len() - 1].to_owned())
    };
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, expected) in lines.iter().zip(&expected) {
        assert_eq!(parts(line), parts(expected), "{lines:#?}");
        let name = |line: &str| without_widths(line.split('█').next().unwrap_or_default());
        let first = name(line).split(' ').nth(1).map(str::to_owned);
        assert_eq!(first, name(expected).split(' ').nth(1).map(str::to_owned), "{lines:#?}");
        // The shares are in one column, which is the last but one.
        assert_eq!(line.chars().count(), 59, "{line}");
    }
    assert_eq!(lines[0].matches('█').count(), 30, "the whole width: {lines:#?}");
    assert_eq!(lines[1].matches(['█', '▉', '▊', '▋', '▌', '▍', '▎', '▏']).count(), 23);
}

#[test]
fn an_option_for_lines_prints_lines() {
    let scratch = tree();
    for options in ["--gnu -b", "-sb", "-b --time --time-style=+x", "-b -t 1", "-b0"] {
        let line = format!("$CURT du {options} t | cat > piped; $CURT du {options} t > /dev/tty");
        if shown(&scratch, "", 80, &line).is_none() {
            return;
        }
        let line = format!("$CURT du {options} t");
        let lines = shown(&scratch, "", 80, &line).unwrap().join("\n");
        let piped = std::fs::read_to_string(scratch.at("piped")).unwrap();
        assert_eq!(lines, piped.trim_end_matches('\n'), "{options}");
    }
    let lines = shown(&scratch, "", 80, "$CURT du --json t").unwrap();
    assert!(lines[0].starts_with("{\"path\":"), "{lines:?}");
}

/// By the name of GNU's tool it prints what that prints.
#[test]
fn a_link_named_du_prints_lines() {
    let scratch = tree();
    let line = "ln -s $CURT du; ./du -b t; ./du -b --tree --top 1 t";
    let Some(lines) = shown(&scratch, "TERM=dumb", 60, line) else { return };
    assert_eq!(lines[..3], ["750\tt/large", "200\tt/small", "1007\tt"]);
    assert!(lines[3].starts_with("1007  t  ####") && lines[3].ends_with("# 100%"), "{lines:?}");
}

#[test]
fn dumb_terminals_and_other_locales_get_ascii() {
    let scratch = tree();
    for variables in
        ["TERM=dumb", "TERM=xterm NO_COLOR=1 LC_ALL=C", "TERM=xterm NO_COLOR=1 LC_ALL=POSIX"]
    {
        let Some(lines) = shown(&scratch, variables, 80, "$CURT du -b t") else { return };
        let text = lines.join("\n");
        assert!(text.is_ascii(), "{variables}: {text}");
        assert!(lines[2].starts_with(" 600  |   |-- one"), "{text}");
        assert!(lines[8].starts_with("   7  `-- link"), "{text}");
        assert!(lines[0].contains("  ####"), "{text}");
    }
}

#[test]
fn colors_are_for_terminals_that_have_them() {
    let scratch = tree();
    for (variables, is_colored) in
        [("TERM=xterm", true), ("TERM=xterm NO_COLOR=1", false), ("TERM=dumb", false)]
    {
        let Some(lines) = shown(&scratch, variables, 80, "$CURT du -b t") else { return };
        let text = lines.join("\n");
        assert_eq!(text.contains("\x1b[01;34mlarge\x1b[0m"), is_colored, "{variables}: {text:?}");
        assert_eq!(text.contains('\x1b'), is_colored, "{variables}: {text:?}");
    }
}

#[test]
fn the_largest_are_shown_with_their_directories() {
    let scratch = tree();
    let Some(lines) = shown(&scratch, "TERM=dumb", 80, "$CURT du -b --top 4 t") else { return };
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (line, name) in lines.iter().zip(["  t ", "|-- large", "|   `-- one", "`-- small"]) {
        assert!(line.contains(name), "{lines:?}");
    }
    // As many as the terminal has lines, but for two.
    for number in 0..40 {
        scratch.file_with(format!("t/many/{number}"), &[b'x'; 700]);
    }
    let lines = shown(&scratch, "TERM=dumb", 80, "$CURT du -bc t").unwrap();
    assert_eq!(lines.len(), 28, "{lines:?}");
    assert!(lines[27].contains("  total ") && lines[27].ends_with("100%"), "{lines:?}");
    let lines = shown(&scratch, "TERM=dumb", 80, "$CURT du -b -d 1 t").unwrap();
    let names = lines.iter().filter(|line| line.contains("-- "));
    assert_eq!(names.count(), 6, "{lines:?}");
}

#[test]
fn several_operands_share_the_whole() {
    let scratch = tree();
    let line = "$CURT du -b -d 0 t/small t/large t/four.RS";
    let Some(lines) = shown(&scratch, "TERM=dumb", 80, line) else { return };
    let ends = ["t/large", "t/small", "t/four.RS"].iter().zip(["76%", "20%", "4%"]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, (name, share)) in lines.iter().zip(ends) {
        assert!(line.contains(name) && line.ends_with(share), "{lines:?}");
    }
    // Where nothing takes space, nothing is divided by it.
    scratch.file("nothing");
    let lines = shown(&scratch, "TERM=dumb", 80, "$CURT du -b nothing").unwrap();
    assert!(lines[0].starts_with("0  nothing") && lines[0].ends_with(" 0%"), "{lines:?}");
}

#[test]
fn nothing_in_a_name_reaches_the_terminal_as_it_is() {
    let scratch = Scratch::new();
    let odd = std::ffi::OsStr::from_bytes(b"t/\x1b[31m\xffx\ny");
    scratch.file_with(odd, &[b'x'; 900]);
    scratch.file_with("t/a b", &[b'x'; 90]);
    scratch.file_with(format!("t/{}.\u{1b}[32m", "漢".repeat(60)), &[b'x'; 9]);
    for (variables, is_unicode) in [("TERM=xterm NO_COLOR=1", true), ("TERM=dumb", false)] {
        for columns in [30, 80, 200] {
            for line in ["$CURT du -b t", "$CURT du -b --by-type t"] {
                let Some(lines) = shown(&scratch, variables, columns, line) else { return };
                let text = lines.join("\n");
                assert!(!text.contains('\x1b'), "{text:?}");
                assert!(lines.iter().all(|line| line.ends_with('%')), "{text}");
                assert_eq!(lines.len(), if line.contains("type") { 3 } else { 4 }, "{text}");
                assert!(!is_unicode || columns != 80 || text.contains('█'), "{text}");
            }
        }
    }
    let lines = shown(&scratch, "TERM=dumb", 80, "$CURT du -b t").unwrap();
    assert!(lines[1].contains(r"''$'\033''[31m'$'\377''x'$'\n''y'"), "{lines:?}");
    assert!(lines[2].contains("'a b'"), "{lines:?}");
}

#[test]
fn types_are_sums_of_files() {
    let scratch = tree();
    let run =
        |args: &str| said(&command(&scratch, "du", args.split_whitespace()).output().unwrap());
    let (code, out, messages) = run("--by-type -b t");
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert_eq!(out, "760\t(no extension)\n240\t.rs\n7\t(links)\n0\t(directories)\n");
    let (_, out, _) = run("--by-type -bc --top 2 t");
    assert_eq!(out, "760\t(no extension)\n240\t.rs\n1007\ttotal\n");
    let (_, out, _) = run("--by-type --inodes t");
    assert_eq!(out, "3\t(directories)\n3\t(no extension)\n2\t.rs\n1\t(links)\n");
    let (_, out, _) = run("--by-type --json t");
    let objects: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 4);
    let rust = objects.iter().find(|object| object["type"] == ".rs").unwrap();
    assert_eq!((&rust["apparent"], &rust["entries"]), (&240.into(), &2.into()));
    for option in ["-s", "-d1", "-a", "-S", "-t1", "--time"] {
        assert_eq!(run(&format!("--by-type {option} t")).0, Some(2), "{option}");
    }
}

#[test]
fn a_tree_can_be_printed_anywhere() {
    let scratch = tree();
    let mut command = command(&scratch, "du", ["--tree", "-b", "t"]);
    command.env("COLUMNS", "50").env("LC_ALL", "C.UTF-8");
    let (code, out, messages) = said(&command.output().unwrap());
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert_eq!(out.lines().count(), 9);
    assert!(out.lines().all(|line| line.chars().count() == 49), "{out}");
    let (code, _, messages) =
        said(&crate::command(&scratch, "du", ["--tree", "-s", "t"]).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(messages.starts_with("curt du: --tree cannot be used with "), "{messages}");
}

/// A directory that holds nothing but another directory shares its row, and the rows that this saves
/// are those of others.
#[test]
fn chains_of_directories_are_one_row() {
    let scratch = Scratch::new();
    scratch.file_with("t/opt/plug ins/x/linux/program", &[b'x'; 800]);
    scratch.file_with("t/opt/plug ins/x/linux/other", &[b'x'; 90]);
    scratch.file_with("t/a/b/file", &[b'x'; 70]);
    scratch.file_with("t/a/side", &[b'x'; 1]);
    let line = "$CURT du -b --tree --top 7 t";
    let Some(lines) = shown(&scratch, "TERM=dumb NO_COLOR=1", 200, line) else { return };
    let names: Vec<&str> = lines.iter().map(|line| line.split("  #").next().unwrap()).collect();
    let names: Vec<&str> = names.iter().map(|name| name.trim_end()).collect();
    let expected = [
        "961  t",
        "890  |-- 'opt/plug ins/x/linux'",
        "800  |   |-- program",
        " 90  |   `-- other",
        " 71  `-- a",
        " 70      `-- b",
        " 70          `-- file",
    ];
    let shares: Vec<&str> = lines.iter().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(shares, ["100%", "93%", "83%", "9%", "7%", "7%", "7%"], "{lines:#?}");
    for (name, expected) in names.iter().zip(expected) {
        assert!(name.starts_with(expected), "{lines:#?}");
    }
    // A bar ends where the share can still be told to which name it belongs.
    assert!(lines.iter().all(|line| line.len() < 90), "{lines:#?}");
    // Too long a chain keeps both its ends.
    let lines = shown(&scratch, "TERM=dumb", 46, line).unwrap();
    assert!(lines[1].contains("'opt/p") && lines[1].contains(".../linux'"), "{lines:#?}");
}
