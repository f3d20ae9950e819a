//! The traversal of a tree: what removing, walking and measuring share.
//!
//! `stack.rs` has the directories on the way, of which as many are open as may be · `path.rs` the
//! path of the entry at hand.

mod path;
mod stack;

pub(crate) use path::TreePath;
pub(crate) use stack::{Level, Links, Lost, Stack, Why, identity};
