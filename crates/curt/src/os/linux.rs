#[doc(hidden)]
pub mod fuzzing {
    pub use crate::sys::unix::listed;
}
