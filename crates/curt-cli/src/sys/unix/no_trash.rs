use std::ffi::OsStr;

use crate::sys::{Refusal, TrashRules, Trashed};

pub(crate) struct Trash;

impl Trash {
    pub(crate) fn open(_dry_run: bool) -> Trash {
        Trash
    }

    pub(crate) fn put(&self, _operand: &OsStr, _rules: TrashRules) -> Result<Trashed, Refusal> {
        Err(Refusal::no_trash("this system has no supported trash"))
    }
}
