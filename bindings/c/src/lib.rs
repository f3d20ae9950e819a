//! libcurt: curt for C, and for every language that calls C.
//!
//! A function converts its arguments, calls the library, and converts the answer: nothing is
//! decided here. `include/curt.h` is generated from these files, whose documentation becomes its
//! comments; `docs/c.md` is the guide.
//!
//! [`guard`] is around the body of each function. It catches panics and makes results and
//! error objects of failures. [`structs`] reads and writes the structs that begin with their size,
//! [`text`] converts strings, [`handle`] hands over the objects that a caller keeps, [`control`]
//! makes closures of the caller's callbacks, and [`failures`] brings the failures of other threads
//! to that of the caller.

#![allow(unsafe_code, reason = "the caller's pointers are read and written")]
#![allow(non_camel_case_types, reason = "the names are those of C")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules for pointers hold for all functions, and stand at the top of the header"
)]

pub mod canonical;
pub mod control;
pub mod descriptor;
pub mod dir;
pub mod error;
pub mod expand;
pub mod failures;
pub mod guard;
pub mod handle;
pub mod lookup;
// Tests and fuzz targets are whole programs, with their own allocator.
#[cfg(not(any(test, fuzzing)))]
mod memory;
pub mod metadata;
pub mod remove;
pub mod results;
pub mod root;
pub mod search;
pub mod stat;
pub mod structs;
pub mod text;
pub mod tree;
pub mod usage;

/// The version of this interface: see `curt_abi`.
pub const CURT_ABI: u32 = 1;

/// Returns the `CURT_ABI` that the library was built with. A program that loads it at run time
/// compares this with the one that it was compiled with. Functions and fields are only added, so a
/// larger number is fine.
#[unsafe(no_mangle)]
pub extern "C" fn curt_abi() -> u32 {
    CURT_ABI
}
