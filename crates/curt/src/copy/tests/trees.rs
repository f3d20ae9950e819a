//! Random trees, options and destinations, beside a model of `cp`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use curt_testkit::Choices;

use super::{copy, is_below, kind, tree};
use crate::control::{SameFileSystem, Threads, Unvisited};
use crate::copy::{Copy, Existing, Method, Preserve, Report};
use crate::error::Error;
use crate::fields::{Fields, Follow, Kind};
use crate::sys::fault::Faults;
use crate::sys::memory::tree::UMASK;
use crate::sys::memory::{Ending, Order, Setup, World};

const EXISTING: [Existing; 6] = [
    Existing::Fail,
    Existing::Merge,
    Existing::Keep,
    Existing::Replace,
    Existing::ReplaceOlder,
    Existing::ReplaceChanged,
];
const METHODS: [&[Method]; 4] = [
    &[Method::Data],
    &[Method::Reflink, Method::Data],
    &[Method::HardLink, Method::Reflink, Method::Data],
    &[Method::Reflink, Method::HardLink, Method::Data],
];
const LEFT_OUT: &str = "e";

fn random_options(choices: &mut Choices) -> Copy<'static> {
    let kept = [Preserve::MODE, Preserve::OWNER, Preserve::TIMES, Preserve::LINKS];
    let chosen = kept.into_iter().filter(|_| choices.one_in(2));
    let preserve = chosen.fold(Preserve::NONE, |all, one| all | one);
    // Names that come after one that is up to date get its content, so the order would matter.
    let keeps_links = preserve.contains(Preserve::LINKS);
    let existing = if keeps_links { &EXISTING[..4] } else { &EXISTING };
    // After a hard link, its source has several names.
    let methods = if keeps_links { &METHODS[..2] } else { &METHODS };
    let options = Copy::new()
        .preserve(preserve)
        .existing(*choices.pick(existing))
        .methods(choices.pick::<&[Method]>(methods))
        .replace_read_only(choices.one_in(2))
        .follow(*choices.pick(&[Follow::Never, Follow::Never, Follow::Links]))
        .descriptors(*choices.pick(&[8, 1024]));
    let options = options.same_file_system(choices.one_in(2));
    if choices.one_in(2) {
        return options.exclude(|entry: &Unvisited<'_>| entry.name() == LEFT_OUT);
    }
    options
}

/// Fills a directory with random entries. Hard links are names of files in `linked`.
fn plant(world: &mut World, choices: &mut Choices, dir: &str, linked: &str, depth: usize) {
    world.dir(dir);
    for name in ["a", "b", "c", "d", LEFT_OUT, "f"] {
        let path = format!("{dir}/{name}");
        let known: Vec<String> = tree(world, linked).into_keys().collect();
        let known = format!("{linked}/{}", choices.pick(&known));
        let is_source = dir.starts_with("from");
        let linked_kind = kind(world, &known);
        let may_link =
            linked_kind == Some(Kind::File) || is_source && linked_kind != Some(Kind::Directory);
        match choices.below(12) {
            0..=2 if depth > 0 => plant(world, choices, &path, linked, depth - 1),
            3 => {
                let targets = ["/pipe", "/other", "nowhere", "a", "../b", "c/d", "/from/tree"];
                // The copy may replace the target of a relative one by a pipe.
                let targets = if is_source { &targets[..] } else { &targets[..3] };
                world.link(&path, choices.one_of(targets));
            }
            4 => _ = world.special(&path, Kind::Fifo),
            5 | 6 if may_link => _ = world.hard_link(&known, &path),
            5..=9 => _ = world.sized_file(&path, *choices.pick(&[0, 7, 100, 40 << 20])),
            _ => continue,
        }
        let is_dir = kind(world, &path) == Some(Kind::Directory);
        if choices.one_in(3) {
            let files = [0o644, 0o600, 0o4755, 0o444, 0o200];
            let directories = [0o755, 0o700, 0o1777, 0o555, 0o300];
            // Only the first name that is copied needs the access rules of an unreadable file.
            let files = if linked == "to/dest" { &files[..4] } else { &files };
            world.mode(&path, *choices.pick(if is_dir { &directories } else { files }));
        }
        world.modified(&path, Duration::from_secs(choices.below(3) as u64));
        if is_dir && is_source && choices.one_in(8) {
            world.mount(&path, 3);
        }
    }
}

