//! Where is looked, in order: the entries of `PATH` and the directories that a policy adds, each once.
//! Text alone, but for the working directory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::found::FoundIn;
use super::lists::{PathEntry, ascii, path_entries};
use super::policy::{Cwd, Policy};
use super::resolve::{is_elsewhere, resolve};
use crate::sys::{Lookup, SystemUnit};
use curt_paths::{Flavor, Unit};

/// A directory to look into.
#[derive(Debug)]
pub(super) struct Directory<U, D> {
    /// As programs in it are told of: absolute.
    pub(super) shown: Vec<U>,
    /// As the system takes it, where that is something else.
    native: Option<Vec<U>>,
    pub(super) origin: FoundIn,
    /// Whether only relative texts led here.
    pub(super) relative: bool,
    /// Entries of `PATH` that are the same directory.
    pub(super) duplicates: Vec<usize>,
    pub(super) known: Known<D>,
}

/// What is known of a directory before it is looked into.
#[derive(Debug)]
pub(super) enum Known<D> {
    Nothing,
    /// It was no directory when it was last looked for.
    Absent,
    /// There can be no such directory.
    Never,
    Open(D),
}

impl<U: SystemUnit, D> Directory<U, D> {
    /// The directory of a name that is a path, once there is one.
    pub(super) fn given() -> Self {
        Directory {
            shown: Vec::new(),
            native: None,
            origin: FoundIn::Given,
            relative: false,
            duplicates: Vec::new(),
            known: Known::Never,
        }
    }

    /// The directory that a text leads to.
    fn of<S: Lookup<Unit = U>>(text: &[U], origin: FoundIn, base: &mut Base<U>, sys: &S) -> Self {
        let mut directory = Directory { origin, ..Directory::given() };
        directory.aim(text, base, sys);
        directory
    }

    /// Makes it that of another text. Keeps its memory.
    pub(super) fn aim<S: Lookup<Unit = U>>(&mut self, text: &[U], base: &mut Base<U>, sys: &S) {
        let rules = base.rules;
        self.relative = resolve(text, rules, &mut || base.units(sys), &mut self.shown);
        let native = S::native(&self.shown);
        let can_be = !is_elsewhere(text, rules) && native.is_ok();
        self.known = if can_be { Known::Nothing } else { Known::Never };
        self.native = native.unwrap_or_default();
    }

    /// As the system takes it.
    pub(super) fn native(&self) -> &[U] {
        self.native.as_deref().unwrap_or(&self.shown)
    }

    /// Forgets whether it is there. Returns what was open.
    pub(super) fn forget(&mut self) -> Option<D> {
        match std::mem::replace(&mut self.known, Known::Nothing) {
            Known::Open(dir) => return Some(dir),
            Known::Never => self.known = Known::Never,
            Known::Nothing | Known::Absent => {}
        }
        None
    }
}

/// The directory that relative texts begin from, by whose rules.
pub(super) struct Base<U> {
    pub(super) rules: Flavor,
    /// The one that was named.
    pub(super) given: Option<PathBuf>,
    known: Option<Vec<U>>,
}

impl<U: SystemUnit> Base<U> {
    pub(super) fn new(rules: Flavor, given: Option<PathBuf>) -> Self {
        Base { rules, given, known: None }
    }

    /// The directory that was named, or the working directory; 1 call at most, once.
    pub(super) fn units<S: Lookup<Unit = U>>(&mut self, sys: &S) -> Vec<U> {
        let known = self.known.get_or_insert_with(|| {
            let given = self.given.as_deref().unwrap_or(Path::new(""));
            // Where there is no working directory, nothing relative is found.
            let full = sys.absolute(given).unwrap_or_else(|_| given.to_owned());
            let mut units = U::units(&full);
            while units.len() > 1 && units.last().is_some_and(|unit| unit.is_separator()) {
                units.pop();
            }
            units
        });
        known.clone()
    }
}

/// What the directories come from.
pub(super) struct Sources<U> {
    pub(super) path: Option<Vec<U>>,
    /// `SystemRoot`.
    pub(super) system_root: Option<Vec<U>>,
    /// Whether the environment forbids the working directory, on Windows.
    pub(super) forbids_cwd: bool,
}

