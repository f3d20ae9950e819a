//! The list of GNU's tests that fail with curt, and how a run differs from it.
//!
//! A line is `TEST USER REASON`, with `root`, `nobody` or `both` as the user. An empty line, and
//! one that begins with `#`, is a comment.

use super::{Case, User, Verdict};
use crate::host::Failure;
use std::collections::BTreeMap;
use std::fmt;

/// Cases that are known to fail, each with the reason.
#[derive(Debug)]
pub(super) struct Failures(BTreeMap<Case, String>);

/// A case that went otherwise than the list says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// It is not listed.
    Failed(Case, Verdict),
    /// It is listed, with this reason.
    Passed(Case, String),
}

impl Failures {
    /// Reads the list.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let mut cases = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = |what: &str| Failure::new(format!("failures.txt: {what}: {line}"));
            let mut words = line.split_whitespace();
            let (Some(test), Some(user)) = (words.next(), words.next()) else {
                return Err(wrong("not `TEST USER REASON`"));
            };
            let reason = words.collect::<Vec<_>>().join(" ");
            if reason.is_empty() {
                return Err(wrong("no reason"));
            }
            let users: &[User] = match user {
                "root" => &[User::Root],
                "nobody" => &[User::Nobody],
                "both" => &[User::Root, User::Nobody],
                _ => return Err(wrong("not a user")),
            };
            for &user in users {
                if cases.insert((test.to_owned(), user), reason.clone()).is_some() {
                    return Err(wrong("listed twice"));
                }
            }
        }
        Ok(Self(cases))
    }

    /// Every test of the list must exist.
    pub(super) fn must_name(&self, tests: &[String]) -> Result<(), Failure> {
        match self.0.keys().find(|(test, _)| !tests.contains(test)) {
            Some((test, _)) => Err(Failure::new(format!("failures.txt: GNU has no test {test}"))),
            None => Ok(()),
        }
    }

    /// How a case that passes with GNU's program differs from the list.
    pub(super) fn difference(&self, case: &Case, verdict: Verdict) -> Option<Difference> {
        match (self.0.get(case), verdict) {
            (None, Verdict::Passed) | (Some(_), Verdict::Failed | Verdict::Skipped) => None,
            (None, verdict) => Some(Difference::Failed(case.clone(), verdict)),
            (Some(reason), _) => Some(Difference::Passed(case.clone(), reason.clone())),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed((test, user), verdict) => {
                let verb = if *verdict == Verdict::Skipped { "skips itself" } else { "fails" };
                write!(f, "  {test} {}: {verb}, and is not listed", user.name())
            }
            Self::Passed((test, user), reason) => {
                write!(f, "  {test} {}: passes, and is listed: {reason}", user.name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(user: User) -> Case {
        ("ls/acl.sh".to_owned(), user)
    }

    #[test]
    fn a_listed_case_must_fail_and_any_other_must_pass() {
        let list = Failures::parse("# why\n\nls/acl.sh root no `+`\n").unwrap();
        let (listed, other) = (case(User::Root), case(User::Nobody));
        assert_eq!(list.difference(&listed, Verdict::Failed), None);
        assert_eq!(list.difference(&listed, Verdict::Skipped), None);
        let passed = Difference::Passed(listed.clone(), "no `+`".to_owned());
        assert_eq!(list.difference(&listed, Verdict::Passed), Some(passed));
        assert_eq!(list.difference(&other, Verdict::Passed), None);
        let failed = Difference::Failed(other.clone(), Verdict::Skipped);
        assert_eq!(list.difference(&other, Verdict::Skipped), Some(failed));
    }

    #[test]
    fn a_list_that_says_nothing_is_refused() {
        for text in ["ls/a.sh", "ls/a.sh both", "ls/a.sh you why", "a both x\na root y"] {
            assert!(Failures::parse(text).is_err(), "{text}");
        }
        assert!(Failures::parse("ls/a.sh both why").unwrap().must_name(&[]).is_err());
    }

    #[test]
    fn the_committed_list_can_be_read() {
        assert!(Failures::parse(include_str!("failures.txt")).is_ok());
    }
}
