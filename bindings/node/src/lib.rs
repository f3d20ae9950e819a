//! The addon of `curt-fs`. The functions that users call are in `lib`.
//!
//! | file | contents |
//! |---|---|
//! | `work.rs` | running operations in Node's thread pool or at once, and cancelling them |
//! | `failure.rs` | errors, for `lib/errors.js` |
//! | `windows.rs` | Node's error numbers and descriptors on Windows |
//! | `text.rs` | paths from JavaScript |
//! | others | one operation each |

mod failure;
mod home;
mod list;
mod open;
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
