//! `--json`.

use curt_testkit::Scratch;
use serde_json::{Value, json};

use crate::{command, command_line, missing, native, objects, output_for, run, said, tree};

#[test]
fn the_summary_is_last_and_only_with_stats() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    assert_eq!(run(&scratch, "-r --json --dry-run -j1 t/none"), run(&scratch, "--json t/none"));
    let (code, out, messages) = run(&scratch, "-r --json --stats -j1 t t/none");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    let mut objects = objects(&messages);
    let calls = objects[1]["summary"].as_object_mut().unwrap().remove("calls").unwrap();
    let summary = json!({"summary": {
        "files": 5, "directories": 3, "skipped": 0, "appeared": 0, "vanished": 0, "errors": 1,
        "interrupted": false, "threads": 1, "dry_run": false,
    }});
    assert_eq!((objects.len(), &objects[1]), (2, &summary));
    let calls = calls.as_object().unwrap();
    let total: u64 =
        calls.iter().filter(|(name, _)| *name != "total").map(|(_, n)| n.as_u64().unwrap()).sum();
    assert_eq!(calls["total"], total);
}

/// So `jq -r .path` never prints `null`, whatever fails.
#[test]
fn standard_output_has_only_paths() {
    let program = if cfg!(windows) { "cmd" } else { "sh" };
    for line in [
        "rm -r --json --dry-run t none",
        "find --json --fields=name,size . t none",
        "ls --json t none",
        "ls --json --tree t none",
        "stat --json t/a t/none",
        "du --json -a t none",
        &format!("which --json curt-no-such-program {program}"),
        &format!("which --json --explain curt-no-such-program {program}"),
        "expand --json a",
        "expand --json --explain b",
        "realpath --json t none/none",
        "readlink --json -f t none/none",
        "beneath --root t --json a ../x",
        "beneath --root t --json --stat a ../x",
        "rm -rv --json t none",
    ] {
        for stats in ["", " --stats"] {
            let scratch = Scratch::new();
            tree(&scratch, "t");
            let line = line.replacen(" --json", &format!("{stats} --json"), 1);
            let (_, out, messages) = said(&command_line(&scratch, &line).output().unwrap());
            let (answers, others) = (objects(&out), objects(&messages));
            assert!(!answers.is_empty(), "{line}");
            assert!(answers.iter().all(|object| object["path"].is_string()), "{line}: {out}");
            let keys = others.iter().map(|object| match object.get("summary") {
                Some(_) => "summary",
                None => object.get("error").map_or("", |_| "error"),
            });
            let may_fail = !line.starts_with("expand");
            let expected = [("error", may_fail), ("summary", !stats.is_empty())];
            let expected: Vec<&str> =
                expected.iter().filter(|(_, is)| *is).map(|(key, _)| *key).collect();
            assert_eq!(keys.collect::<Vec<_>>(), expected, "{line}: {messages}");
        }
    }
}

#[test]
fn failures_are_objects() {
    let scratch = Scratch::new();
    scratch.dir("d");
    let (code, out, messages) = run(&scratch, "--json -j1 missing d . x/");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    let objects = objects(&messages);
    assert_eq!(objects.len(), 4);
    assert_eq!(
        objects[0],
        json!({"error": {"operation": "remove", "path": "missing", "kind": "not-found", "errno": 2,
                         "message": missing()}})
    );
    assert_eq!(objects[1]["error"]["kind"], "is-a-directory");
    assert_eq!(objects[2]["error"]["kind"], "dot-or-dot-dot");
    assert_eq!(objects[3]["error"]["path"], "x/");
}

#[test]
fn entries_are_objects_with_json() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    for other in ["t/link", "t/pipe"] {
        #[cfg(unix)]
        if other == "t/link" {
            scratch.link(other, "nowhere")
        } else {
            scratch.fifo(other)
        };
        #[cfg(not(unix))]
        scratch.file(other);
    }
    let (link, pipe) = if cfg!(unix) { ("symlink", "fifo") } else { ("file", "file") };
    let entry =
        |path, kind, removed| json!({"path": native(path), "kind": kind, "removed": removed});
    let (_, out, messages) = run(&scratch, "-r --json --stats --dry-run t");
    let found = objects(&out);
    assert_eq!(found.len(), 10);
    assert!(found.contains(&entry("t/link", link, false)), "{out}");
    let summary = &objects(&messages)[0]["summary"];
    assert_eq!((&summary["files"], &summary["dry_run"]), (&json!(7), &json!(true)));
    assert!(summary["bytes"].is_u64());
    let (_, out, _) = run(&scratch, "-rv --json t");
    let found = objects(&out);
    assert_eq!(found.len(), 10);
    assert!(found.contains(&entry("t/pipe", pipe, true)), "{out}");
    assert!(found.contains(&entry("t/sub/deep", "directory", true)), "{out}");
}

#[cfg(unix)]
#[test]
fn names_that_are_not_unicode_are_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xff\n");
    scratch.file(name);
    let output =
        crate::curt(&scratch, ["-v".as_ref(), "--json".as_ref(), name, "\u{e9}\"\n".as_ref()])
            .output();
    let (_, out, messages) = crate::said(&output.unwrap());
    let removed = json!({"path": {"bytes": "Yf8K"}, "kind": "unknown", "removed": true});
    assert_eq!(objects(&out), [removed]);
    assert_eq!(objects(&messages)[0]["error"]["path"], "\u{e9}\"\n");
}

