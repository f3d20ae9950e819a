//! Checks the published libraries' API against the committed lists and the last release, and that
//! every item has a caller.
//!
//! `crates/NAME/public-api.txt` has one line per public item of a Linux build with all features, so
//! a commit's diff shows API changes. cargo-semver-checks compares with the newest tag `v*`.
//!
//! Callers are found by name. The command, a binding, an example or the benchmark must name each
//! function, constant, type and variant. A method counts after a dot or a colon, any other item of
//! a type only after the type's name, and a setter only in a file that names its type. A variant
//! also counts if the library itself constructs it. Trait implementations and types in signatures
//! are exempt. Functions of libcurt and Cargo features need a caller, too. `unused-api.txt` lists
//! the exceptions, which must exist and have no caller.

use crate::c::declarations;
use crate::host::{self, Failure, Outcome};
use crate::lint::{self, code::Code};
use crate::say;
use crate::skips::{self, Skip};
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CRATES: [&str; 2] = ["curt", "curt-paths"];

/// `crates/curt/src` counts as a caller of `curt-paths` only.
const CALLERS: [&str; 5] = [
    "bindings/",
    "crates/curt-cli/src/",
    "crates/curt/examples/",
    "tools/bench/",
    "crates/curt/src/",
];

const C_CALLERS: [&str; 5] = [
    "bindings/c/examples/",
    "bindings/c/proofs/",
    "bindings/ruby/ext/",
    "bindings/ruby/proofs/",
    "tools/bench/",
];

const FORMAT: &str = "57";

const CHECKS: &str = "0.51.0";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_update = match arguments {
        [] => false,
        [option] if option == "--update" => true,
        _ => return Err(Failure::usage("public-api takes --update only")),
    };
    if !cfg!(target_os = "linux") {
        return skipped("public-api", "the lists are those of Linux");
    }
    let mut differences = 0;
    for name in CRATES {
        let json = json(name)?;
        let format = format_of(&fs::read_to_string(&json)?).to_owned();
        if format != FORMAT {
            let reason = format!("rustdoc writes format {format} of its JSON, not {FORMAT}");
            return skipped("public-api", &reason);
        }
        let current = list(&json)?;
        let path = committed(name);
        if is_update {
            fs::write(&path, current)?;
            continue;
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        for line in difference(&committed, &current) {
            say::out(line);
            differences += 1;
        }
    }
    if differences > 0 {
        let text = "lines of the public API differ: `cargo xtask public-api --update` writes them";
        return Err(Failure::new(format!("{differences} {text}")));
    }
    if is_update { Ok(()) } else { semver() }
}

fn committed(name: &str) -> PathBuf {
    host::checkout().join("crates").join(name).join("public-api.txt")
}

/// `RUSTC_BOOTSTRAP` makes a stable compiler accept the unstable option.
fn json(name: &str) -> Result<PathBuf, Failure> {
    let target = target();
    let mut cargo = host::cargo();
    cargo.env("RUSTC_BOOTSTRAP", "1").arg("rustdoc").arg("--target-dir").arg(&target);
    cargo.args(["--quiet", "--locked", "--lib", "--all-features", "--package", name]);
    host::check(cargo.args(["--", "-Zunstable-options", "--output-format", "json"]))?;
    Ok(target.join("doc").join(name.replace('-', "_")).with_extension("json"))
}

/// A separate directory, because `RUSTC_BOOTSTRAP` would rebuild everything.
fn target() -> PathBuf {
    host::checkout().join("target/public-api")
}

fn format_of(json: &str) -> &str {
    let (_, rest) = json.rsplit_once("\"format_version\":").unwrap_or_default();
    rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default()
}

