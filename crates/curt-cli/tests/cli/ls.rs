//! `curt ls` and `curt stat`: what GNU's do not have.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use curt_testkit::Scratch;
use serde_json::Value;

use crate::terminal::in_a_terminal;
use crate::{objects, run_words as run, said};

fn curt(scratch: &Scratch, args: &[&str]) -> Command {
    crate::command(scratch, args[0], &args[1..])
}

fn sample(scratch: &Scratch) {
    scratch.file_with("a", b"1234");
    scratch.file("d/below");
    scratch.link("l", "a");
    scratch.file(OsStr::from_bytes(b"invalid\xff"));
}

#[test]
fn json_has_the_chosen_fields_and_a_summary() {
    let scratch = Scratch::new();
    sample(&scratch);
    let (code, out, messages) =
        run(&scratch, &["ls", "--json", "--fields", "name,kind,size,target,label,user", "--stats"]);
    assert_eq!(code, Some(0));
    let lines = objects(&out);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["name"], "a");
    assert_eq!(lines[0]["size"], 4);
    assert_eq!(lines[0]["target"], Value::Null);
    assert!(lines[0].get("target").is_some() && lines[0].get("mode").is_none());
    assert_eq!(lines[1]["kind"], "directory");
    assert_eq!(lines[2]["name"]["bytes"], "aW52YWxpZP8=");
    assert_eq!(lines[3]["target"], "a");
    let summary = &objects(&messages)[0]["summary"];
    assert_eq!((&summary["entries"], &summary["directories"]), (&4.into(), &1.into()));
    assert_eq!(summary["calls"]["openat"], 1);
    let (_, out, _) = run(&scratch, &["ls", "-R", "--json"]);
    assert!(objects(&out).iter().any(|line| line["path"] == "./d/below"), "{out}");
    let (code, _, messages) = run(&scratch, &["ls", "--json", "--stats", "missing", "a"]);
    let lines = objects(&messages);
    assert_eq!(code, Some(2));
    assert_eq!(lines[0]["error"]["errno"], 2);
    assert_eq!(lines[1]["summary"]["errors"], 1);
}

#[test]
fn fields_are_separated_by_tabs() {
    let scratch = Scratch::new();
    scratch.file_with("a", b"1234");
    scratch.link("l", "a");
    let (code, out, _) = run(&scratch, &["ls", "--fields", "size,name,kind,target"]);
    assert_eq!((code, out.as_str()), (Some(0), "4\ta\tfile\t-\n1\tl\tsymlink\ta\n"));
    let (code, _, messages) = run(&scratch, &["ls", "--fields", "size,colour"]);
    assert_eq!(code, Some(2));
    assert!(messages.starts_with("curt ls: unknown field 'colour'"), "{messages}");
    let (_, _, messages) = run(&scratch, &["ls", "--fields=sizes"]);
    let expected = "curt ls: unknown field 'sizes'; did you mean 'size'?\nThe fields are name, ";
    assert!(messages.starts_with(expected), "{messages}");
}

