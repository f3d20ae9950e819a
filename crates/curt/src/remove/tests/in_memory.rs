use std::path::PathBuf;

use super::remove_on;
use crate::error::{Cause, RemainReason};
use crate::remove::{Remove, Report};
use crate::sys::memory::{Denied, Memory, Setup, World};

pub(super) const FIXED: Denied = Denied { list: false, change: false, removal: true };

pub(super) fn remove(options: &Remove<'_>, setup: &Setup) -> Report {
    let report = remove_on::<Memory>(options, setup, &[PathBuf::from("tree")]);
    setup.world(|world| world.assert_unharmed());
    report
}

pub(super) fn chain() -> World {
    let mut world = World::new();
    for level in 0..60 {
        world.file(format!("tree/{}file", "deep/".repeat(level)));
    }
    world
}

pub(super) fn remain_reason(report: &Report) -> RemainReason {
    match report.errors.iter().map(crate::Error::cause).collect::<Vec<_>>()[..] {
        [Cause::Remains(reason)] => *reason,
        _ => panic!("{report:?}"),
    }
}
