//! libcurt: curt for C, and for every language that can call C.
//!
//! Each function only converts its arguments, calls the library and converts the result (ADR 49).
//! `include/curt.h` is generated from these files; `docs/c.md` is the guide.

#![allow(unsafe_code, reason = "the caller's pointers are read and written")]
#![allow(non_camel_case_types, reason = "the names are those of C")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules for pointers hold for all functions, and stand at the top of the header"
)]

pub mod canonical;
pub mod control;
pub mod copy;
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
