//! Compares the lines of code per area and language with the committed numbers, which may only
//! fall. Test lines are those of test files, examples, Rust unit tests, and the library's test
//! modules.

use crate::host::{self, Failure, Outcome};
use crate::lint::{self, code::Code};
use crate::say;
use std::collections::BTreeMap;
use std::fs;

const LIST: &str = "tools/xtask/src/size.txt";

const FOR_TESTS: &str = "crates/curt/src/sys/memory/";

const LANGUAGES: [(&str, &[&str]); 10] = [
    ("c", &[".c", ".h"]),
    ("go", &[".go"]),
    ("javascript", &[".js", ".mjs"]),
    ("markdown", &[".md"]),
    ("python", &[".py", ".pyi"]),
    ("ruby", &[".rb", ".rbs", ".gemspec"]),
    ("rust", &[".rs"]),
    ("shell", &[".sh"]),
    ("typescript", &[".ts", ".mts"]),
    ("zig", &[".zig"]),
];

/// Production and test lines, by `AREA LANGUAGE`.
type Sizes = BTreeMap<String, [usize; 2]>;

/// `--update` only lowers the committed numbers. Raise them by hand, in a commit that explains the
/// benefit.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_update = match arguments {
        [] => false,
        [option] if option == "--update" => true,
        _ => return Err(Failure::usage("size takes --update only")),
    };
    let list = host::checkout().join(LIST);
    let files = lint::files(&["*"])?;
    if !files.iter().any(|(path, _)| path.starts_with(FOR_TESTS)) {
        return Err(Failure::new(format!("no files in {FOR_TESTS}")));
    }
    let (found, allowed) = (count(&files), parse(&fs::read_to_string(&list)?)?);
    say::out(format_args!("{:<32} {:>10} {:>8}", "", "production", "test"));
    let mut all = [0; 2];
    for (area, [production, test]) in &found {
        say::out(format_args!("{area:<32} {production:>10} {test:>8}"));
        all = [all[0] + production, all[1] + test];
    }
    say::out(format_args!("{:<32} {:>10} {:>8}\nall: {}", "sum", all[0], all[1], all[0] + all[1]));
    if is_update {
        let lines = found.iter().map(|(area, now)| {
            let then = allowed.get(area).unwrap_or(now);
            format!("{area} {} {}\n", now[0].min(then[0]), now[1].min(then[1]))
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

/// Counts lines per area: a directory in `crates`, `bindings` or `tools`, any other top-level
/// directory, or `top` for files in the root and in hidden directories.
fn count(files: &[(String, String)]) -> Sizes {
    let mut sizes = Sizes::new();
    for (path, text) in files {
        let Some(language) = language(path, text) else { continue };
        let area = match path.split('/').collect::<Vec<_>>()[..] {
            [folder @ ("crates" | "bindings" | "tools"), name, _, ..] => format!("{folder}/{name}"),
            [folder, _, ..] if !folder.starts_with('.') => folder.to_owned(),
            _ => "top".to_owned(),
        };
        let lines = text.lines().count();
        let tests = match language {
            _ if is_test(path) => lines,
            "rust" => Code::new(text).test_lines,
            _ => 0,
        };
        let size = sizes.entry(format!("{area} {language}")).or_default();
        *size = [size[0] + lines - tests, size[1] + tests];
    }
    sizes
}

fn language(path: &str, text: &str) -> Option<&'static str> {
    let is_script = || {
        let first = text.lines().next().filter(|line| line.starts_with("#!"))?;
        first.ends_with("sh").then_some("shell")
    };
    let ends = |(_, ends): &&(&str, &[&str])| ends.iter().any(|end| path.ends_with(end));
    LANGUAGES.iter().find(ends).map(|(name, _)| *name).or_else(is_script)
}

fn is_test(path: &str) -> bool {
    let is_in_folder = ["test", "examples"].iter().any(|folder| lint::is_in(path, folder));
    is_in_folder || lint::is_test(path) || path.starts_with(FOR_TESTS) || path.ends_with("/test.sh")
}

fn parse(list: &str) -> Result<Sizes, Failure> {
    let line = |line: &str| {
        let (rest, test) = line.rsplit_once(' ')?;
        let (area, production) = rest.rsplit_once(' ')?;
        Some((area.to_owned(), [production.parse().ok()?, test.parse().ok()?]))
    };
    let wrong = |text| Failure::new(format!("{LIST}: not AREA LANGUAGE PRODUCTION TEST: '{text}'"));
    list.lines().map(|text| line(text).ok_or_else(|| wrong(text))).collect()
}

fn above(found: &Sizes, allowed: &Sizes) -> Vec<String> {
    let lines = found.iter().filter_map(|(area, now)| match allowed.get(area) {
        None => Some(format!("{area}: no number")),
        Some(then) if now[0] > then[0] || now[1] > then[1] => Some(format!(
            "{area}: {} production and {} test lines, not {} and {}",
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
        const EXPECTED: &str = "crates/curt rust 2 6\nfuzz rust 1 0\nbindings/c c 1 1\n\
            bindings/node javascript 0 1\ntop shell 1 0\ntools/dist shell 0 1\ntop markdown 1 0";
        let files = [
            ("crates/curt/src/a.rs", "a\n// b\n#[cfg(test)]\nmod tests {\n}\n"),
            ("crates/curt/src/a/tests.rs", "a\n"),
            ("crates/curt/src/sys/memory/mod.rs", "a\n"),
            ("crates/curt/tests/x/main.rs", "a\n"),
            ("fuzz/fuzz_targets/a.rs", "a\n"),
            ("bindings/c/include/a.h", "a\n"),
            ("bindings/c/tests/a.c", "a\n"),
            ("bindings/node/test/a.js", "a\n"),
            (".ci/run", "#!/usr/bin/env bash\n"),
            ("tools/dist/test.sh", "a\n"),
            ("tools/xtask/src/size.txt", "a\n"),
            ("README.md", "a\n"),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(count(&files), parse(EXPECTED).unwrap());
    }

    #[test]
    fn only_more_lines_are_too_many() {
        let above = |now: &str| above(&parse(now).unwrap(), &parse("a c 2 6").unwrap());
        assert_eq!(above("a c 1 6"), [""; 0]);
        assert_eq!(above("a c 2 7"), ["a c: 2 production and 7 test lines, not 2 and 6"]);
        assert_eq!(above("b c 1 1"), ["b c: no number"]);
    }
}
