//! The counts of `dist-test`, which fails, skips and ends as the suites do.

use crate::host::{Failure, Outcome};
use crate::say;
use crate::skips::{self, Skip};

/// What came of the cases so far.
#[derive(Default)]
pub(super) struct Cases {
    passed: usize,
    failed: usize,
    skips: Vec<Skip>,
}

impl Cases {
    /// Counts a case: of a kind of package, with what should hold. Whether it does.
    pub(super) fn add(&mut self, kind: &str, what: &str, outcome: Outcome) -> bool {
        let verdict = match outcome {
            Ok(()) => {
                self.passed += 1;
                say::out(format_args!("test {kind}: {what} ... ok"));
                return true;
            }
            Err(failure) => failure,
        };
        if verdict.code == Failure::MISSING {
            // One line: the list of skips compares whole reasons.
            let reason = verdict.text.lines().next().unwrap_or_default().to_owned();
            let skip = Skip { suite: "xtask".to_owned(), test: format!("dist-{kind}"), reason };
            say::out(format_args!("test {kind}: {what} ... skipped"));
            say::out(format_args!("skipped: {skip}"));
            self.skips.push(skip);
        } else {
            self.failed += 1;
            say::out(format_args!("test {kind}: {what} ... FAILED\n{}", verdict.text));
        }
        false
    }

    /// Says the total, and whether all went well.
    pub(super) fn conclude(&self) -> Outcome {
        let unlisted = skips::unlisted(&self.skips);
        for skip in &unlisted {
            say::out(format_args!("not listed in tools/xtask/src/skips.txt: {skip}"));
        }
        let (passed, failed, skipped) = (self.passed, self.failed, self.skips.len());
        say::out(format_args!("{passed} passed, {failed} failed, {skipped} skipped"));
        match (failed, unlisted.is_empty()) {
            (0, true) => Ok(()),
            (0, false) => Err(Failure::new("a test was skipped that must run")),
            _ => Err(Failure::new("not every test passed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_lacks_is_a_skip_and_anything_else_a_failure() {
        let mut cases = Cases::default();
        assert!(cases.add("tar", "runs", Ok(())));
        assert!(!cases.add("npm", "runs", Err(Failure::missing("npm is not installed\nmore"))));
        assert_eq!(cases.skips[0].to_string(), "xtask: dist-npm: npm is not installed");
        assert!(cases.conclude().is_ok());
        assert!(!cases.add("deb", "runs", Err(Failure::new("no"))));
        assert!(cases.conclude().is_err());
        assert_eq!((cases.passed, cases.failed, cases.skips.len()), (1, 1, 1));
    }
}
