//! The addon of `curt-fs`. The functions that users call are in `lib`.

mod copy;
mod failure;
mod home;
mod list;
mod open;
mod paths;
mod remove;
mod root;
mod stat;
mod text;
mod usage;
mod walk;
mod which;
#[cfg(windows)]
mod windows;
mod work;
