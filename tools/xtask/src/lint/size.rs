//! Files and functions that can be read in one go.

use super::lexer::is_word;
use super::{File, Finding, places};

/// A file above this is refused.
const FILE_LIMIT: usize = 600;
/// A file above this is noted.
const FILE_NOTE: usize = 500;
/// A function above this is noted.
const FUNCTION_NOTE: usize = 80;

/// Rust files, not counting tests.
pub(super) fn files(file: &File) -> Vec<Finding> {
    if !file.is_rust() || places::is_test(&file.path) {
        return Vec::new();
    }
    let lines = file.text.lines().count() - lines_of_tests(file);
    if lines > FILE_LIMIT {
        let text = format!("{lines} lines without tests, more than {FILE_LIMIT}: split it");
        return vec![Finding::problem(&file.path, 1, "file-size", text)];
    }
    if lines > FILE_NOTE {
        let text = format!("{lines} lines without tests: consider a folder of the same name");
        return vec![Finding::note(&file.path, 1, "file-size", text)];
    }
    Vec::new()
}

/// The lines of `#[cfg(test)] mod … { … }`.
fn lines_of_tests(file: &File) -> usize {
    let source = &file.source;
    let mut lines = 0;
    for at in 0..source.tokens.len() {
        if !source.starts(at, &["#", "[", "cfg", "(", "test", ")", "]", "mod"]) {
            continue;
        }
        let open = at + 9;
        if source.text(open) == "{" {
            let last = source.behind_group(open) - 1;
            lines += source.tokens[last].line - source.tokens[at].line + 1;
        }
    }
    lines
}

/// Functions, tests or not.
pub(super) fn functions(file: &File) -> Vec<Finding> {
    let source = &file.source;
    let mut found = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        let name = source.text(at + 1);
        if token.text != "fn" || !is_word(name) {
            continue;
        }
        let Some(open) = body(file, at + 2) else {
            continue;
        };
        let last = source.behind_group(open) - 1;
        let lines = source.tokens[last].line - token.line + 1;
        if lines > FUNCTION_NOTE {
            let text = format!("`{name}` has {lines} lines, more than {FUNCTION_NOTE}");
            found.push(Finding::note(&file.path, token.line, "function-size", text));
        }
    }
    found
}

/// The brace that opens the body of the function whose name ends before `at`, if it has a body.
fn body(file: &File, at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        match file.source.text(at) {
            "{" => return Some(at),
            ";" | "" => return None,
            "(" | "[" => at = file.source.behind_group(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, lines: usize) -> File {
        File::new(path, &"a;\n".repeat(lines))
    }

    #[test]
    fn long_files_are_noted_and_longer_ones_refused() {
        assert_eq!(files(&file("a.rs", 500)), []);
        assert!(files(&file("a.rs", 501))[0].note);
        assert!(!files(&file("a.rs", 601))[0].note);
    }

    #[test]
    fn tests_and_other_languages_do_not_count() {
        assert_eq!(files(&file("crates/curt/tests/a.rs", 900)), []);
        assert_eq!(files(&file("a.md", 900)), []);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "a;\n".repeat(600));
        assert_eq!(files(&File::new("a.rs", &tests)), []);
    }

    #[test]
    fn long_functions_are_noted() {
        let long = format!("fn f<T>(a: [u8; 3])\n{{\n{}}}", "a;\n".repeat(78));
        let found = functions(&File::new("a.rs", &long));
        assert!(found[0].note && found[0].text.contains("81 lines"), "{found:?}");
        let short = format!("trait A {{ fn f(); }}\nfn g() {{\n{}}}", "a;\n".repeat(78));
        assert_eq!(functions(&File::new("a.rs", &short)), []);
    }
}
