//! What looks like something else: volumes that are mounted look like junctions, and the links of Cygwin
//! like files. Only Windows has such things; elsewhere everything is what it looks like.

use std::io;
use std::path::Path;

use crate::fields::{Facts, Kind};
use crate::name::Name;

/// How it is told apart.
pub(crate) trait Guises<D, U> {
    /// What a link is by what it holds, where its kind alone does not tell. No call.
    fn kind_by_target(kind: Kind, target: &Path) -> Kind {
        let _ = target;
        kind
    }

    /// Whether an entry of which this is known may be a link of Cygwin. No call.
    fn may_be_cookie(facts: &Facts) -> bool {
        let _ = facts;
        false
    }

    /// What a link of Cygwin holds; `None` where the entry is none. Opens, reads and closes.
    fn read_cookie(&self, parent: &D, name: Name<'_, U>) -> io::Result<Option<Vec<U>>> {
        let _ = (parent, name);
        Ok(None)
    }
}

#[cfg(any(test, fuzzing))]
impl Guises<super::memory::Dir, u8> for super::memory::Memory {}
