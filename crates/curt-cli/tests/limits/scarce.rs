//! Few descriptors, little memory, no space.

use curt_testkit::Scratch;

use super::{chain_with_bushes, fill, has, may_mount, run, script};

/// Runs the command below a shell that then says how much memory it took at most, in KiB.
fn with_peak(scratch: &Scratch, limit: &str, args: &str) -> (super::Run, u64) {
    let text = format!(
        "{limit}; exec /usr/bin/time -f 'peak %M' -o peak \"$CURT\" rm --stats --json {args}"
    );
    let run = run(script(scratch, &text));
    let peak = std::fs::read_to_string(scratch.at("peak")).unwrap();
    let peak = peak.trim().rsplit(' ').next().unwrap().parse().unwrap();
    (run, peak)
}

/// One thread's memory and calls are in the library's tests.
#[test]
fn twenty_thousand_levels_with_32_descriptors() {
    const LEVELS: u64 = 20_000;
    if !has("/usr/bin/time") {
        return;
    }
    let scratch = Scratch::new();
    scratch.deep("tree", LEVELS as usize, "eight-ch");
    let (run, peak) = with_peak(&scratch, "ulimit -n 32", "-rj2 tree");
    run.assert_all(0, LEVELS + 1);
    // Each but the last few is closed, known by a stat, opened and listed again, and compared.
    assert!(run.calls() <= 12 * (LEVELS + 1), "{run:?}");
    // A build for debugging is itself some MiB larger, more with every command. What the tree takes
    // is the same.
    let (_, alone) = with_peak(&scratch, ":", "-rfj2 -- nothing");
    assert!(peak - alone <= 6 << 10, "{peak} KiB, {alone} KiB of them for the program");
}

/// By names from the operand on, each path would be as long as the tree is deep.
#[test]
fn calls_and_names_are_proportional_to_the_depth_with_8_descriptors() {
    if !has("strace") {
        return;
    }
    let cost = |levels: u64, command: &str| {
        let scratch = Scratch::new();
        chain_with_bushes(&scratch, "tree", levels);
        let text = format!(
            "exec strace -f -o log -s 100000 sh -c 'ulimit -n 8; exec \"$CURT\" {command}' >out 2>&1"
        );
        let status = script(&scratch, &text).status().unwrap();
        let log = std::fs::read_to_string(scratch.at("log")).unwrap();
        assert!(status.success(), "{command}: {}", log.lines().last().unwrap_or_default());
        let names = |line: &str| line.split('"').nth(1).map_or(0, |path| path.split('/').count());
        let opened = log.lines().filter(|line| line.contains(" openat"));
        // How memory is asked for is the allocator's.
        let memory = [" brk(", " mmap(", " munmap(", " mremap(", " madvise("];
        let calls = log.lines().filter(|line| !memory.iter().any(|call| line.contains(call)));
        (calls.count(), opened.map(names).sum::<usize>())
    };
    let commands =
        ["find -u nothing tree", "du -s tree", "ls -R tree", "rm -rj1 -n tree", "rm -rj1 tree"];
    for command in commands.map(|command| command.replace("-n", "--dry-run")) {
        let (few, more) = (cost(200, &command), cost(400, &command));
        assert!(more.0 <= few.0 * 21 / 10, "{command}: {few:?} {more:?} calls");
        assert!(more.1 <= few.1 * 21 / 10, "{command}: {few:?} {more:?} names");
    }
}

/// The line of arguments alone takes more.
#[test]
fn every_command_works_with_a_stack_of_64_kib() {
    let commands = "rm -r -j4 tree|rm -r --bogus tree|find -u one tree|ls -lR tree|stat tree|du tree|\
                    which sh|run -t 9 sh -c 'exit 3'|realpath tree|readlink -f tree|expand tree|\
                    beneath --root tree chain|completions bash|man rm|help|find --help";
    for command in commands.split('|') {
        let answer = |limit: &str| {
            let scratch = Scratch::new();
            chain_with_bushes(&scratch, "tree", 5);
            // What the size of the terminal and the folder are says nothing.
            let text = format!("{limit}; COLUMNS=80 exec \"$CURT\" {command}");
            let output = script(&scratch, &text).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let folder = scratch.path().canonicalize().unwrap().display().to_string();
            (output.status.code(), text.replace(&folder, "").lines().count(), scratch.list(""))
        };
        assert_eq!(answer("ulimit -s 64"), answer("true"), "{command}");
    }
}

