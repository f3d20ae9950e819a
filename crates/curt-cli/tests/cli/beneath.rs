//! `curt beneath`: what it prints, and how it ends.

#[cfg(unix)]
use std::process::{Command, Stdio};

use curt_testkit::Scratch;

use crate::{command, missing, native, objects, said};

fn beneath(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String, String) {
    said(&command(scratch, "beneath", args).output().unwrap())
}

/// Runs with `--json` and returns each answer: the name, or the kind of the error.
fn answers(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    let (_, out, messages) = beneath(scratch, &[&["--json"], args].concat());
    let mut answers: Vec<(Option<usize>, String)> = Vec::new();
    let place = |path: &serde_json::Value| args.iter().rposition(|arg| path == arg);
    for line in objects(&out) {
        let allow = native(&format!("allow {}", line["allow"].as_str().unwrap()));
        answers.push((place(&line["path"]), allow));
    }
    for line in objects(&messages) {
        let error = &line["error"];
        answers.push((place(&error["path"]), error["kind"].as_str().unwrap().to_owned()));
    }
    answers.sort();
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn tree() -> Scratch {
    let scratch = Scratch::new();
    scratch.file_with("root/pub/page", b"a page\n");
    scratch.file_with("secret", b"secret");
    scratch
}

#[test]
fn names_are_printed_and_refusals_explained() {
    let scratch = tree();
    let args = ["--root", "root", "pub/./page", ".", "../secret", "pub/nosuch", "pub/../.."];
    let (code, out, messages) = beneath(&scratch, &args);
    assert_eq!((code, &*out), (Some(1), &*native("pub/page\n.\n")));
    let expected = format!(
        "curt beneath: cannot open '../secret': the path leaves the root directory\n\
         curt beneath: cannot open 'pub/nosuch': {}\n\
         curt beneath: cannot open 'pub/../..': the path leaves the root directory\n",
        missing()
    );
    assert_eq!(messages, expected);
}

#[test]
fn names_end_with_nul_where_that_is_asked_for() {
    let scratch = tree();
    let (code, out, _) = beneath(&scratch, &["--root", "root", "-0", "pub/./page", "."]);
    assert_eq!((code, &*out), (Some(0), &*native("pub/page\0.\0")));
    let (code, out, _) = beneath(&scratch, &["--check-only", "--null", "a", "b"]);
    assert_eq!((code, &*out), (Some(0), "a\0b\0"));
    for other in ["--cat", "--stat", "--json"] {
        assert_eq!(beneath(&scratch, &["--root", "root", "-0", other, "."]).0, Some(2));
    }
}

#[test]
fn names_of_missing_files_are_printed_with_name() {
    let scratch = tree();
    let (code, out, _) = beneath(&scratch, &["--root", "root", "--name", "pub/new"]);
    assert_eq!((code, &*out), (Some(0), &*native("pub/new\n")));
    let (code, out, _) = beneath(&scratch, &["--root", "root", "--name", "no/new"]);
    assert_eq!((code, &*out), (Some(1), ""));
}

#[test]
fn cat_prints_contents_alone() {
    let scratch = tree();
    let args = ["--root", "root", "--cat", "pub/page", "../secret", "pub/page"];
    let (code, out, messages) = beneath(&scratch, &args);
    assert_eq!((code, &*out), (Some(1), "a page\na page\n"));
    assert_eq!(
        messages,
        "curt beneath: cannot open '../secret': the path leaves the root directory\n"
    );
}

#[test]
fn in_root_keeps_paths_in_the_root() {
    let scratch = tree();
    let args = ["--root", "root", "--in-root", "--cat", "/pub/page", "../../pub/page"];
    let (code, out, messages) = beneath(&scratch, &args);
    assert_eq!((code, &*out, &*messages), (Some(0), "a page\na page\n", ""));
}

#[test]
fn stat_prints_the_metadata_of_the_target() {
    let scratch = tree();
    let (code, out, _) = beneath(&scratch, &["--root", "root", "--stat", "pub/page"]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("path: pub/page\nkind: file\nsize: 7\n"), "{out}");
    let args = ["--root", "root", "--stat", "--stats", "--json", "pub", ".."];
    let (code, out, messages) = beneath(&scratch, &args);
    assert_eq!(code, Some(1));
    assert_eq!(objects(&out)[0]["kind"], "directory");
    let lines = objects(&messages);
    assert_eq!(
        (&lines[0]["error"]["path"], &lines[0]["error"]["kind"]),
        (&"..".into(), &"escape".into())
    );
    let summary = &lines[1]["summary"];
    assert_eq!((&summary["allowed"], &summary["refused"]), (&1.into(), &1.into()));
}

#[test]
fn json_has_the_name_or_the_kind_of_the_error() {
    let scratch = tree();
    let paths = ["pub/page", "../secret", "nosuch", "", "/pub"];
    let expected = [&native("allow pub/page")[..], "escape", "not-found", "empty", "absolute"];
    assert_eq!(answers(&scratch, &[&["--root", "root"], &paths[..]].concat()), expected);
    let strict = ["--root", "root", "--mode", "strict", "pub/page.", "pub/nul"];
    assert_eq!(answers(&scratch, &strict), ["trailing", "device"]);
    assert_eq!(answers(&scratch, &["--root", "root", "--in-root", "../../pub"]), ["allow pub"]);
}

#[test]
fn text_is_checked_by_the_rules_of_any_system() {
    let scratch = tree();
    let args = ["--check-only", "--flavor", "windows", r"a/.\b. ", "a/../../b", "nul.txt", r"C:x"];
    let (code, out, messages) = beneath(&scratch, &args);
    assert_eq!((code, &*out), (Some(1), "a\\b\n"));
    for line in [
        "'a/../../b': the path leaves the root",
        "'nul.txt': the path names a device",
        "C:x': the path names a drive",
    ] {
        let line = line.replace('\'', "");
        assert!(messages.replace('\'', "").contains(&line), "{messages}");
    }
    for (args, expected) in [
        (
            &["--flavor=windows", "--release=11", "con", r"d\con"][..],
            &["device", r"allow d\con"][..],
        ),
        (&["--flavor=windows", "--release=10", r"d\con"], &["device"]),
        (&["--flavor=posix", r"d\con", "link/../x"], &[r"allow d\con", "allow x"]),
        (&["--flavor=posix", "--mode=strict", "HTACCE~1"], &["shortname"]),
    ] {
        assert_eq!(answers(&scratch, &[&["--check-only"], args].concat()), expected, "{args:?}");
    }
}

#[test]
fn wrong_command_lines_are_refused() {
    let scratch = tree();
    for args in [
        &["pub"][..],
        &["--root", "root"],
        &["--root", "root", "--cat", "--stat", "pub"],
        &["--root", "root", "--flavor", "windows", "pub"],
        &["--root", "root", "--check-only", "pub"],
        &["--root", "root", "--mode", "loose", "pub"],
    ] {
        assert_eq!(beneath(&scratch, args).0, Some(2), "{args:?}");
    }
    let (code, _, messages) = beneath(&scratch, &["--root", "nosuch", "pub"]);
    assert_eq!(code, Some(1));
    assert!(messages.contains("cannot open directory"), "{messages}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_within_and_refused_where_aliases_are() {
    let scratch = tree();
    scratch.link("root/in", "pub");
    scratch.link("root/out", "../secret");
    scratch.link("root/absolute", "/etc");
    scratch.link("root/loop", "loop");
    scratch.fifo("root/pipe");
    let paths = ["in/page", "out", "absolute/passwd", "loop", "pub/page/x"];
    let expected = ["allow pub/page", "escape", "escape", "loop", "not-a-directory"];
    for more in [&[][..], &["--without", "openat2"]] {
        let args = [&["--root", "root"], more, &paths].concat();
        assert_eq!(answers(&scratch, &args), expected, "{more:?}");
        let strict = [&["--root", "root", "--mode", "strict"], more, &["in/page", "out"]].concat();
        assert_eq!(answers(&scratch, &strict), ["link", "escape"], "{more:?}");
        // Nobody writes to the pipe, and nobody waits for that.
        let args = [&["--root", "root", "--cat", "pipe", "pub", "in/page"], more].concat();
        let (code, out, messages) = beneath(&scratch, &args);
        assert_eq!((code, &*out), (Some(1), "a page\n"), "{more:?}");
        let expected = "curt beneath: cannot read 'pipe': not a regular file\n\
                        curt beneath: cannot read 'pub': Is a directory\n";
        assert_eq!(messages, expected, "{more:?}");
    }
}

/// Root may do everything, so another user asks.
#[cfg(target_os = "linux")]
#[test]
fn a_permission_error_is_a_failure_and_no_refusal() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let scratch = tree();
    scratch.file_with("root/closed/page", b"");
    scratch.file_with("root/pub/own", b"");
    let set = |path: &str, mode| {
        std::fs::set_permissions(scratch.at(path), PermissionsExt::from_mode(mode)).unwrap();
    };
    set("root/closed", 0o700);
    set("root/pub/own", 0o600);
    // Scratch directories are the user's alone.
    set("", 0o755);
    // The program may lie where nobody else can reach it.
    let program = scratch.program(env!("CARGO_BIN_EXE_curt"), "curt");
    for more in [&[][..], &["--without", "openat2"]] {
        let mut command = Command::new(&program);
        command.args(["beneath", "--root", "root", "--cat"]).args(more);
        command.args(["closed/page", "pub/own", "pub/page", "closed/../pub/page"]);
        command
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .uid(curt_testkit::NOBODY)
            .gid(curt_testkit::NOBODY);
        let output = match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                return curt_testkit::skip("only root can become another user");
            }
            Err(error) => panic!("{error}"),
        };
        let (code, out, messages) = said(&output);
        assert_eq!((code, &*out), (Some(1), "a page\n"), "{more:?} {messages}");
        let denied =
            |path: &str| format!("curt beneath: cannot open '{path}': Permission denied\n");
        let expected = ["closed/page", "pub/own", "closed/../pub/page"].map(denied).concat();
        assert_eq!(messages, expected, "{more:?}");
    }
}
