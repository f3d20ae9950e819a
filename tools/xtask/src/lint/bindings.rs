//! Checks that bindings only translate: the library decides which errors to ignore, when to retry,
//! and which calls to make.

use std::collections::BTreeSet;

use super::{Problem, is_in};

const CALL: &str = "a call of std::fs";
const AGAIN: &str = "another attempt";
const ERRORS: &str = "a choice of errors";

const EXCEPTIONS: [(&str, &str, &str); 7] = [
    ("bindings/node/lib/rm.js", AGAIN, "a pause in the library occupies a thread of Node's pool"),
    ("bindings/node/src/root.rs", ERRORS, "recursive mkdir in Node's words, since 2026-11-29"),
    ("bindings/node/src/windows.rs", ERRORS, "libuv's numbers for those of the system"),
    ("bindings/python/python/curt_fs/dask/", AGAIN, "waits for a scheduler, since 2026-11-29"),
    ("bindings/python/python/curt_fs/dask/", ERRORS, "removes by itself, since 2026-11-29"),
    ("bindings/ruby/ext/curt/find.c", ERRORS, "what Find.find passes over, since 2026-11-29"),
    ("bindings/ruby/ext/curt/root.c", ERRORS, "Ruby closes forgotten files to free descriptors"),
];

pub(super) fn decisions(path: &str, text: &str) -> Vec<Problem> {
    let tests = ["test", "tests", "examples", "proofs"];
    if !path.starts_with("bindings/") || tests.iter().any(|folder| is_in(path, folder)) {
        return Vec::new();
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_comment = |line: &str| ["//", "/*", "*", "#"].iter().any(|mark| line.starts_with(mark));
    let code = code.lines().map(str::trim).map(|line| if is_comment(line) { "" } else { line });
    let code: Vec<&str> = code.collect();
    let found = (0..code.len()).filter_map(|at| {
        let what = decision(code[at], &code[at.saturating_sub(3)..=at])?;
        let is_fine = |&(file, why, _): &(&str, &str, &str)| why == what && path.starts_with(file);
        let is_wrong = !EXCEPTIONS.iter().any(is_fine);
        is_wrong.then(|| (at + 1, format!("{what}: the library decides that")))
    });
    found.collect()
}

fn decision(line: &str, lines: &[&str]) -> Option<&'static str> {
    let is_error = |word: &&str| word.len() > 4 && word.starts_with('E') && !word.contains('_');
    let errors = |line: &str| -> BTreeSet<String> {
        let words = line.split(|letter: char| letter != '_' && !letter.is_ascii_uppercase());
        words.filter(is_error).map(str::to_owned).collect()
    };
    let has = |names: &[&str]| names.iter().any(|name| line.contains(name));
    let is_function = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_lowercase());
    if line.split("fs::").skip(1).any(is_function) || has(&["File::open", "File::create"]) {
        Some(CALL)
    } else if line == "retry" || has(&["sleep(", "setTimeout(", "Atomics.wait("]) {
        Some(AGAIN)
    } else {
        let is_choice = !errors(line).is_empty() && errors(&lines.join(" ")).len() > 1;
        is_choice.then_some(ERRORS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        decisions(path, text).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn a_binding_decides_nothing() {
        for text in [
            "fs::remove_file(path)?;",
            "let file = std::fs::File::open(path);",
            "await setTimeout(delay);",
            "  retry",
            "case EAGAIN: case EINTR:",
            "rescue Errno::ENOENT, Errno::EACCES",
        ] {
            assert_eq!(lines("bindings/new/lib/a.rb", text), [1], "{text}");
        }
        let arms = "match number {\n  ENOENT => 1,\n  // It is there.\n  ENOTDIR => 2,\n}";
        assert_eq!(lines("bindings/new/src/a.rs", arms), [4]);
    }

    #[test]
    fn a_binding_maps() {
        for text in [
            "use std::fs::{File, Permissions};\nfn f(file: fs::File) {}",
            "// fs::read(path), ENOENT, EACCES",
            "if number == libc::ENOENT {\n}\n\n\nelse if number == libc::EACCES {",
            "const { maxRetries, retryDelay } = options;",
            "#[cfg(test)]\nmod tests { fs::read(path) }",
        ] {
            assert_eq!(lines("bindings/new/src/a.rs", text), [0; 0], "{text}");
        }
        let table = "case ELOOP: case ENOENT:";
        for path in
            ["bindings/c/tests/a.c", "bindings/ruby/ext/curt/find.c", "crates/curt/src/a.rs"]
        {
            assert_eq!(lines(path, table), [0; 0], "{path}");
        }
        assert_eq!(lines("bindings/ruby/ext/curt/find.c", "sleep(1);"), [1]);
    }
}
