//! Which file a program is: the only place that knows names.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use crate::error::{Cause, Error, Operation, StartFailure};
use crate::name::Unit;
use crate::sys::{Os, Sys};

/// The path of a program.
pub(super) fn path(program: &OsStr) -> Result<PathBuf, Error> {
    let path = PathBuf::from(program);
    if Os::units(&path).iter().any(|unit| unit.is_separator()) {
        return Ok(path);
    }
    let missing = Cause::Start(StartFailure::ProgramMissing, io::ErrorKind::NotFound.into());
    Err(Error::new(Operation::Start, path, missing))
}
