//! A listing tells names and kinds alone, and a question about a name is one call: it is asked.

use super::Linux;
use crate::sys::Many;

impl Many for Linux {
    const ENTRIES_FOR_ONE: usize = 0;
}
