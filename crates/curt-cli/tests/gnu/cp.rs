//! Compares `curt cp` with GNU cp on equal trees: output, exit status, and the resulting trees.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use curt_testkit::{Choices, cells, is_root, skip, version};

use crate::harness::{Fixture, Outcome, Pair, Trial, equate_quotes, has_gnu, property};
use crate::rm::{Row, table};
use crate::tree::{Oddities, Tree, each, users};

const OPTIONS: &str = "
    -r | -r | -r | -R | -a | -a | -p | -d | -L | -P | -l | -n | -f | -f | -i | -u | -v | -v | -x
    -T | -t d | -rf | -rL | -rp | -dR | -fi | -in | -ni | -uv | -al | --recursive | --rec | --arch
    --dereference | --no-deref | --link | --no-clobber | --force | --interactive | --update
    --verbose | --one-file-system | --target-directory=d | --no-target-directory | --reflink=auto
    --reflink=never | --preserve | --preserve=mode | --preserve=timestamps,links
    --preserve=own,xattr | --preserve=all
";

const YES: &str = "y\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\n";
const NO: &str = "n\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\n";

/// All prompts get the same answer, because their order depends on the listing order.
fn random(choices: &mut Choices) -> Trial {
    let tree = Tree::random(choices, Oddities { forbidden: true, names: true });
    let tree = tree.with_overlap(choices);
    let mut trial = Trial::random(choices, tree, &cells(OPTIONS), 2);
    if choices.one_in(2) {
        trial.operands.insert(0, choices.one_of(&["s", "s/.", "s/", "s//"]).into());
    }
    let targets = ["d", "d", "d", "d/", "new", "new", "new/", "d/new", "missing/new", "."];
    let is_odd = choices.one_in(6);
    let target = if is_odd { trial.tree.operand(choices) } else { choices.one_of(&targets).into() };
    trial.operands.push(target);
    let (user, input) = (*choices.pick(users()), choices.one_of(&["", YES, NO]));
    Trial { user, input, ..trial }
}

/// What decides whether GNU's result is curt's. The differences are those of
/// `differences_from_gnu_cp_are_intended`.
struct Meaning {
    recursive: bool,
    link: bool,
    follows: bool,
    /// Existing files may be kept.
    keeps: bool,
    user: Option<u32>,
    here: PathBuf,
}

/// Returns whether an option is given, by its letter or an abbreviation of its name.
fn has(words: &[OsString], letter: char, name: &str) -> bool {
    let words = words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    words.into_iter().any(|word| match word.strip_prefix("--") {
        Some(start) => !name.is_empty() && name.starts_with(start),
        None => word.starts_with('-') && word.contains(letter),
    })
}

