//! Compares globs with bash (`Globs::new`) and GNU find (`Globs::gnu`), on generated patterns and
//! names.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use curt::Kind;
use curt::filters::{Globs, expand_braces};
use curt_testkit::{Choices, Scratch, skip};

fn some(choices: &mut Choices, parts: &str, most: usize) -> String {
    let parts: Vec<&str> = parts.split_whitespace().collect();
    (0..=choices.below(most)).map(|_| choices.one_of(&parts)).collect()
}

const NAMES: &str = r"a b c B 1 - ] [ \ é { } , .";
const GLOBS: &str = r"
    a b 1 é * ? ** [ab] [!a] [^a-c] []a] [!]] [\]] [a\-c] [[:digit:]] [![:alpha:]_] [[:upper:]b]
    [[:punct:]] [[.-.]] [a-] [é-ë] [[.a.]-c] [[] [[.a] [b[:-] \* \[ \\ \a [ ] - [:a:] [a [b-a]
";
const BRACES: &str = r"{ } , { } , a b .. 1..3 x 01..2 a..c \{ \, {} c..a..2 -1..1 {..a} {a}";

fn bash(script: &str) -> Option<Vec<String>> {
    let scratch = Scratch::new();
    let file = scratch.file_with("script", script.as_bytes());
    let output = Command::new("bash").arg(file).env("LC_ALL", "C.UTF-8").output().ok()?;
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn braces_stand_for_what_they_do_in_bash() {
    let mut choices = Choices::new(1);
    let patterns: BTreeSet<_> = (0..4000).map(|_| some(&mut choices, BRACES, 11)).collect();
    let patterns: Vec<_> = patterns.into_iter().collect();
    let mut script = String::new();
    for pattern in &patterns {
        let text = pattern.replace('\\', "\\\\\\");
        writeln!(script, "printf '%s\\t' {text}; echo").unwrap();
    }
    let Some(lines) = bash(&script) else { return skip("there is no bash") };
    for (pattern, line) in patterns.iter().zip(&lines) {
        let expected: Vec<&str> = line.split('\t').filter(|word| !word.is_empty()).collect();
        assert_eq!(expand_braces(pattern).unwrap(), expected, "{pattern}");
    }
    assert_eq!(patterns.len(), lines.len());
}

#[test]
fn names_match_as_in_bash_or_a_pattern_is_refused() {
    let mut choices = Choices::new(2);
    let names: BTreeSet<_> = (0..150).map(|_| some(&mut choices, NAMES, 4)).collect();
    let names: Vec<_> = names.into_iter().filter(|name| !name.starts_with('.')).collect();
    let patterns: BTreeSet<_> = (0..1500).map(|_| some(&mut choices, GLOBS, 4)).collect();
    let globs: Vec<_> = patterns.iter().map(|pattern| (pattern, Globs::new([pattern]))).collect();
    let list: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    let mut script = format!("names=({})\n", list.join(" "));
    script += "of() { for name in \"${names[@]}\"; do [[ $name == $1 ]] && \
               printf '%s\\t' \"$name\"; done; echo; }\n";
    let mut refused = 0;
    for (pattern, glob) in &globs {
        refused += usize::from(glob.is_err());
        let pattern = if glob.is_ok() { quoted(pattern) } else { "''".to_owned() };
        writeln!(script, "of {pattern}").unwrap();
    }
    let Some(lines) = bash(&script) else { return skip("there is no bash") };
    for ((pattern, glob), line) in globs.iter().zip(&lines) {
        let Ok(glob) = glob else { continue };
        let ours = names.iter().filter(|name| glob.matches(Path::new(name), Kind::File));
        let theirs = line.split_terminator('\t');
        assert!(ours.clone().eq(theirs), "{pattern}: {line:?}, not {:?}", ours.collect::<Vec<_>>());
    }
    assert!(refused < globs.len() / 2, "{refused} of {}", globs.len());
}

#[test]
fn paths_match_as_in_bash() {
    let parts = ["a", "b", "*", "**", "?", "[ab]", "{a,b}", "{.a,b*}", ".a", "a*", "**b", "[!a]"];
    let names = ["a", "b", "ab", ".a"];
    let scratch = Scratch::new();
    let mut paths = BTreeSet::new();
    for (above, middle) in names.iter().flat_map(|above| names.map(|middle| (above, middle))) {
        for name in names {
            scratch.file(format!("{above}/{middle}/{name}"));
            paths.insert(format!("{above}/{middle}/{name}"));
        }
        paths.extend([(*above).to_owned(), format!("{above}/{middle}")]);
    }
    let mut choices = Choices::new(4);
    let patterns: BTreeSet<String> = (0..400)
        .map(|_| {
            let length = 1 + choices.below(4);
            let parts: Vec<_> = (0..length).map(|_| parts[choices.below(parts.len())]).collect();
            format!("./{}{}", parts.join("/"), ["", "/"][choices.below(4) / 3])
        })
        .collect();
    let mut script = format!("cd {}\n", quoted(scratch.path().to_str().unwrap()));
    script += "shopt -s globstar dotglob nullglob\n";
    for pattern in &patterns {
        writeln!(script, "for name in {pattern}; do printf '%s\\t' \"$name\"; done; echo").unwrap();
    }
    let Some(lines) = bash(&script) else { return skip("there is no bash") };
    for (pattern, line) in patterns.iter().zip(&lines) {
        // In git and `Globs::new`, unlike in bash, a trailing `/**` does not match the directory
        // itself.
        if pattern.trim_end_matches('/').ends_with("/**") {
            continue;
        }
        let glob = Globs::new([pattern]).unwrap();
        let is_directory = |path: &str| path.matches('/').count() < 2;
        let kind = |path: &str| if is_directory(path) { Kind::Directory } else { Kind::File };
        let ours: BTreeSet<&str> = paths
            .iter()
            .map(String::as_str)
            .filter(|it| glob.matches(it.as_ref(), kind(it)))
            .collect();
        let plain = |path: &str| Path::new(path).components().skip(1).collect::<PathBuf>();
        let theirs: Vec<PathBuf> = line.split_terminator('\t').map(plain).collect();
        // Skip words that are not in the tree: bash leaves a word without wildcards as it is.
        let theirs = theirs.iter().filter_map(|path| paths.get(path.to_str()?));
        let is_matched = |path: &&str| !pattern.ends_with('/') || is_directory(path);
        let theirs: BTreeSet<&str> = theirs.map(String::as_str).filter(is_matched).collect();
        assert_eq!(ours, theirs, "{pattern}: {line}");
    }
}

#[test]
fn gnu_patterns_are_those_of_gnu_find() {
    let mut choices = Choices::new(3);
    let names: BTreeSet<_> = (0..150).map(|_| some(&mut choices, NAMES, 4)).collect();
    let names: Vec<_> =
        names.into_iter().filter(|name| !name.trim_matches('.').is_empty()).collect();
    let scratch = Scratch::new();
    for name in &names {
        scratch.file(name);
    }
    let patterns: BTreeSet<_> = (0..1500).map(|_| some(&mut choices, GLOBS, 4)).collect();
    let mut script = format!("cd {}\n", quoted(scratch.path().to_str().unwrap()));
    let patterns: Vec<_> = patterns.into_iter().collect();
    for (number, pattern) in patterns.iter().enumerate() {
        let separator = if number % 100 == 0 { "\nfind . -mindepth 1" } else { " ," };
        let pattern = quoted(pattern);
        write!(script, "{separator} -name {pattern} -printf '{number} %f\\n'").unwrap();
    }
    script = script.replace("find .", "find . 2>/dev/null");
    let Some(lines) = bash(&script) else { return skip("there is no bash") };
    if lines.is_empty() {
        return skip("there is no GNU find");
    }
    let theirs: BTreeSet<String> = lines.into_iter().collect();
    let mut ours = BTreeSet::new();
    for (number, pattern) in patterns.iter().enumerate() {
        let glob = Globs::gnu([pattern]);
        let names = names.iter().filter(|name| glob.matches(Path::new(name), Kind::File));
        ours.extend(names.map(|name| format!("{number} {name}")));
    }
    let differs = |difference: &String| {
        let number: usize = difference.split(' ').next().unwrap().parse().unwrap();
        format!("{} {difference}", patterns[number])
    };
    let missing: Vec<_> = theirs.difference(&ours).map(differs).collect();
    let surplus: Vec<_> = ours.difference(&theirs).map(differs).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "{missing:#?}\n{surplus:#?}");
}
