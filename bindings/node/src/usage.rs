use std::path::PathBuf;
use std::sync::OnceLock;

use curt::{Cancel, Next, Usage};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

#[napi(object, object_from_js = false)]
pub struct Sizes {
    pub entries: f64,
    pub size: f64,
    pub allocated: f64,
}

pub struct Measurement {
    path: PathBuf,
    threads: u32,
}

impl Work for Measurement {
    type Output = Sizes;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Sizes> {
        let first = OnceLock::new();
        let report = Usage::new()
            .max_depth(0)
            .threads(work::threads(self.threads))
            .on_error(|error| {
                let _ = first.set(Failure::from(error));
                Next::Stop
            })
            .cancel(cancel)
            .measure(&self.path);
        let total = report.total();
        first.into_inner().map_or(
            Ok(Sizes {
                entries: total.entries as f64,
                size: total.apparent as f64,
                allocated: total.allocated as f64,
            }),
            Err,
        )
    }
}

#[napi]
pub fn measure(
    env: Env,
    path: PathArgument,
    threads: u32,
    control: Option<&Control>,
) -> Result<Outcome<Measurement>> {
    work::start(env, Measurement { path: text::path(path), threads }, control)
}
