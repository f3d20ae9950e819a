//! Compares curt with the GNU tools on filesystems that list entries without kinds, or few at a
//! time.

use curt_testkit::Scratch;

use crate::server::{Quirks, Tree, may_serve, on_server};

const QUIRKS: [Quirks; 4] = [
    Quirks { kinds: true, page: usize::MAX },
    Quirks { kinds: false, page: usize::MAX },
    Quirks { kinds: true, page: 3 },
    Quirks { kinds: false, page: 1 },
];

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
    for quirks in QUIRKS {
        let scratch = Scratch::new();
        let (output, _) = on_server(&scratch, tree().0, quirks, &text);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.is_empty(), "{quirks:?}: {printed} {output:?}");
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
fn searches_are_those_of_gnu_find() {
    if !may_serve() || !super::has("find") || !super::has("cmp") {
        return;
    }
    compare(
        &[
            ("find tree -mindepth 1 | sort", "find OPTION . tree | sed s,/$,, | sort"),
            ("find tree -type f | sort", "find OPTION -tf . tree | sort"),
            (
                "find -L tree -mindepth 1 -type d | sort",
                "find OPTION -Ltd . tree | sed s,/$,, | sort",
            ),
            (
                "find tree -size +20k -printf '%s %p\\n' | sort",
                "find OPTION -S +20481b --format '{size} {path}' . tree | sort",
            ),
            (
                "find tree -depth -empty -type d | sort",
                "find OPTION -td --empty --fields path . tree | sort",
            ),
        ],
        &["-u", "-uj3", "-u --contents-first", "-u --without openat2"],
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
fn removal_is_complete_and_tries_no_directory_too_early() {
    if !may_serve() {
        return;
    }
    for quirks in QUIRKS {
        for (options, kept) in
            [("", 0), ("-j1", 0), ("-j4", 0), ("-v", 0), ("--contents", 1), ("--exclude 1x", 7)]
        {
            let scratch = Scratch::new();
            let (whole, files, directories) = tree();
            let text =
                format!("$RM -r --dry-run {options} tree >../out; exec $RM -r {options} tree");
            let (output, remaining) = on_server(&scratch, whole, quirks, &text);
            let case = format!("{quirks:?} {options}: {output:?}");
            assert!(output.status.success(), "{case}");
            assert_eq!(remaining.is_empty(), kept == 0, "{case}");
            let text = String::from_utf8_lossy(&output.stderr);
            let summaries = text.lines().map(|line| serde_json::from_str(line).unwrap());
            let summaries: Vec<serde_json::Value> = summaries.collect();
            let [dry, real] = &summaries[..] else { panic!("{case}") };
            let (dry, real) = (&dry["summary"], &real["summary"]);
            for counts in ["files", "directories", "skipped"] {
                assert_eq!(dry[counts], real[counts], "{case}");
            }
            let number = |name: &str| real[name].as_u64().unwrap();
            let gone = number("files") + number("directories");
            assert_eq!(gone + number("skipped") + kept, files + directories, "{case}");
            if quirks.kinds && options == "-j1" {
                assert_eq!(real["calls"]["unlinkat"], files + directories, "{case}");
            }
        }
    }
}

#[test]
fn missing_kinds_cost_one_query_each() {
    if !may_serve() {
        return;
    }
    let (_, files, directories) = tree();
    for (kinds, command, queries) in [
        (true, "find -u --json --stats -j1 . tree", 1),
        (false, "find -u --json --stats -j1 . tree", files + directories),
        (false, "ls --json --stats --fields name tree/below/below/below", 1),
        (false, "du --json --stats -s -j1 tree", files + directories),
    ] {
        let scratch = Scratch::new();
        let quirks = Quirks { kinds, page: usize::MAX };
        let (output, _) = on_server(&scratch, tree().0, quirks, &format!("\"$CURT\" {command}"));
        let text = String::from_utf8_lossy(&output.stderr);
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        let counted = last["summary"]["calls"]["statx"].as_u64().unwrap_or(0);
        assert_eq!(counted, queries, "{kinds} {command}: {last}");
    }
}

fn on_ext4_without_kinds(text: &str) -> (String, String) {
    let scratch = Scratch::new();
    let text = format!(
        "PATH=$PATH:/usr/sbin:/sbin; mkdir place; truncate -s 8m image; \
         mkfs.ext4 -q -O ^filetype image; mount -o loop image place || exit 99; cd place; {text}"
    );
    let mut command = crate::mounting_script(&scratch, &text);
    let output = command.current_dir(scratch.path()).output().unwrap();
    assert_ne!(output.status.code(), Some(99), "not mounted: {output:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn linked_work_tree_is_recognized_without_kinds() {
    if !super::may_mount() || !super::has("mkfs.ext4") {
        return;
    }
    let (out, err) = on_ext4_without_kinds(
        "mkdir -p main/.git/info main/.git/worktrees/w w; echo kept >main/.git/info/exclude; \
         echo ../.. >main/.git/worktrees/w/commondir; \
         echo 'gitdir: ../main/.git/worktrees/w' >w/.git; touch w/kept w/gone; \
         \"$CURT\" find -tf --delete . w; ls -A w",
    );
    assert_eq!((out.as_str(), err.as_str()), (".git\nkept\n", ""));
}

#[test]
fn pipe_in_place_of_rules_is_refused_without_kinds() {
    if !super::may_mount() || !super::has("mkfs.ext4") {
        return;
    }
    let (out, err) = on_ext4_without_kinds(
        "mkdir -p t/p t/c t/n t/d/.ignore; mkfifo t/p/.ignore; mknod t/c/.ignore c 1 5; \
         mknod t/n/.ignore c 1 3; touch t/p/a t/c/a t/d/a t/n/a; \"$CURT\" find -tf . t",
    );
    assert_eq!(out, "t/d/a\nt/n/a\n");
    let mut messages: Vec<&str> = err.lines().collect();
    messages.sort_unstable();
    let expected = |path| format!("curt find: cannot read '{path}': it is not a regular file");
    assert_eq!(messages, ["t/c/.ignore", "t/p/.ignore"].map(expected));
}
