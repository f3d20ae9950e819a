use crate::oracle::Truth;
use crate::place::Place;
use crate::scenario::Scenario;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Debug, Default)]
pub(crate) struct Ground(RefCell<HashMap<PathBuf, Rc<Truth>>>);

impl Ground {
    pub(crate) fn fresh(place: &Place, scenario: &Scenario, size: u32) -> io::Result<PathBuf> {
        let path = Self::unused(place);
        build(place, scenario, size, &path)?;
        Ok(path)
    }

    pub(crate) fn unused(place: &Place) -> PathBuf {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        entry(place, &format!("tree-{}", COUNTER.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn standing(
        &self,
        place: &Place,
        scenario: &Scenario,
        size: u32,
        settle: bool,
    ) -> io::Result<(PathBuf, Rc<Truth>)> {
        let path = match scenario.stands {
            Some(path) => PathBuf::from(path),
            None => entry(place, &format!("{}-{size}", scenario.shape)),
        };
        let known = self.0.borrow().get(&path).cloned();
        if let Some(truth) = known.filter(|_| path.symlink_metadata().is_ok()) {
            return Ok((path, truth));
        }
        if scenario.stands.is_none() {
            build(place, scenario, size, &path)?;
            if settle {
                place.settle();
            }
        }
        let truth = self.look(&path)?;
        Ok((path, truth))
    }

    /// Computes the answers again, because a filesystem may have reallocated blocks.
    pub(crate) fn look(&self, path: &Path) -> io::Result<Rc<Truth>> {
        let truth = Rc::new(Truth::of(path)?);
        self.0.borrow_mut().insert(path.to_path_buf(), Rc::clone(&truth));
        Ok(truth)
    }
}

/// Returns a path unique to this run: ext4 places a tree by its name (see `spread` in
/// `sandbox.rs`).
fn entry(place: &Place, name: &str) -> PathBuf {
    place.sandbox.entry(&format!("{name}-{}", std::process::id()))
}

fn build(place: &Place, scenario: &Scenario, size: u32, path: &Path) -> io::Result<()> {
    place.sandbox.remove(path)?;
    scenario.grow(size).build(path, &place.sandbox.canary())?;
    place.sandbox.check(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Kind;
    use crate::scenario::SCENARIOS;

    #[test]
    fn a_tree_is_built_once_and_shared_by_shape() {
        let place = Place::in_folder(&std::env::temp_dir(), Kind::Disk).unwrap();
        let ground = Ground::default();
        let named = |name: &str| SCENARIOS.iter().find(|one| one.name == name).unwrap();
        let (first, _) = ground.standing(&place, named("find"), 600, false).unwrap();
        std::fs::write(first.join("mark"), "").unwrap();
        let (second, _) = ground.standing(&place, named("du"), 600, false).unwrap();
        assert!(second == first && second.join("mark").exists());
        let (other, _) = ground.standing(&place, named("list"), 600, false).unwrap();
        assert!(other != first && first.is_dir());
        let fresh = Ground::fresh(&place, named("remove-small"), 10).unwrap();
        assert_eq!(std::fs::read_dir(&fresh).unwrap().count(), 3);
        let empty = Ground::fresh(&place, named("remove-small"), 0).unwrap();
        assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
        assert!(place.sandbox.canary_lives());
    }
}