fn random_world(choices: &mut Choices, options: &Copy<'_>) -> World {
    let mut world = World::new();
    let rules = &mut world.rules;
    rules.order = *choices.pick(&[Order::Created, Order::Hashed, Order::Reversed]);
    rules.ending = *choices.pick(&[Ending::Empty, Ending::Exact]);
    (rules.page, rules.kinds) = (*choices.pick(&[1, 3, 1000]), choices.one_in(2));
    (rules.reflinks, rules.processors) = (choices.one_in(2), 4);
    world.dir("to").sized_file("other/file", 5).special("pipe", Kind::Fifo);
    plant(&mut world, choices, "from/tree", "from/tree", 3);
    for number in 0..if choices.one_in(3) { 20 } else { 0 } {
        plant(&mut world, choices, &format!("from/tree/{number}"), "from/tree", 0);
    }
    if choices.one_in(4) {
        world.mount("to", 2);
    }
    if choices.one_in(8) {
        world.sized_file("to/dest", 7);
    } else if !choices.one_in(3) {
        // A later name may replace another name of its source, the first one may not.
        let linked =
            if options.preserve.contains(Preserve::LINKS) { "to/dest" } else { "from/tree" };
        plant(&mut world, choices, "to/dest", linked, 3);
    }
    world
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Names of one file have the same number.
    pub(super) number: usize,
    pub(super) kind: Kind,
    pub(super) content: (u64, Option<usize>, Vec<u8>),
    /// `None` if any value is right.
    pub(super) mode: Option<u32>,
    pub(super) modified: Option<Duration>,
}

fn entry(world: &World, number: usize) -> Entry {
    let node = world.node(number);
    let is_file = node.kind == Kind::File;
    let content = node.content.filter(|_| is_file);
    let content = (if is_file { node.size } else { 0 }, content, node.target.clone());
    let (mode, modified) = (Some(node.mode), Some(node.altered));
    Entry { number, kind: node.kind, content, mode, modified }
}

pub(super) fn entries(world: &World) -> BTreeMap<String, Entry> {
    let tree = tree(world, "to/dest").into_iter();
    tree.map(|(path, node)| (path, entry(world, node))).collect()
}

/// Returns the path of a failure below source or destination.
pub(super) fn relative(error: &Error) -> String {
    let path = error.path();
    let below = path.strip_prefix("from/tree").or_else(|_| path.strip_prefix("to/dest"));
    below.expect("failures are of source or destination").display().to_string()
}

/// Files, directories, bytes, hard links and skipped entries of a report, and the failed paths.
type Said = ([u64; 5], BTreeSet<String>);

fn said(report: &Report) -> Said {
    let Report { files, directories, bytes, hard_links, skipped, .. } = *report;
    ([files, directories, bytes, hard_links, skipped], report.errors.iter().map(relative).collect())
}

fn child(world: &World, dir: usize, name: &str) -> Option<usize> {
    world.children(dir).into_iter().find(|(known, _)| known == name).map(|(_, node)| node)
}

/// What `cp` does.
struct Model<'w> {
    world: &'w World,
    options: &'w Copy<'w>,
    entries: BTreeMap<String, Entry>,
    /// The numbers of the copies of files with several names.
    copies: BTreeMap<usize, usize>,
    said: Said,
}

