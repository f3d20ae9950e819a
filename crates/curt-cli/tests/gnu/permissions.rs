//! What may not be removed, and what is said about it. Everything is tried as root, whom modes do
//! not stop, and as nobody.

use crate::harness::{Difference, case, run};

#[test]
fn unwritable_directories_fail_as_in_gnu_rm() {
    run(vec![
        case("d/f 0555:d", "d/f"),
        case("d/f 0555:d", "-f d/f"),
        case("d/f 0555:d", "-r d"),
        case("d/f 0555:d", "-rf d"),
        case("d/a d/b 0555:d", "-rf d"),
        case("d/a/f d/b/g d/b/h 0555:d/b", "-rf d"),
        case("d/a/f d/b/g d/c 0555:d", "-rf d"),
        case("d/a/ 0555:d", "-rf d"),
        case("d/a/b/c/f 0555:d/a/b/c", "-rfv d"),
        case("d/f e 0555:d", "-rf d e"),
        case("d/ 0555:d", "-rf d"),
        case("d/f 0666:d", "-rf d"),
        case("d/f 0555:.", "-rf d"),
        case("d/ 0555:.", "-rfv d"),
        case("f 0555:.", "-f missing"),
        case("d/f 0000:d", "-f d/f"),
        case("d/f 0000:d", "-f d/missing"),
    ]);
}

#[test]
fn directories_that_may_not_be_read() {
    run(vec![
        case("d/ 0000:d", "-rf d"),
        case("d/ 0333:d", "-rf d"),
        case("d/f 0000:d", "-rf d"),
        case("d/f 0333:d", "-rf d"),
        case("d/f 0333:d", "-rfv d"),
        case("d/f 0111:d", "-r d"),
        case("d/a/f d/b 0333:d/a", "-rf d"),
        case("d/a/ d/b 0000:d/a", "-rfv d"),
        case("d/a/f d/b/f 0000:d/a 0000:d/b", "-rf d"),
        case("d/ 0333:d", "d"),
        case("d/ 0333:d", "-d d").since(9, 2),
        case("d/f 0333:d", "d/f"),
        case("d/f 0333:d", "-d d").since(9, 2).differs(
            Difference::WordsButForRoot,
            "GNU looks whether it is empty; rmdir knows that it is not",
        ),
    ]);
}

#[test]
fn files_of_other_users_fail_as_in_gnu_rm() {
    run(vec![
        case("d/f root:d/f", "-f d/f"),
        case("d/f 1777:d root:d root:d/f", "-f d/f"),
        case("d/f d/g 1777:d root:d root:d/f", "-rf d"),
        case("d/e/ 1777:d root:d root:d/e", "-rf d"),
        case("d/e/f 1777:d root:d root:d/e", "-rf d"),
        case("d/e/f root:d/e", "-rf d"),
        case("f 0000:f", "-f f"),
        case("f 0444:f", "f"),
        case("f 0444:f", "-f f"),
        case("d/f 0000:d/f", "-rv d"),
    ]);
}
