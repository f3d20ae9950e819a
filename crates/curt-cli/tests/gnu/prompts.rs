//! Questions: their words, when they are asked, and what an answer does.

use crate::harness::Difference::Words;
use crate::harness::{case, run};

/// Why an answer can end otherwise than in GNU rm.
const KEPT: &str = "GNU fails to remove the directory of a file that was kept; curt keeps it too";

#[test]
fn every_entry() {
    run(vec![
        case("f", "-i f").input("y\n"),
        case("f", "-i f").input("n\n"),
        case("f", "-i f").input(""),
        case("f", "-i f").input("Yes\n"),
        case("f", "-i f").input("yes"),
        case("f", "-i f").input("\n"),
        case("f", "-i f").input(" y\n"),
        case("f", "-i f").input("j\n"),
        case("f=content", "-i f").input("y\n"),
        case("f=content", "-iv f").input("y\n"),
        case("a b c", "-i a b c").input("y\nn\ny\n"),
        case("a b c", "-i a b c").input("y\n"),
        case("a b c", "-i a b c").input("n\ny\ny\n"),
        case("l>nowhere", "-i l").input("y\n"),
        case("l>f f", "-i l").input("n\n"),
        case("p|", "-i p").input("y\n"),
        case("f 0000:f", "-i f").input("y\n"),
        case("f=content 0444:f", "-i f").input("y\n"),
        case("", "-i missing").input("y\n"),
        case("f", "-i missing f").input("y\n"),
        case("d/", "-i d").input("y\n"),
        case("d/", "-id d").input("y\n"),
        case("d/", "-id d").input("n\n"),
        case("f", "--interactive f").input("y\n"),
        case("f", "--interactive=always f").input("n\n"),
        case("f", "--interactive=a f").input("y\n"),
        case("f", "--interactive=y f").input("y\n"),
    ]);
}

#[test]
fn trees_are_prompted_for_as_by_gnu_rm() {
    run(vec![
        case("d/", "-ir d").input("y\n"),
        case("d/", "-ir d").input("n\n"),
        case("d/", "-irv d").input("y\n"),
        case("d/f", "-ir d").input("y\ny\ny\n"),
        case("d/f", "-irv d").input("y\ny\ny\n"),
        case("d/f", "-ir d").input("n\n"),
        case("d/f", "-ir d").input("y\nn\ny\n").leaves(0, "d d/f", KEPT),
        case("d/f", "-ir d").input("y\ny\nn\n"),
        case("d/f", "-ir d").input("y\n").differs(Words, KEPT),
        case("d/e/f", "-ir d").input("y\ny\ny\ny\ny\n"),
        case("d/e/f", "-ir d").input("y\nn\ny\ny\n"),
        case("d/e/f", "-ir d").input("y\ny\nn\ny\ny\n").leaves(0, "d d/e d/e/f", KEPT),
        case("d/e/", "-ir d").input("y\ny\ny\n"),
        case("d/e/", "-ir d").input("y\nn\ny\n"),
        case("d/l>nowhere", "-ir d").input("y\ny\ny\n"),
        case("d/f e", "-ir d e").input("n\ny\n"),
        case("d/f e", "-ir d e").input("y\ny\ny\nn\n"),
        case("d/f 0555:d", "-ir d").input("y\ny\ny\n"),
        case("d/ 0555:d", "-ir d").input("y\ny\n"),
        case("d/f 0000:d/f", "-ir d").input("y\ny\ny\n"),
        case("d/f", "-ir .").input("y\ny\n"),
        case("d/f", "-ir d/").input("y\ny\ny\n"),
        case("d/f", "-id d").input("y\ny\n").since(9, 2),
    ]);
}

#[test]
fn once() {
    run(vec![
        case("a b c", "-I a b c"),
        case("a b c d", "-I a b c d").input("y\n"),
        case("a b c d", "-I a b c d").input("n\n"),
        case("a b c d", "-I a b c d"),
        case("d/f", "-Ir d").input("y\n"),
        case("d/f", "-Ir d").input("n\n"),
        case("d/f a", "-Ir d a").input("Y\n"),
        case("a b c d", "--interactive=once a b c d").input("y\n"),
        case("a b c d", "--interactive=o a b c d").input("n\n"),
        case("a b c d", "-iI a b c d").input("y\n"),
        case("a b c d", "-If a b c d"),
        case("a b c d", "-Ii a b c d").input("y\ny\nn\nn\n"),
        case("", "-I missing"),
        case("", "-f -i -f missing"),
        case("", "-i -f -i missing"),
        case("", "-i --interactive=never missing"),
        case("", "-f --interactive=always --interactive=never missing"),
        case("", "-f --interactive missing"),
        case("", "--interactive=once -f missing"),
    ]);
}

#[test]
fn write_protected_at_a_terminal() {
    run(vec![
        case("f 0444:f", "---presume-input-tty f").input("y\n"),
        case("f 0444:f", "---presume-input-tty f").input("n\n"),
        case("f=content 0444:f", "---presume-input-tty f").input("y\n"),
        case("f=content 0000:f g", "---presume-input-tty f g").input("n\n"),
        case("f 0644:f", "---presume-input-tty f"),
        case("f 0444:f", "---presume-input-tty -f f"),
        case("f 0444:f", "---presume-input-tty --interactive=never f"),
        case("f 0444:f", "---presume-input-tty -I f").input("y\n"),
        case("l>nowhere", "---presume-input-tty l"),
        case("f l>f 0444:f", "---presume-input-tty l"),
        case("p| 0444:p", "---presume-input-tty p").input("y\n"),
        case("d/ 0555:d", "---presume-input-tty -r d").input("y\n"),
        case("d/f 0555:d", "---presume-input-tty -r d").input("y\ny\ny\n"),
        case("d/f 0555:d", "---presume-input-tty -r d").input("n\n"),
        case("d/f d/g 0444:d/f", "---presume-input-tty -rv d").input("y\n"),
        case("d/f/g d/h 0555:d/f", "---presume-input-tty -r d").input("n\n"),
        case("d/ 0555:d", "---presume-input-tty -d d").input("y\n"),
        case("d/ 0555:d", "---presume-input-tty d").input("y\n"),
        case("d/f 0000:d", "---presume-input-tty -r d").input("y\ny\n").since(9, 2),
        case("d/ 0000:d", "---presume-input-tty -r d").input("y\ny\n").since(9, 2),
        case("d/ 0000:d", "---presume-input-tty -di d").input("n\n").since(9, 2),
        case("d/ 0000:d", "---presume-input-tty -di d").input("y\n").since(9, 2),
    ]);
}
