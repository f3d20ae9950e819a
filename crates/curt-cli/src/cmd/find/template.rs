//! Text with placeholders for a path or its parts: words of a command, or `--format`, which can
//! also contain fields.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use curt::Fields;

use crate::out::entry;
use crate::sys;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(OsString),
    Path(PathPart),
    Field(Fields),
    Depth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathPart {
    /// `{}`
    Whole,
    /// `{/}`
    Name,
    /// `{//}`
    Parent,
    /// `{.}`: the path without extension and leading `./`.
    Stem,
    /// `{/.}`
    NameStem,
}

/// fd's placeholders, and its escapes for braces.
static PLACEHOLDERS: [(&str, Option<PathPart>, &str); 7] = [
    ("{{", None, "{"),
    ("}}", None, "}"),
    ("{}", Some(PathPart::Whole), ""),
    ("{/}", Some(PathPart::Name), ""),
    ("{//}", Some(PathPart::Parent), ""),
    ("{.}", Some(PathPart::Stem), ""),
    ("{/.}", Some(PathPart::NameStem), ""),
];

impl PathPart {
    pub(super) fn of(self, path: &OsStr) -> OsString {
        let whole = Path::new(path);
        let stem = whole.file_stem().unwrap_or(path);
        match self {
            PathPart::Whole => path.to_owned(),
            PathPart::Name => whole.file_name().unwrap_or(path).to_owned(),
            PathPart::NameStem => stem.to_owned(),
            PathPart::Stem => {
                let path = whole.with_file_name(stem);
                // Keep `./` before a dash, so that the program does not take the path for an
                // option.
                let bare = path.strip_prefix(".").ok();
                let bare = bare.filter(|it| !it.as_os_str().as_encoded_bytes().starts_with(b"-"));
                bare.unwrap_or(&path).into()
            }
            PathPart::Parent => match whole.parent() {
                Some(parent) if parent.as_os_str().is_empty() => ".".into(),
                Some(parent) => parent.into(),
                None => path.to_owned(),
            },
        }
    }
}

pub(super) struct Template(Vec<Vec<Part>>);

impl Template {
    pub(super) fn new(words: &[OsString]) -> Result<Template, String> {
        let read = |word: &OsString| match word.to_str() {
            Some(text) => split(text, |name, is_closed| {
                if is_closed && named(name).is_ok() {
                    return Err(format!(
                        "'{{{name}}}' in a command: only --format has fields; write {{{{{name}}}}} \
                         for the text itself"
                    ));
                }
                Ok(None)
            }),
            None => Ok(vec![Part::Text(word.clone())]),
        };
        words.iter().map(read).collect::<Result<_, _>>().map(Template)
    }

    pub(super) fn has_one_program(&self) -> bool {
        self.0.first().is_some_and(|word| is_text(word))
    }

    /// Returns the command line. A word that contains a placeholder is repeated for each path. If
    /// no word contains one, the paths come last.
    pub(super) fn arguments(&self, paths: &[OsString]) -> Vec<OsString> {
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
}

pub(super) fn bytes(words: &[OsString]) -> usize {
    words.iter().map(|word| sys::bytes_of_argument(word)).sum()
}

fn is_text(word: &[Part]) -> bool {
    word.iter().all(|part| matches!(part, Part::Text(_)))
}

fn filled(word: &[Part], path: &OsStr) -> OsString {
    let mut filled = OsString::new();
    for part in word {
        match part {
            Part::Text(text) => filled.push(text),
            Part::Path(part) => filled.push(part.of(path)),
            Part::Field(_) | Part::Depth => {}
        }
    }
    filled
}

pub(super) fn format(text: &str) -> Result<Vec<Part>, String> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./".contains(byte);
    split(text, |name, is_closed| {
        let (word, more) = name.split_at(name.bytes().take_while(is_part).count());
        match (is_closed, more) {
            (true, "") if !word.is_empty() => named(word).map(Some),
            (true, more) if !word.is_empty() && more.starts_with(':') => Err(format!(
                "'{{{name}}}' in the format: fields have no width or alignment; write {{{word}}}"
            )),
            (false, _) if named(word).is_ok() => Err(format!(
                "'{{{name}' in the format: a brace is not closed; write {{{{ for a brace"
            )),
            _ => Ok(None),
        }
    })
}