impl Model<'_> {
    /// `to` and `old` are the directory of the destination and the destination, if they exist.
    /// `above` are the ancestors of the source.
    fn copy(
        &mut self,
        from: (usize, &str),
        path: &str,
        (to, old): (Option<usize>, Option<usize>),
        above: &[usize],
    ) {
        if self.try_copy(from, path, (to, old), above).is_none() {
            self.said.1.insert(path.to_owned());
        }
    }

    fn try_copy(
        &mut self,
        (dir, name): (usize, &str),
        path: &str,
        (to, old): (Option<usize>, Option<usize>),
        above: &[usize],
    ) -> Option<()> {
        let (world, options) = (self.world, self.options);
        let Copy { existing, preserve, .. } = *options;
        let may = |node, access| world.allowed(node).contains(access);
        let listed = child(world, dir, name)?;
        let is_followed = options.follow == Follow::Links && entry(world, listed).kind.is_link();
        let node = if is_followed { world.leads_to(dir, name)? } else { listed };
        let (mut made, was) = (entry(world, node), old.map(|old| entry(world, old)));
        let times = preserve.contains(Preserve::TIMES);
        let usual = Some(world.node(node).mode & 0o1777 & !UMASK);
        (old.is_some() || to.is_none_or(|to| may(to, Fields::WRITABLE))).then_some(())?;
        if made.kind == Kind::Directory {
            let is_merged = existing != Existing::Fail
                && was.as_ref().is_some_and(|was| was.kind == Kind::Directory)
                && old.is_some_and(|old| may(old, Fields::READABLE));
            let may_list = !above.contains(&node) && may(node, Fields::READABLE);
            (may_list && (was.is_none() || is_merged)).then_some(())?;
            self.said.0[1] += u64::from(was.is_none());
            if !preserve.contains(Preserve::MODE) {
                made.mode = was.map_or(usual, |was| was.mode);
            }
            made.modified = made.modified.filter(|_| times);
            self.entries.insert(path.to_owned(), made);
            if options.same_file_system != SameFileSystem::No && world.node(node).mounted.is_some()
            {
                return Some(());
            }
            let above = [above, &[node]].concat();
            for (name, _) in world.children(node) {
                if options.callbacks.exclude.is_some() && name == LEFT_OUT {
                    self.said.0[4] += 1;
                    continue;
                }
                let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                let inner = old.and_then(|old| child(world, old, &name));
                self.copy((node, &name), &path, (old, inner), &above);
            }
            return Some(());
        }
        let is_tried = match options.methods[..] {
            [Method::HardLink, ..] => true,
            [_, Method::HardLink, ..] => {
                let is_opened = made.kind == Kind::File && may(node, Fields::READABLE);
                // A file stays on the device of its first name.
                let is_shared = world.mount_of(node) == world.mount_of(world.find(b"to")?);
                is_opened && !(world.rules.reflinks && is_shared)
            }
            _ => false,
        };
        let is_linked =
            is_tried && !is_followed && world.mount_of(dir) == world.mount_of(world.find(b"to")?);
        let may_read = is_linked || made.kind != Kind::File || may(node, Fields::READABLE);
        if let (Some(old), Some(was), Some(to)) = (old, &was, to) {
            let is_same = old == node;
            let is_fixed = matches!(existing, Existing::Fail | Existing::Merge);
            let is_fixed = is_fixed && !(is_same && is_linked);
            (!is_fixed && was.kind != Kind::Directory).then_some(())?;
            let leads_to = || made.kind.is_link() && world.leads_to(dir, name) == Some(old);
            let is_lost = is_same && !is_linked || was.kind == Kind::File && leads_to();
            (!is_lost || existing == Existing::Keep).then_some(())?;
            let same = |entry: &Entry| (entry.kind, world.node(entry.number).size, entry.modified);
            let is_kept = match existing {
                Existing::Keep => true,
                Existing::ReplaceOlder => was.modified >= made.modified,
                Existing::ReplaceChanged => same(was) == same(&made),
                _ => false,
            };
            if is_kept || is_same && is_linked {
                self.said.0[4] += 1;
                return Some(());
            }
            let has_access = was.kind.is_link() || may(old, Fields::WRITABLE);
            let may_replace = made.kind != Kind::File || options.replace_read_only || has_access;
            let target = if was.kind.is_link() { world.leads_to(to, name) } else { Some(old) };
            let is_special = target.is_some_and(|node| entry(world, node).kind == Kind::Fifo);
            (!is_special && may_replace && may(to, Fields::WRITABLE)).then_some(())?;
        }
        may_read.then_some(())?;
        let has_names = world.node(node).links > 1 || options.follow == Follow::Links;
        let has_names = has_names && preserve.contains(Preserve::LINKS);
        let unused = usize::MAX - self.entries.len() - self.said.0[0] as usize;
        let is_again = has_names && self.copies.contains_key(&node);
        if is_linked {
            self.said.0[3] += 1;
        } else {
            made.number =
                if has_names { *self.copies.entry(node).or_insert(unused) } else { unused };
            self.said.0[2] += if is_again { 0 } else { made.content.0 };
            made.modified = made.modified.filter(|_| times);
            if !preserve.contains(Preserve::MODE) {
                let is_file = |entry: &Entry| entry.kind == Kind::File;
                let is_kept = |was: &Entry| is_file(was) && may(was.number, Fields::WRITABLE);
                let was = was.filter(|was| is_kept(was) && is_file(&made));
                made.mode = was.map_or(usual, |was| was.mode.map(|mode| mode & 0o1777));
            }
            made.mode = made.mode.filter(|_| !made.kind.is_link() && !has_names);
        }
        self.said.0[0] += 1;
        self.entries.insert(path.to_owned(), made);
        Some(())
    }
}

