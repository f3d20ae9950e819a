//! A contender's command line for one run.
//!
//! | in braces | stands for |
//! |---|---|
//! | `{tree}` | the path of the tree |
//! | `{operands}` | all names or paths that are asked about; the tree is the working directory then |
//! | `{path}`, `{pathext}` | the directories in the tree, the extensions, as Windows has them |
//! | `{work}`, `{flavor}`, `{rounds}`, `{fewer-rounds}`, `{bases}`, `{paths}` | what is computed |

use crate::oracle::{Question, paths_to_expand};
use crate::programs::{Found, quiet};
use crate::roles::compute::Work;
use crate::scenario::Scenario;
use crate::tree::directories;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Command;

/// What sets limits.
pub(crate) const PRLIMIT: &str = "prlimit";

/// The command that answers the scenario's question about the tree, cut off from our own input and
/// output; or the same below another program, such as strace with its options.
pub(crate) fn command(
    scenario: &Scenario,
    size: u32,
    found: &Found,
    tree: &Path,
    under: Option<Command>,
) -> io::Result<Command> {
    let mut words = Vec::new();
    if let Some(directories) = scenario.limit {
        // Beside input, output and errors.
        words = vec![PRLIMIT.into(), format!("--nofile={}", directories + 3).into()];
    }
    words.push(found.program.clone().into_os_string());
    let mut command = under.unwrap_or_else(|| Command::new(words.remove(0)));
    command.args(words);
    if matches!(found.contender.program, crate::scenario::Program::Own) {
        command.arg("role");
    }
    for word in found.contender.words {
        match *word {
            "{operands}" => {
                command.current_dir(tree).args(operands(scenario, size, tree)?);
            }
            "{tree}" => {
                command.arg(tree);
            }
            "{path}" => {
                let entries = directories(tree)?;
                let entries: Vec<&OsStr> = entries.iter().map(|entry| entry.as_os_str()).collect();
                command.arg(entries.join(OsStr::new(";")));
            }
            word => {
                command.arg(text(scenario, word).unwrap_or_else(|| word.to_owned()));
            }
        }
    }
    if matches!(scenario.question, Question::Found(_)) {
        let path = std::env::join_paths(directories(tree)?).map_err(io::Error::other)?;
        command.env("PATH", path);
    }
    quiet(&mut command);
    Ok(command)
}

/// The command line as people read it.
pub(crate) fn line(found: &Found) -> String {
    let program = found.program.file_name().unwrap_or(found.program.as_os_str());
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(found.contender.words.iter().map(|&word| word.to_owned()));
    words.join(" ")
}

/// What is asked about, by name.
fn operands(scenario: &Scenario, size: u32, tree: &Path) -> io::Result<Vec<OsString>> {
    if let Question::Found(look) = scenario.question {
        return Ok(look.names(size).map(OsString::from).collect());
    }
    if scenario.question == Question::Expanded {
        return Ok(paths_to_expand(size).map(OsString::from).collect());
    }
    let entries = std::fs::read_dir(tree)?;
    let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// What a word in braces stands for.
fn text(scenario: &Scenario, word: &str) -> Option<String> {
    let work = match scenario.question {
        Question::Lengths(work) => work,
        _ => Work::Clean,
    };
    Some(match word {
        "{pathext}" => match scenario.question {
            Question::Found(look) => look.pathext(),
            _ => return None,
        },
        "{work}" => work.name(),
        "{flavor}" => work.rival_flavor().to_owned(),
        "{rounds}" => work.rounds(true).to_string(),
        "{fewer-rounds}" => work.rounds(false).to_string(),
        "{bases}" => work.bases().join("|"),
        "{paths}" => work.paths().join("|"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::all;

    #[test]
    fn every_word_in_braces_stands_for_something() {
        for scenario in all() {
            let words = scenario.contenders.iter().flat_map(|contender| contender.words);
            for word in words.filter(|word| word.starts_with('{') && word.ends_with('}')) {
                let is_known = matches!(*word, "{operands}" | "{tree}" | "{path}")
                    || word.contains(' ')
                    || text(scenario, word).is_some();
                assert!(is_known, "{}: {word}", scenario.name);
            }
        }
    }
}
