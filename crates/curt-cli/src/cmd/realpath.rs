use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use curt::canonical::{Canonicalizer, Missing, relative};
use curt::list::Stat;
use curt::{Calls, Error, Fields, Plan};

use crate::args::{ReadlinkOptions, RealpathOptions, WithoutOptions};
use crate::exit::Exit;
use crate::out::entry;
use crate::out::failure::Failure;
use crate::out::json::Object;
use crate::quote::for_terminal;
use crate::session::Session;

pub(crate) fn realpath(options: &RealpathOptions) -> Exit {
    let session = options.output.session("curt realpath");
    let names = canonicalizer(&options.without).missing(options.missing).links(options.links);
    let mut output = Output { session: &session, zero: options.zero, count: 0 };
    let shortened = match Shortened::new(options, &names) {
        Ok(shortened) => shortened,
        Err((path, failure)) => {
            // As in GNU realpath, `--quiet` does not suppress this message.
            output.fail(path, failure, true);
            return output.finish(&names.calls());
        }
    };
    for operand in session.until_cancelled(&options.operands) {
        match names.find(operand) {
            Ok(name) => output.print(operand, "name", shortened.of(&name).as_os_str(), true),
            Err(error) => output.fail(operand, Failure::from(&error), !options.quiet),
        }
    }
    output.finish(&names.calls())
}

fn canonicalizer(without: &WithoutOptions) -> Canonicalizer {
    without.features.iter().copied().fold(Canonicalizer::new(), Canonicalizer::without)
}

#[derive(Default)]
struct Shortened {
    /// The directory to which printed paths are relative.
    from: Option<PathBuf>,
    /// Paths outside this directory are printed as absolute.
    within: Option<PathBuf>,
}

impl Shortened {
    /// Resolves the directories of `--relative-to` and `--relative-base`. The error has the
    /// option's value.
    fn new<'a>(
        options: &'a RealpathOptions,
        names: &Canonicalizer,
    ) -> Result<Shortened, (&'a OsStr, Failure)> {
        let find = |path: &'a OsString| {
            // The trailing separator causes an error if the path is a file.
            let is_checked = options.missing == Missing::Nothing;
            let directory = if is_checked { Path::new(path).join("") } else { path.into() };
            let error = |error: Error| (path.as_os_str(), Failure::from(&error));
            names.find(directory).map_err(error)
        };
        let to = options.relative_to.as_ref().map(find).transpose()?;
        let base = options.relative_base.as_ref().map(find).transpose()?;
        Ok(match (to, base) {
            (Some(to), Some(base)) if to.starts_with(&base) => {
                Shortened { from: Some(to), within: Some(base) }
            }
            // As in GNU realpath, all paths are absolute if `--relative-to` is outside
            // `--relative-base`.
            (Some(_), Some(_)) => Shortened::default(),
            (None, Some(base)) => Shortened { from: Some(base.clone()), within: Some(base) },
            (from, None) => Shortened { from, within: None },
        })
    }

    fn of(&self, name: &Path) -> PathBuf {
        let is_within = self.within.as_ref().is_none_or(|within| name.starts_with(within));
        let from = self.from.as_ref().filter(|_| is_within);
        from.and_then(|from| relative(from, name)).unwrap_or_else(|| name.to_owned())
    }
}

pub(crate) fn readlink(options: &ReadlinkOptions) -> Exit {
    let session = options.output.session("curt readlink");
    let is_alone = options.operands.len() == 1;
    if options.no_newline && !is_alone {
        session.note("ignoring --no-newline with multiple arguments");
    }
    let has_end = !(options.no_newline && is_alone);
    let mut output = Output { session: &session, zero: options.zero, count: 0 };
    let mut stat = Stat::new(Plan::new(Fields::TARGET));
    let names = canonicalizer(&options.without).missing(options.missing.unwrap_or_default());
    for operand in session.until_cancelled(&options.operands) {
        let (key, found) = match options.missing {
            None => ("target", target(&mut stat, operand)),
            Some(_) => ("name", names.find(operand).map_err(|error| Failure::from(&error))),
        };
        match found {
            Ok(name) => output.print(operand, key, name.as_os_str(), has_end),
            Err(failure) => output.fail(operand, failure, options.has_messages),
        }
    }
    output.finish(&if options.missing.is_none() { stat.calls() } else { names.calls() })
}

fn target(stat: &mut Stat, operand: &OsStr) -> Result<PathBuf, Failure> {
    let metadata = stat.path(operand).map_err(|error| Failure::from(&error))?;
    metadata.target().known().map(Path::to_owned).ok_or_else(|| not_a_link(&metadata))
}

/// Returns the error of the metadata query, or else `EINVAL`, as from `readlink(2)`.
fn not_a_link(metadata: &curt::Metadata) -> Failure {
    match metadata.failures().next() {
        Some((_, error)) => Failure::from(error),
        None => Failure::os("read_link", &std::io::ErrorKind::InvalidInput.into()),
    }
}

struct Output<'a> {
    session: &'a Session,
    zero: bool,
    count: u64,
}

impl Output<'_> {
    fn print(&mut self, operand: &OsStr, key: &str, name: &OsStr, has_end: bool) {
        self.count += 1;
        if self.session.is_json() {
            self.session.object(Object::new().path("path", operand).path(key, name));
            return;
        }
        if has_end {
            self.session.name(name, self.zero);
        } else {
            self.session.data(&entry::name(name, !self.zero && self.session.is_terminal()));
        }
    }

    /// Reports a failure as GNU does. JSON includes all failures, even with `--quiet`.
    fn fail(&mut self, operand: &OsStr, failure: Failure, has_message: bool) {
        if self.session.is_json() || has_message {
            let message = format!("{}: {}", for_terminal(operand, ":"), failure.message());
            self.session.fail_as(failure.path(operand), &message);
        } else {
            self.session.count_failure();
        }
    }

    fn finish(self, calls: &Calls) -> Exit {
        self.session.finish_counted("names", (self.count, "name", "names"), calls)
    }
}
