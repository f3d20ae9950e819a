use curt_testkit::Scratch;

use crate::terminal::in_a_terminal;
use crate::{command, outcome};

/// Apparent sizes do not depend on the filesystem. Those in `t` add up to 1000 bytes.
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

fn shown(scratch: &Scratch, variables: &str, columns: usize, line: &str) -> Option<Vec<String>> {
    let line = format!("stty rows 30 cols {columns}; export LC_ALL=C.UTF-8 {variables}; {line}");
    let shown = in_a_terminal(scratch, &line, "")?;
    let shown = shown.replace(['\r', '\u{4}', '\u{8}'], "").replace("^D", "");
    Some(shown.lines().map(|line| line.trim_end().to_owned()).collect())
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

#[test]
fn a_link_named_du_prints_lines() {
    let scratch = tree();
    let line = "ln -s $CURT du; ./du -b t; ./du -b --tree --top 1 t";
    let Some(lines) = shown(&scratch, "TERM=dumb", 60, line) else { return };
    assert_eq!(lines[..3], ["750\tt/large", "200\tt/small", "1007\tt"]);
    assert!(lines[3].starts_with("1007  t  ####") && lines[3].ends_with("# 100%"), "{lines:?}");
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
    for number in 0..40 {
        scratch.file_with(format!("t/many/{number}"), &[b'x'; 700]);
    }
    let Some(lines) = shown(&scratch, "TERM=dumb", 80, "$CURT du -bc t") else { return };
    assert_eq!(lines.len(), 28, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("|   `-- ... 18 more")), "{lines:?}");
    assert!(lines[27].contains("  total ") && lines[27].ends_with("100%"), "{lines:?}");
    let lines = shown(&scratch, "TERM=dumb", 80, "$CURT du -b -d 1 t").unwrap();
    let names = lines.iter().filter(|line| line.contains("-- "));
    assert_eq!(names.count(), 6, "{lines:?}");
}

/// curt notices the closed pipe with the first lines, long before everything is measured.
#[test]
fn lines_are_printed_before_everything_is_measured() {
    const DIRECTORIES: u64 = 6_000;
    let scratch = Scratch::new();
    for number in 0..DIRECTORIES {
        scratch.dir(format!("t/{number:0>60}"));
    }
    let mut command = command(&scratch, "du", ["-j1", "--stats", "t"]);
    let (code, _, messages) = outcome(&command.stdout(crate::closed_pipe()).output().unwrap());
    assert_eq!(code, None, "{messages}");
    let counted = messages.lines().find_map(|line| line.strip_prefix("curt du: ")).unwrap();
    let counted = counted.split(' ').next().unwrap().replace(',', "").parse::<u64>().unwrap();
    assert!(counted > 500 && counted < DIRECTORIES / 2, "{messages}");
}
