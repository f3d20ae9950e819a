//! What the definitions of the command line must be; what they mean is compared with GNU's tools.

use std::ffi::OsString;

use clap::CommandFactory;

use super::{Cli, RmOptions, read, read_all};

#[test]
fn definitions_are_sound() {
    Cli::command().debug_assert();
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
