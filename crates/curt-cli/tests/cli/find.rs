//! `curt find` by itself: what fd does not have, or cannot be compared in.

use std::process::Command;

use curt_testkit::Scratch;

use crate::{command, missing, native, objects, said, tree};

fn find(scratch: &Scratch, args: &[&str]) -> Command {
    command(scratch, "find", args)
}

fn run(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String, String) {
    said(&find(scratch, args).output().unwrap())
}

/// The lines of a search that went well.
fn lines(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    let (code, out, messages) = run(scratch, args);
    assert_eq!((code, messages.as_str()), (Some(0), ""), "{args:?}");
    out.lines().map(str::to_owned).collect()
}

/// What a wrong command line is answered.
fn refusal(scratch: &Scratch, args: &[&str]) -> String {
    let (code, out, messages) = run(scratch, args);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}");
    messages.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn names_are_found_and_sorted() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    assert_eq!(lines(&scratch, &["keep"]), ["t/b.keep", "t/sub/d.keep"].map(native));
    assert_eq!(lines(&scratch, &["^sub$", "t"]), [native("t/sub/")]);
    assert_eq!(lines(&scratch, &["-g", "?", "t"]), ["t/a", "t/sub/c", "t/sub/deep/e"].map(native));
    assert_eq!(lines(&scratch, &["KEEP"]), [""; 0]);
    assert_eq!(lines(&scratch, &["-i", "KEEP", &native("t/sub")]), [native("t/sub/d.keep")]);
    assert_eq!(lines(&scratch, &["--search-path", &native("t/sub"), "c"]), [native("t/sub/c")]);
}

#[test]
fn search_ends_after_the_wanted_number() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    for threads in ["-j1", "-j4"] {
        assert_eq!(lines(&scratch, &[threads, "--max-results=2"]).len(), 2);
        assert_eq!(lines(&scratch, &[threads, "-1"]).len(), 1);
    }
    assert_eq!(lines(&scratch, &["--max-results=0"]).len(), 8);
    assert_eq!(run(&scratch, &["-q", "keep"]), (Some(0), String::new(), String::new()));
    assert_eq!(run(&scratch, &["-q", "none"]), (Some(1), String::new(), String::new()));
    // Found, whatever failed beside it.
    for operands in [["missing", "t"], ["t", "missing"]] {
        assert_eq!(run(&scratch, &[&["-j1", "-q", "keep"], &operands[..]].concat()).0, Some(0));
    }
}

#[test]
fn operands_that_cannot_be_searched_are_reported() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let (code, out, messages) =
        run(&scratch, &["keep", &native("t/sub"), "missing", &native("t/a")]);
    assert_eq!((code, out), (Some(1), native("t/sub/d.keep\n")));
    assert!(messages.contains(&format!("'missing': {}", missing())), "{messages}");
    assert!(messages.contains(&format!("cannot search '{}': it is not", native("t/a"))));
    let (code, _, messages) = run(&scratch, &["-a", "keep", "missing"]);
    assert_eq!(code, Some(1));
    assert_eq!(messages, format!("curt find: cannot search 'missing': {}\n", missing()));
}

/// git's users say so that they have no configuration.
#[test]
fn no_configuration_of_git_is_none() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let mut command = find(&scratch, &["^a$"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    assert_eq!(said(&command.output().unwrap()), (Some(0), native("t/a\n"), String::new()));
}

#[test]
fn rules_of_git_are_left_out_with_those_of_its_user() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    scratch.dir("t/.git");
    // By its path in the work tree.
    scratch.file_with("t/sub/excluded", b"*.keep\n");
    scratch.file_with("config", b"[core]\nexcludesFile = sub/excluded\n");
    scratch.file_with("t/.ignore", b"c\n");
    let find = |args: &[&str]| {
        let mut command = find(&scratch, args);
        command.env("GIT_CONFIG_GLOBAL", "config");
        said(&command.output().unwrap()).1
    };
    assert_eq!(find(&["keep|^c$"]), "");
    assert_eq!(find(&["keep|^c$", "--no-ignore-vcs"]), native("t/b.keep\nt/sub/d.keep\n"));
}

