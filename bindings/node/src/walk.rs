//! Walks a tree, for `walk`.
//!
//! One call lists many directories, but the caller may choose among the subdirectories of each. So
//! a batch ends at the first directory with subdirectories. `undecided` has their names until the
//! next call brings the choice.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use curt::list::{Directory, DirectoryWalk, List, NameBlock};
use curt::{Cancel, Error, Fields, Next};
use napi::bindgen_prelude::{Buffer, Uint32Array};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work, lock};

/// Bytes of names per batch, approximately.
const ENOUGH: usize = 1 << 16;

#[napi]
pub struct Walker(Arc<Mutex<State>>);

pub struct State {
    walk: DirectoryWalk,
    /// `None` once the walk has begun.
    top: Option<PathBuf>,
    undecided: Option<(List, Vec<OsString>)>,
}

#[napi]
impl Walker {
    #[napi(constructor)]
    pub fn new(top: PathArgument) -> Walker {
        let (walk, top) = (DirectoryWalk::new(), Some(text::path(top)));
        Walker(Arc::new(Mutex::new(State { walk, top, undecided: None })))
    }

    /// Lists more directories. `chosen` has the positions of the subdirectories to walk in the last
    /// directory, or `None` for all.
    #[napi]
    pub fn next(
        &self,
        env: Env,
        chosen: Option<Uint32Array>,
        control: Option<&Control>,
    ) -> Result<Outcome<Step>> {
        let chosen = chosen.map(|positions| positions.to_vec());
        work::start(env, Step { walk: Arc::clone(&self.0), chosen }, control)
    }

    #[napi]
    pub fn close(&self) {
        let mut walk = lock(&self.0);
        *walk = State { walk: DirectoryWalk::new(), top: None, undecided: None };
    }
}

pub struct Step {
    walk: Arc<Mutex<State>>,
    chosen: Option<Vec<u32>>,
}

#[napi(object, object_from_js = false)]
pub struct Directories {
    /// For each directory its path, its subdirectories and its other names, all NUL-terminated.
    pub text: Buffer,
    pub counts: Uint32Array,
    pub failure: Option<Failure>,
    pub is_end: bool,
}

impl Work for Step {
    type Output = Directories;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Directories> {
        let mut walk = lock(&self.walk);
        walk.enter(self.chosen.as_deref()).map_err(|error| Failure::from(&error))?;
        let mut found = Page::default();
        while found.may_continue() && walk.undecided.is_none() && !cancel.is_cancelled() {
            match walk.open() {
                None => found.is_end = true,
                Some(opened) => {
                    let listed = opened.and_then(|dir| walk.list(dir, &mut found, cancel));
                    found.failure = listed.err().map(|error| Failure::from(&error));
                }
            }
        }
        let Page { text, counts, failure, is_end } = found;
        Ok(Directories { text: text.into_units().into(), counts: counts.into(), failure, is_end })
    }
}

#[derive(Default)]
struct Page {
    text: NameBlock<u8>,
    counts: Vec<u32>,
    failure: Option<Failure>,
    is_end: bool,
}

impl Page {
    fn may_continue(&self) -> bool {
        !self.is_end && self.failure.is_none() && self.text.units().len() < ENOUGH
    }
}

impl State {
    fn enter(&mut self, chosen: Option<&[u32]>) -> std::result::Result<(), Error> {
        let Some((list, names)) = self.undecided.take() else { return Ok(()) };
        match chosen {
            None => self.walk.enter(list, names),
            Some(positions) => {
                let name = |&position: &u32| names.get(position as usize);
                self.walk.enter(list, positions.iter().filter_map(name))
            }
        }
    }

    fn open(&mut self) -> Option<std::result::Result<Directory, Error>> {
        match self.top.take() {
            Some(top) => Some(self.walk.open(top)),
            None => self.walk.next(),
        }
    }

    fn list(
        &mut self,
        directory: Directory,
        found: &mut Page,
        cancel: &Cancel,
    ) -> std::result::Result<(), Error> {
        let (mut text, mut others) = (NameBlock::default(), NameBlock::default());
        let mut directories = Vec::new();
        text.push(directory.path().as_os_str().as_encoded_bytes());
        let mut list = directory.list(Fields::KIND);
        let mut more = true;
        while more && !cancel.is_cancelled() {
            more = list.visit_batch(|name, entry| {
                let name = name.get();
                if entry.kind().is_dir() {
                    text.push(name.as_encoded_bytes());
                    directories.push(name.into_owned());
                } else {
                    others.push(name.as_encoded_bytes());
                }
                if cancel.is_cancelled() { Next::Stop } else { Next::Continue }
            })?;
        }
        found.text.append(&text);
        found.text.append(&others);
        found.counts.extend([directories.len() as u32, others.iter().len() as u32]);
        if directories.is_empty() {
            return self.walk.enter(list, directories);
        }
        self.undecided = Some((list, directories));
        Ok(())
    }
}
