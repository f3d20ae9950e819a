//! The trees that runs work on. A removal gets a fresh one each time; a tree that is only read is
//! built once in each place and stands until the end.

use crate::oracle::Truth;
use crate::place::Place;
use crate::real::Real;
use crate::scenario::Scenario;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A tree that stands.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// Where.
    pub(crate) path: PathBuf,
    /// The right answers about it.
    pub(crate) truth: Rc<Truth>,
}

/// All trees that stand, by path.
#[derive(Debug, Default)]
pub(crate) struct Ground(RefCell<HashMap<PathBuf, Rc<Truth>>>);

impl Ground {
    /// A fresh tree to be used up, at a path that none had before.
    pub(crate) fn fresh(place: &Place, scenario: &Scenario, size: u32) -> io::Result<PathBuf> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = entry(place, &format!("tree-{number}"));
        build(place, scenario, size, &path)?;
        Ok(path)
    }

    /// The tree of this shape and size, built, and written back with `settle`, if it does not stand
    /// yet.
    pub(crate) fn standing(
        &self,
        place: &Place,
        scenario: &Scenario,
        size: u32,
        settle: bool,
    ) -> io::Result<Standing> {
        if let Some(path) = scenario.real.and_then(Real::path) {
            let known = self.0.borrow().get(&path).cloned();
            let truth = known.map_or_else(|| self.look(&path), Ok)?;
            return Ok(Standing { path, truth });
        }
        let path = entry(place, &scenario.tree_name(size));
        place.sandbox.check(&path)?;
        let known = self.0.borrow().get(&path).cloned();
        // A program may have taken it away.
        if let Some(truth) = known.filter(|_| path.symlink_metadata().is_ok()) {
            return Ok(Standing { path, truth });
        }
        build(place, scenario, size, &path)?;
        if settle {
            place.settle();
        }
        let truth = self.look(&path)?;
        Ok(Standing { path, truth })
    }

    /// Looks at a tree, perhaps again: a filesystem may have found other blocks for it.
    pub(crate) fn look(&self, path: &Path) -> io::Result<Rc<Truth>> {
        let truth = Rc::new(Truth::of(path)?);
        self.0.borrow_mut().insert(path.to_path_buf(), Rc::clone(&truth));
        Ok(truth)
    }
}

/// A path of ours that no other run has: ext4 decides by the name where a tree goes, see `spread`
/// in `place/sandbox.rs`.
fn entry(place: &Place, name: &str) -> PathBuf {
    place.sandbox.entry(&format!("{name}-{}", std::process::id()))
}

fn build(place: &Place, scenario: &Scenario, size: u32, path: &Path) -> io::Result<()> {
    place.sandbox.remove(path)?;
    if let Some(real) = scenario.real.filter(|_| size > 0) {
        real.copy(path)?;
        return place.sandbox.check(path);
    }
    scenario.grow(size).build(path, &place.sandbox.canary())?;
    place.sandbox.check(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Kind;
    use crate::scenarios::all;

    #[test]
    fn a_tree_is_built_once_and_shared_by_shape() {
        let place = Place::in_folder(&std::env::temp_dir(), Kind::Disk).unwrap();
        let ground = Ground::default();
        let named = |name: &str| all().find(|scenario| scenario.name == name).unwrap();
        let first = ground.standing(&place, named("walk"), 600, false).unwrap();
        std::fs::write(first.path.join("mark"), "").unwrap();
        let second = ground.standing(&place, named("du"), 600, false).unwrap();
        assert!(second.path == first.path && second.path.join("mark").exists());
        let other = ground.standing(&place, named("list"), 600, false).unwrap();
        assert!(other.path != first.path && first.path.is_dir());
        let fresh = Ground::fresh(&place, named("remove-ten"), 10).unwrap();
        assert_eq!(std::fs::read_dir(&fresh).unwrap().count(), 6);
        let empty = Ground::fresh(&place, named("remove-ten"), 0).unwrap();
        assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
        assert!(place.sandbox.canary_lives());
    }
}
