//! Systems whose trash is unknown here.

use std::ffi::OsStr;

use crate::sys::{Refusal, TrashRules};

pub(crate) struct Trash;

impl Trash {
    pub(crate) fn open() -> Trash {
        Trash
    }

    pub(crate) fn put(&self, _operand: &OsStr, _rules: TrashRules) -> Result<bool, Refusal> {
        Err(Refusal::NotRecycled("the trash of this system is not supported"))
    }
}
