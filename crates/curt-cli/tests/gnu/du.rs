//! Compares `curt du` with GNU du. Lines are sorted, because GNU prints them in listing order.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use curt_testkit::{Choices, Scratch, cells, in_namespace, may_mount, version};

use crate::harness::{Fixture, Outcome, Pair, Trial, by_tool, has_gnu, property, run_with_input};
use crate::tree::{Oddities, Tree, users};

const OPTIONS: &str = "
    -a | -a | -s | -c | -S | -l | -h | -k | -m | -x | -0 | -D | -H | -P | --si | -B1 | -BK
    -B3000 | -Bhuman | -d0 | -d1 | -d2 | --max-depth=3 | --inodes | -t1 | -t-1 | -t4K | -t-5000
    --time | --time=ctime --time-style=iso | --time=status --time-style=+%s.%N | --time=use
    --exclude=a | --exclude=*.rs | --exclude=?? | --exclude=[!a-c]* | --exclude=a/* | --exclude=.*
";

fn random(choices: &mut Choices) -> Trial {
    let tree = Tree::random(choices, Oddities { forbidden: true, names: true });
    let mut trial = Trial::random(choices, tree, &cells(OPTIONS), 4);
    // Omit times: GNU du prints 1970 for an empty total, whose newest time is unknown.
    if trial.has("-c") {
        trial.options.retain(|[option, _]| !option.starts_with("--time"));
    }
    // Omit empty operands, for which messages differ, and operands with consecutive slashes: GNU du
    // prints several slashes at the end as one, and tries no pattern between two slashes.
    let is_same = |path: &OsString| !path.is_empty() && !path.to_string_lossy().contains("//");
    let operands = trial.operands.into_iter().filter(is_same);
    Trial { user: *choices.pick(users()), operands: operands.collect(), ..trial }
}

/// Ignores which of two hard links is shown (the first in listing order), and the reason for a
/// broken symlink, which some versions of GNU du omit.
fn equate(outcome: &mut Outcome) {
    outcome.equate_usage();
    outcome.out = String::from_utf8_lossy(&outcome.out).replace("+link", "").into_bytes();
    if outcome.messages.contains("cannot access") {
        outcome.messages = outcome.messages.replace(": No such file or directory", "");
    }
}

fn pair(dir: &Path) -> Option<Pair<'_>> {
    let variables = &[("LC_ALL", "C.UTF-8")];
    Some(Pair { is_sorted: true, variables, equate, ..Pair::new("du", dir)? })
}

#[test]
fn random_trees_are_measured_as_by_gnu() {
    let fixture = Fixture::new();
    let dir = fixture.dir();
    let Some(pair) = pair(&dir) else { return };
    property("du", random, |trial| {
        trial.tree.make(&fixture.scratch, trial.user);
        let pair = Pair { curt: &fixture.curt, user: trial.user, ..pair.clone() };
        // GNU du reports even an excluded operand if it is missing.
        let is_missing = |path: &OsString| fs::symlink_metadata(dir.join(path)).is_err();
        let excludes = trial.options.iter().any(|[option, _]| option.starts_with("--exclude"));
        let is_same = !(excludes && trial.operands.iter().any(is_missing));
        let difference = is_same.then(|| pair.difference(&trial.words(0))).flatten();
        fixture.clear();
        difference
    });
}

fn sample() -> Scratch {
    let scratch = Scratch::new();
    for number in 0..60 {
        let content = vec![b'x'; number * number * 37];
        scratch.file_with(format!("t/d{}/e{}/f{number}", number % 4, number % 7), &content);
    }
    for (name, length) in [("t/hole", 1 << 30), ("t/d0/hole", 5_000_000), ("u/hole", 12_345)] {
        let file = fs::File::options().write(true).open(scratch.file(name));
        file.and_then(|file| file.set_len(length)).unwrap();
    }
    scratch.file_with("t/d1/one", &vec![b'y'; 40_000]);
    scratch.hard_link("t/d1/one", "t/d1/one+link");
    scratch.hard_link("t/d1/one", "u/one");
    scratch.link("t/link", "d0");
    scratch.link("t/dangling", "nowhere");
    scratch.link("to-t", "t");
    scratch.fifo("t/pipe");
    scratch
}

#[test]
fn units_thresholds_and_wrong_values_are_those_of_gnu() {
    let scratch = sample();
    let Some(pair) = pair(scratch.path()) else { return };
    pair.compare(&cells(
        "
        -BM t | -B1K -a t | -BKB t | -Bhuman t | -Bsi t | --block-size=10kB t | -a --si t
        -h --si -k t | -k -m t | -m -BG t | -B1 -h t | -hb t/hole | -bh t/hole | -b -k -b t/hole
        -k --human --apparent t/hole | -BM -k t | -m --si t | --inodes -B10 t | --inodes -m t
        --inodes --si t | -t 100K t | -t -100K t | -a --threshold=4096 t | -a -S -t -50000 t
        -t +1M t | -t 0 t | -t 0x1000 t | -t 1KB -a t | -t 00 t | -t K -a t | -t 2k -a t | -t -3M t
        -t 1GiB -a t | --inodes -t -5 -a t | -c -t 1G t | -DP to-t | -PD to-t | -L -P to-t
        -sL -H to-t | -s t u to-t | -s u t | -sc t u t/d0 | -c t u | t missing u | -sl t u
        t/hole/x t | -s ./t t/../t | -aS -d1 t | -lS t u | -a t/d1 u/one | -a u/one t/d1/one+link
        ",
    ));
    let named = Scratch::new();
    named.link("du", env!("CARGO_BIN_EXE_curt"));
    let values = "
        -B x t | -B 0 t | -B 1x t | --block-size=99999999999E t | --block-size= t | -t SIZE t
        --threshold=SIZE t | --threshold=-0 t | -t -0 t | --threshold= t | -t 1z t
        -t 99999999999999999999 t | --time --time-style=odd t | --time --time-style=locale t
        -t human t | -t 1x t | --files0-from=- t | -X nope t | --inodes -b t/pipe | -s -d0 t/pipe
    ";
    let curt = &named.at("du");
    Pair { curt, equate: |_| {}, variables: &[], ..pair.clone() }.compare(&cells(values));
    pair.compare(&["-a -s t", "-s -d1 t", "-d x t", "--max-depth= t", "--no-such t"]);
}

#[test]
fn links_are_followed_as_by_gnu() {
    let scratch = sample();
    scratch.tree("", "v/a/to-b->../b v/b/to-a->../a v/b/up->.. v/b/file->../c/one w->v/b");
    scratch.tree("", "v/c/again->one v/c/self->. x/loop->loop x/broken->nowhere x/through->f/x");
    scratch.file_with("v/c/one", &[b'x'; 9000]);
    scratch.file_with("v/a/two", &vec![b'x'; 90_000]);
    scratch.file_with("x/f", &[b'x'; 9000]);
    let Some(pair) = pair(scratch.path()) else { return };
    pair.compare(&cells(
        "
        -sL v | -L v/c | -L v/a/two v/c/again | -sL v/c v/c/one | -sL to-t | -sL t to-t u
        -L v/c/self | -sL t/link t/d0 | -sLx v | -sLl v/c | -sLc v t | --inodes -sL v
        -L t/dangling | -H -L -s to-t | -P --dereference -s to-t | -aL t/dangling t/d0/e0
        -sLS v/c | -L x | -aL x | -sL x/loop x/broken x/f | -lL x | -D x/broken x/loop x/f
        ",
    ));
    // Compare only sums, because the listing order decides which symlink reaches a file first.
    for words in [["-L", "v"], ["-aL", "v"], ["-aL", "v/c"], ["-L", "w"]] {
        let sum = |outcome: Outcome| {
            let lines = String::from_utf8(outcome.out).unwrap();
            let mut lines = lines.lines();
            lines.find(|line| line.ends_with(&format!("\t{}", words[1]))).map(str::to_owned)
        };
        let (gnu, ours) = (sum(pair.gnu(&words)), sum(pair.ours(&words)));
        assert!(gnu.is_some() && gnu == ours, "{words:?}: {gnu:?} {ours:?}");
    }
}

#[test]
fn files_name_operands_and_patterns_as_for_gnu() {
    let scratch = sample();
    scratch.file_with("list", b"t/d0\0t/d1\0t/d0/e0");
    scratch.file_with("holes", b"\0t/d0\0\0missing\0");
    scratch.file("none");
    scratch.file_with("patterns", b"e0\n  \n*1  \n\nhole\n");
    let Some(pair) = pair(scratch.path()) else { return };
    pair.compare(&cells(
        "
        --files0-from=list | --files0-from=list -s -c | --files0-from=holes -s
        --files0-from=none | --files0-from=none -c | --files0-from=/dev/null
        --files0-from=nope | --files0-from=t | -X patterns t | -a --exclude-from=patterns t
        -X patterns --exclude d2 t | -X none t | -X patterns -X none t u
        ",
    ));
    for input in ["-", "t/d0\0-\0u", "\0"] {
        Pair { input, ..pair.clone() }.compare(&["-s --files0-from=-"]);
    }
}

#[test]
fn styles_of_times_are_those_of_gnu() {
    let scratch = sample();
    for (at, name) in ["t/d0/e0/f0", "t/d1/e1/f1", "t/d2", "u/hole"].iter().enumerate() {
        let when = format!("@{}.123456789", 1_900_000_000 + 86_400 * at);
        let mut touch = Command::new("touch");
        touch.args(["-a", "-m", "-d", &when, name]).current_dir(scratch.path());
        assert!(touch.status().unwrap().success());
    }
    let Some(pair) = pair(scratch.path()) else { return };
    pair.compare(&cells(
        "
        --time -c t u | --time -S t | --time --time-style=full-iso -a t | --time -0 -a t
        --time --time-style=i -a t | --time --time-style=long -a t | --time=a -a t/d0/e0/f0
        --time --time-style=+%s.%N -a t | --time --time-style=+ t
        ",
    ));
}

/// Before 9.2, GNU du includes directories in apparent sizes.
#[test]
fn apparent_sizes_are_those_of_gnu_without_directories() {
    let scratch = sample();
    let Some(pair) = pair(scratch.path()) else { return };
    if version("du") >= (9, 2) {
        return pair.compare(&["--apparent-size t", "-ab t", "-sb t u", "-hb t", "-b -d1 t"]);
    }
    for line in ["-b t", "-ab t", "-sb t u", "-b -d1 t"] {
        let words: Vec<&str> = line.split(' ').collect();
        let gnu = String::from_utf8(pair.gnu(&words).out).unwrap();
        let less = gnu.lines().map(|line| {
            let (size, path) = line.split_once('\t').unwrap();
            format!("{}\t{path}\n", size.parse::<u64>().unwrap() - directories(&scratch.at(path)))
        });
        let mut expected: Vec<String> = less.collect();
        expected.sort();
        assert_eq!(String::from_utf8(pair.ours(&words).out).unwrap(), expected.concat(), "{line}");
    }
}

fn directories(path: &Path) -> u64 {
    let metadata = fs::symlink_metadata(path).map_or(None, |it| it.is_dir().then(|| it.size()));
    let Some(own) = metadata else { return 0 };
    let entries = fs::read_dir(path).unwrap().map(|entry| directories(&entry.unwrap().path()));
    own + entries.sum::<u64>()
}

/// The listing order decides in which directory GNU du counts the file.
#[test]
fn hard_links_everywhere_give_the_same_sum() {
    let scratch = Scratch::new();
    for number in 0..50 {
        let first = format!("t/{}/f{number}", number % 7);
        scratch.file_with(&first, &vec![b'x'; 5000]);
        for other in [3, 5, 11] {
            scratch.hard_link(&first, format!("t/{}/{other}/l{number}", (number + other) % 7));
        }
    }
    let Some(pair) = pair(scratch.path()) else { return };
    pair.compare(&["-s t", "--inodes -s t", "-d0 t", "-s t/0 t", "-sl t"]);
    assert_eq!(pair.ours(&["-a", "-j1", "t"]), pair.ours(&["-a", "-j4", "t"]));
}

#[test]
fn one_file_system_is_that_of_gnu() {
    let (Some(()), true) = (has_gnu("du"), may_mount()) else { return };
    let fixture = Fixture::new();
    let script = "set -e; mkdir -p d/m d/e other; echo x > d/f; echo y > d/e/f; echo z > other/f; \
        mount -t tmpfs none d/m; echo m > d/m/f; mkdir d/e/bound; mount --bind other d/e/bound; \
        touch d/file; mount --bind d/m/f d/file; set +e; ";
    for args in ["d", "-x d", "-ax d", "-sx d d/m", "-x d/m d", "-a d/e d/m other", "-xa other d"] {
        let run = |du: &str| {
            let script = format!("{script} LC_ALL=C {du} {args} | sort");
            let output = run_with_input(in_namespace(&script).current_dir(fixture.dir()), b"");
            fixture.clear();
            (String::from_utf8(output.stdout).unwrap(), by_tool("du", &output.stderr))
        };
        let ours = run(&format!("{} du", fixture.curt.display()));
        assert!(ours.0.contains('\t'), "{ours:?}");
        assert_eq!(ours, run("du"), "du {args}");
    }
}
