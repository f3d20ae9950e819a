//! `curt du` beside GNU du: the same operands must give the same lines, the same messages and the
//! same code. Lines are compared sorted, because GNU's come in the order of the listing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use curt_testkit::{NOBODY, Scratch, cells, in_namespace, is_root, may_mount, skip};

use crate::harness::Bench;
use crate::has_gnu;

/// What came of a command.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    code: Option<i32>,
    lines: Vec<String>,
    messages: Vec<String>,
}

fn outcome(mut command: Command, place: &Path, args: &str, user: Option<u32>) -> Outcome {
    command.args(args.split_whitespace()).current_dir(place).env("LC_ALL", "C");
    command.env_remove("POSIXLY_CORRECT").env_remove("BLOCKSIZE");
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command.output().unwrap();
    let end = if output.stdout.contains(&0) { '\0' } else { '\n' };
    let sorted = |text: &[u8], end: char| {
        let text = String::from_utf8_lossy(text).replace("curt du: ", "du: ");
        let parts = text.split_terminator(end).filter(|line| !line.ends_with(" errors"));
        // Which of two names in one directory is shown depends on the listing.
        let mut lines: Vec<String> =
            parts.map(|line| line.replace("/links/again-", "/links/")).collect();
        lines.sort();
        lines
    };
    Outcome {
        code: output.status.code(),
        lines: sorted(&output.stdout, end),
        messages: sorted(&output.stderr, '\n'),
    }
}

fn gnu(place: &Path, args: &str, user: Option<u32>) -> Outcome {
    outcome(Command::new("du"), place, args, user)
}

fn curt(program: &Path, place: &Path, args: &str, user: Option<u32>) -> Outcome {
    let mut command = Command::new(program);
    command.arg("du");
    outcome(command, place, args, user)
}

/// Compares the two for each of these command lines.
fn compare(place: &Path, lines: &[&str]) {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    for args in lines {
        assert_eq!(curt(program, place, args, None), gnu(place, args, None), "du {args}");
    }
}

/// The same without the reason why a broken link cannot be followed, which GNU du does not print.
fn compare_without_reasons(place: &Path, lines: &[&str]) {
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let without_reason = |mut outcome: Outcome| {
        for message in &mut outcome.messages {
            *message = message.replace(": No such file or directory", "");
        }
        outcome
    };
    for args in lines {
        let ours = without_reason(curt(program, place, args, None));
        assert_eq!(ours, without_reason(gnu(place, args, None)), "du {args}");
    }
}

/// Files of many sizes, holes, links of both kinds in one directory each, odd names.
fn sample() -> Scratch {
    let scratch = Scratch::new();
    for number in 0..60 {
        let size = number * number * 37;
        scratch
            .file_with(format!("t/d{}/e{}/f{number}", number % 4, number % 7), &vec![b'x'; size]);
    }
    for (name, length) in [("t/hole", 1 << 30), ("t/d0/hole", 5_000_000), ("u/hole", 12_345)] {
        let file = scratch.file(name);
        fs::File::options().write(true).open(file).unwrap().set_len(length).unwrap();
    }
    for number in 0..5 {
        let first = format!("t/d1/links/{number}");
        scratch.file_with(&first, &vec![b'y'; 10_000 * number]);
        scratch.hard_link(&first, format!("t/d1/links/again-{number}"));
    }
    // A file with names in two operands.
    scratch.hard_link("t/d1/links/4", "u/links/4");
    scratch.link("t/link", "d0");
    scratch.link("t/dangling", "nowhere");
    scratch.link("to-t", "t");
    scratch.fifo("t/pipe");
    scratch.dir("t/empty/er");
    scratch.file_with("t/a name/with blanks", b"x");
    scratch.file_with("t/-n", b"x");
    scratch
}

#[test]
fn lines_of_du_are_those_of_gnu_du() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    // Where GNU du counts a file with names in two directories depends on their listing.
    compare(
        scratch.path(),
        &cells(
            "
            -s | -l | t | t/ | -s t | -s t u to-t | -a t | -d 0 t | -d1 t | -a -d 2 t | -lad1 .
            -h t | -ah t | -sh t u | -c t u | -sc t u | -ch t u | -k t | -h -k t | -0 t | -a0 t
            --inodes t | --inodes -a t | --inodes -sh t u | --inodes -c t u | -x t | -l t u
            -al t | -D to-t | -s to-t | -s to-t/ | -a t/hole t/pipe t/link
            -s t/d0 t/d1 t/d2 t/d3
        ",
        ),
    );
}

