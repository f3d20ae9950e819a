use super::Globs;
use crate::fields::Kind;
use std::path::Path;

fn keeps(pattern: &str, path: &str, kind: Kind) -> bool {
    Globs::new([pattern]).unwrap().matches(Path::new(path), kind)
}

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
}

#[test]
fn a_trailing_slash_matches_directories_only() {
    check("build/ x/build", false);
    for (pattern, kind, is_kept) in [
        ("build/", Kind::Directory, true),
        ("build/", Kind::Unknown, true),
        ("/x/build/", Kind::Directory, true),
        ("/build/", Kind::Directory, false),
    ] {
        assert_eq!(keeps(pattern, "x/build", kind), is_kept, "{pattern} {kind:?}");
    }
}

#[test]
fn escaped_slashes_and_brackets_keep_their_meaning() {
    if cfg!(windows) {
        return check(r"a\b a/b", true);
    }
    check(r"a\/b a/b | a[\]]b a]b | [!\]]x ax | [a\-z] - | \{a,b} {a,b} | \[a] [a]", true);
    check(r"a\/b x/a/b | [!\]]x ]x | [a\-z] m | [a\-z] \ | a** a/b | a*b a/b", false);
}

#[test]
fn each_pattern_of_braces_stands_for_itself() {
    check("{./a,x} x | {./a,x} d/x | {./a,x} a | a/{,b/}c a/b/c | a{,/**} a/b", true);
    check("{./a,x} d/a | a/{,b/}c a/b | x{}y xy | f{1..3} f1..3 | {a,b} {a", false);
    assert!(keeps("{a/,b}", "a", Kind::Directory) && !keeps("{a/,b}", "a", Kind::File));
}

#[test]
fn what_has_no_clear_meaning_is_refused() {
    let error = Globs::new(["fine", "x[", "y["]).unwrap_err();
    assert_eq!(error.pattern(), "x[");
    assert!(error.to_string().starts_with("invalid pattern 'x[': "), "{error}");
    let unclosed = "unclosed bracket, or a slash in brackets";
    let class = "unknown character class; [:alpha:] is one";
    let symbol = "[.a.] and [=a=] take a single character";
    let range = "reversed range in brackets";
    let above = "'..' never matches: only paths below an operand are compared";
    let many = "its braces expand to too many patterns";
    let letters = "a range of letters in braces must have one case";
    for (patterns, reason) in [
        ("'' | / | // | . | ./ | {,} | {./,/} | a\0b", super::NO_ENTRY),
        (".. | ../a | a/../b | a/.. | {../a,x} | x/{..,y}", above),
        ("[ | [] | [!] | [^] | [a | []a | a[/]b | [a/b] | x/[!/]y | [[:digit:] | {[,]}", unclosed),
        ("[[:DIGIT:]] | [[:nope:]] | [![:word:]] | [[::]] | [a[: :]]", class),
        ("[[.hyphen.]] | [[=ab=]] | [[..]]", symbol),
        ("[z-a] | [!b-a]x | [a-[:digit:]]", range),
        ("{1..99999} | {1..10000}{1..2} | {-9223372036854775808..9223372036854775807}", many),
        ("{a..Z} | x{Z..a}", letters),
    ] {
        for pattern in curt_testkit::cells(patterns) {
            let error = Globs::new([pattern]).unwrap_err();
            assert_eq!((error.pattern(), error.reason()), (pattern, reason));
        }
    }
    if cfg!(unix) {
        let reason = "trailing backslash";
        assert_eq!(Globs::new(["a\\"]).unwrap_err().reason(), reason);
    }
    assert!(Globs::new([""; 0]).unwrap().is_empty());
}

#[test]
fn what_a_pattern_costs_is_bounded() {
    for depth in [101, 100_000] {
        let pattern = format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        assert_eq!(Globs::new([&pattern]).unwrap_err().reason(), "too many braces");
    }
    let small = std::thread::Builder::new().stack_size(64 << 10);
    let deepest = || {
        let nested = format!("{}a{}", "{b,".repeat(100), "}".repeat(100));
        let in_a_row = "{a,a}{}".repeat(3) + &"{a..a}".repeat(90);
        let found = "a{}".repeat(3) + &"a".repeat(90);
        keeps(&nested, "a", Kind::File) && keeps(&in_a_row, &found, Kind::File)
    };
    assert!(small.spawn(deepest).unwrap().join().unwrap());
    let long = "x".repeat(100_000);
    for hostile in [
        format!("{{1..10000}}{long}"),
        format!("{long}{{{}}}", ",".repeat(9000)),
        format!("{{1..10000}}{}{long}", "{x".repeat(4)),
        format!("{{1..9000}}{{{}}}", ",".repeat(100_000)),
    ] {
        assert!(Globs::new([&hostile]).unwrap_err().reason().contains("too many"));
    }
    let square = "{a,b}".repeat(60);
    assert!(Globs::new([&square]).unwrap_err().reason().contains("too many"));
    // A recursive matcher would take exponential time here.
    let (stars, name) = ("*a".repeat(60) + "b", "a".repeat(250));
    assert!(!keeps(&stars, &name, Kind::File));
    assert!(!Globs::gnu([&stars]).matches(Path::new(&name), Kind::File));
}

#[cfg(unix)]
#[test]
fn a_byte_that_is_no_character_counts_as_one() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(OsStr::from_bytes(b"dir/a\xff.keep"));
    for pattern in ["*.keep", "a?.keep", "dir/a*", "a[!b].keep"] {
        assert!(Globs::new([pattern]).unwrap().matches(path, Kind::File), "{pattern}");
    }
    for pattern in ["a??.keep", "a.keep", "a[a-\u{10ffff}].keep"] {
        assert!(!Globs::new([pattern]).unwrap().matches(path, Kind::File), "{pattern}");
    }
    let exact = OsStr::from_bytes(b"a\xff.k*");
    assert!(Globs::gnu([exact]).matches(path, Kind::File));
    // As in glibc, a name that is not valid UTF-8 is compared byte by byte.
    let both = Path::new(OsStr::from_bytes(b"\xc3\xa9\xff"));
    for (pattern, is_meant) in [(&b"?\xff"[..], false), (b"??", false), (b"*\xff", true)] {
        let globs = Globs::gnu([OsStr::from_bytes(pattern)]);
        assert_eq!(globs.matches(both, Kind::File), is_meant, "{pattern:?}");
    }
    assert_eq!(Globs::new([exact]).unwrap_err().reason(), "not Unicode");
}

#[test]
fn case_is_ignored_on_request() {
    for (pattern, name, is_kept) in [
        ("*.RS", "a.rs", true),
        ("[a-c]X", "Bx", true),
        ("[!a-c]", "B", false),
        ("[[:upper:]]", "b", true),
        ("É?", "éx", true),
        ("[É]", "é", true),
        ("src/*.O", "SRC/a.o", true),
        ("a", "b", false),
    ] {
        let globs = Globs::new([pattern]).unwrap().ignore_case(true);
        assert_eq!(globs.matches(Path::new(name), Kind::File), is_kept, "{pattern} {name}");
    }
}
