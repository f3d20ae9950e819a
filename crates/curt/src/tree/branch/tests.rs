use std::path::Path;

use super::{Branch, Limits};
use crate::error::{Cause, Error};
use crate::fields::{Facts, Fields, Kind};
use crate::name::{NameBuf, Names};
use crate::sys::memory::{Memory, Setup, World};
use crate::sys::{Opened, Sys};

const FOLLOW: Limits = Limits { follow: true, refuse_mounts: false, one_device: false };

fn name(text: &str) -> NameBuf<u8> {
    NameBuf::new(text.as_bytes().to_vec()).unwrap()
}

fn enter_operand(branch: &mut Branch<Memory, ()>, operand: &str, sys: &Memory) -> bool {
    branch.begin(operand.as_bytes().to_vec());
    let opened = Opened::Dir(sys.open_for_lookup(Path::new(operand)).unwrap());
    let admitted = branch.admit(opened, sys).ok().flatten();
    admitted.map(|admitted| branch.enter(admitted, ())).is_some()
}

fn begin(sys: &Memory, limits: Limits) -> Branch<Memory, ()> {
    let mut branch = Branch::new(limits, 8);
    assert!(enter_operand(&mut branch, "tree", sys));
    branch
}

fn take_over(from: &mut Branch<Memory, ()>, index: usize, waiting: &str) -> Branch<Memory, ()> {
    let (mut to, mut names) = (Branch::new(FOLLOW, 8), Names::new());
    names.push(name(waiting).as_name());
    to.take_over(from.hand_off(index).unwrap(), &names, ());
    to
}

fn enter_next(branch: &mut Branch<Memory, ()>, sys: &Memory) -> Result<bool, Error> {
    let Some(opened) = branch.open_next(|()| true, sys) else { return Ok(false) };
    branch.enter(opened?.expect("it is not left out"), ());
    Ok(true)
}

#[test]
fn directories_beside_each_other_are_no_loop() {
    let mut world = World::new();
    world.dir("other").link("tree/x", "/other").link("tree/y", "/other");
    let sys = Memory::start(&Setup::new(world));
    let mut branch = begin(&sys, FOLLOW);
    for link in ["x", "y"] {
        branch.stack.add_waiting(name(link).as_name());
    }
    let opened = branch.open_next(|()| true, &sys);
    assert!(opened.is_some_and(|opened| opened.is_ok()));
    assert!(enter_next(&mut branch, &sys).unwrap());
    let mut theirs = take_over(&mut branch, 0, "x");
    assert!(enter_next(&mut theirs, &sys).unwrap());
}

#[test]
fn a_loop_names_its_ancestor_however_often_the_work_was_handed_off() {
    let mut world = World::new();
    world.dir("tree/a/b/c").link("tree/a/b/c/back", "/tree/a");
    let sys = Memory::start(&Setup::new(world));
    let mut branches = vec![begin(&sys, FOLLOW)];
    for (index, below) in [(0, "a"), (1, "b"), (1, "c")] {
        let mut next = take_over(branches.last_mut().unwrap(), index, below);
        assert!(enter_next(&mut next, &sys).unwrap());
        branches.push(next);
    }
    let mut last = take_over(branches.last_mut().unwrap(), 1, "back");
    assert_eq!(last.depth(), 4);
    let error = enter_next(&mut last, &sys).unwrap_err();
    assert!(matches!(error.cause(), Cause::Loop(path) if path == Path::new("tree/a")), "{error}");
}

#[test]
fn the_one_device_is_that_of_each_operand() {
    let mut world = World::new();
    world.mount("tree/mount", 2).mount("other", 2);
    let sys = Memory::start(&Setup::new(world));
    let mut branch = begin(&sys, Limits { one_device: true, ..Limits::default() });
    branch.stack.add_waiting(name("mount").as_name());
    assert!(branch.open_next(|()| true, &sys).is_some_and(|opened| matches!(opened, Ok(None))));
    branch.leave(&sys);
    assert!(enter_operand(&mut branch, "other", &sys));
}

#[test]
fn a_mount_behind_a_link_leads_back() {
    let mut world = World::new();
    world.dir("tree").dir("other/plain").link("tree/link", "/other");
    let setup = Setup::new(world);
    let sys = Memory::start(&setup);
    let mut branch = begin(&sys, FOLLOW);
    branch.stack.add_waiting(name("link").as_name());
    assert!(enter_next(&mut branch, &sys).unwrap());
    // The rename simulates mounting `tree` there.
    setup.world(|world| _ = world.rename("tree", "other/mount"));
    let known = Fields::KIND | Fields::ATTRIBUTES;
    let facts = Facts { known, kind: Kind::Directory, is_mount: true, ..Facts::default() };
    let path_len = branch.path.len();
    for (entry, is_own_ancestor) in [("mount", true), ("plain", false)] {
        branch.path.push(name(entry).as_name());
        assert_eq!(branch.is_own_ancestor(&facts, false, &sys), is_own_ancestor, "{entry}");
        branch.path.truncate(path_len);
    }
}

#[test]
fn a_lost_directory_is_one_error() {
    let mut world = World::new();
    let level = |depth: usize| format!("tree{}", "/d".repeat(depth));
    for depth in 0..40 {
        world.dir(level(depth) + "/d").dir(level(depth) + "/y").dir(level(depth) + "/z");
    }
    let setup = Setup::new(world);
    let sys = Memory::start(&setup);
    let mut branch = begin(&sys, Limits::default());
    for _ in 0..40 {
        for entry in ["d", "y", "z"] {
            branch.stack.add_waiting(name(entry).as_name());
        }
        assert!(enter_next(&mut branch, &sys).unwrap());
    }
    setup.world(|world| _ = world.rename(level(10), "moved"));
    let mut failed = Vec::new();
    while branch.stack.len() > 0 {
        match enter_next(&mut branch, &sys) {
            Ok(true) => {}
            Ok(false) => drop(branch.leave(&sys)),
            Err(error) => failed.push(error.path().to_owned()),
        }
    }
    assert_eq!(failed, [Path::new(&level(10))]);
    setup.world(|world| world.assert_unharmed());
}
