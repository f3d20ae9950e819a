//! The same for paths: what `curt beneath` and `curt expand` make more calls for where they are
//! given more of them.

use super::rows::{self, Row, Run, SIZES};
use crate::host::Failure;
use crate::windows::Windows;
use std::fs;
use std::path::Path;

/// The folder on drive C: with the root.
const PLACE: &str = "paths";

/// A file beneath the root, seven names deep, and one that is not there.
const DEEP: &str = r"a\b\c\d\e\f\file";
const NEW: &str = r"a\b\c\d\e\f\new";

/// Compares the calls of `curt beneath` and `curt expand` with their snapshots; what is wrong.
pub(super) fn check(windows: &Windows, curt: &Path) -> Result<Vec<String>, Failure> {
    let folder = rows::clear(windows, PLACE)?.join("root/a/b/c/d/e/f");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("file"), "content")?;
    let beneath = rows::check(windows, PLACE, "beneath", beneath_rows(curt))?;
    let expand = rows::check(windows, PLACE, "expand", expand_rows(curt))?;
    Ok(beneath.into_iter().chain(expand).collect())
}

/// A command that is given the same path again and again.
fn row(curt: &Path, what: &str, words: &[&str], path: &str, status: &'static str) -> Row {
    let run = |size| {
        let words = words.iter().copied().chain(std::iter::repeat_n(path, size));
        let arguments = words.map(str::to_owned).collect();
        Run { program: curt.to_owned(), arguments, path: Vec::new(), status }
    };
    let counts_itself = words.contains(&"--stats");
    Row { what: what.to_owned(), runs: SIZES.map(run), counts_itself }
}

/// Staying beneath a root. Wine follows links that it is told not to follow, so these are the
/// single steps; where Windows refuses links by itself, an open is one call.
fn beneath_rows(curt: &Path) -> Vec<Row> {
    let root = format!(r"C:\{PLACE}\root");
    let row = |what: &str, options: &[&str], path: &str, status| {
        row(curt, what, &[&["beneath", "--root", &root], options].concat(), path, status)
    };
    let stats = |options: &[&'static str]| [options, &["--stats", "--json"]].concat();
    vec![
        row("files seven names deep read", &["--cat"], DEEP, "0"),
        row("names of files seven names deep", &stats(&[]), DEEP, "0"),
        row("the same, in another case", &stats(&[]), &DEEP.to_uppercase(), "0"),
        row("the same, the last name missing", &stats(&["--name"]), NEW, "0"),
        row("the same, where links are refused", &stats(&["--mode=strict"]), DEEP, "0"),
        row("files seven names deep asked about", &stats(&["--stat"]), DEEP, "0"),
        row("names in the root", &stats(&[]), "a", "0"),
        row("paths refused by their text", &stats(&[]), r"a\..\..\secret", "1"),
    ]
}

/// Expansion: no call for a path, whatever it is.
fn expand_rows(curt: &Path) -> Vec<Row> {
    let row = |what: &str, options: &[&str], path: &str| {
        row(curt, what, &[&["expand", "--stats", "--json"], options].concat(), path, "0")
    };
    vec![
        row("full paths", &[], r"C:\a\b\c\d.rb"),
        row("relative paths", &[], r"a\..\b/./c"),
        row("paths on another drive", &[], r"D:a\b"),
        row("devices", &[], r"a\nul"),
        row("paths in Ruby's style", &["--style", "ruby"], "~/a/LONGNA~1"),
    ]
}
