//! Paths and names from and for JavaScript.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::string::FromUtf8Error;

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

/// Appends a name or a path, and a NUL.
pub fn push(text: &mut Vec<u8>, name: &OsStr) {
    text.extend_from_slice(name.as_encoded_bytes());
    text.push(0);
}

/// Names or paths on their way to JavaScript, which makes one string each of them.
#[derive(Default)]
pub struct Texts(Vec<Vec<u8>>);

/// As text some strings with NULs in between, and otherwise the bytes, with a NUL after each.
pub type TextsOrBytes = Either<Vec<String>, Buffer>;

/// About as many bytes become one string, which a part of it keeps in memory.
const PIECE: usize = 1 << 16;

impl Texts {
    /// Adds a text, which has no NUL.
    pub fn push(&mut self, text: &[u8]) {
        self.push_joined(&[], text);
    }

    /// Adds a text of two parts.
    pub fn push_joined(&mut self, front: &[u8], back: &[u8]) {
        match self.0.last_mut() {
            Some(piece) if piece.len() < PIECE => add(piece, front, back),
            _ => {
                let mut piece = Vec::new();
                add(&mut piece, front, back);
                self.0.push(piece);
            }
        }
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    pub fn finish(self, as_bytes: bool) -> TextsOrBytes {
        if as_bytes {
            return Either::B(self.0.concat().into());
        }
        let strings = self.0.into_iter().map(|mut piece| {
            piece.pop();
            let lossy =
                |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
            String::from_utf8(piece).unwrap_or_else(lossy)
        });
        Either::A(strings.collect())
    }
}

fn add(piece: &mut Vec<u8>, front: &[u8], back: &[u8]) {
    piece.extend_from_slice(front);
    piece.extend_from_slice(back);
    piece.push(0);
}
