//! `--by-type`: totals per file extension, ignoring ASCII case.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use curt::Kind;
use curt::usage::{Sizes, UsageRecord};

#[derive(Default)]
pub(super) struct Types(HashMap<OsString, Sizes>);

/// Labels for entries without an extension. They differ from extensions, which are shown with a
/// dot.
const NO_TYPE: &str = "(no extension)";
const LINKS: &str = "(links)";
const OTHERS: &str = "(devices, pipes and sockets)";
const DIRECTORIES: &str = "(directories)";

impl Types {
    /// Adds a record, unless it is a directory's. At the end, the directories get the rest of the
    /// total.
    pub(super) fn add(&mut self, record: &UsageRecord) {
        if record.kind == Kind::Directory {
            return;
        }
        let name = name(record.kind, &record.path);
        if let Some(sum) = self.0.get_mut(&*name) {
            *sum += record.sizes;
        } else {
            self.0.insert(name, record.sizes);
        }
    }

    pub(super) fn into_sorted(
        mut self,
        total: &Sizes,
        number: impl Fn(&Sizes) -> u64,
    ) -> Vec<(OsString, Sizes)> {
        let mut directories = *total;
        for sum in self.0.values() {
            directories.apparent = directories.apparent.saturating_sub(sum.apparent);
            directories.allocated = directories.allocated.saturating_sub(sum.allocated);
            directories.entries = directories.entries.saturating_sub(sum.entries);
        }
        if directories.entries > 0 {
            self.0.insert(DIRECTORIES.into(), directories);
        }
        let mut sorted: Vec<_> = self.0.into_iter().collect();
        sorted.sort_by(|(one, of_one), (other, of_other)| {
            number(of_other).cmp(&number(of_one)).then_with(|| one.cmp(other))
        });
        sorted
    }
}

fn name(kind: Kind, path: &Path) -> OsString {
    match kind {
        Kind::File => match extension(path) {
            Some(extension) => {
                let mut name = OsString::from(".");
                name.push(extension.to_ascii_lowercase());
                name
            }
            None => NO_TYPE.into(),
        },
        kind if kind.is_link() => LINKS.into(),
        _ => OTHERS.into(),
    }
}

/// Returns the last extension that is not a number, because rotated logs end in numbers.
fn extension(path: &Path) -> Option<&OsStr> {
    let extension = path.extension().filter(|extension| !extension.is_empty())?;
    if extension.as_encoded_bytes().iter().all(u8::is_ascii_digit) {
        return self::extension(path.file_stem()?.as_ref());
    }
    Some(extension)
}

pub(super) fn are_directories(name: &OsStr) -> bool {
    name == DIRECTORIES
}