fn list(json: &Path) -> Result<String, Failure> {
    let target = target();
    let mut cargo = host::cargo();
    cargo.args(["run", "--quiet", "--locked", "--manifest-path", "tools/public-api/Cargo.toml"]);
    cargo.arg("--target-dir").arg(target.join("tools")).arg("--").arg(json);
    let output = cargo.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(Failure::new(format!("no list of {}: {}", json.display(), output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn difference(committed: &str, current: &str) -> Vec<String> {
    let only = |one: &str, other: &str, mark: &str| -> Vec<String> {
        let known: HashSet<&str> = other.lines().collect();
        let lines = one.lines().filter(|line| !known.contains(line));
        lines.map(|line| format!("{mark} {line}")).collect()
    };
    [only(committed, current, "-"), only(current, committed, "+")].concat()
}

/// Succeeds if there is no release to compare with.
fn semver() -> Outcome {
    let top = host::checkout();
    let folder = top.to_string_lossy();
    let newest = ["tag", "--list", "v[0-9]*", "--sort=-version:refname", "--merged"];
    let git = [&["-c", "safe.directory=*", "-C", &folder], &newest[..]].concat();
    let tags = host::output_of("git", &git).unwrap_or_default();
    let Some(tag) = tags.lines().next() else {
        say::out("public-api: no tag v*: nothing was released that semver-checks could compare");
        return Ok(());
    };
    let tools = host::cache()?.join("tools");
    let program = tools.join("bin/cargo-semver-checks");
    let version = host::output_of(&program.to_string_lossy(), &["semver-checks", "--version"]);
    if !version.is_some_and(|text| text.trim().ends_with(CHECKS)) {
        let mut install = host::cargo();
        install.args(["install", "--quiet", "--locked", "--version", CHECKS, "--root"]);
        if host::check(install.arg(&tools).arg("cargo-semver-checks")).is_err() {
            return skipped("semver-checks", "cargo-semver-checks cannot be installed here");
        }
    }
    let mut checks = Command::new(program);
    checks.current_dir(&top).env("CARGO_TARGET_DIR", target());
    checks.args(["semver-checks", "--all-features", "--baseline-rev", tag]);
    host::check(checks.args(CRATES.iter().flat_map(|name| ["--package", name])))
}

fn skipped(test: &str, reason: &str) -> Outcome {
    let [suite, test, reason] = ["xtask", test, reason].map(str::to_owned);
    skips::chore(&Skip { suite, test, reason })
}

pub(crate) fn unused(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::usage("unused-api takes no arguments"));
    }
    let files = lint::files(&["*.rs", "*.c", "*.h", "*.zig", "*.toml", "*.md", ".ci"])?;
    let sources = |folders: &[&str], ends: &[&str]| -> Sources {
        let is_below = |path: &str| folders.iter().any(|folder| path.starts_with(folder));
        let is_source = |path: &str| ends.iter().any(|end| path.ends_with(end));
        let is_source = |path: &str| is_below(path) && is_source(path) && !lint::is_test(path);
        let sources = files.iter().filter(|(path, _)| is_source(path));
        Sources(sources.map(|(_, text)| names(text)).collect())
    };
    let callers_in_c = sources(&C_CALLERS, &[".c", ".h", ".zig"]);
    let functions = declarations::functions(&crate::c::header()?);
    let unused = functions.into_iter().filter(|name| !callers_in_c.name(name));
    let mut found: BTreeSet<String> = unused.chain(unused_features(&files)).collect();
    for (name, callers) in CRATES.into_iter().zip([&CALLERS[..4], &CALLERS]) {
        let library = sources(&[&format!("crates/{name}/src/")], &[".rs"]);
        let api = fs::read_to_string(committed(name))?;
        found.extend(unused_items(&api, &sources(callers, &[".rs"]), &library));
    }
    let exceptions = exceptions(include_str!("unused-api.txt"))?;
    let unused = found.difference(&exceptions).map(|item| format!("{item} has no caller"));
    let stale = exceptions.difference(&found);
    let stale = stale.map(|item| format!("{item} is used or gone: it is no exception any more"));
    let complaints: Vec<String> = unused.chain(stale).collect();
    complaints.iter().for_each(say::out);
    match complaints.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!("{count} items: see tools/xtask/src/unused-api.txt"))),
    }
}

/// Parses groups, each of a line `# DATE: REASON`, items, and an empty line.
fn exceptions(list: &str) -> Result<BTreeSet<String>, Failure> {
    let is_date =
        |date: &str| date.len() == 10 && date.split('-').all(|n| n.parse::<u16>().is_ok());
    let mut is_explained = false;
    let mut exceptions = BTreeSet::new();
    for line in list.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            is_explained |= comment.split_once(": ").is_some_and(|(date, _)| is_date(date));
        } else if line.is_empty() {
            is_explained = false;
        } else if is_explained {
            exceptions.insert(line.to_owned());
        } else {
            return Err(Failure::new(format!("unused-api.txt: no date and reason: {line}")));
        }
    }
    Ok(exceptions)
}

