use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use curt::filters::Globs;
use curt::remove::{DirectoryOperands, Report};
use curt::{Cancel, Next, Remove};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

pub struct NodeRemoval {
    path: PathBuf,
    force: bool,
    threads: u32,
}

impl Work for NodeRemoval {
    type Output = ();

    fn run(&mut self, cancel: &Cancel) -> Fallible<()> {
        // Like Node's `rm`, continue after a failure.
        let removal = removal(self.threads, self.force, cancel).on_error(|_| Next::Continue);
        to_result(&removal.run(&self.path))
    }
}

pub fn removal(threads: u32, force: bool, cancel: &Cancel) -> Remove<'_> {
    let removal = Remove::new().directories(DirectoryOperands::Removable).missing_is_fine(force);
    removal.threads(work::threads(threads)).cancel(cancel)
}

pub fn to_result(report: &Report) -> Fallible<()> {
    report.errors.first().map_or(Ok(()), |error| Err(Failure::from(error)))
}

/// Removes a tree like `fs.rm` with `recursive`, but without retries.
#[napi]
pub fn remove(
    env: Env,
    path: PathArgument,
    force: bool,
    threads: u32,
    control: Option<&Control>,
) -> Result<Outcome<NodeRemoval>> {
    work::start(env, NodeRemoval { path: text::path(path), force, threads }, control)
}

#[napi(object, object_to_js = false)]
pub struct RemoveOptions {
    pub contents: bool,
    pub exclude: Vec<String>,
    pub force: bool,
    pub make_writable: bool,
    pub retries: Option<u32>,
    pub threads: u32,
}

/// A removal with curt's own options.
#[napi]
pub struct Removal(Arc<Request>);

struct Request {
    paths: Vec<PathBuf>,
    options: RemoveOptions,
    globs: Globs,
    files: AtomicU64,
    directories: AtomicU64,
}

#[napi(object, object_from_js = false)]
pub struct Removed {
    pub files: f64,
    pub directories: f64,
}

#[napi(object, object_from_js = false)]
pub struct RemoveReport {
    pub files: f64,
    pub directories: f64,
    pub skipped: f64,
    pub made_writable: f64,
    pub errors: Vec<Failure>,
}

#[napi]
impl Removal {
    #[napi(constructor)]
    pub fn new(paths: Vec<PathArgument>, options: RemoveOptions) -> Result<Removal> {
        let paths = paths.into_iter().map(text::path).collect();
        let globs = text::globs(&options.exclude)?;
        let (files, directories) = Default::default();
        Ok(Removal(Arc::new(Request { paths, options, globs, files, directories })))
    }

    #[napi]
    pub fn run(&self, env: Env, control: Option<&Control>) -> Result<Outcome<Removing>> {
        work::start(env, Removing(Arc::clone(&self.0)), control)
    }

    #[napi]
    pub fn removed(&self) -> Removed {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        Removed { files: count(&self.0.files), directories: count(&self.0.directories) }
    }
}

pub struct Removing(Arc<Request>);

impl Work for Removing {
    type Output = RemoveReport;

    fn run(&mut self, cancel: &Cancel) -> Fallible<RemoveReport> {
        let Request { paths, options, globs, files, directories } = &*self.0;
        let mut removal = Remove::new()
            .missing_is_fine(options.force)
            .make_writable(options.make_writable)
            .threads(work::threads(options.threads))
            .on_progress(|totals| {
                files.fetch_max(totals.files, Ordering::Relaxed);
                directories.fetch_max(totals.directories, Ordering::Relaxed);
            })
            .cancel(cancel);
        if options.contents {
            removal = removal.directories(DirectoryOperands::Contents);
        }
        if !globs.is_empty() {
            removal = removal.exclude(|entry| globs.matches(entry.relative_path(), entry.kind()));
        }
        if let Some(retries) = options.retries {
            removal = removal.retries(retries, Remove::RETRY_WINDOW);
        }
        let report = removal.run(paths);
        Ok(RemoveReport {
            files: report.files as f64,
            directories: report.directories as f64,
            skipped: report.skipped as f64,
            made_writable: report.made_writable as f64,
            errors: report.errors.iter().map(Failure::from).collect(),
        })
    }
}