pub(super) fn columns(list: &str) -> Result<Vec<Part>, String> {
    list.split(',').map(|name| named(name.trim())).collect()
}

fn named(name: &str) -> Result<Part, String> {
    Ok(match name {
        "path" => Part::Path(PathPart::Whole),
        "name" => Part::Path(PathPart::Name),
        "parent" => Part::Path(PathPart::Parent),
        "depth" => Part::Depth,
        name => Part::Field(entry::field_named(name, &["path", "parent", "depth"])?),
    })
}

/// Splits a text at its placeholders. Passes other text in braces to `other`, which returns `None`
/// if it is plain text. If the brace is unclosed, `other` gets the rest of the text.
fn split(
    text: &str,
    other: impl Fn(&str, bool) -> Result<Option<Part>, String>,
) -> Result<Vec<Part>, String> {
    let (mut parts, mut literal, mut rest) = (Vec::new(), String::new(), text);
    while let Some(first) = rest.chars().next() {
        let known = PLACEHOLDERS.iter().find(|(typed, ..)| rest.starts_with(typed));
        let named = match rest.strip_prefix('{').filter(|_| known.is_none()) {
            Some(rest) => {
                let braced = rest.split_once('}').map(|(name, _)| name);
                let name = braced.unwrap_or(rest);
                other(name, braced.is_some())?.map(|part| (name.len() + 2, Some(part)))
            }
            None => None,
        };
        let (typed, part) = if let Some(&(typed, part, brace)) = known {
            literal.push_str(brace);
            (typed.len(), part.map(Part::Path))
        } else {
            named.unwrap_or_else(|| {
                literal.push(first);
                (first.len_utf8(), None)
            })
        };
        rest = &rest[typed..];
        if let Some(part) = part {
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal).into()));
            }
            parts.push(part);
        }
    }
    if !literal.is_empty() || parts.is_empty() {
        parts.push(Part::Text(literal.into()));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::{Part, PathPart, Template, format};
    use curt::Fields;
    use std::ffi::OsString;

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
            assert_eq!(
                Template::new(&words(template)).unwrap().arguments(&paths),
                words(arguments)
            );
        }
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
            ("{{{}}}", "a", "{a}"),
        ] {
            let arguments = Template::new(&words(&[template])).unwrap().arguments(&words(&[path]));
            assert_eq!(arguments, words(&[expected]), "{template} {path}");
        }
        for field in ["{size}", "a{name}", "{path}b", "{depth}"] {
            assert!(Template::new(&words(&["x", field])).is_err(), "{field}");
        }
        for (text, expected) in
            [("{{}}", "{}"), ("{print}", "{print}"), ("{", "{"), ("{size", "{size")]
        {
            assert_eq!(Template::new(&words(&[text])).unwrap().arguments(&[]), words(&[expected]));
        }
    }

    #[test]
    fn formats_have_fields_too() {
        let text = |text: &str| Part::Text(text.into());
        let path = Part::Path(PathPart::Whole);
        assert_eq!(
            format("{size}\\t{path}{depth} {{x}} { y}"),
            Ok(vec![Part::Field(Fields::SIZE), text("\\t"), path, Part::Depth, text(" {x} { y}")])
        );
        assert_eq!(format(""), Ok(vec![text("")]));
        assert!(format("{size:>8}").is_err_and(|error| error.ends_with("; write {size}")));
        assert!(format("{size").is_err_and(|error| error.contains("a brace is not closed")));
        for text in ["{1}", "{file_name}", "{//.}", "{Size}", "{}{siz}"] {
            assert!(format(text).is_err_and(|error| error.contains("unknown field")), "{text}");
        }
        assert!(format("{siz}").is_err_and(|error| error.contains("did you mean 'size'?")));
    }
}
