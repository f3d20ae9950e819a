//! Links that lead round in a circle, which the standard library has no stable word for.

use std::io;

/// What a platform says of them.
pub(crate) trait Loops {
    /// Whether an error says that links led round in a circle, or that there were more of them on the way
    /// than the system follows. No call.
    fn is_loop(error: &io::Error) -> bool;
}
