//! The command line against what GNU rm makes of the same words.

use std::ffi::OsString;

use super::{
    Asking, Cli, Format, Refused, RmOptions, Root, When, ls, parse_when, parse_width, read, rm_from,
};
use clap::CommandFactory;

fn rm(words: &[&str]) -> Result<RmOptions, Refused> {
    read("rm", [&["rm"], words].concat().into_iter().map(OsString::from), rm_from)
}

#[test]
fn definitions_are_sound() {
    Cli::command().debug_assert();
}

#[test]
fn the_last_of_the_options_that_prompt_wins() {
    for (words, when, missing_is_fine) in [
        (&[][..], When::Protected, false),
        (&["-f"], When::Never, true),
        (&["-i"], When::Always, false),
        (&["-I"], When::Once, false),
        (&["-fi"], When::Always, false),
        (&["-if"], When::Never, true),
        (&["-f", "-i", "-f"], When::Never, true),
        (&["-i", "-f", "-i"], When::Always, false),
        (&["-f", "--interactive=never"], When::Never, true),
        (&["-i", "--interactive=never"], When::Never, false),
        (&["-f", "--interactive=always", "--interactive=never"], When::Never, false),
        (&["--interactive=once", "-f"], When::Never, true),
        (&["-f", "--interactive"], When::Always, false),
        (&["--inter=y"], When::Always, false),
        (&["-fI"], When::Once, false),
    ] {
        let asking = rm(words).ok().unwrap().asking;
        assert_eq!(asking, Asking { when, missing_is_fine }, "{words:?}");
    }
}

#[test]
fn words_for_when_may_be_shortened() {
    for word in ["n", "no", "none", "nev", "never"] {
        assert_eq!(parse_when(word), Ok(When::Never));
    }
    assert_eq!(parse_when("o"), Ok(When::Once));
    assert_eq!(parse_when("a"), Ok(When::Always));
    assert_eq!(parse_when("yes"), Ok(When::Always));
    assert!(parse_when("").is_err());
    assert!(parse_when("nop").is_err());
}

#[test]
fn options_may_follow_operands_and_be_repeated() {
    let options = rm(&["a", "-r", "b", "-R", "-vv", "--verb", "--", "-c", ""]).ok().unwrap();
    assert_eq!(options.operands, ["a", "b", "-c", ""]);
    assert!(options.recursive && options.verbose);
}

#[test]
fn the_root_is_preserved_unless_given_up() {
    assert_eq!(rm(&["x"]).ok().unwrap().root, Root::default());
    let all = rm(&["--preserve-root=all", "--preserve-root", "x"]).ok().unwrap().root;
    assert!(all.preserve && all.refuse_mounted_operands);
    assert!(rm(&["--preserve-root=some", "x"]).is_err());
}

#[test]
fn nonsense_is_refused() {
    for words in [&["--bogus"][..], &["-j0", "x"], &["--interactive=sometimes", "x"], &["-z", "x"]]
    {
        assert!(rm(words).is_err(), "{words:?}");
    }
}

/// What an abbreviation means to the GNU tools.
#[test]
fn abbreviations_mean_what_they_mean_to_gnu() {
    for (word, option) in [("--r", "recursive"), ("--re", "recursive"), ("--f", "force")] {
        let options = rm(&[word, "x"]).ok().unwrap();
        assert_eq!((options.recursive, options.force), (option == "recursive", option == "force"));
    }
    assert!(rm(&["--d", "x"]).ok().unwrap().dir);
    assert_eq!(rm(&["--retri=7", "x"]).ok().unwrap().retries, 7);
    assert!(rm(&["--ver", "x"]).is_err(), "--verbose or --version");
}

#[test]
fn the_last_of_the_options_about_the_form_wins() {
    let format = |words: &str| {
        let words = ["ls"].into_iter().chain(words.split_whitespace()).map(OsString::from);
        read("ls", words, ls::from).ok().unwrap().format
    };
    for (words, expected) in [
        ("", None),
        ("-C -o", Some(Format::Long)),
        ("-x --full-time", Some(Format::Long)),
        ("-C -g -1", Some(Format::Long)),
        ("-l -C", Some(Format::Columns)),
        ("-l -C -1", Some(Format::OnePerLine)),
        ("-C --zero", Some(Format::OnePerLine)),
        ("--zero -x", Some(Format::Across)),
        ("-n --format=single-column", Some(Format::OnePerLine)),
    ] {
        assert_eq!(format(words), expected, "{words}");
    }
}

#[test]
fn widths_are_numbers_of_any_size_and_base() {
    for (word, width) in
        [("0", 0), ("80", 80), ("0x10", 16), ("010", 8), ("99999999999999999999", 0)]
    {
        assert_eq!(parse_width(word), Ok(width));
    }
    for word in ["", "x", "-1", "08", "0x", "1k"] {
        assert!(parse_width(word).is_err(), "{word}");
    }
}
