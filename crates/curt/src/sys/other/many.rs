//! A listing tells names and kinds alone, and a question about a name is one call: it is asked.

use super::Other;
use crate::sys::Many;

impl Many for Other {
    const ENTRIES_FOR_ONE: usize = 0;
}
