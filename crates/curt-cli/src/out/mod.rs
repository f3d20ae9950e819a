//! Output: data on standard output, everything else on standard error.

pub(crate) mod blocks;
pub(crate) mod colors;
pub(crate) mod column;
pub(crate) mod entry;
pub(crate) mod failure;
pub(crate) mod json;
pub(crate) mod link;
mod screen;
pub(crate) mod text;

pub(crate) use screen::{BUFFER, Screen, is_colored, refuses_color};