#[test]
fn units_thresholds_and_separate_directories() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    compare(
        scratch.path(),
        &cells(
            "
            -m t | -BM t | -B 1 t | -B1K -a t | -BKB t | -B 3000 t | -Bhuman t | -Bsi t
            --block-size=10kB t | --block-size=1 t | --si t | -a --si t | -h --si -k t | -k -m t
            -m -BG t | -B1 -h t | -hb t/hole | -bh t/hole | -b -k -b t/hole
            -k --human --apparent t/hole | -BM -k t | -m --si t | --inodes -B10 t | --inodes -m t
            --inodes --si t | -S t | -aS t | -S -d0 t | -sS t u | -cS t u | -S -d1 -a t | -lS t u
            --inodes -S t | -t 100K t | -t -100K t | -a -t 1 t | -a -t -1 t
            -a --threshold=4096 t | -S -t 50000 t | -a -S -t -50000 t | -t +1M t | -t 0 t
            -t 0x1000 t | -t 1KB -a t | -t 00 t | -t K -a t | -t 2k -a t | -t -3M t | -t 1GiB -a t
            --inodes -t 5 t | --inodes -t -5 -a t | -c -t 1G t | -P to-t | -DP to-t | -PD to-t
            -L -P to-t | -sL -H to-t
        ",
        ),
    );
}

#[test]
fn all_links_are_followed_as_by_gnu() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    for (name, target) in [
        ("v/a/to-b", "../b"),
        ("v/b/to-a", "../a"),
        ("v/b/up", ".."),
        ("v/b/file", "../c/one"),
        ("v/c/again", "one"),
        ("v/c/self", "."),
        ("w", "v/b"),
    ] {
        scratch.link(name, target);
    }
    scratch.file_with("v/c/one", &[b'x'; 9000]);
    scratch.file_with("v/a/two", &vec![b'x'; 90_000]);
    compare_without_reasons(
        scratch.path(),
        &cells(
            "
            -sL v | -L v/c | -L v/a/two v/c/again | -sL v/c v/c/one | -sL to-t | -sL t to-t u
            -L v/c/self | -sL t/link t/d0 | -sLx v | -sLl v/c | -sLc v t | --inodes -sL v
            -L t/dangling | -H -L -s to-t | -P --dereference -s to-t | -aL t/dangling t/d0/e0
            -sLS v/c
        ",
        ),
    );
    // What links lead to first depends on the listing; the sum does not.
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    for args in ["-L v", "-aL v", "-aL v/c", "-L w"] {
        let last = |outcome: Outcome| {
            let operand = args.split_whitespace().next_back().unwrap();
            let is_sum = |line: &String| line.split('\t').next_back() == Some(operand);
            let line = outcome.lines.into_iter().find(is_sum);
            (outcome.code, line, outcome.messages)
        };
        let ours = last(curt(program, scratch.path(), args, None));
        assert_eq!(ours, last(gnu(scratch.path(), args, None)), "{args}");
    }
    // A link that cannot be followed is a failure, and the rest is counted.
    scratch.link("x/loop", "loop");
    scratch.link("x/broken", "nowhere");
    scratch.link("x/through", "f/x");
    scratch.file_with("x/f", &[b'x'; 9000]);
    compare_without_reasons(scratch.path(), &["-L x", "-aL x", "-sL x/loop x/broken x/f", "-lL x"]);
}

#[test]
fn times_are_the_newest_in_each_directory() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    for (at, name) in ["t/d0/e0/f0", "t/d1/e1/f1", "t/d2", "u/hole"].iter().enumerate() {
        let when = format!("@{}.123456789", 1_900_000_000 + 86_400 * at);
        let mut touch = Command::new("touch");
        touch.args(["-a", "-m", "-d", &when, name]).current_dir(scratch.path());
        assert!(touch.status().unwrap().success());
    }
    compare(
        scratch.path(),
        &cells(
            "
            --time t | --time -a t | --time -s t u | --time -c t u | --time -S t | --time -d1 -h t
            --time=ctime --time-style=iso t | --time=status --time-style=iso -a t
            --time=use -a t/d0/e0/f0 | --time=a -a t/d0/e0/f0 | --time --time-style=full-iso -a t
            --time --time-style=i -a t | --time --time-style=long -a t
            --time --time-style=+%s.%N -a t | --time --time-style=+ t | --time -0 -a t
        ",
        ),
    );
    for style in ["iso", "posix-long-iso", "+%Y", "locale", "full-iso"] {
        let program = Path::new(env!("CARGO_BIN_EXE_curt"));
        let with_style = |mut command: Command| {
            command.env("TIME_STYLE", style);
            outcome(command, scratch.path(), "--time t", None)
        };
        let mut ours = Command::new(program);
        ours.arg("du");
        assert_eq!(with_style(ours), with_style(Command::new("du")), "{style}");
    }
}

