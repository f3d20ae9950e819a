//! What the command needs of the system beyond the library: signals, waiting for an answer, the
//! texts of errors, names that are not text, the limit of descriptors. The same items in each file.
#![allow(unsafe_code, reason = "the start of the process and signals have no safe form")]

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{
    end_by, error_number, error_text, listen, name_from_bytes, name_to_json,
    raise_descriptor_limit, read_file, wait_for_input,
};

#[cfg(not(unix))]
mod windows;
#[cfg(not(unix))]
pub(crate) use windows::{
    end_by, error_number, error_text, listen, name_from_bytes, name_to_json,
    raise_descriptor_limit, read_file, wait_for_input,
};
