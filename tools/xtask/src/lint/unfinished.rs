//! Nothing unfinished lands: no placeholder code, no reminders in comments, no silent tests.

use super::{File, Finding, places};

/// Words that mark work left undone; put together so that this file does not contain them.
const REMINDERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];

/// File name endings of texts whose every line is looked at: what is not Rust, but not prose.
const SCRIPTS: &[&str] = &["c", "go", "h", "js", "py", "sh", "toml", "yml", "zig"];

/// No placeholder macros, and no test that is ignored without a reason.
pub(super) fn code(file: &File) -> Vec<Finding> {
    let source = &file.source;
    let mut found = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        let name = token.text.as_str();
        let problem = if matches!(name, "todo" | "unimplemented") && source.text(at + 1) == "!" {
            format!("`{name}!`: finish it, or leave it out")
        } else if source.starts(at, &["#", "["]) && ignores(file, at + 1) {
            "say why the test is ignored: #[ignore = \"reason\"]".to_owned()
        } else {
            continue;
        };
        found.push(Finding::problem(&file.path, token.line, "unfinished", problem));
    }
    found
}

/// Whether the attribute whose bracket opens at `at` is, or gives, an `ignore` without a reason.
fn ignores(file: &File, at: usize) -> bool {
    let source = &file.source;
    let is_ignore = |at: usize| source.text(at) == "ignore" && source.text(at + 1) != "=";
    match source.text(at + 1) {
        "ignore" => is_ignore(at + 1),
        "cfg_attr" => (at + 2..source.behind_group(at)).any(is_ignore),
        _ => false,
    }
}

/// No reminders in comments, nor in scripts.
pub(super) fn comments(file: &File) -> Vec<Finding> {
    let in_code = file.source.comments.iter().map(|comment| (comment.line, comment.text.as_str()));
    let script = SCRIPTS.iter().any(|ending| places::has_ending(&file.path, ending));
    let in_script = (1..).zip(file.text.lines()).filter(|_| script);
    in_code
        .chain(in_script)
        .filter_map(|(line, text)| {
            let word = REMINDERS.iter().find(|word| has_word(text, word))?;
            let text = format!("'{word}': finish it, or open an issue");
            Some(Finding::problem(&file.path, line, "unfinished", text))
        })
        .collect()
}

/// Whether the text holds this word, not as a part of a longer one.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let part = |letter: char| letter == '_' || letter.is_alphanumeric();
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let file = File::new(path, text);
        code(&file).iter().chain(&comments(&file)).map(|found| found.line).collect()
    }

    #[test]
    fn placeholders_and_reminders_are_found() {
        assert_eq!(lines("a.rs", "fn f() {\n    todo!()\n}"), [2]);
        assert_eq!(lines("a.rs", "unimplemented!(\"later\")"), [1]);
        let reminder = format!("// {}: later", REMINDERS[0]);
        assert_eq!(lines("a.rs", &reminder), [1]);
        assert_eq!(lines("a.py", &reminder.replace("//", "#")), [1]);
    }

    #[test]
    fn words_that_only_look_alike_are_fine() {
        let text = format!("// mktemp {0}{0}\nlet a = \"{1}\";", REMINDERS[2], REMINDERS[0]);
        assert_eq!(lines("a.rs", &text), [0; 0]);
        assert_eq!(lines("a.md", &format!("no {} here", REMINDERS[0])), [0; 0]);
        assert_eq!(lines("a.rs", "/// todo!()\nfn todo() {}"), [0; 0]);
    }

    #[test]
    fn an_ignored_test_needs_a_reason() {
        assert_eq!(lines("a.rs", "#[ignore]\nfn f() {}"), [1]);
        assert_eq!(lines("a.rs", "#[cfg_attr(miri, ignore)]"), [1]);
        assert_eq!(
            lines("a.rs", "#[ignore = \"slow\"]\n#[cfg_attr(miri, ignore = \"x\")]"),
            [0; 0]
        );
    }
}
