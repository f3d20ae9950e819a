//! Operations that run in Node's thread pool, or at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use curt::{Cancel, Threads};
use napi::bindgen_prelude::{AsyncTask, Either, ToNapiValue, TypeName};
use napi::{Env, Task};
use napi_derive::napi;

use crate::failure::Answer;

/// What JavaScript gets of an operation.
pub trait Value: Send + ToNapiValue + TypeName + 'static {}

impl<T: Send + ToNapiValue + TypeName + 'static> Value for T {}

/// What an operation does, without JavaScript.
pub trait Work: Send + 'static {
    type Output: Value;

    fn run(&mut self, cancel: &Cancel) -> Answer<Self::Output>;
}

/// Stops the operation that it was passed to.
#[napi]
#[derive(Default)]
pub struct Control(Arc<Cancel>);

#[napi]
impl Control {
    #[napi(constructor)]
    pub fn new() -> Control {
        Control::default()
    }

    /// The operation ends soon, with what it has done by then.
    #[napi]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

/// An operation in the thread pool.
pub struct Pooled<W> {
    work: W,
    cancel: Arc<Cancel>,
}

impl<W: Work> Task for Pooled<W> {
    type Output = Answer<W::Output>;
    type JsValue = W::Output;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        attempt(&mut self.work, &self.cancel)
    }

    fn resolve(&mut self, env: Env, output: Self::Output) -> napi::Result<W::Output> {
        output.map_err(|failure| failure.into_error(env))
    }
}

/// A promise, or the result.
pub type Outcome<W> = Either<AsyncTask<Pooled<W>>, <W as Work>::Output>;

/// Runs an operation: in the thread pool with a control, and at once without one.
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

/// Runs an operation. A panic, which is a fault of curt, must not end the process.
fn attempt<W: Work>(work: &mut W, cancel: &Cancel) -> napi::Result<Answer<W::Output>> {
    let run = AssertUnwindSafe(|| work.run(cancel));
    catch_unwind(run).map_err(|_| napi::Error::from_reason("curt has panicked, which is a bug"))
}

/// Locks what operations share, also after one of them has panicked.
pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most threads that may be asked for.
#[napi]
pub const MOST_THREADS: u32 = Threads::MOST as u32;

/// How many threads may work: 0 says that the operation decides.
pub fn threads(most: u32) -> Threads {
    Threads::try_from(most as usize).unwrap_or_default()
}