/// The directories in order.
#[derive(Debug)]
pub(super) struct Directories<U, D> {
    pub(super) all: Vec<Directory<U, D>>,
    /// The working directory, where it is not to be searched: a name that is found there alone should
    /// be told of.
    pub(super) left_out: Option<Directory<U, D>>,
    /// Entries of `PATH` that say nothing.
    pub(super) empty: Vec<usize>,
}

impl<U: SystemUnit, D> Directories<U, D> {
    /// Puts the directories in order.
    pub(super) fn of<S: Lookup<Unit = U, Dir = D>>(
        sources: &Sources<U>,
        policy: &Policy,
        base: &mut Base<U>,
        sys: &S,
    ) -> Self {
        let (mut found, mut empty) = (Vec::new(), Vec::new());
        let mut add = |text: &[U], origin| found.push(Directory::of(text, origin, base, sys));
        let here = [U::ascii(b'.')];
        let is_windows = policy.rules == Flavor::Windows;
        let implicit = match policy.cwd {
            Cwd::Never => false,
            Cwd::Auto | Cwd::Report => !(is_windows && sources.forbids_cwd),
            Cwd::Always => true,
        };
        let mut leaves_out = is_windows && !implicit;
        if is_windows && implicit {
            add(&here, FoundIn::Cwd);
        }
        let system_root = sources.system_root.as_deref().filter(|_| policy.system_directories);
        if let (true, Some(root)) = (is_windows, system_root) {
            for name in ["\\System32", "\\System", ""] {
                add(&[root, &ascii::<U>(name)].concat(), FoundIn::System);
            }
        }
        let usual = ascii(S::DEFAULT_PATH);
        let usual = (!is_windows && policy.default_path).then_some(&usual[..]);
        let path = sources.path.as_deref().or(usual);
        let entries = path.map_or_else(Vec::new, |path| path_entries(path, policy));
        for PathEntry { index, text } in entries {
            let origin = FoundIn::Path(index);
            if !text.is_empty() {
                add(&text, origin);
                continue;
            }
            empty.push(index);
            if is_windows && policy.empty_is_cwd {
                add(&here, origin);
            } else if !is_windows && implicit {
                add(&here, FoundIn::Cwd);
            }
            leaves_out |= !is_windows && !implicit;
        }
        let all = each_once(found, policy.rules);
        let left_out = leaves_out.then(|| Directory::of(&here, FoundIn::Cwd, base, sys));
        let is_there = |one: &Directory<U, D>| {
            all.iter().any(|known| is_same(&known.shown, &one.shown, policy.rules))
        };
        let left_out = left_out.filter(|left_out| !is_there(left_out));
        Directories { all, left_out, empty }
    }
}

/// Each directory once, where it is first, with what else led there.
fn each_once<U: Unit, D>(found: Vec<Directory<U, D>>, rules: Flavor) -> Vec<Directory<U, D>> {
    let first: Vec<usize> = match rules {
        Flavor::Posix => {
            let mut seen = HashMap::with_capacity(found.len());
            let texts = found.iter().map(|one| &one.shown[..]).enumerate();
            texts.map(|(at, text)| *seen.entry(text).or_insert(at)).collect()
        }
        Flavor::Windows => {
            let is_it = |text: &[U], known: &Directory<U, D>| is_same(&known.shown, text, rules);
            let first = |text: &[U]| found.iter().position(|known| is_it(text, known));
            found.iter().filter_map(|one| first(&one.shown)).collect()
        }
    };
    let mut all: Vec<Directory<U, D>> = Vec::with_capacity(found.len());
    let mut places = Vec::with_capacity(found.len());
    for (at, directory) in found.into_iter().enumerate() {
        if first[at] == at {
            places.push(all.len());
            all.push(directory);
            continue;
        }
        let place = places[first[at]];
        places.push(place);
        all[place].relative &= directory.relative;
        if let FoundIn::Path(index) = directory.origin {
            all[place].duplicates.push(index);
        }
    }
    all
}

/// Whether two directories are one by their texts.
fn is_same<U: Unit>(left: &[U], right: &[U], rules: Flavor) -> bool {
    match rules {
        Flavor::Posix => left == right,
        Flavor::Windows => U::same_in_any_case(left, right),
    }
}
