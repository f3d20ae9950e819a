//! Compares `curt find -u` with GNU find. Paths are sorted, and curt's slash after directories is
//! removed. GNU find gets `-H` and `-mindepth 1`, because curt, like fd, follows symlinks given as
//! operands and does not yield operands.

mod actions;
mod listing;
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use curt_testkit::{Choices, Scratch, cells, skip};

use crate::harness::{Fixture, Trial, property};
use crate::tree::{Oddities, Tree, quoted, remaining, users};

const PAIRS: &str = r"
    -type f : -tf | -type d : -td | -type l : -tl | -type p : -t fifo | -type s : -ts
    -type p,s,l : -tp,s,l
    -type f,d : -tf -td | -empty -type f : -te,f | -empty -type d : -td --empty
    -name *.rs : -sg --and *.rs | -iname ?*.RS : -e rs | -name .* : -sg --and .*
    -name ? : -sg --and ?
    -name [a-c]* : -sg --and [a-c]* | -name [!a-c]* : -sg --and [!a-c]* | -name \* : -sg --and \*
    -name *l* : -sg --and *l* | ( -name a -o -name b ) : -sg --and {a,b}
    -type f -size 0c : -S 0b | -type f -size +4c : -S +5b | -type f -size -1025c : -S -1ki
    -type f -size 1024c : -S 1ki | -newermt @1650000000 : --newer @1650000000
    -not -newermt @1600000000 -not -newermt @1599999999 : --older @1600000000
    -perm -200 : --perm=-200 | -perm /111 : --perm=/111 | -perm 444 : --perm=444
    -maxdepth 1 : -d1 | -maxdepth 2 : --max-depth=2 | -mindepth 2 : --min-depth=2
    -maxdepth 0 : -d0
    -xdev : --xdev | -name a -prune -o : -E a | -name *.rs -prune -o : -E *.rs
    -type d -name .* -prune -o : -E .*/ | -path */a/b -prune -o : -E **/a/b | -L : -L
    -L : --follow
    -depth : --contents-first | -depth : --sort=name | -depth : -j1 | -depth : -j3
    -depth : --without=openat2 | -depth : --without=statx
";

fn random(choices: &mut Choices) -> Trial {
    let tree = Tree::random(choices, Oddities { forbidden: true, names: false });
    let trial = Trial::random(choices, tree, &cells(PAIRS), 3);
    let spellings = |[text, _]: [String; 2]| {
        let (find, curt) = text.split_once(" : ").unwrap();
        [find.to_owned(), curt.to_owned()]
    };
    let mut options: Vec<_> = trial.options.into_iter().map(spellings).collect();
    // Keep only one `-t`, because curt matches any of several kinds, but GNU find requires all.
    // Also keep only one `-depth`.
    for is_one in [|it: &[String; 2]| it[1].starts_with("-t"), |it: &[String; 2]| it[0] == "-depth"]
    {
        let first = options.iter().position(is_one);
        let mut at = 0..;
        options.retain(|option| at.next() == first || !is_one(option));
    }
    // GNU find does not accept operands that begin with a dash.
    let is_plain = |path: &OsString| !path.is_empty() && path.as_bytes()[0] != b'-';
    let mut operands: Vec<OsString> = trial.operands.into_iter().filter(is_plain).collect();
    if operands.is_empty() {
        operands.push(".".into());
    }
    Trial { user: users().last().copied().flatten(), options, operands, ..trial }
}

fn find_words(trial: &Trial, action: &str) -> Vec<OsString> {
    let is_global = |option: &str| {
        ["-maxdepth", "-mindepth", "-xdev", "-depth"].iter().any(|it| option.starts_with(it))
    };
    let of = |kind: &dyn Fn(&str) -> bool| {
        let options = trial.options.iter().map(|[find, _]| find.as_str()).filter(|it| kind(it));
        let in_brackets = |option: &str| {
            if option.contains(" -o ") { format!("( {option} )") } else { option.to_owned() }
        };
        options.map(in_brackets).collect::<Vec<_>>()
    };
    let follow = if trial.options.iter().any(|[find, _]| find == "-L") { "-L" } else { "-H" };
    let globals = of(&is_global).join(" ");
    let prunes = of(&|option| option.ends_with(" -o")).join(" ");
    let tests =
        of(&|option| !is_global(option) && !option.ends_with(" -o") && option != "-L").join(" ");
    let rest = format!("-mindepth 1 {globals} {prunes} {tests} {action}");
    let words = |text: &str| text.split_whitespace().map(OsString::from).collect::<Vec<_>>();
    [words(follow), trial.operands.clone(), words(&rest)].concat()
}

