//! Options, operands and what is refused before anything happens.

use crate::harness::Difference::Words;
use crate::harness::{case, run};

#[test]
fn operands() {
    run(vec![
        case("f", "f"),
        case("a b c", "a b c"),
        case("a", "a missing"),
        case("a", "missing a"),
        case("", "missing"),
        case("", "-f missing"),
        case("a", "-f missing a missing/below"),
        case("a", "a/below"),
        case("a", "-f a/below"),
        case("", "missing/below"),
        case("f", "f f"),
        case("d/f", "-r d d/f"),
        case("d/f", "-r d/f d"),
        case("", "").arg(""),
        case("", "-f").arg(""),
        case("a", "a").arg(""),
        case("-f", "-- -f"),
        case("-f", "./-f"),
        case("- f", "-"),
        case("d/", "d -r"),
        case("d/ f", "f -r -- d"),
        case("", "").arg("n".repeat(300)),
        case("", "-f").arg("n".repeat(300)),
        case("", "").arg("n/".repeat(3000)),
        case("l>l", "l/below"),
        case("l>l", "-f l/below"),
        case("f=content", "-f ./f"),
        case("d/f", "d//f"),
        case("d/f", "d/./f"),
        case("d/f e/", "e/../d/f"),
    ]);
}

#[test]
fn directories_without_recursion() {
    run(vec![
        case("d/", "d"),
        case("d/", "-f d"),
        case("d/f", "d"),
        case("d/ f", "d f"),
        case("d/", "-d d"),
        case("d/", "-dv d"),
        case("d/", "--dir d"),
        case("d/f", "-d d"),
        case("d/f", "-df d"),
        case("d/d/", "-d d"),
        case("d/d/", "-dv d/d d"),
        case("f", "-d f"),
        case("d/ l>d", "-d l"),
        case("d/", "-d d/"),
        case("d/", "d/"),
        case("", "-d missing"),
    ]);
}

#[test]
fn dots_and_slashes() {
    run(vec![
        case("d/f", "-r d/"),
        case("d/f", "-rv d/"),
        case("d/f", "-rv d//"),
        case("d/f", "-rv ./d///"),
        case("d/f", "-r ."),
        case("d/f", "-rf ."),
        case("d/f", "-r .."),
        case("d/f", "-r ./ ../ d/. d/.."),
        case("d/f", "-r d/./ d/../ .// "),
        case("d/f", "-rf ../here/."),
        case("d/f f", "-r . f"),
        case("d/ .x ..x ...", "-r .x ..x ..."),
        case("f", "f/"),
        case("f", "-f f/"),
        case("f", "-r f/"),
        case("f", "-rf f//"),
        case("l>nowhere", "-r l/"),
        case("l>nowhere", "l/"),
        case("d/f l>d", "-r l/").leaves(
            1,
            "d d/f l",
            "GNU empties the directory behind the link; curt touches nothing",
        ),
        case("d/f l>d", "-rf l/").leaves(
            1,
            "d d/f l",
            "GNU empties the directory behind the link; curt touches nothing",
        ),
        case("f l>f", "-r l/"),
        case("d/", ".").differs(Words, "refused by its spelling, whatever it is"),
        case("d/", "-d .").differs(Words, "refused by its spelling, whatever it is"),
    ]);
}

#[test]
fn options_as_gnu_takes_them() {
    run(vec![
        case("", "-f"),
        case("", "-rf"),
        case("", "-f --"),
        case("d/f", "--recursive --force d"),
        case("d/f", "-R d"),
        case("d/f", "--rec --forc d"),
        case("d/f", "--r --f d"),
        case("d/f", "--re d"),
        case("d/", "--d d"),
        case("d/f", "-rR d"),
        case("f", "-vv f"),
        case("f", "--verbose f"),
        case("f", "--interactive=never f"),
        case("f", "--interactive=no f"),
        case("f", "--interactive=none f"),
        case("f", "--interactive=n f"),
        case("f", "-i --interactive=never f"),
        case("", "-f --interactive=never missing"),
        case("", "-f --interactive=once missing"),
        case("", "-if missing"),
        case("", "-fi missing"),
        case("", "-fI missing"),
        case("", "-If missing"),
        case("d/f", "-r --one-file-system d"),
        case("d/f", "-r --preserve-root=all d"),
        case("d/f", "-r --preserve-root d"),
        case("d/f", "-r --no-preserve-root d"),
        case("d/f", "-r --no-preserve-root --preserve-root d"),
    ]);
}

#[test]
fn usage_errors() {
    run(vec![
        case("f", "").usage(),
        case("f", "-r").usage(),
        case("f", "-fi").usage(),
        case("f", "--bogus f").usage(),
        case("f", "-z f").usage(),
        case("f", "--interactive=sometimes f").usage(),
        case("f", "--interactive= f").usage(),
        case("f", "--interactive=nop f").usage(),
        case("f", "--ver f").usage(),
        case("f", "--preserve-root=some f").usage(),
        case("d/f", "-r --no-preserve d").usage(),
        case("-z", "-z").usage(),
    ]);
}

#[test]
fn a_missing_operand_is_reported_in_gnus_words() {
    // The code differs, the words do not: what `usage` leaves out.
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_curt")).arg("rm").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "curt rm: missing operand\nTry 'curt rm --help' for more information.\n"
    );
}

#[test]
fn documented_differences_from_gnu_rm() {
    run(vec![
        case("f", "f --cross-mounts").leaves(0, "", "GNU has no such option"),
        case("f", "--dry-run f").leaves(0, "f", "GNU has no such option"),
        case("a b", "--threads=1 a b").leaves(0, "", "GNU has no such option"),
        case("", "--version").differs(Words, "another program"),
        case("", "--help").differs(Words, "another program"),
    ]);
}
