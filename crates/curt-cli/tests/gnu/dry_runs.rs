//! A dry run of `curt rm`, `rm --trash` or `find --delete` must predict the removals, failures and
//! exit status of the real run.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use curt_testkit::{Choices, cells, in_namespace, may_mount, skip};

use crate::harness::{Fixture, Trial, property};
use crate::tree::{Oddities, Tree, each, users};

const COMMANDS: [(&str, &str); 3] = [
    (
        "rm -v",
        "-r | -r | -r | -rf | -d | -f | -r --contents | --exclude=*.rs | --exclude=a | -j3
         --one-file-system",
    ),
    ("rm --trash -v", "-r | -r | -f | --preserve-root=all"),
    (
        "find -0 --delete",
        "-u | -u | -u | -H | -I | -tf | -td | -tl | -te | -te | -d1 | -d2 | --min-depth=2 | -e rs
         -E a | -E *.rs | -S +1b | --older @1650000000 | --newer @1650000000 | --perm=-200
         --one-file-system | --max-results=3 | -j3 | -td -d1 | --sort=name",
    ),
];

/// Runs unprivileged, to limit the damage of a bug. Operands often overlap, in several spellings.
fn random(choices: &mut Choices) -> Trial {
    let tree = Tree::random(choices, Oddities { forbidden: true, names: true });
    let (command, options) = *choices.pick(&COMMANDS);
    let mut trial = Trial::random(choices, tree, &cells(options), 3);
    let usual = match (choices.one_in(4), command.starts_with("find")) {
        (true, _) => "",
        (false, true) => " -u",
        (false, false) => " -r",
    };
    let command = format!("{command}{usual}");
    trial.options.insert(0, [command.clone(), command.clone()]);
    if trial.operands.is_empty() || trial.operands[0].is_empty() || choices.one_in(2) {
        let whole = if command.starts_with("find") { "." } else { "../here" };
        trial.operands.insert(0, whole.into());
        trial.operands.retain(|operand| !operand.is_empty());
    }
    while choices.one_in(2) {
        let other = Path::new(choices.pick(&trial.operands));
        let more = match choices.below(4) {
            0 => other.into(),
            1 => other.parent().filter(|it| it.file_name().is_some()).unwrap_or(other).into(),
            2 => Path::new(choices.one_of(&["a/..", "l1", "./b/.", "../here"])).join(other),
            _ => other.join(choices.one_of(&["a", "b", "../a", "../l1/b"])),
        };
        trial.operands.insert(choices.below(trial.operands.len() + 1), more.into());
    }
    if trial.operands.len() > 1 {
        // Omit tests of times, because removing the first operand changes directories' times.
        trial.options.retain(|option| !option[1].contains("er @"));
    }
    if command.contains("--trash") && trial.operands.len() > 1 {
        // Omit the working directory, because its path changes in the trash.
        trial.operands.retain(|operand| !operand.as_bytes().ends_with(b"here"));
    }
    Trial { user: users().last().copied().flatten(), ..trial }
}

#[derive(Debug, PartialEq)]
struct Effect {
    removed: Vec<OsString>,
    failures: Vec<String>,
    code: Option<i32>,
}

impl Effect {
    fn new(mut removed: Vec<OsString>, output: &Output) -> Effect {
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_failure = |line: &&str| !line.starts_with("curt find: would remove ");
        let mut failures: Vec<_> = messages.lines().filter(is_failure).map(str::to_owned).collect();
        failures.sort_unstable();
        removed.sort_unstable();
        Effect { removed, failures, code: output.status.code() }
    }
}

fn run(fixture: &Fixture, trial: &Trial, more: &[&str]) -> Output {
    let options = trial.options.iter().flat_map(|option| option[1].split_whitespace());
    let mut words: Vec<&str> = options.chain(more.iter().copied()).chain(["--"]).collect();
    if words[0] == "find" {
        words.push(".");
    }
    let mut command = Command::new(&fixture.curt);
    command.args(words).args(&trial.operands).current_dir(fixture.scratch.at("run/here"));
    command.env_clear().env("LC_ALL", "C.UTF-8").env("HOME", fixture.scratch.at("run/home"));
    if let Some(user) = trial.user {
        command.uid(user).gid(user);
    }
    command.stdin(Stdio::null()).output().unwrap()
}

fn lines(output: &Output) -> Vec<OsString> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter(|line| !line.contains(", freeing "));
    let past =
        |line: &str| line.replacen("would remove", "removed", 1).replacen("would move", "moved", 1);
    lines.map(past).map(OsString::from).collect()
}