#[test]
fn a_terminal_sees_columns_and_no_control_characters() {
    let scratch = Scratch::new();
    for name in ["plain", "a b", "esc\u{1b}[31m", "\u{6f22}\u{5b57}", "e\u{301}"] {
        scratch.file(name);
    }
    let Some(shown) = in_a_terminal(&scratch, "stty cols 40; $CURT ls", "") else { return };
    assert!(shown.contains("'a b'") && shown.contains("'esc'$'\\033''[31m'"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let Some(shown) = in_a_terminal(&scratch, "TERM=xterm $CURT ls --color=auto -d .", "") else {
        return;
    };
    assert!(shown.contains("\u{1b}[01;34m.\u{1b}[0m"), "{shown:?}");
    let line =
        "NO_COLOR=1 $CURT ls --color=auto -d .; $CURT ls -d --color=never .; $CURT ls --json";
    let Some(shown) = in_a_terminal(&scratch, line, "") else { return };
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn stat_prints_each_field_with_its_name() {
    let scratch = Scratch::new();
    sample(&scratch);
    let (code, out, messages) =
        run(&scratch, &["stat", "--fields", "kind,size,modified,target", "a", "missing", "l"]);
    assert_eq!(code, Some(1));
    assert_eq!(messages, "curt stat: cannot access 'missing': No such file or directory\n");
    assert!(out.starts_with("path: a\nkind: file\nsize: 4\nmodified: 20"), "{out}");
    assert!(out.ends_with("target: a\n"), "{out}");
    let (code, out, messages) = run(&scratch, &["stat", "-L", "--json", "--stats", "l"]);
    let lines = objects(&out);
    assert_eq!((code, &lines[0]["kind"], &lines[0]["size"]), (Some(0), &"file".into(), &4.into()));
    assert!(lines[0]["modified"]["ns"].is_u64());
    assert_eq!(objects(&messages)[0]["summary"]["calls"]["total"], 1);
    assert_eq!(run(&scratch, &["stat"]).0, Some(2));
}

#[test]
fn stat_fails_for_a_broken_link_that_it_follows() {
    let scratch = Scratch::new();
    scratch.file("file");
    scratch.link("broken", "missing");
    scratch.link("round", "round");
    scratch.link("through", "file/x");
    scratch.link("good", "file");
    for (link, kind, reason) in [
        ("broken", "not-found", "No such file or directory"),
        ("round", "loop", "Too many levels of symbolic links"),
        ("through", "not-a-directory", "Not a directory"),
    ] {
        let (code, out, messages) = run(&scratch, &["stat", "-L", "--fields=size", link, "good"]);
        assert_eq!((code, out.as_str()), (Some(1), "path: good\nsize: 0\n"), "{link}");
        assert_eq!(messages, format!("curt stat: cannot access '{link}': {reason}\n"));
        let (code, _, messages) = run(&scratch, &["stat", "-L", "--json", link]);
        assert_eq!(code, Some(1));
        let error = &objects(&messages)[0]["error"];
        assert_eq!((&error["path"], &error["kind"]), (&link.into(), &kind.into()));
        assert_eq!(run(&scratch, &["stat", link]).0, Some(0), "not followed");
    }
}

/// In a pipe too.
#[test]
fn a_line_end_in_a_name_begins_no_field_of_stat() {
    let scratch = Scratch::new();
    scratch.file("n\nsize: 1");
    scratch.link("link", "n\nsize: 2");
    scratch.link("dash", "-");
    let (_, out, _) = run(&scratch, &["stat", "--fields=size,name", "n\nsize: 1"]);
    assert_eq!(out, "path: 'n'$'\\n''size: 1'\nsize: 0\nname: 'n'$'\\n''size: 1'\n");
    let (_, out, _) = run(&scratch, &["stat", "--fields=target", "link", "dash"]);
    assert_eq!(out, "path: link\ntarget: 'n'$'\\n''size: 2'\npath: dash\ntarget: -\n");
    let (_, out, _) = run(&scratch, &["beneath", "--root=.", "--stat", "n\nsize: 1"]);
    assert!(out.starts_with("path: 'n'$'\\n''size: 1'\nkind: file\nsize: 0\n"), "{out}");
    assert!(!out.contains("target:"), "{out}");
}

#[test]
fn any_number_of_threads_prints_the_same() {
    let scratch = Scratch::new();
    for number in 0..1_500 {
        if number % 10 == 0 {
            // Some of them are broken.
            scratch.link(format!("d/{number}"), if number % 20 == 0 { "missing" } else { "1" });
        } else {
            scratch.file_with(format!("d/{number}"), &[b'x'; 50][..number % 50]);
        }
    }
    for options in ["-l", "-lL", "-lUF", "-laSr", "-Rs", "--group-directories-first", "-LF"] {
        let said = |threads: &str| run(&scratch, &["ls", options, "-j", threads, "d"]);
        let (code, out, errors) = said("1");
        assert_eq!(out.lines().filter(|line| line.ends_with("999")).count(), 1, "{options}");
        let nowhere = if options.contains('L') { 75 } else { 0 };
        assert_eq!((errors.lines().count(), code), (nowhere, Some(i32::from(nowhere > 0))));
        for threads in ["2", "4", "8"] {
            assert!(said(threads) == (code, out.clone(), errors.clone()), "{options} -j{threads}");
        }
        assert!(run(&scratch, &["ls", options, "d"]) == (code, out, errors), "{options}");
    }
    let calls = |threads: &str| {
        let (_, _, counted) = run(&scratch, &["ls", "-l", "--stats", "-j", threads, "d"]);
        counted.lines().find(|line| line.contains("statx")).map(str::to_owned).unwrap()
    };
    assert_eq!(calls("1"), calls("4"), "the calls of all threads are added up");
}

/// The listing stands still while nobody reads it, far before it comes to the directory that is
/// swapped, or to one in it.
#[test]
fn a_swapped_directory_leads_out_of_no_operand() {
    let scratch = Scratch::new();
    for (operand, large, last) in [("one", "one/a", "one/b"), ("two", "two/b/a", "two/b/c")] {
        let large = scratch.dir(large);
        for number in 0..3_000 {
            std::fs::File::create(large.join(format!("{number:0200}"))).unwrap();
        }
        scratch.file(format!("{last}/own"));
        scratch.file(format!("outside-{operand}/c/secret"));
        let mut child = curt(&scratch, &["ls", "-R", operand]).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 1]).unwrap();
        let swapped = format!("{operand}/b");
        std::fs::rename(scratch.at(&swapped), scratch.at(format!("aside-{operand}"))).unwrap();
        scratch.link(&swapped, format!("../outside-{operand}"));
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(!text.contains("secret"), "{last} led elsewhere");
        // `two/b` was open when it was moved, so it is listed where it is, as in a walk.
        let is_listed = operand == "two";
        assert_eq!(text.contains(&format!("{last}:\nown\n")), is_listed, "{last}");
        let said = format!("curt ls: cannot open directory '{last}': Not a directory\n");
        let said = if is_listed { "" } else { &said };
        assert_eq!(String::from_utf8_lossy(&output.stderr), said);
        assert_eq!(output.status.code(), Some(i32::from(!is_listed)));
    }
}

/// The same in the C locale, in which trees are drawn in ASCII.
fn run_in_c(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String, String) {
    said(&curt(scratch, args).env("LC_ALL", "C").output().unwrap())
}

/// The lines of a listing, without blanks at their ends.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

#[test]
fn trees_have_branches_in_the_order_of_ls() {
    let scratch = Scratch::new();
    for path in ["t/b/2", "t/b/10", "t/a", "t/c/deep/er/file", "t/.hidden/x", "t/z~"] {
        scratch.file(path);
    }
    scratch.link("t/l", "b");
    scratch.dir("t/empty");
    let tree = |locale: &str, args: &[&str]| {
        let output = curt(&scratch, &[&["ls", "--tree"], args].concat())
            .env("LC_ALL", locale)
            .output()
            .unwrap();
        let (code, out, messages) = said(&output);
        assert_eq!((code, messages.as_str()), (Some(0), ""), "{args:?}");
        out
    };
    let whole = "\
t
├── a
├── b
│   ├── 10
│   └── 2
├── c
│   └── deep
│       └── er
│           └── file
├── empty
├── l
└── z~
";
    assert_eq!(tree("C.UTF-8", &["t"]), whole);
    let ascii = whole.replace("├──", "|--").replace("└──", "`--").replace('│', "|");
    assert_eq!(tree("C", &["t"]), ascii);
    let shallow = "t\n|-- a\n|-- b\n|-- c\n|-- empty\n`-- l\n";
    assert_eq!(tree("C", &["--depth=1", "-B", "t"]), shallow);
    assert_eq!(tree("C", &["--depth", "0", "t", "t/a"]), "t\nt/a\n");
    assert_eq!(tree("C", &["-d", "t"]), "t\n");
    let expected = "t/b\n|-- 2\n`-- 10\nt/c\n`-- deep\n    `-- er\n        `-- file\n";
    assert_eq!(tree("C", &["-v", "t/c", "t/b"]), expected);
    let reversed = tree("C", &["-rF", "--group-directories-first", "-I", "[cl]", "t"]);
    assert_eq!(reversed, "t/\n|-- empty/\n|-- b/\n|   |-- 2\n|   `-- 10\n|-- z~\n`-- a\n");
    let all = tree("C", &["-a", "--depth=1", "-I", "[a-z]*", "t"]);
    assert_eq!(all, "t\n`-- .hidden\n");
    // Links that are operands are listed as by ls; others only with -L.
    assert_eq!(tree("C", &["t/l"]), "t/l\n|-- 10\n`-- 2\n");
    assert!(tree("C", &["-L", "t"]).contains("|-- l\n|   |-- 10\n|   `-- 2\n"));
    // Columns go before the branches, as wide for all.
    std::fs::write(scratch.at("t/b/2"), [b'x'; 12_345]).unwrap();
    let long = tree("C", &["-gGn", "--time-style=+", "t/b"]);
    let long = lines(&long);
    assert!(long[1].ends_with("     0  |-- 10"), "{long:?}");
    assert!(long[2].ends_with(" 12345  `-- 2"), "{long:?}");
    assert_eq!(long[0].split("  t/b").next().unwrap().len(), long[1].find("  |--").unwrap());
}

#[test]
fn trees_go_on_after_a_directory_that_cannot_be_read() {
    let scratch = Scratch::new();
    scratch.file("t/a/x");
    scratch.file("t/c/y");
    scratch.link("t/c/up", "..");
    let (code, out, messages) = run_in_c(&scratch, &["ls", "--tree", "-L", "t", "missing"]);
    assert_eq!(code, Some(2));
    assert_eq!(out, "t\n|-- a\n|   `-- x\n`-- c\n    |-- up\n    `-- y\n");
    assert!(messages.contains("t/c/up: not listing already-listed directory"), "{messages}");
    assert!(messages.contains("cannot access 'missing'"), "{messages}");
    let (code, _, messages) = run_in_c(&scratch, &["ls", "--tree", "--fields=size", "t"]);
    assert_eq!(code, Some(2), "{messages}");
    let (code, _, messages) = run_in_c(&scratch, &["ls", "--depth=2", "t"]);
    assert_eq!(code, Some(2), "{messages}");
}

#[test]
fn trees_in_json_have_paths_and_depths() {
    let scratch = Scratch::new();
    scratch.file_with("t/a/x", b"1234");
    scratch.file("t/b");
    let args = ["ls", "--tree", "--total", "--json", "--stats", "t"];
    let (code, out, messages) = run(&scratch, &args);
    assert_eq!(code, Some(0));
    let lines = objects(&out);
    let rows: Vec<(String, u64)> = lines[..4]
        .iter()
        .map(|line| (line["path"].as_str().unwrap().to_owned(), line["depth"].as_u64().unwrap()))
        .collect();
    let expected = [("t", 0), ("t/a", 1), ("t/a/x", 2), ("t/b", 1)];
    assert_eq!(rows, expected.map(|(path, depth)| (path.to_owned(), depth)));
    assert_eq!(lines[2]["size"], 4);
    let summary = &objects(&messages)[0]["summary"];
    assert_eq!((&summary["entries"], &summary["size"]), (&3.into(), &4.into()));
}

#[test]
fn headers_name_the_columns() {
    let scratch = Scratch::new();
    scratch.file_with("a", b"1234");
    scratch.dir("empty");
    let out = run(&scratch, &["ls", "-lis", "--author", "--header", "--time-style=iso"]).1;
    let found = lines(&out);
    let header: Vec<&str> = found[1].split_whitespace().collect();
    assert_eq!(
        header.join(" "),
        "Inode Blocks Mode Links Owner Group Author Size Modified Name",
        "{out}"
    );
    // Numbers end where their names end; the name begins where its name begins.
    for (name, value) in [("Blocks", "4 "), ("Size", "4 ")] {
        let end = found[1].find(name).unwrap() + name.len();
        assert!(found[2][..=end].ends_with(value), "{out}");
    }
    assert_eq!(found[1].find("Name").unwrap() + 1, found[2].len(), "{out}");
    assert_eq!(run(&scratch, &["ls", "-l", "--header", "empty"]).1, "total 0\n");
    let out = run(&scratch, &["ls", "-lu", "--header", "--no-group", "a"]).1;
    assert!(out.contains("Accessed") && !out.contains("Group"), "{out}");
    let out = run(&scratch, &["ls", "--fields", "name,size", "--header", "a"]).1;
    assert_eq!(out, "name\tsize\na\t4\n");
    for wrong in [&["--header"][..], &["--header", "-l", "--json"], &["--total", "--json"]] {
        let (code, out, _) = run(&scratch, &[&["ls"], wrong].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{wrong:?}");
    }
}

#[test]
fn totals_count_entries_and_sizes() {
    let scratch = Scratch::new();
    scratch.file_with("t/a", &[b'x'; 3_000]);
    scratch.file_with("t/d/b", &[b'x'; 2_000]);
    scratch.link("t/d/l", "b");
    let last = |args: &[&str]| {
        let out = run(&scratch, &[&["ls", "--total"], args].concat()).1;
        lines(&out).last().copied().unwrap_or_default().to_owned()
    };
    assert_eq!(last(&["--tree", "t"]), "1 directory, 3 files, 5000 bytes");
    assert_eq!(last(&["--tree", "--depth=1", "-h", "t"]), "1 directory, 1 file, 3.0K");
    assert_eq!(last(&["-la", "t"]), "1 directory, 1 file, 3000 bytes");
    assert_eq!(last(&["-lR", "t"]), "1 directory, 3 files, 5000 bytes");
    assert_eq!(last(&["t/a"]), "0 directories, 1 file, 3000 bytes");
}

#[test]
fn times_can_be_relative() {
    let scratch = Scratch::new();
    let now = std::time::SystemTime::now();
    for (name, seconds) in [("hours", 3 * 3_600 + 60), ("days", 86_400 * 3 + 60)] {
        let file = std::fs::File::create(scratch.at(name)).unwrap();
        file.set_modified(now - std::time::Duration::from_secs(seconds)).unwrap();
    }
    let out = run(&scratch, &["ls", "-gG", "--time-style=relative"]).1;
    let found = lines(&out);
    assert!(found[1].ends_with("    3 days ago days"), "{out}");
    assert!(found[2].ends_with("   3 hours ago hours"), "{out}");
    assert_eq!(found[1].len() - "days".len(), found[2].len() - "hours".len());
}

/// Runs git, which must be there, in a directory.
fn git(scratch: &Scratch, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "init.defaultBranch=main"]);
    command.args(args).current_dir(scratch.path());
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn git_shows_the_state_of_each_entry() {
    if Command::new("git").arg("--version").output().is_err() {
        return curt_testkit::skip("git is not installed");
    }
    let scratch = Scratch::new();
    let (_, out, messages) = run_in_c(&scratch, &["ls", "-1", "--git", "."]);
    assert_eq!((out.as_str(), messages.as_str()), ("", ""), "no working tree is no failure");
    for path in ["clean", "changed", "sub/old name", "sub/below/x", ".gitignore"] {
        scratch.file(path);
    }
    std::fs::write(scratch.at(".gitignore"), b"target/\n").unwrap();
    git(&scratch, &["init", "-q"]);
    git(&scratch, &["add", "-A"]);
    git(&scratch, &["commit", "-qm", "x"]);
    std::fs::write(scratch.at("changed"), b"more").unwrap();
    std::fs::write(scratch.at("sub/below/x"), b"more").unwrap();
    scratch.file_with("staged", b"1");
    scratch.file_with("new\nline", b"1");
    scratch.file("target/debug/x");
    scratch.file("untracked/x");
    git(&scratch, &["add", "staged"]);
    git(&scratch, &["mv", "sub/old name", "sub/new name"]);
    let out = run_in_c(&scratch, &["ls", "-1", "-Q", "--git"]).1;
    let expected = "\
-M  \"changed\"
--  \"clean\"
-N  \"new\\nline\"
N-  \"staged\"
RM  \"sub\"
-I  \"target\"
-N  \"untracked\"
";
    assert_eq!(out, expected);
    // The same from another directory, for operands of each kind, and below them.
    let out = run_in_c(&scratch, &["ls", "-d", "--git", "sub/below/x", "sub", "clean", ".git"]).1;
    assert_eq!(out, "--  .git\n--  clean\nRM  sub\n-M  sub/below/x\n");
    let out = run_in_c(&scratch, &["ls", "--tree", "--git", "sub", "target"]).1;
    let expected = "\
RM  sub
-M  |-- below
-M  |   `-- x
R-  `-- new name
-I  target
-I  `-- debug
-I      `-- x
";
    assert_eq!(out, expected);
    let out = run_in_c(&scratch, &["ls", "-l", "--header", "--git", "changed"]).1;
    assert!(lines(&out)[0].ends_with(" Git Name") && out.ends_with(" -M  changed\n"), "{out}");
    let out = run_in_c(&scratch, &["ls", "-R", "--json", "--fields=name", "--git", "sub"]).1;
    let found = objects(&out);
    assert!(found.iter().any(|line| line["name"] == "x" && line["git"] == "-M"), "{out}");
    let output = curt(&scratch, &["ls", "-1", "--git"]).env("PATH", "/nowhere").output().unwrap();
    let (code, out, messages) = said(&output);
    assert_eq!(code, Some(1));
    assert!(out.contains("    clean\n"), "{out}");
    assert_eq!(messages, "curt ls: --git needs git: git: not found in PATH\n");
}
