use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use curt::copy::{CopyRefusal, Existing, Method, Preserve};
use curt::fields::Follow;
use curt::{Cancel, Cause, Copy, Error, Next, Operation};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

/// `COPYFILE_FICLONE_FORCE`.
const CLONE_ONLY: u32 = 4;

/// The options of Node's `cp`.
#[napi(object, object_to_js = false)]
pub struct CopyOptions {
    pub dereference: bool,
    pub error_on_exist: bool,
    pub force: bool,
    pub mode: u32,
    pub preserve_timestamps: bool,
    pub verbatim_symlinks: bool,
    pub threads: u32,
}

pub struct Copying {
    source: PathBuf,
    target: PathBuf,
    options: CopyOptions,
}

impl Work for Copying {
    /// The names beneath `source` of the entries to leave to Node's own function. `None` if the
    /// parent of `target` is missing.
    type Output = Option<Vec<String>>;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Self::Output> {
        let (left, end) = (Mutex::new(Vec::new()), OnceLock::new());
        let copy = self.copy(cancel).on_error(|error| {
            let is = |kind| matches!(error.cause(), Cause::Os(cause) if cause.kind() == kind);
            let (path, is_left, refusal) = match error.cause() {
                Cause::CopyRefused(refusal, target) => {
                    let is_left = *refusal == CopyRefusal::DirectoryOverFile;
                    (&**target, is_left && self.options.dereference, Some(refusal.name()))
                }
                _ => {
                    let is_link = error.operation() == Operation::CreateLink;
                    let is_unsupported = is_link && is(ErrorKind::Unsupported);
                    (error.path(), is_unsupported || is(ErrorKind::AlreadyExists), None)
                }
            };
            if is_left {
                let name = path.strip_prefix(&self.target).unwrap_or(path);
                work::lock(&left).push(name.to_string_lossy().into_owned());
                return Next::Continue;
            }
            let function = function(error);
            let lacks_parent = matches!(function, "mkdir" | "copyfile")
                && is(ErrorKind::NotFound)
                && path == self.target;
            let path = path.to_string_lossy().into_owned();
            let failure = Failure { path, refusal, ..Failure::new(error, function) };
            let _ = end.set((!lacks_parent).then_some(failure));
            Next::Stop
        });
        let _ = copy.run(&self.source, &self.target);
        drop(copy);
        match end.into_inner() {
            Some(failure) => failure.map_or(Ok(None), Err),
            None => Ok(Some(left.into_inner().unwrap_or_else(PoisonError::into_inner))),
        }
    }
}

/// Returns the function that Node would report.
fn function(error: &Error) -> &'static str {
    match error.operation() {
        Operation::Open | Operation::ReadFile | Operation::CreateFile | Operation::WriteFile => {
            "copyfile"
        }
        Operation::OpenDirectory | Operation::ReadDirectory => "opendir",
        Operation::CreateLink => "symlink",
        _ => error.function(),
    }
}

impl Copying {
    fn copy<'a>(&self, cancel: &'a Cancel) -> Copy<'a> {
        let CopyOptions { dereference, error_on_exist, force, mode, threads, .. } = self.options;
        let methods = [Method::Reflink, Method::Data];
        let times = if self.options.preserve_timestamps { Preserve::TIMES } else { Preserve::NONE };
        Copy::new()
            .methods(if mode == CLONE_ONLY { &methods[..1] } else { &methods })
            .existing(match (force, error_on_exist) {
                (true, _) => Existing::Replace,
                (false, true) => Existing::Fail,
                (false, false) => Existing::Keep,
            })
            .replace_read_only(true)
            .links_replace(false)
            .update_directories(false)
            .special_files(false)
            .preserve(Preserve::MODE | times)
            .follow(if dereference { Follow::Links } else { Follow::Never })
            .absolute_links(!self.options.verbatim_symlinks)
            .threads(work::threads(threads))
            .cancel(cancel)
    }
}

/// Copies a tree like `fs.cp` with `recursive`.
#[napi]
pub fn copy(
    env: Env,
    source: PathArgument,
    target: PathArgument,
    options: CopyOptions,
    control: Option<&Control>,
) -> Result<Outcome<Copying>> {
    let (source, target) = (text::path(source), text::path(target));
    work::start(env, Copying { source, target, options }, control)
}
