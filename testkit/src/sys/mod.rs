//! What cannot be written without `unsafe`.
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

pub mod alloc;
