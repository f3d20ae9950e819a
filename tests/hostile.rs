//! Loads the cases of `hostile.json`, for the tests of the library and of the command.

use std::fmt::Debug;
use std::path::Path;
use std::process::Command;

use curt_testkit::Scratch;

const TABLE: &str = include_str!("hostile.json");

fn part(name: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let (_, part) = TABLE.split_once(&format!("\"{name}\": [\n")).unwrap();
    let lines = part.lines().take_while(|line| !line.starts_with("  ]"));
    lines.map(|line| line.split('"').skip(1).step_by(2).collect())
}

fn shell(name: &str, place: &Path) -> String {
    let lines: Vec<_> = part(name).flatten().collect();
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &lines.join("\n")]).current_dir(place).output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().replace('\n', " ")
}

/// Runs each case with each applicable operation. `act` gets the operation, the working directory,
/// the root's scope and the path. `has_verdict` decides whether an error matches a line of verdicts
/// and a path. Returns the cases without an applicable operation.
pub(crate) fn check<O, E: Debug>(
    operations: &[(&str, O)],
    act: impl Fn(&O, &Path, &str, &str) -> Result<String, E>,
    has_verdict: impl Fn(&E, &[&str], &str) -> bool,
) -> Vec<Vec<&'static str>> {
    let scratch = Scratch::new();
    let (mut others, mut wrong) = (Vec::new(), Vec::new());
    let mut changes = "all".to_owned();
    for case in part("cases") {
        let [wanted, path, verdict] = case[..3] else { panic!("{case:?}") };
        let result = case.get(3).copied().unwrap_or_default();
        let line = part("verdicts").find(|line| line[0] == verdict).unwrap_or_default();
        let scope = wanted.split('.').next().unwrap_or_default();
        let pattern = wanted.replace("inroot.", "root.").replace("strict.", "root.");
        let (begin, end) = pattern.split_once('*').unwrap_or((&pattern, &pattern));
        let is_wanted = |name: &str| name.starts_with(begin) && name.ends_with(end);
        let tree = scratch.dir("t");
        let operations = operations.iter().filter(|(name, _)| is_wanted(name));
        let mut operations = operations.peekable();
        if operations.peek().is_none() {
            others.push(case.clone());
        }
        while let Some((name, operation)) = operations.next() {
            if !changes.is_empty() {
                shell("setup", scratch.path());
            }
            let answer = act(operation, &tree, scope, path);
            // After several refusals, look for changes only once.
            let is_time = answer.is_ok() || operations.peek().is_none();
            changes = if is_time { shell("look", &tree) } else { String::new() };
            let is_right = match &answer {
                Ok(text) => verdict == "ok" && format!("{text}{changes}") == result,
                Err(error) => changes.is_empty() && has_verdict(error, &line, path),
            };
            if !is_right {
                wrong.push(format!("{name} {case:?}: {answer:?} {changes}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    others
}
