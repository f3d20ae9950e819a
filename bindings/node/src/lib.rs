//! The addon of `curt-fs`: what JavaScript cannot do. The functions that users call are in `lib`.
//!
//! | file | what is in it |
//! |---|---|
//! | `work.rs` | an operation that runs in Node's thread pool or at once, and how it is cancelled |
//! | `failure.rs` | errors of the library, as `lib/errors.js` makes errors of Node of them |
//! | `windows.rs` | the numbers that Node has for errors on Windows |
//! | `text.rs` | paths and names from and for JavaScript |
//! | the rest | an operation each |

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
