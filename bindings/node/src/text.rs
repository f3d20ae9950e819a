//! Paths and names from and for JavaScript.

use std::ffi::OsString;
use std::path::PathBuf;

use napi::bindgen_prelude::{Buffer, Either};

/// A path: text, or the bytes of the system.
pub type PathArgument = Either<String, Buffer>;

/// The path that was passed.
pub fn path(argument: PathArgument) -> PathBuf {
    path_of(bytes(argument))
}

/// The bytes that were passed. Text is UTF-8, as Node's is.
pub fn bytes(argument: PathArgument) -> Vec<u8> {
    match argument {
        Either::A(text) => text.into_bytes(),
        Either::B(bytes) => bytes.to_vec(),
    }
}

/// The path that these bytes are.
#[cfg(unix)]
pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    PathBuf::from(OsString::from_vec(bytes))
}

/// The path that these bytes are: UTF-8, as Node reads them.
#[cfg(windows)]
pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from(String::from_utf8_lossy(&bytes).into_owned()))
}