#[test]
fn base_directory_is_changed_to_first() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    assert_eq!(lines(&scratch, &["--base-directory", "t", "keep", "sub"]), [native("sub/d.keep")]);
    let (code, out, messages) = run(&scratch, &["--base-directory", "none"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert_eq!(messages, format!("curt find: cannot change to 'none': {}\n", missing()));
}

#[test]
fn details_are_those_of_ls() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let (paths, mut ls) = (["t/b.keep", "t/sub/d.keep"].map(native), vec!["-lhd"]);
    ls.extend(paths.iter().map(String::as_str));
    let expected = said(&command(&scratch, "ls", &ls).output().unwrap());
    assert_eq!((expected.0, expected.1.lines().count()), (Some(0), 2), "{expected:?}");
    assert_eq!(run(&scratch, &["-l", "keep", "t"]), expected);
    assert_eq!(lines(&scratch, &["-l", "none"]), [""; 0]);
}

#[test]
fn json_has_entries_and_then_a_summary() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let (_, out, messages) = run(&scratch, &["--json", "--stats", "^(sub|c)$"]);
    let (objects, others) = (objects(&out), objects(&messages));
    assert_eq!(objects.len(), 2);
    assert_eq!((&objects[0]["kind"], &objects[0]["depth"]), (&"directory".into(), &2.into()));
    assert_eq!(objects[1]["path"], native("t/sub/c"));
    let summary = &others[0]["summary"];
    assert_eq!((&summary["found"], &summary["visited"]), (&2.into(), &9.into()));
    assert_eq!((&summary["errors"], &summary["interrupted"]), (&0.into(), &false.into()));
    for (args, found) in [(&["--max-results=3"][..], 3), (&["--sort=size", "-1"], 1), (&["-q"], 1)]
    {
        let (_, _, messages) = run(&scratch, &[args, &["--stats"]].concat());
        assert!(messages.starts_with(&format!("curt find: {found} of ")), "{messages}");
    }
}

#[test]
fn formats_and_fields_choose_columns() {
    let scratch = Scratch::new();
    scratch.file_with("t/d/f", b"12345");
    let format = |format: &str| lines(&scratch, &["-tf", "--format", format, ".", "t"]);
    assert_eq!(format("{size} {path}"), [format!("5 {}", native("t/d/f"))]);
    assert_eq!(format("{name}|{parent}|{depth}|{}"), [native("f|t/d|2|t/d/f")]);
    assert_eq!(format("{{{kind}}}\\t"), ["{file}\\t"]);
    assert_eq!(run(&scratch, &["-0", "-tf", "--format={name}", ".", "t"]).1, "f\0");
    let columns = |list: &str| lines(&scratch, &["-tf", "--fields", list, ".", "t"]);
    assert_eq!(columns("size,name,parent"), [format!("5\tf\t{}", native("t/d"))]);
    assert_eq!(columns("depth,path,size"), [format!("2\t{}\t5", native("t/d/f"))]);
    let out = lines(&scratch, &["-tf", "--json", "--fields=name,parent,size", ".", "t"]);
    let object: serde_json::Value = serde_json::from_str(&out[0]).unwrap();
    let expected = serde_json::json!({"name": "f", "parent": native("t/d"), "size": 5,
                                      "path": native("t/d/f"), "depth": 2});
    assert_eq!(object, expected);
}

#[test]
fn everything_that_is_found_is_sorted() {
    let scratch = Scratch::new();
    for (name, bytes) in [("a/two", 2), ("b/three", 3), ("c/two", 2), ("one", 1)] {
        scratch.file_with(format!("t/{name}"), &vec![b'x'; bytes]);
    }
    let sorted = |args: &[&str]| lines(&scratch, &[args, &["-tf", ".", "t"]].concat());
    let by_size = ["t/b/three", "t/a/two", "t/c/two", "t/one"].map(native);
    let by_name = ["t/a/two", "t/b/three", "t/c/two", "t/one"].map(native);
    for threads in ["-j1", "-j4"] {
        assert_eq!(sorted(&[threads, "--sort=size"]), by_size);
        assert_eq!(sorted(&[threads, "--sort", "name"]), by_name);
        let mut reversed = by_size.clone();
        reversed.reverse();
        assert_eq!(sorted(&[threads, "--sort=size", "--reverse"]), reversed);
        assert_eq!(sorted(&[threads, "--sort=size", "--max-results=2"]), by_size[..2]);
        let listed = sorted(&[threads, "--sort=size", "-l"]);
        assert!(listed.iter().zip(&by_size).all(|(line, path)| line.ends_with(path)), "{listed:?}");
        let contents_first = lines(&scratch, &[threads, "--contents-first", ".", "t"]);
        let expected = ["t/a/two", "t/a/", "t/b/three", "t/b/", "t/c/two", "t/c/", "t/one"];
        assert_eq!(contents_first, expected.map(native));
    }
    // More than are sorted otherwise.
    for number in 0..1_200 {
        scratch.file(format!("many/{number:04}"));
    }
    let names: Vec<String> = (0..1_200).map(|it| native(&format!("many/{it:04}"))).collect();
    assert_eq!(lines(&scratch, &["-j4", "--sort=name", ".", "many"]), names);
}