impl Meaning {
    fn new(words: &[OsString], user: Option<u32>, here: &Path) -> Meaning {
        let has = |letter, name| has(words, letter, name);
        let recursive = has('r', "recursive") || has('R', "") || has('a', "archive");
        let link = has('l', "link");
        let mut follows = !recursive && !link;
        for word in words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--") {
            let word = if word == "--dereference" { "-L" } else { word };
            let word = if word == "--no-deref" || word == "--arch" { "-P" } else { word };
            for letter in word.chars().filter(|_| !word.starts_with("--")) {
                follows = letter == 'L' || follows && !"Pda".contains(letter);
            }
        }
        let keeps = has('n', "no-clobber") || has('u', "update") || has('i', "interactive");
        Meaning { recursive, link, follows, keeps, user, here: here.to_owned() }
    }

    /// Returns whether GNU does the same with these sources.
    fn is_shared(&self, sources: &[OsString], target: &OsStr, is_path: bool) -> bool {
        let at =
            |path: &OsStr| self.here.join(if path.is_empty() { "/none".as_ref() } else { path });
        let is_into = !is_path && at(target).is_dir();
        let copy = |source: &OsString| {
            let mut parts = source.as_bytes().rsplit(|byte| *byte == b'/');
            match parts.find(|part| !part.is_empty()) {
                Some(name) if is_into && name != b"." && name != b".." => {
                    at(target).join(OsStr::from_bytes(name))
                }
                _ => at(target),
            }
        };
        let copies: Vec<PathBuf> = sources.iter().map(copy).collect();
        let names: Vec<_> = sources.iter().map(|it| at(it).canonicalize().ok()).collect();
        let is_nested = names.iter().flatten().enumerate().any(|(one, path)| {
            names
                .iter()
                .flatten()
                .enumerate()
                .any(|(other, of)| one != other && path.starts_with(of))
        });
        // Contents of one source may meet those of another.
        let is_mixed = copies.len() > 1 && copies.contains(&at(target));
        // GNU says first whether the entry is the same or is kept.
        let is_repeated = (1..copies.len()).any(|at| copies[..at].contains(&copies[at]));
        // The first of several reasons differs.
        let name = at(target.to_string_lossy().trim_end_matches('/').as_ref());
        let is_odd = match target.as_bytes().last() {
            Some(b'/') if is_into => false,
            Some(b'/') => name.exists() || !sources.iter().all(|source| at(source).is_dir()),
            Some(b'.') => !is_into || self.user.is_some() && target != ".",
            last => last.is_none(),
        };
        let mut each = sources.iter().zip(&copies);
        !is_nested
            && !is_odd
            && !is_mixed
            && !is_repeated
            && each.all(|(source, copy)| self.is_same(&at(source), copy, 0))
    }

    fn is_same(&self, source: &Path, copy: &Path, depth: usize) -> bool {
        let Ok(own) = fs::symlink_metadata(source) else { return true };
        let from = if self.follows { fs::metadata(source) } else { Ok(own.clone()) };
        let Ok(from) = from else { return true };
        let is_link = from.file_type().is_symlink();
        // Both wait for a writer of the pipe. A dry run does not know that sockets are not read.
        let is_special = from.file_type().is_fifo() || from.file_type().is_socket();
        let reads_pipe = is_special && !self.recursive;
        if depth > 12 || self.link && own.file_type().is_symlink() || reads_pipe {
            return false;
        }
        let Some(above) = copy.parent() else { return true };
        let is_usual = from.is_file() || from.is_dir();
        let may_create = fs::metadata(above).map_or(is_usual || depth > 0, |above| {
            // In a file, GNU reports that it cannot look for the entry.
            above.is_dir() && self.may(&above, 0o3)
        });
        let is_fine = match fs::symlink_metadata(copy) {
            Err(_) => may_create,
            // GNU follows the symlink, or removes it.
            Ok(to) if to.file_type().is_symlink() => (is_link && may_create) || from.is_dir(),
            Ok(to) if to.is_dir() => {
                let is_refused = !self.keeps && self.may(&from, 0o4);
                self.may(&to, 0o3) && (from.is_dir() || is_refused)
            }
            // GNU replaces a file by a pipe or a socket, but not with -L, and with -l even without
            // -f.
            Ok(to) => {
                let is_replaced = is_usual || !self.link && (is_link || !self.follows);
                to.is_file() && to.nlink() == 1 && may_create && is_replaced
            }
        };
        if !from.is_dir() || !self.recursive || !is_fine {
            return is_fine;
        }
        let target = copy.ancestors().find_map(|path| path.canonicalize().ok());
        let is_inside = target.is_some_and(|it| it.starts_with(source.canonicalize().unwrap()));
        !is_inside
            && self.may(&from, 0o5)
            && fs::read_dir(source)
                .unwrap()
                .flatten()
                .all(|entry| self.is_same(&entry.path(), &copy.join(entry.file_name()), depth + 1))
    }

    fn may(&self, of: &fs::Metadata, bits: u32) -> bool {
        let shift = if self.user == Some(of.uid()) { 6 } else { 0 };
        self.user.is_none() || of.mode() >> shift & bits == bits
    }
}

/// Returns a trial whose results are comparable.
fn comparable(choices: &mut Choices, fixture: &Fixture) -> Trial {
    let mut trials = std::iter::repeat_with(|| random(choices));
    trials.find(|trial| is_compared(trial, fixture)).unwrap()
}

fn is_compared(trial: &Trial, fixture: &Fixture) -> bool {
    let here = fixture.scratch.at("run/here");
    trial.tree.make(&fixture.scratch, trial.user);
    let is_compared = is_compared_in(trial, &here);
    fixture.clear();
    is_compared
}

fn is_compared_in(trial: &Trial, here: &Path) -> bool {
    let words = trial.words(0);
    let meaning = Meaning::new(&words, trial.user, here);
    let is_path = has(&words, 'T', "no-target-directory");
    let is_into = has(&words, 't', "target-directory=d");
    let is_declined = has(&words, 'i', "interactive") && trial.input != YES;
    let (before, since) = ((9, 2), (9, 5));
    let version = version("cp");
    if is_declined && version < before || meaning.keeps && version >= before && version < since {
        // The exit status was different.
        return false;
    }
    match (&trial.operands[..], is_into) {
        (sources, true) => meaning.is_shared(sources, "d".as_ref(), false),
        ([sources @ .., target], false) => meaning.is_shared(sources, target, is_path),
        ([], _) => true,
    }
}

