//! Where is looked, in order: the entries of `PATH` and the places that a policy adds, each directory
//! once. Text alone, but for the working directory.

use std::io;
use std::ops::Range;

use super::found::FoundIn;
use super::lists::{PathEntry, ascii, path_entries};
use super::policy::{Cwd, Policy};
use super::resolve::{is_clean, is_elsewhere, resolve};
use curt_paths::Flavor;
use curt_paths::Unit;

/// A directory to look into.
#[derive(Debug)]
pub(super) struct Place<'a, U, D> {
    /// The directory as programs in it are told of: absolute.
    pub(super) shown: &'a [U],
    /// The same as the system takes it.
    pub(super) native: &'a [U],
    pub(super) origin: FoundIn,
    /// Whether only relative texts led here.
    pub(super) relative: bool,
    pub(super) known: &'a Known<D>,
}

/// What is known of a place before it is looked into.
#[derive(Debug)]
pub(super) enum Known<D> {
    Nothing,
    /// It was no directory when it was last looked for, or cannot be one.
    Absent,
    Open(D),
}

/// What the places come from.
pub(super) struct Sources<'a, U> {
    pub(super) path: Option<&'a [U]>,
    /// The system's own `PATH`.
    pub(super) default_path: &'a str,
    /// `SystemRoot`.
    pub(super) system_root: Option<&'a [U]>,
    /// Whether the environment forbids the working directory, on Windows.
    pub(super) forbids_cwd: bool,
}

/// Whether the place that nobody named is to be searched.
pub(super) fn searches_cwd(policy: &Policy, forbids_cwd: bool) -> bool {
    match policy.cwd {
        Cwd::Never => false,
        Cwd::Auto | Cwd::Report => policy.rules == Flavor::Posix || !forbids_cwd,
        Cwd::Always => true,
    }
}

/// The places in order, and the one that nobody named where it is not to be searched and a name that is found
/// there alone should be told of.
///
/// All texts lie in one piece of memory, because a single start makes a list of hundreds.
#[derive(Debug)]
pub(super) struct Places<U, D> {
    texts: Vec<U>,
    all: Vec<Stored<D>>,
    left_out: Option<Stored<D>>,
    /// Entries of `PATH` that are a directory which is there already, each with the number of its place.
    duplicates: Vec<(usize, usize)>,
    /// Entries of `PATH` that say nothing.
    pub(super) empty: Vec<usize>,
}

/// A place with its texts by where they lie. What the system takes is empty where that cannot be.
#[derive(Debug)]
struct Stored<D> {
    shown: Range<usize>,
    native: Range<usize>,
    tail: Option<Tail>,
    origin: FoundIn,
    relative: bool,
    known: Known<D>,
}

/// How a text becomes a place.
pub(super) struct Writer<'a, U> {
    pub(super) rules: Flavor,
    /// Asked for only where something is relative.
    pub(super) base: &'a mut dyn FnMut() -> Vec<U>,
    /// Writes a path as the system takes it.
    pub(super) native: fn(&[U], &mut Vec<U>) -> io::Result<()>,
}

/// Puts the places in order.
pub(super) fn places<U: Unit, D>(
    sources: &Sources<'_, U>,
    policy: &Policy,
    writer: Writer<'_, U>,
) -> Places<U, D> {
    let usual = ascii(sources.default_path);
    let uses_default = policy.rules == Flavor::Posix && policy.default_path;
    let path = sources.path.or_else(|| uses_default.then_some(&usual[..]));
    let entries = path.map_or_else(Vec::new, |path| path_entries(path, policy));
    let room = path.map_or(0, <[U]>::len);
    let mut list = List::new(writer, room, entries.len());
    let here = [U::ascii(b'.')];
    let implicit = searches_cwd(policy, sources.forbids_cwd);
    let mut leaves_out = false;
    if policy.rules == Flavor::Windows {
        leaves_out = !implicit;
        if implicit {
            list.add(&here, FoundIn::Cwd);
        }
        if let Some(root) = sources.system_root.filter(|_| policy.system_directories) {
            for name in ["\\System32", "\\System", ""] {
                list.add(&[root, &ascii::<U>(name)].concat(), FoundIn::System);
            }
        }
    }
    for PathEntry { index, text } in entries {
        let origin = FoundIn::Path(index);
        if !text.is_empty() {
            list.add(&text, origin);
            continue;
        }
        list.places.empty.push(index);
        match policy.rules {
            Flavor::Windows if policy.empty_is_cwd => list.add(&here, origin),
            Flavor::Posix if implicit => list.add(&here, FoundIn::Cwd),
            Flavor::Posix => leaves_out = true,
            Flavor::Windows => {}
        }
    }
    if leaves_out {
        list.leave_out(&here);
    }
    list.places
}

/// Places that are being put in order.
struct List<'a, U, D> {
    places: Places<U, D>,
    seen: Seen,
    writer: Writer<'a, U>,
    /// What is written before it is known whether it stays.
    text: Vec<U>,
}

