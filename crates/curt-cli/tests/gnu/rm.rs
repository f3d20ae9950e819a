//! Compares `curt rm` with GNU rm on equal trees: output, exit status, and remaining entries.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use curt_testkit::{Choices, cells, skip, version};

use crate::harness::{Fixture, Outcome, Pair, Trial, equate_quotes, has_gnu, has_utf8, property};
use crate::ls::odd_names;
use crate::tree::{Oddities, Tree, remaining, users};

const OPTIONS: &str = "
    -r | -r | -r | -r | -R | -f | -f | -v | -v | -d | -rf | -rv | -vv | --rec | --r | --forc | --dir
    --verbose | -i | -I | -If | -fi | --interactive | --interactive=no | --interactive=never
    --interactive=o | --interactive=y | ---presume-input-tty | --one-file-system | --preserve-root
    --preserve-root=all | --interactive=always -If | --interactive=none
";

const YES: &str = "y\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\n\
                   y\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\ny\n";
const NO: &str = "n\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\nn\n";

/// Runs unprivileged, to limit the damage of a bug. All prompts get the same answer, because their
/// order depends on the listing order.
fn random(choices: &mut Choices) -> Trial {
    let tree = Tree::random(choices, Oddities { forbidden: true, names: true });
    let trial = Trial::random(choices, tree, &cells(OPTIONS), 3);
    Trial {
        user: users().last().copied().flatten(),
        input: choices.one_of(&["", YES, NO]),
        ..trial
    }
}

/// Returns whether the results are comparable. The tables below cover the other cases.
fn is_compared(trial: &Trial, version: (u32, u32)) -> bool {
    let protects = trial.has("---presume-input-tty");
    let asks = protects
        || ["-i", "-fi", "--interactive", "--interactive=y"].iter().any(|it| trial.has(it));
    // GNU tries to remove a directory even after it skipped an entry in it; curt skips the
    // directory.
    let keeps = protects && trial.input != YES;
    // curt refuses operands that end in a dot for their spelling, and does not follow a symlink
    // with a trailing slash.
    let is_refused = |path: &OsString| {
        let path = path.to_string_lossy();
        path.trim_end_matches('/').ends_with('.')
            || path.ends_with('/') && ["l1", "l2", "l3"].iter().any(|it| path.contains(it))
    };
    // With `--preserve-root=all` or `-d`, GNU skips an empty directory that it cannot read.
    let looks_first = ["--preserve-root=all", "-d", "--dir"].iter().any(|it| trial.has(it))
        || asks && version < (9, 2);
    let is_excluded = keeps || looks_first && trial.tree.forbids();
    !is_excluded && !trial.operands.iter().any(is_refused)
}

fn both(
    pair: &Pair<'_>,
    fixture: &Fixture,
    tree: &Tree,
    words: &[OsString],
) -> [(Outcome, Vec<String>); 2] {
    let has_root = words.iter().any(|word| word.as_bytes().starts_with(b"/"));
    assert!(!has_root, "it might be removed");
    [false, true].map(|is_ours| {
        tree.make(&fixture.scratch, pair.user);
        let outcome = if is_ours { pair.ours(words) } else { pair.gnu(words) };
        let remaining = remaining(&fixture.scratch.at("run"));
        fixture.clear();
        (outcome, remaining)
    })
}

#[test]
fn random_trees_are_removed_as_by_gnu() {
    let Some(()) = has_gnu("rm") else { return };
    let (fixture, version) = (Fixture::new(), version("rm"));
    let dir = fixture.dir();
    let random = |choices: &mut Choices| {
        let mut trials = std::iter::repeat_with(|| random(choices));
        trials.find(|trial| is_compared(trial, version)).unwrap()
    };
    property("rm", random, |trial| {
        if !is_compared(trial, version) {
            return None;
        }
        let pair = Pair { user: trial.user, input: trial.input, ..pair(&fixture, &dir) };
        let [gnu, ours] = both(&pair, &fixture, &trial.tree, &trial.words(0));
        (gnu != ours).then(|| format!("GNU {gnu:?}\ncurt {ours:?}"))
    });
}

fn pair<'a>(fixture: &'a Fixture, dir: &'a Path) -> Pair<'a> {
    let equate = |outcome: &mut Outcome| {
        outcome.equate_usage();
        equate_quotes(outcome);
    };
    let variables = &[("LC_ALL", "C.UTF-8")];
    let pair = Pair::new("rm", dir).unwrap();
    Pair { curt: &fixture.curt, is_sorted: true, variables, equate, ..pair }
}

