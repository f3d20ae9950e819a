//! A contender's command line for one run.
//!
//! | placeholder | value |
//! |---|---|
//! | `{tree}` | the tree's path |
//! | `{copy}` | an unused path beside the tree |
//! | `{operands}` | all names or paths to query; the command then runs in the tree |

use crate::oracle::{Question, paths_to_expand};
use crate::programs::{Found, quiet};
use crate::rivals::Program;
use crate::scenario::Scenario;
use crate::tree::{directories, program_name};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

pub(crate) fn command(
    scenario: &Scenario,
    size: u32,
    found: &Found,
    tree: &Path,
    copy: &Path,
    under: Option<Command>,
) -> io::Result<Command> {
    let mut command = match under {
        None => Command::new(&found.program),
        Some(mut under) => {
            under.arg(&found.program);
            under
        }
    };
    if found.contender.rival.program == Program::Own {
        command.arg("role");
    }
    for word in words(found.contender.line.words) {
        match word {
            "{operands}" => command.current_dir(tree).args(operands(scenario, size, tree)?),
            "{tree}" => command.arg(tree),
            "{copy}" => command.arg(copy),
            word => command.arg(word),
        };
    }
    if matches!(scenario.question, Question::Found(_)) {
        let path = std::env::join_paths(directories(tree)?).map_err(io::Error::other)?;
        command.env("PATH", path);
    }
    quiet(&mut command);
    Ok(command)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let pieces = line.split('\'').enumerate();
    pieces.flat_map(|(index, piece)| {
        let is_quoted = index % 2 == 1;
        let (quoted, bare) = if is_quoted { (Some(piece), "") } else { (None, piece) };
        quoted.into_iter().chain(bare.split_whitespace())
    })
}

fn operands(scenario: &Scenario, size: u32, tree: &Path) -> io::Result<Vec<OsString>> {
    match scenario.question {
        Question::Found(_) => Ok((0..size).map(|index| program_name(index).into()).collect()),
        Question::Expanded => Ok(paths_to_expand(size).map(OsString::from).collect()),
        _ => {
            let entries = std::fs::read_dir(tree)?;
            let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
            let mut names = names.collect::<io::Result<Vec<_>>>()?;
            names.sort();
            Ok(names)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::SCENARIOS;

    #[test]
    fn every_word_in_braces_stands_for_something() {
        for scenario in &SCENARIOS {
            for contender in scenario.contenders() {
                for word in words(contender.line.words).filter(|word| word.starts_with('{')) {
                    let is_known =
                        matches!(word, "{operands}" | "{tree}" | "{copy}") || word.contains(' ');
                    assert!(is_known, "{}: {word}", scenario.name);
                }
            }
        }
    }

    #[test]
    fn quotes_keep_a_word_together() {
        let expected = ["-c", "for x; do y; done", "sh", "{operands}"];
        assert_eq!(words("-c 'for x; do y; done' sh {operands}").collect::<Vec<_>>(), expected);
    }
}
