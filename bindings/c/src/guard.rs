//! The guard around the body of each C function: it catches panics and turns failures into results.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

use curt::filters::GlobError;

use crate::results::{CURT_E_ARGUMENT, CURT_E_INTERNAL, CURT_E_STOPPED, result_of};

pub(crate) enum Failure {
    Library(curt::Error),
    Argument(&'static str),
    Glob(GlobError),
    Stopped,
    /// A result without a message.
    Result(i32),
    Panic(String),
}

impl From<GlobError> for Failure {
    fn from(error: GlobError) -> Failure {
        Failure::Glob(error)
    }
}

impl From<curt::Error> for Failure {
    fn from(error: curt::Error) -> Failure {
        Failure::Library(error)
    }
}

impl Failure {
    pub(crate) fn result(&self) -> i32 {
        match self {
            Failure::Library(error) => result_of(error),
            Failure::Argument(_) | Failure::Glob(_) => CURT_E_ARGUMENT,
            Failure::Stopped => CURT_E_STOPPED,
            Failure::Result(result) => *result,
            Failure::Panic(_) => CURT_E_INTERNAL,
        }
    }
}

pub(crate) fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Tests and fuzz targets must print why they fail.
    if !cfg!(any(test, fuzzing)) {
        silence();
    }
    panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        UNWINDING.set(false);
        let message = payload.downcast_ref::<String>().cloned();
        let literal = || payload.downcast_ref::<&str>().map(ToString::to_string);
        let message = message.or_else(literal).unwrap_or_default();
        // Leak the payload: dropping it could panic again.
        std::mem::forget(payload);
        Err(Failure::Panic(message))
    })
}

/// Runs the body of a function that has no error object.
pub(crate) fn plain<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, i32> {
    caught(body).map_err(|failure| failure.result())
}

thread_local!(static UNWINDING: Cell<bool> = const { Cell::new(false) });

/// Silences panic messages with a hook. The hook belongs to this copy of the standard library,
/// which no other code in the process uses. At a second panic during unwinding, the hook aborts
/// before the standard library can print.
fn silence() {
    // Not a `Once`: if the process forks while another thread is inside it, the child would wait
    // forever.
    static SILENT: AtomicBool = AtomicBool::new(false);
    let hook = |_: &panic::PanicHookInfo<'_>| {
        if UNWINDING.replace(true) {
            std::process::abort();
        }
    };
    if !SILENT.load(Ordering::Relaxed) && !SILENT.swap(true, Ordering::Relaxed) {
        panic::set_hook(Box::new(hook));
    }
}

pub(crate) fn int(answer: Result<i32, i32>) -> i32 {
    answer.unwrap_or_else(|result| result)
}

