//! Globs as `tar`, `rsync` and `fd` read them.

use super::Globs;
use crate::fields::Kind;
use std::path::Path;

fn keeps(pattern: &str, path: &str, kind: Kind) -> bool {
    Globs::new([pattern]).unwrap().matches(Path::new(path), kind)
}

/// Pairs of a pattern and a path.
fn check(pairs: &str, is_kept: bool) {
    for pair in curt_testkit::cells(pairs) {
        let (pattern, path) = pair.split_once(' ').unwrap();
        assert_eq!(keeps(pattern, path, Kind::File), is_kept, "{pair}");
    }
}

#[test]
fn a_pattern_without_a_slash_matches_names_at_any_depth() {
    check("*.keep a.keep | *.keep deep/er/a.keep | * deep/er/a | [ab]? x/a1", true);
    check("{one,two} x/two | .* x/.git | keep{,.bak} keep | keep{,.bak} keep.bak", true);
    check("*.keep a.keep/child | [!ab]? x/a1 | A a", false);
}

#[test]
fn a_pattern_with_a_slash_matches_paths_below_the_operand() {
    check("a/*.o a/x.o | a/**/x.o a/b/c/x.o | a/**/x.o a/x.o | **/a/x b/a/x", true);
    check("/target target | ./target target | a//./b a/b", true);
    check("a/*.o b/a/x.o | a/*.o a/b/x.o | /target a/target | ./target a/target", false);
    check(r"a\b a/b", cfg!(windows));
}

#[test]
fn a_trailing_slash_matches_directories_only() {
    assert!(keeps("build/", "x/build", Kind::Directory));
    assert!(keeps("build/", "x/build", Kind::Unknown));
    assert!(!keeps("build/", "x/build", Kind::File));
    assert!(keeps("/x/build/", "x/build", Kind::Directory));
    assert!(!keeps("/build/", "x/build", Kind::Directory));
}

#[test]
fn errors_name_the_pattern() {
    let error = Globs::new(["fine", "x[", "y["]).unwrap_err();
    assert_eq!(error.pattern(), "x[");
    assert!(error.to_string().starts_with("invalid pattern 'x[': "), "{error}");
    for nothing in ["", "/", "//", ".", "./"] {
        assert_eq!(Globs::new([nothing]).unwrap_err().reason(), "it names no entry");
    }
    for above in ["..", "../a", "a/../b", "a/.."] {
        let error = Globs::new([above]).unwrap_err();
        assert_eq!(error.reason(), "'..' matches nothing below an operand");
    }
    for (pattern, part) in [
        ("[[:upper:]]*", "classes"),
        ("[éè].txt", "ASCII"),
        ("{./a,x}", "braces"),
        ("{../a,x}", "braces"),
        ("{a/,b/}", "braces"),
        ("x{,/a}", "braces"),
    ] {
        let error = Globs::new([pattern]).unwrap_err();
        assert!(error.reason().contains(part), "{pattern}: {error}");
    }
    assert!(Globs::new([""; 0]).unwrap().is_empty());
}

#[test]
fn braces_do_not_exhaust_the_stack() {
    for depth in [101, 100_000] {
        let pattern = format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        assert_eq!(Globs::new([&pattern]).unwrap_err().reason(), "too many braces");
    }
    assert!(keeps(&format!("{}a{}", "{".repeat(100), "}".repeat(100)), "a", Kind::File));
}

#[cfg(unix)]
#[test]
fn names_that_are_not_unicode_match_by_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(OsStr::from_bytes(b"dir/a\xff.keep"));
    assert!(Globs::new(["*.keep"]).unwrap().matches(path, Kind::File));
    assert!(Globs::new(["a?.keep"]).unwrap().matches(path, Kind::File));
    assert!(Globs::new(["dir/a*"]).unwrap().matches(path, Kind::File));
}