/// Ignores differences in words: GNU's are those of several versions.
fn equate(outcome: &mut Outcome) {
    outcome.equate_usage();
    equate_quotes(outcome);
    let wrong = ["cannot combine --target-directory", "multiple target directories"];
    if wrong.iter().any(|words| outcome.messages.contains(words)) {
        (outcome.code, outcome.messages) = (Some(2), String::new());
    }
    let messages = outcome.messages.replace("cannot create fifo", "cannot create special file");
    let plain = |text: &str| text.replace("//", "/").replace("/./", "/").replace("/.'", "'");
    let lines = messages.split_inclusive('\n').map(|line| {
        let end = line.rfind(" with non-directory").map(|at| at + " with non-directory".len());
        end.map_or(line.to_owned(), |end| line[..end].to_owned() + "\n")
    });
    outcome.messages = plain(&lines.collect::<String>());
    // GNU announces an entry before it fails.
    let out = String::from_utf8_lossy(&outcome.out).into_owned();
    let copied = out.split_inclusive('\n').filter(|line| !line.starts_with("removed "));
    let is_kept = outcome.code == Some(0);
    outcome.out = copied.filter(|_| is_kept).map(plain).collect::<String>().into_bytes();
}

fn pair<'a>(fixture: &'a Fixture, dir: &'a Path) -> Pair<'a> {
    let variables = &[("LC_ALL", "C.UTF-8")];
    let pair = Pair::new("cp", dir).unwrap();
    Pair { curt: &fixture.curt, is_sorted: true, variables, equate, ..pair }
}

/// Returns all entries with mode, owner, content, names, and the time of modification if it is one
/// that the tree has set.
fn state(root: &Path) -> Vec<String> {
    let (mut found, mut names) = (Vec::new(), HashMap::new());
    let mut paths = Vec::new();
    // Not everybody may see all of them.
    each(root, &mut |path, metadata| {
        paths.extend(metadata.map(|metadata| (path.to_owned(), metadata.clone())));
    });
    paths.sort_by(|one, other| one.0.cmp(&other.0));
    for (path, metadata) in paths {
        let shown = path.strip_prefix(root).unwrap().as_os_str().as_bytes().escape_ascii();
        let mut content = String::new();
        if let Ok(target) = fs::read_link(&path) {
            content = target.display().to_string();
        } else if metadata.is_file() {
            let mut bytes = Vec::new();
            if let Ok(file) = File::open(&path) {
                file.take(10_000).read_to_end(&mut bytes).unwrap();
            }
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&bytes);
            content = format!("{} bytes, {hash:x}", metadata.size());
        }
        let first = names.entry(metadata.ino()).or_insert_with(|| shown.to_string()).clone();
        // Replacing a file by renaming another one changes its directory.
        let is_old = metadata.is_dir() && path.starts_with(root.join("here/s"));
        let time = Some(metadata.mtime()).filter(|time| *time < 1_750_000_000 && !is_old);
        // GNU keeps meaningless bits of pipes and sockets, and drops the sticky bit of an existing
        // directory if it cannot set the owner.
        let bits = match metadata.is_file() {
            true => 0o7777,
            false if metadata.is_dir() => 0o6777,
            false => 0o777,
        };
        let mode = metadata.mode() & (0o170_000 | bits);
        let owner = metadata.uid();
        found.push(format!("{shown} {mode:o} {owner} {content} {first} {time:?}"));
    }
    found
}

type Result = (Outcome, Vec<String>);

fn run(
    pair: &Pair<'_>,
    fixture: &Fixture,
    tree: &Tree,
    words: &[OsString],
    is_ours: bool,
) -> Result {
    tree.make(&fixture.scratch, pair.user);
    let outcome = if is_ours { pair.ours(words) } else { pair.gnu(words) };
    let state = state(&fixture.scratch.at("run"));
    fixture.clear();
    (outcome, state)
}

#[test]
fn random_trees_are_copied_as_by_gnu() {
    let Some(()) = has_gnu("cp") else { return };
    if !is_root() {
        return skip("to compare what this user may not read needs root");
    }
    let fixture = Fixture::new();
    let dir = fixture.dir();
    property(
        "cp",
        |choices| comparable(choices, &fixture),
        |trial| {
            if !is_compared(trial, &fixture) {
                return None;
            }
            let pair = Pair { user: trial.user, input: trial.input, ..pair(&fixture, &dir) };
            let words = trial.words(0);
            let [gnu, ours] =
                [false, true].map(|is_ours| run(&pair, &fixture, &trial.tree, &words, is_ours));
            (gnu != ours).then(|| {
                let less = |of: &Result, other: &Result| {
                    let lines: Vec<_> =
                        of.1.iter().filter(|it| !other.1.contains(it)).cloned().collect();
                    lines.join("\n")
                };
                let (theirs, own) = (less(&gnu, &ours), less(&ours, &gnu));
                format!("GNU {:?}\n{theirs}\ncurt {:?}\n{own}", gnu.0, ours.0)
            })
        },
    );
}