fn unused_features(files: &[(String, String)]) -> impl Iterator<Item = String> {
    let is_manifest = |path: &str| path.starts_with("crates/") && path.ends_with("/Cargo.toml");
    let manifests = files.iter().filter(move |(path, _)| is_manifest(path));
    let features = manifests.flat_map(|(path, text)| {
        let (_, features) = text.split_once("\n[features]\n").unwrap_or_default();
        let lines = features.lines().take_while(|line| !line.starts_with('['));
        lines.filter_map(move |line| Some((path, line.split_once(" = ")?.0)))
    });
    let unused = features.filter(|(manifest, feature)| {
        let is_caller = |path: &str| path != *manifest && !path.starts_with("fuzz/");
        let callers = files.iter().filter(|(path, _)| is_caller(path));
        let mut lines = callers.flat_map(|(_, text)| text.lines());
        let has_name = |line: &str| words(line).any(|word| word == *feature);
        *feature != "default" && !lines.any(|line| line.contains("feature") && has_name(line))
    });
    unused.map(|(manifest, feature)| format!("{manifest}: {feature}"))
}

struct Sources(Vec<HashSet<String>>);

impl Sources {
    fn name(&self, name: &str) -> bool {
        self.0.iter().any(|names| names.contains(name))
    }

    fn name_together(&self, one: &str, other: &str) -> bool {
        self.0.iter().any(|names| names.contains(one) && names.contains(other))
    }
}

/// Returns the names in a file: `name`; `.name` for methods, called or after a colon; `Type::name`;
/// and `=Type::name` for values, as opposed to patterns.
fn names(source: &str) -> HashSet<String> {
    let code = Code::new(source);
    let mut names = HashSet::new();
    for at in code.all() {
        let name = code.text(at);
        names.insert(name.to_owned());
        let behind = code.text(at + 1);
        match (code.before(at, 1), code.before(at, 2)) {
            (".", _) if matches!(behind, "(" | "::") => {
                names.insert(format!(".{name}"));
            }
            ("::", owner) => {
                let has_data = matches!(behind, "(" | "{");
                let end = if has_data { code.behind_group(at + 1) } else { at + 1 };
                let is_pattern = code.starts(end, &["=", ">"]) || code.is(end, "|");
                let before = [code.before(at, 4), code.before(at, 3)];
                let is_compared = matches!(before, ["=" | "!", "="]);
                if !is_pattern && !is_compared {
                    names.insert(format!("={owner}::{name}"));
                }
                names.extend([format!(".{name}"), format!("{owner}::{name}")]);
            }
            ("]", "default") => {
                names.insert(format!("=Self::{name}"));
            }
            _ => {}
        }
    }
    names
}

fn unused_items(api: &str, callers: &Sources, library: &Sources) -> BTreeSet<String> {
    let (mut is_trait_impl, mut is_trait) = (false, false);
    let mut found = BTreeSet::new();
    for line in api.lines() {
        if line.starts_with("impl") {
            (is_trait_impl, is_trait) = (line.contains(" for "), false);
        }
        let Some((kind, path)) = item(line) else { continue };
        let (before, name) = path.rsplit_once("::").unwrap_or_default();
        let owner =
            before.rsplit("::").next().filter(|owner| owner.starts_with(char::is_uppercase));
        let Some(owner) = owner else {
            (is_trait_impl, is_trait) = (false, kind == "trait");
            let is_used = match kind {
                "struct" | "enum" | "trait" => callers.name(name) || is_in_signature(name, api),
                "fn" => callers.name(name),
                _ => true,
            };
            if !is_used {
                found.insert(name.to_owned());
            }
            continue;
        };
        let (shown, method) = (format!("{owner}::{name}"), format!(".{name}"));
        let is_used = match kind {
            _ if is_trait_impl || is_trait && library.name(&method) => true,
            "fn" if is_setter(line, owner) => callers.name_together(&method, owner),
            // A trait's method can also be called through a type that implements it.
            "fn" if line.contains("self") || is_trait => callers.name(&method),
            "fn" | "const" => callers.name(&shown),
            "" if name.starts_with(char::is_uppercase) => {
                callers.name(&shown)
                    || library.name(&format!("={shown}"))
                    || library.name_together(owner, &format!("=Self::{name}"))
            }
            _ => true,
        };
        if !is_used {
            found.insert(shown);
        }
    }
    found
}