#[test]
fn a_dry_run_prints_in_the_order_of_removal_and_removes_nothing() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let expected = ["t/a", "t/b.keep", "t/sub/c", "t/sub/d.keep", "t/sub/deep/e", "t/sub/deep/"];
    let expected = [&expected[..], &["t/sub/"]].concat();
    let expected: Vec<String> = expected.into_iter().map(native).collect();
    for threads in ["-j1", "-j4"] {
        assert_eq!(lines(&scratch, &[threads, "--delete", "--dry-run", ".", "t"]), expected);
    }
    let out = lines(&scratch, &["--delete", "--dry-run", "--json", "^a$", "t"]);
    assert_eq!(out.len(), 1, "{out:?}");
    assert!(!out[0].contains("removed"), "{out:?}");
    // A directory may be meant, and not what has its name.
    let said = refusal(&scratch, &["t", "--delete"]);
    assert!(said.starts_with("curt find: 't' is the PATTERN, and a directory has"), "{said}");
    // What is in a directory may stay, and then so does the directory.
    let hint = "curt find: a directory is deleted only if it is empty by then; '--prune -X curt rm \
                -r' in place of '--delete' removes it with all that is in it\n";
    for (pattern, expected) in [("sub|c", hint), ("^deep$", hint), ("deep|^e$", "")] {
        let (code, _, messages) = run(&scratch, &["--delete", "--dry-run", pattern, "t"]);
        assert_eq!((code, messages.as_str()), (Some(0), expected), "{pattern}");
    }
    assert_eq!(lines(&scratch, &["--delete", ".", "t"]), [""; 0]);
    assert!(scratch.exists("t") && !scratch.exists("t/a") && !scratch.exists("t/sub"));
}

#[test]
fn delete_counts_what_it_removed() {
    let scratch = Scratch::new();
    for threads in ["-j1", "-j3"] {
        scratch.file("t/a.o");
        scratch.file("t/d/b.o");
        scratch.file("t/d/c");
        let (code, out, messages) =
            run(&scratch, &[threads, "-e", "o", "--delete", "--json", "--stats", ".", "t"]);
        assert_eq!((code, out.as_str()), (Some(0), ""));
        let summary = &objects(&messages)[0]["summary"];
        assert_eq!((&summary["removed"], &summary["visited"]), (&2.into(), &5.into()));
        let (_, out, messages) = run(&scratch, &[threads, "--delete", "--stats", ".", "t"]);
        assert_eq!(out, "");
        assert!(messages.starts_with("curt find: 2 of 3 entries found, 2 removed, "), "{messages}");
    }
}

