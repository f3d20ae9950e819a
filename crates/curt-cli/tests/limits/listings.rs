//! File systems whose listings have no kinds, or come in pieces: beside the GNU tools on the same
//! mount.

use curt_testkit::Scratch;

use crate::server::{Manner, Tree, may_serve, on_server};

const MANNERS: [Manner; 4] = [
    Manner { kinds: true, page: usize::MAX },
    Manner { kinds: false, page: usize::MAX },
    Manner { kinds: true, page: 3 },
    Manner { kinds: false, page: 1 },
];

/// Directories of several sizes in one another. Returns how many files and directories there are.
fn tree() -> (Tree, u64, u64) {
    let mut tree = Tree::new();
    let (mut files, mut directories) = (0, 1);
    let mut path = String::from("tree");
    tree.add(&path, None);
    for entries in [0, 1, 40, 3, 0, 200] {
        path.push_str("/below");
        tree.add(&path, None);
        directories += 1;
        for number in 0..entries {
            tree.add(
                &format!("{path}/{number}{}", "x".repeat(number % 50)),
                Some(number as u64 * 700),
            );
            files += 1;
        }
        tree.add(&format!("{path}/empty"), None);
        tree.add(&format!("{path}/.hidden"), Some(1));
        directories += 1;
        files += 1;
    }
    (tree, files, directories)
}

/// Runs pairs of commands on the mount and fails where two say different things; the words of curt
/// come behind those of the other.
fn compare(pairs: &[(&str, &str)], options: &[&str]) {
    let mut text = String::from("same() { cmp ../theirs ../ours || echo \"$1\"; }; ");
    for (theirs, ours) in pairs {
        for option in options {
            let ours = ours.replace("OPTION", option);
            let line = format!(
                "{theirs} > ../theirs 2>&1; \"$CURT\" {ours} > ../ours 2>&1; same '{ours}'; "
            );
            text.push_str(&line);
        }
    }
    for manner in MANNERS {
        let scratch = Scratch::in_memory();
        let (output, _) = on_server(&scratch, tree().0, manner, &text);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.is_empty(), "{manner:?}: {said} {output:?}");
    }
}

#[test]
fn listings_are_those_of_gnu_ls() {
    if !may_serve() || !super::has("cmp") {
        return;
    }
    let same = |options: &str| (format!("ls {options} tree"), format!("ls {options} tree"));
    let pairs =
        ["-R", "-aR", "-RF", "-lnR --time-style=+", "-iR", "-R --group-directories-first", "-LR"]
            .map(same);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    compare(&pairs, &[""]);
}

#[test]
fn walks_are_those_of_gnu_find() {
    if !may_serve() || !super::has("find") || !super::has("cmp") {
        return;
    }
    compare(
        &[
            ("find tree | sort", "walk OPTION tree | sort"),
            ("find tree -type f | sort", "walk OPTION --type f tree | sort"),
            ("find -L tree -type d | sort", "walk OPTION -L --type d tree | sort"),
            (
                "find tree -size +20k -printf '%s %p\\n' | sort",
                "walk OPTION --size +20k --format '{size} {path}' tree | sort",
            ),
            (
                "find tree -depth -empty -type d | sort",
                "walk OPTION --type d --name empty tree | sort",
            ),
        ],
        &["", "-j1", "-j3", "--sort", "--without openat2"],
    );
}

#[test]
fn sums_are_those_of_gnu_du() {
    if !may_serve() || !super::has("du") || !super::has("cmp") {
        return;
    }
    compare(
        &[
            ("du -ab tree | sort -k2", "du OPTION -ab tree | sort -k2"),
            ("du -k tree | sort -k2", "du OPTION tree | sort -k2"),
            ("du -s --apparent-size tree", "du OPTION -s --apparent-size tree"),
        ],
        &["", "-j1", "-j3"],
    );
}

#[test]
fn removal_leaves_nothing() {
    if !may_serve() {
        return;
    }
    for manner in MANNERS {
        for options in ["", "-j1", "-j4", "-v"] {
            let scratch = Scratch::in_memory();
            let (whole, files, directories) = tree();
            let text = format!("exec $RM -r {options} tree");
            let (output, left) = on_server(&scratch, whole, manner, &text);
            let case = format!("{manner:?} {options}: {output:?}");
            assert!(output.status.success() && left.is_empty(), "{case}");
            let text = String::from_utf8_lossy(&output.stdout);
            let last: serde_json::Value =
                serde_json::from_str(text.lines().last().unwrap()).unwrap();
            assert_eq!(last["summary"]["files"], files, "{case}");
            assert_eq!(last["summary"]["directories"], directories, "{case}");
        }
    }
}

/// The price of listings without kinds: one question for each entry, and none where nobody wants to
/// know.
#[test]
fn kinds_that_a_listing_lacks_cost_one_question_each() {
    if !may_serve() {
        return;
    }
    let (_, files, directories) = tree();
    for (kinds, command, questions) in [
        (true, "walk --json --stats -j1 tree", 1),
        (false, "walk --json --stats -j1 tree", files + directories),
        (false, "ls --json --stats --fields name tree/below/below/below", 1),
        (false, "du --json --stats -s -j1 tree", files + directories),
    ] {
        let scratch = Scratch::in_memory();
        let manner = Manner { kinds, page: usize::MAX };
        let (output, _) = on_server(&scratch, tree().0, manner, &format!("\"$CURT\" {command}"));
        let text = String::from_utf8_lossy(&output.stdout);
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        let asked = last["summary"]["calls"]["statx"].as_u64().unwrap_or(0);
        assert_eq!(asked, questions, "{kinds} {command}: {last}");
    }
}
