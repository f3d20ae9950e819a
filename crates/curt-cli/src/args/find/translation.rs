//! Translates command lines of GNU find, for hints.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, Command};

use super::ENDS;
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
const FLAGS: [(&str, &str); 9] = [
    ("a", ""),
    ("and", ""),
    ("delete", "--delete"),
    ("depth", "--contents-first"),
    ("empty", "--empty"),
    ("mount", "--one-file-system"),
    ("print", ""),
    ("print0", "-0"),
    ("xdev", "--one-file-system"),
];

/// GNU find's words with a value, and curt's options with the same meaning. `-newer` is missing,
/// because `--newer` also takes ages, and follows symlinks.
const VALUED: [(&str, &str); 5] = [
    ("maxdepth", "-d"),
    ("mindepth", "--min-depth"),
    ("perm", "--perm"),
    ("type", "-t"),
    ("user", "-o"),
];

/// GNU find's units of sizes.
const UNITS: [(&str, u64); 7] =
    [("c", 1), ("w", 2), ("", 512), ("b", 512), ("k", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];

pub(in crate::args) fn is_find_word(name: &str) -> bool {
    WORDS.split(' ').any(|word| word == name)
}

/// Returns whether a word of GNU find's command line combines tests. `-a` is omitted, because it
/// changes nothing.
pub(in crate::args) fn is_operator(word: &str) -> bool {
    matches!(word, "!" | "-not" | "-o" | "-or" | "(" | ")" | ",")
}

/// Translates a command line of GNU find for curt. It may contain options of curt, too.
///
/// The line may delete entries, so it must not match more than the typed one. The error is the
/// first word of GNU find without an exact counterpart, or `None` if another part has none.
pub(in crate::args) fn translated<'w>(
    words: &[&'w str],
    command: &Command,
) -> Result<String, Option<&'w str>> {
    let is_long = |name: &str| {
        let is_alias = |it: &Arg| it.get_all_aliases().is_some_and(|all| all.contains(&name));
        command.get_arguments().any(|it| it.get_long() == Some(name) || is_alias(it))
    };
    let end = words.iter().position(|word| ENDS.contains(word)).unwrap_or(words.len());
    let (words, program) = words.split_at(end);
    let mut words = words.iter().copied().peekable();
    let mut options: Vec<String> = words.next_if_eq(&"-L").map(str::to_owned).into_iter().collect();
    let is_path = |word: &&str| !word.starts_with('-') && !is_operator(word);
    let paths: Vec<&str> = std::iter::from_fn(|| words.next_if(is_path)).collect();
    // `-u`, because GNU find skips neither hidden nor ignored entries.
    let (mut flags, mut pattern, mut has_size, mut prints) = ("-u", None, false, 0);
    while let Some(word) = words.next() {
        let name = word.trim_start_matches('-');
        if is_operator(word) {
            return Err(Some(word));
        }
        let is_own = word.strip_prefix("--").is_some_and(is_long);
        if is_own || !is_find_word(name) && word != "-a" {
            options.push(word.to_owned());
            continue;
        }
        prints += usize::from(matches!(name, "print" | "print0"));
        has_size |= name == "size";
        if let Some((_, option)) = FLAGS.iter().find(|(known, _)| *known == name) {
            options.extend(Some((*option).to_owned()).filter(|option| !option.is_empty()));
            continue;
        }
        let value = words.next().ok_or(Some(word))?;
        let option = VALUED.iter().find(|(known, _)| *known == name);
        let translated = match (name, option) {
            // curt expands braces. '.' names the operand for GNU find, and everything for curt.
            ("name" | "iname", _) if value.contains(['{', '/']) || value.starts_with('-') => None,
            ("name" | "iname", _) if pattern.is_none() && !matches!(value, "" | ".") => {
                flags = if name == "name" { "-usg" } else { "-uig" };
                pattern = Some(value);
                continue;
            }
            ("mtime" | "mmin" | "size", _) => measured(name, value),
            ("type", _) if !value.bytes().all(|kind| b"fdlpscb".contains(&kind)) => None,
            ("user", _) if value.contains(':') => None,
            (_, Some((_, option))) => Some(vec![(*option).to_owned(), value.to_owned()]),
            _ => None,
        };
        options.extend(translated.ok_or(Some(word))?);
    }
    let is_everything = pattern.is_none() && matches!(paths[..], [] | ["."]);
    let names = [pattern.unwrap_or(".")].into_iter().chain(paths).filter(|_| !is_everything);
    let names: Vec<&str> = names.collect();
    let line = [flags].into_iter().chain(names.iter().copied()).map(str::to_owned);
    let line = line.chain(options).chain(program.iter().map(|&word| word.to_owned()));
    let line: Vec<String> = line.collect();

    let typed = [command.get_name()].into_iter().chain(line.iter().map(String::as_str));
    // Of a repeated option, only the last one would count.
    let parser = command.clone().args_override_self(false);
    let given = parser.try_get_matches_from(typed).map_err(|_| None)?;
    let count = |ids: &[&str]| {
        ids.iter().filter(|id| given.value_source(id) == Some(ValueSource::CommandLine)).count()
    };
    let many = |id| given.get_many::<OsString>(id).into_iter().flatten();
    let first = given.get_one::<String>("pattern").map(OsString::from);
    let kinds: Vec<&String> = given.get_many("file_types").into_iter().flatten().collect();
    let case = if flags == "-usg" { "case_sensitive" } else { "ignore_case" };
    // Other words must not have become names or arguments, nor change the meaning of the pattern.
    let is_exact = first.iter().chain(many("operands")).eq(&names)
        && many("exec").chain(many("exec_batch")).eq(program.iter().skip(1))
        // GNU find's end of a command is one more argument for curt.
        && program.last() != Some(&"+")
        && (pattern.is_none() || count(&["glob", case]) == 2 && count(&["and", "full_path"]) == 0)
        && prints + count(&["delete", "exec", "exec_batch", "list_details", "quiet"]) <= 1
        // Of several kinds any may match. `-S` matches only files.
        && kinds.len() <= 1
        && (!has_size || kinds == ["f"])
        // `--empty` adds files and directories to other kinds.
        && (count(&["empty"]) == 0 || kinds.iter().all(|kind| ["f", "d"].contains(&kind.as_str())))
        && count(&["search_path"]) == 0;
    let line: Vec<String> = line.iter().map(|word| for_terminal(word, "")).collect();
    is_exact.then(|| format!("curt find {}", line.join(" "))).ok_or(None)
}