#[test]
fn delete_keeps_what_is_skipped() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    scratch.file("t/sub/.hidden");
    scratch.file("t/sub/deep/ignored");
    scratch.file_with("t/.ignore", b"ignored\n");
    let (code, out, messages) = run(&scratch, &["--delete", "-E", "*.keep", ".", "t"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    // As in the order of removal.
    let stays = ["t/sub/deep", "t/sub"].map(native);
    for (line, path) in messages.lines().zip(&stays) {
        assert!(line.starts_with(&format!("curt find: cannot remove '{path}': ")), "{messages}");
    }
    assert_eq!(messages.lines().count(), 3, "{messages}");
    assert!(messages.contains("\ncurt find: a directory is deleted only if it is empty by then;"));
    let left = lines(&scratch, &["-u", "-tf", ".", "t"]);
    let expected = ["t/.ignore", "t/b.keep", "t/sub/.hidden", "t/sub/d.keep", "t/sub/deep/ignored"];
    assert_eq!(left, expected.map(native));
}

#[test]
fn wrong_command_lines_delete_nothing() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    for wrong in [
        &["--bogus"][..],
        &["--size=1x"],
        &["--size="],
        &["--newer=yesterdayish"],
        &["--older="],
        &["--owner="],
        &["--type=x,"],
        &["-E", "../x"],
        &["--max-depth=-1"],
        &["--one-file-system=no"],
        &["--sort=colour"],
        &["--sort=name"],
        &["--format={colour}"],
        &["--fields=colour"],
        &["--format=x", "--json"],
        &["--perm=x"],
        &["-j0"],
        &["-name", "x"],
        &["-q"],
        &["-l"],
        &["-0"],
        &["--format={}"],
        &["--fields=path"],
        &["--max-results=0"],
        &["--del"],
    ] {
        let args = [&[".", "t", "--delete"], wrong].concat();
        let (code, out, messages) = run(&scratch, &args);
        let is_json = wrong.contains(&"--json");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {messages}");
        let begin = if is_json { "{\"error\":" } else { "curt find: " };
        assert!(messages.starts_with(begin), "{messages}");
        assert!(scratch.exists("t/sub/deep/e") && scratch.exists("t/a"), "{args:?}");
    }
}

#[test]
fn formats_and_colors_are_written() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let format = lines(&scratch, &["--format", "<{/}> {/.} {{{//}}}", "d.keep"]);
    assert_eq!(format, [native("<d.keep> d {t/sub}")]);
    let mut colored = find(&scratch, &["--color=always", "keep", &native("t/sub")]);
    colored.env("LS_COLORS", "di=34:*.keep=31:fi=0");
    let (code, out, messages) = said(&colored.output().unwrap());
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert_eq!(out, native("\x1b[34mt/sub/\x1b[0m\x1b[31md.keep\x1b[0m\n"));
    let (_, out, _) = run(&scratch, &["--hyperlink=always", "d.keep"]);
    assert!(out.starts_with("\x1b]8;;file:///") && out.contains("/t/sub/d.keep\x1b\\"), "{out:?}");
    assert!(out.ends_with(&native("t/sub/d.keep\x1b]8;;\x1b\\\n")), "{out:?}");
}

