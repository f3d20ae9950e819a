//! Runs operations in Node's thread pool, or directly on the calling thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use curt::{Cancel, Threads};
use napi::bindgen_prelude::{AsyncTask, Either, ToNapiValue, TypeName};
use napi::{Env, Task};
use napi_derive::napi;

use crate::failure::Fallible;

pub trait Value: Send + ToNapiValue + TypeName + 'static {}

impl<T: Send + ToNapiValue + TypeName + 'static> Value for T {}

pub trait Work: Send + 'static {
    type Output: Value;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Self::Output>;
}

#[napi]
#[derive(Default)]
pub struct Control(Arc<Cancel>);

#[napi]
impl Control {
    #[napi(constructor)]
    pub fn new() -> Control {
        Control::default()
    }

    #[napi]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

pub struct Pooled<W> {
    work: W,
    cancel: Arc<Cancel>,
}

impl<W: Work> Task for Pooled<W> {
    type Output = Fallible<W::Output>;
    type JsValue = W::Output;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        attempt(&mut self.work, &self.cancel)
    }

    fn resolve(&mut self, env: Env, output: Self::Output) -> napi::Result<W::Output> {
        output.map_err(|failure| failure.into_error(env))
    }
}

pub type Outcome<W> = Either<AsyncTask<Pooled<W>>, <W as Work>::Output>;

/// Starts the work in the thread pool if there is a control, otherwise runs it before returning.
pub fn start<W: Work>(
    env: Env,
    mut work: W,
    control: Option<&Control>,
) -> napi::Result<Outcome<W>> {
    match control {
        Some(control) => {
            let cancel = Arc::clone(&control.0);
            Ok(Either::A(AsyncTask::new(Pooled { work, cancel })))
        }
        None => {
            let output = attempt(&mut work, &Cancel::new())?;
            output.map(Either::B).map_err(|failure| failure.into_error(env))
        }
    }
}

/// Runs the work. A panic is a bug in curt, but must not end the process.
fn attempt<W: Work>(work: &mut W, cancel: &Cancel) -> napi::Result<Fallible<W::Output>> {
    let run = AssertUnwindSafe(|| work.run(cancel));
    catch_unwind(run).map_err(|_| napi::Error::from_reason("curt has panicked, which is a bug"))
}

pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[napi]
pub const MOST_THREADS: u32 = Threads::MOST as u32;

pub fn threads(most: u32) -> Threads {
    Threads::try_from(most as usize).unwrap_or_default()
}
