//! What the tests of races rely on: events happen when they are scheduled, and harm is noticed. The
//! rest of the platform is tested by its contract, in `sys/tests`.

use std::path::Path;

use super::{Dir, Memory, Setup, World};
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::{Mounts, Opened, Removed, Sys};

fn name(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

fn open(sys: &Memory, parent: &str, child: &str) -> Opened<Dir> {
    let parent = sys.open_parent(Path::new(parent)).unwrap();
    sys.open_child(&parent, Name::until_nul(&name(child)).unwrap(), Mounts::Refuse)
}

fn opened(sys: &Memory, parent: &str, child: &str) -> Dir {
    match open(sys, parent, child) {
        Opened::Dir(dir) => dir,
        other => panic!("{parent}/{child}: {other:?}"),
    }
}

fn unlink(sys: &Memory, dir: &Dir, child: &str) -> Removed {
    sys.remove_child(dir, Name::until_nul(&name(child)).unwrap(), Kind::File)
}

#[test]
fn events_happen_between_calls() {
    let mut world = World::new();
    world.after(2, |world| _ = world.swap_for_link("top", "canary"));
    world.before_each_call(|world| _ = world.intrude("busy"));
    world.dir("busy").file("top/a").file("top/b").file("top/c").file("top/d");
    let setup = Setup::new(world);
    let sys = Memory::start(&setup);
    let dir = opened(&sys, "", "top");
    assert!(matches!(unlink(&sys, &dir, "a"), Removed::Done));
    assert!(matches!(open(&sys, "", "top"), Opened::NotDirectory));
    // The open directory is where it was moved to.
    assert!(matches!(unlink(&sys, &dir, "b"), Removed::Done));
    setup.world(|world| {
        assert_eq!(world.list("busy").len() as u64, world.calls_made());
        let aside = world.list("").into_iter().filter(|line| line.contains("aside-"));
        assert_eq!(aside.count(), 3, "the directory, and what is left in it");
        world.assert_canary_lives();
    });
}

#[test]
#[should_panic(expected = "canary")]
fn a_harmed_canary_is_noticed() {
    let mut world = World::new();
    world.vanish("canary/nest/egg").assert_canary_lives();
}
