//! Counts the lines of every package's Rust, and compares them with the committed numbers: size
//! only falls. A line is a test in a test file, in an example, in a unit test, and in the parts of
//! the library that only tests use.

use crate::host::{self, Failure, Outcome};
use crate::lint::{self, code::Code};
use crate::say;
use std::collections::BTreeMap;
use std::fs;

/// The committed numbers: lines of `PACKAGE PRODUCTION TEST`.
const LIST: &str = "tools/xtask/src/size.txt";

/// The part of the library that is compiled for its tests alone.
const FOR_TESTS: &str = "crates/curt/src/sys/memory/";

/// Lines of production code, and of tests.
type Sizes = BTreeMap<String, [usize; 2]>;

/// The task `size`: `--update` lowers the committed numbers. They are raised by hand, in a commit
/// that says what a user gets for it.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_update = match arguments {
        [] => false,
        [option] if option == "--update" => true,
        _ => return Err(Failure::usage("size takes --update only")),
    };
    let list = host::checkout().join(LIST);
    let sources = lint::sources()?;
    if !sources.iter().any(|(path, _)| path.starts_with(FOR_TESTS)) {
        return Err(Failure::new(format!("no files in {FOR_TESTS}")));
    }
    let (found, allowed) = (count(&sources), parse(&fs::read_to_string(&list)?)?);
    say::out(format_args!("{:<24} {:>10} {:>8}", "", "production", "test"));
    let mut all = [0; 2];
    for (package, [production, test]) in &found {
        say::out(format_args!("{package:<24} {production:>10} {test:>8}"));
        all = [all[0] + production, all[1] + test];
    }
    say::out(format_args!(
        "{:<24} {:>10} {:>8}\nall Rust: {}",
        "sum",
        all[0],
        all[1],
        all[0] + all[1]
    ));
    if is_update {
        let lines = found.iter().map(|(package, now)| {
            let then = allowed.get(package).unwrap_or(now);
            format!("{package} {} {}\n", now[0].min(then[0]), now[1].min(then[1]))
        });
        fs::write(list, lines.collect::<String>())?;
    }
    let above = above(&found, &allowed);
    if above.is_empty() || is_update && above.iter().all(|line| line.ends_with("no number")) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "more lines than {LIST} allows:\n{}\nRemove as many, or say in the commit what a user gets \
         for them: whoever merges it then raises the numbers.",
        above.join("\n")
    )))
}

/// The lines of each package: of the folder below `crates`, `bindings` or `tools`, or `fuzz`.
fn count(files: &[(String, String)]) -> Sizes {
    let mut sizes = Sizes::new();
    for (path, text) in files {
        let mut parts = path.split('/');
        let package = match (parts.next(), parts.next()) {
            (Some(folder @ ("crates" | "bindings" | "tools")), Some(name)) => {
                format!("{folder}/{name}")
            }
            (Some(folder), _) => folder.to_owned(),
            (None, _) => continue,
        };
        let lines = text.lines().count();
        let is_test =
            lint::is_test(path) || lint::is_in(path, "examples") || path.starts_with(FOR_TESTS);
        let tests = if is_test { lines } else { Code::new(text).test_lines };
        let size = sizes.entry(package).or_default();
        *size = [size[0] + lines - tests, size[1] + tests];
    }
    sizes
}

fn parse(list: &str) -> Result<Sizes, Failure> {
    let line = |line: &str| {
        let mut words = line.split(' ');
        let package = words.next()?.to_owned();
        Some((package, [words.next()?.parse().ok()?, words.next()?.parse().ok()?]))
    };
    let wrong = |text| Failure::new(format!("{LIST}: not PACKAGE PRODUCTION TEST: '{text}'"));
    list.lines().map(|text| line(text).ok_or_else(|| wrong(text))).collect()
}

/// What has grown.
fn above(found: &Sizes, allowed: &Sizes) -> Vec<String> {
    let lines = found.iter().filter_map(|(package, now)| match allowed.get(package) {
        None => Some(format!("{package}: no number")),
        Some(then) if now[0] > then[0] || now[1] > then[1] => Some(format!(
            "{package}: {} production and {} test lines, not {} and {}",
            now[0], now[1], then[0], then[1]
        )),
        Some(_) => None,
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_production_or_test() {
        let files = [
            ("crates/curt/src/a.rs", "a\n// b\n#[cfg(test)]\nmod tests {\n}\n"),
            ("crates/curt/src/a/tests.rs", "a\n"),
            ("crates/curt/src/sys/memory/mod.rs", "a\n"),
            ("crates/curt/tests/x/main.rs", "a\n"),
            ("fuzz/fuzz_targets/a.rs", "a\n"),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(count(&files), parse("crates/curt 2 6\nfuzz 1 0").unwrap());
    }

    #[test]
    fn only_more_lines_are_too_many() {
        let above = |now: &str| above(&parse(now).unwrap(), &parse("a 2 6").unwrap());
        assert_eq!(above("a 1 6"), [""; 0]);
        assert_eq!(above("a 2 7"), ["a: 2 production and 7 test lines, not 2 and 6"]);
        assert_eq!(above("b 1 1"), ["b: no number"]);
    }
}
