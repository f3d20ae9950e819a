//! Decides which entries match. Tests of names and kinds come first, because the listing contains
//! both. For entries that pass, one call reads the metadata for all other tests and the printed
//! fields. An unknown value fails every test, so that `--delete` never acts on incomplete
//! information.

use curt::walk::Visited;
use curt::{Error, Fields, Metadata};

use super::kinds::Kinds;
use super::names::Names;
use super::owner::Owner;
use super::permissions::Permissions;
use super::{size, when};
use crate::args::FindOptions;

pub(super) struct Matcher {
    names: Names,
    kinds: Kinds,
    tests: Vec<Test>,
    /// Whether a size test is given, which only files can pass.
    has_size: bool,
}

struct Test {
    fields: Fields,
    passes: Box<dyn Fn(&Metadata) -> bool + Send + Sync>,
}

impl Matcher {
    pub(super) fn new(options: &FindOptions) -> Result<Matcher, String> {
        let (names, kinds) = (Names::new(options)?, Kinds::parse(&options.file_types)?);
        let has_size = !options.size.is_empty();
        let mut matcher = Matcher { names, kinds, tests: Vec::new(), has_size };
        for text in &options.size {
            let size = size::parse(text)?;
            let has_size =
                move |it: &Metadata| it.size().known().is_some_and(|it| size.contains(&it));
            matcher.add(Fields::SIZE, has_size);
        }
        if let Some(text) = &options.changed_within {
            let then = when::parse(text, &options.time_options[0])?;
            let is_newer = move |it: &Metadata| it.modified().known().is_some_and(|it| it > then);
            matcher.add(Fields::MODIFIED, is_newer);
        }
        if let Some(text) = &options.changed_before {
            let then = when::parse(text, &options.time_options[1])?;
            let is_older = move |it: &Metadata| it.modified().known().is_some_and(|it| it < then);
            matcher.add(Fields::MODIFIED, is_older);
        }
        if let Some(text) = &options.owner {
            let owner = Owner::parse(text)?;
            matcher.add(owner.fields(), move |it| owner.matches(it));
        }
        for text in &options.perm {
            let perm = Permissions::parse(text)?;
            matcher.add(Fields::MODE, move |it| it.mode().known().is_some_and(|it| perm.has(it)));
        }
        Ok(matcher)
    }

    fn add(&mut self, fields: Fields, passes: impl Fn(&Metadata) -> bool + Send + Sync + 'static) {
        self.tests.push(Test { fields, passes: Box::new(passes) });
    }

    pub(super) fn matches_all(&self) -> bool {
        self.names.matches_all() && self.kinds.matches_all() && self.tests.is_empty()
    }

    pub(super) fn fields(&self) -> Fields {
        self.tests.iter().fold(self.kinds.fields(), |all, test| all | test.fields)
    }

    /// Returns whether an entry passes the tests that need no metadata.
    pub(super) fn may_match(&self, entry: &Visited<'_>) -> bool {
        self.kinds.may_match(entry.kind())
            && (!self.has_size || entry.kind().is_file())
            && self.names.match_entry(entry)
    }

    pub(super) fn matches(&self, entry: &mut Visited<'_>) -> Result<bool, Error> {
        let passes = self.tests.iter().all(|test| (test.passes)(entry.metadata()));
        if passes { self.kinds.match_entry(entry) } else { Ok(false) }
    }
}