fn is_setter(line: &str, owner: &str) -> bool {
    let returned = line.rsplit("-> ").next().unwrap_or_default().trim_start_matches("&mut ");
    let path = returned.split('<').next().unwrap_or_default();
    line.contains("self") && (path == "Self" || path.rsplit("::").next() == Some(owner))
}

/// Parses a public item. Returns `None` for an implementation on a foreign type.
fn item(line: &str) -> Option<(&str, String)> {
    let (_, line) = line.split_once("pub ")?;
    let line = line.strip_prefix("const ").filter(|rest| rest.starts_with("fn ")).unwrap_or(line);
    let kind = line.split_once(' ').filter(|(kind, _)| !kind.contains("::"));
    let (kind, rest) = kind.unwrap_or(("", line));
    let mut depth = 0;
    let mut path = String::new();
    for letter in rest.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' | ' ' if depth == 0 => break,
            _ if depth == 0 => path.push(letter),
            _ => {}
        }
    }
    let is_ours = path.starts_with("curt");
    is_ours.then(|| (kind, path.trim_end_matches(':').to_owned()))
}

fn is_in_signature(name: &str, api: &str) -> bool {
    api.lines().filter(|line| !line.starts_with("impl")).any(|line| {
        let (_, path) = item(line).unwrap_or_default();
        !words(&path).any(|word| word == name) && words(line).any(|word| word == name)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_shows_what_went_and_what_came() {
        assert_eq!(difference("a\nb\n", "b\nc\n"), ["- a", "+ c"]);
        assert_eq!(difference("a\nb\n", "a\nb\n"), [""; 0]);
    }

    #[test]
    fn format_is_read_from_the_end_of_the_json() {
        assert_eq!(format_of("{\"a\":\"x\",\"format_version\":57}"), "57");
        assert_eq!(format_of("{}"), "");
    }

    #[test]
    fn finds_what_no_caller_names() {
        let api = "pub struct curt::Tree\n\
                   impl curt::Tree\n\
                   pub fn curt::Tree::grow(&self) -> curt::Leaf\n\
                   pub fn curt::Tree::new() -> curt::Tree\n\
                   pub fn curt::Tree::fell(self)\n\
                   pub fn curt::Tree::sort(self, bool) -> Self\n\
                   impl core::clone::Clone for curt::Tree\n\
                   pub fn curt::Tree::clone(&self) -> curt::Tree\n\
                   pub fn curt::plant<T: curt::Seed>(T)\n\
                   pub enum curt::Leaf\n\
                   pub curt::Leaf::Green\n\
                   pub curt::Leaf::Red(u8)\n\
                   pub curt::Leaf::Dry\n\
                   pub struct curt::Stone\n";
        let sources = |texts: &[&str]| Sources(texts.iter().map(|text| names(text)).collect());
        let caller = "let tree = curt::Tree::new();\n    .grow();\n// tree.fell() plant";
        let library = "match self { Self::Red(_) => 1 } #[default] Dry, Leaf if a == Leaf::Green";
        let found = unused_items(api, &sources(&[caller, "list.sort()"]), &sources(&[library]));
        let expected = ["Leaf::Green", "Leaf::Red", "Stone", "Tree::fell", "Tree::sort", "plant"];
        assert_eq!(Vec::from_iter(found), expected);
    }

    #[test]
    fn features_need_a_name_elsewhere() {
        let library =
            ("crates/a/Cargo.toml", "\n[features]\ndefault = []\nb = []\nc = []\n\n[x]\ny = 1");
        let callers = [
            ("crates/d/Cargo.toml", "a = { features = [\"b\"] }"),
            ("fuzz/Cargo.toml", "features = [\"c\"]"),
        ];
        let files = [library, callers[0], callers[1]]
            .map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert!(unused_features(&files).eq(["crates/a/Cargo.toml: c"]));
    }

    #[test]
    fn exceptions_have_dates_and_reasons() {
        let list = exceptions("# About.\n\n# 2026-11-28: For C,\n# later.\na\nA::b\n");
        assert_eq!(Vec::from_iter(list.unwrap()), ["A::b", "a"]);
        assert!(exceptions("# 2026-11-28: why\na\n\nb\n").is_err());
        assert!(exceptions("# why: 2026\na\n").is_err());
    }
}
