//! `--check-only`: the text alone.

use std::path::Path;

use curt::Calls;
use curt::paths::{Flavor, PathCheck, PathText, Refusal, Release};

use super::batch::{in_root, mode};
use super::verdict::Refused;
use super::{Counts, aliases};
use crate::args::BeneathOptions;
use crate::args::expand::{FLAVORS, RELEASES};
use crate::batch;
use crate::cmd::expand::choice;
use crate::exit::Exit;
use crate::out::json::{Failure, Object};
use crate::out::{entry, path_text};
use crate::session::Session;

/// The name of a text beneath the directory.
fn name(check: PathCheck, text: &PathText) -> Result<PathText, Refusal> {
    if text.is_wide() {
        // Text in units has them.
        let units = text.to_units().map_err(|_| Refusal::Encoding)?;
        return Ok(PathText::from(check.name(&units)?.into_owned()));
    }
    Ok(PathText::from(check.name(&text.to_bytes())?.into_owned()))
}

/// Checks the operands, or what standard input asks about.
pub(super) fn run(options: &BeneathOptions, session: &Session) -> Exit {
    let flavor = options.flavor.unwrap_or(Flavor::NATIVE);
    let release = options.release.unwrap_or(Release::Windows10);
    if options.batch {
        let exit = batch::answer(session, |line| {
            answer(line, options, (flavor, release))
                .unwrap_or_else(|message| Failure::no_question(message).alone())
        });
        session.stats("", &Calls::default());
        return session.close(false, exit, Exit::FAILURE);
    }
    let check = PathCheck::new(flavor).release(release);
    let check = check.aliases(aliases(options.mode)).in_root(options.in_root);
    let mut counts = Counts::default();
    for operand in &options.operands {
        let path = Path::new(operand);
        match name(check, &PathText::from(path)) {
            Ok(name) => {
                counts.allowed += 1;
                session.data(&line(options, path, &name, flavor, session));
            }
            Err(refusal) => {
                counts.tell(Refused::because(refusal), path, session);
            }
        }
    }
    counts.sum_up(&Calls::default(), session)
}

/// The line for a path that is allowed.
fn line(
    options: &BeneathOptions,
    path: &Path,
    name: &PathText,
    flavor: Flavor,
    session: &Session,
) -> Vec<u8> {
    if options.json {
        let name = path_text::to_json(name, flavor);
        return Object::new().path("path", path).raw("allow", &name).line().into_bytes();
    }
    let mut line = match name.to_path() {
        Ok(name) => entry::name(name.as_os_str(), session.is_terminal()),
        Err(_) => name.to_bytes().into_owned(),
    };
    line.push(b'\n');
    line
}

/// Answers a question.
fn answer(
    line: &[u8],
    options: &BeneathOptions,
    (flavor, release): (Flavor, Release),
) -> Result<Object, String> {
    let value = batch::read(line, &["path", "flavor", "release", "mode", "in_root"])?;
    let path = value.get("path").and_then(path_text::from_json);
    let path = path.ok_or("'path' is missing, or is no path")?;
    let flavor = choice(&value, "flavor", &FLAVORS, Some(flavor))?.unwrap_or(flavor);
    let release = choice(&value, "release", &RELEASES, Some(release))?.unwrap_or(release);
    let (mode, in_root) = (mode(&value, options)?, in_root(&value, options)?);
    let check = PathCheck::new(flavor).release(release);
    let check = check.aliases(aliases(mode)).in_root(in_root);
    Ok(match name(check, &path) {
        Ok(name) => Object::new().raw("allow", &path_text::to_json(&name, flavor)),
        Err(refusal) => Refused::because(refusal).answer_about(&path, flavor),
    })
}
