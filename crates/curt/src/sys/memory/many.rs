//! As on Windows, so that it is tried everywhere.

use super::Memory;
use crate::sys::Many;

impl Many for Memory {
    const ENTRIES_FOR_ONE: usize = 6;
}
