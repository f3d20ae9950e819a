//! Systems without a journal of removals: nothing is removed in the background there.

use std::ffi::OsStr;
use std::path::Path;

use curt::Remove;
use curt::remove::Report;

use crate::sys::{Refusal, SetAside, TrashRules};

/// None can be opened.
pub(crate) enum Journal {}

impl Journal {
    pub(crate) fn open() -> Result<Journal, Refusal> {
        Err(std::io::Error::from(std::io::ErrorKind::Unsupported).into())
    }

    pub(crate) fn set_aside(&self, _: &OsStr, _: TrashRules) -> Result<SetAside, Refusal> {
        match *self {}
    }

    pub(crate) fn finish(
        &self,
        _: &Remove<'_>,
        _: impl FnMut(&Path, std::io::Result<&Report>),
    ) -> Result<(), Refusal> {
        match *self {}
    }
}
