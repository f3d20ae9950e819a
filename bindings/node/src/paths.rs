//! Walks a tree, for `paths` and `walkPaths`.

use std::sync::{Arc, Mutex};

use curt::fields::Follow;
use curt::list::{Directory, NameBlock};
use curt::walk::{Visited, Walking};
use curt::{Cancel, Error, Walk};
use napi::bindgen_prelude::Buffer;
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work, lock};

/// Bytes of paths per batch, approximately.
const ENOUGH: usize = 1 << 16;

#[napi(object, object_to_js = false)]
pub struct PathOptions {
    pub exclude: Vec<String>,
    pub max_depth: Option<u32>,
    /// Whether to yield only directories, or no directories.
    pub directories: Option<bool>,
}

#[napi]
pub struct PathWalker(Arc<Mutex<State>>);

struct State {
    /// `None` once closed.
    walking: Option<Walking<'static>>,
    directories: Option<bool>,
}

#[napi]
impl PathWalker {
    #[napi(constructor)]
    pub fn new(top: PathArgument, options: PathOptions) -> Result<PathWalker> {
        let PathOptions { exclude, max_depth, directories } = options;
        let globs = text::globs(&exclude)?;
        let mut walk = Walk::new(text::path(top)).follow(Follow::CommandLine);
        if let Some(depth) = max_depth {
            walk = walk.max_depth(depth as usize);
        }
        if !globs.is_empty() {
            walk = walk.exclude(move |entry| globs.matches(entry.relative_path(), entry.kind()));
        }
        let walking = Some(walk.start());
        Ok(PathWalker(Arc::new(Mutex::new(State { walking, directories }))))
    }

    #[napi]
    pub fn next(&self, env: Env, control: Option<&Control>) -> Result<Outcome<Reading>> {
        work::start(env, Reading(Arc::clone(&self.0)), control)
    }

    #[napi]
    pub fn close(&self) {
        lock(&self.0).walking = None;
    }
}

pub struct Reading(Arc<Mutex<State>>);

#[napi(object, object_from_js = false)]
pub struct Paths {
    /// NUL-terminated paths.
    pub text: Buffer,
    pub failure: Option<Failure>,
    pub is_end: bool,
}

impl Work for Reading {
    type Output = Paths;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Paths> {
        let State { walking, directories } = &mut *lock(&self.0);
        let (mut paths, mut failure, mut is_end) = (NameBlock::default(), None, false);
        while !is_end && failure.is_none() && paths.units().len() < ENOUGH && !cancel.is_cancelled()
        {
            match walking.as_mut().and_then(Walking::next) {
                None => is_end = true,
                Some(Ok(entry)) if entry.depth() == 0 => failure = not_a_directory(&entry),
                Some(Ok(entry)) => {
                    if directories.is_none_or(|wanted| wanted == entry.kind().is_dir()) {
                        paths.push(entry.path().as_os_str().as_encoded_bytes());
                    }
                }
                Some(Err(error)) => failure = Some(error),
            }
        }
        let failure = failure.map(|error| Failure::from(&error));
        Ok(Paths { text: paths.into_units().into(), failure, is_end })
    }
}

/// A walk accepts a file as top; `scandir` fails.
fn not_a_directory(top: &Visited<'_>) -> Option<Error> {
    if top.kind().is_dir() { None } else { Directory::open(&*top.path()).err() }
}