#[test]
fn names_and_patterns_come_from_files() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    scratch.file_with("list", b"t/d0\0t/d1\0t/d0/e0");
    scratch.file_with("holes", b"\0t/d0\0\0missing\0");
    scratch.file("none");
    scratch.file_with("patterns", b"e0\n  \n*1  \n\nhole\n");
    compare(
        scratch.path(),
        &cells(
            "
            --files0-from=list | --files0-from=list -s -c | --files0-from=holes -s
            --files0-from=none | --files0-from=none -c | --files0-from=/dev/null
            --files0-from=nope | --files0-from=t | -X patterns t | -a --exclude-from=patterns t
            -X patterns --exclude d2 t | -X none t | -X patterns -X none t u
        ",
        ),
    );
    // Standard input holds the name that stands for it.
    for input in ["-", "t/d0\0-\0u", "\0", ""] {
        let both = [env!("CARGO_BIN_EXE_curt"), "du"].map(|program| {
            let mut command = Command::new("sh");
            let du = if program == "du" { "du".to_owned() } else { format!("{program} du") };
            let typed = input.replace('\0', "\\0");
            let script = format!("printf '{typed}' | {du} -s --files0-from=-");
            command.args(["-c", &script]).current_dir(scratch.path()).env("LC_ALL", "C");
            let output = command.output().unwrap();
            let messages = String::from_utf8_lossy(&output.stderr).replace("curt du: ", "du: ");
            (output.status.code(), output.stdout, messages)
        });
        assert_eq!(both[0], both[1], "{input:?}");
    }
}

#[test]
fn operands_that_contain_each_other_are_counted_as_by_gnu() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    compare(
        scratch.path(),
        &cells(
            "
            t t | t t/d0 | t/d0 t | t/d0 t/d0/e0 t/d1 t | -s t u | -s u t | -c t u t/d0
            -a t/hole t | -a t t/hole | -s t/d1/links/0 t/d1/links/again-0 | -sl t t | -D t to-t
            -D to-t t | t missing u | missing | t/hole/x t | -s ./t t/../t
        ",
        ),
    );
}

#[test]
fn whole_filesystems_have_the_same_lines() {
    let Some(()) = has_gnu("du") else { return };
    for place in ["/usr/share/doc", "/etc"] {
        let place = Path::new(place);
        if fs::read_dir(place).is_err() {
            skip(&format!("there is no {}", place.display()));
            continue;
        }
        compare(place, &["-s", "-a", "-d 2", "-h", "--inodes", "-x", "-l"]);
    }
}

/// GNU du before 9.2 counts the apparent sizes of directories too, and of pipes and devices.
fn counts_directories() -> bool {
    let scratch = Scratch::new();
    scratch.file("d/a-name");
    let printed = gnu(scratch.path(), "--apparent-size -B1 -s d", None);
    !printed.lines[0].starts_with("0\t")
}

#[test]
fn apparent_sizes() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    let lines = ["--apparent-size t", "-b t", "-ab t", "-sb t u", "-bh t", "-hb t", "-b -d1 t"];
    if !counts_directories() {
        return compare(scratch.path(), &lines);
    }
    // What all directories below each line have too much is taken away; the rounding of the others
    // forbids that.
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    for args in ["-b t", "-ab t", "-sb t", "-hb t", "-b -d1 t"] {
        let mut printed = gnu(scratch.path(), args, None);
        for line in &mut printed.lines {
            let (size, path) = line.split_once('\t').unwrap();
            let size = size.parse::<u64>().unwrap() - directories(&scratch.at(path));
            *line = format!("{size}\t{path}");
        }
        printed.lines.sort();
        assert_eq!(curt(program, scratch.path(), args, None), printed, "du {args}");
    }
}

