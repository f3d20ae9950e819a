//! Paths and names from and for JavaScript.

use std::ffi::OsString;
use std::path::PathBuf;

use napi::bindgen_prelude::{Buffer, Either};

/// A path: text, or the bytes of the system.
pub type PathArgument = Either<String, Buffer>;

/// The path that was passed. Text is UTF-8, as Node's is.
#[cfg(unix)]
pub fn path(argument: PathArgument) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    let bytes = match argument {
        Either::A(text) => text.into_bytes(),
        Either::B(bytes) => bytes.to_vec(),
    };
    PathBuf::from(OsString::from_vec(bytes))
}

/// The path that was passed. Bytes are UTF-8, as Node reads them.
#[cfg(windows)]
pub fn path(argument: PathArgument) -> PathBuf {
    PathBuf::from(OsString::from(match argument {
        Either::A(text) => text,
        Either::B(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
    }))
}
