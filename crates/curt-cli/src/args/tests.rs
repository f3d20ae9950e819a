//! The command line of `curt rm` against what GNU rm makes of the same words.

use std::ffi::OsString;

use clap::CommandFactory;

use super::rm::parse_when;
use super::{Cli, Prompt, Refused, RmOptions, end_options_at_operand, read, read_all};

fn rm(words: &[&str]) -> Result<RmOptions, Box<Refused>> {
    let words: Vec<OsString> = ["rm"].iter().chain(words).map(Into::into).collect();
    read("rm", words)
}

#[test]
fn definitions_are_sound() {
    Cli::command().debug_assert();
}

#[test]
fn the_last_prompt_option_wins() {
    for (words, prompt, ignores_missing) in [
        (&[][..], Prompt::Protected, false),
        (&["-f"], Prompt::Never, true),
        (&["-i"], Prompt::Always, false),
        (&["-I"], Prompt::Once, false),
        (&["-fi"], Prompt::Always, false),
        (&["-if"], Prompt::Never, true),
        (&["-f", "-i", "-f"], Prompt::Never, true),
        (&["-i", "-f", "-i"], Prompt::Always, false),
        (&["-f", "--interactive=never"], Prompt::Never, true),
        (&["-i", "--interactive=never"], Prompt::Never, false),
        (&["-f", "--interactive=always", "--interactive=never"], Prompt::Never, false),
        (&["--interactive=once", "-f"], Prompt::Never, true),
        (&["-f", "--interactive"], Prompt::Always, false),
        (&["--inter=y"], Prompt::Always, false),
        (&["-fI"], Prompt::Once, false),
    ] {
        let options = rm(words).ok().unwrap();
        assert_eq!(
            (options.prompt, options.ignores_missing),
            (prompt, ignores_missing),
            "{words:?}"
        );
    }
}

#[test]
fn words_for_when_may_be_shortened() {
    for word in ["n", "no", "none", "nev", "never"] {
        assert_eq!(parse_when(word), Ok(Prompt::Never));
    }
    assert_eq!(parse_when("o"), Ok(Prompt::Once));
    assert_eq!(parse_when("a"), Ok(Prompt::Always));
    assert_eq!(parse_when("yes"), Ok(Prompt::Always));
    assert!(parse_when("").is_err());
    assert!(parse_when("nop").is_err());
}

#[test]
fn operands_that_clap_does_not_see_are_the_same() {
    let many = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
    for line in [
        many.to_owned(),
        format!("-rf {many}"),
        format!("-r -- {many}"),
        format!("{many} -v"),
        format!("{many} --exclude {many}"),
        format!("--exclude -- {many}"),
        format!("-- {many} -v {many}"),
        format!("-r {many} - {many}"),
        format!("--files0-from list {many}"),
        format!("--files0-from {many}"),
        format!("--retries {many}"),
        format!("--nothing {many}"),
    ] {
        let words: Vec<OsString> = "rm".split(' ').chain(line.split(' ')).map(Into::into).collect();
        let all = read_all::<RmOptions>("rm", &words).ok();
        assert_eq!(read("rm", words).ok(), all, "{line}");
    }
    let words = format!("rm -r {many}");
    let options: RmOptions = read("rm", words.split(' ').map(Into::into).collect()).ok().unwrap();
    assert_eq!(options.operands, many.split(' ').collect::<Vec<_>>());
}

#[test]
fn options_may_follow_operands_and_be_repeated() {
    let options = rm(&["a", "-r", "b", "-R", "-vv", "--verb", "--", "-c", ""]).ok().unwrap();
    assert_eq!(options.operands, ["a", "b", "-c", ""]);
    assert!(options.recursive && options.verbose);
}

#[test]
fn options_end_at_the_first_operand() {
    let commands = Cli::command();
    for (line, operands) in [
        ("rm a -f", "a -f"),
        ("rm -f a -r", "a -r"),
        ("rm -- a -f", "a -f"),
        ("rm a -- -f", "a -- -f"),
        ("rm -f - -r", "- -r"),
        ("ls -w 40 a -l", "a -l"),
        ("ls -w40 a -l", "a -l"),
        ("ls -lw 40 a -l", "a -l"),
        ("ls --width 40 a -l", "a -l"),
        ("ls --wid 40 a -l", "a -l"),
        ("ls --width=40 a -l", "a -l"),
        ("ls --color a -l", "a -l"),
        ("du --exclude -x a -s", "a -s"),
        ("stat -L a -L", "a -L"),
        ("du -s", ""),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let command = commands.find_subcommand(words[0]).unwrap().clone();
        let matches = end_options_at_operand(command).try_get_matches_from(&words).unwrap();
        let found = matches.get_many::<OsString>("operands").unwrap_or_default();
        let found: Vec<&OsString> = found.collect();
        assert_eq!(found, operands.split_whitespace().collect::<Vec<_>>(), "{line}");
    }
}

#[test]
fn the_root_is_preserved_by_default() {
    let root = |words: &[&str]| {
        let options = rm(words).ok().unwrap();
        (options.removes_root, options.refuses_mounted_operands)
    };
    assert_eq!(root(&["x"]), (false, false));
    assert_eq!(root(&["--preserve-root=all", "--preserve-root", "x"]), (false, true));
    assert_eq!(root(&["--preserve-root", "--no-preserve-root", "x"]), (true, false));
    assert_eq!(root(&["--no-preserve-root", "--preserve-root", "x"]), (false, false));
    assert!(rm(&["--preserve-root=some", "x"]).is_err());
    assert!(rm(&["--no-preserve", "x"]).is_err());
}

#[test]
fn nonsense_is_refused() {
    for words in [&["--bogus"][..], &["-j0", "x"], &["--interactive=sometimes", "x"], &["-z", "x"]]
    {
        assert!(rm(words).is_err(), "{words:?}");
    }
}

#[test]
fn abbreviations_mean_what_they_mean_to_gnu() {
    assert!(rm(&["--r", "x"]).ok().unwrap().recursive);
    assert!(rm(&["--re", "x"]).ok().unwrap().recursive);
    assert!(rm(&["--f", "x"]).ok().unwrap().ignores_missing);
    assert!(rm(&["--d", "x"]).ok().unwrap().dir);
    assert_eq!(rm(&["--retri=7", "x"]).ok().unwrap().retries, 7);
    assert!(rm(&["--ver", "x"]).is_err(), "--verbose or --version");
}
