//! What can be asked of `curt expand`.

use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use curt::paths::{DotDot, Flavor, Release, Style, Verbatim};

const LONG_ABOUT: &str = "\
Make paths full, by their text alone: nothing is looked at.

POSIX paths, Windows paths, on any system. What is not given is the process's own: its working \
directory, home, and the directories of drives.";

const AFTER: &str = "\
Examples:
  curt expand a/../b                                the full path; '..' stays, a link may be there
  curt expand --dotdot clamp a/../b                 without '..', as Python's abspath
  curt expand --flavor windows --cwd 'C:\\x' 'aux.'   what GetFullPathNameW does
  curt expand --style ruby '~/x'                    what Ruby's File.expand_path does
  curt expand --explain --base /srv x               say which rules fired

With --batch, each line of standard input is a question, {\"input\":PATH} with the keys \
\"flavor\", \"release\", \"style\", \"dotdot\", \"verbatim\", \"cwd\", \"drives\", \"base\" and \
\"home\", all of which may be left out, and each line of output the answer to it, in order: \
{\"ok\":PATH} or {\"err\":KIND,\"message\":TEXT}. A key left out is as the options say, or the \
process's own; \"home\":null is one that is not set; with \"cwd\":null and a base nothing of the \
process is looked at. A path is a string, {\"bytes\":BASE64}, {\"bytes\":BASE64,\"encoding\":NAME} \
as Ruby names encodings, or {\"utf16\":[UNIT,...]}. KIND is empty, nul, no-home, nonabs-home, \
no-user, too-long, escape, drive (no working directory to start from), encoding, or \
invalid for what is no question.

Exit status:
  0  every path was expanded (with --batch: every question was answered)
  1  some path has no full form
  2  the command line was wrong";

/// What `curt expand` was asked.
#[derive(Args, Clone, Debug, Default)]
#[command(args_override_self = true, infer_long_args = true)]
#[command(about = "Make paths full, by their text alone", long_about = LONG_ABOUT, after_help = AFTER)]
pub(crate) struct ExpandOptions {
    /// The paths
    #[arg(value_name = "PATH", required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) operands: Vec<OsString>,

    /// Whose paths they are [default: this system's]
    #[arg(long, value_name = "posix|windows", hide_possible_values = true, value_parser = one_of(&FLAVORS))]
    pub(crate) flavor: Option<Flavor>,

    /// By the rules of which Windows [default: this one; 11 where this is none]
    #[arg(long, value_name = "10|11", hide_possible_values = true, value_parser = one_of(&RELEASES))]
    pub(crate) release: Option<Release>,

    /// In whose style [default: native]
    #[arg(long, value_name = "native|ruby", hide_possible_values = true, value_parser = one_of(&STYLES))]
    pub(crate) style: Option<Style>,

    /// What becomes of '..': it stays, takes a name away, or is an error beyond the root [default:
    /// keep for POSIX paths in the native style, else clamp]
    #[arg(long, value_name = "keep|clamp|refuse", hide_possible_values = true, value_parser = one_of(&DOT_DOTS))]
    pub(crate) dotdot: Option<DotDot>,

    /// What becomes of '\\?\' and '\??\' at the beginning of Windows paths [default: keep,
    /// untouched]
    #[arg(long, value_name = "keep|normalize", hide_possible_values = true, value_parser = one_of(&VERBATIMS))]
    pub(crate) verbatim: Option<Verbatim>,

    /// What relative paths go on from, instead of the working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<OsString>,

    /// Take DIR for the working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<OsString>,

    /// Take PATH for the working directory of the drive X. Can be repeated
    #[arg(long, value_name = "X=PATH", action = ArgAction::Append)]
    pub(crate) drive: Vec<String>,

    /// Take DIR for the home directory
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<OsString>,

    /// Say which rules fired
    #[arg(long)]
    pub(crate) explain: bool,

    /// Answer in JSON: one object per path, then a summary
    #[arg(long)]
    pub(crate) json: bool,

    /// End paths with NUL instead of a new line
    #[arg(short = '0', long, conflicts_with_all = ["json", "explain", "batch"])]
    pub(crate) null: bool,

    /// Answer questions from standard input, one object per line
    #[arg(long)]
    pub(crate) batch: bool,

    /// Say how many operating-system calls were made
    #[arg(long)]
    pub(crate) stats: bool,
}

/// A choice by its words.
type Words<T, const N: usize> = [(&'static str, T); N];

pub(crate) const FLAVORS: Words<Flavor, 2> =
    [("posix", Flavor::Posix), ("windows", Flavor::Windows)];
pub(crate) const RELEASES: Words<Release, 2> =
    [("10", Release::Windows10), ("11", Release::Windows11)];
pub(crate) const STYLES: Words<Style, 2> = [("native", Style::Native), ("ruby", Style::Ruby)];
pub(crate) const DOT_DOTS: Words<DotDot, 3> =
    [("keep", DotDot::Keep), ("clamp", DotDot::Clamp), ("refuse", DotDot::Refuse)];
pub(crate) const VERBATIMS: Words<Verbatim, 2> =
    [("keep", Verbatim::Keep), ("normalize", Verbatim::Normalize)];

/// What a word means.
pub(crate) fn meaning<T: Copy>(words: &[(&str, T)], word: &str) -> Option<T> {
    words.iter().find(|&&(known, _)| known == word).map(|&(_, meaning)| meaning)
}

pub(super) fn one_of<T: Copy + Send + Sync, const N: usize>(
    words: &'static Words<T, N>,
) -> impl TypedValueParser<Value = T> {
    let known = PossibleValuesParser::new(words.map(|(word, _)| word));
    known.try_map(|word| meaning(words, &word).ok_or("there is no such word"))
}
