//! Mount loops, and filesystems with the same inode numbers, in a mount namespace.

use std::process::Stdio;

use curt_testkit::{Scratch, may_mount, may_trace};

use crate::harness::FILTER;

fn in_namespace(scratch: &Scratch, script: &str) -> Option<(String, String)> {
    if !may_mount() {
        return None;
    }
    let script = format!("set -e; cd {}; {script}", scratch.path().display());
    let script = script.replace("$CURT", env!("CARGO_BIN_EXE_curt"));
    let mut command = curt_testkit::in_namespace(&script);
    command.env("LC_ALL", "C").stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{script}: {}", text(&output.stderr));
    Some((text(&output.stdout), text(&output.stderr)))
}

/// Setup, operand and expected loops. A directory is bind-mounted within itself, with or without
/// submounts, or the operand is within the mount but is not a mount point.
const LOOPS: [(&str, &str, &[&str]); 5] = [
    ("mkdir -p cy/b; head -c 100000 /dev/zero >cy/f; mount --bind cy cy/b;", "cy", &["cy/b"]),
    (
        "mkdir -p cy/a/b/c; head -c 100000 /dev/zero >cy/a/f; mount --bind cy/a cy/a/b/c;",
        "cy",
        &["cy/a/b/c"],
    ),
    (
        "mkdir -p cy/b cy/c; echo >cy/f; mount --rbind cy cy/b; mount --rbind cy cy/c;",
        "cy",
        &["cy/b", "cy/c"],
    ),
    (
        "mkdir -p cy/b/c; head -c 100000 /dev/zero >cy/b/f; mount --bind cy cy/b/c;",
        "cy/b",
        &["cy/b/c/b"],
    ),
    (
        "mkdir -p cy/b/x/y/c cy/b/z cy/w; echo >cy/b/x/f; >cy/w/g; mount --bind cy cy/b/x/y/c;",
        "cy/b",
        &["cy/b/x/y/c/b"],
    ),
];

