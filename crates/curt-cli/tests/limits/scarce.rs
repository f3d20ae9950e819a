//! Few descriptors and little memory. The library's tests measure memory in deep trees.

use curt_testkit::Scratch;

use super::{has, run, script};

/// If paths were resolved from the operand, the number of names would grow with the square of the
/// depth.
#[test]
fn calls_and_names_are_proportional_to_the_depth_with_few_descriptors() {
    if !has("strace") {
        return;
    }
    let cost = |levels: usize, command: &str| {
        let scratch = Scratch::new();
        scratch.chain_with_bushes("tree", levels, 3, 2);
        // A copy opens two trees and two files.
        let limit = if command.starts_with("cp") { 10 } else { 8 };
        let text = format!(
            "exec strace -f -o log -s 100000 \
             sh -c 'ulimit -n {limit}; exec \"$CURT\" {command}' >out 2>&1"
        );
        let status = script(&scratch, &text).status().unwrap();
        let log = std::fs::read_to_string(scratch.at("log")).unwrap();
        assert!(status.success(), "{command}: {}", log.lines().last().unwrap_or_default());
        let names = |line: &str| line.split('"').nth(1).map_or(0, |path| path.split('/').count());
        let opened = log.lines().filter(|line| line.contains(" openat"));
        let memory = [" brk(", " mmap(", " munmap(", " mremap(", " madvise("];
        let calls = log.lines().filter(|line| !memory.iter().any(|call| line.contains(call)));
        (calls.count(), opened.map(names).sum::<usize>())
    };
    let commands = [
        "find -u nothing tree",
        "du -s tree",
        "ls -R tree",
        "cp -rj1 -n tree copy",
        "cp -rj1 tree copy",
        "rm -rj1 -n tree",
        "rm -rj1 tree",
    ];
    for command in commands.map(|command| command.replace("-n", "--dry-run")) {
        let (few, more) = (cost(200, &command), cost(400, &command));
        assert!(more.0 <= few.0 * 21 / 10, "{command}: {few:?} {more:?} calls");
        assert!(more.1 <= few.1 * 21 / 10, "{command}: {few:?} {more:?} names");
    }
}

/// The command-line parser alone needs a larger stack than this.
#[test]
fn every_command_works_with_a_stack_of_64_kib() {
    let commands = "rm -r -j4 tree|rm -r --bogus tree|cp -r -j4 tree copy|find -u one tree|ls -lR tree|stat tree|du tree|\
                    which sh|run -t 9 sh -c 'exit 3'|realpath tree|readlink -f tree|expand tree|\
                    beneath --root tree chain|completions bash|man rm|help|find --help";
    for command in commands.split('|') {
        let answer = |limit: &str| {
            let scratch = Scratch::new();
            scratch.chain_with_bushes("tree", 5, 3, 2);
            let text = format!("{limit}; COLUMNS=80 exec \"$CURT\" {command}");
            let output = script(&scratch, &text).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let folder = scratch.path().canonicalize().unwrap().display().to_string();
            (output.status.code(), text.replace(&folder, "").lines().count(), scratch.list(""))
        };
        assert_eq!(answer("ulimit -s 64"), answer("true"), "{command}");
    }
}

#[test]
fn few_descriptors_end_in_success_or_a_report() {
    let scratch = Scratch::new();
    // With 8 descriptors or fewer, curt may be unable to reopen a directory that it has closed, and
    // fail.
    for limit in [5, 6, 7, 8, 10, 16, 64] {
        for threads in [1, 2, 8] {
            for options in ["", "--contents", "--exclude nothing"] {
                let (files, directories) = scratch.chain_with_bushes("tree", 100, 3, 2);
                let text = format!("ulimit -n {limit}; exec $RM -r -j{threads} {options} tree");
                let run = run(script(&scratch, &text));
                let case = format!("{limit} {threads} {options}: {run:?}");
                match run.code {
                    Some(0) => {
                        let rest = u64::from(options == "--contents");
                        run.assert_all(files, directories - rest);
                    }
                    Some(1) => {
                        assert!(limit <= 8, "{case}");
                        assert!(run.messages.contains("Too many open files"), "{case}");
                        let remaining = 1 + scratch.list("tree").len() as u64;
                        let removed = run.number("files") + run.number("directories");
                        assert_eq!(removed + remaining, files + directories, "{case}");
                    }
                    _ => panic!("{case}"),
                }
                scratch.remove("tree");
            }
        }
    }
}

#[test]
fn commands_run_although_threads_cannot_start() {
    let scratch = Scratch::new();
    scratch.tree("t", "a b c");
    for stack in ["300000000", "900000000"] {
        let line = "ulimit -v 500000; exec \"$CURT\" find -j3 . t -x sh -c 'echo ran {} >&2'";
        let output = script(&scratch, line).env("RUST_MIN_STACK", stack).output().unwrap();
        let mut ran: Vec<_> = std::str::from_utf8(&output.stderr).unwrap().lines().collect();
        ran.sort_unstable();
        assert_eq!(ran, ["ran t/a", "ran t/b", "ran t/c"], "{stack}: {output:?}");
        assert!(output.status.success(), "{stack}: {output:?}");
    }
}
