//! The little file system does what it claims: its listings, its limits and its races.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Denied, Dir, DirBuf, Ending, Memory, Order, Positions, Setup, World};
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::fault::Faults;
use crate::sys::{Ask, Batch, DirRemoved, Host, Listing, Mounts, Opened, Removed, Sys};

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

fn page(sys: &Memory, dir: &Dir) -> (Vec<String>, Batch) {
    let mut buf = DirBuf::default();
    let batch = sys.read_entries(dir, &mut buf).unwrap();
    let mut names = Vec::new();
    let mut position = 0;
    while let Some((entry, next)) = buf.entry(position) {
        names.push(String::from_utf8(entry.name.units().to_vec()).unwrap());
        position = next;
    }
    (names, batch)
}

fn with_letters(change: impl FnOnce(&mut World)) -> (Setup, Memory) {
    let mut world = World::new();
    change(&mut world);
    for letter in ["c", "a", "d", "b"] {
        world.file(format!("top/{letter}"));
    }
    let setup = Setup::new(world);
    let sys = Memory::start(&setup);
    (setup, sys)
}

#[test]
fn listings_come_in_the_chosen_order() {
    for (order, expected) in [
        (Order::Created, ["c", "a", "d", "b"]),
        (Order::Reversed, ["b", "d", "a", "c"]),
        (Order::ByName, ["a", "b", "c", "d"]),
        (Order::Slots, ["c", "a", "d", "b"]),
    ] {
        let (_setup, sys) = with_letters(|world| world.rules.order = order);
        assert_eq!(page(&sys, &opened(&sys, "", "top")).0, expected, "{order:?}");
    }
}

#[test]
fn a_new_entry_takes_the_first_free_slot() {
    let (setup, sys) = with_letters(|world| {
        world.rules.order = Order::Slots;
        world.rules.page = 2;
    });
    let dir = opened(&sys, "", "top");
    assert_eq!(page(&sys, &dir).0, ["c", "a"]);
    setup.world(|world| _ = world.vanish("top/c").file("top/new"));
    assert_eq!(page(&sys, &dir).0, ["d", "b"]);
    sys.rewind(&dir).unwrap();
    assert_eq!(page(&sys, &dir).0, ["new", "a"]);
}

#[test]
fn pages_say_what_the_rules_say_of_the_end() {
    let (_setup, sys) = with_letters(|world| world.rules.page = 3);
    let dir = opened(&sys, "", "top");
    let batches = [page(&sys, &dir).1, page(&sys, &dir).1, page(&sys, &dir).1];
    assert_eq!(batches, [Batch::More, Batch::ProbablyLast, Batch::End]);

    let (_setup, sys) = with_letters(|world| {
        world.rules.page = 3;
        world.rules.ending = Ending::Exact;
    });
    let dir = opened(&sys, "", "top");
    let (last, batch) = (page(&sys, &dir), page(&sys, &dir));
    assert_eq!((last.1, batch.0.len(), batch.1), (Batch::More, 1, Batch::End));

    let (_setup, sys) = with_letters(|world| world.rules.given = 2);
    let dir = opened(&sys, "", "top");
    let (first, second) = (page(&sys, &dir), page(&sys, &dir));
    assert_eq!((first.0.len(), first.1), (2, Batch::ProbablyLast), "short, though more follows");
    assert_eq!(second.0.len(), 2);
}

#[test]
fn counted_positions_pass_over_what_moves_up() {
    let (_setup, sys) = with_letters(|world| {
        world.rules.page = 2;
        world.rules.positions = Positions::Counted;
    });
    let dir = opened(&sys, "", "top");
    for name in page(&sys, &dir).0 {
        assert!(matches!(unlink(&sys, &dir, &name), Removed::Done));
    }
    assert_eq!(page(&sys, &dir), (vec![], Batch::End));
    sys.rewind(&dir).unwrap();
    assert_eq!(page(&sys, &dir).0, ["d", "b"]);
}

#[test]
fn kinds_can_be_withheld() {
    let (_setup, sys) = with_letters(|world| world.rules.kinds = false);
    let mut buf = DirBuf::default();
    sys.read_entries(&opened(&sys, "", "top"), &mut buf).unwrap();
    assert_eq!(buf.entry(0).unwrap().0.kind, Kind::Unknown);
}

