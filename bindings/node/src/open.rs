//! Lists a tree incrementally, for `opendir`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use curt::list::{Directory, DirectoryWalk, List};
use curt::{Cancel, Cause, Error, Fields, Next};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::list::{Entries, Found, number};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work, lock};

/// Bytes of names per batch, approximately.
const ENOUGH: usize = 1 << 15;

/// A tree to list in batches. Unfinished directories remain open between batches.
#[napi]
pub struct OpenTree(Arc<Mutex<State>>);

#[napi]
impl OpenTree {
    #[napi(constructor)]
    pub fn new(top: PathArgument, prefix: String) -> OpenTree {
        let state = State { top: text::path(top), prefix, ..State::default() };
        OpenTree(Arc::new(Mutex::new(state)))
    }

    #[napi]
    pub fn open(&self, env: Env, control: Option<&Control>) -> Result<Outcome<Opening>> {
        work::start(env, Opening(Arc::clone(&self.0)), control)
    }

    #[napi]
    pub fn read(&self, env: Env, control: Option<&Control>) -> Result<Outcome<Reading>> {
        work::start(env, Reading(Arc::clone(&self.0)), control)
    }

    #[napi]
    pub fn close(&self) {
        *lock(&self.0) = State::default();
    }
}

#[derive(Default)]
struct State {
    top: PathBuf,
    prefix: String,
    walk: DirectoryWalk,
    current: Option<Current>,
}

struct Current {
    path: PathBuf,
    list: List,
    names: Vec<OsString>,
}

impl From<Directory> for Current {
    fn from(opened: Directory) -> Current {
        let path = opened.path().to_owned();
        Current { path, list: opened.list(Fields::KIND), names: Vec::new() }
    }
}

pub struct Opening(Arc<Mutex<State>>);

impl Work for Opening {
    type Output = ();

    fn run(&mut self, _: &Cancel) -> Fallible<()> {
        let mut state = lock(&self.0);
        let State { top, walk, .. } = &mut *state;
        let opened = walk.open(&*top).map_err(|error| Failure::new(&error, "opendir"))?;
        state.current = Some(opened.into());
        Ok(())
    }
}

pub struct Reading(Arc<Mutex<State>>);

/// Entries in the order of the system, each directory before its children.
#[napi(object, object_from_js = false)]
pub struct Batch {
    pub entries: Entries,
    pub failure: Option<Failure>,
    pub is_end: bool,
}

impl Work for Reading {
    type Output = Batch;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Batch> {
        let mut state = lock(&self.0);
        let mut found = Found::default();
        let (mut failure, mut is_end) = (None, false);
        while found.names.units().len() < ENOUGH
            && failure.is_none()
            && !is_end
            && !cancel.is_cancelled()
        {
            match state.step(&mut found) {
                Ok(more) => is_end = !more,
                Err(failed) => failure = Some(failed),
            }
        }
        Ok(Batch { entries: found.into(), failure, is_end })
    }
}

impl State {
    fn step(&mut self, found: &mut Found) -> Fallible<bool> {
        let Some(mut current) = self.current.take() else { return self.open_next() };
        let mut failed = None;
        let before = found.kinds.len();
        let more = current.list.visit_batch(|name, entry| {
            let (name, kind) = (name.get(), entry.kind());
            if let Some((_, error)) = entry.metadata().failures().next() {
                failed = Some(self.failure(error, "lstat"));
            } else {
                found.names.push(name.as_encoded_bytes());
                found.kinds.push(number(kind));
                if kind.is_dir() {
                    current.names.push(name.into_owned());
                }
            }
            Next::Continue
        });
        if found.kinds.len() > before {
            let directory = self.below(&current.path).as_os_str();
            found.directories.push(directory.as_encoded_bytes());
            found.counts.push((found.kinds.len() - before) as u32);
        }
        match more {
            Ok(true) => self.current = Some(current),
            Ok(false) => self.enter(current)?,
            Err(error) => {
                failed = Some(self.failure(&error, "scandir"));
                self.enter(current)?;
            }
        }
        failed.map_or(Ok(true), Err)
    }

    fn enter(&mut self, listed: Current) -> Fallible<()> {
        let Current { list, names, .. } = listed;
        self.walk.enter(list, names).map_err(|error| self.failure(&error, "opendir"))
    }

    fn open_next(&mut self) -> Fallible<bool> {
        match self.walk.next() {
            None => Ok(false),
            Some(Ok(opened)) => {
                self.current = Some(opened.into());
                Ok(true)
            }
            Some(Err(error)) if matches!(error.cause(), Cause::Loop(_)) => Ok(true),
            Some(Err(error)) => Err(self.failure(&error, "opendir")),
        }
    }

    fn below<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.top).unwrap_or(path)
    }

    fn failure(&self, error: &Error, function: &'static str) -> Failure {
        let path = self.below(error.path());
        let failure = Failure::new(error, function);
        if path.as_os_str().is_empty() {
            return failure;
        }
        failure.at(format!("{}{}", self.prefix, path.to_string_lossy()))
    }
}
