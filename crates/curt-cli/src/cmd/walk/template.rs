//! Words in which placeholders stand for a path or for a part of it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::sys;

/// The words of a command, or a line to print.
pub(in crate::cmd) struct Template(Vec<Vec<Part>>);

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(OsString),
    /// `{}`
    Path,
    /// `{/}`: the name.
    Name,
    /// `{//}`: the directory.
    Parent,
    /// `{.}`: the path without the extension, and without `./` before it.
    Stem,
    /// `{/.}`: the name without the extension.
    NameStem,
}

/// fd's placeholders, and the braces that are none.
static PLACEHOLDERS: [(&str, Option<Part>, &str); 7] = [
    ("{{", None, "{"),
    ("}}", None, "}"),
    ("{}", Some(Part::Path), ""),
    ("{/}", Some(Part::Name), ""),
    ("{//}", Some(Part::Parent), ""),
    ("{.}", Some(Part::Stem), ""),
    ("{/.}", Some(Part::NameStem), ""),
];

impl Template {
    /// Reads words as find does: the first `{}` of each is the path.
    pub(in crate::cmd) fn of_find(words: &[OsString]) -> Template {
        let read = |word: &OsString| {
            let split = word.to_str().and_then(|text| text.split_once("{}"));
            let Some((before, after)) = split else { return vec![Part::Text(word.clone())] };
            let text = |text: &str| (!text.is_empty()).then(|| Part::Text(text.into()));
            text(before).into_iter().chain([Part::Path]).chain(text(after)).collect()
        };
        Template(words.iter().map(read).collect())
    }

    /// Reads words as fd does, with all of its placeholders.
    pub(in crate::cmd) fn of_fd(words: &[OsString]) -> Template {
        let read = |word: &OsString| {
            word.to_str().map_or_else(|| vec![Part::Text(word.clone())], placeholders)
        };
        Template(words.iter().map(read).collect())
    }

    /// Whether every command starts the same program.
    pub(in crate::cmd) fn has_one_program(&self) -> bool {
        self.0.first().is_some_and(|word| is_text(word))
    }

    /// Returns the words of the command. A word with a placeholder is repeated for each path.
    /// Without any placeholder the paths come last.
    pub(in crate::cmd) fn arguments(&self, paths: &[OsString]) -> Vec<OsString> {
        let mut arguments = Vec::new();
        for word in &self.0 {
            if is_text(word) {
                arguments.push(filled(word, OsStr::new("")));
            } else {
                arguments.extend(paths.iter().map(|path| filled(word, path)));
            }
        }
        if self.0.iter().all(|word| is_text(word)) {
            arguments.extend_from_slice(paths);
        }
        arguments
    }

    /// Returns the first word for a path.
    pub(in crate::cmd) fn line(&self, path: &OsStr) -> OsString {
        self.0.first().map(|word| filled(word, path)).unwrap_or_default()
    }
}

/// Returns how many bytes of a command line these words take.
pub(super) fn bytes(words: &[OsString]) -> usize {
    words.iter().map(|word| sys::bytes_of_argument(word)).sum()
}

fn is_text(word: &[Part]) -> bool {
    word.iter().all(|part| matches!(part, Part::Text(_)))
}

fn filled(word: &[Part], path: &OsStr) -> OsString {
    let whole = Path::new(path);
    let name = whole.file_name().unwrap_or(path);
    let stem = whole.file_stem().unwrap_or(path);
    let mut filled = OsString::new();
    for part in word {
        match part {
            Part::Text(text) => filled.push(text),
            Part::Path => filled.push(path),
            Part::Name => filled.push(name),
            Part::NameStem => filled.push(stem),
            Part::Stem => {
                let path = whole.with_file_name(stem);
                // Programs take what begins with a dash for an option.
                let bare = path.strip_prefix(".").ok();
                let bare = bare.filter(|it| !it.as_os_str().as_encoded_bytes().starts_with(b"-"));
                filled.push(bare.unwrap_or(&path));
            }
            Part::Parent => match whole.parent() {
                Some(parent) if parent.as_os_str().is_empty() => filled.push("."),
                Some(parent) => filled.push(parent),
                None => filled.push(path),
            },
        }
    }
    filled
}

fn placeholders(word: &str) -> Vec<Part> {
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), word);
    while let Some(first) = rest.chars().next() {
        let known = PLACEHOLDERS.iter().find(|(typed, ..)| rest.starts_with(typed));
        let Some((typed, part, literal)) = known else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        rest = &rest[typed.len()..];
        text.push_str(literal);
        if let Some(part) = part {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text).into()));
            }
            parts.push(part.clone());
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Text(text.into()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::Template;
    use std::ffi::{OsStr, OsString};

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn braces_become_paths() {
        let paths = words(&["a", "b c"]);
        for (template, arguments) in [
            (&["echo", "{}"][..], &["echo", "a", "b c"][..]),
            (&["echo"], &["echo", "a", "b c"]),
            (&["cp", "{}", "{}.bak"], &["cp", "a", "b c", "a.bak", "b c.bak"]),
            (&["x", "-o", "{}", "end"], &["x", "-o", "a", "b c", "end"]),
            (&["x", ""], &["x", "", "a", "b c"]),
        ] {
            assert_eq!(Template::of_find(&words(template)).arguments(&paths), words(arguments));
            assert_eq!(Template::of_fd(&words(template)).arguments(&paths), words(arguments));
        }
        let find = Template::of_find(&words(&["{.}", "{}{}"]));
        assert_eq!(find.arguments(&words(&["a"])), words(&["{.}", "a{}"]));
    }

    #[test]
    fn placeholders_of_fd_become_parts_of_the_path() {
        for (template, path, expected) in [
            ("{}", "./a/b.tar.gz", "./a/b.tar.gz"),
            ("{/}", "./a/b.tar.gz", "b.tar.gz"),
            ("{//}", "./a/b.tar.gz", "./a"),
            ("{.}", "./a/b.tar.gz", if cfg!(windows) { r"a\b.tar" } else { "a/b.tar" }),
            ("{.}", "./-a.gz", if cfg!(windows) { r".\-a" } else { "./-a" }),
            ("{/.}", "./a/b.tar.gz", "b.tar"),
            ("{//}", "b", "."),
            ("{//}", "./b", "."),
            ("{//}", "/", "/"),
            ("{.}", ".profile", ".profile"),
            ("<{/.}|{}>", "x/a.b", "<a|x/a.b>"),
            ("{{}}", "a", "{}"),
            ("{{{}}}", "a", "{a}"),
            ("{a}", "b", "{a}"),
            ("{", "b", "{"),
        ] {
            let line = Template::of_fd(&words(&[template])).line(OsStr::new(path));
            assert_eq!(line, expected, "{template} {path}");
        }
    }
}
