//! Translates command lines of GNU find, for hints.

use crate::quote::for_terminal;

/// GNU find's options, tests and actions with several letters. As combined short options they would
/// mean something else: `-exec` is `-e xec`. `-ls` is omitted, because `-l -s` also prints a
/// listing.
const WORDS: &str = "\
    amin and anewer atime cmin cnewer context ctime daystart delete depth empty exec execdir \
    executable false files0-from fls follow fprint fprint0 fprintf fstype gid group \
    ignore_readdir_race ilname iname inum ipath iregex iwholename links lname maxdepth mindepth \
    mmin mount mtime name newer newermt nogroup noignore_readdir_race noleaf not nouser nowarn ok \
    okdir or path perm print print0 printf prune quit readable regex regextype samefile size true \
    type uid used user version warn wholename writable xdev xtype";

/// GNU find's words without a value, and curt's options with the same meaning.
const FLAGS: [(&str, &str); 5] = [
    ("delete", "--delete"),
    ("empty", "--empty"),
    ("mount", "--one-file-system"),
    ("print0", "-0"),
    ("xdev", "--one-file-system"),
];

/// GNU find's words with a value, and curt's options with the same meaning.
const VALUED: [(&str, &str); 6] = [
    ("maxdepth", "-d"),
    ("mindepth", "--min-depth"),
    ("newer", "--newer"),
    ("perm", "--perm"),
    ("type", "-t"),
    ("user", "-o"),
];

pub(in crate::args) fn is_find_word(name: &str) -> bool {
    WORDS.split(' ').any(|word| word == name)
}

/// Returns whether a word of GNU find's command line combines tests. `-a` is omitted, because it
/// changes nothing.
pub(in crate::args) fn is_operator(word: &str) -> bool {
    matches!(word, "!" | "-not" | "-o" | "-or" | "(" | ")" | ",")
}

/// Translates a command line of GNU find for curt. The error is the first word without a
/// counterpart.
pub(in crate::args) fn translated<'w>(words: &[&'w str]) -> Result<String, &'w str> {
    let is_test = |word: &&str| word.starts_with('-') || is_operator(word);
    let first = words.iter().position(is_test).unwrap_or(words.len());
    let (paths, rest) = words.split_at(first);
    // `-u`, because GNU find skips neither hidden nor ignored entries.
    let (mut flags, mut pattern, mut options) = ("-u", None, Vec::new());
    let mut rest = rest.iter();
    while let Some(&word) = rest.next() {
        let name = word.trim_start_matches('-');
        match name {
            _ if is_operator(word) => return Err(word),
            _ if word == name => options.push(for_terminal(word, "")),
            "a" | "and" | "print" => {}
            "name" | "iname" if pattern.is_none() => {
                flags = if name == "name" { "-usg" } else { "-uig" };
                pattern = Some(*rest.next().ok_or(word)?);
            }
            "mtime" | "size" if !word.starts_with("--size") => {
                let value = rest.next().ok_or(word)?;
                let number = value.trim_start_matches(['+', '-']);
                let digits = number.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(word);
                }
                let option = match (name, value.as_bytes().first(), &number[digits.len()..]) {
                    // GNU find drops the fraction of a day, so `+3` means 4 days or more.
                    ("mtime", Some(b'+'), "") => {
                        let days: u32 = digits.parse().map_err(|_| word)?;
                        format!("--older {}d", u64::from(days) + 1)
                    }
                    ("mtime", Some(b'-'), "") => format!("--newer {digits}d"),
                    ("size", _, "c") => format!("-S {}b", value.trim_end_matches('c')),
                    ("size", Some(b'+'), unit @ ("k" | "M" | "G")) => {
                        format!("-S +{digits}{}i", unit.to_ascii_lowercase())
                    }
                    _ => return Err(word),
                };
                options.push(option);
            }
            _ => {
                let has_name = |(known, _): &&(&str, &str)| *known == name;
                if let Some((_, option)) = FLAGS.iter().find(has_name) {
                    options.push((*option).to_owned());
                } else if let Some((_, option)) = VALUED.iter().find(has_name) {
                    let value = rest.next().ok_or(word)?;
                    options.push(format!("{option} {}", for_terminal(value, "")));
                } else if is_find_word(name) {
                    return Err(word);
                } else {
                    options.push(for_terminal(word, ""));
                }
            }
        }
    }
    let is_everything = pattern.is_none() && matches!(paths, [] | ["."]);
    let names = [pattern.unwrap_or(".")].into_iter().chain(paths.iter().copied());
    let names = names.filter(|_| !is_everything).map(|name| for_terminal(name, ""));
    let line: Vec<String> = [flags.to_owned()].into_iter().chain(names).chain(options).collect();
    Ok(format!("curt find {}", line.join(" ")))
}
