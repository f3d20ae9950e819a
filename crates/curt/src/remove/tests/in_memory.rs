//! Removals on the file system in memory.

use std::path::PathBuf;

use super::remove_on;
use crate::remove::{Remove, Report};
use crate::sys::memory::{Denied, Memory, Setup};

/// An entry that cannot be removed.
pub(super) const FIXED: Denied = Denied { list: false, change: false, removal: true };

/// Removes `tree`, and asserts that nothing outside was touched and no directory was left open.
pub(super) fn remove(options: &Remove<'_>, setup: &Setup) -> Report {
    let report = remove_on::<Memory>(options, setup, &[PathBuf::from("tree")]);
    setup.world(|world| {
        world.assert_canary_lives();
        assert_eq!(world.open_now(), 0, "a directory was left open");
    });
    report
}