#[test]
fn what_is_denied_is_refused() {
    let (_setup, sys) = with_letters(|world| {
        world.file("shut/f").deny("shut", Denied { list: true, ..Denied::default() });
        world.file("fixed/f").deny("fixed", Denied { change: true, ..Denied::default() });
        world.file("held/f").deny("held/f", Denied { removal: true, ..Denied::default() });
    });
    assert!(matches!(open(&sys, "", "shut"), Opened::Failed(e) if e.raw_os_error() == Some(13)));
    for (parent, number) in [("fixed", 13), ("held", 1)] {
        let removed = unlink(&sys, &opened(&sys, "", parent), "f");
        assert!(matches!(removed, Removed::Failed(e) if e.raw_os_error() == Some(number)));
    }
}

#[test]
fn descriptors_run_out_and_come_back() {
    let (setup, sys) = with_letters(|world| world.rules.descriptors = 1);
    let dir = opened(&sys, "", "top");
    assert!(matches!(open(&sys, "", "top"), Opened::Shortage(_)));
    sys.close(dir);
    drop(opened(&sys, "", "top"));
    assert_eq!(setup.world(|world| (world.open_now(), world.most_open)), (0, 1));
    assert_eq!(sys.calls().of("close"), 1, "a drop closes, uncounted");
}

#[test]
fn events_happen_between_calls() {
    let (setup, sys) = with_letters(|world| {
        world.after(2, |world| _ = world.swap_for_link("top", "canary"));
        world.before_each_call(|world| _ = world.intrude("busy"));
        world.dir("busy");
    });
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
fn what_vanishes_is_empty_where_it_is_still_open() {
    let (setup, sys) = with_letters(|_| {});
    let dir = opened(&sys, "", "top");
    setup.world(|world| _ = world.vanish("top"));
    assert_eq!(page(&sys, &dir), (vec![], Batch::End));
    let root = sys.open_parent(Path::new("")).unwrap();
    let name = name("top");
    let finished = sys.remove_open_dir(&root, Name::until_nul(&name).unwrap(), dir);
    assert!(matches!(finished, DirRemoved::Gone));
}

#[test]
#[should_panic(expected = "canary")]
fn a_harmed_canary_is_noticed() {
    let mut world = World::new();
    world.vanish("canary/nest/egg").assert_canary_lives();
}

#[test]
fn planned_faults_strike_and_the_clock_is_ours() {
    let (setup, _) = with_letters(|_| {});
    let faults = Arc::new(Faults::default().fail("unlinkat", 1, 5));
    let mut setup = setup;
    setup.faults = Some(faults.clone());
    let sys = Memory::start(&setup);
    let dir = opened(&sys, "", "top");
    assert!(matches!(unlink(&sys, &dir, "a"), Removed::Done));
    assert!(matches!(unlink(&sys, &dir, "b"), Removed::Failed(e) if e.raw_os_error() == Some(5)));
    assert!(matches!(unlink(&sys, &dir, "b"), Removed::Done));
    assert_eq!(faults.hits(), 1);
    let before = sys.now();
    sys.sleep(Duration::from_secs(3600));
    assert!(sys.now() >= before + Duration::from_secs(3600));
}

#[test]
fn mounts_are_refused_and_stay() {
    let (_setup, sys) = with_letters(|world| _ = world.mount("top/bind", 1).mount("top/disk", 2));
    assert!(matches!(open(&sys, "top", "bind"), Opened::Mount));
    let top = opened(&sys, "", "top");
    for (mount, device) in [("bind", 1), ("disk", 2)] {
        let name = name(mount);
        let name = Name::until_nul(&name).unwrap();
        assert_eq!(sys.query(&top, name, Ask::STAT).unwrap().device, device);
        let busy = sys.remove_empty_dir(&top, name).unwrap_err();
        assert_eq!(busy.raw_os_error(), Some(16));
        assert!(matches!(sys.open_child(&top, name, Mounts::Cross), Opened::Dir(_)));
    }
}