impl<'a, U: Unit, D> List<'a, U, D> {
    fn new(writer: Writer<'a, U>, room: usize, entries: usize) -> Self {
        let places = Places {
            texts: Vec::with_capacity(room),
            all: Vec::with_capacity(entries),
            left_out: None,
            duplicates: Vec::new(),
            empty: Vec::new(),
        };
        List { places, seen: Seen::default(), writer, text: Vec::new() }
    }

    /// Adds a place, unless it is there: then what led to it is noted.
    fn add(&mut self, text: &[U], origin: FoundIn) {
        let mut place = self.write(text, origin);
        let may_be_there = self.seen.note(place.tail);
        let Some(at) = may_be_there.then(|| self.position(&place)).flatten() else {
            self.write_native(text, &mut place);
            self.places.all.push(place);
            return;
        };
        let Places { texts, all, duplicates, .. } = &mut self.places;
        texts.truncate(place.shown.start);
        all[at].relative &= place.relative;
        if let FoundIn::Path(index) = origin {
            duplicates.push((index, at));
        }
    }

    /// Notes a place that is not searched, unless it is by another text.
    fn leave_out(&mut self, text: &[U]) {
        let mut place = self.write(text, FoundIn::Cwd);
        if self.position(&place).is_none() {
            self.write_native(text, &mut place);
            self.places.left_out = Some(place);
        }
    }

    /// Writes the absolute text.
    fn write(&mut self, text: &[U], origin: FoundIn) -> Stored<D> {
        let Writer { rules, base, .. } = &mut self.writer;
        let texts = &mut self.places.texts;
        let begin = texts.len();
        let is_clean = is_clean(text, *rules);
        let mut relative = false;
        if is_clean {
            texts.extend_from_slice(text);
        } else {
            relative = resolve(text, *rules, base, &mut self.text);
            texts.extend_from_slice(&self.text);
        }
        let tail = tail(&texts[begin..], *rules);
        let shown = begin..texts.len();
        let (native, known) =
            if is_clean { (shown.clone(), Known::Nothing) } else { (0..0, Known::Absent) };
        Stored { shown, native, tail, origin, relative, known }
    }

    /// Writes what the system takes, where there can be such a place and it is not known yet.
    fn write_native(&mut self, text: &[U], place: &mut Stored<D>) {
        if matches!(place.known, Known::Nothing) {
            return;
        }
        let texts = &mut self.places.texts;
        let shown = &texts[place.shown.clone()];
        if is_elsewhere(text, self.writer.rules)
            || (self.writer.native)(shown, &mut self.text).is_err()
        {
            return;
        }
        place.known = Known::Nothing;
        place.native = if shown == self.text {
            place.shown.clone()
        } else {
            let begin = texts.len();
            texts.extend_from_slice(&self.text);
            begin..texts.len()
        };
    }

    /// The number of the place that is the same directory.
    fn position(&self, place: &Stored<D>) -> Option<usize> {
        let Places { texts, all, .. } = &self.places;
        let is_it = |known: &Stored<D>| {
            (known.tail == place.tail || known.tail.is_none() || place.tail.is_none())
                && is_same(
                    &texts[known.shown.clone()],
                    &texts[place.shown.clone()],
                    self.writer.rules,
                )
        };
        all.iter().position(is_it)
    }
}

impl<U, D> Places<U, D> {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<Place<'_, U, D>> {
        self.all.get(at).map(|stored| self.of(stored))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Place<'_, U, D>> {
        self.all.iter().map(|stored| self.of(stored))
    }

    pub(super) fn left_out(&self) -> Option<Place<'_, U, D>> {
        self.left_out.as_ref().map(|stored| self.of(stored))
    }

    /// Entries of `PATH` that are the same directory as a place.
    pub(super) fn duplicates(&self, at: usize) -> Vec<usize> {
        let same = self.duplicates.iter().filter(|(_, place)| *place == at);
        same.map(|(index, _)| *index).collect()
    }

    /// A place as the system takes it, and what is known of it, to be changed.
    pub(super) fn known_mut(&mut self, at: usize) -> Option<(&[U], &mut Known<D>)> {
        let Stored { native, known, .. } = self.all.get_mut(at)?;
        Some((&self.texts[native.clone()], known))
    }

    fn of<'a>(&'a self, stored: &'a Stored<D>) -> Place<'a, U, D> {
        let Stored { shown, native, origin, relative, known, .. } = stored;
        Place {
            shown: &self.texts[shown.clone()],
            native: &self.texts[native.clone()],
            origin: *origin,
            relative: *relative,
            known,
        }
    }
}

/// Which tails there were, as bits that several may share. Comparing each place with all before it took a seventh
/// of a search among hundreds.
#[derive(Default)]
struct Seen {
    bits: [u64; 32],
    is_any_untold: bool,
}