/// By `CURT_FILES=5000000`, which needs as many inodes, five million; fewer otherwise.
#[test]
fn many_files_are_removed_in_little_memory() {
    if !has("/usr/bin/time") {
        return;
    }
    let files = std::env::var("CURT_FILES").ok().and_then(|text| text.parse().ok());
    let files: u64 = files.unwrap_or(60_000);
    let scratch = Scratch::new();
    fill(&scratch.dir("tree"), files as usize);
    let (run, peak) = with_peak(&scratch, ":", "-r tree");
    run.assert_all(files, 1);
    println!("{files} files: peak {peak} KiB");
    assert!(peak <= 16 << 10, "{peak} KiB");
}

#[test]
fn few_descriptors_end_in_success_or_a_report() {
    let scratch = Scratch::new();
    for limit in [8, 10, 12, 16, 24, 64] {
        for threads in [1, 2, 8] {
            for options in ["", "--contents", "--exclude nothing"] {
                let (files, directories) = chain_with_bushes(&scratch, "tree", 100);
                let text = format!("ulimit -n {limit}; exec $RM -r -j{threads} {options} tree");
                let run = run(script(&scratch, &text));
                let case = format!("{limit} {threads} {options}: {run:?}");
                match run.code {
                    Some(0) => {
                        let rest = u64::from(options == "--contents");
                        run.assert_all(files, directories - rest);
                    }
                    // What is not removed is there, and nothing else was in the way.
                    Some(1) => {
                        assert_eq!(limit, 8, "{case}");
                        assert!(run.messages.contains("Too many open files"), "{case}");
                        let left = 1 + scratch.list("tree").len() as u64;
                        let removed = run.number("files") + run.number("directories");
                        assert_eq!(removed + left, files + directories, "{case}");
                    }
                    _ => panic!("{case}"),
                }
                scratch.remove("tree");
            }
        }
    }
}

/// Too few to come back to directories that were closed, which must not be tried for ever.
#[test]
fn a_shortage_that_does_not_end_ends_the_removal() {
    for limit in 5..8 {
        let scratch = Scratch::new();
        scratch.deep("tree", 400, "d");
        let text = format!("ulimit -n {limit}; exec $RM -r -j1 tree");
        let run = run(script(&scratch, &text));
        let is_reported = run.messages.contains("Too many open files");
        assert_eq!(run.code, Some(i32::from(is_reported)), "{limit}: {run:?}");
        assert_eq!(scratch.exists("tree"), is_reported, "{limit}: {run:?}");
    }
}

/// What a script does in a private mount namespace, with `$PLACE` a small filesystem there, full.
fn on_a_full(scratch: &Scratch, prepare: &str) {
    for options in ["-j1", "-j4", "--contents"] {
        let text = format!(
            "set -e; mkdir -p place; {prepare}; cd place; \
             mkdir -p tree/wide; i=0; while [ $i -lt 50 ]; do : > tree/wide/$i; i=$((i+1)); done; \
             deep=tree; i=0; while [ $i -lt 60 ]; do deep=$deep/d; i=$((i+1)); done; \
             mkdir -p $deep; : > $deep/file; \
             dd if=/dev/zero of=tree/full bs=4k 2>/dev/null || true; \
             dd if=/dev/zero of=tree/full2 bs=1 2>/dev/null || true; \
             i=0; while mkdir tree/wide/d$i 2>/dev/null && [ $i -lt 20000 ]; do i=$((i+1)); done; \
             ulimit -n 16; $RM -r {options} tree"
        );
        let mut command = crate::mounting_script(scratch, &text);
        command.current_dir(scratch.path());
        let run = run(command);
        assert_eq!(run.code, Some(0), "{options}: {run:?}");
        assert!(run.number("files") >= 53, "{run:?}");
    }
}

#[test]
fn removal_works_on_a_full_tmpfs() {
    if may_mount() {
        on_a_full(&Scratch::new(), "mount -t tmpfs -o size=1m,nr_inodes=200 none place");
    }
}

#[test]
fn removal_works_on_a_full_ext4() {
    if may_mount() && has("mkfs.ext4") {
        let make = "PATH=$PATH:/usr/sbin:/sbin; rm -f image; truncate -s 4m image; \
                    mkfs.ext4 -q -N 256 image; mount -o loop image place";
        on_a_full(&Scratch::new(), make);
    }
}
