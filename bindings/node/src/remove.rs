//! Removing a tree, for `rm` and `rmSync`.

use std::path::PathBuf;
use std::time::Duration;

use curt::{Cancel, Next, Remove};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::Failure;
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

/// The options of `fs.rm`.
#[napi(object)]
pub struct RemoveOptions {
    pub force: bool,
    pub max_retries: u32,
    pub retry_delay: u32,
    pub threads: u32,
}

pub struct Removal {
    path: PathBuf,
    options: RemoveOptions,
}

impl Work for Removal {
    type Output = ();

    fn run(&mut self, cancel: &Cancel) -> std::result::Result<(), Failure> {
        let options = &self.options;
        let report = Remove::new()
            .missing_is_fine(options.force)
            .retries(options.max_retries, Duration::from_millis(options.retry_delay.into()))
            .threads(work::threads(options.threads))
            .on_error(|_| Next::Stop)
            .cancel(cancel)
            .run(&self.path);
        report.errors.first().map_or(Ok(()), |error| Err(error.into()))
    }
}

/// Removes a tree, as `fs.rm` does with `recursive`.
#[napi]
pub fn remove(
    env: Env,
    path: PathArgument,
    options: RemoveOptions,
    control: Option<&Control>,
) -> Result<Outcome<Removal>> {
    work::start(env, Removal { path: text::path(path), options }, control)
}