/// The sizes of the directories at and below a path.
fn directories(path: &Path) -> u64 {
    let metadata = fs::symlink_metadata(path).unwrap();
    if !metadata.is_dir() {
        return 0;
    }
    let entries = fs::read_dir(path).unwrap().map(|entry| directories(&entry.unwrap().path()));
    metadata.size() + entries.sum::<u64>()
}

#[test]
fn hard_links_everywhere_give_the_same_sum() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = Scratch::new();
    for number in 0..50 {
        let first = format!("t/{}/f{number}", number % 7);
        scratch.file_with(&first, &vec![b'x'; 5000]);
        for other in [3, 5, 11] {
            scratch.hard_link(&first, format!("t/{}/{other}/l{number}", (number + other) % 7));
        }
    }
    compare(scratch.path(), &["-s t", "--inodes -s t", "-d0 t", "-s t/0 t", "-sl t"]);
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let lines = |threads: &str| curt(program, scratch.path(), &format!("-a {threads} t"), None);
    assert_eq!(lines("-j1"), lines("-j4"));
}

#[test]
fn unreadable_directories_are_reported_as_by_gnu_du() {
    let Some(()) = has_gnu("du") else { return };
    let bench = Bench::new();
    let place = bench.place();
    for name in ["d/shut/in/f", "d/listed/f", "d/listed/g", "d/passed/f", "d/open/f"] {
        let path = place.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, [0; 5000]).unwrap();
    }
    let change = |modes: [u32; 3]| {
        for (name, mode) in ["shut", "listed", "passed"].iter().zip(modes) {
            let path: PathBuf = place.join("d").join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    change([0o000, 0o744, 0o711]);
    let user = is_root().then_some(NOBODY);
    if user.is_none() {
        change([0o000, 0o400, 0o100]);
    }
    for args in ["d", "-a d", "-s d", "-s d/shut d/listed d/passed d/open", "-a d/listed/f"] {
        let ours = curt(bench.curt(), &place, args, user);
        assert_eq!(ours, gnu(&place, args, user), "du {args}");
        assert_eq!(ours.code, Some(1), "du {args}");
    }
    change([0o755, 0o755, 0o755]);
}

#[test]
fn one_file_system() {
    let Some(()) = has_gnu("du") else { return };
    if !may_mount() {
        return;
    }
    let bench = Bench::new();
    let place = bench.place();
    let script = "set -e; mkdir -p d/m d/e other; echo x > d/f; echo y > d/e/f; echo z > other/f; \
        mount -t tmpfs none d/m; echo m > d/m/f; mkdir d/e/bound; mount --bind other d/e/bound; \
        touch d/file; mount --bind d/m/f d/file; set +e; ";
    for args in ["d", "-x d", "-ax d", "-sx d d/m", "-x d/m d", "-a d/e d/m other", "-xa other d"] {
        let run = |du: &str| {
            let script = format!("{script} LC_ALL=C {du} {args} | sort");
            let output = in_namespace(&script).current_dir(&place).output().unwrap();
            for name in ["d", "other"] {
                fs::remove_dir_all(place.join(name)).unwrap();
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (text(&output.stdout), text(&output.stderr))
        };
        let ours = run(&format!("{} du", bench.curt().display()));
        assert!(ours.0.contains('\t'), "{ours:?}");
        assert_eq!(ours, run("du"), "du {args}");
    }
}

#[test]
fn wrong_command_lines() {
    let Some(()) = has_gnu("du") else { return };
    let scratch = sample();
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    // By GNU's name it ends as GNU's, and says the same about a value.
    let named = Scratch::new();
    named.link("du", program);
    for args in cells(
        "
        -B x t | -B 0 t | -B 1x t | --block-size=99999999999E t | --block-size= t | -t SIZE t
        --threshold=SIZE t | --threshold=-0 t | -t -0 t | --threshold= t | -t 1z t
        -t 99999999999999999999 t | --time --time-style=odd t | --time --time-style=locale t
        -t human t | -t 1x t | --files0-from=- t | -X nope t | --inodes -b t/pipe | -s -d0 t/pipe
    ",
    ) {
        let ours = outcome(Command::new(named.at("du")), scratch.path(), args, None);
        assert_eq!(ours, gnu(scratch.path(), args, None), "{args}");
    }
    for args in ["-a -s t", "-s -d1 t", "-d x t", "--max-depth= t", "--no-such t"] {
        assert_eq!(gnu(scratch.path(), args, None).code, Some(1), "{args}");
        assert_eq!(curt(program, scratch.path(), args, None).code, Some(2), "{args}");
    }
}