/// Every command that has `--json`, with something that fails.
#[test]
fn an_error_has_one_shape_everywhere() {
    let scratch = Scratch::new();
    scratch.dir("root");
    scratch.file("file");
    // For the command that reads names: one that is empty.
    let of = |args: &'static [&'static str]| (args, "\0".to_owned());
    // Windows does not say which of the names is missing.
    let below_a_file = if cfg!(windows) { "not-found" } else { "not-a-directory" };
    for ((args, input), expected) in [
        (of(&["rm", "--json", "missing"]), &["not-found"][..]),
        (of(&["rm", "-r", "--json", "."]), &["dot-or-dot-dot"]),
        (of(&["ls", "--json", "missing"]), &["not-found"]),
        (of(&["stat", "--json", "missing"]), &["not-found"]),
        (of(&["stat", "--json", "file/x"]), &[below_a_file]),
        (of(&["du", "--json", "missing"]), &["not-found"]),
        (of(&["find", "--json", ".", "missing"]), &["not-found"]),
        (of(&["find", "--json", "file", "-x", "./missing"]), &["not-found"]),
        (of(&["find", "--json", "file", "-X", "./missing"]), &["not-found"]),
        (of(&["which", "--json", "missing"]), &["not-found"]),
        (of(&["which", "--json", "--all", "missing"]), &["not-found"]),
        (of(&["which", "--json", "--explain", "missing"]), &["not-found"]),
        (of(&["expand", "--json", ""]), &["empty"]),
        (of(&["beneath", "--json", "--root", "missing", "x"]), &["not-found"]),
        (of(&["beneath", "--json", "--root", "root", "missing", ".."]), &["not-found", "escape"]),
        (of(&["beneath", "--json", "--check-only", ".."]), &["escape"]),
        // What clap refuses, what GNU has and curt lacks, and what the command itself refuses.
        (of(&["ls", "--json", "--bogus"]), &["usage"]),
        (of(&["ls", "--context", "--json"]), &["usage"]),
        (of(&["ls", "--js", "--sort=bogus"]), &["usage"]),
        (of(&["ls", "--json", "--fields", "bogus"]), &["usage"]),
        (of(&["stat", "--json"]), &["usage"]),
        (of(&["stat", "--json", "--fields", "bogus", "file"]), &["usage"]),
        (of(&["rm", "--json"]), &["usage"]),
        (of(&["rm", "--json", "--exclude", "[", "file"]), &["usage"]),
        (of(&["rm", "--json", "--files0-from", "missing"]), &["not-found"]),
        (of(&["rm", "--json", "--files0-from=-"]), &["invalid"]),
        (of(&["du", "--json", "--bogus"]), &["usage"]),
        (of(&["find", "--json", "--type", "q"]), &["usage"]),
        (of(&["find", "--json", "--sort=bogus"]), &["usage"]),
        (of(&["which", "--json"]), &["usage"]),
        (of(&["which", "--json", "--policy", "bogus", "x"]), &["usage"]),
        (of(&["expand", "--json", "--drive", "bogus", "x"]), &["usage"]),
        (of(&["beneath", "--json", "--root=root", "--release=11", "x"]), &["usage"]),
    ] {
        let mut command = command(&scratch, args[0], &args[1..]);
        let (_, _, messages) = said(&output_for(&mut command, input));
        let objects = objects(&messages);
        let errors: Vec<&Value> = objects.iter().map(|object| &object["error"]).collect();
        let kinds: Vec<&str> = errors.iter().map(|error| error["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, expected, "{args:?}: {messages}");
        for error in errors {
            let mut keys: Vec<&String> = error.as_object().unwrap().keys().collect();
            keys.sort();
            assert_eq!(
                keys,
                ["errno", "kind", "message", "operation", "path"],
                "{args:?}: {messages}"
            );
            let is_text = |key: &str| error[key].as_str().is_some_and(|text| !text.is_empty());
            assert!(is_text("operation") && is_text("message"), "{args:?}: {messages}");
            assert!(error["errno"].is_null() || error["errno"].is_i64(), "{args:?}: {messages}");
            let has_none = error["operation"] == "read_arguments";
            assert_eq!(error["path"].is_null(), has_none, "{messages}");
        }
    }
}

/// Variables that JSON does not need are not looked at.
#[test]
fn the_environment_says_nothing() {
    let scratch = Scratch::new();
    scratch.file("f");
    for (name, args) in [("ls", &["--json"][..]), ("find", &["--json", "--color=always"])] {
        let mut command = command(&scratch, name, args);
        command.envs([("QUOTING_STYLE", "bad"), ("LS_COLORS", "bad"), ("TIME_STYLE", "bad")]);
        let (code, out, messages) = said(&command.output().unwrap());
        assert_eq!((code, objects(&out).len(), &*messages), (Some(0), 1, ""), "{name}");
    }
}

/// `--json` among the words of another program is not an option of curt.
#[test]
fn json_among_the_words_of_another_program_is_ignored() {
    let scratch = Scratch::new();
    for line in ["find --bogus --exec x --json ;", "ls --bogus -- --json", "run --bogus x --json"] {
        let (code, out, messages) = said(&command_line(&scratch, line).output().unwrap());
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(messages.contains("unrecognized option '--bogus'"), "{line}: {messages}");
    }
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_is_an_object() {
    let scratch = Scratch::new();
    scratch.dir("d");
    scratch.link("d/back", ".");
    let (code, out, messages) = said(&command_line(&scratch, "ls --json -LR d").output().unwrap());
    assert_eq!(code, Some(2));
    assert_eq!(objects(&out).len(), 1);
    let error = &objects(&messages)[0]["error"];
    assert_eq!((&error["kind"], &error["path"]), (&json!("loop"), &json!("d/back")), "{messages}");
}
