//! The list of permitted skips.
//!
//! A line is `WHEN SUITE TEST REASON`. WHEN is `always`, `user` for tests that need root, or `wine`
//! for limits of Wine. SUITE is the package and the test program (`curt-cli/gnu`). SUITE and TEST
//! may be `*` unless WHEN is `always`. A reason that ends with `…` is a prefix. Lines that begin
//! with `#` are comments.

use crate::host::{self, Failure, Outcome};
use crate::say;

/// `listed` makes unlisted skips failures, and `wine` does so for suites under Wine.
const VARIABLE: &str = "CURT_SKIPS";

const LIST: &str = include_str!("skips.txt");

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Skip {
    pub(crate) suite: String,
    pub(crate) test: String,
    pub(crate) reason: String,
}

impl Skip {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ": ").map(str::to_owned);
        Some(Self { suite: parts.next()?, test: parts.next()?, reason: parts.next()? })
    }
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.suite, self.test, self.reason)
    }
}

pub(crate) fn unlisted<'a>(skips: impl IntoIterator<Item = &'a Skip>) -> Vec<&'a Skip> {
    let place = match std::env::var(VARIABLE).as_deref() {
        Ok("listed") if host::is_root() => Place::Root,
        Ok("listed") => Place::User,
        Ok("wine") => Place::Wine,
        _ => return Vec::new(),
    };
    skips.into_iter().filter(|skip| !is_listed(LIST, skip, place)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Root,
    User,
    Wine,
}

pub(crate) fn chore(skip: &Skip) -> Outcome {
    say::out(format_args!("skipped: {skip}"));
    if unlisted([skip]).is_empty() {
        return Ok(());
    }
    Err(Failure::missing(format!("not listed in tools/xtask/src/skips.txt: {skip}")))
}

fn is_listed(list: &str, skip: &Skip, place: Place) -> bool {
    list.lines().filter(|line| !line.starts_with('#')).any(|line| {
        let mut words = line.splitn(4, ' ').filter(|word| !word.is_empty());
        let (Some(when), Some(suite), Some(test), Some(reason)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return false;
        };
        let is_here = match when {
            "user" => place == Place::User,
            "wine" => place == Place::Wine,
            _ => when == "always",
        };
        let is_named = |word: &str, name: &str| word == "*" || word == name;
        let is_test = is_named(suite, &skip.suite) && is_named(test, &skip.test);
        let is_reason = match reason.strip_suffix('…') {
            Some(start) => skip.reason.starts_with(start),
            None => skip.reason == reason,
        };
        is_here && is_test && is_reason
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &str = "# why\n\nalways curt/kernel names no openat2\nalways curt/kernel group \
        cannot: …\nuser * * needs root\nwine * * Wine …";

    #[track_caller]
    fn check(skip: &str, place: Place, expected: bool) {
        assert_eq!(is_listed(SOME, &Skip::parse(skip).unwrap(), place), expected, "{skip}");
    }

    #[test]
    fn suite_test_and_reason_must_be_listed() {
        check("curt/kernel: names: no openat2", Place::Root, true);
        check("curt-cli/kernel: names: no openat2", Place::Root, false);
        check("curt/kernel: others: no openat2", Place::Root, false);
        check("curt/kernel: names: no time", Place::Root, false);
        check("curt/kernel: group: cannot: EPERM: no", Place::Root, true);
    }

    #[test]
    fn what_needs_root_may_be_skipped_by_users_only() {
        check("curt/kernel: mounts: needs root", Place::User, true);
        check("curt/kernel: mounts: needs root", Place::Root, false);
    }

    #[test]
    fn what_wine_cannot_do_may_be_skipped_under_wine_only() {
        check("curt/win32: links: Wine has none", Place::Wine, true);
        check("curt/win32: links: Wine has none", Place::Root, false);
        check("curt/win32: links: needs root", Place::Wine, false);
    }

    #[test]
    fn every_line_of_the_list_is_understood() {
        for line in LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            assert!(words.len() == 4 && !words.contains(&""), "{line}");
            let has_star = words[1] == "*" || words[2] == "*";
            assert!(matches!(words[0], "user" | "wine") || words[0] == "always" && !has_star);
        }
    }

    #[test]
    fn tests_on_the_list_exist() {
        for line in LIST.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            let [_, suite, test, _] = words[..] else { continue };
            let Some((package, program)) = suite.split_once('/') else { continue };
            let Some((module, name)) = test.rsplit_once("::") else { continue };
            let file = format!("crates/{package}/tests/{program}/{}.rs", module.replace("::", "/"));
            let text = std::fs::read_to_string(host::checkout().join(&file)).expect(&file);
            assert!(text.contains(&format!("fn {name}()")), "{file}: no {name}");
        }
    }
}