/// A dry run reports the copies, failures and exit status of the real run, and changes nothing.
#[test]
fn dry_runs_report_what_is_copied() {
    let Some(()) = has_gnu("cp") else { return };
    if !is_root() {
        return skip("to compare what this user may not read needs root");
    }
    let fixture = Fixture::new();
    let dir = fixture.dir();
    property(
        "cp --dry-run",
        |choices| comparable(choices, &fixture),
        |trial| {
            let mut words = trial.words(0);
            // A dry run does not ask, cannot predict which files may be linked, and does not know
            // that a name of a copy replaces a newer file.
            let keeps_links = ['a', 'd', 'p'].iter().any(|it| has(&words, *it, "preserve"));
            let is_odd = has(&words, 'i', "interactive")
                || has(&words, 'l', "link")
                || has(&words, 'u', "update") && keeps_links;
            if is_odd || !is_compared(trial, &fixture) {
                return None;
            }
            trial.tree.make(&fixture.scratch, trial.user);
            let before = state(&fixture.scratch.at("run"));
            let pair = Pair { user: trial.user, equate: |_| {}, ..pair(&fixture, &dir) };
            words.insert(0, "-v".into());
            let [dry, real] = [true, false].map(|is_dry| {
                words.splice(..0, is_dry.then(|| "--dry-run".into()));
                let outcome = pair.ours(&words);
                words.drain(..usize::from(is_dry));
                (outcome, state(&fixture.scratch.at("run")))
            });
            fixture.clear();
            if dry.1 != before {
                return Some("the dry run has changed the tree".to_owned());
            }
            let (mut dry, real) = (dry.0, real.0);
            let out = String::from_utf8_lossy(&dry.out).into_owned();
            let lines = out.split_inclusive('\n').filter_map(|it| it.strip_prefix("would copy "));
            let lines = lines.filter(|line| line.starts_with(['\'', '"']));
            dry.out = lines.collect::<String>().into_bytes();
            (dry != real).then(|| format!("dry {dry:?}\nreal {real:?}"))
        },
    );
}

fn rows(rows: &[Row<'_>], check: impl Fn(&Row<'_>, Option<u32>, [Result; 2])) {
    rows_with(rows, "", check);
}

fn rows_with(rows: &[Row<'_>], umask: &str, check: impl Fn(&Row<'_>, Option<u32>, [Result; 2])) {
    let Some(()) = has_gnu("cp") else { return };
    let fixture = Fixture::new();
    let dir = fixture.dir();
    for row @ [tree, words, typed] in rows {
        let input: String = typed.split_whitespace().flat_map(|word| [word, "\n"]).collect();
        for &user in users() {
            let pair = Pair { user, umask, input: &input, ..pair(&fixture, &dir) };
            let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
            let results =
                [false, true].map(|is_ours| run(&pair, &fixture, &Tree::of(tree), &words, is_ours));
            check(row, user, results);
        }
    }
}

#[test]
fn refusals_are_those_of_gnu() {
    let table = table(
        "
        # | a # a | # -t d | a # -t d | a # -t a a | a b # a b missing | a b c # a b c
        a b c # -T a b c | a d/ # -T -t d a | a d/ e/ # -t d -t e a | a # a b/ | a # a missing/b
        d/f # d new | d/f # -r d missing/new | d/f a # d a e | a d/a/ # a d | d/f a # -rT d a
        d/f a # -T a d | d/f e/d # -r d e | a # a a | a # -u a a | a # -f a ./a | a l>a # l a
        a l>a # -P l a | a l>a # -fd l a | d/f # -rT d d | d/f # -r d/. ./d
        a d/ # a ./a d | d/f e/ # -r d d/ e | d/f e/ # d d e | a d/ # a missing missing d
        a/f=1 b/f=2 c/ # a/f b/f c | a/f=1 b/f=2 c/ # a/f b/f b/f c | a b # -l a b
        a # -l a a | a d/f # -lr d d/f new | a b=1 # -lf a b | d/f # -al d d/f new
        l>l # l x | l>nowhere # l x | a l>a/x # l x | d/l>. d/f # -rL d e | d/l>nowhere # -rL d e
        d/f 0000:d/f # d/f new | d/f d/g 0000:d/f # -r d new | a b=old 0444:b # a b
        a b=old 0444:b # -f a b | a b=old 0444:b # -n a b | d/f e/ 0555:e # d/f e
        d/f e/ 0555:e # -r d e | d/p| e/ 0555:e # -r d/. e | d/l>f e/ 0555:e # -r d/. e
        -f d/ # -- -f d | a # --bogus a b | a # -z a b | a # --preserve=mode,bogus a b
        a # --reflink=bogus a b | a # --no-such a b | a b=old 0000:a # -n a b | a e/ # -T a e/
        a b=old 0200:b # a b | d/f=1 e/f=2 c/ # -r d/. e/. c | d/f l>e e/ # -rT d l/
        ",
    );
    rows(&table, |row, user, [gnu, ours]| assert_eq!(ours, gnu, "{row:?} as {user:?}"));
}

