//! The commands, one file or folder each.

pub(crate) mod beneath;
pub(crate) mod du;
pub(crate) mod expand;
pub(crate) mod generate;
pub(crate) mod ls;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod stat;
pub(crate) mod walk;
pub(crate) mod which;
