//! Windows paths: what they begin with, which names are devices, and what `GetFullPathNameW` makes
//! of them.

pub(crate) mod device;
pub(crate) mod full_path;
#[cfg(test)]
mod full_path_tests;
pub(crate) mod prefix;
#[cfg(test)]
mod tests;

pub use device::{device_at_end, is_device, stem};
pub use prefix::{Start, is_separator, is_verbatim};