fn curt_words(trial: &Trial, action: &str) -> Vec<OsString> {
    let options: Vec<&str> = trial.options.iter().map(|[_, curt]| curt.as_str()).collect();
    let options = options.join(" ");
    // If one pattern is a glob, all patterns are globs.
    let all = if options.contains("-sg") { "*" } else { "." };
    let text = format!("find -u -j3 {action} {options} {all}");
    let words = text.split_whitespace().map(OsString::from);
    words.chain(trial.operands.iter().cloned()).collect()
}

/// Returns whether the results are comparable. Unlike GNU find, curt refuses operands that are not
/// directories, and knows the kinds of entries in an unsearchable directory.
fn is_compared(trial: &Trial, dir: &Path) -> bool {
    let is_searched = |path: &OsString| {
        let path = dir.join(path);
        path.is_dir() || fs::symlink_metadata(path).is_err()
    };
    // Failures differ, because curt checks only once, after all other tests, whether a directory is
    // empty.
    let asks_twice =
        trial.tree.forbids() && trial.options.iter().any(|it| it[0].contains("-empty"));
    trial.operands.iter().all(is_searched) && !trial.tree.has_mode(0o444) && !asks_twice
}

#[test]
fn random_trees_are_searched_as_by_find() {
    let Some(setup) = Setup::new() else { return };
    let here = setup.fixture.dir();
    property("find", random, |trial| {
        trial.tree.make(&setup.fixture.scratch, trial.user);
        let outcome = is_compared(trial, &here).then(|| {
            let run = |program: &Path, words: &[OsString]| {
                let mut outcome = outcome(&run(program, words, &here, trial.user));
                outcome.equate();
                outcome
            };
            let find = run(Path::new("find"), &find_words(trial, "-print0"));
            [find, run(&setup.fixture.curt, &curt_words(trial, "-0"))]
        });
        setup.fixture.clear();
        let [find, curt] = outcome?;
        let lines = lines(trial, "-print0", "-0");
        (find != curt).then(|| format!("{lines}find {find:?}\ncurt {curt:?}"))
    });
}

fn lines(trial: &Trial, find: &str, curt: &str) -> String {
    let line =
        |words: Vec<OsString>| words.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" ");
    format!("find {}\ncurt {}\n", line(find_words(trial, find)), line(curt_words(trial, curt)))
}

/// Runs unprivileged, to limit the damage of a bug.
#[test]
fn random_trees_are_deleted_as_by_find() {
    let Some(setup) = Setup::new() else { return };
    let here = setup.fixture.dir();
    property("find -delete", random, |trial| {
        // GNU find deletes pruned entries, unlike curt.
        let differs = [" -o", "-L"];
        let differs = |[find, curt]: &[String; 2]| {
            differs.iter().any(|end| find.contains(end)) || curt.contains("--sort")
        };
        if trial.options.iter().any(differs) {
            return None;
        }
        let run = |program: &Path, words: &[OsString]| {
            trial.tree.make(&setup.fixture.scratch, trial.user);
            // Without a trailing slash, curt deletes nothing through an operand that is a symlink.
            let is_link =
                |path| fs::symlink_metadata(here.join(path)).is_ok_and(|it| it.is_symlink());
            let is_refused = trial.operands.iter().any(is_link);
            let result = (is_compared(trial, &here) && !is_refused).then(|| {
                let outcome = outcome(&run(program, words, &here, trial.user));
                (outcome.code, remaining(&setup.fixture.scratch.at("run")))
            });
            setup.fixture.clear();
            result
        };
        let find = run(Path::new("find"), &find_words(trial, "-delete"));
        let curt = run(&setup.fixture.curt, &curt_words(trial, "--delete"));
        let lines = lines(trial, "-delete", "--delete");
        (find != curt).then(|| format!("{lines}find {find:?}\ncurt {curt:?}"))
    });
}

fn run(program: &Path, words: &[OsString], dir: &Path, user: Option<u32>) -> Output {
    let mut command = Command::new(program);
    command.args(words).current_dir(dir).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    command.output().unwrap()
}

struct Setup {
    fixture: Fixture,
    scratch: Scratch,
    user: Option<u32>,
}

#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    paths: Vec<OsString>,
    code: Option<i32>,
    failures: Vec<String>,
}