#[test]
fn permissions_follow_the_umask() {
    let table = table(
        "
        d/e/f # -r d new | d/e/f 0640:d/e/f 0555:d/e # -a d new | d/e/f new/ # -r d new
        a 0640:a # a b | a 0640:a # -p a b | a 0640:a b=old # a b
        ",
    );
    for umask in ["0", "027", "0177", "0222", "0333"] {
        rows_with(&table, umask, |row, user, [gnu, ours]| {
            assert_eq!(ours, gnu, "{row:?} as {user:?} with {umask}");
        });
    }
}

/// GNU cp ended with 0 after an answer of no, until 9.2.
#[test]
fn answers_mean_the_same_to_gnu() {
    let table = table(
        "
        a b=old # -i a b # Yes | a b=old # -i a b # no | a b=old # -i a b # | a b=old # -ni a b # y
        a b=old # -in a b # y | a b=old # -fi a b # y | a b=old # -ui a b # y | a l>a # -di l a # y
        a b=old 0444:b # -i a b # y | a b=old 0444:b # -i a b # n | a b=old 0444:b # -fi a b # y
        d/f d/g e/f e/g # -ri d/. e # y y | d/f d/g e/f # -ri d/. e # n | d/f e/d/f=old # -ri d e # y
        ",
    );
    let is_new = has_gnu("cp").is_some() && version("cp") >= (9, 2);
    rows(&table, |row, user, [mut gnu, ours]| {
        let is_declined = ours.0.messages.contains("? ") && !row[2].starts_with(['y', 'Y']);
        if is_declined && !is_new {
            gnu.0.code = Some(1);
        }
        assert_eq!(ours, gnu, "{row:?} as {user:?}");
    });
}

#[test]
fn differences_from_gnu_cp_are_intended() {
    const LINK: &str = "GNU writes through the symlink; curt replaces it";
    const INSIDE: &str = "GNU copies a part of the directory into itself; curt copies nothing";
    const KIND: &str = "GNU ignores a directory in place of a kept file; curt reports it";
    const NONE: &str = "GNU has no such option";
    for (row, code, found, why) in [
        ("a=new b=old l>b # a l", 0, "a b l", LINK),
        ("a=new l>nowhere # a l", 0, "a l", LINK),
        ("a=new d/ l>d # -T a l", 0, "a d l", LINK),
        ("d/f # -r d d", 1, "d d/f", INSIDE),
        ("d/f # -r d d/e", 1, "d d/f", INSIDE),
        ("d/a e/a/ # -rn d/. e", 1, "d d/a e e/a", KIND),
        ("a/f b/f c/ # -n a/f b/f c", 1, "a a/f b b/f c c/f", "a source may be lost; curt says so"),
        ("a l>a # -l l b", 0, "a b l", "GNU links what the symlink leads to"),
        ("d/f d/g # -r --exclude f d e", 0, "d d/f d/g e e/g", NONE),
        ("d/f # -r --dry-run d e", 0, "d d/f", NONE),
        ("a # -j1 a b", 0, "a b", NONE),
        ("a # --update=changed a b", 0, "a b", NONE),
        ("a # --sparse=always a b", 2, "a", "curt has no such option"),
        ("a # -s a b", 2, "a", "curt has no such option"),
        ("a # -S.old a b", 2, "a", "curt has no such option"),
        ("a l>/proc/self/fd/1 # a l", 1, "a l", "GNU writes through the symlink"),
    ] {
        rows(&table(row), |row, user, [gnu, (ours, state)]| {
            let names = state.iter().filter_map(|it| it.strip_prefix("here/")?.split(' ').next());
            let names = names.collect::<Vec<_>>().join(" ");
            assert_eq!((ours.code, &*names), (Some(code), found), "{row:?} as {user:?}: {why}");
            assert_ne!(gnu, (ours, state), "{row:?} as {user:?}: {why}");
        });
    }
}