pub(crate) fn length(answer: Result<isize, i32>) -> isize {
    answer.unwrap_or_else(|result| result as isize)
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;
    use std::slice;

    use super::*;
    use crate::error::{curt_error, curt_error_free, curt_error_get, curt_error_info, guard};
    use crate::text::curt_str;

    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the payload was dropped");
        }
    }

    fn number() -> Result<i32, Failure> {
        // The closures below always panic, but the compiler must not know that.
        std::hint::black_box(Ok(7))
    }

    fn guarded(body: impl FnOnce() -> Result<i32, Failure>) -> (Result<i32, i32>, String) {
        let mut error = std::ptr::dangling_mut();
        // SAFETY: `error` is a local variable.
        let result = unsafe { guard("curt_some", &raw mut error, body) };
        if error.is_null() {
            return (result, String::new());
        }
        let mut info = curt_error_info {
            size: size_of::<curt_error_info>(),
            result: 0,
            operation: std::ptr::dangling(),
            os_error: 9,
            path: curt_str::NONE,
            text: std::ptr::null(),
            text_len: 0,
            reason: std::ptr::null(),
            destination: curt_str::NONE,
        };
        // SAFETY: `error` is open, and `info` is local.
        assert_eq!(unsafe { curt_error_get(error, &raw mut info) }, 0);
        assert_eq!(Err(info.result), result);
        assert!(info.operation.is_null());
        assert_eq!((info.os_error, info.path.len), (0, 0));
        // SAFETY: the text ends in a NUL.
        let text = unsafe { slice::from_raw_parts(info.text.cast::<u8>(), info.text_len + 1) };
        let text = std::ffi::CStr::from_bytes_with_nul(text).unwrap().to_str().unwrap().to_owned();
        // SAFETY: `error` is not used afterwards.
        unsafe { curt_error_free(error) };
        (result, text)
    }

    #[test]
    fn a_panic_becomes_an_internal_error() {
        let internal =
            |message: &str| (Err(CURT_E_INTERNAL), format!("curt_some: internal error: {message}"));
        assert_eq!(guarded(number), (Ok(7), String::new()));
        let literal = guarded(|| number().map(|_| panic!("a \0 literal")));
        assert_eq!(literal, internal("a  literal"));
        let formatted = guarded(|| number().map(|number| panic!("number {number}")));
        assert_eq!(formatted, internal("number 7"));
        let payload = guarded(|| number().map(|_| panic::panic_any(Bomb)));
        assert_eq!(payload, internal(""));
        let index = [1, 2][..std::hint::black_box(2)].len();
        let slice = guarded(|| Ok([1, 2][std::hint::black_box(index)]));
        assert_eq!(slice.0, Err(CURT_E_INTERNAL));
        assert_eq!(guarded(number), (Ok(7), String::new()));
    }

    #[test]
    fn other_failures_have_their_results_and_a_text() {
        let refused = guarded(|| Err(Failure::Argument("it is odd")));
        assert_eq!(refused, (Err(CURT_E_ARGUMENT), "curt_some: it is odd".to_owned()));
        let stopped = guarded(|| Err(Failure::Stopped));
        assert_eq!(stopped, (Err(CURT_E_STOPPED), "curt_some: stopped".to_owned()));
    }

    #[test]
    fn a_place_for_the_error_that_is_null_or_odd_is_not_written() {
        let mut place = [null_mut::<curt_error>().wrapping_add(1); 2];
        let odd = (&raw mut place).cast::<u8>().wrapping_add(1).cast();
        for error in [null_mut(), odd] {
            for body in [number, || Err(Failure::Stopped), || panic!("in a test")] {
                // SAFETY: `guard` refuses NULL and misaligned pointers.
                let result = unsafe { guard("curt_some", error, body) };
                assert!(matches!(result, Ok(7) | Err(CURT_E_STOPPED | CURT_E_INTERNAL)));
            }
        }
        assert_eq!(place, [null_mut::<curt_error>().wrapping_add(1); 2]);
    }

    #[test]
    fn a_panic_prints_nothing() {
        const INSIDE: &str = "CURT_TEST_OF_SILENCE";
        if let Some(twice) = std::env::var_os(INSIDE) {
            silence();
            for _ in 0..2 {
                assert!(caught(|| number().map(|_| panic!("it is loud"))).is_err());
            }
            let bomb = (twice == "twice").then(|| Bomb);
            let panics = || {
                let _dropped = bomb;
                panic!("it is loud")
            };
            assert!(caught(|| number().map(|_| panics())).is_err());
            let helper = std::thread::spawn(|| panic!("it is loud"));
            assert!(helper.join().is_err());
            return;
        }
        let me = std::env::current_exe().unwrap();
        let name = "guard::tests::a_panic_prints_nothing";
        for times in ["once", "twice"] {
            let mut child = std::process::Command::new(&me);
            let output = child.args(["--exact", name, "--nocapture"]).env(INSIDE, times).output();
            let output = output.unwrap();
            let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
            assert_eq!(output.status.success(), times == "once", "{said:?}");
            assert_eq!(said[0].contains("1 passed"), times == "once", "{said:?}");
            assert_eq!(said[1], "", "{said:?}");
        }
    }
}
