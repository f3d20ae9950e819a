//! `curt du` beside GNU du: the same operands must give the same lines, the same messages and the
//! same code. Lines are compared sorted, because GNU's come in the order of the listing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use curt_testkit::{Scratch, skip};

use crate::harness::{Bench, NOBODY, is_root};

/// What came of a command.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    code: Option<i32>,
    lines: Vec<String>,
    messages: Vec<String>,
}

/// Whether GNU du is there; said aloud where it is not.
fn has_du() -> bool {
    let version = Command::new("du").arg("--version").output();
    let is_gnu = version.is_ok_and(|output| output.stdout.starts_with(b"du (GNU coreutils) "));
    if !is_gnu {
        skip("GNU du is not installed");
    }
    is_gnu
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
    if !has_du() {
        return;
    }
    let scratch = sample();
    compare(
        scratch.path(),
        &[
            // Where GNU du counts a file with names in two directories depends on their listing.
            "-s",
            "-l",
            "t",
            "t/",
            "-s t",
            "-s t u to-t",
            "-a t",
            "-d 0 t",
            "-d1 t",
            "-a -d 2 t",
            "-lad1 .",
            "-h t",
            "-ah t",
            "-sh t u",
            "-c t u",
            "-sc t u",
            "-ch t u",
            "-k t",
            "-h -k t",
            "-0 t",
            "-a0 t",
            "--inodes t",
            "--inodes -a t",
            "--inodes -sh t u",
            "--inodes -c t u",
            "-x t",
            "-l t u",
            "-al t",
            "-D to-t",
            "-s to-t",
            "-s to-t/",
            "-a t/hole t/pipe t/link",
            "-s t/d0 t/d1 t/d2 t/d3",
        ],
    );
}

#[test]
fn operands_that_contain_each_other_are_counted_as_by_gnu() {
    if !has_du() {
        return;
    }
    let scratch = sample();
    compare(
        scratch.path(),
        &[
            "t t",
            "t t/d0",
            "t/d0 t",
            "t/d0 t/d0/e0 t/d1 t",
            "-s t u",
            "-s u t",
            "-c t u t/d0",
            "-a t/hole t",
            "-a t t/hole",
            "-s t/d1/links/0 t/d1/links/again-0",
            "-sl t t",
            "-D t to-t",
            "-D to-t t",
            "t missing u",
            "missing",
            "t/hole/x t",
            "-s ./t t/../t",
        ],
    );
}

#[test]
fn whole_filesystems_have_the_same_lines() {
    if !has_du() {
        return;
    }
    for place in ["/usr/share/doc", "/usr/include", "/usr/lib/ssl", "/etc"] {
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
    if !has_du() {
        return;
    }
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
    if !has_du() {
        return;
    }
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
    if !has_du() {
        return;
    }
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
    let mut trial = Command::new("unshare");
    trial.args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]);
    if !has_du() {
        return;
    }
    if !is_root() || !trial.output().is_ok_and(|output| output.status.success()) {
        return skip("mount namespaces need root and unshare");
    }
    let bench = Bench::new();
    let place = bench.place();
    let script = "set -e; mkdir -p d/m d/e other; echo x > d/f; echo y > d/e/f; echo z > other/f; \
        mount -t tmpfs none d/m; echo m > d/m/f; mkdir d/e/bound; mount --bind other d/e/bound; \
        touch d/file; mount --bind d/m/f d/file; set +e; ";
    for args in ["d", "-x d", "-ax d", "-sx d d/m", "-x d/m d", "-a d/e d/m other", "-xa other d"] {
        let run = |du: &str| {
            let script = format!("{script} LC_ALL=C {du} {args} | sort");
            let mut command = Command::new("unshare");
            command.args(["-m", "sh", "-c", &script]).current_dir(&place);
            let output = command.output().unwrap();
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
    if !has_du() {
        return;
    }
    let scratch = sample();
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    for args in ["-a -s t", "-s -d1 t", "-d x t", "--max-depth= t", "--no-such t"] {
        assert_eq!(gnu(scratch.path(), args, None).code, Some(1), "{args}");
        assert_eq!(curt(program, scratch.path(), args, None).code, Some(2), "{args}");
    }
}