#[test]
fn wrong_patterns_and_values_are_refused() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    for (args, reason) in [
        (&["a/b"][..], "'a/b' cannot match: a name contains no slash; write 'curt find . PATH'"),
        (&["("], "invalid regular expression '(': unclosed group"),
        (
            &["*.rs"],
            "invalid regular expression '*.rs': repetition operator missing expression; -g takes \
             globs such as '*.rs', and -F takes plain text",
        ),
        (&["a["], "invalid regular expression 'a[': unclosed character class; -F takes plain text"),
        (&[".."], "'..' is the PATTERN, two letters of a name; write 'curt find . ..' to search"),
        (&["x", "-x", "echo", "{size}"], "'{size}' in a command: only --format has fields; write"),
        (&["x", "-X", "echo", "a{name}"], "'{name}' in a command: only --format has fields"),
        (&["--format", "{file_name}"], "unknown field 'file_name'"),
        (&["--format", "{size"], "'{size' in the format: a brace is not closed; write {{ for a"),
        (&["\\p{Emoji}"], "invalid regular expression '\\p{Emoji}': Unicode property not found"),
        (&["\\p{Alphabetic}"], "invalid regular expression '\\p{Alphabetic}': Unicode property"),
        (&["-g", "[[:alfa:]]"], "invalid pattern '[[:alfa:]]': a class in brackets is not one"),
        (&["-g", "[a"], "invalid pattern '[a': a bracket is not closed"),
        (&["-g", "{.a,.b}*"], "'{.a,.b}*' matches only hidden entries, which are skipped without"),
        (&["-g", "-p", "*.rs"], "'*.rs' cannot match: a full path begins with a slash"),
        (&["-g", "{,}"], "invalid pattern '{,}': it names no entry"),
        (&["-E", "{a..Z}"], "invalid pattern '{a..Z}': a range in braces is of letters of one"),
        (&["-E", "~/x"], "invalid pattern '~/x': the shell has not expanded the tilde"),
        (&["--strip-cwd-prefix", ".", "."], "option '--strip-cwd-prefix' cannot be used with"),
        (&["--strip-cwd-prefix", "--search-path=."], "option '--strip-cwd-prefix' cannot be used"),
        (&["--batch-size=3"], "--batch-size needs --exec-batch"),
        (&["-0", "-l"], "option '--print0' cannot be used with '--list-details'"),
        (&["^\\.git"], "'^\\.git' matches only hidden entries, which are skipped without --hidden"),
        (&["--perm", "u"], "invalid mode 'u': expected octal digits, or bits as in u=rw,go=r or u"),
        (&["--owner", ":"], "invalid owner ':': expected USER, USER:GROUP or :GROUP"),
        (&["--format", "{siz}"], "unknown field 'siz'; did you mean 'size'?"),
        (&["--fields", "colour"], "unknown field 'colour'"),
        (&["--dry-run"], "--dry-run needs --delete"),
        (&["--reverse"], "--reverse needs --sort"),
        (&["--sort"], "option '--sort' requires an argument"),
        (&["--delete", "-x", "a"], "option '--delete' cannot be used with '--exec'"),
        (
            &["--prune", "--delete"],
            "option '--prune' cannot be used with '--delete'; '--prune -X curt rm -r' removes what \
             matches",
        ),
        (&["-t", "q"], "unknown type 'q'; the types are f, d, l"),
        (&["-e", "*.rs"], "invalid extension '*.rs': expected one such as rs or tar.gz; several"),
        (&["-e", "rs", "-e", "c,h"], "invalid extension 'c,h': expected one such as rs or tar.gz"),
        (&["-e", "{rs,toml}"], "invalid extension '{rs,toml}': expected one such as rs or tar.gz"),
        (&["-e", "md "], "invalid extension 'md ': expected one such as rs or tar.gz; several are"),
        (&["-e", "/rs"], "invalid extension '/rs': expected one such as rs or tar.gz; several are"),
        (&["-e", "."], "invalid extension '.': names without an extension match '^[^.]+$'"),
        (
            &["-E", "!*.log"],
            "invalid pattern '!*.log': what matches is excluded without '!'; a name",
        ),
        (&["-E", "*.md,*.rs"], "invalid pattern '*.md,*.rs': write '{*.md,*.rs}'"),
        (&["-S", "10"], "invalid size '10': the units are b, k, m, g, t, ki, mi, gi and ti"),
        (&["-S", "+-1k"], "invalid size '+-1k': expected a number and a unit"),
        (&["--changed-within", "soon"], "invalid time 'soon' for --changed-within: neither a date"),
        (&["-E", "../x"], "invalid pattern '../x': '..' matches nothing below an operand"),
        (&["-d", "-1"], "invalid value '-1' for '--max-depth'"),
        (&["-l", "-q"], "option '--list-details' cannot be used with '--quiet'"),
        (&["-x", "a", ";", "-X", "b"], "option '--exec' cannot be used with '--exec-batch'"),
        (&["-S", "99999999t"], "invalid size '99999999t': it is too large"),
    ] {
        let said = refusal(&scratch, args);
        assert!(said.starts_with(&format!("curt find: {reason}")), "{args:?}: {said}");
    }
}

