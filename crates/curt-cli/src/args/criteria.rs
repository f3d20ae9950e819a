//! The tests of `curt walk`: which entries it yields. They form groups, which `--or` separates; a
//! test after `--not` must fail.

use std::ffi::OsString;

use clap::{ArgAction, ArgMatches, Args};

const TESTS: &str = "Tests";

/// Tests as they were typed, and the values of one group.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Criteria {
    /// Match names against GLOB
    ///
    /// '*' also matches a leading dot. With several GLOBs, any may match.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) name: Vec<OsString>,

    /// The same in any case, of letters of all alphabets
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) iname: Vec<OsString>,

    /// Match whole paths against GLOB
    ///
    /// '*' matches no slash, but '**' does. Of several GLOBs, any may match.
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) path_glob: Vec<OsString>,

    /// Find the regular expression RE in whole paths
    ///
    /// '\p{...}' takes general categories and scripts, such as Lu and Greek.
    #[arg(long, value_name = "RE", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) regex: Vec<String>,

    /// Match kinds: f (file), d (directory), l (symbolic link), p, s, c, b
    ///
    /// p is a pipe, s a socket, c a character device, b a block device. A word such as junction is
    /// a kind, too. Separate several with commas.
    #[arg(long = "type", value_name = "KIND", value_delimiter = ',', action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) kinds: Vec<String>,

    /// Match sizes: +N more than, -N less than, N exactly
    ///
    /// N is in bytes (c or no unit), or in k, M, G or T, which are powers of 1024. With several
    /// SIZEs, all must match.
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) size: Vec<String>,

    /// Match files of no bytes, and directories without entries
    #[arg(long, action = ArgAction::Append, num_args = 0, default_missing_value = "true",
          help_heading = TESTS)]
    pub(crate) empty: Vec<bool>,

    /// Match what was modified after WHEN
    ///
    /// WHEN is a date (2026-01-31, 2026-01-31T10:00), an age (90s, 36h, 7d, '2 weeks') or a file
    /// (its time; ./7d if it is named like an age).
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) newer: Vec<String>,

    /// Match what was modified before WHEN
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) older: Vec<String>,

    /// Match the owner and the group, by name or number
    #[arg(long, value_name = "USER[:GROUP]", action = ArgAction::Append, help_heading = TESTS)]
    pub(crate) owner: Vec<String>,

    /// Match permissions: MODE exactly, or all (-MODE) or any (/MODE) bits
    ///
    /// MODE is octal, as in 644, or names bits, as in u=rw,go=r or u+x. With several MODEs, all
    /// must match.
    #[arg(long, value_name = "MODE", allow_hyphen_values = true, action = ArgAction::Append,
          help_heading = TESTS)]
    pub(crate) perm: Vec<String>,
}

/// What stands between tests.
#[derive(Args, Debug, Default)]
#[allow(dead_code, reason = "only their positions count, which clap tells by their names")]
pub(crate) struct Connectives {
    /// Match what fails the next test
    #[arg(long, action = ArgAction::Append, num_args = 0, default_missing_value = "true",
          help_heading = TESTS)]
    not: Vec<bool>,

    /// Match what passes all tests before it, or all after it
    ///
    /// As in --name '*.o' --or --name '*.a' --size +1M.
    #[arg(long, action = ArgAction::Append, num_args = 0, default_missing_value = "true",
          help_heading = TESTS)]
    or: Vec<bool>,
}

/// Tests that an entry must all pass, and tests that it must fail, each by itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) tests: Criteria,
    pub(crate) negated: Vec<Criteria>,
}

/// Copies a value to a group.
type Copying = fn(&Criteria, usize, &mut Criteria);

/// The identifiers of the tests, and how their values are copied.
const TEST_IDS: [(&str, Copying); 11] = [
    ("name", |from, at, to| to.name.push(from.name[at].clone())),
    ("iname", |from, at, to| to.iname.push(from.iname[at].clone())),
    ("path_glob", |from, at, to| to.path_glob.push(from.path_glob[at].clone())),
    ("regex", |from, at, to| to.regex.push(from.regex[at].clone())),
    ("kinds", |from, at, to| to.kinds.push(from.kinds[at].clone())),
    ("size", |from, at, to| to.size.push(from.size[at].clone())),
    ("empty", |from, at, to| to.empty.push(from.empty[at])),
    ("newer", |from, at, to| to.newer.push(from.newer[at].clone())),
    ("older", |from, at, to| to.older.push(from.older[at].clone())),
    ("owner", |from, at, to| to.owner.push(from.owner[at].clone())),
    ("perm", |from, at, to| to.perm.push(from.perm[at].clone())),
];

/// A word of the expression.
#[derive(Clone, Copy)]
enum Word {
    Not,
    Or,
    /// The place of its identifier, and of its value among those of the same option.
    Test(usize, usize),
}

impl Criteria {
    /// Divides the tests into groups, by their order on the command line.
    pub(super) fn groups(&self, matches: &ArgMatches) -> Result<Vec<Group>, String> {
        let places = |id: &str| matches.indices_of(id).into_iter().flatten().collect::<Vec<_>>();
        let mut words: Vec<(usize, Word)> = Vec::new();
        words.extend(places("not").into_iter().map(|at| (at, Word::Not)));
        words.extend(places("or").into_iter().map(|at| (at, Word::Or)));
        for (test, (id, _)) in TEST_IDS.into_iter().enumerate() {
            let values = places(id).into_iter().enumerate();
            words.extend(values.map(|(value, at)| (at, Word::Test(test, value))));
        }
        words.sort_by_key(|&(at, _)| at);
        let mut groups = vec![Group::default()];
        let mut not = None;
        let alone = || Err("--not needs a test after it".to_owned());
        // The values of one option that commas separate follow each other.
        let mut last = None;
        for (at, word) in words {
            let Some(group) = groups.last_mut() else { break };
            match word {
                Word::Not if not.is_some() => return Err("two --not in a row".to_owned()),
                Word::Not => not = Some(at),
                Word::Or if not.is_some() => return alone(),
                Word::Or if *group == Group::default() => {
                    return Err("--or needs a test before it".to_owned());
                }
                Word::Or => groups.push(Group::default()),
                // An option and its value have a place each: no other option is between.
                Word::Test(..) if not.is_some_and(|not| at > not + 2) => return alone(),
                Word::Test(test, value) => {
                    let is_negated = not.take().is_some();
                    let continues = last == Some((test, at.wrapping_sub(1), true));
                    if is_negated {
                        group.negated.push(Criteria::default());
                    }
                    let to = match group.negated.last_mut() {
                        Some(negated) if is_negated || continues => negated,
                        _ => &mut group.tests,
                    };
                    TEST_IDS[test].1(self, value, to);
                    last = Some((test, at, is_negated || continues));
                    continue;
                }
            }
            last = None;
        }
        if not.is_some() {
            return alone();
        }
        if groups.len() > 1 && groups.last() == Some(&Group::default()) {
            return Err("--or needs a test after it".to_owned());
        }
        Ok(groups)
    }
}
