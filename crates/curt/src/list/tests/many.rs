//! Many paths at once: the answers are those of each path by itself, for fewer calls.

use std::path::{Path, PathBuf};

use crate::ask::Asker;
use crate::fields::{Fields, Follow, Freshness, Kind, Metadata, Origin, Plan, Value};
use crate::list::many::from_listings;
use crate::sys::Sys;
use crate::sys::memory::{Memory, Setup, World};

const LISTED: Fields = Fields::KIND.union(Fields::ID);

/// So many files in a directory, a link and another directory.
fn world(files: usize) -> World {
    let mut world = World::new();
    for number in 0..files {
        world.file(format!("d/{number}"));
    }
    world.link("d/link", "0").dir("d/sub").file("lone/file");
    world
}

fn numbered(count: usize) -> Vec<PathBuf> {
    (0..count).map(|number| format!("d/{number}").into()).collect()
}

/// What is told, by one asker for all; and the calls that it took.
fn ask(setup: &Setup, plan: Plan, paths: &[PathBuf]) -> (Vec<Option<Metadata>>, u64) {
    let asker = Asker::new(Memory::start(setup), plan);
    let told = from_listings(&asker, paths);
    setup.world(|world| assert_eq!(world.open_now(), 0, "a directory was left open"));
    (told, asker.sys.calls().total())
}

/// The answer for one path by itself.
fn alone(setup: &Setup, plan: Plan, path: &Path) -> (Option<Kind>, Option<u128>, bool) {
    let asker = Asker::new(Memory::start(setup), plan);
    let mut metadata = Metadata::default();
    let follow = plan.follow != Follow::Never;
    asker.tell_path(path, follow, &mut metadata).unwrap();
    said(&metadata)
}

fn said(metadata: &Metadata) -> (Option<Kind>, Option<u128>, bool) {
    (metadata.kind().known(), metadata.id().known(), metadata.failures().count() > 0)
}

#[test]
fn names_of_one_directory_are_read_off_its_listing() {
    let setup = Setup::new(world(40));
    let mut paths = numbered(20);
    paths
        .splice(10..10, ["d/link", "lone/file", "d/gone", "d/./7", "d/3/", "d/.."].map(Into::into));
    paths.push("d/3".into());
    let plan = Plan::new(LISTED);
    let (told, calls) = ask(&setup, plan, &paths);
    assert!(calls <= 5, "opened, listed and closed: {calls}");
    for (path, metadata) in paths.iter().zip(&told) {
        let Some(metadata) = metadata else { continue };
        assert_eq!(said(metadata), alone(&setup, plan, path), "{}", path.display());
        assert!(matches!(metadata.kind(), Value::Value(_, Origin::Listing)));
    }
    let asked: Vec<&str> = paths
        .iter()
        .zip(&told)
        .filter(|(_, told)| told.is_none())
        .filter_map(|(path, _)| path.to_str())
        .collect();
    assert_eq!(
        asked,
        ["lone/file", "d/gone", "d/3/", "d/.."],
        "these are asked about by themselves"
    );
}

#[test]
fn links_that_are_followed_are_asked_about() {
    let setup = Setup::new(world(20));
    let mut paths = numbered(20);
    paths.push("d/link".into());
    for (follow, is_told) in [(Follow::Never, true), (Follow::Links, false)] {
        let (told, _) = ask(&setup, Plan::new(LISTED).follow(follow), &paths);
        assert_eq!(told[20].is_some(), is_told, "{follow:?}");
        assert!(told[..20].iter().all(Option::is_some));
    }
}

#[test]
fn a_listing_is_read_only_where_it_answers_and_pays() {
    let setup = Setup::new(world(40));
    let paths = numbered(20);
    let nothing = |plan: Plan, paths: &[PathBuf]| {
        let (told, calls) = ask(&setup, plan, paths);
        assert!(told.iter().all(Option::is_none) && calls == 0, "{plan:?}: {calls} calls");
    };
    nothing(Plan::new(LISTED | Fields::SIZE), &paths);
    nothing(Plan::new(LISTED).freshness(Freshness::Exact), &paths);
    nothing(Plan::new(LISTED), &paths[..7]);
    let scattered: Vec<PathBuf> = (0..20).map(|number| format!("d{number}/x").into()).collect();
    nothing(Plan::new(LISTED), &scattered);
    // A directory that cannot be opened costs the attempt, and the questions say why.
    let missing: Vec<PathBuf> = (0..20).map(|number| format!("nowhere/{number}").into()).collect();
    let (told, calls) = ask(&setup, Plan::new(LISTED), &missing);
    assert!(told.iter().all(Option::is_none) && calls == 1, "{calls}");
}

#[test]
fn a_few_names_in_a_huge_directory_do_not_read_it_all() {
    let mut large = world(20_000);
    large.rules.page = 50;
    let setup = Setup::new(large);
    let (told, calls) = ask(&setup, Plan::new(LISTED), &numbered(8));
    assert!(told.len() == 8 && calls <= 4, "{calls} calls");
}

/// On the system itself, through what callers use.
#[test]
fn answers_come_in_the_order_of_the_paths() {
    let scratch = curt_testkit::Scratch::new();
    let mut paths = Vec::new();
    for number in 0..60_usize {
        let name = format!("{}/{number}", ["one", "two"][number % 2]);
        paths.push(scratch.file_with(name, &vec![b'x'; number]));
    }
    paths.insert(30, scratch.at("one/gone"));
    let plan = Plan::new(Fields::KIND | Fields::SIZE);
    let mut stat = crate::Stat::new(plan);
    let told = stat.many(&paths);
    let alone: Vec<_> = paths.iter().map(|path| crate::stat(path, plan)).collect();
    let sizes = |answers: &[Result<Metadata, crate::Error>]| -> Vec<Option<u64>> {
        answers
            .iter()
            .map(|answer| answer.as_ref().ok().and_then(|told| told.size().known()))
            .collect()
    };
    assert_eq!(sizes(&told), sizes(&alone));
    assert_eq!(told[30].as_ref().unwrap_err().kind(), std::io::ErrorKind::NotFound);
    let all: Vec<_> = crate::stat_many(&paths, plan).collect();
    assert_eq!(sizes(&all), sizes(&told));
    #[cfg(windows)]
    {
        let calls = stat.calls();
        assert!(calls.total() <= 2 * 6 + 3, "{calls:?}");
        // In another case of letters, and as Win32 alone spells it.
        let (mut odd, spelled) = (paths.clone(), scratch.typed().join("one"));
        odd.push(scratch.at("ONE/0"));
        odd.push(spelled.join("0."));
        let told = stat.many(&odd);
        let alone = [crate::stat(&odd[61], plan), crate::stat(&odd[62], plan)];
        assert_eq!(sizes(&told[61..]), sizes(&alone));
    }
}
