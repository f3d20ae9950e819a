//! The trees that runs work on. What a run uses up is built anew for it; what it only reads is
//! built once in each place and stands until another shape is wanted there.

use super::answer::Truth;
use super::operation::{Grown, Scenario};
use super::place::Place;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a tree is for; each use has one tree in a place at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// To be timed on.
    Race,
    /// To count calls on.
    Count,
}

/// A tree that stands.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// Where.
    pub(super) path: PathBuf,
    /// What the right answers about it are.
    pub(super) truth: Rc<Truth>,
    shape: &'static str,
    shrink: u32,
}

/// All trees that stand.
#[derive(Debug, Default)]
pub(super) struct Ground(RefCell<HashMap<PathBuf, Standing>>);

impl Ground {
    /// A fresh tree at the path where trees are used up.
    pub(super) fn fresh(place: &Place, grown: &Grown) -> io::Result<PathBuf> {
        let path = place.sandbox.entry("tree");
        place.sandbox.remove(&path)?;
        grown.tree.build(&path, &place.sandbox.canary())?;
        place.sandbox.check(&path)?;
        Ok(path)
    }

    /// A directory with nothing in it.
    pub(super) fn empty(place: &Place) -> io::Result<PathBuf> {
        let path = place.sandbox.entry("tree");
        place.sandbox.remove(&path)?;
        std::fs::create_dir(&path)?;
        place.sandbox.check(&path)?;
        Ok(path)
    }

    /// The tree, built if it does not stand yet; `settle`: written back then.
    pub(super) fn standing(
        &self,
        place: &Place,
        scenario: &Scenario,
        grown: &Grown,
        used: Use,
        settle: bool,
    ) -> io::Result<Standing> {
        let path = path(place, used);
        place.sandbox.check(&path)?;
        if let Some(standing) = self.0.borrow().get(&path) {
            // Somebody may have taken it away.
            let is_there = path.symlink_metadata().is_ok();
            if is_there && standing.shape == scenario.shape && standing.shrink == grown.shrink {
                return Ok(standing.clone());
            }
        }
        self.0.borrow_mut().remove(&path);
        place.sandbox.remove(&path)?;
        grown.tree.build(&path, &place.sandbox.canary())?;
        if settle {
            place.settle();
        }
        let truth = Rc::new(Truth::of(&path)?);
        let standing =
            Standing { path: path.clone(), truth, shape: scenario.shape, shrink: grown.shrink };
        self.0.borrow_mut().insert(path, standing.clone());
        Ok(standing)
    }

    /// Looks again at a tree: a file system may have found other blocks for it.
    pub(super) fn look_again(&self, path: &Path) -> io::Result<Rc<Truth>> {
        let truth = Rc::new(Truth::of(path)?);
        if let Some(standing) = self.0.borrow_mut().get_mut(path) {
            standing.truth = Rc::clone(&truth);
        }
        Ok(truth)
    }

    /// The fraction at which a shape stands in this place, to be timed on.
    pub(super) fn shrink_of(&self, place: &Place, scenario: &Scenario) -> Option<u32> {
        let all = self.0.borrow();
        let standing = all.get(&path(place, Use::Race))?;
        (standing.shape == scenario.shape).then_some(standing.shrink)
    }
}

fn path(place: &Place, used: Use) -> PathBuf {
    place.sandbox.entry(match used {
        Use::Race => "standing",
        Use::Count => "standing-small",
    })
}

#[cfg(test)]
mod tests {
    use super::super::place::Kind;
    use super::super::{reading, rm};
    use super::*;

    fn stand(ground: &Ground, place: &Place, scenario: &Scenario, shrink: u32) -> Standing {
        ground.standing(place, scenario, &scenario.grow(shrink), Use::Race, false).unwrap()
    }

    #[test]
    fn a_tree_is_built_once_and_replaced_by_another_shape() {
        let place = Place::in_folder(&std::env::temp_dir(), Kind::Disk).unwrap();
        let ground = Ground::default();
        let [names, .., du] = [&reading::walk::WALK.scenarios[0], &reading::walk::DU.scenarios[0]];
        let first = stand(&ground, &place, names, 64);
        std::fs::write(first.path.join("mark"), "").unwrap();
        assert_eq!(stand(&ground, &place, du, 64).path, first.path);
        assert!(first.path.join("mark").exists(), "the same shape stands already");
        assert_eq!(ground.shrink_of(&place, du), Some(64));
        let other = &reading::ls::OPERATION.scenarios[0];
        assert_eq!(ground.shrink_of(&place, other), None);
        let second = stand(&ground, &place, other, 64);
        assert!(!second.path.join("mark").exists());
        assert!(place.sandbox.canary_lives());
    }

    #[test]
    fn what_is_used_up_is_apart_from_what_stands() {
        let place = Place::in_folder(&std::env::temp_dir(), Kind::Disk).unwrap();
        let ground = Ground::default();
        let standing = stand(&ground, &place, &reading::walk::WALK.scenarios[0], 64);
        let fresh = Ground::fresh(&place, &rm::OPERATION.scenarios[4].grow(1)).unwrap();
        assert!(standing.path.is_dir() && fresh.is_dir() && fresh != standing.path);
        assert_eq!(Ground::empty(&place).unwrap(), fresh);
        assert_eq!(std::fs::read_dir(&fresh).unwrap().count(), 0);
        assert!(standing.path.is_dir());
    }
}
