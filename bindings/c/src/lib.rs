//! libcurt: curt for C, and for every language that can call C.
//!
//! Each function converts its arguments, calls the library and converts the result, without logic
//! beyond that (ADR 49). `include/curt.h` is generated from these files and their doc comments;
//! `docs/c.md` is the guide.
//!
//! [`guard`] surrounds the body of each function: it catches panics and turns failures into
//! results. [`structs`] reads and writes structs that begin with their size, [`text`] converts
//! strings, [`handle`] manages the objects that a caller holds, [`control`] wraps the caller's
//! callbacks, and [`failures`] moves failures from other threads to the caller's thread.

#![allow(unsafe_code, reason = "the caller's pointers are read and written")]
#![allow(non_camel_case_types, reason = "the names are those of C")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules for pointers hold for all functions, and stand at the top of the header"
)]

pub mod canonical;
pub mod control;
pub mod dir;
pub mod error;
pub mod expand;
pub mod failures;
pub mod guard;
pub mod handle;
pub mod lookup;
// Tests and fuzz targets use the allocator of their program.
#[cfg(not(any(test, fuzzing)))]
mod memory;
pub mod metadata;
pub mod remove;
pub mod results;
pub mod root;
pub mod search;
pub mod structs;
pub mod text;
pub mod tree;
pub mod usage;