/// Translates a test of ages or sizes.
fn measured(name: &str, value: &str) -> Option<Vec<String>> {
    let number = value.trim_start_matches(['+', '-']);
    let digits = number.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let (sign, letter) = (&value[..value.len() - number.len()], &number[digits.len()..]);
    let count: u64 = digits.parse().ok()?;
    let hours = count.checked_mul(24)?;
    let unit = UNITS.iter().find(|(name, _)| *name == letter)?.1;
    let most = count.checked_mul(unit)?;
    let options = match (name, sign, most.checked_sub(unit)) {
        // The days of curt follow the calendar. GNU find drops the fraction of a day.
        ("mtime", "+", _) if letter.is_empty() => format!("--older {}h", hours.checked_add(24)?),
        ("mtime", "-", _) if letter.is_empty() => format!("--newer {hours}h"),
        ("mmin", "+", _) if letter.is_empty() => format!("--older {count}min"),
        ("mmin", "-", _) if letter.is_empty() => format!("--newer {count}min"),
        // GNU find rounds sizes up to whole units.
        ("size", "+", _) => format!("-S +{}b", most.checked_add(1)?),
        ("size", "-", Some(below)) => format!("-S -{below}b"),
        ("size", "", Some(below)) if unit > 1 => format!("-S +{}b -S -{most}b", below + 1),
        ("size", "", _) => format!("-S {most}b"),
        _ => return None,
    };
    Some(options.split(' ').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::translated;
    use crate::args::FindOptions;

    #[test]
    fn lines_are_exact_or_missing() {
        let command = FindOptions::augment_args(clap::Command::new("find"));
        for (typed, line) in [
            (". -name *.o -mtime +30 -delete", "-usg '*.o' . --older 744h --delete"),
            (". -mtime -7 -type d", "-u --newer 168h -t d"),
            (". -mmin +60 -mmin -90", "-u --older 60min --newer 90min"),
            (". -depth -iname a -a -empty", "-uig a . --contents-first --empty"),
            ("-L a b -perm -4000 -user root -ls", "-u . a b -L --perm -4000 -o root -ls"),
            (". -type f -size +1M", "-u -t f -S +1048577b"),
            (". -type f -size -1M", "-u -t f -S -0b"),
            (". -type f -size 3k", "-u -t f -S +2049b -S -3072b"),
            (". -type f -size +2 -size -10c", "-u -t f -S +1025b -S -9b"),
            (". -size 0 -tf", "-u -S 0b -tf"),
            (". -size 7c --type=f", "-u -S 7b '--type=f'"),
            ("obj --name x --delete --dry-run", "-usg x obj --delete --dry-run"),
            (". -type f --and n --size +1mi --depth 1", "-u -t f --and n --size +1mi --depth 1"),
            (
                ". -type d -name node_modules --prune -X rm -rf {}",
                "-usg node_modules . -t d --prune -X rm -rf {}",
            ),
            (". -type f -x ls -name", "-u -t f -x ls -name"),
        ] {
            let words: Vec<&str> = typed.split(' ').collect();
            assert_eq!(translated(&words, &command), Ok(format!("curt find {line}")), "{typed}");
        }
        for (typed, word) in [
            // Options of curt that change the meaning of the pattern, or come from nowhere.
            ("obj -name *.o --and n --delete --dry-run", None),
            (". -name a -i", None),
            (". -name a --regex", None),
            (". -name a -F", None),
            (". -name a -p", None),
            (". -name a --bogus", None),
            (". -name a --max 2", None),
            // Words that would become a PATTERN, a PATH or an argument.
            ("-u . -name a", None),
            (". -type f b", None),
            (". -type f -uX ls -print", None),
            (". -type f -X rm {} +", None),
            (". -type f -X rm {} ; -name a", None),
            // Globs with another meaning.
            (". -name *.{c,h} -delete", Some("-name")),
            (". -name . -delete", Some("-name")),
            (". -name a/", Some("-name")),
            (". -name -x -delete", Some("-name")),
            // Repeated and conflicting words.
            (". -name a -name b", Some("-name")),
            (". -type f -type d", None),
            (". -type f -td", None),
            (". -user a -user b", None),
            (". -type l -empty", None),
            (". -type f --search-path a", None),
            (". -mtime +1 -mtime +2", None),
            (". -mtime +1 --older 1d", None),
            (". -size +500k -ls -delete", None),
            (". -name a -print -delete", None),
            (". -type f -delete -X ls", None),
            // Values with another meaning.
            (". -size +1M", None),
            (". -type f,d", Some("-type")),
            (". -type f -size -0", Some("-size")),
            (". -type f -size +1T", Some("-size")),
            (". -type f -size ++1", Some("-size")),
            (". -mtime 3", Some("-mtime")),
            (". -mtime +1.5", Some("-mtime")),
            (". -mmin ++5", Some("-mmin")),
            (". -type x", Some("-type")),
            (". -user a:b", Some("-user")),
            (". -maxdepth x", None),
            (". -newer 7d", Some("-newer")),
            (". -newer", Some("-newer")),
            // Words without a counterpart.
            (". ! -perm /111", Some("!")),
            (". -type f -o -type d", Some("-o")),
            (". -path ./www -prune", Some("-path")),
            (". -type f -links +1 -delete", Some("-links")),
            (". -type f -exec rm {} +", Some("-exec")),
        ] {
            let words: Vec<&str> = typed.split(' ').collect();
            assert_eq!(translated(&words, &command), Err(word), "{typed}");
        }
    }
}
