//! Features that fd lacks, or that cannot be compared with it.

use std::process::Command;

use curt_testkit::{Scratch, cells};

use crate::{command, outcome, tree};

fn find(scratch: &Scratch, args: &[&str]) -> Command {
    command(scratch, "find", args)
}

fn run(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String, String) {
    outcome(&find(scratch, args).output().unwrap())
}

#[cfg(unix)]
fn lines(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    let (code, out, messages) = run(scratch, args);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{args:?}");
    out.lines().map(str::to_owned).collect()
}

#[test]
fn wrong_command_lines_delete_nothing() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    for wrong in cells(
        "--bogus | --size=1x | --size= | --newer=yesterdayish | --older= | --owner= | --type=x,
        -E ../x | --max-depth=-1 | --one-file-system=no | --sort=colour | --sort=name
        --format={colour} | --fields=colour | --format=x --json | --perm=x | -j0 | -name x | -q
        -l | -0 | --format={} | --fields=path | --max-results=0 | --del | -empty | -user x | -exec x",
    ) {
        let words: Vec<&str> = wrong.split_whitespace().collect();
        let args = [&[".", "t", "--delete"], &words[..]].concat();
        let (code, out, messages) = run(&scratch, &args);
        let is_json = wrong.contains("--json");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {messages}");
        let begin = if is_json { "{\"error\":" } else { "curt find: " };
        assert!(messages.starts_with(begin), "{messages}");
        assert!(scratch.exists("t/sub/deep/e") && scratch.exists("t/a"), "{args:?}");
    }
}

/// `find -g` must find the names that bash matches; `find -E` and `rm --exclude` must skip them.
#[cfg(unix)]
#[test]
fn globs_have_one_meaning() {
    let names =
        ["1a", "b", "a]b", "-", "{a}", "xy", "x{}y", "x{yz}", "f1", "f2", "f1..3", "é", "É"];
    for (pattern, matching) in [
        ("[[:digit:]]*", &["1a"][..]),
        ("[![:alpha:]]", &["-"]),
        ("a[\\]]b", &["a]b"]),
        ("[a\\-z]", &["-"]),
        ("[!\\]]", &["b", "-", "é", "É"]),
        ("[[=b=]]", &["b"]),
        ("[[.-.]]", &["-"]),
        ("{a}", &["{a}"]),
        ("x{}y", &["x{}y"]),
        ("x{*}", &["x{yz}"]),
        ("f{1..3}", &["f1", "f2"]),
        ("f{3..1..2}", &["f1"]),
        ("{,x{y,\\{y*}}", &["xy", "x{yz}"]),
        ("?", &["b", "-", "é", "É"]),
        ("[é]", &["é"]),
    ] {
        let scratch = Scratch::new();
        for name in names {
            scratch.file(format!("tree/{name}"));
        }
        let sorted = |names: &mut dyn Iterator<Item = &str>| {
            let mut names: Vec<String> = names.map(|name| format!("tree/{name}")).collect();
            names.sort();
            names
        };
        let expected = sorted(&mut matching.iter().copied());
        let others = sorted(&mut names.into_iter().filter(|name| !matching.contains(name)));
        assert_eq!(lines(&scratch, &["-s", "-g", pattern, "tree"]), expected, "{pattern}");
        let whole = format!("**/{pattern}");
        assert_eq!(lines(&scratch, &["-s", "-p", "-g", &whole, "tree"]), expected, "{pattern}");
        assert_eq!(lines(&scratch, &["-E", pattern, ".", "tree"]), others, "{pattern}");
        let mut rm = command(&scratch, "rm", ["-r", "--exclude", pattern, "tree"]);
        assert!(rm.status().unwrap().success(), "{pattern}");
        assert_eq!(lines(&scratch, &["-u", ".", "tree"]), expected, "{pattern}");
    }
    let scratch = Scratch::new();
    scratch.file("tree/É");
    assert_eq!(lines(&scratch, &["-g", "é", "tree"]), ["tree/É"], "smart case is that of letters");
}

#[cfg(unix)]
mod programs {
    use super::find;
    use curt_testkit::Scratch;

    #[test]
    fn output_of_parallel_commands_is_kept_together() {
        let scratch = Scratch::new();
        for number in 0..20 {
            scratch.file(format!("t/{number}"));
        }
        let script = "echo $0 one; sleep 0.01; echo $0 two >&2; [ $0 != t/7 ]";
        let words = ["-j8", ".", "t", "-x", "sh", "-c", script, ";", "-x", "echo", "{}", "three"];
        let output = find(&scratch, &words).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), 39);
        let lines: Vec<&str> = text.lines().filter(|line| *line != "t/7 one").collect();
        for pair in lines.chunks(2) {
            let name = pair[0].strip_suffix(" one").unwrap();
            assert_eq!(pair[1], format!("{name} three"));
        }
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 20);
    }

    #[test]
    fn commands_run_at_the_same_time() {
        let scratch = Scratch::new();
        scratch.file("t/a");
        scratch.file("t/b");
        let script = "touch $0.here; for i in $(seq 500); do \
                      [ -e t/a.here ] && [ -e t/b.here ] && exit 0; sleep 0.01; done; exit 1";
        let output = find(&scratch, &["-j2", "^[ab]$", "t", "-x", "sh", "-c", script]).output();
        assert!(output.unwrap().status.success());
    }
}
