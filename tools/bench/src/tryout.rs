//! Whether those who were found can do it at all. A program may be too old for an option, or be
//! another one of the same name. It is then named with the reason and left out, instead of taking
//! part and losing.

use super::contender::{Contender, Found, quiet};
use super::context::Context;
use super::ground::Ground;
use super::measure::run_to_end;
use super::operation::Scenario;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A program that lists an empty directory for longer than this cannot.
const PATIENCE: Duration = Duration::from_secs(6);

/// What came out, by command line.
pub(super) struct Tryouts<'a> {
    context: &'a Context<'a>,
    known: HashMap<String, Option<String>>,
}

impl<'a> Tryouts<'a> {
    /// Nobody tried yet.
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context, known: HashMap::new() }
    }

    /// Those who can answer the scenario's question about an empty directory. What removes trees is
    /// not tried out: whether it can shows in the race.
    pub(super) fn of(&mut self, found: Found, scenario: &Scenario) -> io::Result<Found> {
        if !scenario.reads() {
            return Ok(found);
        }
        let mut able = Found { contenders: Vec::new(), ..found };
        for contender in found.contenders {
            let line = contender.line();
            let reason = match self.known.get(&line) {
                Some(known) => known.clone(),
                None => self.reason(&contender)?,
            };
            self.known.insert(line, reason.clone());
            match reason {
                None => able.add(contender),
                Some(reason) => able.miss(&contender.name, reason),
            }
        }
        Ok(able)
    }

    /// Why the contender cannot, if it cannot.
    fn reason(&self, contender: &Contender) -> io::Result<Option<String>> {
        if contender.is_ours() {
            // What curt has must work: if it fails, that belongs into the table.
            let command = contender.before.first().and_then(|word| word.to_str()).unwrap_or("");
            let is_there = command.starts_with("--") || has_command(&contender.program, command);
            return Ok((!is_there).then(|| format!("this curt has no command '{command}'")));
        }
        let Some(place) = self.context.places.first() else { return Ok(None) };
        self.context.step(&format!("trying out {}", contender.name));
        let mut command = contender.command(&Ground::empty(place)?);
        command.stdout(File::create(self.context.scratch.entry("stdout"))?);
        let said = self.context.scratch.entry("stderr");
        let ended = match run_to_end(&mut command, &said, PATIENCE, &self.context.interrupt) {
            Ok(ended) if ended.killed => return Ok(Some("hangs on an empty directory".to_owned())),
            Ok(ended) => ended,
            Err(error) => return Ok(Some(format!("cannot start: {error}"))),
        };
        let failed = !ended.status.success();
        Ok(failed.then(|| super::arena::failure(ended.status.code(), &said)))
    }
}

/// Whether that curt has a command of this name.
fn has_command(curt: &Path, name: &str) -> bool {
    let mut command = Command::new(curt);
    quiet(&mut command);
    command.args([name, "--help"]).status().is_ok_and(|status| status.success())
}
