//! The command line against what GNU rm makes of the same words.

use std::ffi::OsString;

use super::{
    Asking, Cli, LsOptions, RmOptions, Root, WalkOptions, When, asking, du, only, parse_when,
    plain, rm_alone, root,
};
use clap::{CommandFactory, FromArgMatches};

fn rm(words: &[&str]) -> Result<RmOptions, clap::Error> {
    let matches = rm_alone().try_get_matches_from([&["rm"], words].concat())?;
    let mut options = RmOptions::from_arg_matches(&matches)?;
    options.asking = asking(&options, &matches);
    if !options.no_preserve_root {
        options.root = root(&options, &matches)?;
    }
    Ok(options)
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
        assert_eq!(rm(words).err().unwrap().exit_code(), 2, "{words:?}");
    }
}

/// Reads all command lines of up to so many words in both ways; how many were plain.
fn compare<T: PartialEq + std::fmt::Debug>(
    words: &[&str],
    most: u32,
    plain: impl Fn(std::vec::IntoIter<OsString>) -> Option<T>,
    by_clap: impl Fn(&[&str]) -> Result<T, clap::Error>,
) -> usize {
    let mut plain_ones = 0;
    for length in 0..=most {
        for number in 0..words.len().pow(length) {
            let word = |place| words[number / words.len().pow(place) % words.len()];
            let line: Vec<&str> = (0..length).map(word).collect();
            let line_of_system: Vec<OsString> = line.iter().map(Into::into).collect();
            let Some(plain) = plain(line_of_system.into_iter()) else { continue };
            assert_eq!(plain, by_clap(&line).ok().unwrap(), "{line:?}");
            plain_ones += 1;
        }
    }
    plain_ones
}

#[test]
fn plain_command_lines_mean_what_clap_makes_of_them() {
    let words = ["-r", "-R", "-f", "-d", "-v", "-rf", "-fvdR", "--", "-", "", "tree", "-ri"];
    let plain_ones = compare(&words, 4, plain::rm, rm);
    assert!(plain_ones > 15_000, "{plain_ones}");

    let words = [
        "-1", "-A", "-R", "-a", "-d", "-h", "-i", "-l", "-n", "-r", "-s", "-lart", "-lah", "-aA",
        "--", "-", "", "tree",
    ];
    let plain_ones = compare(&words, 3, plain::ls, |words| {
        only::<LsOptions>("ls", [&["ls"], words].concat().iter().map(Into::into))
    });
    assert!(plain_ones > 5_000, "{plain_ones}");

    let words = ["--", "-", "", "tree", "-0", "-j1"];
    let plain_ones = compare(&words, 4, plain::walk, |words| {
        only::<WalkOptions>("walk", [&["walk"], words].concat().iter().map(Into::into))
    });
    assert!(plain_ones > 300, "{plain_ones}");

    let words = ["-a", "-c", "-h", "-l", "-s", "-x", "-sh", "-hcs", "-k", "--", "-", "", "tree"];
    let plain_ones = compare(&words, 3, plain::du, |words| {
        du::parse([&["du"], words].concat().iter().map(Into::into))
    });
    assert!(plain_ones > 1_200, "{plain_ones}");
}

#[test]
fn what_is_not_plain_is_left_to_clap() {
    for word in ["-i", "-I", "-j1", "-rx", "--force", "--recursive", "--help", "-rf-", "-r=", "-é"]
    {
        assert!(plain::rm([word.into()].into_iter()).is_none(), "{word}");
    }
    for word in ["-t", "-S", "-U", "-f", "-F", "-lF", "-g", "-w9", "-x", "--all", "--help", "-l-"] {
        assert!(plain::ls([word.into()].into_iter()).is_none(), "{word}");
    }
    for word in ["-0", "-L", "-x", "--help", "--name"] {
        assert!(plain::walk([word.into()].into_iter()).is_none(), "{word}");
    }
    for word in ["-b", "-k", "-d1", "-j1", "-as", "-D", "-0", "--summarize", "--help"] {
        assert!(plain::du([word.into()].into_iter()).is_none(), "{word}");
    }
}
