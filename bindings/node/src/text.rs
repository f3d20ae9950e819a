use std::ffi::OsString;
use std::path::PathBuf;

use curt::filters::Globs;
use napi::bindgen_prelude::{Buffer, Either};

pub type PathArgument = Either<String, Buffer>;

pub fn path(argument: PathArgument) -> PathBuf {
    path_of(bytes(argument))
}

pub fn bytes(argument: PathArgument) -> Vec<u8> {
    match argument {
        Either::A(text) => text.into_bytes(),
        Either::B(bytes) => bytes.to_vec(),
    }
}

pub fn globs(patterns: &[String]) -> napi::Result<Globs> {
    Globs::new(patterns).map_err(|error| napi::Error::from_reason(error.to_string()))
}

#[cfg(unix)]
pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;

    PathBuf::from(OsString::from_vec(bytes))
}

/// Like Node, reads the bytes as UTF-8.
#[cfg(windows)]
pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from(String::from_utf8_lossy(&bytes).into_owned()))
}