pub(crate) type Row<'a> = [&'a str; 3];

pub(crate) fn table(text: &str) -> Vec<Row<'_>> {
    let row = |row| {
        let mut cells = str::split(row, '#').map(str::trim);
        [(); 3].map(|()| cells.next().unwrap_or_default())
    };
    cells(text).into_iter().map(row).collect()
}

fn rows(rows: &[Row<'_>], check: impl Fn(&Row<'_>, Option<u32>, [(Outcome, Vec<String>); 2])) {
    let Some(()) = has_gnu("rm") else { return };
    let fixture = Fixture::new();
    let dir = fixture.dir();
    for row @ [tree, words, typed] in rows {
        let input: String = typed.split_whitespace().flat_map(|word| [word, "\n"]).collect();
        for &user in users() {
            let pair = Pair { user, input: &input, ..pair(&fixture, &dir) };
            let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
            check(row, user, both(&pair, &fixture, &Tree::of(tree), &words));
        }
    }
}

fn same(table: &[Row<'_>]) {
    rows(table, |row, user, [gnu, ours]| assert_eq!(ours, gnu, "{row:?} as {user:?}"));
}

fn same_since(since: (u32, u32), table: &[Row<'_>]) {
    if has_gnu("rm").is_some() && version("rm") < since {
        return skip(&format!("GNU rm {:?} is too old for {} cases", version("rm"), table.len()));
    }
    same(table);
}

#[test]
fn refusals_are_those_of_gnu() {
    same(&table(
        "
        d/f # -r . f | d/f # -rf .. | d/f # -r ./ ../ d/. d/.. .// d/./ d/../ | d/f # -rf ../here/.
        f # -rf f// | f # f/ | f l>f m>nowhere # -r l/ m/ | f m>nowhere # m/ | d/f # d
        d/e/ # -dv d | -f # -- -f | f # -r | f # -fi | f # --bogus f | f # -z f | -z # -z
        f # --interactive=sometimes f | f # --interactive= f | f # --interactive=nop f
        f # --ver f
        ",
    ));
}

#[test]
fn names_and_trees_of_any_size_are_removed_as_by_gnu() {
    let long: &'static str = "n".repeat(300).leak();
    let longer: &'static str = "n/".repeat(3000).leak();
    let wide: Vec<String> = (0..1000).map(|number| format!("d/{number}")).collect();
    let path = |number: u32| format!("d/{}/{}/f{number}", number % 7, number % 31);
    let bushy: Vec<String> = (0..400).map(path).collect();
    let (wide, bushy): (&str, &str) = (wide.join(" ").leak(), bushy.join(" ").leak());
    let deep: &'static str = format!("{}f", "d/".repeat(700)).leak();
    same(&[
        ["", long, ""],
        ["", longer, ""],
        [wide, "-rv d", ""],
        [deep, "-rf d", ""],
        [bushy, "-rv d/1 d/2 d/3/1 missing d", ""],
        ["d/f", "-r --no-preserve-root --preserve-root d", ""],
    ]);
}

/// Also runs as root, for whom modes do not matter.
#[test]
fn failed_removals_are_reported_as_by_gnu() {
    same(&table(
        "
        d/f 0555:d # d/f | d/a/f d/b/g d/b/h 0555:d/b # -rf d | d/a/b/c/f 0555:d/a/b/c # -rfv d
        d/f e 0555:d # -rf d e | d/ 0555:. # -rfv d | f 0555:. # -f missing
        d/f 0000:d # -f d/f d/missing | d/ 0333:d # d | d/f 0333:d # -rfv d
        d/a/ d/b 0000:d/a # -rfv d | d/f 1777:d root:d root:d/f # -f d/f
        d/e/ 1777:d root:d root:d/e # -rf d | d/f d/p| 0000:d/f # -rv d | d/p| 0555:d # -rv d
        ",
    ));
    same_since((9, 2), &table("d/ 0333:d # -d d"));
    // GNU reports a failure to check whether the directory is empty; curt reports the failed
    // `rmdir`.
    if version("rm") >= (9, 2) {
        rows(&table("d/f 0333:d # -d d"), |_, user, [(gnu, remaining), (ours, ours_left)]| {
            assert_eq!((gnu.code, &remaining), (ours.code, &ours_left));
            assert_eq!(gnu.messages != ours.messages, user.is_some());
        });
    }
}

#[test]
fn answers_mean_the_same_to_gnu() {
    same(&table(
        "
        f # -i f # Yes | f # -i f # yes | f # -i f # j | f=content # -iv f # y
        a b c # -i a b c # y n y | a b c # -i a b c # n y y | l>f f # -i l # n
        f 0000:f # -i f # y | f=content 0444:f # -i f # y | d/ # -i d # y | d/ # -id d # n
        d/f # -ir d # n | d/f # -ir d # y y n | d/e/f # -ir d # y n y y | d/e/ # -ir d # y n y
        d/f e # -ir d e # n y | d/f e # -ir d e # y y y n | d/f # -ir . # y y
        a b c d # -iI a b c d # y | a b c d # -Ii a b c d # y y n n | a b c # -I a b c
        a b c d # -I a b c d # n | a b c d # -I a b c d # y | d/f # -Ir d # n
        # -f --interactive missing | # -i --interactive=never missing
        ",
    ));
    same(&table(
        "
        f 0444:f # ---presume-input-tty f # n | f=content 0000:f g # ---presume-input-tty f g # n
        f 0444:f # ---presume-input-tty -I f # y | f l>f 0444:f # ---presume-input-tty l
        d/f 0555:d # ---presume-input-tty -r d # y y y | d/f 0555:d # ---presume-input-tty -r d # n
        d/f/g d/h 0555:d/f # ---presume-input-tty -r d # n
        d/ 0555:d # ---presume-input-tty -d d # y | d/ 0555:d # ---presume-input-tty d # y
        d/e/ d/f/g d/h 0555:d # d/e d/f d/h d | d/e/ d/f/g d/h 0555:d # -d d/e d/f d/h d
        d/e/ d/f/g root:d 1777:d root:d/e root:d/f # d/e d/f
        ",
    ));
    same_since(
        (9, 2),
        &table(
            "
            d/f # -id d # y y | d/f 0000:d # ---presume-input-tty -r d # y y
            d/ 0000:d # ---presume-input-tty -r d # y y
            d/ 0000:d # ---presume-input-tty -di d # n
            ",
        ),
    );
}

#[test]
fn differences_from_gnu_rm_are_intended() {
    const KEPT: &str = "GNU fails to remove the directory of a file that was kept; curt keeps it";
    const LINK: &str = "GNU empties the directory behind the link; curt touches nothing";
    const DOT: &str = "refused by its spelling, whatever it is";
    const NONE: &str = "GNU has no such option";
    for (row, code, left_by_curt, why) in [
        ("d/f # -ir d # y", 0, "d d/f", KEPT),
        ("d/e/f # -ir d # y y n y y", 0, "d d/e d/e/f", KEPT),
        ("d/f l>d # -rf l/", 1, "d d/f l", LINK),
        ("d/ # -d .", 1, "d", DOT),
        ("# -f missing/..", 1, "", DOT),
        ("f # f --cross-mounts", 0, "", NONE),
        ("f # --dry-run f", 0, "f", NONE),
        ("a b # --threads=1 a b", 0, "", NONE),
        ("f # --preserve-root=some f", 2, "f", "a wrong command line is 1 to GNU"),
        ("f # -r --no-preserve f", 2, "f", "a wrong command line is 1 to GNU"),
    ] {
        rows(&table(row), |row, user, [gnu, (ours, remaining)]| {
            let names =
                remaining.iter().filter_map(|it| it.strip_prefix("here/")?.split(' ').next());
            let names = names.collect::<Vec<_>>().join(" ");
            assert_eq!(
                (ours.code, names.as_str()),
                (Some(code), left_by_curt),
                "{row:?} {user:?}: {why}"
            );
            assert_ne!(gnu, (ours, remaining), "{row:?} {user:?}: {why}");
        });
    }
}

#[test]
fn every_name_is_quoted_as_by_gnu() {
    let (Some(()), true) = (has_gnu("rm"), has_utf8()) else { return };
    let fixture = Fixture::new();
    let dir = fixture.dir();
    let name = |name: Vec<u8>| OsString::from_vec([b"missing-directory/", &name[..]].concat());
    let names = odd_names().into_iter().filter(|name| !name.starts_with(b".")).map(name);
    let words: Vec<OsString> =
        [OsString::from("-j1"), "--".into()].into_iter().chain(names).collect();
    let pair = Pair { is_sorted: false, ..pair(&fixture, &dir) };
    let (gnu, ours) = (pair.gnu(&words[1..]), pair.ours(&words));
    for (gnu, ours) in gnu.messages.lines().zip(ours.messages.lines()) {
        assert_eq!(ours, gnu);
    }
    assert_eq!(ours.messages.lines().count(), words.len() - 2);
}