impl Outcome {
    /// Ignores the quoting of odd names, and whether a reported symlink to an ancestor is yielded.
    fn equate(&mut self) {
        let loops = ["File system loop detected", "symbolic link or mount loop"];
        if self.failures.iter().any(|it| loops.iter().any(|reason| it.contains(reason))) {
            let is_link = |path: &OsString| {
                [&b"l1"[..], b"l2", b"l3", b"/here"].iter().any(|it| path.as_bytes().ends_with(it))
            };
            self.paths.retain(|path| !is_link(path));
        }
        for failure in &mut self.failures {
            let is_loop = loops.iter().any(|reason| failure.contains(reason));
            let reason = failure.rsplit(": ").next().unwrap_or_default();
            *failure = if is_loop { "a loop".to_owned() } else { reason.to_owned() };
        }
        self.failures.sort();
    }
}

impl Setup {
    fn new() -> Option<Setup> {
        let version = Command::new("find").arg("--version").output();
        if !version.is_ok_and(|output| output.stdout.starts_with(b"find (GNU findutils)")) {
            skip("GNU find is not installed");
            return None;
        }
        let scratch = Scratch::new();
        fs::set_permissions(scratch.path(), Permissions::from_mode(0o755)).unwrap();
        Some(Setup { fixture: Fixture::new(), scratch, user: None })
    }

    fn odd() -> Option<Setup> {
        let setup = Setup::new()?;
        odd_tree(&setup.scratch);
        Some(setup)
    }

    fn find(&self, args: &str) -> Outcome {
        let (follow, rest) = match args.strip_prefix("-L ") {
            Some(rest) => ("-L", rest),
            None => ("-H", args),
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let tests = words.iter().position(|word| word.starts_with(['-', '(']));
        let (operands, tests) = words.split_at(tests.unwrap_or(words.len()));
        let all = [&[follow], operands, &["-mindepth", "1"], tests, &["-print0"]].concat();
        let all: Vec<OsString> = all.into_iter().map(OsString::from).collect();
        outcome(&run(Path::new("find"), &all, self.scratch.path(), self.user))
    }

    fn curt(&self, args: &str) -> Outcome {
        let words = ["find", "-u", "-0"].into_iter().chain(args.split_whitespace());
        let words: Vec<OsString> = words.map(OsString::from).collect();
        outcome(&run(&self.fixture.curt, &words, self.scratch.path(), self.user))
    }

    fn same(&self, find: &str, curt: &str) -> Outcome {
        let expected = self.find(find);
        for more in ["", "-j1", "-j3", "--contents-first", "--sort=name", "--without=openat2"] {
            assert_eq!(
                self.curt(&format!("{more} {curt}")),
                expected,
                "curt find -u {more} {curt}"
            );
        }
        expected
    }
}

fn outcome(output: &Output) -> Outcome {
    let paths = output.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    let paths = paths.map(|path| path.strip_suffix(b"/").unwrap_or(path));
    let mut paths: Vec<OsString> = paths.map(|path| OsStr::from_bytes(path).to_owned()).collect();
    paths.sort();
    let messages = String::from_utf8_lossy(&output.stderr).replace(['‘', '’'], "'");
    let notes = [
        "removes a directory only",
        "has exactly the size",
        "is the PATTERN",
        "would remove",
        "does not enter mount points",
    ];
    let failures = messages.lines().filter(|line| !notes.iter().any(|note| line.contains(note)));
    let is_loop = |line: &str| line.contains("loop detected");
    let from_path = |line: &str| {
        if is_loop(line) {
            line.to_owned()
        } else {
            line[line.find('\'').unwrap_or(0)..].to_owned()
        }
    };
    let mut failures: Vec<String> = failures.map(from_path).collect();
    failures.sort();
    Outcome { paths, code: output.status.code(), failures }
}

fn odd_tree(scratch: &Scratch) {
    let names = "t/plain.rs|t/.hidden|t/.config/x.rs|t/with space/a b|t/new\nline|\
        t/tab\tand\u{1b}[31m|t/-dash/-x|t/*/?|t/[ab]|t/back\\slash|t/quote'\"|t/größe|\
        t/a/b/c/d/e/f.rs|t/{x,y}|-t/-f";
    for name in names.split('|') {
        scratch.file(name);
    }
    scratch.file(Path::new("t").join(OsStr::from_bytes(b"bad-\xff\xfe")));
    scratch.file(Path::new("t").join(OsStr::from_bytes(b"dir-\xff/below\x80")));
    for (path, bytes) in [("t/five", 5), ("t/a/kilo", 1024), ("t/a/b/more", 1025)] {
        scratch.file_with(path, &vec![b'x'; bytes]);
    }
    scratch.file(format!("t/{}", "n".repeat(255)));
    scratch.dir("t/empty");
    scratch.fifo("t/pipe");
    scratch.link("t/to-file", "plain.rs");
    scratch.link("t/to-dir", "a/b");
    scratch.link("t/dangling", "nowhere");
    drop(UnixListener::bind(scratch.at("t/socket")).unwrap());
}
