//! What a caller wants to know, how fresh, and what that costs.

use std::fmt;

use super::Fields;
use crate::sys::{Os, Sources, Sys};

/// How fresh a value must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Freshness {
    /// What the listing carries is good enough; the rest is asked for. On Windows the listing
    /// carries nearly everything, and may lag behind for a file that somebody has open for writing,
    /// or that was written under another name.
    #[default]
    FromListing,
    /// The same, and what is asked may be answered from what a network file system has cached
    /// (`AT_STATX_DONT_SYNC`).
    Cached,
    /// Everything but the name is asked for, also what the listing carries.
    Exact,
}

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Follow {
    /// None: what is told is that of the link itself.
    #[default]
    Never,
    /// Those that the caller named.
    CommandLine,
    /// All. A link that leads nowhere is told of as the link that it is. (A walk says why, where it
    /// leads through a file, or where one may not look; links in a circle are errors there.)
    Links,
}

/// What is wanted of each entry.
///
/// ```
/// use curt::{Fields, Plan};
/// let plan = Plan::new(Fields::NAME | Fields::KIND);
/// assert_eq!(plan.cost().entry, 0, "a listing tells both");
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
    /// A plan for these fields, as the listing has them where it has them, following no link.
    pub fn new(fields: Fields) -> Plan {
        Plan { fields, ..Plan::default() }
    }

    /// How fresh the values must be.
    pub fn freshness(self, freshness: Freshness) -> Plan {
        Plan { freshness, ..self }
    }

    /// Which links are followed.
    pub fn follow(self, follow: Follow) -> Plan {
        Plan { follow, ..self }
    }

    /// Tells of the links that Cygwin keeps in plain files as [`Kind::CygwinSymlink`](crate::Kind),
    /// with their targets; no by default. They are told by the SYSTEM attribute and a size of 11 to
    /// 8,204 bytes, which costs nothing; only what passes that is opened, read and closed: 3 calls
    /// for each, beyond [`Plan::cost`]. One that cannot be read is told of as a file, with a
    /// failure that takes no field away. They are not followed. Nothing on other systems than
    /// Windows.
    pub fn cygwin_links(self, yes: bool) -> Plan {
        Plan { cygwin_links: yes, ..self }
    }

    /// The fields.
    pub fn fields(self) -> Fields {
        self.fields
    }

    /// What the plan costs on this system, as long as no feature is missing.
    pub fn cost(self) -> Cost {
        self.cost_by(&<Os as Sys>::SOURCES)
    }

    /// What has to be known for these fields: an owner's name is found by its number, where its
    /// security does not tell it; whether there is a target depends on the kind, and so does what
    /// the security that is read is that of.
    pub(crate) fn needs(fields: Fields, sources: &Sources) -> Fields {
        let mut needs = fields.without(Fields::NAME);
        for (name, number) in [(Fields::USER, Fields::USER_ID), (Fields::GROUP, Fields::GROUP_ID)] {
            let is_by_number = sources.query.contains(number) && !sources.secured.contains(name);
            if fields.contains(name) && is_by_number {
                needs |= number;
            }
        }
        if fields.contains(Fields::TARGET) || fields.intersects(sources.secured) {
            needs |= Fields::KIND;
        }
        needs
    }

    fn cost_by(self, sources: &Sources) -> Cost {
        let mut asked = Plan::needs(self.fields, sources);
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
        let extended = once(sources.extended) * sources.extended_calls + label;
        let owners =
            once((Fields::USER | Fields::GROUP | Fields::ACL).intersection(sources.secured));
        let query = once(sources.query) * sources.query_calls;
        let follow = u32::from(self.follow == Follow::Links);
        Cost {
            directory: sources.directory_calls,
            entry: query + access + extended + owners * sources.secured_calls,
            link: once(Fields::TARGET) * sources.target_calls + if query == 0 { follow } else { 0 },
        }
    }
}

/// What a plan costs, in calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// For each directory whose entries fit into one buffer; each further buffer is one more.
    pub directory: u32,
    /// For each entry, links included.
    pub entry: u32,
    /// For each symbolic link, beyond that.
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

    /// A system whose listings have names, kinds and numbers, as those of Unix.
    const UNIX: Sources = Sources {
        listing: Fields::KIND.union(Fields::ID),
        query: Fields::SIZE.union(Fields::USER_ID).union(Fields::GROUP_ID).union(Fields::KIND),
        query_calls: 1,
        directory_calls: 4,
        target_calls: 1,
        extended: Fields::ACL.union(Fields::LABEL),
        extended_calls: 1,
        secured: Fields::NONE,
        secured_calls: 0,
    };

    #[test]
    fn a_plan_costs_what_is_not_in_the_listing() {
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
        assert_eq!(cost(Fields::USER), 3, "its security tells the name");
        assert_eq!(cost(Fields::USER | Fields::ACL | Fields::SIZE), 3);
        let exact = Plan::new(Fields::KIND).freshness(Freshness::Exact);
        assert_eq!(exact.cost_by(&UNIX).entry, 1);
        let follow = Plan::new(Fields::KIND).follow(Follow::Links);
        assert_eq!((follow.cost_by(&UNIX).entry, follow.cost_by(&UNIX).link), (0, 1));
    }
}