/// Whoever takes the first word for a directory, as find does, is told so instead of nothing.
#[test]
fn a_directory_that_is_the_pattern_is_named_if_nothing_matches() {
    let scratch = Scratch::new();
    scratch.file("src/a.rs");
    scratch.file("src dir/b.rs");
    let note_of = |name: &str, typed: &str, skipped: &str| {
        format!(
            "curt find: '{name}' is the PATTERN, and nothing matches; write 'curt find . {typed}' \
             to search in the directory of that name{skipped}\n"
        )
    };
    let skipped = "; without -u, what is hidden or ignored is not found";
    let note = |name, typed| note_of(name, typed, skipped);
    for args in [
        &["src", "-tf"][..],
        &["-S", "+1mi", "src"],
        &["src", "-e", "rs", "-x", "echo"],
        &["src", "-0", "-tl"],
        &["src", "-l", "-tf", "--sort=size"],
        &["src", "src dir"],
    ] {
        assert_eq!(run(&scratch, args), (Some(0), String::new(), note("src", "src")), "{args:?}");
    }
    scratch.file(".ignore");
    std::fs::write(scratch.at(".ignore"), "built\n").unwrap();
    scratch.file("built/c.rs");
    for (args, skipped) in [
        (&["built", "-td"][..], skipped),
        (&["built", "-H"], "; without -I, what is ignored is not found"),
        (&["built", "-I", "-tl"], "; without -H, what is hidden is not found"),
        (&["built", "-u", "-tl"], ""),
    ] {
        let expected = note_of("built", "built", skipped);
        assert_eq!(run(&scratch, args), (Some(0), String::new(), expected), "{args:?}");
    }
    let quiet = run(&scratch, &["-q", "-tf", "src dir"]);
    assert_eq!(quiet, (Some(1), String::new(), note("src dir", "'src dir'")));
    let (code, out, messages) = run(&scratch, &["src", "-e", "rs", "--json"]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    let object: serde_json::Value = serde_json::from_str(&messages).unwrap();
    assert!(object["note"].as_str().unwrap().starts_with("'src' is the PATTERN"), "{messages}");
    scratch.file("test_a.py");
    let glob = "curt find: nothing matches the regular expression 'test_*.py'; -g takes globs\n";
    let nothing = run(&scratch, &["test_*.py"]);
    assert_eq!(nothing, (Some(0), String::new(), glob.to_owned()));
    assert_eq!(run(&scratch, &["-g", "test_*.py"]).1, "test_a.py\n");
    for (args, note) in [
        (&[".ignore"][..], "hidden entries such as '.ignore' are skipped without --hidden"),
        (&["-S", "1mi"], "nothing has exactly the size 1mi; +1mi is at least, -1mi at most"),
    ] {
        let expected = (Some(0), String::new(), format!("curt find: {note}\n"));
        assert_eq!(run(&scratch, args), expected, "{args:?}");
    }
    let (code, _, messages) = run(&scratch, &["test_a.py", "test_a.py"]);
    assert_eq!(code, Some(1));
    let quote = "\ncurt find: the shell may have replaced a pattern by names; quote it\n";
    assert!(messages.ends_with(quote), "{messages}");
    // Something was found, or the directory was searched, or none is meant.
    for args in [
        &["src"][..],
        &[".", "src", "-tl"],
        &["-g", "src", "src"],
        &["nothing"],
        &["x.*y"],
        &["-H", ".nothing"],
        &["-S", "+1mi"],
        &["-F", "a*b"],
        &["a.rs", "-td"],
    ] {
        assert_eq!(run(&scratch, args).2, "", "{args:?}");
    }
}

#[test]
fn one_word_for_depth_is_that_of_every_command() {
    let scratch = Scratch::new();
    scratch.file("t/d/f");
    for option in ["--depth=1", "--max-depth=1"] {
        assert_eq!(lines(&scratch, &[option, ".", "t"]), [native("t/d/")]);
        for (command, expected) in [("ls --tree", "t\n"), ("du --gnu --inodes", "\tt\n")] {
            let line = format!("{command} {option} t");
            let (code, out, messages) =
                said(&crate::command_line(&scratch, &line).output().unwrap());
            assert_eq!((code, messages.as_str()), (Some(0), ""), "{line}");
            assert!(out.contains(expected) && !out.contains('f'), "{line}: {out}");
        }
    }
}

#[test]
fn excluded_paths_are_those_of_rm() {
    let scratch = Scratch::new();
    tree(&scratch, "t");
    let here = scratch.typed().to_str().unwrap().to_owned();
    let all = lines(&scratch, &["-tf", ".", "t"]);
    for excluded in ["{here}/t/sub", "{here}/t/sub/**", "t/sub/", "./sub", "/sub", "sub", "**/sub"]
    {
        let excluded = excluded.replace("{here}", &here);
        for operand in ["t", "./t", &format!("{here}/t")] {
            let args = ["-tf", "-E", &excluded, ".", operand];
            let found: Vec<String> = lines(&scratch, &args);
            let left = all.iter().filter(|path| !path.contains("sub")).count();
            assert_eq!(found.len(), left, "{args:?}: {found:?}");
        }
    }
    for excluded in ["{here}", "{here}/t", "{here}/*"] {
        let excluded = excluded.replace("{here}", &here);
        for operand in ["t", "t/sub", &format!("{here}/t/sub")] {
            assert_eq!(lines(&scratch, &["-E", &excluded, ".", operand]), [""; 0], "{excluded}");
        }
    }
    // What must stay is kept, whatever else is skipped or not.
    scratch.file_with("rules", b"a\n");
    let args =
        ["-u", "-tf", "--delete", "--ignore-file=rules", "-E", &format!("{here}/t/sub"), ".", "t"];
    assert_eq!(lines(&scratch, &args), [""; 0]);
    assert!(scratch.exists("t/a") && scratch.exists("t/sub/deep/e") && !scratch.exists("t/b.keep"));
}

/// The shell's name of the working directory may end in a link.
#[cfg(unix)]
#[test]
fn excluded_paths_may_begin_as_the_shell_has_them() {
    let scratch = Scratch::new();
    scratch.file("w [x]/p/f");
    scratch.file("w [x]/q");
    scratch.link("link", "w [x]");
    for directory in ["w [x]", "link"] {
        let here = scratch.at(directory);
        let excluded = here.join("p");
        let run = |words: &[&str]| {
            let mut command = command(&scratch, words[0], &words[1..]);
            command.current_dir(&here).env("PWD", &here);
            said(&command.output().unwrap())
        };
        let excluded = excluded.to_str().unwrap();
        let found = run(&["find", "-E", excluded]);
        assert_eq!((found.0, found.1.as_str()), (Some(0), "q\n"), "{directory}: {found:?}");
        let (code, out, _) = run(&["rm", "-rv", "--dry-run", "--exclude", excluded, "p", "q"]);
        assert_eq!(code, Some(0), "{directory}");
        assert!(out.starts_with("would remove 'q'\n") && out.ends_with(", 1 kept\n"), "{out}");
    }
}

/// Every door has one meaning of a pattern, that of bash: what `find -g` finds is what `find -E`
/// skips and `rm --exclude` keeps.
#[cfg(unix)]
#[test]
fn globs_have_one_meaning() {
    let names =
        ["1a", "b", "a]b", "-", "{a}", "xy", "x{}y", "x{yz}", "f1", "f2", "f1..3", "é", "É"];
    for (pattern, meant) in [
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
        let expected = sorted(&mut meant.iter().copied());
        let others = sorted(&mut names.into_iter().filter(|name| !meant.contains(name)));
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
    use super::{Command, find, lines, run};
    use curt_testkit::Scratch;

    #[test]
    fn permissions_are_compared_as_by_find() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new();
        for (name, mode) in [("a", 0o644), ("b", 0o4755), ("c", 0o600), ("d", 0o1777), ("e", 0)] {
            let path = scratch.file(format!("t/{name}"));
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let modes = ["644", "-644", "/111", "-u+x", "/u+s,+t", "u=rw", "-0", "/0", "0", "a=rwx,+t"];
        for mode in modes {
            let mut find = Command::new("find");
            find.args(["t", "-type", "f", "-perm", mode]).current_dir(scratch.path());
            let find = find.output().unwrap();
            assert!(find.status.success(), "{find:?}");
            let mut expected: Vec<String> =
                String::from_utf8(find.stdout).unwrap().lines().map(str::to_owned).collect();
            expected.sort();
            assert_eq!(lines(&scratch, &["-tf", "--perm", mode, ".", "t"]), expected, "{mode}");
        }
    }

    #[test]
    fn output_of_parallel_commands_is_kept_together() {
        let scratch = Scratch::new();
        for number in 0..20 {
            scratch.file(format!("t/{number}"));
        }
        let script = "echo $0 one; sleep 0.01; echo $0 two >&2; echo $0 three";
        let mut command = find(&scratch, &["-j8", ".", "t", "-x", "sh", "-c", script]);
        let output = command.output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 40);
        for pair in lines.chunks(2) {
            let name = pair[0].strip_suffix(" one").unwrap();
            assert_eq!(pair[1], format!("{name} three"));
        }
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 20);
    }

    #[test]
    fn output_of_several_commands_for_an_entry_is_kept_together() {
        let scratch = Scratch::new();
        for number in 0..20 {
            scratch.file(format!("t/{number}"));
        }
        let script = "echo $0; sleep 0.01; [ $0 != t/7 ]";
        let words = ["-j8", ".", "t", "-x", "sh", "-c", script, ";", "-x", "echo", "{}", "again"];
        let (code, out, messages) = run(&scratch, &words);
        assert_eq!((code, messages.as_str()), (Some(1), ""));
        // The first command failed for one of them.
        assert_eq!(out.lines().count(), 39);
        let lines: Vec<&str> = out.lines().filter(|line| *line != "t/7").collect();
        for pair in lines.chunks(2) {
            assert_eq!(pair[1], format!("{} again", pair[0]));
        }
    }

    #[test]
    fn commands_run_at_the_same_time() {
        let scratch = Scratch::new();
        scratch.file("t/a");
        scratch.file("t/b");
        // Each waits for the other.
        let script = "touch $0.here; for i in $(seq 500); do \
                      [ -e t/a.here ] && [ -e t/b.here ] && exit 0; sleep 0.01; done; exit 1";
        let output = find(&scratch, &["-j2", "^[ab]$", "t", "-x", "sh", "-c", script]).output();
        assert!(output.unwrap().status.success());
    }

    #[test]
    fn a_missing_program_is_reported_once_and_ends_the_search() {
        let scratch = Scratch::new();
        for number in 0..50 {
            scratch.file(format!("t/{number}"));
        }
        for threads in ["-j1", "-j4"] {
            for option in ["-x", "-X"] {
                let (code, out, messages) = run(&scratch, &[threads, option, "./none"]);
                assert_eq!((code, out.as_str()), (Some(1), ""));
                assert_eq!(messages.lines().count(), 1, "{messages}");
                let words = [threads, option, "true", ";", option, "./none", ";", option, "echo"];
                let (code, out, messages) = run(&scratch, &words);
                assert_eq!((code, out.as_str()), (Some(1), ""));
                assert_eq!(messages.lines().count(), 1, "{messages}");
            }
        }
    }

    #[test]
    fn entries_that_cannot_be_started_are_named() {
        let scratch = Scratch::new();
        scratch.file("t/a");
        scratch.file("t/b");
        let words = ["--json", "-tf", "-j1", ".", "t", "-x", "{}"];
        let (code, out, messages) = run(&scratch, &words);
        assert_eq!((code, out.as_str(), messages.lines().count()), (Some(1), "", 2));
        for path in ["t/a", "t/b"] {
            assert!(messages.contains(&format!("\"path\":\"{path}\"")), "{messages}");
        }
    }

    #[test]
    fn a_program_that_cannot_be_executed_is_reported_once() {
        let scratch = Scratch::new();
        scratch.file("t/a");
        scratch.file("t/b");
        scratch.script("plain", "#!/bin/sh\n", 0o644);
        scratch.script("orphan", "#!/nowhere/sh\n", 0o755);
        for (program, message) in [
            ("curt-no-such-program", "curt-no-such-program: not found in PATH"),
            ("./plain", "cannot start './plain': not an executable file"),
            ("./orphan", "cannot start './orphan': its interpreter '/nowhere/sh' is missing"),
        ] {
            let said = run(&scratch, &["-j3", ".", "t", "-x", program]);
            assert_eq!(said, (Some(1), String::new(), format!("curt find: {message}\n")));
        }
    }

    #[test]
    fn owners_that_do_not_exist_are_refused() {
        let scratch = Scratch::new();
        for (owner, what) in [
            ("no-such-user", "user 'no-such-user'"),
            ("root:no-such-group", "group 'no-such-group'"),
        ] {
            let (code, _, messages) = run(&scratch, &["--owner", owner]);
            assert_eq!(code, Some(2), "{owner}");
            assert!(messages.starts_with(&format!("curt find: unknown {what}\n")), "{messages}");
        }
        assert_eq!(lines(&scratch, &["--owner", "3999999999"]), [""; 0]);
    }

    #[test]
    fn commands_that_fail_fail_the_search_without_a_word() {
        let scratch = Scratch::new();
        scratch.file("a");
        for threads in ["-j1", "-j4"] {
            let said = run(&scratch, &[threads, "a", "-x", "false"]);
            assert_eq!(said, (Some(1), String::new(), String::new()));
        }
    }

    #[test]
    fn every_placeholder_is_replaced() {
        let scratch = Scratch::new();
        scratch.file("t/a b.tar.gz");
        let words = ["-e", "gz", "-x", "printf", "%s|", "{}", "{/}", "{//}", "{.}", "{/.}", "{{}}"];
        let expected = "./t/a b.tar.gz|a b.tar.gz|./t|t/a b.tar|a b.tar|{}|";
        assert_eq!(lines(&scratch, &words), [expected]);
    }
}