fn both(
    scratch: &Scratch,
    prepare: &str,
    tool: &str,
    ours: &str,
    script: &str,
) -> Option<[(String, String); 2]> {
    let outcome = |program: &str| {
        let script = format!("{prepare} set +e; {}; echo exit $?", script.replace("{}", program));
        let answer = in_namespace(scratch, &script);
        scratch.remove("cy");
        answer
    };
    let answers = [outcome(tool)?, outcome(ours)?];
    // With a filter that refuses `openat2`, only the order may differ.
    if !may_trace() {
        return None;
    }
    let sorted = |(out, messages): &(String, String)| {
        let mut lines: Vec<String> =
            out.lines().chain(messages.lines()).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let filtered = outcome(&format!("{FILTER} {ours}"))?;
    assert_eq!(sorted(&filtered), sorted(&answers[1]), "{prepare} {script}");
    Some(answers)
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn du_counts_a_tree_mounted_inside_itself_once() {
    let scratch = Scratch::new();
    for (prepare, operand, _) in LOOPS {
        for options in ["", "-a", "-s", "-x", "-l", "-ax"] {
            let script = format!("{{}} {options} {operand}");
            let Some([gnu, curt]) = both(&scratch, prepare, "du", "\"$CURT\" du", &script) else {
                return;
            };
            assert_eq!(sorted(&curt.0), sorted(&gnu.0), "{prepare} du {options}");
            assert_eq!(curt.1, "", "{prepare} du {options}");
            if options.is_empty() {
                let threads = script.replace("{}", "{} -j8");
                let many = both(&scratch, prepare, "true", "\"$CURT\" du", &threads);
                assert_eq!(many.map(|[_, curt]| curt.0), Some(curt.0));
            }
        }
    }
}

#[test]
fn ls_reports_a_directory_that_contains_itself() {
    let scratch = Scratch::new();
    for (prepare, operand, _) in LOOPS {
        for options in ["-R", "-lRo --time-style=+", "-RU1", "-LR"] {
            let script = format!("{{}} {options} {operand}");
            let Some([gnu, curt]) = both(&scratch, prepare, "ls", "\"$CURT\" ls", &script) else {
                return;
            };
            assert_eq!(curt.0, gnu.0, "{prepare} ls {options}");
            let messages = curt.1.replace("curt ls: ", "ls: ");
            let messages: Vec<_> =
                messages.lines().filter(|line| !line.ends_with(" errors")).collect();
            assert_eq!(messages, gnu.1.lines().collect::<Vec<_>>(), "{prepare} ls {options}");
        }
    }
}

#[test]
fn walks_report_a_loop_of_mounts() {
    let scratch = Scratch::new();
    for (prepare, operand, looped) in LOOPS {
        for options in ["-j1", "-j2", "-j8", "--contents-first", "-L", "--xdev"] {
            let script = format!("{{}} {options} . {operand}");
            let Some([_, curt]) = both(&scratch, prepare, "true", "\"$CURT\" find -u", &script)
            else {
                return;
            };
            assert!(curt.0.ends_with("exit 1\n"), "{prepare} find {options}: {curt:?}");
            for path in looped {
                assert!(curt.1.contains(&format!("'{path}'")), "{options}: {curt:?}");
                let is_below = |line: &str| line.len() > path.len() + 1;
                let below = curt.0.lines().find(|it| it.starts_with(path) && is_below(it));
                assert_eq!(below, None, "{options}: {curt:?}");
            }
            let loops = curt.1.lines().filter(|line| line.contains("mount loop")).count();
            assert_eq!(loops, looped.len(), "{options}: {curt:?}");
        }
        let script = format!("{{}} --xdev=mount . {operand}");
        let Some([_, curt]) = both(&scratch, prepare, "true", "\"$CURT\" find -u", &script) else {
            return;
        };
        assert_eq!((curt.1.as_str(), curt.0.ends_with("exit 0\n")), ("", true));
    }
}

#[test]
fn loops_are_not_entered_if_ancestors_cannot_be_queried() {
    if !may_trace() {
        return;
    }
    let scratch = Scratch::new();
    for error in ["EACCES", "EMFILE", "EIO"] {
        let script = format!(
            "unset LD_LIBRARY_PATH; for call in openat openat2 statx; do for n in $(seq 40); do strace -qq -o log -e \
             trace=$call -e inject=$call:error={error}:when=$n \"$CURT\" find -u -j1 . cy 2>/dev/null
             grep -q INJECTED log || break; done; done; rm log"
        );
        let script = format!("{} set +e; {script}", LOOPS[1].0);
        let Some((out, _)) = in_namespace(&scratch, &script) else {
            return;
        };
        assert!(out.lines().count() > 20, "{error}: {out}");
        let below = out.lines().filter_map(|line| line.strip_prefix("cy/a/b/c/")).max();
        assert_eq!(below.unwrap_or_default(), "", "{error}");
        scratch.remove("cy");
    }
}

/// New tmpfs mounts have the same inode numbers. Their files are different nevertheless, and a
/// directory with an ancestor's inode number is not a loop.
#[test]
fn sibling_mounts_are_walked() {
    const BOUND: &str = "mkdir -p cy/a/deep cy/b cy/c; echo >cy/a/f; mount --bind cy/a cy/b;
        mount --bind cy/a/deep cy/c;";
    const SIBLINGS: &str =
        "mkdir cy cy/one cy/two; mount -t tmpfs none cy/one; mount -t tmpfs none cy/two
        for it in one two; do head -c 100000 /dev/zero >cy/$it/f; ln cy/$it/f cy/$it/g; done
        test $(stat -c %i cy/one/f) = $(stat -c %i cy/two/f);";
    const WITHIN: &str = "mkdir cy; mount -t tmpfs none cy; mkdir cy/m; mount -t tmpfs none cy/m
        mkdir cy/m/n; mount -t tmpfs none cy/m/n; touch cy/m/n/file
        test $(stat -c %i cy) = $(stat -c %i cy/m);";
    const FIND: &str = "find cy -mindepth 1";
    let scratch = Scratch::new();
    for (prepare, gnu, curt) in [
        (BOUND, FIND, "find -u . cy"),
        (BOUND, "ls -R cy", "ls -R cy"),
        (BOUND, "du cy", "du cy"),
        (SIBLINGS, "du -s cy", "du -s cy"),
        (SIBLINGS, "du cy", "du cy"),
        (SIBLINGS, "du --inodes cy", "du --inodes cy"),
        (WITHIN, "find -L cy -mindepth 1", "find -uL . cy"),
        (WITHIN, FIND, "find -u . cy"),
        (WITHIN, FIND, "find -u --contents-first . cy"),
        (WITHIN, "ls -R cy", "ls -R cy"),
        (WITHIN, "ls -LR cy", "ls -LR cy"),
        (WITHIN, "du --inodes -a cy", "du --inodes -a cy"),
    ] {
        let ours = format!("\"$CURT\" {curt} | sed s,/$,,");
        let Some([theirs, ours]) = both(&scratch, prepare, gnu, &ours, "{} | sort") else { return };
        assert_eq!(ours, theirs, "{curt}: {prepare}");
        assert!(ours.0.lines().count() > 1, "{curt}: {prepare}");
    }
}
