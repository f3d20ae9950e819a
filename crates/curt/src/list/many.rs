//! Many paths at once: those of one directory are read off its listing, where the platform says that
//! this is cheaper than a question about each ([`Many`](crate::sys::Many)).
//!
//! A listing is given up when it has shown more entries than the questions would have cost, so a few
//! names in a huge directory cost at most twice what they would alone. Only a name that stands in the
//! listing exactly as it was typed is taken from it. What was not met there (in another case of letters,
//! by a short name, gone) is asked about by itself, and so is a link that is to be followed.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use crate::ask::{Asker, Subject};
use crate::fields::{Follow, Metadata};
use crate::name::Unit;
use crate::sys::{Batch, Listing, Sys};

/// Fewer names are asked about one by one: opening, reading and closing cost five calls.
const LEAST: usize = 8;
/// The room for one entry of a listing, in bytes.
const ENTRY: usize = 128;
/// What a buffer takes at most.
const MOST_ROOM: usize = 64 << 10;

/// The names of one directory that are asked about, and by which of the paths.
type Wanted<U> = BTreeMap<Vec<U>, Vec<usize>>;

/// Whether a listing can answer at all.
pub(super) fn may_pay<S: Sys>(asker: &Asker<S>) -> bool {
    S::ENTRIES_FOR_ONE > 0 && asker.is_in_listings()
}

/// Tells of those paths that listings tell of. The rest is to be asked about one by one.
pub(super) fn from_listings<S: Sys, P: AsRef<Path>>(
    asker: &Asker<S>,
    paths: &[P],
) -> Vec<Option<Metadata>> {
    let mut answers: Vec<Option<Metadata>> = paths.iter().map(|_| None).collect();
    if !may_pay(asker) || paths.len() < LEAST {
        return answers;
    }
    let mut parents: HashMap<PathBuf, Wanted<S::Unit>> = HashMap::new();
    for (index, path) in paths.iter().map(AsRef::as_ref).enumerate() {
        if let Some((parent, name)) = take_apart(&asker.sys, path) {
            let wanted = parents.entry(parent.to_owned()).or_default();
            wanted.entry(name).or_default().push(index);
        }
    }
    for (parent, wanted) in parents {
        if wanted.len() >= LEAST {
            // Whatever is wrong with the directory, the questions about what it holds say so.
            let _ = list(asker, &parent, wanted, &mut |index, metadata| {
                answers[index] = Some(metadata);
            });
        }
    }
    answers
}

/// The directory of a path and the name in it, where the system takes the name as it is typed.
fn take_apart<'p, S: Sys>(sys: &S, path: &'p Path) -> Option<(&'p Path, Vec<S::Unit>)> {
    let (parent, name) = (path.parent()?, path.file_name()?);
    let name = S::units(Path::new(name));
    let (from, mut whole) = sys.locate(path).ok()?;
    sys.close(from);
    whole.pop();
    let before = whole.strip_suffix(name.as_slice())?;
    let is_whole = before.last().is_none_or(|unit| unit.is_separator());
    let here = parent.as_os_str().is_empty();
    is_whole.then_some((if here { Path::new(".") } else { parent }, name))
}

/// Lists a directory, and tells of the entries that are wanted.
fn list<S: Sys>(
    asker: &Asker<S>,
    parent: &Path,
    mut wanted: Wanted<S::Unit>,
    tell: &mut dyn FnMut(usize, Metadata),
) -> io::Result<()> {
    let sys = &asker.sys;
    let opened = sys.at_path(parent, |from, name| sys.open_below(from, name, true))?;
    let dir = opened.into_result()?;
    let most = S::ENTRIES_FOR_ONE * wanted.len();
    let room = most.saturating_mul(ENTRY).clamp(S::DirBuf::LEAST_CAPACITY, MOST_ROOM);
    let mut buf = S::DirBuf::with_capacity(room);
    let follows = asker.plan().follow != Follow::Never;
    let mut seen = 0;
    let mut read = sys.read(&dir, &mut buf);
    while let Ok(batch) = read {
        let mut position = 0;
        while let Some((entry, next)) = buf.entry(position) {
            let at = std::mem::replace(&mut position, next);
            seen += 1;
            let Some(indices) = wanted.remove(entry.name.units()) else { continue };
            if follows && entry.kind.is_link() {
                continue;
            }
            for index in indices {
                let path = || parent.join(S::path(entry.name.units().to_vec()));
                let subject = Subject { dir: &dir, name: entry.name, path: &path, follow: follows };
                let mut metadata = Metadata::default();
                asker.begin(&mut metadata);
                buf.facts(at, &entry, &mut metadata.facts);
                asker.tell(&subject, &mut metadata);
                tell(index, metadata);
            }
        }
        if batch != Batch::More || seen >= most || wanted.is_empty() {
            break;
        }
        read = sys.read(&dir, &mut buf);
    }
    sys.close(dir);
    read.map(|_| ())
}