fn below(dir: &Path) -> BTreeSet<OsString> {
    let mut found = BTreeSet::new();
    each(dir, &mut |path, _| {
        found.insert(path.into());
    });
    found
}

fn real_path(path: &Path) -> OsString {
    let parent = fs::canonicalize(path.parent().unwrap()).unwrap();
    parent.join(path.file_name().unwrap()).into()
}

/// Returns whether a directory is unreadable and might be empty, which only a removal would show.
fn has_unreadable_empty(dir: &Path, Trial { user, operands, .. }: &Trial) -> bool {
    let mut found = false;
    each(dir, &mut |path, metadata| {
        let Some(metadata) = metadata.filter(|metadata| metadata.is_dir()) else { return };
        let bit = if user.is_none_or(|user| metadata.uid() == user) { 0o400 } else { 0o004 };
        let is_empty = operands.len() > 1
            || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        found |= metadata.mode() & bit == 0 && (is_empty || user.is_none());
    });
    found
}

fn both(fixture: &Fixture, trial: &Trial) -> Option<[Effect; 2]> {
    let here = fixture.scratch.at("run/here");
    let is_find = trial.options.first()?[1].starts_with("find");
    trial.tree.make(&fixture.scratch, trial.user);
    // A search of a parent directory would remove more than the test compares.
    let is_above = |operand: &OsString| {
        let dir = fs::canonicalize(here.join(operand)).unwrap_or_default();
        !dir.as_os_str().is_empty() && dir != here && here.starts_with(dir)
    };
    if has_unreadable_empty(&here, trial) || is_find && trial.operands.iter().any(is_above) {
        fixture.clear();
        return None;
    }
    let before = below(&here);
    let output = run(fixture, trial, &["--dry-run"]);
    assert_eq!(below(&here), before, "a dry run changed something");
    assert!(!fixture.scratch.exists("run/home"), "a dry run made something");
    let dry = if is_find {
        let paths = output.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        let paths = paths.map(|path| path.strip_suffix(b"/").unwrap_or(path));
        paths.map(|path| real_path(&here.join(OsStr::from_bytes(path)))).collect()
    } else {
        lines(&output)
    };
    let dry = Effect::new(dry, &output);
    fixture.clear();
    trial.tree.make(&fixture.scratch, trial.user);
    let mut trial = trial.clone();
    if is_find {
        trial.options[0][1] = trial.options[0][1].replace(" -0", "");
    }
    let output = run(fixture, &trial, &[]);
    let gone = || before.difference(&below(&here)).cloned().collect();
    let real = if is_find { gone() } else { lines(&output) };
    let real = Effect::new(real, &output);
    fixture.clear();
    Some([dry, real])
}

#[test]
fn dry_runs_predict_the_real_run() {
    let (fixture, tried, compared) = (Fixture::new(), Cell::new(0), Cell::new(0));
    property("dry runs", random, |trial| {
        tried.set(tried.get() + 1);
        let [dry, real] = both(&fixture, trial)?;
        compared.set(compared.get() + 1);
        (dry != real).then(|| format!("dry  {dry:?}\nreal {real:?}"))
    });
    assert!(compared.get() * 2 > tried.get() || tried.get() == 1, "{compared:?} of {tried:?}");
}

/// Random trees rarely have root's entries, on which these cases depend.
#[test]
fn dry_runs_predict_effects_of_sticky_bits_and_modes() {
    let fixture = Fixture::new();
    for words in [
        "d/mine d/other d/od/ d/md/f root:d 1777:d root:d/other root:d/od",
        "d/mine d/other 1777:d root:d/other",
        "d/f d/g/ d/h/f 0555:d 0555:d/h",
        "d/f d/g/ 0644:d",
    ] {
        for (command, operand) in [
            ("rm -v -r", "d"),
            ("rm -v -r --exclude=f", "d"),
            ("rm -v", "d/other"),
            ("rm -v -d", "d/od"),
            ("rm --trash -v -r", "d/other"),
            ("rm --trash -v -r", "d/h"),
            ("find -0 --delete -u", "."),
        ] {
            let trial = Trial {
                tree: Tree::of(words),
                options: vec![[command.to_owned(), command.to_owned()]],
                operands: vec![operand.into()],
                user: users().last().copied().flatten(),
                input: "",
            };
            let [dry, real] = both(&fixture, &trial).unwrap();
            assert_eq!(dry, real, "{words}: {command}");
        }
    }
}