/// Compares names, kinds, content, modes and times, and which names are of one file.
pub(super) fn difference(
    expected: &BTreeMap<String, Entry>,
    found: &BTreeMap<String, Entry>,
) -> Option<String> {
    let groups = |entries: &BTreeMap<String, Entry>| {
        let mut groups: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (path, entry) in entries.iter().filter(|(_, entry)| entry.kind != Kind::Directory) {
            groups.entry(entry.number).or_default().push(path.clone());
        }
        groups.into_values().collect::<BTreeSet<_>>()
    };
    let agrees = |path: &String| {
        let (Some(one), Some(other)) = (expected.get(path), found.get(path)) else { return false };
        (one.kind, &one.content) == (other.kind, &other.content)
            && one.mode.is_none_or(|mode| Some(mode) == other.mode)
            && one.modified.is_none_or(|modified| Some(modified) == other.modified)
    };
    if let Some(path) = expected.keys().chain(found.keys()).find(|path| !agrees(path)) {
        let (expected, found) = (expected.get(path), found.get(path));
        return Some(format!("{path}: expected {expected:?}, found {found:?}"));
    }
    let (expected, found) = (groups(expected), groups(found));
    (expected != found).then(|| format!("expected {expected:?}, found {found:?}"))
}

fn model(world: &World, options: &Copy<'_>) -> (BTreeMap<String, Entry>, Said) {
    let (mut entries, copies, said) = (entries(world), BTreeMap::new(), Said::default());
    let directories = entries.values_mut().filter(|entry| entry.kind == Kind::Directory);
    directories.for_each(|entry| entry.modified = None);
    let mut model = Model { world, options, entries, copies, said };
    let (from, to) = (world.find(b"from").unwrap(), world.find(b"to"));
    model.copy((from, "tree"), "", (to, world.find(b"to/dest")), &[]);
    (model.entries, model.said)
}

fn same<T: PartialEq + Debug>(
    found: &T,
    expected: &T,
    context: &dyn Fn() -> String,
) -> Result<(), String> {
    let differs = || format!("{found:?}, but expected {expected:?}; {}", context());
    (found == expected).then_some(()).ok_or_else(differs)
}

/// If a call fails, everything is there except at the reported paths.
#[test]
fn a_copy_is_what_cp_makes_and_what_a_dry_run_predicts() {
    curt_testkit::try_seeds("copy", "", |choices| {
        let seed = choices.below(1 << 30) as u64;
        let options = random_options(choices);
        let new = || random_world(&mut Choices::new(seed), &options);
        let (expected, expected_said) = model(&new(), &options);
        let mut setup = Setup::new(new());
        let run = |options: Copy<'_>, setup: &Setup| {
            let told = Mutex::new(Vec::new());
            let tell = |from: &Path, to: &Path| {
                let to = to.strip_prefix("to/dest").unwrap();
                assert_eq!(from.strip_prefix("from/tree"), Ok(to));
                told.lock().unwrap().push(to.to_owned());
            };
            let report = copy(&options.on_copied(tell), setup);
            let mut told = told.into_inner().unwrap();
            told.sort();
            (report, told)
        };
        let (dry, dry_told) = run(options.clone().dry_run(true), &setup);
        assert!(setup.world(|world| world.touched.is_empty()), "a dry run has changed something");
        let options = options.clone().threads(Threads::AtMost(*choices.pick(&[1, 2, 4])));
        let (report, told) = run(options.clone(), &setup);
        let context = || format!("{options:?}, {report:#?}");
        let found = setup.world(|world| entries(world));
        same(&difference(&expected, &found), &None, &context)?;
        same(&said(&report), &expected_said, &context)?;
        same(&(report.files + report.directories), &(told.len() as u64), &context)?;
        same(&report.error_count, &(expected_said.1.len() as u64), &context)?;
        // A dry run does not know which reflinks are refused.
        if options.methods.get(1) != Some(&Method::HardLink) {
            same(&(said(&dry), dry_told), &(expected_said, told), &context)?;
        }

        let (call, count) = *choices.pick(&report.calls.iter().collect::<Vec<_>>());
        let (nth, errno) = (choices.below(count as usize), *choices.pick(&[5, 13, 24, 28]));
        let faults = Faults::default().fail(call, nth as u64, errno);
        setup = Setup::new(new()).with_faults(faults);
        let (report, _) = run(options.clone(), &setup);
        let context = || format!("{call} {nth} {errno} {options:?}, {report:#?}");
        let elsewhere = |entries: BTreeMap<String, Entry>| {
            let failed = said(&report).1;
            // `copy` has checked that an incomplete file is reported.
            let is_elsewhere = |path: &String| {
                !path.contains(".curt-") && !failed.iter().any(|failed| is_below(path, failed))
            };
            let entries = entries.into_iter().filter(|(path, _)| is_elsewhere(path));
            entries.map(|(path, entry)| (path, entry.kind, entry.content)).collect::<Vec<_>>()
        };
        let found = elsewhere(setup.world(|world| entries(world)));
        same(&found, &elsewhere(expected), &context)
    });
}