impl Seen {
    /// Notes a tail; whether a place that has the same may be there already.
    fn note(&mut self, tail: Option<Tail>) -> bool {
        let Some((length, letters)) = tail else {
            self.is_any_untold = true;
            return true;
        };
        // Once multiplied by an odd number without a pattern, the upper bits depend on all.
        let mixed = (letters ^ (length as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53;
        let (word, bit) = ((mixed / 64) as usize, 1 << (mixed % 64));
        let was_there = self.bits[word] & bit != 0;
        self.bits[word] |= bit;
        was_there || self.is_any_untold
    }
}

/// How long a directory's text is, and its last letters.
type Tail = (usize, u64);

/// The tail of a text, the same for all texts that are the same directory. `None` where letters beyond ASCII
/// may be capitals of others, and of another length.
fn tail<U: Unit>(text: &[U], rules: Flavor) -> Option<Tail> {
    let packed = |letters: &[U], as_read: fn(u8) -> u8| {
        letters.iter().fold(0, |all, unit| all << 8 | u64::from(as_read(unit.to_ascii())))
    };
    let last = text.last_chunk::<8>().map_or(text, |last| last);
    match rules {
        Flavor::Posix => Some((text.len(), packed(last, |letter| letter))),
        Flavor::Windows if text.iter().all(|unit| unit.to_ascii().is_ascii()) => {
            Some((text.len(), packed(last, |letter| letter.to_ascii_lowercase())))
        }
        Flavor::Windows => None,
    }
}

/// Whether two directories are one by their texts.
fn is_same<U: Unit>(left: &[U], right: &[U], rules: Flavor) -> bool {
    match rules {
        Flavor::Posix => left == right,
        Flavor::Windows => U::same_in_any_case(left, right),
    }
}

/// The directory of a name that is a path. It keeps its memory from one look-up to the next.
#[derive(Debug)]
pub(super) struct Given<U, D> {
    shown: Vec<U>,
    native: Vec<U>,
    relative: bool,
    known: Known<D>,
}

impl<U: Unit, D> Given<U, D> {
    pub(super) fn new() -> Self {
        let (shown, native) = (Vec::new(), Vec::new());
        Given { shown, native, relative: false, known: Known::Nothing }
    }

    /// Takes the directory of the next one.
    pub(super) fn aim(&mut self, text: &[U], writer: &mut Writer<'_, U>) {
        self.relative = resolve(text, writer.rules, writer.base, &mut self.shown);
        let is_unreachable = is_elsewhere(text, writer.rules)
            || (writer.native)(&self.shown, &mut self.native).is_err();
        self.known = if is_unreachable { Known::Absent } else { Known::Nothing };
    }

    pub(super) fn place(&self) -> Place<'_, U, D> {
        let Given { shown, native, relative, known } = self;
        Place { shown, native, origin: FoundIn::Given, relative: *relative, known }
    }
}

#[cfg(test)]
mod tests {
    use super::{Seen, is_same, tail};
    use curt_paths::Flavor;

    fn wide(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn what_is_the_same_directory_has_the_same_tail() {
        let texts = [
            "C:\\Bin",
            "c:\\bIN",
            "C:\\b\u{131}n",
            "C:\\\u{e4}",
            "C:\\\u{c4}",
            "c",
            "C:\\a-long-one\\bin",
            "",
        ];
        let mut same = 0;
        for rules in [Flavor::Posix, Flavor::Windows] {
            for (one, other) in texts.iter().flat_map(|one| texts.map(|other| (*one, other))) {
                let (bytes, units) = ((one.as_bytes(), other.as_bytes()), (wide(one), wide(other)));
                let tails = |one: Option<_>, other: Option<_>| {
                    one.is_none() || other.is_none() || one == other
                };
                if is_same(bytes.0, bytes.1, rules) {
                    assert!(tails(tail(bytes.0, rules), tail(bytes.1, rules)), "{one} {other}");
                    same += 1;
                }
                if is_same(&units.0, &units.1, rules) {
                    assert!(tails(tail(&units.0, rules), tail(&units.1, rules)), "{one} {other}");
                }
            }
        }
        assert!(same >= 2 * texts.len() + 4, "{same}");
        assert_ne!(tail(b"/usr/bin", Flavor::Posix), tail(b"/usr/lib", Flavor::Posix));
    }

    #[test]
    fn what_was_noted_may_be_there() {
        let mut seen = Seen::default();
        let tails: Vec<_> =
            (0..300_usize).map(|number| Some((number, 7 * number as u64))).collect();
        let taken_for_old = tails.iter().filter(|tail| seen.note(**tail)).count();
        assert!(taken_for_old < 60, "{taken_for_old}");
        assert!(tails.iter().all(|tail| seen.note(*tail)));
        assert!(seen.note(None));
        assert!(seen.note(Some((1, 1 << 60))), "one that has no tail may be any");
    }
}
