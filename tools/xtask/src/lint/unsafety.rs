//! `unsafe` only where the platform is, and always with its reason.

use super::lexer::is_word;
use super::{File, Finding, places};

/// `unsafe` only in the platforms and the bindings.
pub(super) fn location(file: &File) -> Vec<Finding> {
    if places::may_be_unsafe(&file.path) {
        return Vec::new();
    }
    let tokens = file.source.tokens.iter().filter(|token| token.text == "unsafe");
    tokens
        .map(|token| {
            let text = "unsafe belongs under the sys/ of a crate and in the bindings";
            Finding::problem(&file.path, token.line, "unsafe", text)
        })
        .collect()
}

/// Every `unsafe` has its reason above it: `// SAFETY:`, or `# Safety` for what callers must keep.
pub(super) fn comments(file: &File) -> Vec<Finding> {
    if file.path.starts_with(places::RIVALS) {
        return Vec::new();
    }
    let source = &file.source;
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        if token.text != "unsafe" {
            continue;
        }
        let wanted: &[&str] = match source.text(at + 1) {
            "{" | "impl" | "(" => &["SAFETY:"],
            "fn" | "extern" if is_type(file, at + 1) => continue,
            _ => &["SAFETY:", "# Safety"],
        };
        if !explained(&lines, token.line, wanted) {
            let text = format!("unsafe without a comment `{}`", wanted.join("` or `"));
            found.push(Finding::problem(&file.path, token.line, "safety-comment", text));
        }
    }
    found
}

/// Whether the `fn` or `extern "C" fn` at `at` is the type of a pointer: it has no name.
fn is_type(file: &File, at: usize) -> bool {
    let source = &file.source;
    let mut at = at;
    if source.text(at) == "extern" {
        at += 1 + usize::from(source.text(at + 1) == "\"");
    }
    source.text(at) == "fn" && !is_word(source.text(at + 1))
}

/// Whether a comment with one of these words stands on the line, or above it before the end of the
/// statement or item that comes first.
fn explained(lines: &[&str], line: usize, words: &[&str]) -> bool {
    let has = |text: &str| {
        let comment = text.find("//").or_else(|| text.find("/*")).map(|at| &text[at..]);
        comment.is_some_and(|comment| words.iter().any(|word| comment.contains(word)))
    };
    if has(lines.get(line - 1).copied().unwrap_or_default()) {
        return true;
    }
    for text in lines[..line - 1].iter().rev() {
        if has(text) {
            return true;
        }
        let text = text.trim();
        let is_comment = text.starts_with("//") || text.starts_with('#');
        if text.is_empty() || (!is_comment && text.ends_with([';', '{', '}'])) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLATFORM: &str = "crates/curt/src/sys/unix/door.rs";

    fn unexplained(text: &str) -> Vec<usize> {
        comments(&File::new(PLATFORM, text)).iter().map(|found| found.line).collect()
    }

    #[test]
    fn unsafe_elsewhere_is_found() {
        let file =
            File::new("crates/curt/src/remove.rs", "// unsafe\nfn f() {\n unsafe { g() }\n}");
        assert_eq!(location(&file)[0].line, 3);
        assert_eq!(location(&file).len(), 1);
    }

    #[test]
    fn unsafe_in_the_platform_is_fine() {
        assert_eq!(location(&File::new(PLATFORM, "unsafe { g() }")), []);
        let file = File::new("crates/curt/src/lib.rs", "#![deny(unsafe_code)]");
        assert_eq!(location(&file), []);
    }

    #[test]
    fn blocks_without_a_reason_are_found() {
        assert_eq!(unexplained("let a = 1;\nunsafe { g() };"), [2]);
        assert_eq!(unexplained("// SAFETY: of f\nf();\nunsafe { g() };"), [3]);
        assert_eq!(unexplained("// SAFETY: too far\n\nunsafe impl Send for A {}"), [3]);
        assert_eq!(unexplained("let safety = \"SAFETY:\"; unsafe { g() };"), [1]);
    }

    #[test]
    fn blocks_with_a_reason_are_fine() {
        assert_eq!(unexplained("// SAFETY: a\n// b\nunsafe { g() };"), [0; 0]);
        assert_eq!(unexplained("// SAFETY: a\nlet x = f(\n    1,\n    unsafe { g() });"), [0; 0]);
        assert_eq!(unexplained("x => unsafe { g() }, // SAFETY: a"), [0; 0]);
        assert_eq!(unexplained("// SAFETY: a\n#[inline]\nunsafe impl Send for A {}"), [0; 0]);
    }

    #[test]
    fn functions_say_what_callers_must_keep() {
        assert_eq!(unexplained("/// # Safety\n/// Open.\npub unsafe fn f() {}"), [0; 0]);
        assert_eq!(unexplained("/// Reads.\npub unsafe fn f() {}"), [2]);
        assert_eq!(
            unexplained("type F = unsafe extern \"C\" fn(i32);\nlet g: unsafe fn();"),
            [0; 0]
        );
    }
}
