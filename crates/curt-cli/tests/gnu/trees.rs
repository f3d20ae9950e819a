//! Trees, with nothing in their way.

use crate::harness::{Case, case, run};

#[test]
fn trees() {
    run(vec![
        case("d/a d/b/c d/b/d/ e", "-r d"),
        case("d/a d/b/c d/b/d/ e", "-rf d e"),
        case("d/a d/b/c d/b/d/ e", "-rv d e"),
        case("a/ a/b/ a/b/c/", "-rv a/b a"),
        case("d/ d/l>.. d/dangling>nowhere d/self>self f", "-rv d"),
        case("e/keep d/l>../e", "-rv d"),
        case("e/keep l>e", "-rv l"),
        case("e/keep l>e", "-v l"),
        case("dangling>nowhere", "dangling"),
        case("dangling>nowhere", "-r dangling"),
        case("self>self", "-rf self"),
        case("p|", "-v p"),
        case("d/p| d/f=content", "-rv d"),
        case("d/f", "-rf ../here"),
        case("d/f", "-rfv ../here/d"),
        case("d/f", "-rv d d"),
        case("d/-rf d/-- d/*", "-rv d"),
    ]);
}

#[test]
fn wide_and_deep() {
    let wide: Vec<String> = (0..1000).map(|number| format!("d/{number}")).collect();
    let deep = format!("{}f", "d/".repeat(700));
    let bushy: Vec<String> =
        (0..400).map(|number| format!("d/{}/{}/f{number}", number % 7, number % 31)).collect();
    run(vec![
        with_tree(wide.clone(), "-r d"),
        with_tree(wide, "-rv d"),
        with_tree(vec![deep], "-rf d"),
        with_tree(bushy.clone(), "-rv d"),
        with_tree(bushy, "-r d/1 d/2 d/3/1 missing d"),
    ]);
}

fn with_tree(tree: Vec<String>, args: &str) -> Case {
    Case { tree, ..case("", args) }
}
