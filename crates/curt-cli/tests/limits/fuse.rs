//! A filesystem in user space: a listing may return fewer entries than fit, with more to come.

use curt_testkit::{Scratch, skip};

use super::{has, may_mount, run};

/// Runs a script in a private mount namespace where `mounted` shows, by FUSE, what is in `true`.
fn on_fuse(scratch: &Scratch, text: &str) -> super::Run {
    let text = format!(
        "set -e; mkdir -p mounted; bindfs -f \"$PWD/true\" \"$PWD/mounted\" >/dev/null 2>&1 & \
         helper=$!; i=0; until [ \"$(stat -fc %T mounted)\" = fuseblk ] || \
         [ \"$(stat -fc %T mounted)\" = fuse ]; do sleep 0.02; i=$((i+1)); [ $i -lt 500 ]; done; \
         set +e; ( cd mounted; {text} ); code=$?; umount mounted; wait $helper; exit $code"
    );
    let mut command = crate::mounting_script(scratch, &text);
    command.current_dir(scratch.path());
    run(command)
}

/// Directories of several sizes, with short names and long ones, in one another.
fn tree(scratch: &Scratch) -> (u64, u64) {
    let (mut files, mut directories) = (0, 1);
    let mut path = String::from("true/tree");
    for (level, entries) in [10, 500, 2_000, 0, 700, 10].into_iter().enumerate() {
        let directory = scratch.dir(&path);
        for number in 0..entries {
            let name =
                if level % 2 == 0 { format!("f{number}") } else { format!("{number:0>200}") };
            if number % 10 == 3 {
                std::fs::create_dir(directory.join(name)).unwrap();
                directories += 1;
            } else {
                std::fs::File::create(directory.join(name)).unwrap();
                files += 1;
            }
        }
        path.push_str("/next");
        directories += 1;
    }
    scratch.dir(&path);
    // Names of four bytes take more room in an answer by FUSE than in the listing that is made of
    // it, so that each page of it has room left.
    let mut path = String::from("true/tree/flat");
    for _ in 0..2 {
        let directory = scratch.dir(&path);
        for number in 0..2_000 {
            std::fs::File::create(directory.join(format!("{number:04}"))).unwrap();
        }
        files += 2_000;
        directories += 1;
        path.push_str("/flat");
    }
    (files, directories)
}

fn ready() -> bool {
    let has_device = std::path::Path::new("/dev/fuse").exists();
    if !has_device {
        skip("there is no /dev/fuse");
    }
    has_device && may_mount() && has("bindfs")
}

#[test]
fn removal_is_complete_and_seldom_tries_a_directory_too_early() {
    if !ready() || !has("strace") {
        return;
    }
    for threads in ["-j1", "-j8"] {
        let scratch = Scratch::new();
        let (files, directories) = tree(&scratch);
        let trace = "strace -f -qq -e trace=unlinkat -o ../log";
        let run = on_fuse(&scratch, &format!("{trace} $RM -r {threads} tree"));
        run.assert_all(files, directories);
        assert!(!scratch.exists("true/tree"));
        let log = std::fs::read_to_string(scratch.at("log")).unwrap();
        let early = log.lines().filter(|line| line.contains("ENOTEMPTY")).count();
        println!("{threads}: {early} attempts too early, {} calls", run.calls());
        assert!(early <= 4, "{threads}: {early} attempts too early");
    }
}

#[test]
fn excluded_entries_stay_and_counts_are_exact() {
    if !ready() {
        return;
    }
    let scratch = Scratch::new();
    let (files, directories) = tree(&scratch);
    let run = on_fuse(&scratch, "$RM -r --dry-run tree");
    run.assert_all(files, directories);
    let run = on_fuse(&scratch, "$RM -r --exclude 'f7' tree");
    assert_eq!(run.code, Some(0), "{run:?}");
    let skipped = run.number("skipped");
    assert_eq!(run.number("files") + skipped, files, "{run:?}");
    assert_eq!(
        scratch.list("true").iter().filter(|line| line.ends_with("/f7")).count() as u64,
        skipped
    );
    scratch.remove("true/tree");
    let (files, directories) = tree(&scratch);
    on_fuse(&scratch, "$RM -r --contents tree").assert_all(files, directories - 1);
    assert_eq!(scratch.list("true"), ["d tree"]);
    scratch.remove("true/tree");
    let (files, directories) = tree(&scratch);
    on_fuse(&scratch, "$RM -rv tree").assert_all(files, directories);
    assert_eq!(scratch.list("true"), [""; 0]);
}