const SETUP: &str = "set -e; export LC_ALL=C HOME=/nowhere; mkdir t; mount -t tmpfs none t; cd t
    mkdir -p d/m d/b d/r d/i d/a d/e d/sub/k x/y q rs/k; touch d/f d/bf d/i/f d/a/f d/e/imm d/e/app
    touch d/sub/k/g x/l.log x/y/z q/bf rs/f rs/k/g; mount -t tmpfs none d/m; touch d/m/n
    mount --bind x d/b; mount --bind q/bf d/bf; mount --bind rs d/r; mount -o remount,bind,ro d/r
    chattr +i d/i d/e/imm; chattr +a d/a d/e/app; ln -s ../x d/lx; ln -s ../rs d/lr; ln -s d ld
    ln -s d/sub/k lk
    set +e; ";

const ROWS: &str = "
    rm -rv d | rm -rvj4 --cross-mounts d | rm -rv --one-file-system d
    rm -rv --preserve-root=all d d/m
    rm -v d d/bf d/e/imm d/e/app d/i/f d/a/f d/r/f d/r d/r/none d/f
    rm -dv d/m d/b d/i d/a d/r/k d/sub/k d | rm -rv --contents d/m d/r d/i
    rm -rv ld/ ld d/lx/ d/lx
    rm --trash -rv d/bf d/i/f d/i d/a/f d/e/imm d/e/app d/r/f d/m d/b d/sub d ld/ ld d/f
    rm --trash -rv --preserve-root=all d/m d/sub/k | rm --trash -v d/sub d/f
    rm -rv x/y x x/l.log d/lx/y d/f d/../d/f ./d/f ld/f d/f/x d/sub d/../x rs d/lr d/lr/f
    rm -dv x/y/z x/l.log d/lx/y x/y x x/y
    rm --trash -rv d/sub/k ld/sub d/sub d/sub/k/g d/f ./d/f d/f/x ld ld/q
    rm --trash -rv d/sub lk/g | find --delete -u . x x x/y d/lx/ d/lx/y
    find --delete -u . d/sub lk/ | find --delete -u . d | find --delete -u . d --without openat2
    find --delete -u -L . d | find --delete -u -L -e log . d | find --delete -u -d1 . d
    find --delete -u --one-file-system . d | find --delete -u -L --one-file-system=mount . d
    find --delete -u . d/r d/m d/i d/lx | find --delete -u . ld d/lx/
    find --delete -u -a . ld d/lr/
";

#[test]
fn dry_runs_predict_failures_of_root() {
    let fixture = Fixture::new();
    if !may_mount() {
        return;
    }
    if Command::new("chattr").arg("-V").output().is_err() {
        return skip("chattr is not installed");
    }
    let run = |command: &str, dry: &str| {
        let dir = fixture.dir();
        let curt = fixture.curt.display();
        let script = format!(
            "{SETUP} find . | sort >../was; {curt} {command} {dry} >../out; \
             code=$?; find . | sort | comm -3 ../was - | grep -v Trash
             echo; cat ../out; exit $code"
        );
        let output = in_namespace(&script).current_dir(dir).output().unwrap();
        fixture.clear();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (gone, shown) = text.split_once("\n\n").or(text.split_once('\n')).unwrap();
        let shown = Output { stdout: shown.into(), ..output.clone() };
        let gone: BTreeSet<String> = gone.lines().map(|line| line.replace("./", "")).collect();
        (gone, Effect::new(lines(&shown), &shown))
    };
    for command in cells(ROWS) {
        let (gone, real) = run(command, "");
        let (changed, mut dry) = run(command, "--dry-run");
        assert!(changed.is_empty(), "{command}: {changed:?}");
        if command.starts_with("find") {
            let path = |shown: &OsString| {
                let shown = shown.to_str().unwrap().trim_end_matches('/');
                let shown = shown.rsplit_once("run/here/t/").map_or(shown, |(_, below)| below);
                shown.replace("d/lx/", "x/").replace("d/lr/", "rs/").replace("d/b/", "x/")
            };
            let shown: BTreeSet<_> = std::mem::take(&mut dry.removed).iter().map(path).collect();
            let is_mounted = |path: &&String| path.starts_with("d/b/") || path.starts_with("d/r/");
            let gone: BTreeSet<_> = gone.iter().filter(|it| !is_mounted(it)).cloned().collect();
            assert_eq!(shown, gone, "{command}");
        }
        assert_eq!(dry, real, "{command}");
        assert!(real.code == Some(1) && !real.failures.is_empty(), "{command}: {real:?}");
    }
}
