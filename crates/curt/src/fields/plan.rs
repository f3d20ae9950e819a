//! What is asked about each entry, and what that costs.

use std::fmt;

use super::Fields;
use crate::sys::{Os, Sources, Sys};

/// How fresh a value must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Freshness {
    /// Values from the listing are good enough; the rest is asked for. On Windows the listing has
    /// nearly everything, and may be out of date for a file that is open for writing, or that was
    /// written under another name.
    #[default]
    FromListing,
    /// The same, and a network file system may answer from its cache (`AT_STATX_DONT_SYNC`).
    Cached,
    /// Everything but the name is asked for, even if the listing has it.
    Exact,
}

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Follow {
    /// None: the metadata is that of the link itself.
    #[default]
    Never,
    /// Operands only.
    CommandLine,
    /// All. A broken link yields its own metadata. (A walk also reports an error for a link that
    /// leads through a file or into a directory that may not be searched, and yields only the error
    /// for a link loop.)
    Links,
}

/// The fields that are wanted of each entry, how fresh they must be, and which links are followed.
///
/// ```
/// use curt::{Fields, Plan};
/// let plan = Plan::new(Fields::NAME | Fields::KIND);
/// assert_eq!(plan.cost().entry, 0, "a listing has both");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "a plan does nothing until something is asked with it"]
pub struct Plan {
    pub(crate) fields: Fields,
    pub(crate) freshness: Freshness,
    pub(crate) follow: Follow,
    pub(crate) cygwin_links: bool,
}

impl From<Fields> for Plan {
    fn from(fields: Fields) -> Plan {
        Plan::new(fields)
    }
}

impl Plan {
    /// Creates a plan for these fields, from the listing if it has them, that follows no link.
    pub const fn new(fields: Fields) -> Plan {
        let (freshness, follow) = (Freshness::FromListing, Follow::Never);
        Plan { fields, freshness, follow, cygwin_links: false }
    }

    /// Chooses how fresh the values must be.
    pub const fn freshness(self, freshness: Freshness) -> Plan {
        Plan { freshness, ..self }
    }

    /// Chooses which links are followed.
    pub const fn follow(self, follow: Follow) -> Plan {
        Plan { follow, ..self }
    }

    /// Recognises the links that Cygwin keeps in plain files, as
    /// [`Kind::CygwinSymlink`](crate::Kind) with their targets; no by default. Only on Windows.
    ///
    /// Candidates have the SYSTEM attribute and a size of 11 to 8,204 bytes. Each of them is
    /// opened, read and closed: 3 calls beyond [`Plan::cost`]. One that cannot be read stays a
    /// file, with a failure that hides no field. These links are not followed.
    pub const fn cygwin_links(self, yes: bool) -> Plan {
        Plan { cygwin_links: yes, ..self }
    }

    /// Returns the fields.
    pub const fn fields(self) -> Fields {
        self.fields
    }

    /// Returns what the plan costs on this system, if no feature is missing.
    pub fn cost(self) -> Cost {
        self.cost_by(&<Os as Sys>::SOURCES)
    }

    fn cost_by(self, sources: &Sources) -> Cost {
        let mut asked = self.fields.needs(sources);
        if self.freshness != Freshness::Exact {
            asked = asked.without(sources.listing);
        }
        let once = |fields: Fields| u32::from(asked.intersects(fields));
        let access = Fields::READABLE | Fields::WRITABLE | Fields::EXECUTABLE;
        let access = if sources.query.contains(access) {
            0
        } else {
            asked.intersection(access).iter().count() as u32
        };
        let label = once(Fields::LABEL.intersection(sources.extended));
        let extended = once(sources.extended) + label;
        let owners =
            once((Fields::USER | Fields::GROUP | Fields::ACL).intersection(sources.secured));
        let query = once(sources.query);
        let follow = u32::from(self.follow == Follow::Links);
        Cost {
            directory: sources.directory_calls,
            entry: query + access + extended + owners * sources.secured_calls,
            link: once(Fields::TARGET) * sources.target_calls + if query == 0 { follow } else { 0 },
        }
    }
}

impl Fields {
    /// Returns what has to be known for these fields: the number of an owner for its name, unless
    /// the security descriptor has the name; the kind for the target of a link, and for the
    /// security descriptor.
    pub(crate) fn needs(self, sources: &Sources) -> Fields {
        let mut needs = self.without(Fields::NAME);
        for (name, number) in [(Fields::USER, Fields::USER_ID), (Fields::GROUP, Fields::GROUP_ID)] {
            let is_by_number = sources.query.contains(number) && !sources.secured.contains(name);
            if self.contains(name) && is_by_number {
                needs |= number;
            }
        }
        if self.contains(Fields::TARGET) || self.intersects(sources.secured) {
            needs |= Fields::KIND;
        }
        needs
    }
}

/// The cost of a plan, in calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// For each directory whose entries fit into one buffer. Each further buffer costs one more.
    pub directory: u32,
    /// For each entry, links included.
    pub entry: u32,
    /// For each symbolic link, in addition.
    pub link: u32,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} calls for a directory, {} for each entry, {} more for each link",
            self.directory, self.entry, self.link
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, Follow, Freshness, Plan};
    use crate::sys::Sources;

    /// A system whose listings have names, kinds and numbers, like Unix.
    const UNIX: Sources = Sources {
        listing: Fields::KIND.union(Fields::ID),
        query: Fields::SIZE.union(Fields::USER_ID).union(Fields::GROUP_ID).union(Fields::KIND),
        directory_calls: 4,
        target_calls: 1,
        extended: Fields::ACL.union(Fields::LABEL),
        secured: Fields::NONE,
        secured_calls: 0,
    };

    #[test]
    fn a_plan_costs_the_fields_that_listings_lack() {
        let cost = |fields: Fields| {
            let cost = Plan::new(fields).cost_by(&UNIX);
            (cost.entry, cost.link)
        };
        assert_eq!(cost(Fields::NAME | Fields::KIND | Fields::ID), (0, 0));
        assert_eq!(cost(Fields::NAME | Fields::SIZE), (1, 0));
        assert_eq!(cost(Fields::SIZE | Fields::USER | Fields::TARGET), (1, 1));
        assert_eq!(cost(Fields::USER), (1, 0), "the number has to be asked for");
        assert_eq!(cost(Fields::READABLE | Fields::WRITABLE), (2, 0));
        assert_eq!(cost(Fields::ACL), (1, 0));
        assert_eq!(cost(Fields::ACL | Fields::LABEL), (2, 0));
        let secured = Sources {
            listing: UNIX.query,
            extended: Fields::NONE,
            secured: Fields::USER | Fields::ACL,
            secured_calls: 3,
            ..UNIX
        };
        let cost = |fields: Fields| Plan::new(fields).cost_by(&secured).entry;
        assert_eq!(cost(Fields::USER), 3, "the security descriptor has the name");
        assert_eq!(cost(Fields::USER | Fields::ACL | Fields::SIZE), 3);
        let exact = Plan::new(Fields::KIND).freshness(Freshness::Exact);
        assert_eq!(exact.cost_by(&UNIX).entry, 1);
        let follow = Plan::new(Fields::KIND).follow(Follow::Links);
        assert_eq!((follow.cost_by(&UNIX).entry, follow.cost_by(&UNIX).link), (0, 1));
    }
}
