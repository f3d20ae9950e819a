//! Translates command lines of GNU find, to suggest the curt command in an error message.

use crate::quote::for_terminal;

/// Names of GNU find's options, tests and actions with several letters. As combined short options
/// they would often mean something else: `-exec` is `-e xec`. `-ls` is omitted, because `-l -s`
/// prints a listing, too.
const WORDS: &str = "\
    amin and anewer atime cmin cnewer context ctime daystart delete depth empty exec execdir \
    executable false files0-from fls follow fprint fprint0 fprintf fstype gid group \
    ignore_readdir_race ilname iname inum ipath iregex iwholename links lname maxdepth mindepth \
    mmin mount mtime name newer newermt nogroup noignore_readdir_race noleaf not nouser nowarn ok \
    okdir or path perm print print0 printf prune quit readable regex regextype samefile size true \
    type uid used user version warn wholename writable xdev xtype";

/// GNU find's words, and curt's options with the same meaning and value.
const SAME: [(&str, &str); 11] = [
    ("delete", "--delete"),
    ("empty", "--empty"),
    ("maxdepth", "-d"),
    ("mindepth", "--min-depth"),
    ("mount", "--one-file-system"),
    ("newer", "--newer"),
    ("perm", "--perm"),
    ("print0", "-0"),
    ("type", "-t"),
    ("user", "-o"),
    ("xdev", "--one-file-system"),
];

pub(in crate::args) fn is_of_find(name: &str) -> bool {
    WORDS.split(' ').any(|word| word == name)
}

/// Translates a command line of GNU find for curt. The error is the first word without a
/// counterpart.
pub(in crate::args) fn translated<'w>(words: &[&'w str]) -> Result<String, &'w str> {
    let first = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let (paths, rest) = words.split_at(first);
    // `-u`, because GNU find skips neither hidden nor ignored entries.
    let (mut flags, mut pattern, mut options) = ("-u", None, Vec::new());
    let mut rest = rest.iter();
    while let Some(&word) = rest.next() {
        let name = word.trim_start_matches('-');
        match name {
            "print" => {}
            "name" | "iname" if pattern.is_none() => {
                flags = if name == "name" { "-usg" } else { "-uig" };
                pattern = Some(*rest.next().ok_or(word)?);
            }
            "mtime" | "size" if !word.starts_with("--size") => {
                let value = rest.next().ok_or(word)?;
                let number = value.trim_start_matches(['+', '-']);
                let digits = number.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
                let option = match (name, value.as_bytes().first(), &number[digits.len()..]) {
                    ("mtime", Some(b'+'), "") => format!("--older {digits}d"),
                    ("mtime", Some(b'-'), "") => format!("--newer {digits}d"),
                    ("size", _, "c") => format!("-S {}b", value.trim_end_matches('c')),
                    ("size", Some(b'+'), unit @ ("k" | "M" | "G")) => {
                        format!("-S +{digits}{}i", unit.to_ascii_lowercase())
                    }
                    _ => return Err(word),
                };
                options.push(option);
            }
            _ => match SAME.iter().find(|(known, _)| *known == name && word != name) {
                Some((_, option)) => options.push((*option).to_owned()),
                None if is_of_find(name) && word != name => return Err(word),
                None => options.push(for_terminal(word, "")),
            },
        }
    }
    let is_everything = pattern.is_none() && matches!(paths, [] | ["."]);
    let names = [pattern.unwrap_or(".")].into_iter().chain(paths.iter().copied());
    let names = names.filter(|_| !is_everything).map(|name| for_terminal(name, ""));
    let line: Vec<String> = [flags.to_owned()].into_iter().chain(names).chain(options).collect();
    Ok(format!("curt find {}", line.join(" ")))
}
