use std::time::Duration;

use curt_testkit::{Choices, try_seeds};

use super::directory::Context;
use super::roots::Roots;
use super::{Lookup, Order};
use crate::sys::Sys;
use crate::sys::fault::Faults;
use crate::sys::memory::{Memory, Setup, World};

const EXTENSIONS: [&str; 2] = [".rb", ".so"];

fn units(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn roots(setup: &Setup, order: Order, paths: &[&str]) -> Roots<Memory> {
    let mut roots = Roots::new(Memory::start(setup));
    roots.order = order;
    roots.set(paths.iter().map(|path| units(path)));
    roots
}

fn find(roots: &mut Roots<Memory>, name: &str) -> Option<String> {
    let found = roots.find(name.as_bytes(), EXTENSIONS.iter().map(|one| units(one)));
    found.map(|path| String::from_utf8(path).unwrap())
}

fn search(setup: &Setup, order: Order, paths: &[&str], name: &str) -> Option<String> {
    let context = Context::new(Memory::start(setup));
    let candidates: Vec<(&str, &str)> = match order {
        Order::ExtensionFirst => {
            EXTENSIONS.iter().flat_map(|one| paths.iter().map(move |root| (*root, *one))).collect()
        }
        Order::RootFirst => {
            paths.iter().flat_map(|root| EXTENSIONS.iter().map(move |one| (*root, *one))).collect()
        }
    };
    let mut paths = candidates.iter().map(|(root, extension)| format!("{root}/{name}{extension}"));
    paths.find(|path| context.is_file(path.as_bytes()))
}

const NAMES: [&str; 6] = ["f", "F", "d/f", "d/e/f", "d/ä", "d/../f"];
const ROOTS: [&str; 4] = ["/r0", "/r1", "/r2", "/r3"];

fn change(world: &mut World, choices: &mut Choices) {
    let [root, other] = [choices.one_of(&ROOTS), choices.one_of(&ROOTS)];
    let name = choices.one_of(&NAMES[..5]);
    let path = format!("{root}/{name}{}", choices.one_of(&EXTENSIONS));
    match choices.below(10) {
        0..4 if !world.exists(&path) => world.file(&path),
        4 if !world.exists(&path) => world.link(&path, format!("{other}/{name}.rb")),
        5 if !world.exists(&path) => world.dir(&path),
        6 => world.rename(root, "/aside").rename(other, root).rename("/aside", other),
        7 => world.vanish(format!("{root}/d")),
        8 if choices.one_in(4) => world.vanish(root),
        _ => world.vanish(&path),
    };
    world.clock += *choices.pick(&[0, 0, 1, 30, 3000].map(Duration::from_millis));
}

#[test]
fn an_answer_equals_queries_of_each_candidate() {
    try_seeds("lookup", "", |choices| {
        let setup = Setup::new(World::new());
        setup.world(|world| world.clock = Duration::new(100, 5));
        let order = *choices.pick(&[Order::ExtensionFirst, Order::RootFirst]);
        let mut paths = ROOTS;
        let mut roots = roots(&setup, order, &paths);
        for step in 0..200 {
            setup.world(|world| change(world, choices));
            if choices.one_in(20) {
                paths.swap(choices.below(4), choices.below(4));
                roots.set(paths.iter().map(|path| units(path)));
            }
            roots.revalidate();
            let name = choices.one_of(&NAMES);
            let (found, expected) = (find(&mut roots, name), search(&setup, order, &paths, name));
            if found != expected {
                return Err(format!("step {step}, {name}: {found:?} instead of {expected:?}"));
            }
        }
        Ok(())
    });
}

fn planted() -> Setup {
    let mut world = World::new();
    world.file("/one/x").file("/two/d/f.rb").file("/two/g.so").dir("/two/h.rb");
    world.clock = Duration::from_secs(10);
    Setup::new(world)
}

fn count(roots: &mut Roots<Memory>, name: &str) -> (Option<String>, u64) {
    let before = roots.calls().total();
    (find(roots, name), roots.calls().total() - before)
}

#[test]
fn a_root_costs_one_call_after_each_revalidation() {
    let setup = planted();
    let mut roots = roots(&setup, Order::ExtensionFirst, &["/one", "/two", "/three"]);
    let found = |path: &str| Some(path.to_owned());
    assert_eq!(count(&mut roots, "d/f"), (found("/two/d/f.rb"), 3 * 5));
    assert_eq!(count(&mut roots, "d/f"), (found("/two/d/f.rb"), 0));
    roots.revalidate();
    assert_eq!(count(&mut roots, "d/f"), (found("/two/d/f.rb"), 2));
    assert_eq!(count(&mut roots, "g"), (found("/two/g.so"), 2));
    assert_eq!(count(&mut roots, "d/no"), (None, 0));
    assert_eq!(count(&mut roots, "h"), (None, 0));
    roots.set(["/two", "/one"].iter().map(|path| units(path)));
    assert_eq!(count(&mut roots, "g"), (found("/two/g.so"), 0), "what is known is kept");
}

#[test]
fn a_directory_that_was_just_changed_is_listed_until_its_stamp_is_old() {
    let setup = planted();
    // 700 ns are a fraction of a second, but still a multiple of 100 ns, the unit of Windows.
    for (nanoseconds, tick) in [(700, 20), (0, 2000)] {
        let changed = Duration::new(20, nanoseconds);
        setup.world(|world| {
            world.rules.call_time = Duration::ZERO;
            world.clock = changed;
            world.vanish("/two/new").file("/two/new");
        });
        let mut roots = roots(&setup, Order::ExtensionFirst, &["/two"]);
        let mut calls_after = |time: u64| {
            setup.world(|world| world.clock = changed + Duration::from_millis(time));
            roots.revalidate();
            count(&mut roots, "g").1
        };
        assert_eq!([0, tick, tick + 1, tick + 2].map(&mut calls_after), [5, 5, 5, 1]);
    }
}

#[test]
fn a_failure_of_any_call_changes_no_answer() {
    Faults::each(&planted(), &[5, 13], |setup, fails| {
        let mut roots = roots(setup, Order::ExtensionFirst, &["/one", "/two"]);
        for _ in 0..2 {
            roots.revalidate();
            assert_eq!(find(&mut roots, "d/f").as_deref(), Some("/two/d/f.rb"), "{fails:?}");
            assert_eq!(find(&mut roots, "g").as_deref(), Some("/two/g.so"), "{fails:?}");
        }
    });
}

#[test]
fn the_system_answers_as_memory_does() {
    let scratch = curt_testkit::Scratch::new();
    let scratch = scratch.path();
    let (one, two) = (scratch.join("one"), scratch.join("two"));
    std::fs::create_dir_all(one.join("d")).unwrap();
    std::fs::create_dir_all(two.join("d")).unwrap();
    let mut lookup = Lookup::new([&one, &two]);
    let mut find = |name: &str| {
        lookup.revalidate();
        lookup.find(name, EXTENSIONS)
    };
    assert_eq!(find("d/f"), None);
    std::fs::write(two.join("d").join("f.rb"), "").unwrap();
    assert_eq!(find("d/f"), Some(two.join("d/f.rb")));
    std::fs::write(one.join("d").join("f.so"), "").unwrap();
    assert_eq!(find("d/f"), Some(two.join("d/f.rb")));
    std::fs::write(one.join("d").join("f.rb"), "").unwrap();
    assert_eq!(find("d/f"), Some(one.join("d/f.rb")));
    std::fs::rename(&one, scratch.join("three")).unwrap();
    assert_eq!(find("d/f"), Some(two.join("d/f.rb")));
    std::fs::remove_file(two.join("d").join("f.rb")).unwrap();
    assert_eq!(find("d/f"), None);
}
