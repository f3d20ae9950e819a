#[path = "../../../../tests/hostile.rs"]
mod table;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{objects, outcome};

const OPERATIONS: [(&str, &str); 12] = [
    ("root.stat", "beneath --root in --stat"),
    ("beneath.realpath", "beneath --root in --name"),
    ("remove", "rm -r"),
    ("remove_file", "rm"),
    ("remove_empty", "rm -d"),
    ("remove_force", "rm -rf"),
    ("remove_file_force", "rm -f"),
    ("remove_empty_force", "rm -df"),
    ("stat", "stat -L"),
    ("lstat", "stat"),
    ("usage", "du -s"),
    ("realpath", "realpath -e"),
];

fn act(line: &&str, tree: &Path, scope: &str, path: &str) -> Result<String, Value> {
    let scope: &[&str] = match scope {
        "inroot" => &["--in-root"],
        "strict" => &["--mode", "strict"],
        _ => &[],
    };
    let mut words = line.split(' ');
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.args([words.next().unwrap(), "--json"]).args(words).args(scope).args(["--", path]);
    let (code, _, messages) = outcome(&command.current_dir(tree).output().unwrap());
    match code {
        Some(0) => Ok(String::new()),
        _ => Err(objects(&messages)[0]["error"].take()),
    }
}

/// Returns whether an error is the expected one. curt's own refusals have a name and no number.
fn has_verdict(error: &Value, line: &[&str], path: &str) -> bool {
    let is_right = match &error["errno"] {
        Value::Null => line.first().is_some_and(|name| error["kind"] == *name),
        number => line.get(2) == Some(&number.to_string().as_str()),
    };
    is_right && error["path"] == path
}

#[test]
fn hostile_cases_have_their_verdicts() {
    table::check(&OPERATIONS, act, has_verdict);
}
